"""Ages, freshness bars and texts of others as the screens show them."""

from __future__ import annotations

from datetime import datetime

from memtui.text.sanitising import reveal

BAR_CELLS = 5
AGE_CELLS = 5
MARK_PINNED = "●"
MARK_DUE = "!"

_EIGHTHS = " ▏▎▍▌▋▊▉█"
_DAY_SECONDS = 86_400.0
_DAYS_SHOWN = 60
_MONTH_DAYS = 30.44
_MONTHS_SHOWN = 24
_LONGEST_LINE = 400


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


def tame(text: str, longest: int = _LONGEST_LINE) -> str:
    """Return the beginning of a text as one line, hidden and control characters written out."""
    beginning = text[:longest]
    return reveal(" ".join(beginning.split())) + ("…" if len(text) > longest else "")


def counted(number: int, noun: str, many: str) -> str:
    """Return `1 memory`, `1,143 memories`."""
    return f"{number:,} {noun if number == 1 else many}"
