"""Which projects are shared with a team: one by one, recognised by their repositories."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from memtui.domain.identity import suggest_name
from memtui.domain.memory import GLOBAL_PROJECT
from memtui.errors import NotFoundError, UsageError
from memtui.sync.carrier import Carrier, TeamProject
from memtui.text.words import did_you_mean
from memtui.vault.projects import Project, add_identities, check_name, list_projects
from memtui.vault.rows import SYNC
from memtui.vault.teams import Share, Team, put_share, put_team, read_shares, read_teams
from memtui.vault.text_search import Patterns
from memtui.vault.vault import Vault
from memtui.vault.writer import VaultWriter

BRANCH = "memory"  # The branch of a git remote that is used unless another is named
UNASSIGNED = "unassigned"  # What a person says to share memories without a project


@dataclass(frozen=True, slots=True, kw_only=True)
class SyncRequest:
    """What a person asks for."""

    folder: Path  # the working directory, whose repository's remotes may be named
    git: str | None = None  # a git remote to sync with, and to join if it is new
    database: str | None = None  # the same of a PostgreSQL database
    branch: str = BRANCH
    share: tuple[str, ...] = ()  # projects to share from now on; `global` and `unassigned` too
    in_view: str | None = None  # the project in view, shared when a team is joined without naming one
    proposes: bool | None = None  # whether candidates are shared, too; None leaves it as it is
    patterns: Patterns = ()  # the user's own patterns of secrets
    accepts_deletions: bool = False  # whether deletions are taken however many they are


@dataclass(frozen=True, slots=True)
class Settled:
    """A team as it is stored, and its projects that are here, too, but not shared."""

    team: Team
    not_shared: list[str]


@dataclass(frozen=True, slots=True)
class _Sides:
    """The projects of both sides by name, and what is shared so far."""

    team: Team
    mine: dict[str, Project]
    theirs: dict[str, TeamProject]
    before: Sequence[Share]

    def is_here(self, project: TeamProject) -> bool:
        """Return whether the vault has a project of this name or repository, so that a person must share it."""
        if project.name in {"", GLOBAL_PROJECT} or project.name in self.mine:
            return True
        return any(set(_shown(own)).intersection(project.identities) for own in self.mine.values())

    def share(self, name: str) -> Share:
        """Return a project as shared. Raises `NotFoundError`: neither the vault nor the team has it."""
        project = None if name == UNASSIGNED else name
        known = next((share for share in self.before if share.project == project), None)
        if known is not None:
            return known
        if project is None or project == GLOBAL_PROJECT:
            return Share(team=self.team.id, project=project, remote=project or "")
        if name not in self.mine and name not in self.theirs:
            raise NotFoundError(
                "Neither the vault nor the team has this project",
                where=name,
                remedy=did_you_mean(name, sorted({*self.mine, *self.theirs}), otherwise="See `memtui project list`."),
            )
        return Share(team=self.team.id, project=name, remote=self._remote_of(name))

    def _remote_of(self, name: str) -> str:
        """Return what the team calls a project, or is to call it."""
        shown = set(_shown(self.mine.get(name)))
        same = next((one.name for one in self.theirs.values() if shown.intersection(one.identities)), None)
        if same is not None:
            return same
        other = self.theirs.get(name)
        is_other_repository = other is not None and bool(other.identities) and bool(shown)
        return suggest_name(f"{name}-2", self.theirs) if is_other_repository else name

    def others(self, new: Sequence[Share]) -> list[TeamProject]:
        """Return the team's projects that are neither shared so far nor among the new ones."""
        taken = {share.remote for share in (*self.before, *new)}
        return [project for project in self.theirs.values() if project.name not in taken]

    def first(self, request: SyncRequest, others: Sequence[TeamProject]) -> list[Share]:
        """Return what is shared when a team is joined without naming a project: the one in view, if the vault has it.

        Raises `UsageError`: there is none, and nothing to be received either.
        """
        in_view = request.in_view
        if in_view is not None and in_view != GLOBAL_PROJECT and in_view in self.mine:
            return [self.share(in_view)]
        if request.database is None and all(self.is_here(project) for project in others):
            raise UsageError(
                "Which project is to be shared?",
                remedy="Run this in the project's folder, or use --share NAME, --share global or --share unassigned.",
            )
        return []


