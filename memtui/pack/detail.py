"""How much of each hit a compiled payload tells: by its rank, and by its score beside the second best."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from memtui.pack.compiled import Detail
from memtui.recall.result import Hit, Recall
from memtui.recall.withholding import Reason

BEST_FIRST = 3
"""So many hits are taken by score before size counts, and told in detail: the best must not lose to small ones."""

NEAR = 0.8
"""Below this share of the second best score a memory is told in one sentence."""

FAR_BY_WORDS = (1, 0.45)
FAR_BY_MEANING = (2, 0.2)
"""Which hit is the measure (counted from 0), and the share of its score below which a memory is withheld.

Not the best one, since it often stands alone, like a report beside its twin. Meaning draws the scores further apart
than words alone. On three sets (265 questions, ten hits each) 62 to 84 % of the memories are left by words, 59 to
72 % by meaning; of the questions that were answered all but one of 504 still are, and of all memories that were asked
for 90 to 100 %. The curve: tests/bench/test_bench_pack.py.
"""

WHOLE, OPENING = "whole", "opening"
"""What else may be told of a memory: every word of it, or as much of a giant as has room, with a mark."""

DETAIL_WORDS: Mapping[str, str] = {
    "most": "shortened",
    "much": "shortened",
    "some": "shortened",
    "little": "one sentence",
    OPENING: "its opening alone",
}
"""What a person is told of a memory that is not told whole."""

MEANING = "meaning"
"""Name of the part of a score that compares by meaning."""

TOO_FAR = Reason("far from the task (compiled)", "far from the task (compiled)")


def details_of(hits: Sequence[Hit]) -> Mapping[str, Detail]:
    """Return how much is told of each hit; pins, which no task asks for, are told as what is near."""
    ranked = [hit for hit in hits if not hit.memory.pinned]
    second_best = _score_at(1, ranked)
    details: dict[str, Detail] = {hit.memory.id: "some" for hit in hits}
    for place, hit in enumerate(ranked):
        if place < BEST_FIRST:
            details[hit.memory.id] = "much" if place else "most"
        elif hit.score < NEAR * second_best:
            details[hit.memory.id] = "little"
    return details


def far_from_task(hits: Sequence[Hit], recall: Recall) -> list[Hit]:
    """Return the hits that a compiled payload withholds, none of them pinned or put in by a person.

    Without words nothing is far from a task, and what no recall ranked is not either.
    """
    names = {part.name for hit in hits for part in hit.parts}
    if not recall.task.has_words or not names:
        return []
    put_in = {hit.memory.id for hit in recall.put_in}
    ranked = [hit for hit in hits if not hit.memory.pinned and hit.memory.id not in put_in]
    place, share = FAR_BY_MEANING if MEANING in names else FAR_BY_WORDS
    return [hit for hit in ranked[BEST_FIRST:] if hit.score < share * _score_at(place, ranked)]


def _score_at(place: int, ranked: Sequence[Hit]) -> float:
    """Return the score of a hit by its place, of the last one where there are fewer."""
    scores = sorted((hit.score for hit in ranked), reverse=True)
    return scores[min(place, len(scores) - 1)] if scores else 0.0
