"""Usefulness: what helped rises, what hurt falls, and both fade.

usefulness = clamp(2 * (1 + H) / (2 + H + 4 B), 0.5, 1.5) of helped H and hurt B. Each signal fades with a
90-day half-life. H also takes a logarithmic share of mere use u = 0.1 per copy or injection and 0.3 per
reference, namely L / (1 + L) with L = ln(1 + u): it stays below 1, so that frequent use counts a little and
never outweighs one fresh word of a person that a memory helped, hurt or needed correcting. Previews count for
nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from datetime import datetime

from memtui.domain.memory import Signal

SIGNAL_HALF_LIFE_DAYS = 90.0
HURT_WEIGHT = 4.0
LOWEST, HIGHEST = 0.5, 1.5

SIGNAL_TYPES = ("injected", "copied", "helped", "hurt", "corrected", "unused", "accepted", "referenced")
_USE_SHARE = {"injected": 0.1, "copied": 0.1, "referenced": 0.3}
_HURT = {"hurt": 1.0, "corrected": 0.5, "unused": 0.1}

_DAY_SECONDS = 86_400.0


def usefulness(signals: Iterable[Signal], now: datetime) -> float:
    """Return the usefulness of one memory from its signals, in 0.5–1.5; 1.0 without any."""
    helped = hurt = use = 0.0
    for signal in signals:
        age = max(0.0, (now - signal.at).total_seconds() / _DAY_SECONDS)
        weight = signal.weight * math.pow(2.0, -age / SIGNAL_HALF_LIFE_DAYS)
        if signal.signal == "helped":
            helped += weight
        elif signal.signal in _HURT:
            hurt += weight * _HURT[signal.signal]
        else:
            use += weight * _USE_SHARE.get(signal.signal, 0.0)
    share = math.log1p(use)
    return from_counts(helped + share / (1.0 + share), hurt)


def from_counts(helped: float, hurt: float) -> float:
    """Return usefulness for faded counts of helped and hurt."""
    raw = 2.0 * (1.0 + helped) / (2.0 + helped + HURT_WEIGHT * hurt)
    return min(HIGHEST, max(LOWEST, raw))
