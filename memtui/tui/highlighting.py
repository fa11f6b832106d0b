"""Light highlighting of plain text: headings, `code`, bullets, paths. Nothing is left out and nothing is moved."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

StyleName = Literal["title", "text", "dim", "label", "code", "warning", "good", "bar", "heading", "path"]

Piece = tuple[str, StyleName]

_FENCE = re.compile(r"\s{0,3}(?:```|~~~)")
_HEADING = re.compile(r"#{1,6} ")
_BULLET = re.compile(r"\s*(?:[-*+]|\d{1,3}[.)])(?= )")
# A path begins where a word does and each part is bounded, so that a line of a million characters costs a look at each.
_MARKED = re.compile(
    r"(?P<code>`[^`\n]{1,200}`)|(?<![\w./-])(?P<path>(?:\.{0,2}/)?(?:[\w.-]{1,80}/){1,12}[\w.*-]{1,80})"
)


def highlighted(text: str) -> tuple[Piece, ...]:
    """Return a text in pieces with their styles; joined, they are the text."""
    pieces: list[Piece] = []
    fenced = False
    for line in text.splitlines(keepends=True):
        if _FENCE.match(line):
            fenced = not fenced
            pieces.append((line, "dim"))
        elif fenced:
            pieces.append((line, "code"))
        elif _HEADING.match(line):
            pieces.append((line, "heading"))
        else:
            pieces += _line(line)
    return tuple(pieces)


def _line(line: str) -> Iterator[Piece]:
    bullet = _BULLET.match(line)
    start = bullet.end() if bullet else 0
    if bullet:
        yield bullet.group(), "label"
    for found in _MARKED.finditer(line, start):
        if found.start() > start:
            yield line[start : found.start()], "text"
        yield found.group(), "code" if found["code"] else "path"
        start = found.end()
    if start < len(line):
        yield line[start:], "text"
