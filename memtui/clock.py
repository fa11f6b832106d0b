"""The one clock: UTC, whole microseconds, injectable.

`MEMTUI_NOW` freezes it (ISO 8601), which makes exports, pictures and tests reproducible.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from memtui.errors import UsageError

Clock = Callable[[], datetime]


def now() -> datetime:
    """Return the present moment in UTC, or the frozen moment of `MEMTUI_NOW`.

    Raises `UsageError`: `MEMTUI_NOW` is not an ISO 8601 time.
    """
    frozen = os.environ.get("MEMTUI_NOW")
    if not frozen:
        return datetime.now(UTC)
    try:
        moment = datetime.fromisoformat(frozen)
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError):
        raise UsageError(
            "The environment variable is not an ISO 8601 time",
            where=f"MEMTUI_NOW={frozen}",
            remedy="Unset it, or write it like 2026-01-31T12:00:00Z.",
        ) from None


def days_after(moment: datetime, days: float) -> datetime:
    """Return the moment so many days later (earlier if negative), within the range of datetime."""
    try:
        return moment + timedelta(days=days)
    except OverflowError:
        return datetime.max.replace(tzinfo=UTC) if days > 0 else datetime.min.replace(tzinfo=UTC)
