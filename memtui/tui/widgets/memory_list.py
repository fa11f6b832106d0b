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
from memtui.tui.widgets.moving import MovingView
from memtui.tui.wording import AGE_CELLS, BAR_CELLS, MARK_DUE, MARK_PINNED, freshness_bar, short_age

PAGE_ROWS = 100
"""Rows fetched at a time."""

MOST_ROWS = 2_000
"""Rows kept in memory; beyond, those out of sight are dropped."""

KIND_CELLS = 12
PROJECT_CELLS = 14
CURSOR_MARK = "▌"

_KIND_FROM = 56
_PROJECT_FROM = 100
_BAR_FROM = 36
_TITLE_GAP = 2
_PARTS = ("kind", "dim", "bar", "due-bar", "pin", "due")


@dataclass(frozen=True, slots=True)
class Columns:
    """Cells of each column for a width; 0 leaves one out."""

    kind: int
    project: int
    title: int
    bar: int
    age: int

    @classmethod
    def within(cls, cells: int, *, projects: bool) -> Columns:
        """Return the columns that fit a line of so many cells."""
        kind = KIND_CELLS if cells >= _KIND_FROM else 0
        project = PROJECT_CELLS if projects and cells >= _PROJECT_FROM else 0
        bar, age = (BAR_CELLS, AGE_CELLS) if cells >= _BAR_FROM else (0, 0)
        used = 3 + sum(width + 1 for width in (kind, project, bar, age) if width) + _TITLE_GAP
        return cls(kind, project, max(1, cells - used), bar, age)


class MemoryList(MovingView):
    """A window over ids. It asks for the rows that come into sight and shows placeholders until they arrive."""

    ALLOW_SELECT = False
    COMPONENT_CLASSES = {"memory-list--cursor", *(f"memory-list--{part}" for part in _PARTS)}  # noqa: RUF012 - Textual declares it as a class variable

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
        self.ids = tuple(ids)
        self._notice = tuple(notice)
        position = self.ids.index(follow) if follow in self.ids else self.cursor
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

    def take_out(self, identifier: str) -> None:
        """Drop one row at once; the cursor comes to the next."""
        rest = tuple(other for other in self.ids if other != identifier)
        self.show(rest, follow=None, fresh=False, notice=self._notice)

    def mark_pinned(self, identifier: str, *, pinned: bool) -> None:
        """Show a row as pinned or not at once."""
        row = self._rows.get(identifier)
        if row is not None:
            self.put_rows({identifier: replace(row, pinned=pinned)})

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

    def validate_cursor(self, cursor: int) -> int:
        """Keep the cursor within the list."""
        return max(0, min(cursor, len(self.ids) - 1))

    def watch_cursor(self) -> None:
        """Follow the cursor."""
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
        segments = self._segments(row, Columns.within(width, projects=self.show_projects), current=is_current)
        return Strip(segments).adjust_cell_length(width, segments[0].style)

    def _paint(self, base: Style) -> dict[str, Style]:
        """Return the style of each part of a row on a ground."""
        parts = {name: self.get_component_rich_style(f"memory-list--{name}").color for name in _PARTS}
        return {"base": base, **{name: base + Style(color=color) for name, color in parts.items()}}

    def _segments(self, row: Row | None, columns: Columns, *, current: bool) -> list[Segment]:
        paint = self._current_paint if current else self._row_paint
        edge = Segment(CURSOR_MARK if current else " ", paint["pin"])
        if row is None:
            return [edge, Segment(fit("  …", columns.title), paint["dim"])]
        mark = MARK_PINNED if row.pinned else MARK_DUE if row.due else " "
        segments = [edge, Segment(f"{mark} ", paint["due" if row.due and not row.pinned else "pin"])]
        if columns.kind:
            segments.append(Segment(fit(row.kind, columns.kind) + " ", paint["kind"]))
        if columns.project:
            segments.append(Segment(fit(row.project, columns.project) + " ", paint["dim"]))
        segments.append(Segment(fit(row.title, columns.title) + " " * _TITLE_GAP, paint["base"]))
        if columns.bar:
            bar = freshness_bar(row.freshness, columns.bar)
            segments.append(Segment(bar + " ", paint["due-bar" if row.due else "bar"]))
            segments.append(Segment(fit(short_age(row.age_days), columns.age, right=True) + " ", paint["dim"]))
        return segments

    def _notice_line(self, y: int, width: int) -> Strip:
        top = max(0, (self.page - len(self._notice)) // 3)
        text = self._notice[y - top] if top <= y < top + len(self._notice) else ""
        return Strip([Segment(fit(f"  {text}", width), self._row_paint["base" if y == top else "dim"])])

    def set_title(self, title: str, count: str) -> None:
        """Write the pane's title and, at the bottom, its count."""
        self.border_title = Content(title)  # a plain str would be read as markup
        self.border_subtitle = Content(count)
