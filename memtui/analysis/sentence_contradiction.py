"""Whether a memory that came by itself excludes what a file says, judged by the sentences that are nearest.

The memories of one import were written together and hardly ever exclude each other, however alike they are. What was
typed or captured later may: so such a pair needs less, but it has to stand out of its neighbours, and the sentences
themselves have to differ in something that excludes. The weights were fitted on statements planted into real
repositories, with as many that contradict nothing; `tests/bench/RESULTS.md` has what they are worth.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from memtui.analysis.pair_facts import Facts
from memtui.analysis.pair_features import Nearness, dice, features, model_odds
from memtui.analysis.sentence_turns import meets, turn_between
from memtui.analysis.text_features import Wording

LEAST = 0.7  # Score from which such a pair is proposed
BY_EVIDENCE = 2.0  # What a plain exclusion in the sentences adds to the score
BY_A_WORD = 1.0  # What it adds where only a denial of one word excludes
BY_MARGIN = 5.0  # What it adds that a pair is nearer than its neighbours, per unit of cosine
BY_ODDS = 0.2  # What the model of whole memories adds, per unit of the logarithm of its odds
BY_DISTANCE = 8.0  # What it takes that another memory of the files is nearer, per unit of cosine
MOST_ODDS = 4.0  # How far that model counts, either way

FEWEST_WORDS = 2  # Words of a sentence that is compared by itself
MOST_SENTENCES = 24  # Of one memory
MOST_PAIRS = 6  # Nearest pairs of sentences that are looked at
NEARLY = 0.5  # Share of the nearest pair's nearness that the others need
FEWEST_DENIED = 2  # Words of a denial that the other sentence has, from which it surely takes that back
ONE_SUBJECT = 0.7  # Nearness from which a denial in one sentence alone excludes the other

_EXCLUDES = ("number_of_one", "rival", "denies", "left", "swapped")
_OF_THE_WHOLE = ("number_of_one", "rival")  # What also has to hold of the memories: the next sentence may say the same
_BLOCK = re.compile(r"(^[ \t]*```.*?(?:^[ \t]*```|\Z))", re.DOTALL | re.MULTILINE)
_WRAP = re.compile(r"(?<=[\w,)`*\"'/–—-])[ \t]*\n[ \t]*(?=[a-z(`*\"]\w)")
"""The end of a line within a sentence."""

_SENTENCE = re.compile(r"(?<=[.;!?])\s|\n|\s[—–]\s|,\s+(?:but|and not|not)\s(?=\w)|(?<=[。！？])")


class SentenceContradiction(NamedTuple):
    """Two sentences that exclude each other, and how sure that is."""

    score: float  # from `LEAST` on
    first: Facts  # of what came by itself
    second: Facts


def sentence_contradiction(typed: Facts, filed: Facts, near: Nearness) -> SentenceContradiction | None:
    """Return the sentences by which what came by itself excludes what a file says, None if it does not.

    `near`: with the cosine of the memories' vectors.
    """
    if near.cosine is None:
        return None
    whole = features(typed, filed, near)
    odds = model_odds(whole, near)
    if odds["duplicate"] > 0.0:
        return None
    base = BY_MARGIN * (near.cosine - near.crowd) + BY_ODDS * max(-MOST_ODDS, min(MOST_ODDS, odds["contradiction"]))
    found: SentenceContradiction | None = None
    for nearness, first, second in _nearest(typed, filed):
        signs = _strength(first, second, near, whole, nearness), turn_between(typed, first, second, filed)
        strength = max((each for each in signs if each is not None), default=None)
        if strength is not None and base + strength >= LEAST and (found is None or base + strength > found.score):
            found = SentenceContradiction(base + strength, first, second)
    return found


def _strength(first: Facts, second: Facts, near: Nearness, whole: Mapping[str, float], nearness: float) -> float | None:
    """Return what the difference of two sentences is worth, None if nothing in them excludes."""
    found = features(first, second, near)
    excludes = {name for name in _EXCLUDES if found[name] >= 1.0 and (name not in _OF_THE_WHOLE or whole[name])}
    if excludes == {"denies"} and found["denied"] < FEWEST_DENIED:
        return BY_A_WORD if nearness >= NEARLY else None
    if excludes:
        return BY_EVIDENCE
    denies = found["negated_once"] and nearness >= ONE_SUBJECT and (meets(first, second) or meets(second, first))
    return 0.0 if found["opposite"] or denies else None


def _nearest(one: Facts, other: Facts) -> list[tuple[float, Facts, Facts]]:
    """Return the pairs of sentences that share most of their words, the nearest first."""
    pairs = []
    for first in _sentences(one.insight):
        for second in _sentences(other.insight):
            mine, theirs = first.wording.parts, second.wording.parts
            if shared := len(mine & theirs):
                pairs.append((shared / min(len(mine), len(theirs)) + dice(mine, theirs) / 2, first, second))
    pairs.sort(key=lambda pair: -pair[0])
    return [pair for pair in pairs[:MOST_PAIRS] if pair[0] >= NEARLY * pairs[0][0]]


def _sentences(text: str) -> list[Facts]:
    parts = [part.strip() for part in _SENTENCE.split(_unwrapped(text))]
    long = [part for part in parts if len(part.split()) >= FEWEST_WORDS][:MOST_SENTENCES]
    return [_facts(part) for part in long or [text]]


def _unwrapped(text: str) -> str:
    """Return a text with its sentences on one line each; blocks of code stay as they are."""
    return "".join(part if at % 2 else _WRAP.sub(" ", part) for at, part in enumerate(_BLOCK.split(text)))


@lru_cache(maxsize=20_000)
def _facts(text: str) -> Facts:
    return Facts(Wording(text), text)
