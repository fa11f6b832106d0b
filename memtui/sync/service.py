"""Join a team, share projects one by one, sync, leave."""

from __future__ import annotations

import getpass
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from memtui.capture.source_conflicts import open_conflicts
from memtui.domain.identity import suggest_name
from memtui.domain.memory import GLOBAL_PROJECT
from memtui.errors import NotFoundError, UsageError
from memtui.sync.carrier import Carrier, TeamProject
from memtui.sync.engine import Engine, one_at_a_time
from memtui.sync.orders import run_orders, sort_orders
from memtui.sync.push import collect
from memtui.sync.report import SyncReport
from memtui.text.words import did_you_mean, some_of
from memtui.vault.projects import Project, add_identities, list_projects
from memtui.vault.purge import PurgeReport
from memtui.vault.reader import VaultReader
from memtui.vault.teams import SYNC, PurgeOrder, Share, Team, drop_team, put_share, put_team, read_shares, read_teams
from memtui.vault.text_search import Patterns
from memtui.vault.vault import Vault
from memtui.vault.writer import VaultWriter

GIT, POSTGRES = "git", "postgres"
BRANCH = "memory"  # The branch that is used unless another is named
UNASSIGNED = "unassigned"  # What a person says to share memories without a project

_LONGEST_PERSON = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class SyncRequest:
    """What a person asks for."""

    folder: Path  # the working directory, whose repository's remotes may be named
    git: str | None = None  # a remote to sync with, and to join if it is new
    branch: str = BRANCH
    share: tuple[str, ...] = ()  # projects to share from now on; `global` and `unassigned` too
    in_view: str | None = None  # the project in view, shared when a team is joined without naming one
    proposes: bool | None = None  # whether candidates are shared, too; None leaves it as it is
    patterns: Patterns = ()  # the user's own patterns of secrets


def sync(vault: Vault, request: SyncRequest) -> SyncReport:
    """Sync a vault with the named remote, else with all of its teams.

    Raises:
        UsageError: no team was joined, or a project is unknown.
        RefusedError: a URL holds a password.
        MemtuiError: a place cannot be reached; nothing was changed with it.
    """
    report = SyncReport()
    for team in _teams(vault, request):
        report.add(_sync_one(vault, team, request))
    return report


def _teams(vault: Vault, request: SyncRequest) -> list[Team]:
    with vault.read() as reader:
        known = read_teams(reader)
    if request.git is not None:
        return [_git_team(known, request)]
    if not known:
        raise UsageError(
            "This vault shares its memories with nobody yet",
            remedy="`memtui sync --git REMOTE` begins with a git remote, `memtui team join URL` with a database.",
        )
    return known


def _git_team(known: Sequence[Team], request: SyncRequest) -> Team:
    from memtui.sync.git_repo import check_branch, check_remote, remote_of

    place = remote_of(request.folder, str(request.git))
    check_remote(place)
    branch = check_branch(request.branch)
    for team in known:
        if (team.carrier, team.place, team.branch) == (GIT, place, branch):
            return team
    return Team(id=uuid.uuid4().hex, carrier=GIT, place=place, branch=branch, person=_person(request.folder))


def _person(folder: Path) -> str:
    """Return the name of the person as teams know it: git's, else the login."""
    from memtui.workspace import run_git

    name = (run_git(folder, "config", "user.name") or "").strip()
    if not name:
        try:
            name = getpass.getuser()
        except (OSError, KeyError):  # a container may have no such user
            name = ""
    return "".join(sign for sign in name if sign.isprintable())[:_LONGEST_PERSON].strip()


def _sync_one(vault: Vault, team: Team, request: SyncRequest) -> SyncReport:
    vault.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with one_at_a_time(vault), _connected(team) as carrier:
        team, not_shared = _settle_shares(vault, team, carrier, request)
        report = Engine(vault, team, carrier, request.patterns).run()
        report.not_shared = not_shared
        return report


@contextmanager
def _connected(team: Team) -> Iterator[Carrier]:
    """Open the place of a team. Raises `MemtuiError`: it cannot be reached, or is another team's."""
    carrier = _carrier(team)
    try:
        carrier.connect()
        yield carrier
    finally:
        carrier.close()


def _carrier(team: Team) -> Carrier:
    from memtui.sync.git_carrier import GitCarrier
    from memtui.sync.git_repo import GitRepo

    return GitCarrier(GitRepo(team.place, team.branch, team.id), team.person, team.team)


# -- projects ---------------------------------------------------------------------------------------


def _settle_shares(vault: Vault, team: Team, carrier: Carrier, request: SyncRequest) -> tuple[Team, list[str]]:
    """Store the team and what is shared with it; returns it, and its projects that are here but not shared."""
    with vault.read() as reader:
        before = read_shares(reader, team.id)
        is_new = all(one.id != team.id for one in read_teams(reader))
        mine = {project.name: project for project in list_projects(reader)}
    theirs = {project.name: project for project in carrier.projects()}
    wanted = list(request.share)
    new = [_share(team, name, mine, theirs, before) for name in wanted]
    taken = {share.remote for share in (*before, *new)}
    others = [project for name, project in theirs.items() if name not in taken]
    if is_new and not wanted:
        new += _first_shares(team, request.in_view, mine, theirs, others)
        others = [project for project in others if project.name not in {share.remote for share in new}]
    unshared = [project for project in others if _is_here(project, mine)]
    new += [Share(team=team.id, project=one.name, remote=one.name) for one in others if one not in unshared]
    fresh = [share for share in new if share.project not in {one.project for one in before}]
    is_changed = request.proposes not in {None, team.proposes}
    if is_changed:
        team = replace(team, proposes=bool(request.proposes))
    if is_new or fresh or is_changed:
        with vault.write(actor="team", action=SYNC) as writer:
            put_team(writer, team)
            for share in before if is_changed else ():
                put_share(writer, replace(share, pushed=None))  # candidates of before are looked at, too
            for share in fresh:
                put_share(writer, share)
                _take_identities(writer, share, theirs)
    for share in (*before, *fresh):
        if share.project in mine or share.project is None:
            identities = _shown(mine.get(share.project or ""))
            carrier.register(TeamProject(share.remote, identities))
    return team, [project.name or UNASSIGNED for project in unshared]


