"""The list of changes: numbers of all, rows of those in sight."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from rich.segment import Segment
from textual.message import Message

from memtui.tui.access.history import HistoryRow
from memtui.tui.cells import fit
from memtui.tui.widgets.pick_list import Paint, PickList

PAGE_ROWS = 100
"""Rows fetched at a time."""

MOST_ROWS = 2_000
"""Rows kept in memory; beyond, those out of sight are dropped."""

STATE_MARKS = {"done": " ", "undone": "↶", "abandoned": "×"}

_WHEN_CELLS = 16
_WHEN_FROM = 72
_DAY_CELLS = 10
_ACTOR_CELLS = 10
_ACTOR_FROM = 48
_COUNT_CELLS = 11


class ChangeList(PickList):
    """A window over numbers of changes. It asks for the rows that come into sight."""

    @dataclass
    class RowsWanted(Message):
        """Rows came into sight that are not here yet."""

        numbers: tuple[int, ...]

        def can_replace(self, message: Message) -> bool:
            """Let the newest of a burst stand for all."""
            return isinstance(message, ChangeList.RowsWanted)

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name for it
        super().__init__(id=id)
        self.numbers: tuple[int, ...] = ()
        self._rows: dict[int, HistoryRow] = {}

    @property
    def count(self) -> int:
        """Lines in the list."""
        return len(self.numbers)

    @property
    def current(self) -> int | None:
        """The number of the change under the cursor."""
        return self.numbers[self.cursor] if self.cursor < len(self.numbers) else None

    def show(self, numbers: Sequence[int], *, follow: int | None, notice: Sequence[str] = ()) -> None:
        """Show these changes, read anew; the cursor stays on the one to follow, else goes to the first."""
        self.numbers = tuple(numbers)
        self._keep_only(self._in_sight())
        place = self.numbers.index(follow) if follow in self.numbers else 0
        self.rows_changed(place, notice)
        self._ask(again=True)

    def put_rows(self, rows: Mapping[int, HistoryRow]) -> None:
        """Take rows that arrived."""
        self._rows.update(rows)
        if len(self._rows) > MOST_ROWS:
            self._keep_only(self._in_sight(margin=PAGE_ROWS))
        self.refresh()

    def row(self, number: int | None) -> HistoryRow | None:
        """Return a row that is here."""
        return self._rows.get(number) if number is not None else None

    def _keep_only(self, numbers: Iterable[int]) -> None:
        self._rows = {number: self._rows[number] for number in numbers if number in self._rows}

    def _in_sight(self, margin: int = 0) -> Sequence[int]:
        top = self.scroll_offset.y
        return self.numbers[max(0, top - margin) : top + self.page + margin]

    def _ask(self, *, again: bool = False) -> None:
        """Ask for the pages in sight, unless all their rows are here."""
        if not self.numbers or not (again or any(number not in self._rows for number in self._in_sight())):
            return
        top = self.scroll_offset.y
        first = top // PAGE_ROWS * PAGE_ROWS
        last = -(-(top + self.page) // PAGE_ROWS) * PAGE_ROWS
        wanted = self.numbers[first:last]
        self.post_message(self.RowsWanted(wanted if again else tuple(n for n in wanted if n not in self._rows)))

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Ask for the rows that come into sight."""
        super().watch_scroll_y(old_value, new_value)
        if round(old_value) != round(new_value):
            self._ask()

    def on_resize(self) -> None:
        """Keep the cursor in sight, and ask for the rows that came into it."""
        super().on_resize()
        self._ask()

    def segments(self, index: int, width: int, paint: Paint) -> list[Segment]:
        """Return a change: number, when, who, what, how many memories."""
        number = self.numbers[index]
        row = self._rows.get(number)
        digits = len(str(self.numbers[0]))
        head = Segment(f"{number:>{digits}} ", paint["dim"])
        if row is None:
            return [head, Segment(fit("  …", max(1, width - digits - 1)), paint["dim"])]
        is_done = row.state == "done"
        mark = Segment(f"{STATE_MARKS.get(row.state, '?')} ", paint["warning"])
        when = _WHEN_CELLS if width >= _WHEN_FROM else _DAY_CELLS
        actor = _ACTOR_CELLS if width >= _ACTOR_FROM else 0
        room = width - digits - 1 - 2 - when - 2 - (actor + 1 if actor else 0) - _COUNT_CELLS
        segments = [head, mark, Segment(fit(row.when[:when], when) + "  ", paint["dim"])]
        if actor:
            segments.append(Segment(fit(row.actor, actor) + " ", paint["kind"]))
        summary = row.summary if is_done else f"{row.state}: {row.summary}"
        segments.append(Segment(fit(summary, max(1, room)), paint["base" if is_done else "dim"]))
        count = f"{row.memories:,} mem " if row.memories else ""
        return [*segments, Segment(fit(count, _COUNT_CELLS, right=True), paint["dim"])]
