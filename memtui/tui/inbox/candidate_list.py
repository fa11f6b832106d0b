"""The list of candidates."""

from __future__ import annotations

from rich.cells import cell_len
from rich.segment import Segment
from textual.strip import Strip

from memtui.text.width import clip
from memtui.tui.inbox.queries import Candidate
from memtui.tui.text_layout import fit
from memtui.tui.values import Row
from memtui.tui.widgets.lists import CURSOR_MARK
from memtui.tui.widgets.memory_list import KIND_CELLS, MARKED, MemoryList

ODD = "!"
"""Sign of a candidate that should be read before it is accepted."""

_SOURCE_CELLS = 16
_PROJECT_CELLS = 12
_KIND_FROM = 56
_SOURCE_FROM = 44
_PROJECT_FROM = 96
_MOST_ODD_CELLS = 24


class CandidateList(MemoryList):
    """A window over candidates."""

    def render_line(self, y: int) -> Strip:
        """Return one line of the screen."""
        index = self.scroll_offset.y + y
        if index >= len(self.ids):
            return super().render_line(y)
        width = self.scrollable_content_region.width
        segments = self._cells(self.ids[index], index, width)
        return Strip(segments).adjust_cell_length(width, segments[0].style)

    def _cells(self, identifier: str, index: int, width: int) -> list[Segment]:
        paint = self._current_paint if index == self.cursor else self._row_paint
        marked = self.marks.holds(index, identifier)
        edge = Segment((CURSOR_MARK if index == self.cursor else " ") + (MARKED if marked else " "), paint["pin"])
        row: Row | None = self.row(identifier)
        if row is None:
            return [edge, Segment(fit("  …", max(1, width - 2)), paint["dim"])]
        odd = ", ".join(row.oddities) if isinstance(row, Candidate) else ""
        source = row.source if isinstance(row, Candidate) else ""
        kind = KIND_CELLS if width >= _KIND_FROM else 0
        from_cells = _SOURCE_CELLS if width >= _SOURCE_FROM else 0
        project = _PROJECT_CELLS if self.show_projects and width >= _PROJECT_FROM else 0
        odd_cells = min(_MOST_ODD_CELLS, len(odd)) if width >= _SOURCE_FROM else 0
        used = 5 + sum(cells + 1 for cells in (kind, from_cells, project, odd_cells) if cells)
        segments = [edge, Segment(f"{ODD if odd else ' '} ", paint["due"])]
        if kind:
            segments.append(Segment(fit(row.kind, kind) + " ", paint["kind"]))
        if project:
            segments.append(Segment(fit(row.project, project) + " ", paint["dim"]))
        segments.append(Segment(fit(row.title, max(1, width - used)) + " ", paint["base"]))
        if odd_cells:
            segments.append(Segment(" " + fit(odd, odd_cells), paint["due"]))
        if from_cells:
            segments.append(Segment(" " + fit(_within(source, from_cells), from_cells), paint["dim"]))
        return segments


def _within(source: str, cells: int) -> str:
    """Return a source cut in its name, so that its line stays."""
    name, colon, line = source.rpartition(":")
    room = cells - cell_len(colon + line)
    return source if cell_len(source) <= cells or not name or room < 2 else clip(name, room) + colon + line  # noqa: PLR2004 - a letter and …
