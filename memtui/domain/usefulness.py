"""Usefulness: what helped rises, what hurt falls, and both fade.

usefulness = clamp(2 * (1 + H) / (2 + H + 4 B), 0.5, 1.5) of helped H and hurt B. Each signal fades with a
90-day half-life. H also takes a logarithmic share of mere use u = 0.1 per copy or injection and 0.3 per
reference, namely L / (1 + L) with L = ln(1 + u): it stays below 1, so that frequent use counts a little and
never outweighs one fresh word of a person that a memory helped, hurt or needed correcting. Previews count for
nothing.
"""

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
        helped: to H, as much as a person's word that it helped is 1.
        hurt: to B, as much as a person's word that it hurt is 1.
        use: to the use u, whose logarithm alone counts.
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
"""The types of signals with their weights; a new source of signals adds its row here."""

SIGNAL_TYPES = tuple(SIGNALS)

_NO_WEIGHT = SignalType()
_DAY_SECONDS = 86_400.0


def usefulness(signals: Iterable[Signal], now: datetime, hurt_weight: float = HURT_WEIGHT) -> float:
    """Return the usefulness of one memory from its signals, in 0.5–1.5; 1.0 without any."""
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
    """Return usefulness for faded counts of helped and hurt."""
    raw = 2.0 * (1.0 + helped) / (2.0 + helped + hurt_weight * hurt)
    return min(HIGHEST, max(LOWEST, raw))
