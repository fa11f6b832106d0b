"""Lists of rows with lines of text between them, and a filter."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Generic, TypeVar

from rich.cells import cell_len
from rich.segment import Segment

from memtui.text.sanitize import tame
from memtui.text.words import plain_letters
from memtui.tui.widgets.lists import Cell, Paint, PickList, draw_cells, room_left

R = TypeVar("R")

_MOST_MEASURED = 1_000
"""Lines of a list whose columns are drawn as wide as their texts: measuring more would delay the picture."""

_NOTE_CELLS = 18  # Of the words at the right of a heading


@dataclass(frozen=True, slots=True)
class TextRow:
    """A line between rows, such as a heading, that the cursor passes over."""

    text: str
    style: str = "heading"  # one of `PARTS`, or `base`
    count: str = ""  # how many rows it stands for, right after it
    note: str = ""  # words at the right, where there is room


_ALL_CELLS = 1_000  # A width at which nothing of a row is cut or left out
_SHOWN_OF_FILTER = 40  # Characters of a filter where it is told that nothing matches


class RowList(PickList, Generic[R]):
    """Rows with lines of text between them; a filter leaves those that hold every word of it.

    `cells`: returns the cells of a row for a width. `words`: returns what else the filter finds a row by.
    """

    def __init__(
        self,
        cells: Callable[[R, int], Iterable[Cell]],
        *,
        words: Callable[[R], str] | None = None,
        id: str | None = None,  # noqa: A002 - Textual's name for it
    ) -> None:
        super().__init__(id=id)
        self._cells = cells
        self._more_words = words
        self._all: Sequence[R | TextRow] = ()
        self._lines: Sequence[R | TextRow] = ()  # Those of all that the filter leaves
        self._wanted: tuple[str, ...] = ()  # The words of the filter
        self._typed = ""  # The filter as it was typed
        self._when_empty: Sequence[str] = ()
        self._widest: dict[tuple[int, int], int] = {}  # Of each snug column, by the number of columns and its place
        self._starts: dict[tuple[int, str], int] = {}  # Where texts are shown from in a room that hides what differs
        self._measured_for = -1  # Width that `_widest` holds for

    @property
    def count(self) -> int:
        return len(self._lines)

    @property
    def rows(self) -> list[R]:
        """The rows that are listed, in order."""
        return [line for line in self._lines if not isinstance(line, TextRow)]

    @property
    def number_of_all(self) -> int:
        """How many rows there are, listed or not."""
        return sum(not isinstance(line, TextRow) for line in self._all)

    @property
    def current(self) -> R | None:
        line = self._lines[self.cursor] if self.cursor < len(self._lines) else None
        return None if isinstance(line, TextRow) else line

    def selectable(self, index: int) -> bool:
        return not isinstance(self._lines[index], TextRow)

    def show(
        self,
        lines: Sequence[R | TextRow],
        *,
        # whether a row is the one to keep the cursor on; without such a row it goes to the next one that is still there
        follow: Callable[[R], bool] | None = None,
        from_top: bool = False,  # go to the first row
        notice: Sequence[str] = (),  # lines to show instead of an empty list
    ) -> None:
        self._all, self._when_empty = tuple(lines), tuple(notice)
        self._list(follow, from_top=from_top)

    @property
    def is_filtered(self) -> bool:
        """Whether only some of the rows are listed, or may be."""
        return bool(self._wanted)

    def filter(self, typed: str) -> None:
        """List only rows that hold every word of a text, in any order, or stand under a heading that does.

        Capitals and accents make no difference. The cursor stays on its row; where that is not listed it goes to the
        first.
        """
        words = tuple(_bare(typed).split())
        self._typed = typed
        if words != self._wanted:
            self._wanted = words
            here = self.current
            self._list(lambda row: row is here, from_top=True)

    def _list(self, follow: Callable[[R], bool] | None, *, from_top: bool) -> None:
        lines = self._fitting() if self._wanted else self._all
        notice = self._when_empty
        if self._wanted and not lines and self.number_of_all:
            notice = (
                f"Nothing here matches “{tame(self._typed.strip(), _SHOWN_OF_FILTER)}”.",
                "esc clears the filter.",
            )
        before, self._lines = self._lines[self.cursor :], lines
        self._measured_for = -1
        place = 0 if from_top else None
        if follow is not None:
            rows = ((place, line) for place, line in enumerate(lines) if not isinstance(line, TextRow))
            place = next((found for found, row in rows if follow(row)), place)
            if place is None:
                still = (line for line in before if not isinstance(line, TextRow) and line in self._lines)
                place = next(map(self._lines.index, still), None)
        self.rows_changed(place, notice)

    def _fitting(self) -> Sequence[R | TextRow]:
        """Return the rows that hold every word of the filter, each under its heading."""
        found: list[R | TextRow] = []
        for heads, rows in _groups(self._all):
            heading = " ".join(head.text for head in heads)
            fit = [row for row in rows if self._fits(row, heading)]
            if fit:
                # A heading that counts its rows counts those that are listed; nothing parts the first from others.
                shown = [head for head in heads if found or head.text]
                found += [replace(head, count=f"{len(fit):,}") if head.count else head for head in shown]
                found += fit
        return found

    def _fits(self, row: R, heading: str) -> bool:
        parts = [heading, *(cell.text for cell in self._cells(row, _ALL_CELLS))]
        parts += [self._more_words(row)] if self._more_words is not None else []
        text = _bare(" ".join(parts))
        return all(word in text for word in self._wanted)

    def go_to(self, wanted: Callable[[R], bool]) -> None:
        """Go to the first row of this kind, and put it on top with a heading right above it, if there is one."""
        rows = ((place, line) for place, line in enumerate(self._lines) if not isinstance(line, TextRow))
        place = next((found for found, row in rows if wanted(row)), None)
        if place is not None:
            self.rows_changed(place)
            self.scroll_to(y=place - (place > 0 and not self.selectable(place - 1)), animate=False, force=True)

    def segments(self, index: int, width: int, paint: Paint) -> list[Segment]:
        line = self._lines[index]
        if isinstance(line, TextRow):
            room = min(max(_NOTE_CELLS, cell_len(line.note)), width // 2) if line.note else 0
            note = Cell(line.note, "dim", room, since=_NOTE_CELLS * 2, right=True)
            count = [Cell(line.text, line.style, cell_len(line.text), after=2), Cell(line.count, "dim")]
            return draw_cells([*(count if line.count else [Cell(line.text, line.style)]), note], width, paint)
        if width != self._measured_for:
            self._measure(width)
        cells = self._in_columns(list(self._cells(line, width)))
        room = room_left(cells, width)
        return draw_cells([self._from_what_differs(cell, room) for cell in cells], width, paint)

    def _in_columns(self, cells: Sequence[Cell]) -> list[Cell]:
        return [self._drawn_in(cell, (len(cells), place)) for place, cell in enumerate(cells)]

    def _from_what_differs(self, cell: Cell, room: int) -> Cell:
        """Return a cell without the beginning that it shares with others, where there is no room for what follows."""
        start = self._starts.get((room, cell.text), 0) if cell.cells is None else 0
        return replace(cell, text=f"…{cell.text[start:]}") if start else cell

    def _drawn_in(self, cell: Cell, column: tuple[int, int]) -> Cell:
        """Return a cell in the width of its column; one without a text anywhere is left out."""
        if not cell.snug or cell.cells is None or len(self._lines) > _MOST_MEASURED:
            return cell
        return replace(cell, cells=(fits := min(cell.cells, self._widest[column])), before=cell.before if fits else 0)

    def _measure(self, width: int) -> None:
        self._measured_for, self._widest = width, {}
        for row in self.rows if len(self._lines) <= _MOST_MEASURED else ():
            cells = list(self._cells(row, width))
            for place, cell in enumerate(cells):
                if cell.snug:
                    column = len(cells), place
                    self._widest[column] = max(self._widest.get(column, 0), cell_len(cell.text))
        self._starts = {}
        rooms: dict[int, set[str]] = {}
        for row in self.rows if len(self._lines) <= _MOST_MEASURED else ():
            cells = self._in_columns(list(self._cells(row, width)))
            rooms.setdefault(room_left(cells, width), set()).update(one.text for one in cells if one.cells is None)
        for room, texts in rooms.items():
            self._starts |= {(room, text): start for text, start in _starts(texts, room).items()}


def _starts(texts: Iterable[str], room: int) -> dict[str, int]:
    """Return where texts go on behind their common beginning, of those that differ only beyond the room for them.

    They go on behind the last heading that they share, else with the first word that is not the same.
    """
    alike: dict[str, list[str]] = {}
    for text in texts:
        if cell_len(text) > room:
            alike.setdefault(text[: room - 1], []).append(text)
    found = {}
    for several in alike.values():
        # What the first and the last in order share, all between them share.
        same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(min(several), max(several), strict=False)))
        shared = several[0][:same] if len(several) > 1 else ""
        heading = shared.rfind(": ")
        start = heading + len(": ") if heading >= 0 else shared.rfind(" ") + 1
        found.update(dict.fromkeys(several, start))
    return found


def _bare(text: str) -> str:
    return plain_letters(text.casefold())


def _groups(lines: Sequence[R | TextRow]) -> list[tuple[list[TextRow], list[R]]]:
    """Return rows in groups, each with the lines of text right above it."""
    groups: list[tuple[list[TextRow], list[R]]] = [([], [])]
    for line in lines:
        if not isinstance(line, TextRow):
            groups[-1][1].append(line)
        elif groups[-1][1]:
            groups.append(([line], []))
        else:
            groups[-1][0].append(line)
    return groups
