"""What a text says one by one: sentences, list items, rows of tables and blocks of code, each with what leads to it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace

from memtui.analysis.text_features import NEGATIONS, stems_of
from memtui.text.normal_form import plain_form

SEPARATOR = " > "  # between the headings that stand before a text

_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})")
_ITEM = re.compile(r"([ \t]*)(?:[-*+•]|\d{1,4}[.)])(?:[ \t]+(?:\[[ xX]\][ \t]+)?|$)")
_BEGINS_LIST = re.compile(r"[ \t]*(?:[-*+•]|1[.)])[ \t]+\S")
_HEADING = re.compile(r" {0,3}#{1,6}\s")
_TABLE_RULE = re.compile(r"\s*\|?\s*:?-{2,}[\s:|-]*$")
_QUOTE_MARK = re.compile(r"^\s*>\s?", re.MULTILINE)
_EMPHASIS = re.compile(r"(?<![\w/.*])(\*{1,3})(?=\S)([^*]+?)(?<=\S)\1(?![\w/*])")
_SENTENCE_END = re.compile(r"(?<=[.!?])[\"'”’»)*_]*\s+(?=[^\W\d_a-z]|[`*\"(“«\[])|(?<=[。！？])(?=\S)")
_SHORT_FORM = re.compile(r"(?:\b(?:(?i:e\.g|i\.e|cf|vs|etc|approx|no|fig|incl|resp|z\.b|d\.h|p\.ex)|[A-Z])|^\W*\d+)\.$")
_RULE = re.compile(r"[ \t]{0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*$")
_PAIRS = (("(", ")"), ("[", "]"), ("“", "”"), ("«", "»"))
_SIGNS = ("`", "**", '"')
_LISTING_WORDS = (
    "the these this those following below a an all some main key core basic general important common and of to are is "
    "as be list lists rule rules item items point points note notes principle principles guideline guidelines "
    "convention conventions practice practices step steps example examples two three four five six seven eight nine ten"
)
_WORD = re.compile(r"[^\W_]+")
_LISTING = frozenset(_LISTING_WORDS.split())
_LONGEST_LEAD = 160
_DENIES = re.compile(r"\b(?:don.?ts?|anti.?patterns?|bad|wrong|mistakes?|pitfalls?|legacy|deprecated)\b")
_CARRIES_ON = re.compile(
    r"\W*(?:it|its|this|that|these|those|they|then|otherwise|but|so|or|and|however|instead|also|both|either)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Unit:
    """A sentence, a list item, a row, a block, or what leads to some of these."""

    text: str  # as it stands there
    gap: str  # what stands between it and the unit before
    parent: int | None = None  # position of what leads to it: a heading, an introduction, an item, the head of a table
    binds: bool = False  # whether what it leads to says something else below anything else
    sentences: tuple[str, ...] = ()  # those in it
    after: bool = False  # whether it carries on what the unit before says

    @property
    def is_heading(self) -> bool:
        return bool(_HEADING.match(self.text))

    @property
    def is_item(self) -> bool:
        return bool(_ITEM.match(self.text))

    @property
    def announces(self) -> bool:
        """Return whether it leads to what follows it."""
        return announces(self.text)

    @property
    def is_rule(self) -> bool:
        """Return whether it is a line that ends what stands under a heading."""
        return bool(_RULE.match(self.text))

    @property
    def key(self) -> str:
        """Return what it says: its words without marks of lists and of emphasis, spaces and the last sign."""
        return said(self.text)


def said(text: str) -> str:
    """Return a text without what its writing adds: the same of two is the same statement in the same words."""
    if _FENCE.match(text):
        return "\n".join(line.rstrip() for line in text.strip().split("\n")[1:])
    bare = _QUOTE_MARK.sub("", unicodedata.normalize("NFC", text)).strip()
    bare = bare.lstrip("#").strip()
    mark = _ITEM.match(bare)
    bare = bare[mark.end() :] if mark else bare
    one = _EMPHASIS.sub(r"\2", _EMPHASIS.sub(r"\2", " ".join(bare.split()))).replace("`", "")
    words = (word.lower() if word.istitle() else word for word in one.rstrip(" .!;,。！；").split(" "))
    return " ".join(words)


@dataclass(slots=True)
class _Block:
    kind: str  # "text", "item", "heading", "table", "quote", "code" or "rule"
    lines: list[str]
    gap: str
    indent: int = 0

    @property
    def text(self) -> str:
        return "\n".join(self.lines)


def _kind(line: str) -> str:
    bare = line.lstrip()
    if _FENCE.match(line):
        return "code"
    if _RULE.match(line):
        return "rule"
    if _HEADING.match(line):
        return "heading"
    if _ITEM.match(line):
        return "item"
    return {"|": "table", ">": "quote"}.get(bare[:1], "text")


def _fence_behind(line: str, fence: str = "") -> str:
    """Return the fence of the code that is open behind a line, given the one that is open before it; empty for none."""
    mark = _FENCE.match(line)
    if not fence:
        return mark[1] if mark else ""
    is_closed = mark and mark[1].startswith(fence) and not line.strip(" \t`~")
    return "" if is_closed else fence


def _blocks(text: str) -> list[_Block]:
    """Return the blocks of a text; joined with their gaps they are the text."""
    blocks: list[_Block] = []
    fence, gap = "", ""
    for line in text.strip("\n").split("\n"):
        if fence:
            blocks[-1].lines.append(line)
            fence = _fence_behind(line, fence)
            continue
        if not line.strip():
            gap += f"{line}\n"
            continue
        kind, indent = _kind(line), len(line) - len(line.lstrip())
        if kind == "item" and blocks and blocks[-1].kind == "text" and not gap and not _BEGINS_LIST.match(line):
            kind = "text"  # A wrapped line may begin with a number
        fence = _fence_behind(line)
        if blocks and _goes_on(blocks[-1], kind, indent, apart=bool(gap)):
            blocks[-1].lines += [*gap.split("\n")[:-1], line]
        else:
            blocks.append(_Block(kind, [line], f"\n{gap}" if blocks else "", indent))
        gap = ""
    return blocks


def _goes_on(block: _Block, kind: str, indent: int, *, apart: bool) -> bool:
    """Return whether a line goes on with a block."""
    if block.kind == "item":
        return kind != "item" and (indent > block.indent or (kind == "text" and not apart))
    return block.kind == kind and kind in {"text", "table", "quote"} and not apart


def sentences_of(text: str) -> list[tuple[str, str]]:
    """Return the sentences of a paragraph, each with what stands before it; none ends within brackets or marks."""
    found: list[tuple[str, str]] = []
    start, gap = 0, ""
    for end in _SENTENCE_END.finditer(text):
        marks = end[0].rstrip()
        sentence = text[start : end.start()] + marks
        if _SHORT_FORM.search(sentence) or not _is_whole(sentence) or not _is_whole(text[end.end() :]):
            continue
        found.append((sentence, gap))
        start, gap = end.end(), end[0][len(marks) :]
    return [*found, (text[start:], gap)]


def _is_whole(text: str) -> bool:
    if any(text.count(sign) % 2 for sign in _SIGNS):
        return False
    return all(text.count(opening) == text.count(closing) for opening, closing in _PAIRS)


@dataclass(slots=True)
class _Reading:
    """Units as they are found, with what leads to the next ones."""

    units: list[Unit] = field(default_factory=list)
    heading: int | None = None
    intro: int | None = None
    items: list[tuple[int, int]] = field(default_factory=list)  # indentation and position of the items that are open
    top: bool = False  # whether the first unit are the headings that were put before the text

    def add(self, unit: Unit) -> int:
        self.units.append(unit)
        return len(self.units) - 1

    @property
    def leader(self) -> int | None:
        return self.intro if self.intro is not None else self.heading

    def take(self, block: _Block, *, alone: bool) -> None:
        """Take a block in. `alone`: an item that is the only one of its list."""
        if block.kind == "item" and not alone:
            self._take_item(block)
            return
        self._end_list()
        if block.kind in {"heading", "rule"}:
            top = 0 if self.top else None
            at = self.add(Unit(block.text, block.gap, top, binds=not _is_listing(block.text)))
            self.heading, self.intro = (at if block.kind == "heading" else top), None
        elif block.kind in {"text", "item"}:
            self._take_sentences(block)
        else:
            self._take_whole(block)
            self.intro = None

    def _end_list(self) -> None:
        """Close a list; its last item may lead to what follows it."""
        if self.items:
            last = self.items[-1][1]
            self.intro = last if self.units[last].announces else None
            self.units[last] = replace(self.units[last], binds=self.units[last].binds or self.intro is not None)
        self.items = []

    def _take_item(self, block: _Block) -> None:
        while self.items and self.items[-1][0] >= block.indent:
            self.items.pop()
        if self.items:
            leader = self.items[-1][1]
            self.units[leader] = replace(self.units[leader], binds=True)
        else:
            leader = self.leader if self.leader is not None else -1
        inner = tuple(said(each) for each, _ in sentences_of(block.text))
        at = self.add(Unit(block.text, block.gap, leader if leader >= 0 else None, sentences=inner))
        self.items.append((block.indent, at))

    def _take_sentences(self, block: _Block) -> None:
        leader, outer = self.leader, self.heading
        self.intro = None
        for place, (sentence, gap) in enumerate(sentences_of(block.text)):
            carries_on = place > 0 and bool(_CARRIES_ON.match(sentence))
            at = self.add(Unit(sentence, gap if place else block.gap, leader, after=carries_on))
        if announces(block.text):
            last = self.units[at]
            parent = outer if last.parent == leader != outer and place else last.parent
            self.units[at] = replace(last, parent=parent, binds=not _is_listing(last.text))
            self.intro = at

    def _take_whole(self, block: _Block) -> None:
        leader = self.leader
        if block.kind != "table" or len(block.lines) < 3 or not _TABLE_RULE.match(block.lines[1]):  # noqa: PLR2004
            inner = (
                tuple(said(each) for each, _ in sentences_of(_QUOTE_MARK.sub("", block.text)))
                if block.kind == "quote"
                else ()
            )
            self.add(Unit(block.text, block.gap, leader, sentences=inner))
            return
        head = self.add(Unit("\n".join(block.lines[:2]), block.gap, leader, binds=True))
        for line in block.lines[2:]:
            self.add(Unit(line, "\n", head))


def announces(text: str) -> bool:
    """Return whether a text leads to what follows it."""
    return text.rstrip(" *_").endswith((":", "："))


def _is_listing(text: str, stems: Collection[str] = ()) -> bool:
    """Return whether an introduction says no more than that a list follows, of what has these stems."""
    words = (word.lower() for word in _WORD.findall(text))
    return all(word in _LISTING or all(stem in stems for stem in stems_of(plain_form(word))) for word in words)


def _denies(text: str) -> bool:
    return bool(NEGATIONS.search(text.lower()) or _DENIES.search(text.lower()))


def units_of(text: str, place: str = "") -> list[Unit]:
    """Return what a text says one by one; joined with their gaps the units are the text but for lines around it.

    Args:
        text: the text.
        place: the headings that it stood under, by which those that were put before it are known.
    """
    lead = _lead_of(text, place)
    reading = _Reading()
    if lead:
        reading.heading = reading.add(Unit(lead, "", binds=_denies(lead)))
        reading.top = True
    body = text.strip("\n")[len(lead) :]
    blocks = _blocks(body.lstrip())
    for at, block in enumerate(blocks):
        beside = [other for other in blocks[max(0, at - 1) : at + 2] if other.kind == "item"]
        reading.take(block, alone=len(beside) == 1)
    if lead and len(reading.units) > 1:
        gap = body[: len(body) - len(body.lstrip())]
        reading.units[1] = replace(reading.units[1], gap=gap)
    return reading.units


def closed(text: str) -> str:
    """Return a text with the block of code at its end closed, so that another can follow it."""
    last = _blocks(text)[-1].lines
    opening = next((match for line in last if (match := _FENCE.match(line))), None)
    fences = sum(1 for line in last if _FENCE.match(line))
    return f"{text}\n{opening[1]}" if opening and fences % 2 else text


def _lead_of(text: str, place: str) -> str:
    """Return the headings that were put before a text when it was taken in, with their colon; empty if none were."""
    first = text.strip("\n").split("\n", 1)[0]
    for end in re.finditer(r"[:：](?=\s|$)", first[:_LONGEST_LEAD]):
        names = first[: end.start()].split(SEPARATOR)
        if all(name.strip() for name in names) and all(name in place for name in names):
            return first[: end.end()]
    return ""


def contexts(units: Sequence[Unit]) -> Iterator[tuple[str, ...]]:
    """Yield of each unit what it stands under, as far as it says something else there.

    It does not under what it says itself: `Logs: rotate logs` is the rule `rotate logs`.
    """
    found: list[tuple[str, ...]] = []
    for unit in units:
        above = found[unit.parent] if unit.parent is not None else ()
        if unit.parent is not None and units[unit.parent].binds:
            above = (*above, units[unit.parent].key)
        found.append(above)
        yield tuple(lead for lead in above if _denies(lead) or not _repeats(unit, lead))


def _repeats(unit: Unit, lead: str) -> bool:
    """Return whether every sentence of a unit has all words of what it stands under."""
    sentences = unit.sentences or (unit.key,)
    return all(_is_listing(lead, stems_of(plain_form(sentence))) for sentence in sentences)
