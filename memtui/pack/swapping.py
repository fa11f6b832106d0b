"""Bettering a greedy choice: what is in gives way to what is out where that is worth more and fits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

MOST_LOOKED_AT = 14
"""Candidates on either side, in pairs too: greedy choices that are not optimal differ in a few at the edge alone."""

LEAST_GAIN = 1e-9

Sizes = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Candidate:
    """Something that is in or out.

    Attributes:
        key: what it is known by.
        value: what it is worth.
        sizes: what it takes of each bound.
    """

    key: str
    value: float
    sizes: Sizes


def best_swap(
    inside: Sequence[Candidate], outside: Sequence[Candidate], free: Sizes
) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """Return what should go out and what should come in, at most two each, for the largest gain; None for no gain.

    Args:
        inside: what may give way.
        outside: what did not fit.
        free: what is left of each bound.
    """
    weak = sorted(inside, key=lambda one: (one.value / max(1, one.sizes[0]), one.key))[:MOST_LOOKED_AT]
    strong = sorted(outside, key=lambda one: (-one.value / max(1, one.sizes[0]), one.key))[:MOST_LOOKED_AT]
    incoming = list(_groups(strong))
    best: tuple[float, tuple[str, ...], tuple[str, ...]] | None = None
    for out_keys, out_value, out_sizes in [((), 0.0, (0,) * len(free)), *_groups(weak)]:
        room = tuple(left + size for left, size in zip(free, out_sizes, strict=True))
        for in_keys, in_value, in_sizes in incoming:
            gain = in_value - out_value
            if gain <= (best[0] if best else LEAST_GAIN) or in_sizes[0] > room[0]:
                continue
            if all(size <= most for size, most in zip(in_sizes, room, strict=True)):
                best = (gain, out_keys, in_keys)
    return (best[1], best[2]) if best else None


def _groups(candidates: Sequence[Candidate]) -> Iterator[tuple[tuple[str, ...], float, Sizes]]:
    """Yield (keys, value, sizes) of each candidate and of each pair."""
    for one in candidates:
        yield (one.key,), one.value, one.sizes
    for one, other in combinations(candidates, 2):
        sizes = tuple(map(sum, zip(one.sizes, other.sizes, strict=True)))
        yield (one.key, other.key), one.value + other.value, sizes
