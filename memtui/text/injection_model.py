"""Planted instructions by how they are worded: a logistic model over runs of characters, and over phrases.

`injection_weights.json` holds the weights in hundredths: `tests/scripts/injection_weights.py` fits them on
`tests/planted` and prints what they are worth on writers that they have not seen.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import chain, pairwise
from math import inf, sqrt
from pathlib import Path
from typing import TypeVar

Value = TypeVar("Value")

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
_RUN_BITS = 20
_MOST_RUNS = (1 << _RUN_BITS) - 1
_PART_BITS = 20
_UNKNOWN = (1 << _PART_BITS) - 1  # what is part of no known phrase
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


class _Cache(dict[str, Value]):
    """What was found out about words, until they are too many; of long ones each time anew."""

    def __init__(self, find: Callable[[str], Value]) -> None:
        self._find = find

    def __missing__(self, word: str) -> Value:
        found = self._find(word)
        if len(word) <= _LONGEST_CACHED:
            if len(self) >= _CACHED_WORDS:
                self.clear()
            self[word] = found
        return found


_bare = _Cache(lambda written: _DIGIT.sub("0", written).strip(_BESIDE_WORDS))
"""Words as they count, by how they are written."""


def _weigh(word: str) -> int:
    """Return the weight of the known runs of a word, with their number in its last bits: both are summed up at once."""
    weights = [weight for weight in map(_weights().runs.get, runs_of(word)) if weight is not None]
    return (sum(weights) << _RUN_BITS) + len(weights)


_packed = _Cache(_weigh)


def words_of(statement: str) -> list[str]:
    """Return the words of a statement in lower case, with 0 for a digit and @ for an address."""
    plain = statement[:LONGEST].lower()
    if "://" in plain or "@" in plain or ".example" in plain:
        plain = _ADDRESS.sub(" @ ", plain)
    return [*map(_bare.__getitem__, plain.split())]


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


def least_planted() -> int:
    """Return the weight, in hundredths, from which statements are planted."""
    return _weights().least


def weight_of_wording(statements: Iterable[str], least: float) -> float:
    """Return, in hundredths, what speaks for statements being worded together as planted ones are.

    A run counts once for each word that holds it, a phrase once. The sum of each is divided by the root of their
    number: neither long nor short statements stand out by it. Where it is lower than `least`, or too little is known,
    it is minus infinity.
    """
    read = [*map(_read, statements)]
    known, by_runs = _by_runs(read)
    if known < FEWEST_KNOWN or by_runs + _weights().most_by_phrases < least:
        return -inf
    weight = by_runs + _by_phrases(read)
    if weight < least:
        return -inf
    has_words = any(not one.text.isascii() or len(_WORD.findall(one.text)) >= _FEWEST_WORDS for one in read)
    return weight if has_words else -inf


class _Statement:
    """A statement with its words, and its phrases once they are asked for."""

    __slots__ = ("_phrases", "distinct", "text", "words")

    def __init__(self, text: str) -> None:
        self.text = text
        self.words = words_of(text)
        self.distinct = set(self.words)
        self._phrases: dict[int, int] | None = None

    @property
    def phrases(self) -> dict[int, int]:
        """The weights of its known phrases, by their numbers."""
        if self._phrases is None:
            self._phrases = _phrase_book().known_in(self.words)
        return self._phrases


_read = lru_cache(maxsize=32)(_Statement)
"""Sentences are judged by themselves, and then together with the others of their paragraph."""


def _by_runs(read: Sequence[_Statement]) -> tuple[int, float]:
    """Return how many runs of the words of statements are known, and what they say."""
    distinct = read[0].distinct if len(read) == 1 else set().union(*[one.distinct for one in read])
    packed = sum(map(_packed.__getitem__, distinct))
    known = packed & _MOST_RUNS
    return known, _weights().base + (packed >> _RUN_BITS) / sqrt(max(FEWEST_RUNS, known))


def _by_phrases(read: Sequence[_Statement]) -> float:
    """Return what the phrases of statements say."""
    found = read[0].phrases if len(read) == 1 else dict(chain.from_iterable(one.phrases.items() for one in read))
    return sum(found.values()) / sqrt(max(FEWEST_PHRASES, len(found)))


class _PhraseBook:
    """The known phrases under numbers, made of those of their words: none has to be put together to be looked up.

    It finds what `phrases_of` has of the known ones.
    """

    def __init__(self, model: _Weights) -> None:
        self._groups = model.groups
        self._numbers: dict[str, int] = {}
        self._weights: dict[int, int] = {}
        number = self._numbers.setdefault
        for phrase, weight in model.phrases.items():
            whole = 0
            for part in phrase.split(" "):
                whole = whole << _PART_BITS | number(part, len(self._numbers) + 1)
            self._weights[whole] = weight
        self._parts = _Cache(self._parts_of)

    def _parts_of(self, word: str) -> tuple[int, int]:
        """Return the numbers of the beginning of a word and of its group, which without one is its beginning."""
        begun = self._numbers.get(word[:_BEGINNING], _UNKNOWN)
        group = self._groups.get(word)
        return begun, self._numbers.get(group, _UNKNOWN) if group else begun

    def known_in(self, words: Sequence[str]) -> dict[int, int]:
        """Return the weights of the known phrases in words, by their numbers."""
        weight_of, parts = self._weights.get, self._parts
        before = grouped_before = self._numbers.get(_START, _UNKNOWN)
        pair = grouped_pair = 0  # the known one that ends at the word before
        weight = weight_of(before)
        found = {} if weight is None else {before: weight}
        for word in words:
            if not word:
                continue
            begun, grouped = parts[word]
            if (weight := weight_of(grouped)) is not None:
                found[grouped] = weight
            two = before << _PART_BITS | begun
            if (weight := weight_of(two)) is not None:
                found[two] = weight
                if pair and (weight := weight_of(three := pair << _PART_BITS | begun)) is not None:
                    found[three] = weight
                pair = two
            else:
                pair = 0
            two = grouped_before << _PART_BITS | grouped
            if (weight := weight_of(two)) is not None:
                found[two] = weight
                if grouped_pair and (weight := weight_of(three := grouped_pair << _PART_BITS | grouped)) is not None:
                    found[three] = weight
                grouped_pair = two
            else:
                grouped_pair = 0
            before, grouped_before = begun, grouped
        return found


@cache
def _phrase_book() -> _PhraseBook:
    return _PhraseBook(_weights())
