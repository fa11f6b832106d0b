"""Wrapping a text into lines of the screen at words, by cells, without losing a character that is seen."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memtui.text.sanitising import reveal
from memtui.text.width import cell_width, steady

_TAB = "    "
_CUT_CHARACTERS = 24
_LIST_MARK = re.compile(r"[-*+] |\d{1,3}[.)] ")


def wrap(line: str, cells: int) -> list[str]:
    """Return a text line as lines of the screen: broken at spaces, else between what is seen as one character.

    What follows the first is set in as far as the line itself, and its list mark, are.
    """
    shown = steady(reveal(line.replace("\t", _TAB)))
    if len(shown) <= cells and shown.isascii():
        return [shown]
    margin = _margin(shown, cells)
    lines: list[str] = []
    current, used = "", 0
    for word, width in _parts(shown, cells - len(margin)):
        if used and used + width > cells:
            lines.append(current.rstrip())
            current = margin if word.isspace() else margin + word
            used = len(margin) + (0 if word.isspace() else width)
        else:
            current, used = current + word, used + width
    return [*lines, current.rstrip()] if current.strip() or not lines else lines


def _margin(text: str, cells: int) -> str:
    blanks = len(text) - len(text.lstrip(" "))
    mark = _LIST_MARK.match(text, blanks)
    return " " * min(blanks + (len(mark.group()) if mark else 0), cells // 3)


def _parts(text: str, cells: int) -> Iterator[tuple[str, int]]:
    """Yield words and the blanks between them with their widths; what is wider than a line comes in pieces."""
    start, blank = 0, text[:1] == " "
    for place in range(1, len(text) + 1):
        if place < len(text) and (text[place] == " ") == blank:
            continue
        part = text[start:place]
        width = cell_width(part)
        if width <= cells:
            yield part, width
        else:
            yield from _pieces(part, cells)
        start, blank = place, not blank


def _pieces(text: str, cells: int) -> Iterator[tuple[str, int]]:
    if text.isascii():
        for start in range(0, len(text), cells):
            piece = text[start : start + cells]
            yield piece, len(piece)
        return
    from wcwidth import iter_graphemes

    piece, used = "", 0
    for grapheme in iter_graphemes(text):
        width = cell_width(grapheme)
        if piece and used + width > cells:
            yield piece, used
            piece, used = "", 0
        piece, used = piece + grapheme[:_CUT_CHARACTERS], used + width
    if piece:
        yield piece, used
