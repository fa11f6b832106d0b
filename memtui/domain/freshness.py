"""Freshness: the share of trust left since a memory was last verified.

freshness = floor + (1 - floor) * 2^(-age / half_life). It only demotes, never deletes.
"""

from __future__ import annotations

import math
from datetime import datetime, timedelta

from memtui.domain.kinds import Kinds
from memtui.domain.memory import Memory

FLOOR = 0.05
"""No memory falls below this share."""

REVIEW_THRESHOLD = 0.5
"""Below this freshness a memory is due for review."""

SHORTEST_HALF_LIFE, LONGEST_HALF_LIFE = 0.01, 1_000_000.0
"""The half-lives, in days, that one memory may have."""

GAMMA_SHAPE = 2.0
"""Shape `a` of the Gamma prior on the rate at which a kind's facts expire; its rate is 2 H / ln 2 days."""

_DAY_SECONDS = 86_400.0


def last_trusted_at(memory: Memory) -> datetime:
    """Return when the memory was last verified, else observed, else created."""
    return memory.verified_at or memory.observed_at or memory.created_at


def first_trusted_at(memory: Memory) -> datetime:
    """Return when the memory was first known: observed, else created."""
    return memory.observed_at or memory.created_at


def half_life_days(memory: Memory, kinds: Kinds) -> float:
    """Return the effective half-life of one memory in days.

    The memory's own if a person set one; else, with the Gamma prior of its kind and t the days it has
    already been verified to hold, ln 2 * (b + t) / a.
    """
    if memory.half_life_days is not None:
        return memory.half_life_days
    default = kinds.get(memory.kind).half_life_days
    if memory.verified_at is None:
        return default
    held = max(0.0, (memory.verified_at - first_trusted_at(memory)).total_seconds() / _DAY_SECONDS)
    return half_life_after(default, held)


def half_life_after(default: float, held: float) -> float:
    """Return the half-life of what was verified to hold for so long, all in days: ln 2 * (b + t) / a."""
    rate = GAMMA_SHAPE * default / math.log(2)
    return math.log(2) * (rate + held) / GAMMA_SHAPE


def freshness(memory: Memory, now: datetime, kinds: Kinds) -> float:
    """Return the freshness of a memory at a moment, in FLOOR–1; 1.0 if pinned.

    A date in the future counts as now.
    """
    if memory.pinned:
        return 1.0
    age = max(0.0, (now - last_trusted_at(memory)).total_seconds() / _DAY_SECONDS)
    return decay(age, half_life_days(memory, kinds))


def decay(age_days: float, half_life: float) -> float:
    """Return freshness at an age for a half-life, both in days."""
    return FLOOR + (1.0 - FLOOR) * math.pow(2.0, -age_days / half_life)


def due_at(memory: Memory, kinds: Kinds, threshold: float = REVIEW_THRESHOLD) -> datetime | None:
    """Return when a memory becomes due for review, or None if it never does.

    The moment its freshness crosses the threshold, or its own `due_at` if that is earlier; a snooze
    defers both. A pinned memory has its own `due_at` alone.
    """
    if memory.pinned:
        return _deferred(memory.due_at, memory) if memory.due_at else None
    days = half_life_days(memory, kinds) * math.log2((1.0 - FLOOR) / (threshold - FLOOR))
    try:
        crossing = last_trusted_at(memory) + timedelta(days=days)
    except OverflowError:
        crossing = datetime.max.replace(tzinfo=memory.created_at.tzinfo)
    return _deferred(min(crossing, memory.due_at) if memory.due_at else crossing, memory)


def _deferred(due: datetime, memory: Memory) -> datetime:
    return max(due, memory.snoozed_until) if memory.snoozed_until else due
