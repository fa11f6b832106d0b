"""What the words and phrases tell that both of two memories say, or only one: logistic models over their beginnings.

`pair_phrases.json` holds their weights in hundredths, for each model in the order of `models`:
`tests/scripts/pair_weights.py` fits them with those of `pair_weights.json`, to whose sums they are added.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from math import sqrt
from pathlib import Path

from memtui.analysis.text_features import READ_CHARACTERS

BEGINNING = 5  # Characters of a word that count; with four as well as seven it finds no more on unseen writers
FEWEST_SIGNS = 20  # Known signs of a pair that one with fewer is weighed as if it had
_START = "^"  # Stands before the first word
_WORD = re.compile(r"[^\W\d_]+(?:['’][a-z]+)?|\d+(?:\.\d+)*|[=:→`?!/]")


def beginnings_of(text: str) -> frozenset[str]:
    """Return the beginnings of the words of a text and of every two in a row, in lower case."""
    words = [_START, *(word.replace("’", "'")[:BEGINNING] for word in _WORD.findall(text[:READ_CHARACTERS].lower()))]
    return frozenset(words[1:]) | {f"{first} {second}" for first, second in pairwise(words)}


def signs_between(mine: AbstractSet[str], theirs: AbstractSet[str]) -> set[str]:
    """Return what only one of two texts says after a 1, and the single words that both say after a 2."""
    return {f"1{said}" for said in mine ^ theirs} | {f"2{said}" for said in mine & theirs if " " not in said}


@dataclass(frozen=True, slots=True)
class Phrases:
    """The weights of signs by models."""

    models: Mapping[str, int]  # the place of each in the weights
    weights: Mapping[str, Sequence[int]]  # per sign, in hundredths

    def odds(self, model: str, signs: AbstractSet[str]) -> float:
        """Return what signs add to the logarithm of the odds by a model, 0.0 if it has none.

        Their sum is divided by the root of their number: neither long nor short texts stand out by it.
        """
        place = self.models.get(model)
        if place is None:
            return 0.0
        known = [self.weights[sign][place] for sign in self.weights.keys() & signs]
        return sum(known) / 100.0 / sqrt(max(FEWEST_SIGNS, len(known)))


@cache
def phrases() -> Phrases:
    """Return the weights as stored; reading them takes some milliseconds at the first time."""
    stored = json.loads(Path(__file__).with_name("pair_phrases.json").read_text("utf-8"))
    return Phrases({model: place for place, model in enumerate(stored["models"])}, stored["weights"])
