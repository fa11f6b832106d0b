"""Until when something holds that a person said: the date that the words name, in seven languages."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

_MONTHS = (
    "january jan januar janvier janv enero ene janeiro",
    "february feb februar février fevrier févr febrero fevereiro fev",
    "march mar märz maerz mrz mars marzo março marco",
    "april apr avril avr abril abr",
    "may mai mayo maio",
    "june jun juni juin junio junho",
    "july jul juli juillet juil julio julho",
    "august aug août aout agosto ago",
    "september sep sept septembre septiembre setembro set",
    "october oct oktober okt octobre octubre outubro out",
    "november nov novembre noviembre novembro",
    "december dec dezember dez décembre decembre déc diciembre dic dezembro",
)
"""The names of months in English, German, French, Spanish and Portuguese."""

_NUMBERS = {name: number for number, names in enumerate(_MONTHS, 1) for name in names.split()}
_NAME = rf"\b(?P<name>{'|'.join(sorted(_NUMBERS, key=len, reverse=True))})\b\.?"
_YEAR = r"(?:,? (?:de |of )?(?P<year>20\d\d))?"
_UNTIL = re.compile(r"\b(?:until|till|through|before|bis|vor|jusqu'\w*|avant|hasta|antes|até)\b")
_UNTIL_AFTER = re.compile(r"まで|为止|之前|以前")  # Stand behind the date
_REACH = 40  # Characters beside the word within which the date stands
_DATES = tuple(
    re.compile(pattern)
    for pattern in (
        r"(?P<year>20\d\d)-(?P<month>\d\d)-(?P<day>\d\d)",
        r"(?P<day>\d{1,2})\.(?P<month>\d{1,2})\.(?P<year>20\d\d)",
        rf"\b(?P<day>\d{{1,2}})(?:st|nd|rd|th|er|º)?\.? (?:de |of )?{_NAME}{_YEAR}",
        rf"{_NAME} (?P<day>\d{{1,2}})(?:st|nd|rd|th)?\b(?:,? (?P<year>20\d\d))?",
        rf"{_NAME}{_YEAR}",
        r"(?:(?P<year>20\d\d)年)?(?P<month>\d{1,2})月(?:(?P<day>\d{1,2})日)?",
        r"\b(?P<year>20\d\d)\b",
    )
)


def end_of(plain: str, said: datetime | None) -> datetime | None:
    """Return the end that words in lower case give to what they say; None where they name no date.

    `said`: when it was said; a date without a year is the next one. A month or a year ends with its last day.
    """
    places = [plain[found.end() :][:_REACH] for found in _UNTIL.finditer(plain)]
    places += [plain[max(0, found.start() - _REACH) : found.start()] for found in _UNTIL_AFTER.finditer(plain)]
    dates = (date for place in places for pattern in _DATES if (date := pattern.search(place)) is not None)
    return next((end for date in dates if (end := _end(date.groupdict(), said)) is not None), None)


def _end(parts: dict[str, str | None], said: datetime | None) -> datetime | None:
    month = _NUMBERS.get(parts.get("name") or "") or int(parts.get("month") or 12)
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
