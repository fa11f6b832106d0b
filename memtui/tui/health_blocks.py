"""A vault's health as blocks of text with bars."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len

from memtui.curate.health_report import HealthRow, HealthSection, bar
from memtui.tui.cells import fit
from memtui.tui.describing import Block
from memtui.tui.highlighting import Piece
from memtui.tui.wording import tame
from memtui.tui.wrapping import wrap

HOLDS = frozenset({"Freshness", "By kind", "By path"})
"""Sections of the left pane; the others ask for care."""

_LABEL_CELLS, _VALUE_CELLS = 15, 6
_MOST_BAR_CELLS = 40
_ASKS = "! "


def health_blocks(sections: Sequence[HealthSection], width: int) -> list[Block]:
    """Return sections as blocks of lines that fit into so many cells."""
    blocks: list[Block] = []
    for section in sections:
        blocks.append(Block(((section.title, "heading"),), gap=bool(blocks)))
        for row in section.rows:
            blocks += _memory(row, width) if row.is_memory else _row(row, width)
    return blocks


def _memory(row: HealthRow, width: int) -> list[Block]:
    return [Block(((f"  {row.value}  ", "dim"), (fit(tame(row.note), width - 8).rstrip(), "text")))]


def _row(row: HealthRow, width: int) -> list[Block]:
    """Return a row on one line; its note on a line of its own where that is too narrow."""
    mark = _ASKS if row.asks else "  "
    pieces: list[Piece] = [
        (mark, "warning"),
        (fit(tame(row.label), _LABEL_CELLS), "text" if row.asks else "dim"),
        (f"{row.value:>{_VALUE_CELLS}}", "text"),
    ]
    used = len(mark) + _LABEL_CELLS + max(_VALUE_CELLS, len(row.value))
    note = tame(row.note)
    if row.share is not None and not note:
        cells = max(0, min(_MOST_BAR_CELLS, width - used - 2))
        pieces += [("  ", "dim"), (bar(row.share, cells).rstrip() or " ", "bar")]
    if not note:
        return [Block(tuple(pieces))]
    if used + 2 + cell_len(note) <= width:
        return [Block((*pieces, (f"  {note}", "dim")))]
    return [Block(tuple(pieces)), *(Block(((f"    {line}", "dim"),)) for line in wrap(note, max(1, width - 4)))]
