"""Importance 1–5 as a multiplier: 3 is 1.0, the ends are 0.8 and 1.25."""

from __future__ import annotations

MULTIPLIERS = {1: 0.8, 2: 0.894, 3: 1.0, 4: 1.118, 5: 1.25}


def multiplier(importance: int) -> float:
    """Return the multiplier of an importance; values outside 1–5 are clamped."""
    return MULTIPLIERS[min(5, max(1, importance))]
