"""Planted instructions in languages other than English: pairs of words that stand near each other."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

from memtui.text.injection_described import is_only_told_of
from memtui.text.planted import PlantedSort
from memtui.text.tables import read_table

_REACH = 70  # characters between the two words of a pair
_MOST_IDEOGRAPHS = 12  # between the two words of a pair, as each is a word or half of one
_IDEOGRAPH = re.compile("[\u3040-\u30ff\u4e00-\u9fff]")
_CLAUSE_END = re.compile(r"[；;|。，]|\A[/／]\Z")  # `批准/忽略` are two of a choice
_BEFORE, _AFTER, _CONTEXT = 60, 16, 120  # characters in which a negation takes a pair back
_FEWEST_WORDS = 2
_ASCII_WORD = re.compile("([a-z]{1,6})[a-z]*")
_WORD = re.compile(r"([^\W\d_]{1,6})[^\W\d_]*")
ENGLISH = frozenset(
    [
        "the",
        "and",
        "of",
        "to",
        "is",
        "in",
        "that",
        "with",
        "for",
        "it",
        "this",
        "are",
        "be",
        "by",
        "or",
        "from",
        "an",
        "when",
        "you",
        "your",
    ]
)
_DONE_TO = ("override", "off", "memory", "run")  # a negation may follow: überspringe die Tests nicht
_OUTSIDE_KINDS = ("send", "run")  # meant only with an address outside


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """Return a pattern of the table, compiled for the first sentence that it is looked for in."""
    return re.compile(pattern, re.IGNORECASE)


@dataclass(frozen=True)
class Language:
    """One language of `injection_languages.toml`, which explains the fields."""

    row: dict[str, Any]

    @cached_property
    def _pairs(self) -> Sequence[tuple[str, str, str]]:
        """The reason of each kind with its two patterns."""
        return [(kind, *self.row[kind]) for kind in read_table(__file__, "injection_languages.toml")["kinds"]]

    @cached_property
    def _negated(self) -> re.Pattern[str]:
        return re.compile(self.row["negated"], re.IGNORECASE)

    @cached_property
    def _condition(self) -> re.Pattern[str]:
        return re.compile(self.row["condition"], re.IGNORECASE)

    @cached_property
    def _scope(self) -> re.Pattern[str]:
        return re.compile(self.row["scope"], re.IGNORECASE)

    @cached_property
    def _said(self) -> Sequence[tuple[str, re.Pattern[str]]]:
        return [(kind, re.compile(pattern, re.IGNORECASE)) for kind, pattern in self.row["said"]]

    @cached_property
    def script(self) -> re.Pattern[str] | None:
        """The characters of its script, if it is not Latin."""
        return re.compile(self.row["script"], re.IGNORECASE) if "script" in self.row else None

    @cached_property
    def _unless(self) -> re.Pattern[str] | None:
        """The characters of another language that is written in its script, too."""
        return re.compile(self.row["unless"]) if "unless" in self.row else None

    @cached_property
    def words(self) -> frozenset[str]:
        """Its most frequent words, if its script is Latin."""
        return frozenset(word[:6] for word in self.row.get("words", "").split())

    def fits(self, text: str, words: frozenset[str]) -> bool:
        """Return whether a sentence of a text that may be in the language, with its words, is not rather English."""
        if self.script:
            return self.script.search(text) is not None and not (self._unless and self._unless.search(text))
        return bool(self.words & words) and len(self.words & words) >= len(ENGLISH & words)

    def reasons(self, sentence: str, words: frozenset[str], *, outside: bool) -> Iterator[PlantedSort]:
        """Yield why a sentence, with its words, looks planted; `outside`: it names an address outside."""
        if not self.fits(sentence, words):
            return
        for kind, first, second in self._pairs:
            if (outside or kind not in _OUTSIDE_KINDS) and self._says(kind, first, second, sentence):
                yield PlantedSort(kind)
        for kind, pattern in self._said:
            found = pattern.search(sentence)
            if found and not self._is_taken_back("", found.span(), found.span(), sentence):
                yield PlantedSort(kind)

    def _says(self, kind: str, first: str, second: str, sentence: str) -> bool:
        reach = _REACH if kind in _OUTSIDE_KINDS else self.row.get("reach", _REACH)  # an address stands between
        for one in _compiled(first).finditer(sentence):
            for other in _compiled(second).finditer(sentence, max(0, one.start() - reach), one.end() + reach):
                overlap = one.start() < other.start() < one.end() < other.end() or one.span() == other.span()
                is_turned = kind in self.row.get("object_first", ()) and one.start() < other.start()
                if overlap or is_turned or not _belong_together(one, other):
                    continue
                if not self._is_taken_back(kind, one.span(), other.span(), sentence):
                    return True
        return False

    def _is_taken_back(self, kind: str, one: tuple[int, int], other: tuple[int, int], sentence: str) -> bool:
        """Return whether a negation outside the pair, or for an approval a condition, stands by it."""
        if kind == "secrecy":  # denies by itself
            return False
        start, end = min(one[0], other[0]), max(one[1], other[1])
        low = max(0, start - _CONTEXT)
        rest = list(sentence[low : end + _CONTEXT])
        for first, last in (one, other):
            rest[first - low : last - low] = " " * (last - first)
        near = "".join(rest)
        if kind == "approval" and (
            self._condition.search(near) or not self._scope.search(sentence[low : end + _CONTEXT])
        ):
            return True
        after = _AFTER if kind in _DONE_TO else 0
        earliest = one[0] if self.row.get("negated_after") else max(0, start - _BEFORE)
        latest = end + (_AFTER if self.row.get("negated_after") else after)
        is_denied = self._negated.search(near, max(0, earliest - low), latest - low) is not None
        return is_denied or is_only_told_of(sentence, start, end, kind)


def _belong_together(one: re.Match[str], other: re.Match[str]) -> bool:
    """Return whether two words are near enough to each other, ideographs within a clause."""
    if not _IDEOGRAPH.search(one[0]) and not _IDEOGRAPH.search(other[0]):
        return True
    between = one.string[min(one.end(), other.end()) : max(one.start(), other.start())]
    return len(_IDEOGRAPH.findall(between)) <= _MOST_IDEOGRAPHS and not _CLAUSE_END.search(between)


@cache
def _languages() -> tuple[Language, ...]:
    return tuple(Language(row) for row in read_table(__file__, "injection_languages.toml")["language"])


@cache
def _latin_words() -> frozenset[str]:
    return frozenset().union(*(each.words for each in _languages()))


def beginnings(text: str) -> frozenset[str]:
    """Return the first six letters of the words of a text, in lower case."""
    lower = text.lower()
    return frozenset(_ASCII_WORD.findall(lower) if text.isascii() else _WORD.findall(lower))


def languages_of(text: str, words: frozenset[str]) -> list[Language]:
    """Return the languages other than English in which sentences of a text, with its words, may be written."""
    known = words & _latin_words()
    found = (
        []
        if len(known) < _FEWEST_WORDS
        else [each for each in _languages() if len(each.words & known) >= _FEWEST_WORDS]
    )
    if not text.isascii():
        found += [each for each in _languages() if each.script and each.script.search(text)]
    return found
