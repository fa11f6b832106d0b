"""Text on screen: ages, freshness bars, columns of cells, wrapping."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime

from rich.cells import cell_len, set_cell_size
from textual.content import Content

from memtui.text.sanitize import reveal
from memtui.text.sanitize import tame as tame  # noqa: PLC0414 - re-exported
from memtui.text.width import cell_width, clip, steady
from memtui.text.words import counted as counted  # noqa: PLC0414 - re-exported

BAR_CELLS = 5
AGE_CELLS = 5
MARK_PINNED = "●"
MARK_DUE = "!"

_EIGHTHS = " ▏▎▍▌▋▊▉█"
_DAY_SECONDS = 86_400.0
_DAYS_SHOWN = 60
_MONTH_DAYS = 30.44
_MONTHS_SHOWN = 24


def days_between(earlier: datetime, later: datetime) -> float:
    """Return days from one moment to another, negative if it lies ahead."""
    return (later - earlier).total_seconds() / _DAY_SECONDS


def short_age(days: float) -> str:
    """Return an age in at most five cells where it is below a thousand years: today, 12 d, 5 mo, 3 y."""
    if days < 1:
        return "today"
    if days < _DAYS_SHOWN:
        return f"{int(days)} d"
    months = days / _MONTH_DAYS
    return f"{int(months)} mo" if months < _MONTHS_SHOWN else f"{int(months / 12)} y"


def ago(days: float) -> str:
    """Return when something was: today, 12 d ago."""
    return "today" if days < 1 else f"{short_age(days)} ago"


def freshness_bar(freshness: float, cells: int = BAR_CELLS) -> str:
    """Return a bar of eighths of a cell, padded to its cells; never empty."""
    eighths = max(1, min(cells * 8, round(freshness * cells * 8)))
    full, rest = divmod(eighths, 8)
    return ("█" * full + (_EIGHTHS[rest] if rest else "")).ljust(cells)


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
