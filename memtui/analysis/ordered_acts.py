"""What a text puts before or after what: two texts turn each other round only where that is the same act."""

from __future__ import annotations

import re
from functools import lru_cache

from memtui.analysis.text_features import stems_of

BEFORE_AFTER = frozenset({"before", "after"})

MOST_OF_AN_ACT = 4  # Words of meaning that name the act after `before` or `after`

_CUE = re.compile(r"\b(before|after)\b")
_END = re.compile(r"[.,;:!?()\n]|\s(?:and|but|or|so|because|before|after|then)\s")
_DOER = re.compile(r"\W*(?:(?:you|we|they|i|it)\s+(?P<does>[a-z]+)|(?P<doing>[a-z]{2,}ing)\b)")
_LIGHT_VERBS = frozenset(stems_of("running making doing starting finishing performing executing"))


def act_after(text: str) -> tuple[str, ...]:
    """Return the stems that name what a text in plain form begins with: a verb, else the words up to the next clause.

    `committing a grammar change` is the commit, not the change; `running the tests` are the tests.
    """
    part = _END.split(text.lstrip(), maxsplit=1)[0]
    stems = stems_of(part) if part.strip() else ()
    telling = tuple(each for each in stems if each not in _LIGHT_VERBS)
    return verb_of(part) or telling[:MOST_OF_AN_ACT] or stems


def verb_of(text: str) -> tuple[str, ...]:
    """Return the stem of the verb that a text in plain form begins with, `committing` or `you commit`; else nothing."""
    doer = _DOER.match(text)
    verb = stems_of(doer["does"] or doer["doing"]) if doer else ()
    return () if _LIGHT_VERBS.issuperset(verb) else verb


@lru_cache(maxsize=20_000)
def _acts(plain: str) -> dict[str, tuple[frozenset[str], ...]]:
    """Return the acts that a text in plain form names after `before` and after `after`."""
    found: dict[str, list[frozenset[str]]] = {}
    for cue in _CUE.finditer(plain):
        found.setdefault(cue[1], []).append(frozenset(act_after(plain[cue.end() :])))
    return {word: tuple(acts) for word, acts in found.items()}


def order_of_other_acts(one: str, other: str) -> frozenset[str]:
    """Return `before` and `after` where one text in plain form has each, but not of the same act; else nothing.

    `Regenerate before committing a change` agrees with `regenerate after a change`.
    """
    ones, others = _acts(one), _acts(other)
    turned = [*_pairs(ones, others), *_pairs(others, ones)]
    return BEFORE_AFTER if turned and not any(a & b or not a or not b for a, b in turned) else frozenset()


def _pairs(
    ones: dict[str, tuple[frozenset[str], ...]], others: dict[str, tuple[frozenset[str], ...]]
) -> list[tuple[frozenset[str], frozenset[str]]]:
    return [(a, b) for a in ones.get("before", ()) for b in others.get("after", ())]
