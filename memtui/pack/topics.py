"""What a task and a memory are about: sorts of work, by words of several languages and by places, and code's languages.

`topics.toml` and `languages.toml` hold the words.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import PurePosixPath
from typing import Literal

from memtui.domain.scope import plain_path
from memtui.text.stemming import stem
from memtui.text.tables import read_table
from memtui.text.tokens import query_terms

Side = Literal["asked", "told"]
"""Which texts words are looked for in: those of tasks, or of memories."""

SURE, HALF_SURE, BY_PLACE = 1.0, 0.6, 0.7
"""How surely a task is about a topic: by a word that says so anywhere, by one that says so in tasks, by its files."""

OF_TITLE, OF_ORIGIN, OF_PLACE, OF_PAIR = 3.0, 2.0, 1.5, 2
"""How much a word of the title says beside one of the text; the same of the file that a memory came from and its
heading there, of a place that it holds for, and of a pair of words."""

_SIGNS = re.compile(r"[/._*{}#,-]+")
_NO_TOPIC = re.compile(
    r"claude|agents?|rules|copilot|instructions|cursor|skills|memory|readme|\.md\b|\bdocs?\b", re.IGNORECASE
)
"""What the name of a file of rules says of itself, and not of its rules."""


def words_of_path(path: str) -> frozenset[str]:
    return frozenset(query_terms(_SIGNS.sub(" ", path)))


@dataclass(frozen=True, slots=True)
class Topic:
    """A sort of work."""

    words: frozenset[str]  # stems that speak of it, in tasks and in memories
    only: Mapping[Side, frozenset[str]]  # stems that do so on one side alone
    beside: frozenset[str]  # have other senses too, and count only beside a sure one
    pairs: tuple[frozenset[str], ...]
    within: tuple[str, ...]  # words of scripts that are not cut into words, or of languages without stems
    paths: frozenset[str]  # parts of paths where its work is done
    brings: frozenset[str]  # topics whose rules it meets as well


@cache
def topics() -> Mapping[str, Topic]:
    """Return each topic of work by its name."""
    return {name: _topic(table) for name, table in read_table(__file__, "topics.toml").items()}


def _topic(table: Mapping[str, str]) -> Topic:
    words = table.get("words", "").split()
    return Topic(
        words=_stems(word for word in words if "-" not in word),
        only={side: _stems(table.get(side, "").split()) for side in ("asked", "told")},
        beside=_stems(table.get("beside", "").split()),
        pairs=tuple(_stems(word.split("-")) for word in words if "-" in word),
        within=tuple(table.get("within", "").split()),
        paths=frozenset(table.get("paths", "").split()),
        brings=frozenset(table.get("brings", "").split()),
    )


def _stems(words: Iterable[str]) -> frozenset[str]:
    return frozenset(map(stem, words))


@cache
def _by_word(side: Side) -> Mapping[str, tuple[str, ...]]:
    """Return the topics of each stem that speaks of any on a side."""
    found: dict[str, list[str]] = {}
    for name, topic in topics().items():
        for word in topic.words | topic.only[side]:
            found.setdefault(word, []).append(name)
    return {word: tuple(names) for word, names in found.items()}


def spoken_of(words: Collection[str], text: str, side: Side) -> Counter[str]:
    """Return how many words of a text speak of each topic. `words`: its terms."""
    by_word = _by_word(side)
    counts = Counter(name for word in words for name in by_word.get(word, ()))
    there = frozenset(words)
    lower = "" if text.isascii() else text.lower()
    for name, topic in topics().items():
        if topic.pairs:
            counts[name] += OF_PAIR * sum(pair <= there for pair in topic.pairs)
        if lower:
            counts[name] += sum(word in lower for word in topic.within)
        if topic.beside and counts[name]:
            counts[name] += len(topic.beside & there)
    return +counts


def asked_of(words: Collection[str], text: str) -> dict[str, float]:
    """Return how surely a task is about each topic, by its words."""
    lower, there, every = "" if text.isascii() else text.lower(), frozenset(words), topics()
    return {
        name: SURE if _is_sure(every[name], there, lower) else HALF_SURE for name in spoken_of(words, text, "asked")
    }


def _is_sure(topic: Topic, words: frozenset[str], lower: str) -> bool:
    return (
        not topic.words.isdisjoint(words)
        or any(pair <= words for pair in topic.pairs)
        or (bool(lower) and any(word in lower for word in topic.within))
    )


@lru_cache(maxsize=2_000)
def topics_of_path(path: str) -> frozenset[str]:
    """Return the topics whose work is done at a path, which may be a pattern."""
    parts = [part for part in plain_path(path).lower().split("/") if part]
    if not parts:
        return frozenset()
    name = PurePosixPath(parts[-1].replace("*", "x"))
    pieces = {piece for part in parts for piece in _SIGNS.split(part)}
    there = {*parts, name.stem, *name.suffixes, *pieces}
    return frozenset(found for found, topic in topics().items() if not topic.paths.isdisjoint(there))


@cache
def _languages() -> Mapping[str, tuple[frozenset[str], frozenset[str]]]:
    """Return the endings of files and the words of each language of code."""
    return {
        name: (frozenset(table["endings"].split()), _stems(table["words"].split()))
        for name, table in read_table(__file__, "languages.toml").items()
    }


def languages_of_files(files: Iterable[str]) -> frozenset[str]:
    """Return the languages that files, or patterns of files, are written in."""
    suffixes = {PurePosixPath(plain_path(file)).suffix.lower() for file in files}
    return frozenset(name for name, (endings, _) in _languages().items() if not endings.isdisjoint(suffixes))


def languages_of_words(words: Collection[str]) -> frozenset[str]:
    """Return the languages of code that words speak of."""
    return frozenset(name for name, (_, spoken) in _languages().items() if not spoken.isdisjoint(words))


@dataclass(frozen=True, slots=True)
class Subject:
    """What a memory is about."""

    about: Mapping[str, float]  # share of what it says of topics that is of each
    named: frozenset[str]  # topics of its title, of its heading and of the file that it came from
    placed: frozenset[str]  # topics of the places that it holds for
    languages: frozenset[str]  # languages of code that it is for

    @classmethod
    @lru_cache(maxsize=1_000)
    def of(cls, title: str, text: str, origin: str, places: tuple[str, ...]) -> Subject:
        """Return what a memory is about; kept, as a task is typed letter by letter.

        `text`: its beginning. `origin`: the file that it came from, with its heading. `places`: what it holds for.
        """
        heading, body = query_terms(title), query_terms(text)
        plain = _SIGNS.sub(" ", _NO_TOPIC.sub(" ", origin))
        by_title, by_text = spoken_of(heading, title, "told"), spoken_of(body, text, "told")
        by_origin = {name for name, share in asked_of(query_terms(plain), plain).items() if share >= SURE}
        placed = frozenset(name for place in places for name in topics_of_path(place))
        said = {
            name: OF_TITLE * by_title[name]
            + by_text[name]
            + OF_ORIGIN * (name in by_origin)
            + OF_PLACE * (name in placed)
            for name in sorted({*by_title, *by_text, *by_origin, *placed})
        }
        whole = math.fsum(said.values())
        for_these = languages_of_words(heading) | languages_of_files(places)
        return cls(
            {name: value / whole for name, value in said.items()},
            frozenset({*by_title, *by_origin}),
            placed,
            for_these or languages_of_words(body),
        )
