"""A memory's text as sentences, and shortening at their boundaries."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from memtui.domain.memory import Memory
from memtui.pack.targets.base import clean, clean_line
from memtui.text.tokens import STOP_WORDS, index_terms

READ_CHARACTERS = 20_000  # Characters of a text that are cut into sentences; no sentence beyond them is taken

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
_LEANING = re.compile(
    r"(?:this|that|these|those|it|its|they|their|them|he|she|such|both|either|neither|otherwise|but|however|so|thus"
    r"|hence|therefore|then|and|or|yet|also|instead|the (?:former|latter|same|other|second|third|last)|here|which"
    r"|(?:in|for|with|after|until|because of) (?:this|that|these|such)|as a result|the reason|similarly|likewise)\b",
    re.IGNORECASE,
)
"""Begins a sentence that means something else, or nothing, without the one before it."""

_TAIL = re.compile(
    r"(?:, (?:making|allowing|keeping|letting|leaving|giving|ensuring|enabling|which|so that|so only|as it|as they"
    r"|since)"
    r"|,? because|,? while (?=[a-z]+ing\b)| [\u2013\u2014]) "
)
"""Begins a clause that explains or embellishes a complete statement; conditions and limits are not such clauses."""

_OPENING = re.compile(
    r"(?:if|when|whenever|while|where|as|since|because|before|after|once|unless|until|although|though|for|to|in|on|with)\b",
    re.IGNORECASE,
)
"""Begins a clause that is no statement before its comma."""

_SHORTEST_STATEMENT, _SHORTEST_TAIL = 4, 25
"""Words that a statement has at least, and characters of a tail that are worth a cut."""

_NEGATION = re.compile(
    r"\b(?:not|no|never|without|avoid|nor|neither|cannot|except|unless|instead|only|must|\w+n['’]t)\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a memory, or a line of a list, or a block of code."""

    text: str  # as it stands there, without the mark of a list
    terms: frozenset[str]  # its words, stemmed, without stop words
    facts: frozenset[str]  # its numbers, identifiers, paths and words in capitals
    negations: int  # how often it denies or restricts
    is_code: bool = False  # whether it is a block of code
    is_reason: bool = False  # whether it comes from the rationale
    leans: int = 0  # how many sentences back the one is that it depends on; 0 for none
    statement: str = ""  # the sentence without its last clause where that explains or embroiders; else the sentence


def sentences_of(memory: Memory) -> tuple[Sentence, ...]:
    """Return the sentences of title, insight and rationale, and the snippet as code, in this order."""
    title, insight, rationale = memory.title, memory.insight[:READ_CHARACTERS], memory.rationale[:READ_CHARACTERS]
    return _sentences(title, insight, rationale, memory.snippet)


# While a person types a task the same memories are compiled again and again: 20 ms for 50 of them, else none.
@lru_cache(maxsize=512)
def _sentences(title: str, insight: str, rationale: str, snippet: str) -> tuple[Sentence, ...]:
    found = [about(clean_line(title))] if title.strip() else []
    found += _cut(clean(insight))
    found += [replace(one, is_reason=True) for one in _cut(clean(rationale))]
    if snippet.strip():
        found.append(about(clean(snippet).strip("\n"), is_code=True))
    return tuple(found)


def _cut(text: str) -> Iterator[Sentence]:
    at = 0
    for fence in _FENCE.finditer(text):
        yield from _prose(text[at : fence.start()])
        if fence["code"].strip():
            yield about(fence["code"].strip("\n"), is_code=True)
        at = fence.end()
    yield from _prose(text[at:])


def _prose(text: str) -> Iterator[Sentence]:
    announced = 0
    for line in text.split("\n"):
        for part, is_item in _parts(line):
            if not any(character.isalpha() for character in part):
                continue
            leans = announced if announced == 1 or is_item else int(_LEANING.match(part) is not None)
            yield replace(about(part), leans=leans, statement=_statement(part))
            if part.endswith((":", ";", "；")):
                announced = 1
            elif announced:
                announced = announced + 1 if is_item else 0


