"""The Inbox's work on the vault, and its list."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.segment import Segment

from memtui.text.sanitize import tame
from memtui.text.words import clip, counted
from memtui.tui.memory_view import Block, describe, source_line
from memtui.tui.values import Detail, Done, Row
from memtui.tui.vault_access import MemoryActs, VaultAccess
from memtui.tui.widgets.lists import CURSOR_MARK, Cell, Paint, draw_cells
from memtui.tui.widgets.memory_list import KIND_CELLS, MARKED, MemoryList
from memtui.wording import outcomes

if TYPE_CHECKING:
    from memtui.capture.source_conflicts import SourceConflict
    from memtui.vault.filters import MemoryFilter
    from memtui.vault.reader import VaultReader


@dataclass(frozen=True, slots=True)
class Candidate(Row):
    """A candidate as the list shows it.

    Attributes:
        source: where it came from, on one line.
        oddities: what to know before accepting it, a few words each.
    """

    source: str = ""
    oddities: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Waiting:
    """What waits in the inbox.

    Attributes:
        elsewhere: candidates in other projects; only counted where the list is empty.
        projects: the vault's projects, to assign candidates to.
        conflicts: number of source conflicts.
    """

    ids: tuple[str, ...]
    project: str | None
    elsewhere: int
    projects: tuple[str, ...]
    conflicts: int = 0


@dataclass(frozen=True, slots=True)
class CandidateRead:
    """A candidate in full; `oddities` are sentences."""

    detail: Detail
    oddities: tuple[str, ...]


class InboxAccess:
    """Reads candidates and source conflicts, and decides on candidates."""

    def __init__(self, access: VaultAccess) -> None:
        self._access = access
        self._vault, self._reading, self._opening = access.vault, access.read_vault, access.opening
        self._acts = MemoryActs(access)

    def _wanted(self, reader: VaultReader) -> MemoryFilter:
        """Return what is in view: the unassigned too, unless a project was named."""
        from memtui.curate.lifecycle import waiting

        return waiting(self._access.view_of(reader).scope, with_unassigned=self._opening.project is None)

    def waiting(self) -> Waiting:
        """Return what waits in view."""
        from memtui.capture.source_conflicts import open_conflicts
        from memtui.vault.filters import MemoryFilter
        from memtui.vault.projects import project_names

        with self._reading.read() as reader:
            wanted = self._wanted(reader)
            ids = reader.select_ids(wanted, sort="created", now=self._vault.now())
            return Waiting(
                ids=tuple(ids),
                project=self._access.view_of(reader).project,
                elsewhere=0 if ids else reader.count(MemoryFilter(statuses=("candidate",))),
                projects=tuple(project_names(reader)),
                conflicts=len(open_conflicts(reader, wanted.scope)),
            )

    def conflicts(self) -> tuple[list[SourceConflict], bool]:
        """Return the source conflicts, the oldest first, and whether the source of the first one is no longer there."""
        from memtui.capture.source_conflicts import open_conflicts

        with self._reading.read() as reader:
            found = open_conflicts(reader, self._wanted(reader).scope)
            tree = self._access.tree_of(reader, found[0].memory.project) if found else None
        if not found:
            return [], False
        path = Path(found[0].text.path)
        if not path.is_absolute():
            if tree is None:
                return found, False
            path = tree.root / path
        return found, path.parent.is_dir() and not os.path.lexists(path)

    def candidates(self, identifiers: Sequence[str]) -> dict[str, Row]:
        """Return the rows of candidates, missing ones left out."""
        from memtui.curate.lifecycle import oddities

        now = self._vault.now()
        with self._reading.read() as reader:
            found = reader.get_many(identifiers)
            odd = oddities(reader, list(found.values()), self._opening.secret_patterns)
        rows: dict[str, Row] = {}
        for identifier, memory in found.items():
            row = self._access.row(memory, now)
            values = {field.name: getattr(row, field.name) for field in fields(row)}
            rows[identifier] = Candidate(
                **values, source=source_line(memory.sources), oddities=tuple(map(tame, odd[identifier].words))
            )
        return rows

    def read(self, identifier: str) -> CandidateRead | None:
        """Return one candidate in full, None if it no longer exists."""
        from memtui.curate.lifecycle import oddities

        detail = self._access.detail(identifier)
        if detail is None:
            return None
        memory = detail.view.memory
        with self._reading.read() as reader:
            odd = oddities(reader, [memory], self._opening.secret_patterns)[memory.id]
        said = [f"Looks planted: it {reason}." for reason in odd.planted]
        if odd.secrets:
            said.append(f"Contains what looks like a secret: {', '.join(odd.secrets)}.")
        if odd.twins:
            said.append(f"The same text is in use already: {', '.join(odd.twins)}.")
        if memory.project is None:
            view = self._access.view
            where = view.project if view and view.stands_in else None
            said.append(f"Unassigned: {f'accepting assigns it to {where}' if where else 'P assigns a project'}.")
        return CandidateRead(detail, tuple(map(tame, said)))

    # -- deciding ---------------------------------------------------------------------------------

    def accept(self, identifiers: Sequence[str]) -> Done:
        """Take candidates into use; of several, those that need a closer look are skipped."""
        from memtui.curate.inbox import decide
        from memtui.curate.outcomes import SkipReason

        opening = self._opening
        opening.before_change()
        outcome = decide(self._vault, identifiers, actor=opening.actor, folder=opening.folder, project=opening.project)
        parts = [outcomes.acted("Accepted", outcome)]
        if any(each.reason is SkipReason.UNASSIGNED for each in outcome.skipped):
            parts.append("P assigns a project")
        if any(memory.project is None for memory in outcome.changed):
            parts.append("No payload includes it until it has a project")
        return Done(". ".join(parts), changed=bool(outcome.changed))

    def reject(self, identifiers: Sequence[str]) -> Done:
        """Reject candidates."""
        from memtui.curate import lifecycle

        reject = partial(lifecycle.reject, self._vault, identifiers, actor=self._opening.actor)
        return self._acts.change(reject, "Rejected")

    def change_kind(self, identifiers: Sequence[str], kind: str) -> Done:
        """Give candidates another kind."""
        from memtui.curate import lifecycle

        change = partial(lifecycle.change_kind, self._vault, identifiers, kind, actor=self._opening.actor)
        return self._acts.change(change, f"Now {kind}")

    def assign(self, identifiers: Sequence[str], project: str) -> Done:
        """Assign candidates to a project."""
        from memtui.curate import lifecycle

        assign = partial(lifecycle.assign, self._vault, identifiers, project, actor=self._opening.actor)
        return self._acts.change(assign, f"Now in {tame(project)}")


ODD = "!"
"""Sign of a candidate that should be read before it is accepted."""

_SOURCE_CELLS = 16
_MOST_ODD_CELLS = 24


class CandidateList(MemoryList):
    """The candidates."""

    def segments(self, row: Row | None, width: int, paint: Paint, *, current: bool, marked: bool) -> list[Segment]:
        """Return a candidate in that many cells."""
        edge = Cell((CURSOR_MARK if current else " ") + (MARKED if marked else " "), "pin", 2)
        if not isinstance(row, Candidate):
            return draw_cells([edge, Cell("  …", "dim")], width, paint)
        odd = ", ".join(row.oddities)
        cells = [
            edge,
            Cell(ODD if odd else " ", "due", 1, after=1),
            Cell(row.kind, "kind", KIND_CELLS, since=56, after=1),
            Cell(row.project, "dim", 12 if self.show_projects else 0, since=96, after=1),
            Cell(row.title, "base", after=1),
            Cell(odd, "due", min(_MOST_ODD_CELLS, len(odd)), since=44, before=1),
            Cell(_within(row.source, _SOURCE_CELLS), "dim", _SOURCE_CELLS, since=44, before=1),
        ]
        return draw_cells(cells, width, paint)


def _within(source: str, cells: int) -> str:
    """Return a source clipped in its name, so that its line number stays."""
    name, colon, line = source.rpartition(":")
    room = cells - cell_len(colon + line)
    return source if cell_len(source) <= cells or not name or room < 2 else clip(name, room) + colon + line  # noqa: PLR2004 - a letter and …


def candidate_blocks(read: CandidateRead) -> list[Block]:
    """Return a candidate in full, what is odd about it first."""
    odd = [Block(((f"{ODD} {text}", "warning"),)) for text in read.oddities]
    first, *rest = describe(read.detail)
    return [*odd, Block(first.pieces, first.label, gap=bool(odd)), *rest]


def conflict_words(number: int) -> str:
    """Return how many source conflicts there are, and the key that opens them."""
    return f"{counted(number, 'source conflict')} · d resolves"


def inbox_notice(waiting: Waiting) -> tuple[str, ...]:
    """Return what an empty inbox says: that it is empty, and how memories get here."""
    if waiting.ids:
        return ()
    other = [conflict_words(waiting.conflicts)] if waiting.conflicts else []
    if waiting.elsewhere:
        wait = counted(waiting.elsewhere, "candidate waits", "candidates wait")
        other.append(f"In other projects {wait}: memtui inbox list")
    return (
        "The inbox is empty.",
        *other,
        "",
        "What agents propose and what is imported from rule files waits",
        "here until you accept it; until then no payload includes it.",
        "",
        "memtui import .       from this project's rule files",
        "esc                   back to the list",
    )
