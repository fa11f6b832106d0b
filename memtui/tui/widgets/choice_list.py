"""A list of fields, each with the choice that was made for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from rich.segment import Segment
from textual.geometry import Size
from textual.message import Message
from textual.strip import Strip

from memtui.tui.styled_text import fit
from memtui.tui.widgets.lists import CursorList

_NAME_CELLS = 14
_NOTE_CELLS = 18
_NOTE_FROM = 48


@dataclass(frozen=True, slots=True)
class ChoiceRow:
    """One row."""

    name: str
    note: str
    choice: str


class ChoiceList(CursorList):
    """Rows of a name, a note and a choice; a choice that is still open begins with `?`."""

    PREFIX = "choice-list"
    PARTS = ("dim", "open")
    COMPONENT_CLASSES = {"choice-list--cursor", "choice-list--dim", "choice-list--open"}  # noqa: RUF012 - Textual declares it as a class variable

    class Moved(Message):
        """The cursor came to another row."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name for it
        super().__init__(id=id)
        self._rows: tuple[ChoiceRow, ...] = ()
        self._note_cells = 0

    @property
    def count(self) -> int:
        return len(self._rows)

    def show(self, rows: Sequence[ChoiceRow]) -> None:
        """Show these rows; the cursor stays."""
        self._rows = tuple(rows)
        self._note_cells = min(_NOTE_CELLS, 2 + max((cell_len(row.note) for row in self._rows), default=0))
        self.virtual_size = Size(0, len(self._rows))
        self.refresh()

    def cursor_moved(self) -> None:
        """Tell that the cursor came to another row."""
        self.post_message(self.Moved())

    def render_line(self, y: int) -> Strip:
        width = self.scrollable_content_region.width
        at = self.scroll_offset.y + y
        if at >= len(self._rows):
            return Strip.blank(width, self._row_paint["base"])
        row, is_current = self._rows[at], at == self.cursor
        paint = self._current_paint if is_current else self._row_paint
        note = self._note_cells if width >= _NOTE_FROM else 0
        rest = max(1, width - _NAME_CELLS - note - 1)
        return Strip(
            [
                Segment(self.edge(is_current=is_current), paint["base"]),
                Segment(fit(f" {row.name}", _NAME_CELLS), paint["base"]),
                Segment(fit(row.note, note), paint["dim"]),
                Segment(fit(row.choice, rest), paint["open" if row.choice.startswith("?") else "base"]),
            ]
        ).adjust_cell_length(width, paint["base"])
