"""One row of the list of memories: its columns for a width, and its cells."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from rich.segment import Segment
from rich.style import Style

from memtui.tui.access import Row
from memtui.tui.cells import fit
from memtui.tui.widgets.cursor_list import CURSOR_MARK
from memtui.tui.wording import AGE_CELLS, BAR_CELLS, MARK_DUE, MARK_PINNED, freshness_bar, short_age

KIND_CELLS = 12
PROJECT_CELLS = 14
MARKED = "✓"

STATUS_MARKS = {"candidate": "?", "retired": "×", "superseded": "»", "merged": "»"}
"""Signs of what is not in use, in place of the pin."""

_LEAD_CELLS = 4
"""Cursor, mark, sign and a space."""

_KIND_FROM = 52
_PROJECT_FROM = 100
_BAR_FROM = 36
_TITLE_GAP = 2
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
        project = PROJECT_CELLS if projects and cells >= _PROJECT_FROM else 0
        bar, age = (BAR_CELLS, AGE_CELLS) if cells >= _BAR_FROM else (0, 0)
        used = _LEAD_CELLS + sum(width + 1 for width in (kind, project, bar, age) if width) + _TITLE_GAP
        return cls(kind, project, max(1, cells - used), bar, age)


def row_segments(
    row: Row | None, columns: Columns, paint: Mapping[str, Style], *, current: bool, marked: bool
) -> list[Segment]:
    """Return the cells of a row.

    Args:
        row: None while it is on its way.
        columns: the columns that fit.
        paint: the style of each of `PARTS`, and `base`.
        current: whether the cursor is on it.
        marked: whether it is marked.
    """
    edge = Segment((CURSOR_MARK if current else " ") + (MARKED if marked else " "), paint["pin"])
    if row is None:
        return [edge, Segment(fit("  …", columns.title), paint["dim"])]
    segments = [edge, _sign(row, paint)]
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


def _sign(row: Row, paint: Mapping[str, Style]) -> Segment:
    if row.status in STATUS_MARKS:
        return Segment(f"{STATUS_MARKS[row.status]} ", paint["dim"])
    sign = MARK_PINNED if row.pinned else MARK_DUE if row.due else " "
    return Segment(f"{sign} ", paint["due" if row.due and not row.pinned else "pin"])
