"""Widths in terminal cells; cutting and padding never split a grapheme."""

from __future__ import annotations

REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
_SHOWN = {character: REPLACEMENT for character in [*range(32), *range(127, 160)]}
"""A control character never reaches the terminal: it stands as one visible mark."""


def cell_width(text: str) -> int:
    """Return how many cells a line of text takes."""
    if text.isascii():
        return len(text)
    from wcwidth import width

    return width(text.translate(_SHOWN))


def clip(text: str, cells: int, ellipsis: str = "…") -> str:
    """Return the text cut to at most so many cells, with an ellipsis where something was cut."""
    if cells <= 0:
        return ""
    # No more than this many characters can matter: a grapheme of many code points is cut as well.
    head = text[: cells * 16 + 16].translate(_SHOWN)
    if len(head) == len(text) and cell_width(head) <= cells:
        return head
    room = cells - cell_width(ellipsis)
    if room <= 0:
        return ellipsis if room == 0 else ""
    if head.isascii():
        return head[:room] + ellipsis
    return _head(head, room) + ellipsis


def _head(text: str, room: int) -> str:
    from wcwidth import iter_graphemes, width

    kept: list[str] = []
    used = 0
    for grapheme in iter_graphemes(text):
        used += width(grapheme)
        if used > room:
            break
        kept.append(grapheme)
    return "".join(kept)


def pad(text: str, cells: int) -> str:
    """Return the text cut or filled with blanks to exactly so many cells."""
    clipped = clip(text, cells)
    return clipped + " " * (cells - cell_width(clipped))
