"""How much two memories say the same, by the words they share."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from memtui.domain.memory import Memory
from memtui.text.stopwords import STOP_WORDS
from memtui.text.tokens import index_terms

READ_CHARACTERS = 4_000
"""Characters of an insight that are compared."""

IDENTICAL = 0.85
"""From this share of common words on, two memories say the same, if their numbers and negations agree too."""

_WORD = re.compile(r"[a-z0-9]+")
_NUMBER = re.compile(r"\d+(?:[.:]\d+)*")
_NEGATION = re.compile(r"\b(?:not|no|never|without|don't|doesn't|isn't|can't|cannot|won't|avoid|nor|neither)\b")


@dataclass(frozen=True, slots=True)
class Gist:
    """What of a memory is compared.

    Attributes:
        terms: its words.
        numbers: its numbers, which tell near-identical texts apart.
        negated: whether it denies something.
    """

    terms: frozenset[str]
    numbers: frozenset[str]
    negated: bool


def gist(memory: Memory) -> Gist:
    """Return the gist of a memory."""
    return _gist(f"{memory.title}\n{memory.insight[:READ_CHARACTERS]}")


# While a person changes budget or target the same memories are looked at again and again.
@lru_cache(maxsize=512)
def _gist(text: str) -> Gist:
    lower = text.lower().replace("\u2019", "'")
    # Without stems, which cost more than all the rest and tell twins no better.
    words = _WORD.findall(lower) if text.isascii() else index_terms(text)
    return Gist(
        frozenset(words) - STOP_WORDS,
        frozenset(_NUMBER.findall(lower)),
        _NEGATION.search(lower) is not None,
    )


class Likenesses:
    """Pairs of memories by their ids, each compared once: selection asks for the same pairs again and again.

    Args:
        gists: of each memory.
    """

    def __init__(self, gists: Mapping[str, Gist]) -> None:
        self._gists = gists
        self._overlaps: dict[tuple[str, str], float] = {}
        self._same: dict[tuple[str, str], bool] = {}

    def overlap(self, one: str, other: str) -> float:
        """Return the share of the smaller one's words that both have, see `overlap`."""
        pair = (one, other) if one < other else (other, one)
        found = self._overlaps.get(pair)
        if found is None:
            found = self._overlaps[pair] = overlap(self._gists[one], self._gists[other])
        return found

    def say_the_same(self, one: str, other: str) -> bool:
        """Return whether two memories are near-identical, see `say_the_same`."""
        pair = (one, other) if one < other else (other, one)
        found = self._same.get(pair)
        if found is None:
            found = self._same[pair] = say_the_same(self._gists[one], self._gists[other])
        return found


def overlap(one: Gist, other: Gist) -> float:
    """Return the share of the smaller one's words that both have, 0–1: what it would repeat."""
    smaller = min(len(one.terms), len(other.terms))
    return len(one.terms & other.terms) / smaller if smaller else 0.0


def say_the_same(one: Gist, other: Gist) -> bool:
    """Return whether two memories are near-identical; differing numbers or a negation make a difference."""
    smaller, larger = sorted((len(one.terms), len(other.terms)))
    if smaller < IDENTICAL * larger or not larger:
        return False
    shared = len(one.terms & other.terms)
    if shared / (smaller + larger - shared) < IDENTICAL:
        return False
    return one.numbers == other.numbers and one.negated == other.negated
