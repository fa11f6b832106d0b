"""Text in columns: clipped and padded to terminal cells as the screen itself measures them."""

from __future__ import annotations

from rich.cells import cell_len, set_cell_size
from textual.content import Content

from memtui.text.width import clip, steady


def fit(text: str, cells: int, *, right: bool = False) -> str:
    """Return a text clipped with … and padded to exactly so many cells, its emoji in forms of undisputed width.

    Clipping keeps graphemes whole. What terminals and libraries still disagree on is padded by the measure that the
    screen is put together with.
    """
    if cells <= 0:
        return ""
    shown = clip(steady(text), cells)
    missing = cells - cell_len(shown)
    if missing < 0:
        return set_cell_size(shown, cells)
    return " " * missing + shown if right else shown + " " * missing


def clipped(content: Content, cells: int) -> Content:
    """Return styled text clipped with … to at most so many cells."""
    return content.truncate(max(0, cells), ellipsis=True)
