"""Join a team, share projects one by one, sync and go on syncing, leave."""

from __future__ import annotations

import getpass
import threading
import time
import uuid
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from pathlib import Path

from memtui import locations
from memtui.capture.source_conflicts import open_conflicts
from memtui.errors import MemtuiError, NotFoundError, UsageError, VaultBusyError
from memtui.sync.carrier import Came, Carrier, SyncReport
from memtui.sync.database import Member, list_members
from memtui.sync.engine import Engine, one_at_a_time
from memtui.sync.orders import run_orders, sort_orders
from memtui.sync.push import collect
from memtui.sync.sharing import SyncRequest, settle_shares
from memtui.text.words import some_of
from memtui.vault.journal import last_number, made_since
from memtui.vault.lease import signature_of
from memtui.vault.purge import PurgeReport
from memtui.vault.reader import VaultReader
from memtui.vault.rows import SYNC
from memtui.vault.team_copies import drop_copies, using_copies
from memtui.vault.teams import PurgeOrder, Share, Team, drop_team, read_shares, read_teams
from memtui.vault.text_search import Patterns
from memtui.vault.vault import Vault

GIT, POSTGRES = "git", "postgres"

_LONGEST_PERSON = 40


def sync(vault: Vault, request: SyncRequest) -> SyncReport:
    """Sync a vault with the named remote, else with all of its teams.

    Raises:
        UsageError: no team was joined, or a project is unknown.
        RefusedError: an address holds a password or a token.
        MemtuiError: a place cannot be reached; nothing was changed with it.
    """
    report = SyncReport()
    for team in teams_of(vault, request):
        report.add(_sync_one(vault, team, request))
    return report


def teams_of(vault: Vault, request: SyncRequest) -> list[Team]:
    """Return the teams that a request is about; one that is named may be new. Raises as `sync`."""
    with vault.read() as reader:
        known = read_teams(reader)
    if request.git is not None:
        return [_git_team(known, request)]
    if request.database is not None:
        return [_database_team(known, request.database)]
    if not known:
        raise UsageError(
            "This vault does not share memories yet",
            remedy="Start with `memtui sync --git REMOTE` (a git remote) or `memtui team join URL` (a database).",
        )
    return known


def _git_team(known: Sequence[Team], request: SyncRequest) -> Team:
    from memtui.sync.carrier import check_branch, check_remote, remote_of

    place = remote_of(request.folder, str(request.git))
    check_remote(place)
    branch = check_branch(request.branch)
    for team in known:
        if (team.carrier, team.place, team.branch) == (GIT, place, branch):
            return team
    return Team(id=uuid.uuid4().hex, carrier=GIT, place=place, branch=branch, person=_person(request.folder))


def _database_team(known: Sequence[Team], url: str) -> Team:
    from memtui.sync.carrier import check_url

    check_url(url)
    for team in known:
        if (team.carrier, team.place) == (POSTGRES, url):
            return team
    return Team(id=uuid.uuid4().hex, carrier=POSTGRES, place=url, branch="")


def _person(folder: Path) -> str:
    """Return the name of the person as teams know it: git's, else the login."""
    from memtui.git import run_git

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
        settled = settle_shares(vault, team, carrier, request)
        report = Engine(vault, settled.team, carrier, request.patterns, request.accepts_deletions).run()
        report.not_shared = settled.not_shared
        return report


@contextmanager
def _connected(team: Team) -> Iterator[Carrier]:
    """Open the place of a team. Raises `MemtuiError`: it cannot be reached, or is another team's."""
    carrier = carrier_of(team)
    with using_copies() if team.branch else nullcontext():
        try:
            carrier.connect()
            yield carrier
        finally:
            carrier.close()


def carrier_of(team: Team) -> Carrier:
    """Return the carrier of a team, not connected yet."""
    if team.carrier == POSTGRES:
        from memtui.sync.postgres_carrier import PostgresCarrier

        return PostgresCarrier(team.place, team.id, team.team)
    from memtui.sync.git_carrier import GitCarrier
    from memtui.sync.git_repo import GitRepo

    return GitCarrier(GitRepo(team.place, team.branch, team.id), team.person, team.team)


# -- what a person decides --------------------------------------------------------------------------


