"""The ranked memories of a payload with their ticks, and below them what is withheld and why."""

from __future__ import annotations

from collections.abc import Sequence

from rich.segment import Segment

from memtui.tui.cells import fit
from memtui.tui.context_rows import RankedRow
from memtui.tui.widgets.pick_list import Paint, PickList
from memtui.tui.wording import MARK_PINNED, freshness_bar

MARKS = {"in": "✓", "put in": "+", "left out": "·", "withheld": "−"}

_KIND_CELLS = 12
_KIND_FROM = 44
_BAR_CELLS = 3
_BAR_FROM = 54
_SCORE_CELLS = 4
_TEN = 10.0
_TOKEN_CELLS = 7
_TOKENS_FROM = 30
_REASON_SHARE = 0.55


class RankedList(PickList):
    """Two sections under one cursor."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name for it
        super().__init__(id=id)
        self._lines: list[RankedRow | str] = []
        self._best = 1.0

    @property
    def count(self) -> int:
        """Lines in the list."""
        return len(self._lines)

    @property
    def current(self) -> RankedRow | None:
        """The memory under the cursor."""
        line = self._lines[self.cursor] if self.cursor < len(self._lines) else None
        return line if isinstance(line, RankedRow) else None

    @property
    def rows(self) -> list[RankedRow]:
        """All memories, in order."""
        return [line for line in self._lines if isinstance(line, RankedRow)]

    def selectable(self, index: int) -> bool:
        """Return whether a line is a memory."""
        return isinstance(self._lines[index], RankedRow)

    def show(
        self,
        ranked: Sequence[RankedRow],
        withheld: Sequence[RankedRow],
        rest: Sequence[str],
        *,
        follow: str | None,
        notice: Sequence[str] = (),
    ) -> None:
        """Show these memories.

        Args:
            ranked: in the payload, or left out by a person.
            withheld: not in the payload, the nearest first.
            rest: counts of what is withheld beyond them.
            follow: the memory that the cursor stays on; None goes to the first.
            notice: lines to show where there is no memory at all.
        """
        self._best = max((row.score for row in ranked), default=1.0) or 1.0
        tail: list[RankedRow | str] = [*withheld, *(f"  {line}" for line in rest)]
        heading = ["", "Withheld and why"] if ranked and tail else ["Withheld and why"] if tail else []
        self._lines = [*ranked, *heading, *tail]
        places = {line.id: place for place, line in enumerate(self._lines) if isinstance(line, RankedRow)}
        self.rows_changed(places.get(follow or "", None if follow else 0), notice)

    def segments(self, index: int, width: int, paint: Paint) -> list[Segment]:
        """Return a memory, a heading or a count."""
        line = self._lines[index]
        if isinstance(line, str):
            return [Segment(fit(line, width), paint["heading" if not line.startswith("  ") else "dim"])]
        mark = Segment(f"{MARKS[line.state]} ", paint["good" if line.is_in else "dim"])
        if line.state == "withheld":
            return [mark, *self._withheld(line, width - 2, paint)]
        return [mark, *self._ranked(line, width - 2, paint)]

    def _ranked(self, row: RankedRow, width: int, paint: Paint) -> list[Segment]:
        kind = _KIND_CELLS if width >= _KIND_FROM else 0
        bar = _BAR_CELLS if width >= _BAR_FROM else 0
        tokens = _TOKEN_CELLS if width >= _TOKENS_FROM else 0
        title = width - 2 - sum(cells + 1 for cells in (kind, bar, tokens) if cells) - _SCORE_CELLS - 1
        ground = paint["base" if row.is_in else "dim"]
        found = [Segment(f"{MARK_PINNED if row.pinned else ' '} ", paint["mark"])]
        if kind:
            found.append(Segment(fit(row.kind, kind) + " ", paint["kind" if row.is_in else "dim"]))
        found.append(Segment(fit(row.title, max(1, title)) + " ", ground))
        if bar:
            found.append(
                Segment(freshness_bar(row.score / self._best, bar) + " ", paint["bar" if row.is_in else "dim"])
            )
        score = f"{row.score:.2f}" if row.score < _TEN else f"{row.score:.1f}"
        found.append(Segment(fit(score, _SCORE_CELLS, right=True) + " ", paint["dim"]))
        if tokens:
            text = f"{row.tokens:,} t" if row.tokens is not None else "out"
            found.append(Segment(fit(text, tokens, right=True), paint["base" if row.is_in else "dim"]))
        return found

    def _withheld(self, row: RankedRow, width: int, paint: Paint) -> list[Segment]:
        reason = int((width - 4) * _REASON_SHARE)
        title = width - 2 - reason - 1
        return [
            Segment("  " + fit(row.title, max(1, title)) + " ", paint["dim"]),
            Segment(fit(row.reason, max(1, reason)), paint["kind"]),
        ]
