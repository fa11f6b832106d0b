"""Lists with a cursor."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Generic, TypeVar

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import BindingType
from textual.content import Content
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip

from memtui.text.words import clip_at_word, clip_path
from memtui.tui.actions import registry
from memtui.tui.actions.registry import PANE
from memtui.tui.styled_text import fit, wrap


class MovingView(ScrollView, can_focus=True):
    """A line-API pane that answers the keys for moving; subclasses say what a step is."""

    BINDINGS: ClassVar[list[BindingType]] = registry.bindings(PANE)

    def move_by(self, lines: int) -> None:
        """Move by lines, down if positive."""
        self.scroll_to(y=self.scroll_offset.y + lines, animate=False)

    def move_to_end(self, *, last: bool) -> None:
        """Move to the first line, or the last."""
        self.scroll_to(y=self.virtual_size.height if last else 0, animate=False)

    @property
    def page(self) -> int:
        return max(1, self.scrollable_content_region.height)

    def action_down(self) -> None:
        self.move_by(1)

    def action_up(self) -> None:
        self.move_by(-1)

    def action_half_down(self) -> None:
        self.move_by(max(1, self.page // 2))

    def action_half_up(self) -> None:
        self.move_by(-max(1, self.page // 2))

    def action_page_down(self) -> None:
        self.move_by(self.page)

    def action_page_up(self) -> None:
        self.move_by(-self.page)

    def action_first(self) -> None:
        self.move_to_end(last=False)

    def action_last(self) -> None:
        self.move_to_end(last=True)


READING = "reading …"
CURSOR_MARK = "▌"
RESTING_MARK = "▏"  # Of the current line while the keys go elsewhere
STEERED = "-steered"  # Class of a list whose cursor the keys of a line beside it move
_DOUBLE = 2  # Clicks in a row that open a line

Paint = dict[str, Style]  # The style of each part of a line on a ground, and of the ground itself as `base`


class CursorList(MovingView):
    """Lines, one of them current; those that cannot be selected, such as headings, are passed over.

    Subclasses say how many lines there are, draw one in `render_line` with the paint that is mixed for it, and tell of
    the cursor in `cursor_moved` and `cursor_clicked`.
    """

    ALLOW_SELECT = False

    PREFIX: ClassVar[str]  # Start of the names of its component classes; `cursor` is the ground of the current line
    PARTS: ClassVar[tuple[str, ...]]  # Styles that a line may use beside the ground
    cursor: reactive[int] = reactive(0, init=False)  # Index of the current line
    head_lines = 0  # Lines over the list that stay where they are

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name for it
        super().__init__(id=id)
        self._notice: tuple[str, ...] = ()
        self._row_paint: Paint = {}
        self._current_paint: Paint = {}

    # -- what subclasses say ----------------------------------------------------------------------

    @property
    def count(self) -> int:
        raise NotImplementedError

    def selectable(self, index: int) -> bool:
        """Return whether the cursor may stand on a line."""
        del index
        return True

    def cursor_moved(self) -> None:
        """Tell that the cursor came to another line."""

    def cursor_clicked(self, *, again: bool) -> None:
        """Answer a click on the line that is now current; `again` if it is the second of a double click."""

    def head_clicked(self, x: int) -> None:
        """Answer a click on a line over the list, so many cells from its left."""

    def edge(self, *, is_current: bool) -> str:
        """Return the sign at the beginning of a line: whether it is the current one, and the keys move the cursor."""
        is_moved = self.has_focus or self.has_class(STEERED)
        return (CURSOR_MARK if is_moved else RESTING_MARK) if is_current else " "

    # -- moving -----------------------------------------------------------------------------------

    @property
    def page(self) -> int:
        return max(1, super().page - self.head_lines)

    def validate_cursor(self, cursor: int) -> int:
        return max(0, min(cursor, self.count - 1))

    def move_by(self, lines: int) -> None:
        """Move the cursor by lines; headings do not stop it, and what stands behind the last line is scrolled to."""
        to = self.nearest(self.cursor + lines, 1 if lines > 0 else -1)
        is_past = self.scroll_offset.y > self.cursor
        if (lines > 0 and to <= self.cursor) or (lines < 0 and is_past):
            self.scroll_to(y=min(self.scroll_offset.y + lines, self.count - self.page), animate=False)
        else:
            self.cursor = to

    def move_to_end(self, *, last: bool) -> None:
        """Move the cursor to the first line, or the last, with what stands before or behind it in sight."""
        self.cursor = self.nearest(self.count - 1, -1) if last else self.nearest(0, 1)
        if self.count and not self.selectable(self.count - 1 if last else 0):
            self.scroll_to(y=self.count - self.page if last else 0, animate=False)

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
        self.reveal_cursor()
        self.refresh()
        self.cursor_moved()

    def on_resize(self) -> None:
        self.reveal_cursor()

    def say_reading(self) -> None:
        """Say of an empty list that it is read: what it said may be true no longer."""
        if not self.count:
            self._notice = (READING,)
            self.refresh()

    def reveal_cursor(self) -> None:
        """Scroll as far as the cursor is in sight, with a heading right above it."""
        top, page = self.scroll_offset.y, self.page
        first = self.cursor - 1 if self.cursor > 0 and not self.selectable(self.cursor - 1) else self.cursor
        # A list that was short until now has no bar yet, without which Textual refuses to scroll unless it must.
        if first < top:
            self.scroll_to(y=first, animate=False, force=True)
        elif self.cursor >= top + page:
            self.scroll_to(y=self.cursor - page + 1, animate=False, force=True)

    def on_click(self, event: events.Click) -> None:
        offset = event.get_content_offset(self)
        if offset is None:
            return
        index = self.scroll_offset.y + offset.y - self.head_lines
        if offset.y < self.head_lines:
            event.stop()
            self.head_clicked(offset.x)
        elif index < self.count and self.selectable(index):
            event.stop()
            self.cursor = index
            self.cursor_clicked(again=event.chain == _DOUBLE)

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


ListT = TypeVar("ListT", bound=CursorList)


@dataclass
class ListMessage(Message, Generic[ListT]):
    """What a list tells its screen."""

    NEWEST_COUNTS: ClassVar[bool] = True  # Whether the newest of a burst stands for all

    list: ListT

    @property
    def control(self) -> ListT:
        return self.list

    def can_replace(self, message: Message) -> bool:
        return self.NEWEST_COUNTS and type(message) is type(self) and message.list is self.list


PARTS = ("kind", "dim", "bar", "mark", "warning", "good", "heading")  # Styles that a line may use beside the ground


class PickList(CursorList):
    """Lines drawn by the subclass, one of them current.

    Subclasses keep what they list, say by `count` how many lines there are, draw one with `segments`, and call
    `rows_changed` after a change.
    """

    PREFIX = "pick-list"
    PARTS = PARTS
    COMPONENT_CLASSES = {"pick-list--cursor", *(f"pick-list--{part}" for part in PARTS)}  # noqa: RUF012 - Textual declares it as a class variable

    @dataclass
    class Highlighted(ListMessage["PickList"]):
        """The cursor came to another line, or the lines changed under it."""

    @dataclass
    class Chosen(ListMessage["PickList"]):
        """A line was double-clicked."""

        NEWEST_COUNTS = False

    def segments(self, index: int, width: int, paint: Paint) -> list[Segment]:
        """Return a line after its edge, in that many cells."""
        raise NotImplementedError

    def rows_changed(self, cursor: int | None, notice: Sequence[str] = ()) -> None:
        """Draw other lines.

        `cursor`: the line to stand on; None keeps the place. `notice`: lines to show instead of an empty list.
        """
        self._notice = tuple(notice)
        self.virtual_size = Size(0, self.count)
        self.set_reactive(PickList.cursor, self.nearest(self.cursor if cursor is None else cursor, 1))
        self.reveal_cursor()
        self.refresh()
        self.cursor_moved()

    def cursor_moved(self) -> None:
        """Tell that the cursor came to another line."""
        self.post_message(self.Highlighted(self))

    def cursor_clicked(self, *, again: bool) -> None:
        """Tell that a line was double-clicked."""
        if again:
            self.post_message(self.Chosen(self))

    def render_line(self, y: int) -> Strip:
        width = self.scrollable_content_region.width
        index = self.scroll_offset.y + y
        if not self.count:
            return self.notice_line(y, width)
        if index >= self.count:
            return Strip.blank(width, self._row_paint["base"])
        is_current = index == self.cursor and self.selectable(index)
        paint = self._current_paint if is_current else self._row_paint
        edge = Segment(self.edge(is_current=is_current), paint["mark"])
        # A column is left free at either side: at the left for the edge, at the right for the eye.
        return Strip([edge, *self.segments(index, max(1, width - 2), paint)]).adjust_cell_length(width, paint["base"])


@dataclass(frozen=True, slots=True)
class Cell:
    """Part of a row.

    Attributes:
        before, after: spaces beside it, not counted in its width.
        at_word: whether it is cut after a whole word, as a sentence is.
        is_path: whether it is cut as a path, at its beginning.
    """

    text: str
    style: str  # one of `PARTS`, or `base`
    cells: int | None = None  # its width, 0 to leave it out; None for the room that the others leave
    since: int = 0  # width of the row from which it is shown
    right: bool = False
    before: int = 0
    after: int = 0
    at_word: bool = False
    is_path: bool = False
    snug: bool = False  # whether it is no wider than the widest text of its column in the list


def draw_cells(row: Iterable[Cell], width: int, paint: Paint) -> list[Segment]:
    shown = [cell for cell in row if width >= cell.since and cell.cells != 0]
    room = room_left(shown, width)
    return [
        Segment(
            " " * cell.before + fit(_cut(cell, room), cell.cells or room, right=cell.right) + " " * cell.after,
            paint[cell.style],
        )
        for cell in shown
    ]


def room_left(row: Iterable[Cell], width: int) -> int:
    """Return the width that the cells of a row leave to the one without a width of its own."""
    shown = [cell for cell in row if width >= cell.since and cell.cells != 0]
    return max(1, width - sum((cell.cells or 0) + cell.before + cell.after for cell in shown))


def _cut(cell: Cell, room: int) -> str:
    if cell.is_path:
        return clip_path(cell.text, cell.cells or room)
    return clip_at_word(cell.text, cell.cells or room) if cell.at_word else cell.text
