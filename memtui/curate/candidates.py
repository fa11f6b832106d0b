"""Which of many texts may say the same: those that share rare terms, found without comparing every pair."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from itertools import chain, combinations

MOST_TERMS = 12
"""Terms of one text that are looked up, the rarest first: two texts alike in most terms share several of them."""

MOST_COMMON = 100
"""Texts that may share a term for it to be looked up: bounds the work at 100,000 texts to some 60 steps a term."""

COMMON_PAIRED = 5
"""Of the commoner terms so many are looked up in pairs, which are far rarer."""

MOST_CANDIDATES = 30
"""Candidates of one text that are compared in full."""

Key = str | tuple[str, str]


def candidate_pairs(
    texts: Sequence[AbstractSet[str]], *, share: float, step: Callable[[int], None] | None = None
) -> Iterator[tuple[int, int]]:
    """Yield pairs of positions whose looked-up terms overlap enough, the earlier position first.

    Args:
        texts: the terms of each text.
        share: part of the smaller one's weight of looked-up terms that both must have, 0–1.
        step: told each position that is done; may raise to stop.
    """
    frequencies = Counter(chain.from_iterable(texts))
    total = len(texts)
    weights: dict[Key, float] = {}
    postings: dict[Key, list[int]] = {}
    masses: list[float] = []
    for position, terms in enumerate(texts):
        keys = _keys(terms, frequencies)
        for key in keys:
            if key not in weights:
                frequency = frequencies[key] if isinstance(key, str) else MOST_COMMON
                weights[key] = math.log(1.0 + total / frequency)
        masses.append(share * sum([weights[key] for key in keys]))
        shared: dict[int, float] = {}
        for key in keys:
            weight = weights[key]
            known = postings.setdefault(key, [])
            for other in known:
                shared[other] = shared.get(other, 0.0) + weight
            if len(known) < MOST_COMMON:
                known.append(position)
        need = masses[position]
        near = [(held, other) for other, held in shared.items() if held >= need or held >= masses[other]]
        if len(near) > MOST_CANDIDATES:
            near.sort(key=lambda found: (-found[0], found[1]))
            del near[MOST_CANDIDATES:]
        for _, other in near:
            yield other, position
        if step is not None:
            step(position)


def _keys(terms: AbstractSet[str], frequencies: Counter[str]) -> list[Key]:
    """Return what a text is looked up by: its rare terms, and pairs of those that are too common alone."""
    known = sorted((term for term in terms if frequencies[term] > 1), key=lambda term: (frequencies[term], term))
    rare: list[Key] = [term for term in known[:MOST_TERMS] if frequencies[term] <= MOST_COMMON]
    if len(rare) >= MOST_TERMS // 2:
        return rare
    common = [term for term in known if frequencies[term] > MOST_COMMON][:COMMON_PAIRED]
    return rare + list(combinations(sorted(common), 2))
