"""Text on screen: fitted to cells, wrapped, highlighted, and marked where it differs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from rich.cells import cell_len, set_cell_size
from textual.content import Content

from memtui.text.sanitize import reveal
from memtui.text.words import cell_width, clip, steady

if TYPE_CHECKING:
    from memtui.curate.merge import Marked


def fit(text: str, cells: int, *, right: bool = False) -> str:
    """Return a text clipped with … and padded to exactly so many cells, its emoji in forms of undisputed width.

    Clipping keeps graphemes whole. What terminals and libraries still disagree on is padded by the measure that the
    screen is put together with.
    """
    if cells <= 0:
        return ""
    shown = clip(steady(text), cells)
    if (missing := cells - cell_len(shown)) < 0:
        return set_cell_size(shown, cells)
    return " " * missing + shown if right else shown + " " * missing


def clipped(content: Content, cells: int) -> Content:
    """Return styled text clipped with … to at most so many cells."""
    return content.truncate(max(0, cells), ellipsis=True)


_TAB = "    "
_CUT_CHARACTERS = 24
_LIST_MARK = re.compile(r"[-+]?(?:[-*+>~]|\d{1,3}[.)]) +")  # Also behind the sign of a line of a difference
_QUANTITY = re.compile(r"(?<=\d) (?:ms|s|min|h|d|mo|y|kB|MB|GB|tok)(?: ago)?\b")
_BOUND = "\ufdd0"  # Of one cell, no blank and in no text: it is no character


def bind(text: str) -> str:
    """Return a text of the same length that does not break between a number and its unit; `loosen` undoes it."""
    return _QUANTITY.sub(lambda found: found.group().replace(" ", _BOUND), text)


def loosen(text: str) -> str:
    """Return a text that was bound, with its blanks."""
    return text.replace(_BOUND, " ")


def wrap(line: str, cells: int) -> list[str]:
    """Return a text line as lines of the screen: broken at spaces, else between what is seen as one character.

    A number stays with its unit. What follows the first is set in as far as the line itself, and its list mark, are.
    """
    shown = steady(reveal(line.replace("\t", _TAB)))
    if len(shown) <= cells and shown.isascii():
        return [shown]
    shown = bind(shown)
    margin = margin_of(shown, cells)
    lines: list[str] = []
    current, used = "", 0
    for word, width in _parts(shown, cells - len(margin)):
        if used and used + width > cells:
            lines.append(loosen(current).rstrip())
            current = margin if word.isspace() else margin + word
            used = len(margin) + (0 if word.isspace() else width)
        else:
            current, used = current + word, used + width
    return [*lines, loosen(current).rstrip()] if current.strip() or not lines else lines


def margin_of(text: str, cells: int) -> str:
    """Return how far a line is set in once it is wrapped: as far as it begins, and behind its list mark."""
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


StyleName = Literal["title", "text", "dim", "label", "code", "warning", "good", "bar", "heading", "path"]

Piece = tuple[str, StyleName]

_FENCE = re.compile(r"\s{0,3}(?:```|~~~)")
_HEADING = re.compile(r"#{1,6} ")
_BULLET = re.compile(r"\s*(?:[-*+]|\d{1,3}[.)])(?= )")
# A path begins where a word does and each part is bounded, so that a line of a million characters costs a look at each.
_MARKED = re.compile(
    r"(?P<code>`[^`\n]{1,200}`)|(?<![\w./-])(?P<path>(?:\.{0,2}/)?(?:[\w.-]{1,80}/){1,12}[\w.*-]{1,80})"
)


def fenced_lines(lines: Iterable[str]) -> set[int]:
    """Return the indexes of lines that stand between the fences of code."""
    found: set[int] = set()
    fenced = False
    for index, line in enumerate(lines):
        if _FENCE.match(line):
            fenced = not fenced
        elif fenced:
            found.add(index)
    return found


def highlighted(text: str, *, fenced: bool = False) -> tuple[Piece, ...]:
    """Return a text in pieces with their styles; joined, they are the text. `fenced`: whether it begins within code."""
    pieces: list[Piece] = []
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


LONGEST_SHOWN = 20_000  # Characters of one text that the detail pane shows


def marked_pieces(marked: Marked, plain: StyleName = "text") -> tuple[Piece, ...]:
    """Return a text with the words that differ in brackets."""
    pieces: list[Piece] = []
    left = LONGEST_SHOWN
    for part, differs in _joined(marked):
        if left <= 0:
            break
        shown = reveal(part[:left])
        left -= len(part)
        core = shown.strip()
        if not differs or not core:
            pieces.append((shown, plain))
            continue
        start = shown.index(core)
        pieces += [(shown[:start], plain), (f"[{core}]", "warning"), (shown[start + len(core) :], plain)]
    if left <= 0:
        pieces.append(("\n… the rest is not shown", "dim"))
    return tuple(piece for piece in pieces if piece[0]) or (("(empty)", "dim"),)


_BEFORE_DIFFERENCE = 60  # Characters shown before the first word that differs
_AROUND_DIFFERENCE = 24  # Characters shown on either side of what is left out between two words that differ


def from_difference(marked: Marked, most: int) -> Marked:
    """Return a text of at most about so many characters; a longer one without what is far from words that differ."""
    if sum(len(part) for part, _ in marked) <= most:
        return tuple(marked)
    shown: list[tuple[str, bool]] = []
    room = most
    for place, (part, differs) in enumerate(marked):
        near = part if differs or place == len(marked) - 1 else _near_difference(part, is_first=place == 0)
        if len(near) > room:
            return (*shown, (near[:room], differs), ("…", False))
        shown.append((near, differs))
        room -= len(near)
    return tuple(shown)


def _near_difference(part: str, *, is_first: bool) -> str:
    """Return a part before a word that differs without its middle, or its beginning if it is the first."""
    before, after = (0, _BEFORE_DIFFERENCE) if is_first else (_AROUND_DIFFERENCE, _AROUND_DIFFERENCE)
    if len(part) <= 2 * before + after:
        return part
    end = part[-after:]
    return f"{part[:before]}… {end[end.find(' ') + 1 :]}"


def _joined(marked: Marked) -> list[tuple[str, bool]]:
    """Return the parts with words in a row that differ as one: `[Lock key is]`, not `[Lock] [key] [is]`."""
    joined: list[tuple[str, bool]] = []
    for place, (part, differs) in enumerate(marked):
        between = not part.strip() and 0 < place < len(marked) - 1 and marked[place - 1][1] and marked[place + 1][1]
        if joined and joined[-1][1] and (differs or between):
            joined[-1] = (joined[-1][0] + part, True)
        else:
            joined.append((part, differs))
    return joined


@dataclass(frozen=True, slots=True)
class Block:
    """Some text, wrapped as one paragraph or kept line by line."""

    pieces: tuple[Piece, ...]  # text with the name of its style
    label: str = ""  # word in the margin; blocks with one have their text indented
    gap: bool = False  # whether an empty line comes before
    markdown: bool = False  # whether it may be rendered as Markdown
