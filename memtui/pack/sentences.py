"""A memory's text as sentences that know what they need of each other, and shortening at their boundaries."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from itertools import pairwise, zip_longest
from textwrap import dedent

from memtui.analysis.grammar import grammar_of, language_of
from memtui.analysis.sentence_acts import RULES, acts_of
from memtui.domain.memory import Memory
from memtui.pack.blocks import JOINS, Block, blocks_of
from memtui.pack.openings import ABBREVIATED, CLOSERS, COLON, is_closed
from memtui.pack.targets.base import clean, clean_line
from memtui.text.tables import compile_lines, read_table
from memtui.text.tokens import STOP_WORDS, index_terms

READ_CHARACTERS = 20_000  # Characters of a text that are cut into sentences; no sentence beyond them is taken

_LABEL = re.compile(r"\*\*[^*]+\*\*:?|__[^_]+__:?")

_END = re.compile(rf"(?<=[.!?…]){CLOSERS} (?=[^a-z\s])|(?<=[。！？]){CLOSERS}(?=.)")
_STOPPED = re.compile(rf"[.!?…。！？]{CLOSERS}$")
_BINDING = RULES | {"only", "decide", "decide_in_rule"}  # Acts of sentences that are told in any case
_NOUN_WORDS = 2  # An announcement of two words begins with a noun that is a verb too
_EXAMPLE = re.compile(r"(?:counter-?)?(?:examples?|beispiele?|exemples?|ejemplos?|exemplos?)\b|例", re.IGNORECASE)
_FRESH = re.compile(r"(?:\*\*|__)?[^\W\d_a-z]")
_NARROW, _SLACK = 0.6, 12  # A line this much shorter than the widest one, and with this room left, was ended on purpose

_FACT = re.compile(
    r"`[^`\n]+`"
    r"|\b[A-Za-z]*\d[\w.:,%/-]*"
    r"|\b\w+(?:[_/]\w+)+|\b\w+::\w+|\b\w+\.[a-z]\w*|--?[a-z][\w-]+"
    r"|\b[a-z]+[A-Z]\w*|\b[A-Z][a-z]+[A-Z]\w*|\b[A-Z]{2,}\w*"
)


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a memory, an item or a heading without an end of its own, a row of a table, or a block of code."""

    text: str  # as it stands there, on one line without the mark of a list; code with its lines
    terms: frozenset[str]  # its words, stemmed, without stop words
    facts: frozenset[str]  # its numbers, identifiers, paths and words in capitals
    is_rule: bool = False  # whether it orders, advises, decides or denies
    is_code: bool = False  # whether it is a block of code
    is_reason: bool = False  # whether it comes from the rationale
    is_heading: bool = False  # whether it only names what stands below
    needs: int = -1  # place of the one without which it says nothing, or too much; -1 for none
    limits: bool = False  # whether that one says too much without it
    announces: bool = False  # whether it says nothing without those that need it


def sentences_of(memory: Memory) -> tuple[Sentence, ...]:
    """Return the sentences of title, insight and rationale, and the snippet as code, in this order."""
    title, insight, rationale = memory.title, memory.insight[:READ_CHARACTERS], memory.rationale[:READ_CHARACTERS]
    return _sentences(title, insight, rationale, memory.snippet)


# While a person types a task the same memories are compiled again and again.
@lru_cache(maxsize=512)
def _sentences(title: str, insight: str, rationale: str, snippet: str) -> tuple[Sentence, ...]:
    found = [about(clean_line(title))] if title.strip() else []
    found = _Reader(found).read(clean(insight))
    found = _Reader(found, is_reason=True).read(clean(rationale))
    if snippet.strip():
        found.append(about(clean(snippet).strip("\n"), is_code=True))
    return tuple(found)


