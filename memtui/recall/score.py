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
        detail: its input in words.
    """

    name: str
    value: float
    detail: str
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
    return Part("freshness", share**weight, f"{share:.2f} to the power {weight:g}, {trust_words(memory)}")


def trust_words(memory: Memory) -> str:
    """Return since when a memory is trusted, with a date and no age, so that the words stay as they are."""
    if memory.pinned:
        return "pinned, so it does not age"
    if memory.verified_at:
        return f"verified {memory.verified_at:%Y-%m-%d}"
    return f"never verified, from {memory.observed_at or memory.created_at:%Y-%m-%d}"


def usefulness_part(signals: Sequence[Signal], now: datetime, hurt_weight: float = HURT_WEIGHT) -> Part:
    """Return the factor of usefulness."""
    counts: dict[str, int] = {}
    for signal in signals:
        counts[signal.signal] = counts.get(signal.signal, 0) + 1
    detail = ", ".join(f"{name} {number}×" for name, number in sorted(counts.items()))
    return Part("usefulness", usefulness(signals, now, hurt_weight), detail or "not used yet")


def importance_part(memory: Memory) -> Part:
    """Return the factor of importance."""
    return Part("importance", importances.multiplier(memory.importance), f"{memory.importance} of 5")


def gone_part(memory: Memory, states: dict[str, str]) -> Part | None:
    """Return the factor of a memory whose every file is gone, or None.

    Args:
        states: last known state per anchor path; what was never checked is not gone.
    """
    known = [states.get(anchor.path, "") for anchor in memory.anchors]
    checked = [state for state in known if state != "unverifiable"]
    if not checked or any(state != "gone" for state in checked):
        return None
    paths = ", ".join(anchor.path for anchor in memory.anchors[:3])
    return Part("files gone", GONE_FACTOR, f"{paths} no longer exist{'s' if len(memory.anchors) == 1 else ''}")
