"""The Health screen's reads, rows and texts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.cells import cell_len

from memtui.curate.health import health_in_parts
from memtui.text.sanitize import tame
from memtui.text.words import bar
from memtui.tui.styled_text import Block, Piece, fit, wrap
from memtui.tui.values import Signature
from memtui.tui.vault_access import FileChecks, VaultAccess, health_options
from memtui.tui.widgets.detail import curve_rows
from memtui.tui.widgets.lists import Cell
from memtui.tui.widgets.row_list import TextRow
from memtui.wording.health import HealthRow, HealthSection, sections

_LABEL_CELLS, _VALUE_CELLS = 15, 6
_CARE_LABEL_CELLS = 14  # As wide as `contradictions`
_MOST_BAR_CELLS = 40
_MOST_COLUMN_CELLS, _COLUMN_ROWS = 6, 5
_NARROWEST_PICTURE = 34  # Cells that ten columns with their numbers need


@dataclass(frozen=True, slots=True)
class HealthRead:
    """The state of the vault."""

    sections: tuple[HealthSection, ...]
    active: int
    project: str | None
    signature: Signature  # what the file system said of the vault before it was read
    is_whole: bool = True  # whether no figure is left to count


def read_health(access: VaultAccess) -> Iterator[HealthRead]:
    """Yield the state of the vault as it becomes known; all of it takes seconds for a large one.

    The files are checked after the first figures, as Tidy does: what changed in them is due.
    """
    signature = access.signature()

    def check_files() -> None:
        nonlocal signature
        FileChecks(access).check()
        signature = access.signature()

    options = health_options(access)
    for found in health_in_parts(access.read_vault, options, check_files=check_files):
        shown, active = tuple(sections(found)), found.counts["active"]
        yield HealthRead(shown, active, options.view.project, signature, is_whole=not found.pending)


def health_blocks(sections: Sequence[HealthSection], width: int) -> list[Block]:
    """Return sections as blocks of lines of at most so many cells."""
    blocks: list[Block] = []
    for section in sections:
        blocks.append(Block(((section.title, "heading"),), gap=bool(blocks)))
        is_drawn = bool(section.columns) and width >= _NARROWEST_PICTURE and _have_room(section.columns, width)
        blocks += _columns(section.columns, width) if is_drawn else []
        for row in section.rows:
            if not (is_drawn and row.share is not None):
                blocks += _memory(row, width) if row.is_memory else _row(row, width)
    return blocks


def _column_cells(numbers: Sequence[int], width: int) -> int:
    return min(_MOST_COLUMN_CELLS, (width - 2) // len(numbers))


def _have_room(numbers: Sequence[int], width: int) -> bool:
    """Return whether each number fits below its column; else rows say them in full."""
    return max(len(f"{number:,}") for number in numbers) < _column_cells(numbers, width)


def _columns(numbers: Sequence[int], width: int) -> list[Block]:
    """Return numbers over equal parts of 0–1 as columns, each with its number and its place below."""
    cells = _column_cells(numbers, width)
    most = max(1, *numbers)
    heights = [share for number in numbers for share in (*[_seen(number / most)] * (cells - 1), 0.0)]
    drawn = [Block(((f"  {line}", "bar"),)) for line in curve_rows(heights, _COLUMN_ROWS)]
    counts = "".join(fit(f"{number:,}" if number else "·", cells - 1) + " " for number in numbers)
    places = "".join(fit(f"{place / len(numbers):.1f}".removeprefix("0"), cells) for place in range(len(numbers)))
    return [*drawn, Block(((f"  {counts}", "text"),)), Block(((f"  {places}", "dim"),))]


def _seen(share: float) -> float:
    """Return a share as it is drawn: more than nothing is seen."""
    return max(share, 1 / (8 * _COLUMN_ROWS)) if share > 0 else 0.0


def _memory(row: HealthRow, width: int) -> list[Block]:
    return [Block(((f"  {row.value}  ", "dim"), (fit(tame(row.note), width - 8).rstrip(), "text")))]


def _row(row: HealthRow, width: int) -> list[Block]:
    """Return a row on one line; its note goes on lines of its own where that is too narrow."""
    pieces: list[Piece] = [
        ("! " if row.asks else "  ", "warning"),
        (fit(tame(row.label), _LABEL_CELLS), "text" if row.asks else "dim"),
        (f"{row.value:>{_VALUE_CELLS}}", "text"),
    ]
    used = 2 + _LABEL_CELLS + max(_VALUE_CELLS, len(row.value))
    note = tame(row.note)
    if note and used + 2 + cell_len(note) > width:
        below = [Block(((f"    {line}", "dim"),)) for line in wrap(note, max(1, width - 4))]
        return [Block(tuple(pieces)), *below] if row.label or row.value else below
    if note:
        pieces.append((f"  {note}", "dim"))
    elif row.chart:
        pieces += [("  ", "dim"), (row.chart[-max(0, width - used - 2) :], "bar")]
    elif row.share is not None:
        cells = max(0, min(_MOST_BAR_CELLS, width - used - 2))
        pieces += [("  ", "dim"), (bar(row.share, cells).rstrip() or " ", "bar")]
    return [Block(tuple(pieces))]


# -- what needs attention -----------------------------------------------------------------------------

_LEADS_TO = {
    "due": "go-review",
    "inbox": "go-inbox",
    "duplicates": "go-tidy",
    "contradictions": "go-tidy",
    "dead anchors": "go-tidy",
    "changed files": "go-review",
    "packs used": "go-packs",
}
"""Actions that show what a figure counts, by its label."""


@dataclass(frozen=True, slots=True)
class CareRow:
    """A figure that leads to what it counts, or a memory."""

    row: HealthRow
    opens: str  # the action that shows what is counted, or the id of the memory
    note: str = ""  # what is said of it in its own line

    @property
    def is_memory(self) -> bool:
        """Whether it opens a memory rather than a screen."""
        return self.row.is_memory


def care_lines(sections: Sequence[HealthSection], width: int) -> list[CareRow | TextRow]:
    """Return sections as lines of at most so many cells; the cursor stands on those that lead somewhere."""
    lines: list[CareRow | TextRow] = []
    for section in sections:
        lines += [*([TextRow("")] if lines else []), TextRow(section.title)]
        for row in section.rows:
            lines += _care_row(row, width)
    return lines


def _care_row(row: HealthRow, width: int) -> Iterator[CareRow | TextRow]:
    opens = row.label if row.is_memory else _LEADS_TO.get(row.label, "")
    if row.is_memory:
        yield CareRow(row, opens, tame(row.note))
        return
    note = tame(row.note)
    used = 2 + _CARE_LABEL_CELLS + max(_VALUE_CELLS, len(row.value))
    has_room = not note or used + 2 + cell_len(note) <= width
    if opens and row.value != "0":
        yield CareRow(row, opens, note if has_room else "")
    else:
        plain = f"  {fit(tame(row.label), _CARE_LABEL_CELLS)}{row.value:>{_VALUE_CELLS}}"
        yield TextRow(f"{plain}  {note}".rstrip() if has_room else plain, "base" if row.asks else "dim")
    if not has_room:
        yield from (TextRow(f"    {line}", "dim") for line in wrap(note, max(1, width - 4)))


def care_cells(row: CareRow, width: int) -> list[Cell]:
    """Return a figure: whether something should be done about it, its name, its number, what is said of it."""
    del width
    figure = row.row
    if row.is_memory:
        return [Cell(figure.value, "dim", 6, before=2), Cell(row.note, "base", at_word=True)]
    return [
        Cell("!" if figure.asks else "", "warning", 2),
        Cell(tame(figure.label), "base" if figure.asks else "dim", _CARE_LABEL_CELLS),
        Cell(figure.value, "base", max(_VALUE_CELLS, len(figure.value)), right=True, after=2),
        Cell(row.note, "dim"),
    ]
