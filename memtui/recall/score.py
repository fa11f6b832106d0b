"""The score of a memory as named parts, its explanation, and the baseline score without a task."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from memtui.domain import usefulness as importances
from memtui.domain.freshness import freshness
from memtui.domain.kinds import Kinds
from memtui.domain.memory import Memory, Signal
from memtui.domain.reasons import Reason, ReasonCode
from memtui.domain.usefulness import HURT_WEIGHT, usefulness

GONE_FACTOR = 0.3
"""Factor of a memory whose every file is gone: its subject has probably left the code. However fresh it is, it
stands below an equal match of two years whose file is there (0.33 for a lesson), and is still shown."""

SCORE_DIGITS = 9
"""Scores are rounded so that the order does not hang on the last bit of a sum."""


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a score.

    Attributes:
        name: what it is: words, files, neighbours, freshness …
        value: a term's addition to the relevance, or a factor.
        reason: what it was calculated from.
    """

    name: str
    value: float
    reason: Reason
    role: Literal["term", "factor"] = "factor"


def combine(parts: Iterable[Part]) -> tuple[float, float]:
    """Return the relevance (sum of the terms) and the score (relevance times the factors), rounded."""
    listed = list(parts)
    relevance = math.fsum(part.value for part in listed if part.role == "term")
    score = relevance * math.prod(part.value for part in listed if part.role == "factor")
    return round(relevance, SCORE_DIGITS), round(score, SCORE_DIGITS)


def freshness_part(memory: Memory, now: datetime, kinds: Kinds, weight: float) -> Part:
    """Return the factor of freshness raised to its weight."""
    share = freshness(memory, now, kinds)
    reason = Reason(ReasonCode.FRESHNESS, score=share, bar=weight, because=(trusted_since(memory),))
    return Part("freshness", share**weight, reason)


def trusted_since(memory: Memory) -> Reason:
    """Return since when a memory is trusted, as a date, so that it does not change from day to day."""
    if memory.pinned:
        return Reason(ReasonCode.PINNED)
    if memory.verified_at:
        return Reason(ReasonCode.VERIFIED, date=memory.verified_at)
    return Reason(ReasonCode.NEVER_VERIFIED, date=memory.observed_at or memory.created_at)


def usefulness_part(signals: Sequence[Signal], now: datetime, hurt_weight: float = HURT_WEIGHT) -> Part:
    """Return the factor of usefulness."""
    names = tuple(sorted(signal.signal for signal in signals))
    return Part("usefulness", usefulness(signals, now, hurt_weight), Reason(ReasonCode.USES, names=names))


def importance_part(memory: Memory) -> Part:
    """Return the factor of importance."""
    return Part(
        "importance", importances.multiplier(memory.importance), Reason(ReasonCode.IMPORTANCE, number=memory.importance)
    )


def gone_part(memory: Memory, states: dict[str, str]) -> Part | None:
    """Return the factor of a memory whose every file is gone, or None.

    Args:
        states: last known state per anchor path; what was never checked is not gone.
    """
    known = [states.get(anchor.path, "") for anchor in memory.anchors]
    checked = [state for state in known if state != "unverifiable"]
    if not checked or any(state != "gone" for state in checked):
        return None
    paths = tuple(anchor.path for anchor in memory.anchors)
    return Part("files gone", GONE_FACTOR, Reason(ReasonCode.FILES_GONE, names=paths))
