"""The panes of Review: a memory with its evidence, or the end of a session."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from datetime import datetime

from textual.containers import Horizontal

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
