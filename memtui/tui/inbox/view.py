"""Candidates as lines of a list and in full, and what an empty inbox says."""

from __future__ import annotations

from rich.cells import cell_len
from rich.segment import Segment

from memtui.text.width import clip
from memtui.text.words import counted
from memtui.tui.inbox.queries import Candidate, CandidateRead, Waiting
from memtui.tui.memory_view import Block, describe
from memtui.tui.values import Row
from memtui.tui.widgets.lists import CURSOR_MARK, Cell, Paint, draw_cells
from memtui.tui.widgets.memory_list import KIND_CELLS, MARKED, MemoryList

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
