"""The Team screen's reads, rows and texts, and the sync that goes on while the app is open."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from memtui.errors import MemtuiError
from memtui.sync.carrier import SyncReport
from memtui.sync.service import Asked, TeamState, Watch, ask_team, sync, team_states
from memtui.sync.sharing import SyncRequest
from memtui.text.sanitize import tame
from memtui.text.words import counted
from memtui.tui.memory_view import ago, days_between, short_age
from memtui.tui.state import Opening
from memtui.tui.styled_text import Block
from memtui.tui.values import Done
from memtui.tui.vault_access import VaultAccess
from memtui.tui.widgets.lists import Cell
from memtui.vault.vault import Vault
from memtui.wording import syncing

NOBODY = (
    "This vault does not share memories yet.",
    "",
    "memtui sync --git REMOTE      over a branch of a git remote",
    "memtui team join URL          with a team's PostgreSQL",
)


@dataclass(frozen=True, slots=True)
class TeamRow:
    """A team in the list."""

    state: TeamState
    now: datetime

    @property
    def id(self) -> str:
        return self.state.team.id

    @property
    def waits(self) -> bool:
        """Whether a person has something to decide."""
        return bool(self.state.conflicts or self.state.orders)


class TeamActs:
    """What the screen reads and does."""

    def __init__(self, access: VaultAccess) -> None:
        self._access = access

    def read(self) -> list[TeamRow]:
        """Return the teams as the vault knows them; asks nobody."""
        now = self._access.vault.now()
        patterns = self._access.opening.secret_patterns
        return [TeamRow(state, now) for state in team_states(self._access.read_vault, patterns)]

    def ask(self, row: TeamRow) -> Asked:
        """Return what the other side says of members and of what came from whom."""
        return ask_team(row.state.team)

    def sync(self) -> Done:
        """Sync with every team."""
        opening = self._access.opening
        request = SyncRequest(folder=opening.folder, patterns=tuple(opening.secret_patterns))
        report = sync(self._access.vault, request)
        return Done(_told(report), changed=not report.exit_code)


def _told(report: SyncReport) -> str:
    waits = [
        f"{counted(len(report.conflicts), 'conflict')} in the Inbox" if report.conflicts else "",
        f"{counted(len(report.held), 'secret')} held back" if report.held else "",
        f"{counted(len(report.orders), 'purge')} ordered" if report.orders else "",
        *(
            syncing.many_deleted(one.project, one.deleted, one.shared, is_of_memories=one.is_of_memories)
            for one in report.wipes
        ),
    ]
    said = [syncing.exchanged(report.pushed, report.pulled, report.merged)]
    said += [syncing.deleted(report.deleted, report.removals)] if report.deleted else []
    return " ".join([*said, ", ".join(filter(None, waits))])


def team_cells(row: TeamRow, width: int) -> list[Cell]:
    """Return a team: whether something waits for a person, its place, and when it was reached last."""
    del width
    team = row.state.team
    synced = short_age(days_between(team.synced_at, row.now)) if team.synced_at else "never"
    waiting = f"{row.state.waiting:,} to send" if row.state.waiting else ""
    return [
        Cell("!" if row.waits else "●", "warning" if row.waits else "good", 2),
        Cell(tame(syncing.place_words(team), 200), "base"),
        Cell(waiting, "dim", 16, since=40, right=True, before=1, snug=True),
        Cell(synced, "dim", 5, since=24, right=True, before=2),
    ]


def team_blocks(row: TeamRow, asked: Asked | None, problem: str) -> list[Block]:
    """Return everything about a team. `problem`: why the other side could not be asked."""
    state = row.state
    team = state.team
    seen = f"last sync {ago(days_between(team.synced_at, row.now))}" if team.synced_at else "never synced"
    blocks = [
        Block(((tame(team.place, 500), "title"),)),
        Block((("branch ", "dim"), (tame(team.branch, 100), "text"), (f" of a git remote; {seen}", "dim")))
        if team.branch
        else Block(((f"PostgreSQL, as {tame(team.person, 60)}; {seen}", "dim"),)),
        Block((("Shared", "heading"),), gap=True),
    ]
    for share in state.shares:
        other = f"(there: {tame(share.remote, 60)})" if share.project and share.remote != share.project else ""
        blocks.append(Block(((f"- {tame(share.project or 'unassigned', 100)} ", "text"), (other, "dim"))))
    if not state.shares:
        blocks.append(Block((("nothing; memtui sync --share PROJECT shares one", "dim"),)))
    blocks += _waiting_blocks(state)
    blocks += _asked_blocks(asked, problem, row.now)
    return blocks


def _waiting_blocks(state: TeamState) -> Iterator[Block]:
    yield Block((("Waiting", "heading"),), gap=True)
    lines = [
        (f"{counted(state.waiting, 'change')} to send; s syncs", "text") if state.waiting else None,
        (f"{counted(state.conflicts, 'conflict')} with the team; d shows both texts in the Inbox", "warning")
        if state.conflicts
        else None,
        (f"{counted(len(state.orders), 'memory')} to be erased here, too: memtui sync --purge", "warning")
        if state.orders
        else None,
    ]
    found = [line for line in lines if line is not None]
    for text, tone in found:
        yield Block(((f"- {text}", "warning" if tone == "warning" else "text"),))
    for order in state.orders:
        what = f"  {order.memory_id}, ordered by {tame(order.author, 40)} on {order.made_at:%Y-%m-%d}"
        yield Block(((what, "dim"),))
    if not found:
        yield Block((("nothing", "dim"),))


def _asked_blocks(asked: Asked | None, problem: str, now: datetime) -> Iterator[Block]:
    if asked is None:
        yield Block(((tame(problem, 300) or "asking the remote …", "warning" if problem else "dim"),), gap=True)
        return
    if asked.members:
        yield Block((("Members", "heading"),), gap=True)
    for member in asked.members:
        right = syncing.right_words(member.may, member.project)
        yield Block(((f"- {tame(member.role, 60)} ", "text"), (right, "dim")))
    yield Block((("Received, and from whom", "heading"),), gap=True)
    for came in asked.recent:
        age = short_age(days_between(came.at, now))
        yield Block(((f"{age:>5}  ", "dim"), (f"{tame(came.author, 40)}  ", "label"), (tame(came.what, 120), "text")))
    if not asked.recent:
        yield Block((("nothing yet", "dim"),))


def header_words(states: Sequence[TeamState], now: datetime, problem: str) -> str:
    """Return the quiet line of the header: when the last sync was, and what waits; empty without a team."""
    if not states:
        return ""
    synced = [state.team.synced_at for state in states if state.team.synced_at]
    age = short_age(days_between(min(synced), now)) if len(synced) == len(states) else "never"
    waiting, conflicts = sum(state.waiting for state in states), sum(state.conflicts for state in states)
    parts = [
        "team offline" if problem else f"synced {age}",
        f"{waiting:,} to send" if waiting else "",
        counted(conflicts, "conflict") if conflicts else "",
    ]
    return ", ".join(filter(None, parts))


def watch_teams(opening: Opening, stop: threading.Event, show: Callable[[str], object]) -> None:
    """Sync until told to stop, or as long as the vault has a team.

    `show`: takes the words for the header, from this thread.
    """
    # Of its own, so that what the team changed is not taken for the person's last change.
    vault = Vault(opening.vault.path, kinds=opening.vault.kinds, now=opening.vault.now)

    def tell(problem: str) -> bool:
        states = team_states(vault, opening.secret_patterns)
        show(header_words(states, vault.now(), problem))
        return bool(states)

    if not vault.exists or not tell(""):
        return
    request = SyncRequest(folder=opening.folder, patterns=tuple(opening.secret_patterns))
    for found in Watch(vault, request, stop=stop).reports():
        if stop.is_set() or not tell(str(found) if isinstance(found, MemtuiError) else ""):
            return