@dataclass(slots=True)
class _Reader:
    """Reads a text into sentences, each with the place of what it needs."""

    found: list[Sentence]
    is_reason: bool = False
    _headings: list[tuple[int, int]] = field(default_factory=list)  # those that a block stands under, with their levels
    _section: int = -1  # a line that announces headings
    _lead: int = -1  # what announces the blocks that follow
    _items: list[tuple[int, int]] = field(default_factory=list)  # the open items, with their indents
    _header: int = -1
    _firsts: list[int] = field(default_factory=list)  # the first sentences of items
    _start: int = 0

    def read(self, text: str) -> list[Sentence]:
        self._start = len(self.found)
        blocks = list(blocks_of(text))
        for block, following in zip_longest(blocks, blocks[1:]):
            if block.kind in {"code", "indented"}:
                self._read_code(block)
            elif any(character.isalpha() for line in block.lines for character in line):
                self._read_prose(block, following)
        self._agree()
        return self.found

    def _agree(self) -> None:
        """Take the items of a list for rules where most of them are: a verb may be one that no table has."""
        lists: dict[int, list[int]] = {}
        for place in self._firsts:
            lists.setdefault(self.found[place].needs, []).append(place)
        for places in lists.values():
            rules = sum(self.found[place].is_rule for place in places)
            if 2 * rules >= len(places) and not self.is_reason:
                for place in places:
                    self.found[place] = replace(self.found[place], is_rule=True)

    def _read_code(self, block: Block) -> None:
        code = dedent("\n".join(block.lines)).strip("\n")
        last = len(self.found) - 1
        needs = last if last >= self._start else -1
        if code.strip() and "\n" not in code and "`" not in code:  # one line reads as a code span
            self.found.append(
                about(f"`{code.strip()}`", needs=needs, within_rule=self._is_rule(needs), is_reason=self.is_reason)
            )
        elif code.strip():
            self.found.append(about(code, is_code=True, needs=needs, is_reason=self.is_reason))

    def _is_rule(self, place: int) -> bool:
        """Return whether what a sentence announces or a heading names is part of a rule."""
        lead = self.found[place] if place >= 0 else None
        return lead is not None and lead.is_rule and (lead.announces or lead.is_heading)

    def _is_forbidden(self, block: Block, parent: int) -> bool:
        """Return whether an item or row stands for itself below a title that forbids."""
        below_title = parent < 0 and self._start > 0 and not self.is_reason and block.kind in {"item", "row"}
        return below_title and "forbids" in acts_of(self.found[0].text)

    def _read_prose(self, block: Block, following: Block | None) -> None:
        parent = self._parent_of(block)
        parts = [block.lines[0]] if block.kind in {"heading", "row"} else _parts(block.lines)
        first = len(self.found)
        self._firsts += [first] if block.kind == "item" else []
        for part in parts:
            here = len(self.found)
            limits = here > self._start and _pattern("limits").match(_bare(part)) is not None
            leans = limits or _pattern("leans").match(_bare(part)) or _pattern("above").search(part)
            within = first if block.kind == "item" and here > first else parent
            needs = here - 1 if leans and here > max(self._start, within) else within
            rule = self._is_rule(needs) or self._is_forbidden(block, parent)
            self.found.append(about(part, needs=needs, limits=limits, within_rule=rule, is_reason=self.is_reason))
        self._close(block, first, following)

    def _parent_of(self, block: Block) -> int:
        """Return the place of what the first sentence of a block belongs to."""
        if block.kind == "heading":
            return self._parent_of_heading(block)
        if block.kind != "row" or block.is_apart:
            self._header = -1
        if self._header >= 0:
            return self._header
        self._close_items(block)
        if self._items:
            return self._items[-1][1]
        if self._lead >= 0 and (block.kind != "paragraph" or self._is_led(block)):
            return self._lead
        return self._headings[-1][1] if self._headings else -1

    def _parent_of_heading(self, block: Block) -> int:
        self._lead, self._items, self._header = -1, [], -1
        while self._headings and self._headings[-1][0] >= block.indent:
            self._headings.pop()
        return self._headings[-1][1] if self._headings else self._section

    def _close_items(self, block: Block) -> None:
        """Forget the items that a block does not stand below."""
        deepest = block.indent - (block.kind != "item")
        while self._items and self._items[-1][0] > deepest:
            self._items.pop()
        if block.kind == "item" and self._items and self._items[-1][0] == block.indent:
            self._items.pop()

    def _is_led(self, block: Block) -> bool:
        """Return whether what was announced is a paragraph."""
        return self._lead == len(self.found) - 1 and not COLON.search(block.lines[-1])

    def _close(self, block: Block, first: int, following: Block | None) -> None:
        """Remember what the blocks that follow may belong to."""
        last = len(self.found) - 1
        if block.kind == "heading":
            self._headings.append((block.indent, last))
            self.found[last] = replace(self.found[last], is_heading=True)
        elif block.kind == "row" and self._header < 0:
            self._header = first
            self.found[first] = replace(self.found[first], announces=True)
        elif block.kind != "row":
            announces = self._announces(block, following)
            self.found[last] = replace(self.found[last], announces=announces)
            if block.kind == "item":
                self._items.append((block.indent, last if announces else first))
            elif not self._items:
                self._lead_with(block, following, announces=announces)

    def _announces(self, block: Block, following: Block | None) -> bool:
        """Return whether the last sentence of a block says nothing without the block that follows."""
        text = self.found[-1].text
        if COLON.search(text):
            return True
        kind = following.kind if following else ""
        is_list = kind == "item" and following and (block.kind == "paragraph" or following.indent > block.indent)
        points = not _STOPPED.search(text) or _pattern("announces").search(text)
        return bool((is_list or kind in {"code", "indented", "row"}) and points)

    def _lead_with(self, block: Block, following: Block | None, *, announces: bool) -> None:
        """Remember the last sentence of a paragraph as what announces the blocks, or the headings, that follow."""
        last = len(self.found) - 1
        is_label = len(block.lines) == 1 and _LABEL.fullmatch(block.lines[0])
        self._lead = last if announces or is_label else -1
        has_headings = following is not None and following.kind == "heading"
        if announces and not is_label and (has_headings or self._section >= 0):
            self._headings, self._section = [], last if has_headings else -1


