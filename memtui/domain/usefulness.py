"""Usefulness, importance and risk: the factors of a score that feedback changes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from memtui.domain.kinds import DEFAULT_HURT_WEIGHT
from memtui.domain.memory import Signal

SIGNAL_HALF_LIFE_DAYS = 90.0
HURT_WEIGHT = DEFAULT_HURT_WEIGHT
LOWEST, HIGHEST = 0.5, 1.5


@dataclass(frozen=True, slots=True)
class SignalType:
    """What one fresh signal of a type adds.

    Attributes:
        helped: to H; a person's "helped" is 1.
        hurt: to B; a person's "hurt" is 1.
        use: to the use u, which counts by its logarithm only.
    """

    helped: float = 0.0
    hurt: float = 0.0
    use: float = 0.0


SIGNALS: Mapping[str, SignalType] = {
    "injected": SignalType(use=0.1),
    "copied": SignalType(use=0.1),
    "referenced": SignalType(use=0.3),
    # Accepting a proposal and being asked about a pack say nothing of the use.
    "accepted": SignalType(),
    "asked": SignalType(),
    "helped": SignalType(helped=1.0),
    # Found by a program, not said by a person: half as much.
    "paid": SignalType(helped=0.5),
    "hurt": SignalType(hurt=1.0),
    "corrected": SignalType(hurt=0.5),
    "unused": SignalType(hurt=0.1),
}
"""The types of signals with their weights; a new kind of signal adds its row here."""

SIGNAL_TYPES = tuple(SIGNALS)

_NO_WEIGHT = SignalType()
_DAY_SECONDS = 86_400.0


def usefulness(signals: Iterable[Signal], now: datetime, hurt_weight: float = HURT_WEIGHT) -> float:
    """Return the usefulness of one memory from its signals, 0.5 to 1.5; 1.0 without any."""
    helped = hurt = use = 0.0
    for signal in signals:
        age = max(0.0, (now - signal.at).total_seconds() / _DAY_SECONDS)
        weight = signal.weight * math.pow(2.0, -age / SIGNAL_HALF_LIFE_DAYS)
        kind = SIGNALS.get(signal.signal, _NO_WEIGHT)
        helped += weight * kind.helped
        hurt += weight * kind.hurt
        use += weight * kind.use
    share = math.log1p(use)
    return from_counts(helped + share / (1.0 + share), hurt, hurt_weight)


def from_counts(helped: float, hurt: float, hurt_weight: float = HURT_WEIGHT) -> float:
    """Return usefulness for decayed counts of helped and hurt."""
    raw = 2.0 * (1.0 + helped) / (2.0 + helped + hurt_weight * hurt)
    return min(HIGHEST, max(LOWEST, raw))


MULTIPLIERS = {1: 0.8, 2: 0.894, 3: 1.0, 4: 1.118, 5: 1.25}


def multiplier(importance: int) -> float:
    """Return the multiplier of an importance; values outside 1–5 are clamped."""
    return MULTIPLIERS[min(5, max(1, importance))]


MOST_USES = 10
"""Uses beyond these make a review no more urgent."""

USES_TO_DOUBLE = 5.0
"""Uses that double the risk."""

USES = frozenset({"copied", "injected", "referenced", "helped"})
"""Signals that count as a use."""

LEAST_LOSS = 0.1
"""Least loss of trust of a memory that is fresh but due for another reason, so that the reason can weigh."""


def review_risk(
    *,
    trust: float,
    uses: int = 0,
    changed_anchors: int = 0,
    contradictions: int = 0,
    hurts: int = 0,
    imports: int = 0,
) -> float:
    """Return lost trust × use × changed anchors × contradictions × hurt × imports; larger is more urgent.

    Every factor but the first is 1 by default. Five uses double the risk; one changed anchor, contradiction, hurt or
    import does.

    Args:
        trust: freshness, 0–1.
        uses: how often it was injected, copied, referenced or helped.
        changed_anchors: anchors that changed, moved or went missing since it was verified.
        contradictions: active memories that contradict it.
        hurts: how often it hurt since it was verified.
        imports: sources and candidates on its subject imported since then.
    """
    lost = max(LEAST_LOSS, 1.0 - trust)
    used = 1.0 + min(uses, MOST_USES) / USES_TO_DOUBLE
    return lost * used * (1.0 + changed_anchors) * (1.0 + contradictions) * (1.0 + hurts) * (1.0 + imports)
