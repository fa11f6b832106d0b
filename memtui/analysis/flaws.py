"""Memories that do not stand by themselves, hold no fact, or hold too much, and what would mend each."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from itertools import pairwise

from memtui.analysis.grammar import grammar_of, has_verb, language_of
from memtui.analysis.sentence_acts import openings, words_of
from memtui.analysis.text_features import is_platitude, stems_of
from memtui.analysis.title_words import is_vague
from memtui.domain.memory import Memory
from memtui.text.normal_form import plain_form
from memtui.text.tables import compile_lines, read_table


class FlawReason(StrEnum):
    """What is wrong with a memory by itself."""

    OPEN = "open"  # It ends before what it announces
    BACK = "refers-back"  # It refers to a text that stood before it
    DANGLING = "dangling"  # It begins with a word for something that another text names
    RESUMED = "resumed"  # Its list goes on from another
    CODE = "code-alone"  # It is code without a word on what it is for
    HALF = "half"  # It says what is wrong, and not what is right
    NAMELESS = "nameless"  # It says what something is, but not its name
    POINTER = "pointer"  # It only says where to read
    ANNOUNCES = "announces"  # It only says what its file is
    STAMP = "stamp"  # It only sets a date, a version or an author
    ECHO = "echo"  # It says its own name again
    PLATITUDE = "platitude"  # It says nothing that does not hold everywhere
    OVERSIZED = "oversized"  # It takes so much room that hardly another fits beside it


class Mend(StrEnum):
    """What mends a memory."""

    JOIN = "join"  # with its neighbour in the source
    HEADING = "heading"  # take the heading that it stood under into it
    SPLIT = "split"  # into the parts that it has
    EDIT = "edit"  # by hand
    RETIRE = "retire"


FRAGMENTS = frozenset(
    {
        FlawReason.OPEN,
        FlawReason.BACK,
        FlawReason.DANGLING,
        FlawReason.RESUMED,
        FlawReason.CODE,
        FlawReason.HALF,
        FlawReason.NAMELESS,
    }
)
"""Reasons of what does not stand by itself; the others but `OVERSIZED` are of what says nothing."""

FINDING_OF: dict[FlawReason, str] = {
    reason: "fragments" if reason in FRAGMENTS else "oversized" if reason is FlawReason.OVERSIZED else "vague"
    for reason in FlawReason
}


@dataclass(frozen=True, slots=True)
class Flaw:
    """What is wrong with one memory, and what would mend it."""

    id: str
    reason: FlawReason
    said: str  # the words that show it, empty where all of it does
    mend: Mend
    other: str = ""  # id of the neighbour to join
    more: tuple[str, ...] = ()  # ids of those before that neighbour which it means as well

    @property
    def finding(self) -> str:
        """The finding of Tidy that it belongs to."""
        return FINDING_OF[self.reason]

    @property
    def ids(self) -> tuple[str, ...]:
        return (self.id,)

    @property
    def shape(self) -> tuple[str, ...]:
        """What flaws of one sort have in common."""
        return (self.reason,)


Shown = tuple[FlawReason, str]  # The reason and the words that show it

READ_CHARACTERS = 2_000  # Characters of a memory that are looked at
SHORT_WORDS = 40  # Words of a text up to which what it refers to cannot be in it
HEAD_CHARACTERS = 20  # Characters of a title by which it is told from the text that it was made of
MOST_PARTS = 8  # Into which a memory is split; of a longer one only a person can tell what is worth keeping
SHOWN = 60  # Characters of the words that show a flaw
SHORT_LIST = 60  # Words of a list; the items of a longer one say enough by themselves
SHORT_HALF = 25  # Words of a problem without its solution
SHORT_POINTER = 28  # Words of a text that only points
SHORT_NOTICE = 36  # Words of a text that only says what its file is
LONGEST_NAMELESS = 24  # Words of a definition without its term

PRONOUNS = frozenset({"en", "de", "fr"})  # Languages whose sentences begin with a pronoun only where one is meant

_FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,})[^\n]*\n.*?(?:^[ \t]*\1[^\n]*$|\Z)", re.MULTILINE | re.DOTALL)
_EDGES = " \t*_#>.…-–—•✅❌"
_NUMBERED = re.compile(r"^[ \t]*(\d{1,2})[.)、][ \t]", re.MULTILINE)
_TARGET = re.compile(
    r"\[[^\[\]]*\]\([^()]*\)|https?://\S+|`[^`]+`|(?<![\w.@~-])[\w.@~-]*+/[\w./@*-]+"
    r"|(?<![\w-])-*+\w[\w-]*+\.(?:md|mdx|txt|rst|html)\b"
)
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z`*])|(?<=[。！？])|\n")
_COMMENT = re.compile(r"^\s*(?:#|//|--|/\*|<!--|;)\s*\S|\s(?:#|//|--) \w", re.MULTILINE)
_REFERENTS = tuple(
    (re.compile(rf"\b(?:{nouns})\b", re.IGNORECASE), held)
    for nouns, held in (
        (r"files?|documents?|docs|sources?|paths?|folders?|director(?:y|ies)|links?", _TARGET),
        (r"steps?|list|items?|points?|options?|bullets?", re.compile(r"^\s*(?:[-*+•]|\d{1,2}[.)])\s", re.MULTILINE)),
        (r"tables?|columns?|rows?", re.compile(r"^\s*\|.*\|", re.MULTILINE)),
        (r"commands?|code|snippets?", re.compile(r"`")),
        (r"sections?|chapters?", re.compile(r"^\s*(?:#|\*\*)", re.MULTILINE)),
    )
)
"""Words for what a text refers back to, and how it looks in the text that holds it."""
_LETTERS = re.compile(r"[^\W\d_]{2,}")
_SKILL = re.compile(r"(?:skill|command|agent)\s+`?([\w:-]+)`?\s*[:：]\s*(.*)", re.IGNORECASE | re.DOTALL)
MOST_ECHOED = 1  # Words beyond its own name up to which a description says nothing


@cache
def _pattern(name: str) -> re.Pattern[str]:
    return compile_lines(read_table(__file__, "flaws.toml")[name])


def flaw_in(title: str, insight: str) -> Shown | None:
    """Return what is wrong with a memory by its texts alone, None if it stands by itself and says something."""
    text = insight.strip()[:READ_CHARACTERS]
    prose = _FENCE.sub("\n", text).strip()
    named = _names_more(title, text)
    return _says_nothing(title, prose, text) or _breaks_off(text, prose) or _leans(title, text, prose, named)


def _is_stamp(line: str) -> bool:
    return bool(_pattern("stamp").fullmatch(line)) and not _pattern("reason").search(line)


def _says_nothing(title: str, prose: str, text: str) -> Shown | None:
    if prose != text:
        return None
    lines = [line.strip(_EDGES) for line in text.split("\n") if line.strip(_EDGES)]
    if lines and all(_is_stamp(line) for line in lines):
        return FlawReason.STAMP, ""
    bare = text.strip(_EDGES)
    if found := _only_points(bare, text):
        return found
    if (echo := _SKILL.fullmatch(bare)) and _is_echo(echo[1], echo[2]):
        return FlawReason.ECHO, echo[1]
    return (FlawReason.PLATITUDE, "") if is_platitude(title, text) else None


def _only_points(bare: str, text: str) -> Shown | None:
    """Return how one sentence without a reason only announces or names another place."""
    words = len(text.split())
    sentences = [each for each in _SENTENCE_END.split(bare) if each.strip()]
    if len(sentences) != 1 or _pattern("reason").search(bare):
        return None
    if words <= SHORT_NOTICE and (found := _pattern("announces").match(bare)):
        return FlawReason.ANNOUNCES, found[0].strip()
    if words <= SHORT_POINTER and _TARGET.search(text) and (found := _pattern("pointer").match(bare)):
        return FlawReason.POINTER, found[0].strip()
    return None


def _is_echo(name: str, said: str) -> bool:
    own = set(stems_of(plain_form(name.replace("-", " ").replace("_", " ").replace(":", " "))))
    return len(set(stems_of(plain_form(said.replace("-", " ")))) - own) <= MOST_ECHOED


def _breaks_off(text: str, prose: str) -> Shown | None:
    """Return how a text ends before what it announces, or begins in the middle of a list."""
    last = text.rstrip("*_ \t").rpartition("\n")[2].strip()
    if prose and not text.endswith(("```", "~~~")) and (found := _pattern("open").search(last)):
        return FlawReason.OPEN, found[0].strip()[-SHOWN:]
    is_one = len(_SENTENCE_END.split(text)) == 1
    if is_one and len(text.split()) <= SHORT_HALF and _pattern("half").match(text):
        return FlawReason.HALF, text.partition(":")[0].strip(_EDGES)
    numbers = [int(number) for number in _NUMBERED.findall(prose)]
    is_short = len(text.split()) <= SHORT_LIST
    if is_short and len(numbers) > 1 and numbers[0] > 1 and _NUMBERED.match(prose) and numbers == sorted(numbers):
        return FlawReason.RESUMED, f"{numbers[0]}."
    return None


def _leans(title: str, text: str, prose: str, named: frozenset[str]) -> Shown | None:
    """Return how a text needs one that stood before it, or the name of what it is about."""
    if not _LETTERS.search(prose):
        return (FlawReason.CODE, "") if prose != text and not _is_told(title, text, named) else None
    bare = prose.lstrip(_EDGES)
    short = len(text.split()) <= SHORT_WORDS
    first = _SENTENCE_END.split(bare)[0]
    if (found := _pattern("back").search(text if short else first)) and not _precedes(text, found):
        return FlawReason.BACK, found[0].strip()
    if named or _has_heading(title, bare):
        return None
    begins = _pattern("begins").match(bare) or _pattern("purpose").match(bare) or _pronoun(bare)
    if begins:
        return FlawReason.DANGLING, begins[0].strip()
    return (FlawReason.NAMELESS, " ".join(bare.split()[:4])) if _is_nameless(bare, first, text) else None


def _is_told(title: str, text: str, named: frozenset[str]) -> bool:
    """Return whether code is said to be for something: by its title, or by a comment in it."""
    return bool(named) or not is_vague(title) or bool(_COMMENT.search(text))


def _is_nameless(bare: str, first: str, text: str) -> bool:
    if len(text.split()) > LONGEST_NAMELESS or not _pattern("nameless").match(bare):
        return False
    return not has_verb(first, "en") and not _pattern("acts").search(first) and not _many_act(first)


def _many_act(sentence: str) -> bool:
    """Return whether a sentence says what several do: `Deploys wait for a test`, `Users of the API get a key`."""
    subject, *words = sentence.lower().split()
    if not subject.endswith("s") or subject.endswith("ss"):
        return False
    acts, no_noun = openings("verbs"), words_of("determiners")
    is_later = any(act in acts and noun not in no_noun for noun, act in pairwise(words[1:-1]))
    return is_later or not acts.isdisjoint(words[:1])


def _pronoun(text: str) -> re.Match[str] | None:
    """Return the pronoun that a text begins with, None if it stands beside what it means."""
    language = language_of(text)
    found = grammar_of(language).pronoun.match(text) if language in PRONOUNS else None
    return found if found and not _pattern("shown").match(text) else None


def _has_heading(title: str, text: str) -> bool:
    """Return whether a title says what a text is about before it repeats how the text begins."""
    heading = plain_form(title.partition(": ")[0]).strip()
    return (
        bool(heading) and not is_vague(heading) and not plain_form(text).strip().startswith(heading[:HEAD_CHARACTERS])
    )


def _precedes(text: str, reference: re.Match[str]) -> bool:
    """Return whether what a reference means can stand before it in the same text."""
    before = text[: reference.start()]
    return before.count("\n") > 1 and _holds(before, reference[0])


def _holds(text: str, reference: str) -> bool:
    """Return whether a text holds what `the files above` means; of what has no look of its own, that it may."""
    return all(held.search(text) for noun, held in _REFERENTS if noun.search(reference))


def _names_more(title: str, text: str) -> frozenset[str]:
    """Return the stems of a title that its text does not hold: a heading that says what the text is about."""
    heading = title.partition(": ")[0] if ": " in title else title
    if is_vague(heading):
        return frozenset()
    return frozenset(stems_of(plain_form(title.rstrip("…")))) - frozenset(stems_of(plain_form(text)))


class Neighbours:
    """What stood before and after each memory in its source, under the same heading."""

    NEAR = 3  # Lines between two memories that are neighbours

    def __init__(self, memories: Iterable[Memory]) -> None:
        places: dict[tuple[str | None, str], list[tuple[int, int, str]]] = {}
        self._texts: dict[str, str] = {}
        self._headings: dict[str, str] = {}
        self._place: dict[str, tuple[tuple[str | None, str], tuple[int, int, str]]] = {}
        for memory in memories:
            source = memory.source
            if source is not None and source.path is not None and source.span is not None:
                key, place = (memory.project, source.path), (*source.span, memory.id)
                places.setdefault(key, []).append(place)
                self._place[memory.id] = (key, place)
                self._texts[memory.id] = memory.insight
                self._headings[memory.id] = (source.native_id or "").rpartition("#")[0]
        self._places = {key: sorted(found) for key, found in places.items()}

    def before(self, identifier: str) -> str:
        """Return the id of the memory that ends just before this one, empty if there is none."""
        return self._beside(identifier, -1)

    def after(self, identifier: str) -> str:
        """Return the id of the memory that begins just after this one, empty if there is none."""
        return self._beside(identifier, 1)

    def all_before(self, identifier: str) -> tuple[str, ...]:
        """Return the ids of the memories that follow each other up to this one, in the order of their source."""
        found: list[str] = []
        while other := self.before(found[-1] if found else identifier):
            found.append(other)
        return tuple(reversed(found))

    def text(self, identifier: str) -> str:
        """Return the text of a memory, empty if it has no place."""
        return self._texts.get(identifier, "")

    def _beside(self, identifier: str, step: int) -> str:
        if identifier not in self._place:
            return ""
        key, place = self._place[identifier]
        row = self._places[key]
        at = bisect_left(row, place) + step
        if not 0 <= at < len(row):
            return ""
        other = row[at]
        gap = place[0] - other[1] if step < 0 else other[0] - place[1]
        is_beside = 0 < gap <= self.NEAR and self._headings[other[2]] == self._headings[identifier]
        return other[2] if is_beside else ""


def flaw_of(memory: Memory, shown: Shown, neighbours: Neighbours, parts: int) -> Flaw:
    """Return what is wrong with a memory and what would mend it. `shown`: of `flaw_in`; `parts` as in `mend_of`.

    What means all that stood before it is joined with all of that, or left to a person where it is too much.
    """
    reason, said = shown
    mend, other = mend_of(memory, reason, neighbours, parts)
    if mend is not Mend.JOIN or reason not in {FlawReason.BACK, FlawReason.DANGLING}:
        return Flaw(memory.id, reason, said, mend, other)
    meant = _pattern("several").search(memory.insight)
    if not meant:
        return Flaw(memory.id, reason, said, mend, other)
    number = next((_NUMBERS[word] for word in meant[0].lower().split() if word in _NUMBERS), 0)
    *more, nearest = neighbours.all_before(memory.id)[-number:]
    if more and (len(more) >= MOST_JOINED or sum(map(len, map(neighbours.text, more))) > READ_CHARACTERS):
        return Flaw(memory.id, reason, said, Mend.EDIT)
    return Flaw(memory.id, reason, said, mend, nearest, tuple(more))


_NUMBERS = {"both": 2, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6}
MOST_JOINED = 8  # Memories that are joined; of more only a person can tell what is meant


def mend_of(memory: Memory, reason: FlawReason, neighbours: Neighbours, parts: int) -> tuple[Mend, str]:
    """Return what would mend a memory, and the neighbour that it takes. `parts`: into which it can be split."""
    if reason is FlawReason.OVERSIZED:
        return (Mend.SPLIT if 1 < parts <= MOST_PARTS else Mend.EDIT), ""
    if reason not in FRAGMENTS:
        return Mend.RETIRE, ""
    if reason is FlawReason.BACK and _pattern("far").search(memory.insight):
        return Mend.EDIT, ""
    other = (neighbours.after if reason in {FlawReason.OPEN, FlawReason.HALF} else neighbours.before)(memory.id)
    heading = heading_above(memory)
    if reason is FlawReason.NAMELESS and heading:
        return Mend.HEADING, ""
    back = _pattern("back").search(memory.insight) if reason is FlawReason.BACK else None
    if back and other and not _holds(neighbours.text(other), back[0]):
        return Mend.EDIT, ""
    if other:
        return Mend.JOIN, other
    return (Mend.HEADING if heading else Mend.EDIT), ""


def heading_above(memory: Memory) -> str:
    """Return the nearest heading of a memory that names a subject it does not begin with; empty if there is none.

    Words further below are about something else: of "Scoped", that a service has others that are scoped.
    """
    native = (memory.source.native_id if memory.source else None) or ""
    said = frozenset(stems_of(plain_form(memory.insight.strip().split("\n", 1)[0])))
    for heading in reversed(native.rpartition("#")[0].split(" > ")):
        words = heading.strip()
        if words and not is_vague(words) and not frozenset(stems_of(plain_form(words))) <= said:
            return words
    return ""


def parts_of(insight: str, most: int) -> Sequence[str]:
    """Return the parts into which a text can be split, each of at most so many characters; the text where it has none.

    It is split between paragraphs and between items of the outermost list; code and what belongs to an item stay with
    what stands before them.
    """
    pieces: list[list[str]] = []  # the lines of each; a text that grows line by line would be copied for each
    fenced = False
    for line in insight.split("\n"):
        starts = not fenced and bool(line.strip()) and not line.startswith((" ", "\t"))
        opens_item = starts and bool(re.match(r"(?:[-*+•]|\d{1,3}[.)])\s", line))
        after_gap = starts and bool(pieces) and len(pieces[-1]) > 1 and not pieces[-1][-1]
        if not pieces or opens_item or (after_gap and not line.lstrip().startswith(("```", "~~~"))):
            pieces.append([])
        pieces[-1].append(line)
        fenced ^= line.lstrip().startswith(("```", "~~~"))
    texts = ("\n".join([*piece, ""]) for piece in pieces)
    return _gathered([text for text in texts if text.strip()], most)


def _gathered(pieces: Sequence[str], most: int) -> list[str]:
    """Return pieces put together as long as they stay short enough; one that announces keeps what follows.

    `pieces`: each with the line ends behind it, so that paragraphs that stay together stay paragraphs.
    """
    parts: list[list[str]] = []
    size = 0
    for piece in pieces:
        announced = bool(parts) and parts[-1][-1].rstrip().endswith((":", "："))
        if announced or (parts and size + len(piece.rstrip("\n")) <= most):
            parts[-1].append(piece)
            size += len(piece)
        else:
            parts.append([piece])
            size = len(piece.lstrip("\n"))
    return ["".join(part).strip("\n") for part in parts]
