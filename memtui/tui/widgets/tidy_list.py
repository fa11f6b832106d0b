"""The findings of a tidy pass under their headings."""

from __future__ import annotations

from collections.abc import Sequence

from rich.segment import Segment

from memtui.tui.cells import fit
from memtui.tui.tidy_rows import TidyRow
from memtui.tui.widgets.pick_list import Paint, PickList

_NOTE_CELLS = 18
_NOTE_FROM = 34


class TidyList(PickList):
    """Lines of findings; headings are passed over."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name for it
        super().__init__(id=id)
        self._rows: tuple[TidyRow, ...] = ()

    @property
    def count(self) -> int:
        """Lines in the list."""
        return len(self._rows)

    @property
    def current(self) -> TidyRow | None:
        """The finding under the cursor."""
        return self._rows[self.cursor] if self.has_current else None

    def show(self, rows: Sequence[TidyRow], notice: Sequence[str] = ()) -> None:
        """Show these findings; the cursor keeps its place."""
        self._rows = tuple(rows)
        self.rows_changed(None, notice)

    def selectable(self, index: int) -> bool:
        """Return whether a line is a finding."""
        return self._rows[index].subject is not None

    def segments(self, index: int, width: int, paint: Paint) -> list[Segment]:
        """Return a line in that many cells."""
        row = self._rows[index]
        note = _NOTE_CELLS if width >= _NOTE_FROM else 0
        is_heading = row.subject is None
        text = fit(row.text if is_heading else f"  {row.text}", max(1, width - note - 1))
        loud = row.note in {"look", "gone"} or row.finding == "conflicts"
        return [
            Segment(text, paint["heading" if is_heading else "base"]),
            Segment(" ", paint["base"]),
            Segment(fit(row.note, note, right=True), paint["warning" if loud and not is_heading else "dim"]),
        ]
