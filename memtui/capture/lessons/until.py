"""Until when something holds that a person said: the date that the words name, in seven languages."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from functools import cache

from memtui.text.tables import read_table

_YEAR = r"(?:,? (?:de |of )?(?P<year>20\d\d))?"
_UNTIL = re.compile(r"\b(?:until|till|through|before|bis|vor|jusqu'\w*|avant|hasta|antes|até)\b")
_UNTIL_AFTER = re.compile(r"まで|为止|之前|以前")  # Stand behind the date
_REACH = 40  # Characters beside the word within which the date stands


@cache
def _months() -> dict[str, int]:
    """Return the numbers of months by their names."""
    lines = read_table(__file__, "cues.toml")["months"]["names"].strip().split("\n")
    return {name: number for number, names in enumerate(lines, 1) for name in names.split()}


@cache
def _dates() -> tuple[re.Pattern[str], ...]:
    """Return how dates are written, in the order in which they are looked for."""
    name = rf"\b(?P<name>{'|'.join(sorted(_months(), key=len, reverse=True))})\b\.?"
    patterns = (
        r"(?P<year>20\d\d)-(?P<month>\d\d)-(?P<day>\d\d)",
        r"(?P<day>\d{1,2})\.(?P<month>\d{1,2})\.(?P<year>20\d\d)",
        rf"\b(?P<day>\d{{1,2}})(?:st|nd|rd|th|er|º)?\.? (?:de |of )?{name}{_YEAR}",
        rf"{name} (?P<day>\d{{1,2}})(?:st|nd|rd|th)?\b(?:,? (?P<year>20\d\d))?",
        rf"{name}{_YEAR}",
        r"(?:(?P<year>20\d\d)年)?(?P<month>\d{1,2})月(?:(?P<day>\d{1,2})日)?",
        r"\b(?P<year>20\d\d)\b",
    )
    return tuple(map(re.compile, patterns))


def end_of(plain: str, said: datetime | None) -> datetime | None:
    """Return the end that words in lower case give to what they say; None where they name no date.

    `said`: when it was said; a date without a year is the next one. A month or a year ends with its last day.
    """
    places = [plain[found.end() :][:_REACH] for found in _UNTIL.finditer(plain)]
    places += [plain[max(0, found.start() - _REACH) : found.start()] for found in _UNTIL_AFTER.finditer(plain)]
    dates = (date for place in places for pattern in _dates() if (date := pattern.search(place)) is not None)
    return next((end for date in dates if (end := _end(date.groupdict(), said)) is not None), None)


def _end(parts: dict[str, str | None], said: datetime | None) -> datetime | None:
    month = _months().get(parts.get("name") or "") or int(parts.get("month") or 12)
    day, stated = int(parts.get("day") or 0), int(parts.get("year") or 0)
    try:
        if stated or said is None:
            return _last_moment(stated, month, day) if stated else None
        end = _last_moment(said.year, month, day)
        return end if end > said else _last_moment(said.year + 1, month, day)
    except ValueError:
        return None


def _last_moment(year: int, month: int, day: int) -> datetime:
    """Return the end of a day, or of a month where no day is given. Raises ValueError: there is no such day."""
    if day:
        return datetime(year, month, day, tzinfo=UTC) + timedelta(days=1)
    return datetime(year + month // 12, month % 12 + 1, 1, tzinfo=UTC)
