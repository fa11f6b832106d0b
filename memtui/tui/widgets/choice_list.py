"""A short list of rows in columns with a cursor: a name, a word on it, and what was chosen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.segment import Segment
from textual import events
from textual.geometry import Size
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip

from memtui.tui.cells import fit
from memtui.tui.widgets.cursor_list import CURSOR_MARK
from memtui.tui.widgets.moving import MovingView

_NAME_CELLS = 14
_NOTE_CELLS = 18
_NOTE_FROM = 48


@dataclass(frozen=True, slots=True)
class ChoiceRow:
    """One row."""

    name: str
    note: str
    choice: str


class ChoiceList(MovingView):
    """Rows, one of which is current."""

    ALLOW_SELECT = False
    COMPONENT_CLASSES = {"choice-list--cursor", "choice-list--dim", "choice-list--open"}  # noqa: RUF012 - Textual declares it as a class variable

    cursor: reactive[int] = reactive(0, init=False)

    class Moved(Message):
        """The cursor came to another row."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name for it
        super().__init__(id=id)
        self._rows: tuple[ChoiceRow, ...] = ()

    def show(self, rows: Sequence[ChoiceRow]) -> None:
        """Show these rows; the cursor stays."""
        self._rows = tuple(rows)
        self.virtual_size = Size(0, len(self._rows))
        self.refresh()

    def validate_cursor(self, cursor: int) -> int:
        """Keep the cursor within the list."""
        return max(0, min(cursor, len(self._rows) - 1))

    def watch_cursor(self) -> None:
        """Keep the cursor in sight."""
        self._reveal_cursor()
        self.refresh()
        self.post_message(self.Moved())

    def on_resize(self) -> None:
        """Keep the cursor in sight."""
        self._reveal_cursor()

    def _reveal_cursor(self) -> None:
        top = self.scroll_offset.y
        if self.cursor < top or self.cursor >= top + self.page:
            self.scroll_to(y=self.cursor if self.cursor < top else self.cursor - self.page + 1, animate=False)

    def move_by(self, lines: int) -> None:
        """Move the cursor by rows."""
        self.cursor = self.cursor + lines

    def move_to_end(self, *, last: bool) -> None:
        """Move the cursor to the first row, or the last."""
        self.cursor = len(self._rows) - 1 if last else 0

    def on_click(self, event: events.Click) -> None:
        """Bring the cursor to the row."""
        offset = event.get_content_offset(self)
        if offset is not None and self.scroll_offset.y + offset.y < len(self._rows):
            event.stop()
            self.cursor = self.scroll_offset.y + offset.y

    def render_line(self, y: int) -> Strip:
        """Return one line of the screen."""
        width = self.scrollable_content_region.width
        at = self.scroll_offset.y + y
        if at >= len(self._rows):
            return Strip.blank(width, self.rich_style)
        row, is_current = self._rows[at], at == self.cursor
        base = self.get_component_rich_style("choice-list--cursor") if is_current else self.rich_style
        dim = base.from_color(self.get_component_rich_style("choice-list--dim").color)
        is_open = row.choice.startswith("?")
        waiting = base.from_color(self.get_component_rich_style("choice-list--open").color)
        note = _NOTE_CELLS if width >= _NOTE_FROM else 0
        rest = max(1, width - _NAME_CELLS - note - 1)
        return Strip(
            [
                Segment(CURSOR_MARK if is_current else " ", base),
                Segment(fit(f" {row.name}", _NAME_CELLS), base),
                Segment(fit(row.note, note), base + dim),
                Segment(fit(row.choice, rest), base + waiting if is_open else base),
            ]
        ).adjust_cell_length(width, base)