def _parts(lines: Sequence[str]) -> list[str]:
    """Return the sentences of lines, joined where they were wrapped."""
    widest = max(map(len, lines))
    runs = [lines[0]]
    for line, following in pairwise(lines):
        room = widest - len(line) - len(following.partition(" ")[0])
        is_ended = len(line) < _NARROW * widest and room > _SLACK
        if is_ended and not JOINS.search(line) and _FRESH.match(following):
            runs.append(following)
        else:
            runs[-1] += f" {following}"
    return [part for run in runs for part in _cut(" ".join(run.split()))]


def _cut(text: str) -> Iterator[str]:
    start = 0
    for end in _END.finditer(text):
        before = text[start : end.end()].rstrip()
        if not ABBREVIATED.search(before) and is_closed(before):
            yield before
            start = end.end()
    if text[start:].strip():
        yield text[start:].strip()


@lru_cache(maxsize=1_024)
def denials_of(text: str) -> frozenset[str]:
    """Return the words by which a text denies or limits."""
    return frozenset(found[0].lower() for found in grammar_of(language_of(text)).negation.finditer(text))


def is_ended(text: str) -> bool:
    """Return whether a text ends with a sign of its own."""
    return bool(_STOPPED.search(text) or COLON.search(text) or text.endswith((",", ";")))


def _bare(text: str) -> str:
    return text.lstrip("*_\"'“‘ ")


@cache
def _pattern(name: str) -> re.Pattern[str]:
    return compile_lines(read_table(__file__, "sentences.toml")[name])


def about(
    text: str,
    *,
    is_code: bool = False,
    is_reason: bool = False,
    needs: int = -1,
    limits: bool = False,
    within_rule: bool = False,
) -> Sentence:
    facts = frozenset(fact.strip("`.,:") for fact in _FACT.findall(text))
    terms = frozenset(index_terms(text)) - STOP_WORDS
    is_rule = not is_code and (within_rule or limits or _is_rule(text, is_reason=is_reason))
    return Sentence(text, terms, facts, is_rule, is_code, is_reason, needs=needs, limits=limits)


def _is_rule(text: str, *, is_reason: bool) -> bool:
    """Return whether a sentence says what to do, what not to do, or what is decided or excepted; a reason may deny."""
    plain = _bare(text)
    acts = acts_of(plain) & _BINDING
    if COLON.search(plain) and len(plain.split()) == _NOUN_WORDS:
        acts -= {"orders"}  # `Source map:`
    if is_reason:
        return "forbids" in acts
    grammar = grammar_of(language_of(plain))
    if grammar.example.match(plain) or _EXAMPLE.match(plain):
        return bool(acts & {"forbids"})
    if acts or _pattern("orders").match(plain):
        return True
    return any(pattern.search(plain) for pattern in (grammar.negation, grammar.exception))