def leave(vault: Vault, place: str | None) -> Team:
    """Forget a team; memories stay. `place`: which, where there are several.

    Raises `NotFoundError` or `UsageError`: there is no such team, or several.
    """
    with vault.read() as reader:
        team = chosen_team(reader, place)
    with vault.write(actor="team", action=SYNC) as writer:
        drop_team(writer, team.id)
    if team.branch:
        drop_copies([locations.team_copy(team.id)], wait_seconds=vault.patience_seconds)
    return team


def chosen_team(reader: VaultReader, place: str | None) -> Team:
    """Return the team of a place, or the only one."""
    teams = read_teams(reader)
    found = [team for team in teams if place in {None, team.place, team.name}]
    if len(found) == 1:
        return found[0]
    if not found:
        raise NotFoundError("This vault has no such team", where=place or "", remedy="`memtui team status` lists them.")
    raise UsageError("Which team?", remedy=f"Name its address: {some_of([team.place for team in found], 5)}.")


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


MOST_RECENT = 20  # Of what came lately, so much is shown


@dataclass(frozen=True, slots=True)
class Asked:
    """What only the other side knows."""

    members: tuple[Member, ...]
    recent: tuple[Came, ...]


def ask_team(team: Team) -> Asked:
    """Ask a team's place for its members and for what came lately. Raises `MemtuiError`: it cannot be reached."""
    with _connected(team) as carrier:
        recent = tuple(carrier.recent(MOST_RECENT))
    members = tuple(list_members(team.place)) if team.carrier == POSTGRES else ()
    return Asked(members, recent)


POLL_SECONDS = 30.0  # How long at most without a look, where nothing tells of news
SLICE_SECONDS = 1.0  # How often the vault is looked at meanwhile


@dataclass(slots=True)
class Watch:
    """Syncs a vault until nobody asks for the next report."""

    vault: Vault
    request: SyncRequest
    poll_seconds: float = POLL_SECONDS
    stop: threading.Event = field(default_factory=threading.Event)  # ends it, at the next look at the vault
    _listeners: list[Carrier] = field(default_factory=list)
    _heard: set[str] = field(default_factory=set)  # ids of the teams that are listened to, as far as they tell of news

    def reports(self) -> Generator[SyncReport | MemtuiError, None, None]:
        """Yield what each sync did, or why it could not."""
        try:
            while not self.stop.is_set():
                self._listen()  # before the sync, so that no news falls between the two
                found, since = self._synced()
                yield found
                before = signature_of(self.vault.path)
                if since is None or not self._was_changed(since):
                    self._wait(before)
        finally:
            self._hang_up()

    def _synced(self) -> tuple[SyncReport | MemtuiError, int | None]:
        """Return what a sync did, or why it could not, and the last change before it where it was looked at."""
        try:
            with self.vault.read() as reader:
                since = last_number(reader)
            return sync(self.vault, self.request), since
        except MemtuiError as error:
            self._hang_up()
            return error, None

    def _was_changed(self, since: int) -> bool:
        """Return whether somebody else made a change after one, while the sync looked at what was there before."""
        with suppress(VaultBusyError), self.vault.read() as reader:
            return bool(made_since(reader, since) - self.vault.made)
        return False

    def _listen(self) -> None:
        """Listen to the teams there are; anew where one was joined or left."""
        teams = teams_of(self.vault, self.request)
        if self._listeners and self._heard == {team.id for team in teams}:
            return
        self._hang_up()
        self._heard = {team.id for team in teams}
        for team in teams:
            carrier = carrier_of(team)
            # Where it cannot be reached, or one more connection is refused, the vault is synced now and then.
            with suppress(MemtuiError):
                if carrier.listen():
                    self._listeners.append(carrier)
                    continue
            carrier.close()

    def _hang_up(self) -> None:
        for carrier in self._listeners:
            carrier.close()
        self._listeners.clear()

    def _wait(self, before: tuple[int, ...]) -> None:
        """Wait until there may be something to do; `before`: the vault's files as they were looked at last."""
        deadline = time.monotonic() + self.poll_seconds
        while time.monotonic() < deadline and signature_of(self.vault.path) == before and not self.stop.is_set():
            try:
                if any(carrier.wait(SLICE_SECONDS) for carrier in self._listeners):
                    return
            except MemtuiError:
                self._hang_up()
            if not self._listeners:
                self.stop.wait(min(SLICE_SECONDS, self.poll_seconds))
