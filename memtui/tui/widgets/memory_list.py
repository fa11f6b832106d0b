"""The list of memories: ids of all, rows of the visible ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from rich.segment import Segment
from rich.style import Style
from textual.geometry import Size
from textual.strip import Strip

from memtui.text.words import cell_width, clip_path
from memtui.tui.memory_view import AGE_CELLS, MARK_DUE, MARK_PINNED, freshness_bar, short_age, source_line
from memtui.tui.styled_text import fit
from memtui.tui.values import Row
from memtui.tui.widgets.headed_titles import Titled, title_at
from memtui.tui.widgets.lists import CursorList, ListMessage, Paint
from memtui.tui.widgets.marks import Marks

MARKED = "✓"

STATUS_MARKS = {"candidate": "?", "retired": "×", "superseded": "»", "merged": "»"}
"""Signs of what is not in use, in place of the pin."""

_LEAD_CELLS = 4  # Cursor, mark, sign and a space

KIND_CELLS = 4
_PROJECT_CELLS, _SHORTEST_PROJECT_CELLS = 14, 6
_BAR_CELLS = 3
_KIND_FROM = 44
_PROJECT_FROM = 72
_BAR_FROM = 36
_TITLE_GAP = 2
_TITLE_CELLS = 55
"""Cells of a title before the project gets more than its shortest: titles are what is read."""
_LIST_ALONE = 78
"""Cells up to which a list stands alone on its screen, with a shorter title for a longer project."""
_TITLE_CELLS_ALONE = 42

PARTS = ("kind", "dim", "bar", "due-bar", "pin", "due")


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
        bar, age = (_BAR_CELLS, AGE_CELLS) if cells >= _BAR_FROM else (0, 0)
        room = cells - _LEAD_CELLS - sum(width + 1 for width in (kind, bar, age) if width) - _TITLE_GAP
        project = 0
        if projects and cells >= _PROJECT_FROM:
            title = _TITLE_CELLS if cells > _LIST_ALONE else _TITLE_CELLS_ALONE
            project = max(_SHORTEST_PROJECT_CELLS, min(_PROJECT_CELLS, room - 1 - title))
            room -= project + 1
        return cls(kind, project, max(1, room), bar, age)


def row_segments(
    row: Row | None,
    columns: Columns,
    paint: Mapping[str, Style],
    *,
    edge: str = " ",
    marked: bool,
    ages: str = "",
    title: str = "",
    place: str = "",
    project: str = "",
) -> list[Segment]:
    """Return the cells of a row.

    `row`: None while it is on its way. `ages`: the sort that says which age is shown. `paint`: the style of each of
    `PARTS`, and `base`. `title`: what the row is called below those above it. `place`: where it came from, to tell it
    from another with the same title. `project`: what its project is called in short.
    """
    sign = Segment(edge + (MARKED if marked else " "), paint["pin"])
    if row is None:
        return [sign, Segment(fit("  …", columns.title), paint["dim"])]
    segments = [sign, _sign(row, paint)]
    if columns.kind:
        segments.append(Segment(fit(short_kind(row.kind), columns.kind) + " ", paint["kind"]))
    if columns.project:
        segments.append(Segment(fit(project or row.project, columns.project) + " ", paint["dim"]))
    place = clip_path(place, columns.title // 2)
    place_cells = cell_width(place)
    title = fit(title or row.title, columns.title - place_cells)
    gap = " " * _TITLE_GAP
    if place:
        segments += [Segment(title, paint["base"]), Segment(fit(place, place_cells) + gap, paint["dim"])]
    else:
        segments.append(Segment(title + gap, paint["base"]))
    if columns.bar:
        bar = freshness_bar(row.freshness, columns.bar)
        segments.append(Segment(bar + " ", paint["due-bar" if row.due else "bar"]))
        days = row.added_days if ages == "newest" else row.age_days
        segments.append(Segment(fit(short_age(days), columns.age, right=True) + " ", paint["dim"]))
    return segments


def short_kind(kind: str) -> str:
    """Return a kind as the lists call it: its first four letters."""
    return kind.partition("-")[0][:KIND_CELLS]


def short_project(name: str, cells: int, others: Iterable[str]) -> str:
    """Return a project's name in so many cells: its beginning, and its end too where another begins as it does."""
    if cell_width(name) <= cells:
        return name
    start = fit(name, cells + 1)[:-1]
    if any(other != name and other.startswith(start) for other in others):
        tail = cells // 3
        return f"{fit(name, cells - tail)[:-1]}…{name[-tail:]}"
    return start


def column_heads(columns: Columns, ages: str) -> list[tuple[str, str]]:
    """Return the words over the columns with the sort that each stands for, as wide as they are; `ages` as in rows."""
    age = "added" if ages == "newest" else "seen"
    heads = [(" " * _LEAD_CELLS, "")]
    if columns.kind:
        heads.append((fit("kind", columns.kind) + " ", "kind"))
    if columns.project:
        heads.append(
            (fit("project" if columns.project > _SHORTEST_PROJECT_CELLS else "proj", columns.project) + " ", "")
        )
    heads.append((fit("title", columns.title), "title"))
    if columns.bar:
        heads.append((fit("fresh", columns.bar + _TITLE_GAP, right=True) + " ", "stalest"))
        heads.append((fit(age, columns.age, right=True) + " ", "newest"))
    return heads


