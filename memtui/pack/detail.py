"""How much of each memory a payload holds where not all fit whole."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from memtui.recall.result import Hit, order_key

Detail = Literal["most", "much", "some", "little"]
"""How much of a memory is kept: of the nearest one, of the next, of what is near, of what is less so."""

BEST_FIRST = 3  # Hits taken by score before size counts, in more detail: the best must not lose to small ones
NEAR = 0.8  # Below this share of the second best score a memory is reduced to its rules

WHOLE, OPENING = "whole", "opening"
"""Other values of detail: the whole text, or as much of a giant as fits, with a mark."""

DETAIL_WORDS: Mapping[str, str] = {
    "most": "shortened",
    "much": "shortened",
    "some": "shortened",
    "little": "rules alone",
    OPENING: "its opening alone",
}
"""How a shortened memory is described to a person."""


def details_of(hits: Sequence[Hit]) -> Mapping[str, Detail]:
    """Return how much of each hit is kept, by its score, which a recorded pack has too; pins count as near the task."""
    ranked = sorted((hit for hit in hits if not hit.memory.pinned), key=order_key)
    second_best = _score_at(1, ranked)
    details: dict[str, Detail] = {hit.memory.id: "some" for hit in hits}
    for place, hit in enumerate(ranked):
        if place < BEST_FIRST:
            details[hit.memory.id] = "much" if place else "most"
        elif hit.score < NEAR * second_best:
            details[hit.memory.id] = "little"
    return details


def _score_at(place: int, ranked: Sequence[Hit]) -> float:
    """Return the score of a hit by its place, of the last one where there are fewer."""
    scores = sorted((hit.score for hit in ranked), reverse=True)
    return scores[min(place, len(scores) - 1)] if scores else 0.0
