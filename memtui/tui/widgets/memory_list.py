"""The list of memories: ids of all, rows of those in sight, one line each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.content import Content
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip

from memtui.tui.access import Row
from memtui.tui.cells import fit
from memtui.tui.widgets.marks import Marks
from memtui.tui.widgets.memory_row import PARTS, Columns, row_segments
from memtui.tui.widgets.moving import MovingView

PAGE_ROWS = 100
"""Rows fetched at a time."""

MOST_ROWS = 2_000
"""Rows kept in memory; beyond, those out of sight are dropped."""


class MemoryList(MovingView):
    """A window over ids. It asks for the rows that come into sight and shows placeholders until they arrive."""

    ALLOW_SELECT = False
    COMPONENT_CLASSES = {"memory-list--cursor", *(f"memory-list--{part}" for part in PARTS)}  # noqa: RUF012 - Textual declares it as a class variable

    cursor: reactive[int] = reactive(0, init=False)
    """Index of the current row."""

    @dataclass
    class RowsWanted(Message):
        """Rows came into sight that are not here yet."""

        list: MemoryList
        ids: tuple[str, ...]

        @property
        def control(self) -> MemoryList:
            """The list."""
            return self.list

        def can_replace(self, message: Message) -> bool:
            """Let the newest of a burst stand for all."""
            return isinstance(message, MemoryList.RowsWanted)

    @dataclass
    class Highlighted(Message):
        """The cursor came to a memory, or to none."""

        list: MemoryList
        id: str | None

        @property
        def control(self) -> MemoryList:
            """The list."""
            return self.list

        def can_replace(self, message: Message) -> bool:
            """Let the newest of a burst stand for all."""
            return isinstance(message, MemoryList.Highlighted)

    @dataclass
    class Marked(Message):
        """Other rows are marked than before."""

        list: MemoryList

        @property
        def control(self) -> MemoryList:
            """The list."""
            return self.list

        def can_replace(self, message: Message) -> bool:
            """Let the newest of a burst stand for all."""
            return isinstance(message, MemoryList.Marked)

    @dataclass
    class Chosen(Message):
        """A row was clicked that was current already."""

        list: MemoryList

        @property
        def control(self) -> MemoryList:
            """The list."""
            return self.list

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name for it
        super().__init__(id=id)
        self.ids: tuple[str, ...] = ()
        self.show_projects = False
        self.marks = Marks()
        self.was_moved = False
        """Whether the person moved the cursor since `rest_on_top`."""
        self._rows: dict[str, Row] = {}
        self._notice: tuple[str, ...] = ()
        self._row_paint: dict[str, Style] = {}
        self._current_paint: dict[str, Style] = {}

    # -- content ----------------------------------------------------------------------------------

    @property
    def current(self) -> str | None:
        """The id under the cursor, None in an empty list."""
        return self.ids[self.cursor] if self.cursor < len(self.ids) else None

    @property
    def current_row(self) -> Row | None:
        """The row under the cursor, None where it is not here yet."""
        return self._rows.get(self.current or "")

    def show(self, ids: Sequence[str], *, follow: str | None, fresh: bool, notice: Sequence[str] = ()) -> None:
        """Show these ids.

        Args:
            ids: in order.
            follow: the id that the cursor stays on; where it is gone, the cursor keeps its place.
            fresh: whether rows read before may be out of date.
            notice: lines to show instead of an empty list.
        """
        self.marks.keep_range(self.ids)
        self.ids = tuple(ids)
        self._notice = tuple(notice)
        try:
            position = self.cursor if follow is None else self.ids.index(follow)
        except ValueError:
            position = self.cursor
        self.virtual_size = Size(0, len(self.ids))
        self.set_reactive(MemoryList.cursor, max(0, min(position, len(self.ids) - 1)))
        self._reveal_cursor()
        if fresh:
            self._keep_only(self._in_sight())
        self.refresh()
        self._ask(again=fresh)
        self.post_message(self.Highlighted(self, self.current))

    def put_rows(self, rows: Mapping[str, Row]) -> None:
        """Take rows that arrived."""
        self._rows.update(rows)
        if len(self._rows) > MOST_ROWS:
            self._keep_only(self._in_sight(margin=PAGE_ROWS))
        self.refresh()

    def _keep_only(self, identifiers: Iterable[str]) -> None:
        self._rows = {identifier: self._rows[identifier] for identifier in identifiers if identifier in self._rows}

    def take_out(self, identifiers: Iterable[str]) -> None:
        """Drop rows at once; the cursor stays, or comes to the next row that does."""
        going = set(identifiers)
        following = (identifier for identifier in self.ids[self.cursor :] if identifier not in going)
        follow = next(following, None)
        rest = tuple(identifier for identifier in self.ids if identifier not in going)
        self.marks.discard(going)
        self.show(rest, follow=follow, fresh=False, notice=self._notice)
        self.post_message(self.Marked(self))

    def mark_pinned(self, identifiers: Iterable[str], *, pinned: bool) -> None:
        """Show rows as pinned or not at once."""
        known = {identifier: self._rows[identifier] for identifier in identifiers if identifier in self._rows}
        self.put_rows({identifier: replace(row, pinned=pinned) for identifier, row in known.items()})

    def row(self, identifier: str) -> Row | None:
        """Return a row that was in sight."""
        return self._rows.get(identifier)

    # -- marks ------------------------------------------------------------------------------------

    @property
    def marked(self) -> list[str]:
        """What is marked and listed, in the list's order."""
        return self.marks.listed(self.ids)

    def mark_current(self) -> None:
        """Mark the current row or unmark it, and go on to the next; ends a range."""
        if self.current is None:
            return
        if self.marks.drawing:
            self.marks.keep_range(self.ids)
        else:
            self.marks.toggle(self.current)
            self.cursor += 1
        self._marked_anew()

    def mark_range(self) -> None:
        """Begin a range at the cursor, or end the one that is drawn."""
        if self.marks.drawing:
            self.marks.keep_range(self.ids)
        elif self.ids:
            self.marks.start(self.cursor)
        self._marked_anew()

    def mark_all(self) -> None:
        """Mark all that are listed, or none."""
        self.marks.mark_all(self.ids)
        self._marked_anew()

    def unmark(self) -> None:
        """Unmark all, listed or not; a range that is being drawn is given up first."""
        if self.marks.drawing:
            self.marks.drop_range()
        else:
            self.marks.clear()
        self._marked_anew()

    def _marked_anew(self) -> None:
        self.refresh()
        self.post_message(self.Marked(self))

    def _in_sight(self, margin: int = 0) -> Iterable[str]:
        top = self.scroll_offset.y
        return self.ids[max(0, top - margin) : top + self.page + margin]

    def _ask(self, *, again: bool = False) -> None:
        """Ask for the pages in sight, unless all their rows are here."""
        if not self.ids:
            return
        if again or any(identifier not in self._rows for identifier in self._in_sight()):
            top = self.scroll_offset.y
            first = top // PAGE_ROWS * PAGE_ROWS
            last = -(-(top + self.page) // PAGE_ROWS) * PAGE_ROWS
            wanted = self.ids[first:last]
            if not again:
                wanted = tuple(identifier for identifier in wanted if identifier not in self._rows)
            self.post_message(self.RowsWanted(self, wanted))

    # -- moving -----------------------------------------------------------------------------------

    def move_by(self, lines: int) -> None:
        """Move the cursor by rows."""
        self.cursor = self.cursor + lines

    def move_to_end(self, *, last: bool) -> None:
        """Move the cursor to the first row, or the last."""
        self.cursor = len(self.ids) - 1 if last else 0

    def rest_on_top(self) -> None:
        """Let what comes next put the cursor on its first row, until the person moves it."""
        self.was_moved = False

    def go_to(self, identifier: str) -> bool:
        """Bring the cursor to a memory; False if it is not listed."""
        try:
            self.cursor = self.ids.index(identifier)
        except ValueError:
            return False
        return True

    def validate_cursor(self, cursor: int) -> int:
        """Keep the cursor within the list."""
        return max(0, min(cursor, len(self.ids) - 1))

    def watch_cursor(self) -> None:
        """Follow the cursor."""
        self.was_moved = True
        if self.marks.drawing:
            self.marks.stretch(self.cursor)
            self.post_message(self.Marked(self))
        self._reveal_cursor()
        self.refresh()
        self.post_message(self.Highlighted(self, self.current))

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Ask for the rows that come into sight."""
        super().watch_scroll_y(old_value, new_value)
        if round(old_value) != round(new_value):
            self._ask()

    def on_resize(self) -> None:
        """Keep the cursor in sight, and ask for the rows that came into it."""
        self._reveal_cursor()
        self._ask()

    def _reveal_cursor(self) -> None:
        top, page = self.scroll_offset.y, self.page
        if self.cursor < top:
            self.scroll_to(y=self.cursor, animate=False)
        elif self.cursor >= top + page:
            self.scroll_to(y=self.cursor - page + 1, animate=False)

    def on_click(self, event: events.Click) -> None:
        """Bring the cursor to the row; a click on the current row reads it."""
        offset = event.get_content_offset(self)
        if offset is None:
            return
        index = self.scroll_offset.y + offset.y
        if index < len(self.ids):
            event.stop()
            if index == self.cursor:
                self.post_message(self.Chosen(self))
            self.cursor = index

    # -- drawing ----------------------------------------------------------------------------------

    def render_lines(self, crop: Region) -> list[Strip]:
        """Return lines of the screen; the styles are looked up once for all."""
        self._row_paint = self._paint(self.rich_style)
        self._current_paint = self._paint(self.get_component_rich_style("memory-list--cursor"))
        return super().render_lines(crop)

    def render_line(self, y: int) -> Strip:
        """Return one line of the screen."""
        width = self.scrollable_content_region.width
        index = self.scroll_offset.y + y
        if not self.ids:
            return self._notice_line(y, width)
        if index >= len(self.ids):
            return Strip.blank(width, self._row_paint["base"])
        is_current = index == self.cursor
        row = self._rows.get(self.ids[index])
        columns = Columns.within(width, projects=self.show_projects)
        segments = row_segments(
            row,
            columns,
            self._current_paint if is_current else self._row_paint,
            current=is_current,
            marked=self.marks.holds(index, self.ids[index]),
        )
        return Strip(segments).adjust_cell_length(width, segments[0].style)

    def _paint(self, base: Style) -> dict[str, Style]:
        """Return the style of each part of a row on a ground."""
        parts = {name: self.get_component_rich_style(f"memory-list--{name}").color for name in PARTS}
        return {"base": base, **{name: base + Style(color=color) for name, color in parts.items()}}

    def _notice_line(self, y: int, width: int) -> Strip:
        top = max(0, (self.page - len(self._notice)) // 3)
        text = self._notice[y - top] if top <= y < top + len(self._notice) else ""
        return Strip([Segment(fit(f"  {text}", width), self._row_paint["base" if y == top else "dim"])])

    def set_title(self, title: str, count: str) -> None:
        """Write the pane's title and, at the bottom, its count."""
        self.border_title = Content(title)  # a plain str would be read as markup
        self.border_subtitle = Content(count)
