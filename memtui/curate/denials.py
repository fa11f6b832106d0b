"""What a text denies, and whether another text says just that: `never X` against `X`, not against any other text."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from memtui.curate.claims import LIGHT
from memtui.curate.wording import NEGATIONS, Wording, stems_of

DENIES = "one denies what the other says"
EXCLUDES = "one excludes what the other does not speak of"

REACH = 5
"""Words of meaning behind a denial that it turns round: `never log the request body of the payments API`."""

ALIKE = 0.5
"""Share of the words of two denials from which they deny the same."""

SAID = 0.6
"""Share of what is denied that another text must say. Of the labelled pairs in `tests/curation` it finds all 26 that
deny each other and none of 133 duplicates; in the sample vault it takes `never build the key from user_id` for no
denial of `the key is payment_id`, as half would."""

_CLAUSE = re.compile(r"[.;!?]\s|[,:]\s|\n|\s(?:but|and|so|because)\s")
_CONDITION = re.compile(r"\s*(?:without|unless|if)\b[^.;!?\n]*,\s")
"""Opens a sentence that says what happens else: `without a key, customers pay twice` denies nothing."""

_SENTENCE = re.compile(r"(?<=[.;!?])\s|\n")


class Sides(NamedTuple):
    """What a text says and what it denies, in stems.

    Attributes:
        said: all that stands outside of its denials.
        denied: the words behind each denial, the first of them apart.
    """

    said: frozenset[str]
    denied: frozenset[tuple[str, frozenset[str]]]


def difference(one: Wording, other: Wording) -> str:
    """Return how two texts differ in what they deny, in words; empty where they do not."""
    if one.negations == other.negations:
        return ""
    left, right = _sides(one.plain), _sides(other.plain)
    mine, theirs = _alone(left, right), _alone(right, left)
    if any(_says(right, part) for part in mine) or any(_says(left, part) for part in theirs):
        return DENIES
    return EXCLUDES if mine or theirs else ""


def _alone(one: Sides, other: Sides) -> list[tuple[str, frozenset[str]]]:
    """Return what one text denies and the other does not."""
    return [part for part in one.denied if not any(_same(part[1], denied) for _, denied in other.denied)]


def _same(one: frozenset[str], other: frozenset[str]) -> bool:
    return len(one & other) >= ALIKE * min(len(one), len(other))


def _says(sides: Sides, denied: tuple[str, frozenset[str]]) -> bool:
    """Return whether a text says what another denies: its first word, and most of the others."""
    first, words = denied
    return first in sides.said and len(words & sides.said) >= SAID * len(words)


@lru_cache(maxsize=20_000)
def _sides(plain: str) -> Sides:
    said: set[str] = set()
    denied: set[tuple[str, frozenset[str]]] = set()
    for sentence in _SENTENCE.split(plain):
        condition = _CONDITION.match(sentence)
        if condition is not None:
            said.update(stems_of(condition[0]))
            sentence = sentence[condition.end() :]  # noqa: PLW2901 - the rest of it
        for clause in filter(str.strip, _CLAUSE.split(sentence)):
            found = NEGATIONS.search(clause)
            if found is None:
                said.update(_telling(clause))
                continue
            before, after = _telling(clause[: found.start()]), _telling(clause[found.end() :])[:REACH]
            # `Friday deploys are forbidden` denies what stands before.
            turned = after or before
            said.update(before if after else ())
            if turned:
                denied.add((turned[0], frozenset(turned)))
    return Sides(frozenset(said), frozenset(denied))


def _telling(text: str) -> list[str]:
    """Return the stems of a text that carry meaning, in order."""
    return [stem for stem in stems_of(text) if stem not in _SLIGHT] if text.strip() else []


_SLIGHT = LIGHT | frozenset(stems_of("longer may can other"))
"""Words that are not what is denied."""