def settle_shares(vault: Vault, team: Team, carrier: Carrier, request: SyncRequest) -> Settled:
    """Store the team and what is shared with it: what a person names, and what only the team has.

    Raises:
        UsageError, NotFoundError: a project is missing.
        RefusedError: one may not add a project there; nothing was changed.
    """
    with vault.read() as reader:
        is_new = all(one.id != team.id for one in read_teams(reader))
        mine = {project.name: project for project in list_projects(reader)}
        before = read_shares(reader, team.id)
    theirs = {project.name: project for project in carrier.projects() if _is_name(project.name)}
    sides = _Sides(team, mine, theirs, before)
    new = [sides.share(name) for name in request.share]
    if is_new and not new:
        new = sides.first(request, list(sides.theirs.values()))
    others = sides.others(new)
    not_shared = [project for project in others if sides.is_here(project)]
    new += [Share(team=team.id, project=one.name, remote=one.name) for one in others if one not in not_shared]
    fresh = [share for share in new if share not in before]
    _register(carrier, sides, fresh)
    return Settled(
        _store(vault, sides, fresh, _as_wished(sides, carrier, request), is_new=is_new),
        [project.name or UNASSIGNED for project in not_shared],
    )


def _register(carrier: Carrier, sides: _Sides, fresh: Sequence[Share]) -> None:
    """Tell the team of the projects that are shared from here, with the repositories that show them to others."""
    for share in (*sides.before, *fresh):
        is_known = share.remote in sides.theirs or share in fresh
        if is_known and (share.project is None or share.project in sides.mine):
            carrier.register(TeamProject(share.remote, _shown(sides.mine.get(share.project or ""))))


def _as_wished(sides: _Sides, carrier: Carrier, request: SyncRequest) -> Team:
    """Return the team with the name that one has there, and with whether candidates are sent."""
    team = replace(sides.team, person=sides.team.person or carrier.person)
    only_proposes = any(project.may == "propose" for project in sides.theirs.values())
    return replace(team, proposes=team.proposes or only_proposes if request.proposes is None else request.proposes)


def _store(vault: Vault, sides: _Sides, fresh: Sequence[Share], team: Team, *, is_new: bool) -> Team:
    if not is_new and not fresh and team == sides.team:
        return team
    with vault.write(actor="team", action=SYNC) as writer:
        put_team(writer, team)
        for share in sides.before if team.proposes != sides.team.proposes else ():
            put_share(writer, replace(share, pushed=None))  # candidates of before are looked at, too
        for share in fresh:
            put_share(writer, share)
            _take_identities(writer, share, sides.theirs.get(share.remote))
    return team


def _take_identities(writer: VaultWriter, share: Share, found: TeamProject | None) -> None:
    """Let the project be recognised in its repository on this machine, too."""
    if share.project is not None and found is not None:
        add_identities(writer, share.project, _of_repositories(found.identities))


def _shown(project: Project | None) -> tuple[str, ...]:
    """Return the identities of a project that may leave the machine."""
    return tuple(_of_repositories(project.identities if project else ()))


def _of_repositories(identities: Iterable[str]) -> list[str]:
    """Return the identities that mean the same on every machine: no folder, whoever states it."""
    return [one for one in identities if not one.startswith("path:")]


def _is_name(name: str) -> bool:
    """Return whether a vault can have a project of this name; the empty one is that of unassigned memories."""
    try:
        return name == (name and check_name(name))
    except UsageError:
        return False
