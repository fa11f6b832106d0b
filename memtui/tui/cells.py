"""Text in columns: clipped and padded to terminal cells as the screen itself measures them."""

from __future__ import annotations

from rich.cells import cell_len, set_cell_size

from memtui.text.width import clip


def fit(text: str, cells: int, *, right: bool = False) -> str:
    """Return a text clipped with … and padded to exactly so many cells.

    Clipping keeps graphemes whole. Terminals and libraries disagree on a few emoji, so the padding goes by
    the measure that the screen is put together with.
    """
    if cells <= 0:
        return ""
    shown = clip(text, cells)
    missing = cells - cell_len(shown)
    if missing < 0:
        return set_cell_size(shown, cells)
    return " " * missing + shown if right else shown + " " * missing