def _parts(line: str) -> Iterator[tuple[str, bool]]:
    """Yield the sentences of a line, and whether each is an item of a list."""
    plain, is_item = _unmarked(line)
    plain = " ".join(plain.split())
    start = 0
    for end in _END.finditer(plain):
        # A code span or a parenthesis may hold what looks like an end.
        before = plain[start : end.start()]
        if _ABBREVIATED.search(before) or before.count("`") % 2 or before.count("(") > before.count(")"):
            continue
        part, is_marked = _unmarked(before)
        yield part, is_item or is_marked
        start, is_item = end.end(), False
    part, is_marked = _unmarked(plain[start:])
    yield part, is_item or is_marked


def _unmarked(text: str) -> tuple[str, bool]:
    """Return a text without the mark of a list that it begins with, and whether it had one."""
    mark = _LIST_MARK.match(text)
    return (text[mark.end() :], True) if mark else (text, False)


def _statement(text: str) -> str:
    """Return a sentence without a last clause that explains or embroiders what stands without it."""
    for tail in _TAIL.finditer(text):
        before, after = text[: tail.start()], text[tail.end() :]
        if _stands(before) and _is_last(tail[0], after) and len(after) >= _SHORTEST_TAIL:
            return before.rstrip(" ,")
    return text


def _stands(text: str) -> bool:
    is_open = text.count("`") % 2 or text.count('"') % 2 or text.count("(") > text.count(")")
    is_clause = "," not in text and _OPENING.match(text) is not None
    return not is_open and not is_clause and len(text.split()) >= _SHORTEST_STATEMENT


def _is_last(mark: str, rest: str) -> bool:
    """Return whether nothing but the clause that a mark begins follows."""
    if "\u2013" in mark or "\u2014" in mark:
        return mark not in rest
    return "," not in rest or "because" in mark


def about(text: str, *, is_code: bool = False) -> Sentence:
    facts = frozenset(fact.strip("`.,:") for fact in _FACT.findall(text))
    terms = frozenset(index_terms(text)) - STOP_WORDS
    return Sentence(text, terms, facts, len(_NEGATION.findall(text)), is_code)


_PARAGRAPH = re.compile(r"\n[ \t]*\n")
_SENTENCE = re.compile(r"\n|(?<=[.!?])[ \t]+|(?<=[。！？])")


def mark(memory: Memory) -> str:
    """Return the mark at the end of a shortened text."""
    return f"[shortened: memtui show {memory.id}]"


def shortened(memory: Memory, *, fits: Callable[[Memory], bool], longest: int) -> Memory | None:
    """Return as much of a memory as fits, or None if not even its first sentence does.

    The snippet goes first, then whole paragraphs from the end, then the rationale, then sentences or lines
    of the first paragraph.

    `fits`: whether a memory is small enough. `longest`: characters beyond which no text can fit; nothing after them is
    looked at.
    """
    known = memory.insight[:longest]
    whole = len(known) == len(memory.insight)
    paragraphs = _cuts(known, _PARAGRAPH, whole=whole)
    sentences = _cuts(known[: paragraphs[0]] if paragraphs else known, _SENTENCE, whole=whole or bool(paragraphs))
    for cuts, rationale in ((paragraphs, memory.rationale), (paragraphs, ""), (sentences, "")):
        if len(rationale) > longest:
            continue
        plain = replace(memory, snippet="", rationale=rationale)
        found = _longest_that_fits(plain, known, cuts, fits)
        if found:
            return found
    return None


def _cuts(text: str, boundary: re.Pattern[str], *, whole: bool) -> list[int]:
    """Return the ends of the pieces of a text; the last piece only if the text is whole."""
    ends = [match.start() for match in boundary.finditer(text) if text[: match.start()].strip()]
    return [*ends, len(text)] if whole and text.strip() else ends


def _longest_that_fits(memory: Memory, text: str, cuts: list[int], fits: Callable[[Memory], bool]) -> Memory | None:
    """Return the memory with the longest of the cuts that fits, by bisection."""
    best = None
    low, high = 0, len(cuts)
    while low < high:
        middle = (low + high) // 2
        tried = replace(memory, insight=f"{text[: cuts[middle]].rstrip()}\n\n{mark(memory)}")
        if fits(tried):
            best, low = tried, middle + 1
        else:
            high = middle
    return best
