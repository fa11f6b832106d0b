"""A memory's text as sentences, each with what it says: words, hard facts, and whether it is code."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from memtui.domain.memory import Memory
from memtui.pack.targets.base import clean, clean_line
from memtui.text.stopwords import STOP_WORDS
from memtui.text.tokens import index_terms

READ_CHARACTERS = 20_000
"""Characters of a text that are cut into sentences; no sentence beyond them is taken."""

_FENCE = re.compile(r"(?:^[ \t]*~~~|```)(?:\w*\n)?(?P<code>.*?)(?:^[ \t]*~~~|```|\Z)", re.MULTILINE | re.DOTALL)
"""A block of code, also one that lost its line ends."""

_END = re.compile(r"(?<=[.!?])[\"')\]]* (?=[^a-z\s])|(?<=;) | (?=[-\u2022] [`*A-Z])|(?<=[。！？；])")
_ABBREVIATED = re.compile(r"\b(?:e\.g|i\.e|cf|vs|approx|no|fig|dr|mr|ms|st)\.$", re.IGNORECASE)
_LIST_MARK = re.compile(r"[ \t]*(?:[-*+•]|\d{1,3}[.)]|#{1,6}|>)[ \t]+(?:\[[ xX]\][ \t]+)?")
_FACT = re.compile(
    r"`[^`\n]+`"
    r"|\b[A-Za-z]*\d[\w.:,%/-]*"
    r"|\b\w+(?:[_/]\w+)+|\b\w+::\w+|\b\w+\.[a-z]\w*|--?[a-z][\w-]+"
    r"|\b[a-z]+[A-Z]\w*|\b[A-Z][a-z]+[A-Z]\w*|\b[A-Z]{2,}\w*"
)
_NEGATION = re.compile(
    r"\b(?:not|no|never|without|avoid|nor|neither|cannot|except|unless|instead|only|must|\w+n['’]t)\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a memory, or a line of a list, or a block of code.

    Attributes:
        text: as it stands there, without the mark of a list.
        terms: its words, stemmed, without stop words.
        facts: its numbers, identifiers, paths and words in capitals.
        negations: how often it denies or restricts.
        is_code: whether it is a block of code.
        is_reason: whether it comes from the rationale.
    """

    text: str
    terms: frozenset[str]
    facts: frozenset[str]
    negations: int
    is_code: bool = False
    is_reason: bool = False


def sentences_of(memory: Memory) -> tuple[Sentence, ...]:
    """Return the sentences of title, insight and rationale, and the snippet as code, in this order."""
    title, insight, rationale = memory.title, memory.insight[:READ_CHARACTERS], memory.rationale[:READ_CHARACTERS]
    return _sentences(title, insight, rationale, memory.snippet)


# While a person types a task the same memories are compiled again and again: 20 ms for 50 of them, else none.
@lru_cache(maxsize=512)
def _sentences(title: str, insight: str, rationale: str, snippet: str) -> tuple[Sentence, ...]:
    found = [_sentence(clean_line(title))] if title.strip() else []
    found += _cut(clean(insight))
    found += [replace(one, is_reason=True) for one in _cut(clean(rationale))]
    if snippet.strip():
        found.append(_sentence(clean(snippet).strip("\n"), is_code=True))
    return tuple(found)


def _cut(text: str) -> Iterator[Sentence]:
    at = 0
    for fence in _FENCE.finditer(text):
        yield from _prose(text[at : fence.start()])
        if fence["code"].strip():
            yield _sentence(fence["code"].strip("\n"), is_code=True)
        at = fence.end()
    yield from _prose(text[at:])


def _prose(text: str) -> Iterator[Sentence]:
    for line in text.split("\n"):
        plain = " ".join((_LIST_MARK.sub("", line, count=1) if _LIST_MARK.match(line) else line).split())
        start = 0
        for end in _END.finditer(plain):
            # A code span or a parenthesis may hold what looks like an end.
            before = plain[start : end.start()]
            if _ABBREVIATED.search(before) or before.count("`") % 2 or before.count("(") > before.count(")"):
                continue
            yield from _stated(before)
            start = end.end()
        yield from _stated(plain[start:])


def _stated(text: str) -> Iterator[Sentence]:
    text = _LIST_MARK.sub("", text, count=1)
    if any(character.isalpha() for character in text):
        yield _sentence(text)


def _sentence(text: str, *, is_code: bool = False, is_reason: bool = False) -> Sentence:
    facts = frozenset(fact.strip("`.,:") for fact in _FACT.findall(text))
    terms = frozenset(index_terms(text)) - STOP_WORDS
    return Sentence(text, terms, facts, len(_NEGATION.findall(text)), is_code, is_reason)
