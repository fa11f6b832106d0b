"""Planted instructions by how they are worded: a logistic model over the runs of characters of a statement.

`injection_weights.json` holds the weights in hundredths: `tests/scripts/injection_weights.py` fits them on
`tests/planted` and prints what they are worth on writers that they have not seen.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cache
from math import sqrt
from pathlib import Path

LONGEST = 600  # characters of a statement that are read
LONGEST_WHOLE = 500  # characters of a paragraph of several sentences that is also judged as a whole
FEWEST_RUNS = 20  # known runs of a text that a shorter one is weighed as if it had
_LENGTHS = (3, 4, 5)  # characters of a run; with two and six as well it finds no more on unseen writers
_FEWEST_WORDS = 3  # that can say what is to be done: a path is one, `<!-- memtui:begin -->` too
_WORD = re.compile(r"(?<!\S)\S*[^\W\d_]")
GLANCED = 4  # characters of the runs that are looked for first
_DIGIT = re.compile(r"\d")
# Tried where a run of signs begins only: behind its beginning nothing else could match.
_ADDRESS = re.compile(r"(?<![!-~])[!-~]*(?:://|[!-~]@|\.example\b)[!-~]*")
"""An address counts as one sign: which one it is tells nothing, and invented ones end alike."""


@dataclass(frozen=True, slots=True)
class _Weights:
    runs: Mapping[str, int]
    base: int
    least: int  # the sum from which a statement is planted
    glanced: int  # the weight of its runs of one length from which it is looked at whole


@cache
def _weights() -> _Weights:
    stored = json.loads(Path(__file__).with_name("injection_weights.json").read_text(encoding="utf-8"))
    return _Weights(stored["runs"], stored["base"], stored["least"], stored["glanced"])


def runs_of(statement: str) -> set[str]:
    """Return the runs of characters of a statement in lower case, with 0 for a digit and @ for an address."""
    return _runs(statement, _LENGTHS)


def glance(statement: str) -> AbstractSet[str]:
    """Return the known runs of one length, by which most statements are let pass in a third of the time."""
    return _weights().runs.keys() & _runs(statement, (GLANCED,))


def may_be_planted(glanced: AbstractSet[str]) -> bool:
    """Return whether a statement with these runs of one length has to be looked at whole."""
    return _mean_weight(glanced) >= _weights().glanced


def is_worded_as_planted(statements: Iterable[str]) -> bool:
    """Return whether statements are worded together as planted ones are and ordinary ones are not."""
    model, statements = _weights(), tuple(statements)
    if all(one.isascii() and len(_WORD.findall(one)) < _FEWEST_WORDS for one in statements):
        return False
    known = model.runs.keys() & set().union(*map(runs_of, statements))
    return model.base + _mean_weight(known) >= model.least


def _mean_weight(known: AbstractSet[str]) -> float:
    """Return the sum of weights over the root of their number: neither long nor short statements stand out by it."""
    weights = _weights().runs
    return sum([weights[run] for run in known]) / sqrt(max(FEWEST_RUNS, len(known)))


def _runs(statement: str, lengths: Iterable[int]) -> set[str]:
    plain = statement[:LONGEST].lower()
    if "://" in plain or "@" in plain or ".example" in plain:
        plain = _ADDRESS.sub(" @ ", plain)
    plain = _DIGIT.sub("0", plain)
    plain = f" {' '.join(plain.split())} "
    return {plain[at : at + length] for length in lengths for at in range(len(plain) - length + 1)}