def _first_shares(
    team: Team, in_view: str | None, mine: dict[str, Project], theirs: dict[str, TeamProject], others: list[TeamProject]
) -> list[Share]:
    """Return what is shared when a team is joined without naming a project: the one in view, if it has memories."""
    if in_view is not None and in_view != GLOBAL_PROJECT and in_view in mine:
        return [_share(team, in_view, mine, theirs, [])]
    if all(_is_here(project, mine) for project in others):
        raise UsageError(
            "Which project is to be shared?",
            remedy="Run this in the project's folder, or name it: --share NAME, --share global or --share unassigned.",
        )
    return []


def _share(
    team: Team, name: str, mine: dict[str, Project], theirs: dict[str, TeamProject], before: Sequence[Share]
) -> Share:
    """Return a project as shared. Raises `NotFoundError`: neither the vault nor the team has it."""
    project = None if name == UNASSIGNED else name
    known = next((share for share in before if share.project == project), None)
    if known is not None:
        return known
    if project is None or project == GLOBAL_PROJECT:
        return Share(team=team.id, project=project, remote=project or "")
    own = mine.get(name)
    if own is None and name not in theirs:
        raise NotFoundError(
            "Neither the vault nor the team has this project",
            where=name,
            remedy=did_you_mean(name, sorted({*mine, *theirs})) or "`memtui project list` lists those of the vault.",
        )
    shown = set(_shown(own))
    same = next((one.name for one in theirs.values() if shown.intersection(one.identities)), None)
    if same is not None:
        return Share(team=team.id, project=name, remote=same)
    other = theirs.get(name)
    if other is not None and other.identities and shown:
        # Another repository of the same name.
        return Share(team=team.id, project=name, remote=suggest_name(f"{name}-2", theirs))
    return Share(team=team.id, project=name, remote=name)


def _shown(project: Project | None) -> tuple[str, ...]:
    """Return the identities that may leave the machine: no folder."""
    return tuple(one for one in (project.identities if project else ()) if not one.startswith("path:"))


def _is_here(project: TeamProject, mine: dict[str, Project]) -> bool:
    """Return whether the vault has a project of this name or repository, so that a person must share it."""
    if project.name in {"", GLOBAL_PROJECT} or project.name in mine:
        return True
    return any(set(_shown(own)).intersection(project.identities) for own in mine.values())


def _take_identities(writer: VaultWriter, share: Share, theirs: dict[str, TeamProject]) -> None:
    """Let the project be recognised in its repository on this machine, too."""
    found = theirs.get(share.remote)
    if share.project is not None and found is not None:
        add_identities(writer, share.project, list(found.identities))


# -- what a person decides --------------------------------------------------------------------------


def leave(vault: Vault, place: str | None) -> Team:
    """Forget a team; memories stay. `place`: which, where there are several.

    Raises `NotFoundError` or `UsageError`: there is no such team, or several.
    """
    with vault.read() as reader:
        team = chosen_team(reader, place)
    with vault.write(actor="team", action=SYNC) as writer:
        drop_team(writer, team.id)
    return team


def chosen_team(reader: VaultReader, place: str | None) -> Team:
    """Return the team of a place, or the only one."""
    teams = read_teams(reader)
    found = [team for team in teams if place in {None, team.place, team.name}]
    if len(found) == 1:
        return found[0]
    if not found:
        raise NotFoundError("This vault has no such team", where=place or "", remedy="`memtui team status` lists them.")
    raise UsageError("Which team?", remedy=f"Name its place: {some_of([team.place for team in found], 5)}.")


def orders_of(vault: Vault) -> list[PurgeOrder]:
    """Return the purges that teams ordered and that wait to be run here."""
    with vault.read() as reader:
        return [order for team in read_teams(reader) for order in sort_orders(reader, team).waiting]


def purge_ordered(vault: Vault) -> PurgeReport | None:
    """Run the purges that wait; None if there are none."""
    orders = orders_of(vault)
    return run_orders(vault, orders) if orders else None


@dataclass(frozen=True, slots=True)
class TeamState:
    """A team as this vault sees it, without asking the other side."""

    team: Team
    shares: tuple[Share, ...]
    waiting: int  # things that were changed here and not sent yet
    conflicts: int  # texts of one's own that wait beside the team's
    orders: tuple[PurgeOrder, ...]  # purges that wait to be run


def team_states(vault: Vault, patterns: Patterns = ()) -> list[TeamState]:
    """Return the teams of a vault with what waits; asks nobody."""
    with vault.read() as reader:
        return [_state_of(reader, team, patterns) for team in read_teams(reader)]


def _state_of(reader: VaultReader, team: Team, patterns: Patterns) -> TeamState:
    shares = read_shares(reader, team.id)
    batches = [collect(reader, team, share, patterns) for share in shares]
    projects = {share.project for share in shares}
    conflicts = [one for one in open_conflicts(reader) if one.text.is_team and one.memory.project in projects]
    return TeamState(
        team,
        tuple(shares),
        sum(len(batch.items) + len(batch.held) for batch in batches),
        len(conflicts),
        tuple(sort_orders(reader, team).waiting),
    )
