"""Sizes, spans of time and days as people write them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

from memtui.errors import UsageError

Unit = Literal["tokens", "chars", "bytes"]

LARGEST_BUDGET = 1_000_000_000

_BUDGET = re.compile(
    r"(?P<number>\d+(?:[._]\d+)*)\s*(?P<factor>[kKmM]?)\s*(?P<unit>tokens?|chars?|characters?|bytes?|i?b|)",
    re.IGNORECASE,
)
_DURATION = re.compile(
    r"(?P<number>\d+(?:\.\d+)?)\s*(?P<unit>h(?:ours?)?|d(?:ays?)?|w(?:eeks?)?|m(?:o|onths?)?|y(?:ears?)?)",
    re.IGNORECASE,
)
_DAYS = {"h": 1 / 24, "d": 1.0, "w": 7.0, "m": 30.0, "y": 365.0}


@dataclass(frozen=True, slots=True)
class Budget:
    """The largest size of a payload."""

    amount: int
    unit: Unit

    def __str__(self) -> str:
        """Return it as people write it."""
        return f"{self.amount:,} {self.unit}"


def parse_budget(text: str) -> Budget:
    """Return a budget from `1200`, `2k`, `10000 chars` or `32 KiB`; a bare number is tokens, 0 is legal.

    Raises:
        UsageError: it is no such size.
    """
    found = _BUDGET.fullmatch(text.strip())
    number = _number(found["number"]) if found else None
    if found is None or number is None:
        raise UsageError("No budget", where=text[:60], remedy="Write it like 1200, 2k, `10000 chars` or `32 KiB`.")
    unit = found["unit"].lower()
    binary = unit == "ib" or (found["factor"] in {"K", "M"} and unit == "b")
    factor = {"": 1, "k": 1024 if binary else 1000, "m": 1024**2 if binary else 1000**2}[found["factor"].lower()]
    kind: Unit = "chars" if unit.startswith("char") else "bytes" if unit.startswith(("b", "ib")) else "tokens"
    return Budget(min(LARGEST_BUDGET, int(number * factor)), kind)


def _number(text: str) -> float | None:
    try:
        return float(text.replace("_", ""))
    except ValueError:
        return None


def parse_duration(text: str) -> float:
    """Return days from `36h`, `90d`, `2w`, `6 months` or `1y`.

    Raises:
        UsageError: it is no such time.
    """
    found = _DURATION.fullmatch(text.strip())
    if found is None:
        raise UsageError("No span of time", where=text[:60], remedy="Write it like 36h, 90d, 2w, `6 months` or 1y.")
    return float(found["number"]) * _DAYS[found["unit"][0].lower()]


def parse_day(text: str) -> datetime:
    """Return a UTC time from a day (its midnight) or an ISO 8601 time.

    Raises:
        UsageError: it is neither.
    """
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError:
        raise UsageError("No day", where=text[:60], remedy="Write it like 2026-01-31.") from None
    try:
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except OverflowError:
        raise UsageError("A day outside the calendar", where=text[:60], remedy="Write it like 2026-01-31.") from None
