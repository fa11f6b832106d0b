"""What words say of a kind beside the cues of `classify.py`: a logistic model for each kind over words in a row.

`kind_words.json` holds its weights in hundredths: `tests/scripts/kind_words.py` fits them on what fresh readers called
memories of real repositories, of which the texts are not kept, and prints what they are worth on other repositories.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from math import sqrt
from pathlib import Path

from memtui.domain.kinds import DEFAULT_KINDS

FEWEST_SIGNS = 20  # known signs of a text that one with fewer is weighed as if it had
SIGNS_SHARE = 5.0  # what all signs of a text weigh together, beside the root of their number
LEAST_CUES, MOST_CUES = -6.0, 12.0  # between which what the cues say of a kind counts
_BEGINNING = 6  # characters of a word, so that its endings do not count
_FIRST_CHARS, _TEXT_CHARS = 300, 800  # of the first sentence and of the whole that are read
_SHORTEST, _LONGEST = 5, 11  # bits of the length of a text, below and above which it makes no difference
_START = "^"  # stands before the first word
_WORD = re.compile(r"[^\W\d_]+(?:['’][a-z]+)?|\d+(?:\.\d+)*|[=:→`?!/*|]")
_CJK_WORD = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff]")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=\S)|(?<=[。！？])|\n\n")
_BETWEEN_NAMES = re.compile(r"[-_./]")


def _words(text: str) -> list[str]:
    """Return the beginnings of the words of a text, of Chinese and Japanese each character."""
    lower = text.lower().replace("’", "'")
    found = _WORD.findall(lower)
    if not lower.isascii():
        found = [part for word in found for part in (_CJK_WORD.findall(word) or [word])]
    return [word[:_BEGINNING] for word in found]


def signs_of(text: str, heading_path: Sequence[str], path: str, features: Iterable[str]) -> set[str]:
    """Return what of a text, its headings, its file and its form is weighed, each with a mark of where it stands.

    Args:
        features: what its sentences do and what its form shows, as `classify.py` names it.
    """
    first = _words(_SENTENCE_END.split(text.strip(), maxsplit=1)[0][:_FIRST_CHARS])
    whole = _words(text[:_TEXT_CHARS])
    *above, last = heading_path or ("",)
    return {
        *_marked("1", first),
        *(f"1{one} {other}" for one, other in pairwise([_START, *first])),
        *_marked("2", whole),
        *(f"2{one} {other}" for one, other in pairwise([_START, *whole])),
        *_marked("h", _words(last)),
        *(sign for heading in above for sign in _marked("H", _words(heading))),
        *_marked("p", _words(_BETWEEN_NAMES.sub(" ", path))),
        *_marked("F", features),
        f"L{min(max(len(text).bit_length(), _SHORTEST), _LONGEST)}",
    }


def _marked(mark: str, words: Iterable[str]) -> Iterator[str]:
    return (mark + word for word in words)


@dataclass(frozen=True, slots=True)
class _Weights:
    base: Sequence[float]  # of each kind, in the order of the file's kinds
    cues: Mapping[str, Sequence[float]]  # by the kind that cues speak for
    signs: Mapping[str, Sequence[int]]  # in hundredths


@cache
def _weights() -> _Weights:
    stored = json.loads(Path(__file__).with_name("kind_words.json").read_text("utf-8"))
    if stored["kinds"] != list(DEFAULT_KINDS):
        raise ValueError("kind_words.json: weights of other kinds than there are; run tests/scripts/kind_words.py")
    return _Weights(stored["base"], stored["cues"], stored["signs"])


def odds_of_kinds(cues: Mapping[str, float], signs: Iterable[str]) -> dict[str, float]:
    """Return the logarithm of the odds that a reader would take each kind, by what cues and signs say."""
    weights = _weights()
    known = [found for found in map(weights.signs.get, signs) if found is not None]
    share = SIGNS_SHARE / 100.0 / sqrt(max(FEWEST_SIGNS, len(known)))
    sums = [share * sum(column) for column in zip(*known, strict=True)] or [0.0] * len(weights.base)
    told = [(min(max(cues.get(kind, 0.0), LEAST_CUES), MOST_CUES), row) for kind, row in weights.cues.items()]
    return {
        kind: weights.base[at] + sums[at] + sum(said * row[at] for said, row in told)
        for at, kind in enumerate(DEFAULT_KINDS)
    }
