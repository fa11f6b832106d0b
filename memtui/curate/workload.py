"""How many reviews the coming weeks bring with a threshold, a daily number and a holiday."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from datetime import datetime, timedelta

from memtui.curate.decay import Knobs, Snapshot
from memtui.domain.freshness import crossing_days
from memtui.vault.review_triggers import Fading

_FURTHEST_DAYS = 3_650.0


@dataclass(frozen=True, slots=True)
class Week:
    """Seven days from a moment on; the first of a forecast begins now and has what is due already."""

    begins: datetime
    due: int  # how many memories become due in it
    reviewed: int  # how many are reviewed at the daily number; all of them without one
    left: int  # how many still wait at its end


def workload(snapshot: Snapshot, knobs: Knobs, *, daily: int = 0, weeks: int) -> list[Week]:
    """Return the reviews of the coming weeks, what was reviewed not counted again.

    `daily`: how many are reviewed a day, 0 for all that are due. Nothing becomes due and nothing is reviewed in a
    holiday; what would have become due in it waits for its end.
    """
    now, kinds = snapshot.now, snapshot.in_force
    coming: Counter[int] = Counter()
    for memory in snapshot.memories:
        days = _days_until_due(snapshot, memory, knobs)
        if days < _FURTHEST_DAYS:
            when = kinds.after_holiday(kinds.review_moment(now) + timedelta(days=days))
            coming[max(0, (when - now).days // 7)] += 1
    found: list[Week] = []
    left = 0
    for number in range(weeks):
        begins = now + timedelta(weeks=number)
        open_days = sum(not kinds.is_holiday(begins + timedelta(days=day)) for day in range(7))
        waiting = left + coming[number]
        reviewed = min(waiting, daily * open_days) if daily else waiting if open_days else 0
        left = waiting - reviewed
        found.append(Week(begins, coming[number], reviewed, left))
    return found


def _days_until_due(snapshot: Snapshot, memory: Fading, knobs: Knobs) -> float:
    """Return after how many days a memory is due, 0 if it is, infinity if no day is known."""
    threshold = snapshot.threshold if knobs.threshold is None else knobs.threshold
    floor = snapshot.in_force.floor if knobs.floor is None else knobs.floor
    half_life = snapshot.half_life(memory, knobs) * memory.pace
    fades = math.inf if memory.pinned else crossing_days(half_life, threshold, floor) - memory.waited_days
    is_asked = memory.due or memory.id in snapshot.others
    own = math.inf if memory.own_due_days is None else memory.own_due_days
    return max(0.0, memory.asleep_days, 0.0 if is_asked else min(fades, own))
