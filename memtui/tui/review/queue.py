"""The queue of a review session, and the panes that show it."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from datetime import datetime
from itertools import pairwise

from textual.containers import Horizontal

from memtui.curate.review_sessions import Progress
from memtui.tui.review.queries import Opened, ReviewCard
from memtui.tui.review.view import (
    PANES,
    READING,
    TAKING,
    end_blocks,
    file_blocks,
    memory_blocks,
    similar_blocks,
    why_title,
)
from memtui.tui.widgets.curve import CurveView
from memtui.tui.widgets.detail import DetailPane, SeenPane


class ReviewPanes:
    """The memory, and beside it as much evidence as has room.

    Attributes:
        memory: the text, of which it is known whether it was seen.
        evidence: the container of the other panes.
    """

    def __init__(self) -> None:
        self.memory = SeenPane(id="review-memory")
        self._curve = CurveView(id="review-curve")
        self._files = DetailPane(id="review-files")
        self._similar = DetailPane(id="review-similar")
        self.evidence = Horizontal(self._curve, self._files, self._similar, id="review-evidence")
        for pane in (self.memory, self._curve, self._files, self._similar):
            pane.add_class("pane")

    def show(self, card: ReviewCard, *, from_top: bool) -> None:
        """Show a memory and its evidence."""
        title, rest = why_title(card, self.memory.size.width)
        self.memory.set_title(title)
        shown = self._shown_evidence()
        self.memory.show(memory_blocks(card, why=rest, panes=shown), from_top=from_top)
        self._curve.show(card.curve)
        together = "similar" not in shown
        self._files.set_title("Files and neighbours" if together else "What changed in its files")
        self._similar.set_title("Neighbours")
        self._files.show([*file_blocks(card), *(similar_blocks(card, gap=True) if together else ())], from_top=True)
        self._similar.show(similar_blocks(card), from_top=True)

    def _shown_evidence(self) -> AbstractSet[str]:
        """Return which evidence has a pane of its own at this size."""
        if not self.evidence.display:
            return frozenset()
        return PANES if self._similar.display else PANES - {"similar"}

    def clear(self, *, is_first: bool) -> None:
        """Show that the next memory is being read: a key must never decide on one that was not seen."""
        self._curve.set_title("Freshness")
        self.memory.show_unseen()
        self.memory.set_title("Why now")
        self.memory.show((TAKING if is_first else READING,), from_top=True)
        self._curve.show(None)
        for pane in (self._files, self._similar):
            pane.show((), from_top=True)

    def show_end(self, opened: Opened, now: datetime) -> None:
        """Show the receipt, or why nothing is due."""
        self.memory.set_title("Receipt" if opened.receipt is not None else "Review")
        self.memory.show(end_blocks(opened, now), from_top=True)


STEPS = (0, 1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50, 60, 75, 90, 120, 150, 180, 240, 300)
"""Minutes that are shown; nobody plans in finer steps."""

DAMPING = 0.2
"""Share of a new pace that is taken at once: the median of few verdicts leaps between 5 and 40 s, and a fifth of that
moves 20 memories by two minutes."""

SLACK = 0.5
"""Share of a step by which an estimate may be beyond it before another is shown."""


class Queue:
    """The memories of a session and the current one; those with a verdict on its way count as reviewed.

    Attributes:
        opened: the session as read last, None before the first read.
        decided: memories with a verdict that is being saved.
        place: index of the current memory.
    """

    def __init__(self) -> None:
        self.opened: Opened | None = None
        self.decided: set[str] = set()
        self.place = 0

    @property
    def ids(self) -> tuple[str, ...]:
        """All memories of the session."""
        return self.opened.session.ids if self.opened else ()

    @property
    def current(self) -> str | None:
        """The current memory."""
        return self.ids[self.place] if self.place < len(self.ids) else None

    @property
    def reviewed(self) -> AbstractSet[str]:
        """The memories that need no further look."""
        return (self.opened.progress.results.keys() if self.opened else set()) | self.decided

    @property
    def is_over(self) -> bool:
        """Whether a session was read of which nothing is left."""
        return self.opened is not None and not self.opened.progress.left

    @property
    def asks_about_pack(self) -> bool:
        """Whether feedback on a pack is asked for."""
        return self.opened is not None and self.is_over and bool(self.opened.packs)

    def next_open(self, after: int, step: int = 1) -> int:
        """Return the next place that is not reviewed, wrapping around the end; the same one where all are."""
        ids, reviewed = self.ids, self.reviewed
        for distance in range(1, len(ids) + 1):
            place = (after + step * distance) % len(ids)
            if ids[place] not in reviewed:
                return place
        return max(0, after)


class TimeLeft:
    """An estimate from the pace of a session, damped, and shown in steps."""

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
        """Return the step of an estimate: the one shown last while the estimate is not clearly beyond it."""
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
