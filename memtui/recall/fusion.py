"""Relevance by words and by meaning in one: a weighted sum whose weight follows the query.

Words are shares of the best BM25 score, meaning is the cosine's share of the way from the vault's background to the
nearest memory. The more of the query's weight the best memory matches, the more the words count; a task in other
words than the memory's goes by meaning alone. Where words are strong, so is the first answer: memories that are like
the best ones (feedback), or like two others that match (kin), rise with them.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from memtui.domain.reasons import Reason, ReasonCode
from memtui.recall.neighbours import Kinship
from memtui.recall.score import Part

WORDS_WEIGHT = 0.6
"""Weight of the words where they cover the query; 0.5 to 0.7 are within 0.01 nDCG@10 of each other on two sets."""

FULL_COVERAGE = 1.0
"""Coverage of the query's weight by the best memory at which words have their full weight; below it the weight falls
with the square. A fixed weight loses 0.24 recall@5 on tasks in other words, this loses nothing."""

FEEDBACK = 0.4
"""Share of the best answers' own meaning that is added to the task's: +0.02 nDCG@10, +0.02 recall@10."""

FEEDBACK_FROM = 3
"""Answers that feed back."""

KIN_WEIGHT = 0.3
"""Share of a memory's relevance that comes from the two memories most like it: +0.02 and +0.01 nDCG@10 on two sets."""

KIN = 2
"""Memories most like it that vouch for one."""

POOL = 60
"""Best memories by both that are compared with each other; with 100 nothing changes."""


@dataclass(frozen=True, slots=True)
class Fused:
    """What words and meaning add to the relevance of one memory.

    Attributes:
        words: by its own words.
        meaning: by its own meaning.
        kin: by the memories most like it.
        kin_keys: which those are, the most like it first.
    """

    words: float = 0.0
    meaning: float = 0.0
    kin: float = 0.0
    kin_keys: tuple[str, ...] = ()

    @property
    def total(self) -> float:
        """What they add together, 0 to 1."""
        return self.words + self.meaning + self.kin


@dataclass(frozen=True, slots=True)
class Evidence:
    """What is known of the memories that may be shown, by id.

    Attributes:
        words: share of the best score by words, 0–1.
        cosines: cosine with the task; memories without a vector are missing.
        background: mean cosine of the task with the whole vault.
        coverage: share of the query's weight that the best memory matches.
        kinship: cosine of two memories, the smaller id first.
    """

    words: Mapping[str, float]
    cosines: Mapping[str, float]
    background: float
    coverage: float
    kinship: Mapping[tuple[str, str], float] = field(default_factory=dict)

    def like(self, one: str, other: str) -> float:
        """Return the cosine of two memories, 0 if it is not known."""
        return max(0.0, self.kinship.get((min(one, other), max(one, other)), 0.0))


def trust_in_words(coverage: float) -> float:
    """Return how much of their full weight words have, 0–1, by the coverage of the best memory."""
    share: float = min(1.0, coverage / FULL_COVERAGE) ** 2
    return share


def fuse(evidence: Evidence) -> dict[str, Fused]:
    """Return the relevance by words and meaning of every memory that there is evidence on."""
    trust = trust_in_words(evidence.coverage)
    weight = WORDS_WEIGHT * trust
    first = _weighted(evidence, evidence.cosines, evidence.background, weight)
    best = sorted(first, key=lambda one: (-first[one].total, one))[:POOL]
    if not evidence.kinship or not trust:
        return first
    fed, background = _with_feedback(evidence, first, best, trust)
    second = first | _weighted(evidence, fed, background, weight, only=best)
    return second | _with_kin(evidence, second, best, KIN_WEIGHT * trust)


def meaning_share(cosine: float, background: float, nearest: float) -> float:
    """Return how far a cosine reaches from the background to the nearest memory, 0–1."""
    return max(0.0, (cosine - background) / (nearest - background)) if nearest > background else 0.0


def _weighted(
    evidence: Evidence,
    cosines: Mapping[str, float],
    background: float,
    weight: float,
    only: list[str] | None = None,
) -> dict[str, Fused]:
    nearest = max(cosines.values(), default=0.0)
    fused = {}
    for one in only if only is not None else {**evidence.words, **evidence.cosines}:
        words = evidence.words.get(one, 0.0)
        cosine = cosines.get(one)
        # What has no vector yet is taken to mean what its words say, so that it stands neither above nor below.
        meaning = words if cosine is None else meaning_share(cosine, background, nearest)
        fused[one] = Fused(weight * words, (1.0 - weight) * meaning)
    return fused


def _with_feedback(
    evidence: Evidence, first: Mapping[str, Fused], best: list[str], trust: float
) -> tuple[dict[str, float], float]:
    """Return the cosines with the task to which the best answers' meaning was added, and the background with it."""
    leaders = [one for one in best if one in evidence.cosines][:FEEDBACK_FROM]
    whole = math.fsum(first[one].total for one in leaders)
    share = FEEDBACK * trust if whole else 0.0
    fed = {}
    for one in best:
        if one in evidence.cosines:
            pull = math.fsum(
                first[leader].total * (1.0 if leader == one else evidence.like(one, leader)) for leader in leaders
            )
            fed[one] = evidence.cosines[one] + (share * pull / whole if whole else 0.0)
    return fed, evidence.background * (1.0 + share)


def _with_kin(evidence: Evidence, fused: Mapping[str, Fused], best: list[str], share: float) -> dict[str, Fused]:
    result = {}
    for one, kin in _nearest(evidence.kinship, [one for one in best if one in evidence.cosines]).items():
        own = fused[one]
        vouched = math.fsum(evidence.like(one, other) * fused[other].total for other in kin) / KIN
        result[one] = Fused((1.0 - share) * own.words, (1.0 - share) * own.meaning, share * vouched, tuple(kin))
    return result


def _nearest(kinship: Mapping[tuple[str, str], float], among: list[str]) -> dict[str, list[str]]:
    """Return, for each of some memories, the few of the others that are most like it."""
    if isinstance(kinship, Kinship):
        nearest: dict[str, list[str]] = {one: [] for one in among}
        return nearest | kinship.nearest(among, KIN)
    likenesses: dict[str, list[tuple[float, str]]] = {one: [] for one in among}
    for (one, other), cosine in kinship.items():
        if one in likenesses and other in likenesses:
            likenesses[one].append((-cosine, other))
            likenesses[other].append((-cosine, one))
    return {one: [other for _, other in heapq.nsmallest(KIN, others)] for one, others in likenesses.items()}


def meaning_part(cosine: float | None, value: float, *, place: int | None, among: int) -> Part:
    """Return the term that meaning adds to the relevance.

    Args:
        cosine: the cosine with the task, None for a memory without a vector.
        place: 1 for the nearest memory in view; None beyond the nearest few.
        among: how many memories have a vector.
    """
    reason = Reason(ReasonCode.MEANING, score=cosine, number=place or 0, among=among)
    return Part("meaning", value, reason, "term")


def kin_part(value: float, kin: tuple[str, ...]) -> Part:
    """Return the term that the memories most like it add to the relevance."""
    return Part("kin", value, Reason(ReasonCode.KIN, names=kin), "term")