def _sign(row: Row, paint: Mapping[str, Style]) -> Segment:
    if row.status in STATUS_MARKS:
        return Segment(f"{STATUS_MARKS[row.status]} ", paint["dim"])
    sign = MARK_PINNED if row.pinned else MARK_DUE if row.due else " "
    return Segment(f"{sign} ", paint["due" if row.due and not row.pinned else "pin"])


PAGE_ROWS = 100  # Rows fetched at a time
MOST_ROWS = 2_000  # Rows kept in memory; beyond, those out of sight are dropped


class MemoryList(CursorList):
    """A window over ids. It asks for the rows that come into sight and shows placeholders until they arrive."""

    PREFIX = "memory-list"
    PARTS = PARTS
    COMPONENT_CLASSES = {"memory-list--cursor", *(f"memory-list--{part}" for part in PARTS)}  # noqa: RUF012 - Textual declares it as a class variable

    @dataclass
    class RowsWanted(ListMessage["MemoryList"]):
        """Rows came into sight that are not here yet, or without their memories."""

        ids: tuple[str, ...]
        urgent: bool = True  # whether a placeholder is seen, or a row may be out of date

    @dataclass
    class Highlighted(ListMessage["MemoryList"]):
        """The cursor came to a memory, or to none."""

        id: str | None

    @dataclass
    class Marked(ListMessage["MemoryList"]):
        """Other rows are marked than before."""

    @dataclass
    class Chosen(ListMessage["MemoryList"]):
        """A row was double-clicked."""

        NEWEST_COUNTS = False

    @dataclass
    class SortWanted(ListMessage["MemoryList"]):
        """The word over a column was clicked."""

        sort: str

    def __init__(self, *, id: str | None = None, heads: bool = False) -> None:  # noqa: A002 - Textual's name for it
        super().__init__(id=id)
        self.head_lines = int(heads)
        self.sort = ""  # One of `SORTS`, or empty where the list has another order
        self.ages = ""  # The sort that says which age is shown, whatever order a filter has
        self.ids: tuple[str, ...] = ()
        self.show_projects = False
        self.at_hand: Callable[[Sequence[str]], Mapping[str, Row]] = lambda _: {}
        """Returns rows that need no waiting, as far as there are any."""
        self.marks = Marks()
        self.was_moved = False  # Whether the person moved the cursor since `rest_on_top`
        self._rows: dict[str, Row] = {}
        self._titles: Counter[str] = Counter()  # How many of the rows that were read have each title
        self._projects: frozenset[str] = frozenset()  # Those of the rows that were read
        self._partial: set[str] = set()  # Rows that are here without the memories that they are of

    # -- content ----------------------------------------------------------------------------------

    @property
    def count(self) -> int:
        return len(self.ids)

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
        self.virtual_size = Size(0, len(self.ids) + self.head_lines)
        self.set_reactive(MemoryList.cursor, max(0, min(position, len(self.ids) - 1)))
        self.reveal_cursor()
        if fresh:
            self._keep_only(self._in_sight())
        self.refresh()
        self._ask(again=fresh)
        self.post_message(self.Highlighted(self, self.current))

    def put_rows(self, rows: Mapping[str, Row]) -> None:
        """Take rows that arrived; those that say what is shown already are not drawn again."""
        changed = any(self._rows.get(identifier) != row for identifier, row in rows.items())
        self._rows.update(rows)
        self._partial.difference_update(rows)
        if len(self._rows) > MOST_ROWS:
            self._keep_only(self._in_sight(margin=PAGE_ROWS))
        if changed:
            self._titles = Counter(row.title for row in self._rows.values())
            self._projects = frozenset(row.project for row in self._rows.values())
            self.refresh()

    def _keep_only(self, identifiers: Iterable[str]) -> None:
        self._rows = {identifier: self._rows[identifier] for identifier in identifiers if identifier in self._rows}
        self._partial &= self._rows.keys()

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
        self._marks_changed()

    def mark_range(self) -> None:
        """Begin a range at the cursor, or end the one that is drawn."""
        if self.marks.drawing:
            self.marks.keep_range(self.ids)
        elif self.ids:
            self.marks.start(self.cursor)
        self._marks_changed()

    def mark_all(self) -> None:
        self.marks.mark_all(self.ids)
        self._marks_changed()

    def unmark(self) -> None:
        """Unmark all, listed or not; a range that is being drawn is given up first."""
        if self.marks.drawing:
            self.marks.drop_range()
        else:
            self.marks.clear()
        self._marks_changed()

    def _marks_changed(self) -> None:
        self.refresh()
        self.post_message(self.Marked(self))

    def _in_sight(self, margin: int = 0) -> Iterable[str]:
        top = self.scroll_offset.y
        return self.ids[max(0, top - margin) : top + self.page + margin]

    def _ask(self, *, again: bool = False) -> None:
        """Show the rows in sight that are at hand, and ask for the pages in sight unless all of them are here."""
        if not self.ids:
            return
        missing = [identifier for identifier in self._in_sight() if identifier not in self._rows]
        if missing:
            found = self.at_hand(missing)
            self._rows.update(found)
            self._partial.update(found)
        if again or not all(map(self._is_whole, self._in_sight())):
            top = self.scroll_offset.y
            first = top // PAGE_ROWS * PAGE_ROWS
            last = -(-(top + self.page) // PAGE_ROWS) * PAGE_ROWS
            wanted = self.ids[first:last]
            if not again:
                wanted = tuple(identifier for identifier in wanted if not self._is_whole(identifier))
            urgent = again or any(identifier not in self._rows for identifier in missing)
            self.post_message(self.RowsWanted(self, wanted, urgent))

    def _is_whole(self, identifier: str) -> bool:
        return identifier in self._rows and identifier not in self._partial

    # -- moving -----------------------------------------------------------------------------------

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

    def watch_cursor(self) -> None:
        """Follow the cursor, and let a range that is drawn reach to it."""
        self.was_moved = True
        if self.marks.drawing:
            self.marks.stretch(self.cursor)
            self.post_message(self.Marked(self))
        super().watch_cursor()

    def cursor_moved(self) -> None:
        self.post_message(self.Highlighted(self, self.current))

    def cursor_clicked(self, *, again: bool) -> None:
        """Tell that a row was double-clicked."""
        if again:
            self.post_message(self.Chosen(self))

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Ask for the rows that come into sight."""
        super().watch_scroll_y(old_value, new_value)
        if round(old_value) != round(new_value):
            self._ask()

    def on_resize(self) -> None:
        """Ask for the rows that came into sight; the base keeps the cursor in it, being called besides."""
        self._ask()

    # -- drawing ----------------------------------------------------------------------------------

    def render_line(self, y: int) -> Strip:
        width = self.scrollable_content_region.width
        index = self.scroll_offset.y + y - self.head_lines
        if not self.ids:
            return self.notice_line(y, width)
        if y < self.head_lines:
            return self._heads_line(width)
        if index >= len(self.ids):
            return Strip.blank(width, self._row_paint["base"])
        is_current, marked = index == self.cursor, self.marks.holds(index, self.ids[index])
        paint = self._current_paint if is_current else self._row_paint
        segments = self.line_segments(index, width, paint, current=is_current, marked=marked)
        return Strip(segments).adjust_cell_length(width, segments[0].style)

    def line_segments(self, index: int, width: int, paint: Paint, *, current: bool, marked: bool) -> list[Segment]:
        """Return the line at an index in that many cells."""
        # The first line in sight names its heading whatever stands above it.
        title = title_at(lambda place: self.titled(self.ids[place]), index, self.scroll_offset.y, len(self.ids))
        row = self._rows.get(self.ids[index])
        return self.segments(row, width, paint, current=current, marked=marked, title=title)

    def titled(self, identifier: str) -> Titled | None:
        """Return the title of a row and its section, None while it is on its way."""
        row = self._rows.get(identifier)
        return None if row is None else Titled.of(row.title, row.memory.sources if row.memory is not None else ())

    def _columns(self, width: int) -> Columns:
        return Columns.within(width, projects=self.show_projects)

    def _heads_line(self, width: int) -> Strip:
        """Return the words over the columns; the one that the list is sorted by stands out."""
        paint = self._row_paint
        heads = column_heads(self._columns(width), self.ages)
        segments = [Segment(word, paint["kind" if sort and sort == self.sort else "dim"]) for word, sort in heads]
        return Strip(segments).adjust_cell_length(width, paint["base"])

    def head_clicked(self, x: int) -> None:
        """Ask for the order of the column that was clicked."""
        end = 0
        for word, sort in column_heads(self._columns(self.scrollable_content_region.width), self.ages):
            end += len(word)
            if x < end:
                if sort:
                    self.post_message(self.SortWanted(self, sort))
                return

    def segments(
        self, row: Row | None, width: int, paint: Paint, *, current: bool, marked: bool, title: str
    ) -> list[Segment]:
        """Return a row in that many cells; None is one that is not read yet. `title`: as the rows above let it be."""
        columns = self._columns(width)
        is_repeated = row is not None and self._titles[row.title] > 1
        called = {
            "title": title,
            "place": f" {source_line(row.memory.sources)}" if is_repeated and row is not None and row.memory else "",
            "project": short_project(row.project, columns.project, self._projects) if row is not None else "",
        }
        edge = self.edge(is_current=current)
        return row_segments(row, columns, paint, edge=edge, marked=marked, ages=self.ages, **called)
