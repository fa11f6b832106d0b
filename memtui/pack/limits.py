"""Limits of the assistants: what a target takes at most, in its own unit."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from memtui.errors import UsageError
from memtui.text.quantities import Budget, parse_budget

LimitUnit = Literal["tokens", "chars", "bytes", "lines"]

UNLIMITED = "none"
"""What people write for no limit."""

_LINES = re.compile(r"(?P<number>[0-9]{1,3}(?:[,_][0-9]{3})+|[0-9]{1,9})\s*lines?", re.IGNORECASE)
_BETWEEN = re.compile(r"\s+and\s+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Limit:
    """The most that fits: a budget's unit, or lines."""

    amount: int
    unit: LimitUnit

    @classmethod
    def of_budget(cls, budget: Budget) -> Limit:
        """Return a budget as a limit."""
        return cls(budget.amount, budget.unit)

    def __str__(self) -> str:
        """Return it as people write it, e.g. `10,000 chars`."""
        return f"{self.amount:,} {self.unit}"


def parse_limits(text: str) -> tuple[Limit, ...]:
    """Return limits from `10000 chars`, `32 KiB` or `200 lines and 25000 bytes`; none from `none` and nothing.

    Raises:
        UsageError: it is no such limit.
    """
    if text.strip().lower() in {"", UNLIMITED}:
        return ()
    return tuple(_limit(part) for part in _BETWEEN.split(text.strip()))


def _limit(text: str) -> Limit:
    lines = _LINES.fullmatch(text)
    if lines:
        return Limit(int(lines["number"].replace(",", "").replace("_", "")), "lines")
    try:
        return Limit.of_budget(parse_budget(text))
    except UsageError as error:
        raise UsageError(
            "no limit of a target",
            where=text[:60],
            remedy="Write it like `10000 chars`, `32 KiB`, `200 lines and 25000 bytes`, or none.",
        ) from error
