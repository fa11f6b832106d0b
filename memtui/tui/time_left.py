"""How long a review takes yet, told so that it stays put: a glance at it must not be worth a second one."""

from __future__ import annotations

from itertools import pairwise

from memtui.curate.sessions import Progress

STEPS = (0, 1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50, 60, 75, 90, 120, 150, 180, 240, 300)
"""Minutes that are told; between them nobody plans."""

DAMPING = 0.2
"""Share of a new pace that is taken at once: the median of few verdicts leaps between 5 and 40 s, and a fifth of that
moves 20 memories by two minutes."""

SLACK = 0.5
"""Share of a step by which an estimate may be beyond it before another is told."""


class TimeLeft:
    """An estimate from the pace of a session, damped, and told in steps."""

    def __init__(self) -> None:
        self._minutes_each: float | None = None
        self._step = -1

    def take(self, progress: Progress) -> None:
        """Take in the pace so far."""
        if not progress.left:
            return
        each = progress.minutes_left / progress.left
        self._minutes_each = each if self._minutes_each is None else _between(self._minutes_each, each, DAMPING)

    def words(self, left: int) -> str:
        """Return `28 left, about 6 min` for so many memories."""
        if not left or self._minutes_each is None:
            return "all done"
        minutes = STEPS[self._place(self._minutes_each * left)]
        return f"{left:,} left, " + (f"about {minutes} min" if minutes else "under a minute")

    def _place(self, minutes: float) -> int:
        """Return the step of an estimate: the one told last while the estimate is not clearly beyond it."""
        # Under a minute is less than one, not less than a half.
        bounds = [1.0, *(_between(low, high, 0.5) for low, high in pairwise(STEPS[1:]))]
        if self._step >= 0:
            low = bounds[self._step - 1] if self._step else 0.0
            high = bounds[self._step] if self._step < len(bounds) else float("inf")
            slack = SLACK * min(high - low, STEPS[-1])
            if low - slack <= minutes < high + slack:
                return self._step
        self._step = sum(1 for bound in bounds if minutes >= bound)
        return self._step


def _between(low: float, high: float, share: float) -> float:
    return low + share * (high - low)
