"""Planted instructions by how they are worded: a logistic model over runs of characters, and over phrases.

`injection_weights.json` holds the weights in hundredths: `tests/scripts/injection_weights.py` fits them on
`tests/planted` and prints what they are worth on writers that they have not seen.
"""

from __future__ import annotations

import json
import re
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import pairwise
from math import sqrt
from pathlib import Path

LONGEST = 600  # characters of a statement that are read
LONGEST_WHOLE = 500  # characters of a paragraph of several sentences that is also judged as a whole
FEWEST_RUNS = 20  # known runs of a text that a shorter one is weighed as if it had
FEWEST_PHRASES = 20  # the same of phrases
FEWEST_KNOWN = 12  # known runs of a text of which something can be said
_LENGTHS = (3, 4, 5)  # characters of a run; with two and six as well it finds no more on unseen writers
_BEGINNING = 7  # characters of a word in a phrase, so that its endings do not count
_START = "^"  # stands before the first word of a statement
_FEWEST_WORDS = 3  # that can say what is to be done: a path is one, `<!-- memtui:begin -->` too
_WORD = re.compile(r"(?<!\S)\S*[^\W\d_]")
_BESIDE_WORDS = "\"'()*,.:;!?_`"
"""Signs at the ends of words that do not count: they tell one writer's manner from another's."""

_LONGEST_CACHED = 32  # characters of a word: longer ones, lines of Chinese among them, hardly come again
_CACHED_WORDS = 20_000
_MOST_TOLD, _SHORTEST_TOLD = 4, 4  # Words that are named of a statement worded as planted, and their characters
_DIGIT = re.compile(r"\d")
# Tried where a run of signs begins only: behind its beginning nothing else could match.
_ADDRESS = re.compile(r"(?<![!-~])[!-~]*(?:://|[!-~]@|\.example\b)[!-~]*")
"""An address counts as one sign: which one it is tells nothing, and invented ones end alike."""


@dataclass(frozen=True, slots=True)
class _Weights:
    runs: Mapping[str, int]
    phrases: Mapping[str, int]
    groups: Mapping[str, str]
    base: int
    most_by_phrases: int  # what phrases add to hardly any planted statement
    least: int  # the sum from which a statement is planted


@cache
def _weights() -> _Weights:
    stored = json.loads(Path(__file__).with_name("injection_weights.json").read_text(encoding="utf-8"))
    groups = groups_by_word(stored["groups"])
    return _Weights(
        stored["runs"], stored["phrases"], groups, stored["base"], stored["most_by_phrases"], stored["least"]
    )


def words_of(statement: str) -> list[str]:
    """Return the words of a statement in lower case, with 0 for a digit and @ for an address."""
    plain = statement[:LONGEST].lower()
    if "://" in plain or "@" in plain or ".example" in plain:
        plain = _ADDRESS.sub(" @ ", plain)
    return [word.strip(_BESIDE_WORDS) for word in _DIGIT.sub("0", plain).split()]


def runs_of(word: str) -> set[str]:
    """Return the runs of characters of a word, of which one at its beginning or end is another than within it."""
    word = f" {word} "
    return {word[at : at + length] for length in _LENGTHS for at in range(len(word) - length + 1)}


def groups_by_word(groups: Iterable[str]) -> dict[str, str]:
    """Return the name of the group of each word; `groups` are words of like meaning, parted by blanks."""
    return {word: f"#{number}" for number, words in enumerate(groups) for word in words.split()}


def phrases_of(words: Sequence[str], groups: Mapping[str, str], known: Container[str] | None = None) -> set[str]:
    """Return two and three words in a row by their beginnings, and one to three by the groups of words.

    Of what is longer than two words only that of which each two are among `known`, if that is given.
    """
    begun = [_START, *[word[:_BEGINNING] for word in words if word]]
    grouped = [_START, *[groups.get(word) or word[:_BEGINNING] for word in words if word]]
    return {*_in_a_row(begun, known), *grouped, *_in_a_row(grouped, known)}


def _in_a_row(words: Sequence[str], known: Container[str] | None) -> list[str]:
    pairs = list(map(" ".join, pairwise(words)))
    triples = zip(pairs, pairs[1:], words[2:], strict=False)
    # A phrase is weighed where enough texts hold it, which then hold each two of its words.
    return pairs + [
        f"{pair} {word}" for pair, after, word in triples if known is None or (pair in known and after in known)
    ]


def is_worded_as_planted(statements: Iterable[str]) -> bool:
    """Return whether statements are worded together as planted ones are and ordinary ones are not.

    A run counts once for each word that holds it, a phrase once. The sum of each is divided by the root of their
    number: neither long nor short statements stand out by it.
    """
    model, statements = _weights(), tuple(statements)
    words = [words_of(statement) for statement in statements]
    found = [_weigh(word) for word in set().union(*words)]
    sum_of_weights, runs = sum([weight for weight, _ in found]), sum([known for _, known in found])
    if runs < FEWEST_KNOWN:
        return False
    by_runs = model.base + sum_of_weights / sqrt(max(FEWEST_RUNS, runs))
    if by_runs + model.most_by_phrases < model.least:
        return False
    phrases = model.phrases.keys() & set().union(*(phrases_of(each, model.groups, model.phrases) for each in words))
    by_phrases = sum([model.phrases[phrase] for phrase in phrases]) / sqrt(max(FEWEST_PHRASES, len(phrases)))
    if by_runs + by_phrases < model.least:
        return False
    return any(not one.isascii() or len(_WORD.findall(one)) >= _FEWEST_WORDS for one in statements)


def telling_words(statement: str) -> list[str]:
    """Return the words of a statement that speak most for it being planted, in their order."""
    content = [word for word in set(words_of(statement)) if len(word) >= _SHORTEST_TOLD and not _DIGIT.search(word)]
    told = [word for word in sorted(content, key=_weigh, reverse=True)[:_MOST_TOLD] if _weigh(word)[0] > 0]
    plain = statement.lower()
    return sorted(filter(plain.count, told), key=plain.index)


def _weigh(word: str) -> tuple[int, int]:
    """Return the weight of the known runs of a word, and their number."""
    return _weigh_cached(word) if len(word) <= _LONGEST_CACHED else _weigh_cached.__wrapped__(word)


@lru_cache(maxsize=_CACHED_WORDS)
def _weigh_cached(word: str) -> tuple[int, int]:
    weights = _weights().runs
    known = weights.keys() & runs_of(word)
    return sum([weights[run] for run in known]), len(known)
