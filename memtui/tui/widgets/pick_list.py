"""A list of lines with a cursor: what the lists of Context, History and Import share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.segment import Segment
from textual.geometry import Size
from textual.message import Message
from textual.strip import Strip

from memtui.tui.widgets.cursor_list import CURSOR_MARK, CursorList, Paint

__all__ = ["CURSOR_MARK", "PARTS", "Paint", "PickList"]

PARTS = ("kind", "dim", "bar", "mark", "warning", "good", "heading")
"""Styles that a line may use beside the ground."""


class PickList(CursorList):
    """Lines drawn by the subclass, one of them current.

    Subclasses keep what they list, say by `count` how many lines there are, draw one with `segments`, and call
    `rows_changed` after a change.
    """

    PREFIX = "pick-list"
    PARTS = PARTS
    COMPONENT_CLASSES = {"pick-list--cursor", *(f"pick-list--{part}" for part in PARTS)}  # noqa: RUF012 - Textual declares it as a class variable

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

    def segments(self, index: int, width: int, paint: Paint) -> list[Segment]:
        """Return a line after its edge, in that many cells."""
        raise NotImplementedError

    def rows_changed(self, cursor: int | None, notice: Sequence[str] = ()) -> None:
        """Draw other lines.

        Args:
            cursor: the line to stand on; None keeps the place.
            notice: lines to show instead of an empty list.
        """
        self._notice = tuple(notice)
        self.virtual_size = Size(0, self.count)
        self.set_reactive(PickList.cursor, self.nearest(self.cursor if cursor is None else cursor, 1))
        self.reveal_cursor()
        self.refresh()
        self.cursor_moved()

    @property
    def has_current(self) -> bool:
        """Whether the cursor stands on a line."""
        return self.cursor < self.count and self.selectable(self.cursor)

    def cursor_moved(self) -> None:
        """Tell that the cursor came to another line."""
        self.post_message(self.Highlighted(self))

    def cursor_clicked(self, *, again: bool) -> None:
        """Tell that a line was clicked that was current already."""
        if again:
            self.post_message(self.Chosen(self))

    def render_line(self, y: int) -> Strip:
        """Return one line of the screen."""
        width = self.scrollable_content_region.width
        index = self.scroll_offset.y + y
        if not self.count:
            return self.notice_line(y, width)
        if index >= self.count:
            return Strip.blank(width, self._row_paint["base"])
        is_current = index == self.cursor and self.selectable(index)
        paint = self._current_paint if is_current else self._row_paint
        edge = Segment(CURSOR_MARK if is_current else " ", paint["mark"])
        return Strip([edge, *self.segments(index, max(1, width - 1), paint)]).adjust_cell_length(width, paint["base"])
