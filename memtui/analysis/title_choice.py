"""Chooses between titles that a text could have, by what fresh readers said of such.

`title_worth.json` holds the model, a sum of small trees over the signs of `title_signs.py`:
`tests/scripts/title_worth.py` grows them on what readers called good and bad titles of memories of real repositories,
of which the texts are not kept, and prints what the choice is worth on other repositories.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from memtui.analysis.title_signs import TextSigns, signs_of

LEAST_GAIN = 1.0
"""Logarithm of the odds by which another title must be likelier to be good. On repositories of which nothing was
learned it mends 25 of a thousand titles and spoils four; at .8 it is 28 and seven."""

GOOD_ENOUGH = 1.0
"""Logarithm of the odds of a title from which others are not looked at: of those that would be changed five in six are
below, and of all a quarter."""


Tree = tuple[str, float, "Tree", "Tree"] | float
"""A sign, the most of it up to which the first branch holds, and the branches; or what a leaf adds."""


@dataclass(frozen=True, slots=True)
class Worth:
    """How likely a title is good: a base and the trees that add to it."""

    base: float
    trees: tuple[Tree, ...]

    def odds(self, signs: Mapping[str, float]) -> float:
        """Return the logarithm of the odds that a reader would call a title with these signs good."""
        odds = self.base
        for tree in self.trees:
            odds += _leaf(tree, signs)
        return odds


def _leaf(tree: Tree, signs: Mapping[str, float]) -> float:
    while not isinstance(tree, float):
        sign, most, within, above = tree
        tree = within if signs[sign] <= most else above
    return tree


def _grown(stored: Any) -> Tree:
    if isinstance(stored, list):
        sign, most, within, above = stored
        return sign, most, _grown(within), _grown(above)
    return float(stored)


@cache
def worth() -> Worth:
    """Return the stored model."""
    stored = json.loads(Path(__file__).with_name("title_worth.json").read_text("utf-8"))
    return Worth(stored["base"], tuple(map(_grown, stored["trees"])))


def better_of(title: str, others: Iterable[str], told: TextSigns) -> str:
    """Return the likeliest of other titles if it is likelier enough to be good than this one, else this one."""
    model = worth()
    own = model.odds(signs_of(title, told))
    if own >= GOOD_ENOUGH:
        return title
    best, odds = title, own + LEAST_GAIN
    for other in others:
        found = model.odds(signs_of(other, told))
        if found > odds:
            best, odds = other, found
    return best
