"""Widths in terminal cells; cutting and padding never split what is displayed as one character."""

from __future__ import annotations

import re
from collections.abc import Collection
from itertools import islice

REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
"""Replaces a control character, which must not reach the terminal."""

_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_BLANK = frozenset("\t\n\r\x0b\x0c\x85")
_EMOJI = (
    "\u00a9\u00ae\u203c\u2049\u2122\u2139\u2190-\u21ff\u2300-\u23ff\u24c2\u25a0-\u27bf\u2934\u2935\u2b00-\u2bff"
    "\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"
)
_FIRST_FLAG_LETTER = 0x1F1E6
# Variation selectors, joiners and skin tones between emoji, the letters of flags, and the tags behind a black flag.
_UNSTEADY = re.compile(
    f"[\ufe0e\ufe0f\U0001f1e6-\U0001f1ff\U000e0020-\U000e007f]"
    f"|(?<=[{_EMOJI}\ufe0f])\u200d(?=[{_EMOJI}])|(?<=[{_EMOJI}\ufe0f])[\U0001f3fb-\U0001f3ff]"
)
# Code points looked at per cell: more than any emoji has, and the cost of a 1 MB title stays that of a short one.
_LONGEST_GRAPHEME = 32


def cell_width(text: str) -> int:
    """Return how many cells a line takes; a control character takes one, for its replacement."""
    if text.isascii() or (text.endswith("…") and text[:-1].isascii()):
        return len(text)  # an English title, cut or not, loads no tables
    from wcwidth import width

    return width(_printable(text))


def steady(text: str) -> str:
    """Return a text with its emoji in forms that every terminal gives the same width.

    Terminals disagree on emoji made of several code points: tmux 3.3 gives a heart with a variation selector one cell
    where others give two, which shifts the rest of the line. So emoji lose selectors and skin tones, joined emoji are
    separated, and a flag becomes its two letters.
    """
    if text.isascii() or not _UNSTEADY.search(text):
        return text
    return _UNSTEADY.sub(_steadied, text)


def _steadied(match: re.Match[str]) -> str:
    place = ord(match.group()) - _FIRST_FLAG_LETTER
    return chr(ord("A") + place) if 0 <= place < 26 else ""  # noqa: PLR2004 - letters


def clip(text: str, cells: int) -> str:
    """Return a line cut to at most that many cells, ending in … if something was cut off.

    Control characters become U+FFFD, white space becomes blanks.
    """
    if cells <= 0:
        return ""
    head = _printable(text[: cells * _LONGEST_GRAPHEME])
    if len(head) == len(text) and cell_width(head) <= cells:
        return head
    return (head[: cells - 1] if head.isascii() else _fitting(head, cells - 1)) + "…"


def shorten(text: str, most: int) -> str:
    """Return a text of at most so many characters, ending in … if something was cut off."""
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"


def some_of(names: Collection[str], most: int, separator: str = ", ") -> str:
    """Return the first names of many, followed by … if some are left out."""
    return separator.join(islice(names, most)) + (" …" if len(names) > most else "")


def pad(text: str, cells: int) -> str:
    """Return a line cut or filled with blanks to exactly that many cells."""
    clipped = clip(text, cells)
    return clipped + " " * (cells - cell_width(clipped))


def _fitting(text: str, cells: int) -> str:
    """Return the leading graphemes that fit."""
    from wcwidth import iter_graphemes, width

    end = used = 0
    for grapheme in iter_graphemes(text):
        used += width(grapheme)
        if used > cells:
            break
        end += len(grapheme)
    return text[:end]


def _printable(text: str) -> str:
    if text.isprintable():
        return text
    return _CONTROL.sub(lambda match: " " if match.group() in _BLANK else REPLACEMENT, text)
