"""Words that indicate a kind of memory, in texts and in headings, with their weights.

Words are looked up in a dictionary, not matched by patterns: compiling those took longer than the rest of `memtui add`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Literal

from memtui.text.tables import read_table

_WORD = re.compile(r"[\w']+")


@dataclass(frozen=True, slots=True, eq=False)
class Cue:
    """Words that speak for one kind.

    Attributes:
        kind: the kind they speak for.
        weight: how strongly; 3 is nearly certain, 1 a hint.
        words: words parted by white space; `_` parts the words of a phrase, and `fix/es/ed` stands for the word
            with each ending.
        cjk: words of scripts without spaces; they are found anywhere.
    """

    kind: str
    weight: float
    words: str
    cjk: str = ""


@dataclass(frozen=True, slots=True)
class Sighting:
    """A cue found in a text: its number in the table, the words and where they stand."""

    cue: int
    words: str
    position: int


@cache
def cues(where: Literal["text", "heading"]) -> tuple[Cue, ...]:
    """Return the cues that are looked for in a text, or in the headings above it."""
    rows = read_table(__file__, "cues.toml")[where]
    return tuple(Cue(row["kind"], row["weight"], row["words"], row.get("cjk", "")) for row in rows)


@cache
def openings(part_of_speech: Literal["verbs", "nouns"]) -> frozenset[str]:
    """Return first words of sentences that tell what to do, or those of them that a noun may begin with as well."""
    return frozenset(read_table(__file__, "cues.toml")["openings"][part_of_speech].split())


def hinted_kind(word: str) -> str | None:
    """Return the kind that a source's own word for a memory, in lower case, stands for."""
    kind: str | None = read_table(__file__, "cues.toml")["hints"]["kinds"].get(word)
    return kind


def is_firm_hint(word: str) -> bool:
    """Return whether no cue in the text outweighs a source's own word for a memory."""
    return word in read_table(__file__, "cues.toml")["hints"]["firm"].split()


def sightings(text: str, cues: tuple[Cue, ...]) -> Iterator[Sighting]:
    """Yield every cue found in a text, whole words in any letter case."""
    phrases, cjk = _tables(cues)
    lower = text.lower().replace("\u2019", "'")
    words = [(match[0], match.start()) for match in _WORD.finditer(lower)]
    for number, (word, position) in enumerate(words):
        for phrase, cue in phrases.get(word, ()):
            following = words[number + 1 : number + len(phrase)]
            if len(phrase) == 1 or tuple(next_word for next_word, _ in following) == phrase[1:]:
                yield Sighting(cue, " ".join(phrase), position)
        if position and word == "make" and lower[position - 1] == "`":
            yield from (Sighting(cue, word, position) for _, cue in phrases.get("`make", ()))
    if not text.isascii():
        for word, cue in cjk:
            if (position := text.find(word)) >= 0:
                yield Sighting(cue, word, position)


_Phrases = dict[str, list[tuple[tuple[str, ...], int]]]


@cache
def _tables(cues: tuple[Cue, ...]) -> tuple[_Phrases, tuple[tuple[str, int], ...]]:
    """Return the phrases by their first word, and the CJK words, each with its cue's number."""
    phrases: _Phrases = {}
    cjk: list[tuple[str, int]] = []
    for number, cue in enumerate(cues):
        for written in cue.words.split():
            for phrase in _forms(written):
                phrases.setdefault(phrase[0], []).append((phrase, number))
        cjk.extend((word, number) for word in cue.cjk.split())
    return phrases, tuple(cjk)


def _forms(written: str) -> list[tuple[str, ...]]:
    """Return the phrases that `word/ending_word` stands for."""
    forms: list[tuple[str, ...]] = [()]
    for part in written.split("_"):
        stem, *endings = part.split("/")
        variants = [stem, *(stem + ending for ending in endings)]
        forms = [(*form, variant) for form in forms for variant in variants]
    return forms
