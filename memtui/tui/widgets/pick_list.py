"""A list of lines with a cursor: what the lists of Context, History and Import share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.content import Content
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip

from memtui.tui.cells import fit
from memtui.tui.widgets.moving import MovingView

CURSOR_MARK = "▌"

PARTS = ("kind", "dim", "bar", "mark", "warning", "good", "heading")
"""Styles that a line may use beside the ground."""

Paint = dict[str, Style]


class PickList(MovingView):
    """Lines drawn by the subclass, one of them current; headings among them are passed over.

    Subclasses keep what they list, say by `count` how many lines there are, draw one with `segments`, and call
    `rows_changed` after a change.
    """

    ALLOW_SELECT = False
    COMPONENT_CLASSES = {"pick-list--cursor", *(f"pick-list--{part}" for part in PARTS)}  # noqa: RUF012 - Textual declares it as a class variable

    cursor: reactive[int] = reactive(0, init=False)
    """Index of the current line."""

    @dataclass
    class Highlighted(Message):
        """The cursor came to another line, or the lines changed under it."""

        list: PickList

        @property
        def control(self) -> PickList:
            """The list."""
            return self.list

        def can_replace(self, message: Message) -> bool:
            """Let the newest of a burst stand for all."""
            return isinstance(message, PickList.Highlighted) and message.list is self.list

    @dataclass
    class Chosen(Message):
        """A line was clicked that was current already."""

        list: PickList

        @property
        def control(self) -> PickList:
            """The list."""
            return self.list

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

    def segments(self, index: int, width: int, paint: Paint) -> list[Segment]:
        """Return a line after its edge, in that many cells."""
        raise NotImplementedError

    # -- content ----------------------------------------------------------------------------------

    def rows_changed(self, cursor: int | None, notice: Sequence[str] = ()) -> None:
        """Draw other lines.

        Args:
            cursor: the line to stand on; None keeps the place.
            notice: lines to show instead of an empty list.
        """
        self._notice = tuple(notice)
        self.virtual_size = Size(0, self.count)
        self.set_reactive(PickList.cursor, self._nearest(self.cursor if cursor is None else cursor, 1))
        self._reveal_cursor()
        self.refresh()
        self.post_message(self.Highlighted(self))

    @property
    def has_current(self) -> bool:
        """Whether the cursor stands on a line."""
        return self.cursor < self.count and self.selectable(self.cursor)

    def set_title(self, title: str, count: str = "") -> None:
        """Write the pane's title and, at the bottom, its count."""
        self.border_title = Content(title)  # a plain str would be read as markup
        self.border_subtitle = Content(count)

    # -- moving -----------------------------------------------------------------------------------

    def move_by(self, lines: int) -> None:
        """Move the cursor by lines; headings do not stop it."""
        self.cursor = self._nearest(self.cursor + lines, 1 if lines > 0 else -1)

    def move_to_end(self, *, last: bool) -> None:
        """Move the cursor to the first line, or the last."""
        self.cursor = self._nearest(self.count - 1, -1) if last else self._nearest(0, 1)

    def _nearest(self, index: int, step: int) -> int:
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
        self._reveal_cursor()
        self.refresh()
        self.post_message(self.Highlighted(self))

    def on_resize(self) -> None:
        """Keep the cursor in sight."""
        self._reveal_cursor()

    def _reveal_cursor(self) -> None:
        top, page = self.scroll_offset.y, self.page
        # A heading right above the first line it heads comes into sight with it.
        first = self.cursor - 1 if self.cursor > 0 and not self.selectable(self.cursor - 1) else self.cursor
        if first < top:
            self.scroll_to(y=first, animate=False)
        elif self.cursor >= top + page:
            self.scroll_to(y=self.cursor - page + 1, animate=False)

    def on_click(self, event: events.Click) -> None:
        """Bring the cursor to the line; a click on the current line chooses it."""
        offset = event.get_content_offset(self)
        if offset is None:
            return
        index = self.scroll_offset.y + offset.y
        if index < self.count and self.selectable(index):
            event.stop()
            if index == self.cursor:
                self.post_message(self.Chosen(self))
            self.cursor = index

    # -- drawing ----------------------------------------------------------------------------------

    def render_lines(self, crop: Region) -> list[Strip]:
        """Return lines of the screen; the styles are looked up once for all."""
        self._row_paint = self._paint(self.rich_style)
        self._current_paint = self._paint(self.get_component_rich_style("pick-list--cursor"))
        return super().render_lines(crop)

    def render_line(self, y: int) -> Strip:
        """Return one line of the screen."""
        width = self.scrollable_content_region.width
        index = self.scroll_offset.y + y
        if not self.count:
            return self._notice_line(y, width)
        if index >= self.count:
            return Strip.blank(width, self._row_paint["base"])
        is_current = index == self.cursor and self.selectable(index)
        paint = self._current_paint if is_current else self._row_paint
        edge = Segment(CURSOR_MARK if is_current else " ", paint["mark"])
        return Strip([edge, *self.segments(index, max(1, width - 1), paint)]).adjust_cell_length(width, paint["base"])

    def _paint(self, base: Style) -> Paint:
        """Return the style of each part of a line on a ground."""
        parts = {name: self.get_component_rich_style(f"pick-list--{name}") for name in PARTS}
        return {
            "base": base,
            **{name: base + Style(color=found.color, bold=found.bold or None) for name, found in parts.items()},
        }

    def _notice_line(self, y: int, width: int) -> Strip:
        top = max(0, (self.page - len(self._notice)) // 3)
        text = self._notice[y - top] if top <= y < top + len(self._notice) else ""
        return Strip([Segment(fit(f"  {text}", width), self._row_paint["base" if y == top else "dim"])])
