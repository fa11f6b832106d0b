"""A list of lines with a cursor: what the list of memories and the short lists share."""

from __future__ import annotations

from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.content import Content
from textual.geometry import Region
from textual.reactive import reactive
from textual.strip import Strip

from memtui.tui.cells import fit
from memtui.tui.widgets.moving import MovingView
from memtui.tui.wrapping import wrap

CURSOR_MARK = "▌"

Paint = dict[str, Style]
"""The style of each part of a line on a ground, and of the ground itself as `base`."""


class CursorList(MovingView):
    """Lines, one of them current; those that cannot be selected, such as headings, are passed over.

    Subclasses say how many lines there are, draw one in `render_line` with the paint that is mixed for it, and tell of
    the cursor in `cursor_moved` and `cursor_clicked`.
    """

    ALLOW_SELECT = False

    PREFIX: ClassVar[str]
    """Start of the names of its component classes; `cursor` is the ground of the current line."""

    PARTS: ClassVar[tuple[str, ...]]
    """Styles that a line may use beside the ground."""

    cursor: reactive[int] = reactive(0, init=False)
    """Index of the current line."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name for it
        super().__init__(id=id)
        self._notice: tuple[str, ...] = ()
        self._row_paint: Paint = {}
        self._current_paint: Paint = {}

    # -- what subclasses say ----------------------------------------------------------------------

    @property
    def count(self) -> int:
        """Lines in the list."""
        raise NotImplementedError

    def selectable(self, index: int) -> bool:
        """Return whether the cursor may stand on a line."""
        del index
        return True

    def cursor_moved(self) -> None:
        """Tell that the cursor came to another line."""

    def cursor_clicked(self, *, again: bool) -> None:
        """Answer a click on the line that is now current; `again` if it was so before."""

    # -- moving -----------------------------------------------------------------------------------

    def validate_cursor(self, cursor: int) -> int:
        """Keep the cursor within the list."""
        return max(0, min(cursor, self.count - 1))

    def move_by(self, lines: int) -> None:
        """Move the cursor by lines; headings do not stop it."""
        self.cursor = self.nearest(self.cursor + lines, 1 if lines > 0 else -1)

    def move_to_end(self, *, last: bool) -> None:
        """Move the cursor to the first line, or the last."""
        self.cursor = self.nearest(self.count - 1, -1) if last else self.nearest(0, 1)

    def nearest(self, index: int, step: int) -> int:
        """Return the selectable line at an index or the next one in a direction, else in the other."""
        index = max(0, min(index, self.count - 1))
        for direction in (step, -step):
            place = index
            while 0 <= place < self.count:
                if self.selectable(place):
                    return place
                place += direction
        return index

    def watch_cursor(self) -> None:
        """Follow the cursor."""
        self.reveal_cursor()
        self.refresh()
        self.cursor_moved()

    def on_resize(self) -> None:
        """Keep the cursor in sight."""
        self.reveal_cursor()

    def reveal_cursor(self) -> None:
        """Scroll as far as the cursor is in sight, with a heading right above it."""
        top, page = self.scroll_offset.y, self.page
        first = self.cursor - 1 if self.cursor > 0 and not self.selectable(self.cursor - 1) else self.cursor
        if first < top:
            self.scroll_to(y=first, animate=False)
        elif self.cursor >= top + page:
            self.scroll_to(y=self.cursor - page + 1, animate=False)

    def on_click(self, event: events.Click) -> None:
        """Bring the cursor to the line."""
        offset = event.get_content_offset(self)
        if offset is None:
            return
        index = self.scroll_offset.y + offset.y
        if index < self.count and self.selectable(index):
            event.stop()
            again = index == self.cursor
            self.cursor = index
            self.cursor_clicked(again=again)

    # -- drawing ----------------------------------------------------------------------------------

    def render_lines(self, crop: Region) -> list[Strip]:
        """Return lines of the screen; the styles are looked up once for all."""
        self._row_paint = self._paint(self.rich_style)
        self._current_paint = self._paint(self.get_component_rich_style(f"{self.PREFIX}--cursor"))
        return super().render_lines(crop)

    def _paint(self, base: Style) -> Paint:
        """Return the style of each part of a line on a ground."""
        found = {name: self.get_component_rich_style(f"{self.PREFIX}--{name}") for name in self.PARTS}
        parts = {name: base + Style(color=style.color, bold=style.bold or None) for name, style in found.items()}
        return {"base": base, **parts}

    def notice_line(self, y: int, width: int) -> Strip:
        """Return a line of what stands instead of an empty list."""
        # Two columns are kept free at either side.
        lines = [(part, place) for place, line in enumerate(self._notice) for part in wrap(line, max(1, width - 4))]
        top = max(0, (self.page - len(lines)) // 3)
        text, place = lines[y - top] if top <= y < top + len(lines) else ("", 1)
        return Strip([Segment(fit(f"  {text}", width), self._row_paint["dim" if place else "base"])])

    def set_title(self, title: str, count: str = "") -> None:
        """Write the pane's title and, at the bottom, its count."""
        self.border_title = Content(title)  # a plain str would be read as markup
        self.border_subtitle = Content(count)
