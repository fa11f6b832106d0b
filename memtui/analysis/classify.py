"""Guess the kind of a text from its words, headings and source; find the paths it names."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain
from typing import Literal

from memtui.domain.kinds import DEFAULT_KIND, DEFAULT_KINDS
from memtui.domain.memory import Memory, Source
from memtui.text.tables import read_table

MAX_ANCHORS = 8
_READ_CHARS = 4_000

_FIRST_WORD = re.compile(r"[\s*_>`-]*(?:please\s+)?([\w'\u2019]+)", re.IGNORECASE)
_WHY = re.compile(r"\b(?:because|since|why|reason)\b|原因|因为|理由|ため", re.IGNORECASE)
_SHELL_FENCE = re.compile(
    r"^[ \t]*(?:`{3,}|~{3,})[ \t]*(?:(?:ba|z|fi)?sh|shell|console|powershell|ps1|cmd)?[ \t]*$", re.MULTILINE
)
_TREE = re.compile(r"[├└]─|^[ \t]*[\w.-]+/[ \t]*(?:#|$)", re.MULTILINE)
_OPEN_BOX = re.compile(r"^[ \t]*(?:[-*+][ \t]+)?\[ \][ \t]", re.MULTILINE)
_CHECKLIST = re.compile(r"\b(?:check ?list|before|after|criteria|definition of done|validation)\b|检查", re.IGNORECASE)

_MEMORY_BANKS = frozenset({"memory-bank", "memory_bank"})
_HINT_WEIGHT = 5.0
_FIRM_FACTOR = 4.0
_IN_TITLE, _IN_OPENING, _LATER = 1.5, 1.0, 0.5
_OPENING_CHARS = 160
_REPEATED = 0.3
_MOST_REPEATS = 2
_HEADING_SHARES = (1.0, 0.35, 0.15)

_SURE, _LIKELY = 3.0, 1.5
"""By how much the best kind leads."""

_Evidence = Iterator[tuple[str, float, str]]


Confidence = Literal["sure", "likely", "guess"]
"""How well a guessed kind is founded."""


@dataclass(frozen=True, slots=True)
class KindGuess:
    """A guessed kind and how well it is founded."""

    kind: str
    confidence: Confidence


def kind_guess(
    text: str, title: str, heading_path: Sequence[str], *, path: str = "", hint: str | None = None
) -> KindGuess:
    """Guess the kind of a text.

    Args:
        title: its title; cues there weigh more.
        heading_path: the headings above it, outermost first; the last weighs most.
        path: the file that holds it; empty for typed text.
        hint: the source's own word for it, e.g. `claude-memory:feedback`, `adr`, or the name of a kind.
    """
    start = text[:_READ_CHARS]
    scores: dict[str, float] = {}
    for kind, weight, _ in chain(
        _hint_evidence(hint or _file_word(path), start),
        _word_evidence(title, start),
        _heading_evidence(heading_path),
        _shape_evidence(start, title, heading_path),
    ):
        scores[kind] = scores.get(kind, 0.0) + weight
    kind = max(DEFAULT_KINDS, key=lambda name: scores.get(name, 0.0)) if scores else DEFAULT_KIND
    best, second = sorted((*scores.values(), 0.0, 0.0), reverse=True)[:2]
    return KindGuess(kind, "sure" if best - second >= _SURE else "likely" if best - second >= _LIKELY else "guess")


def kind_confidence(memory: Memory) -> Confidence | None:
    """Return how well founded the kind of a stored memory is; None if it is not what memtui would guess."""
    source = memory.source or Source(format="")
    headings = (source.native_id or "").rsplit("#", 1)[0].split(" > ")
    text = f"{memory.insight}\n{memory.rationale}"
    guess = kind_guess(text, memory.title, headings, path=source.path or "", hint=source.format)
    return guess.confidence if guess.kind == memory.kind else None


def _file_word(path: str) -> str:
    """Return the word by which a file itself says what it holds: that of a memory bank, or of conventions."""
    *folders, name = path.lower().split("/")
    stem = name.rpartition(".")[0]
    return stem if stem == "conventions" or not _MEMORY_BANKS.isdisjoint(folders) else ""


def _hint_evidence(hint: str | None, text: str) -> _Evidence:
    name = (hint or "").rpartition(":")[2].strip().lower()
    kind = name if name in DEFAULT_KINDS else hinted_kind(name)
    if kind is None:
        return
    weight = _HINT_WEIGHT * (_FIRM_FACTOR if is_firm_hint(name) else 1.0)
    if name == "feedback" and _WHY.search(text) and not (is_firm_rule(text) or is_imperative(text)):
        yield "lesson", weight, f"the source calls it {name} and it tells why"
    else:
        yield kind, weight, f"the source calls it {name}"


def is_firm_rule(text: str) -> bool:
    """Return whether a text says never, always, must and the like."""
    return any(sighting.cue == 0 for sighting in sightings(text, cues("text")))


def is_imperative(text: str) -> bool:
    """Return whether a text begins with an instruction."""
    return first_word(text) in openings("verbs")


def first_word(text: str) -> str:
    """Return the first word of a text in lower case, `please` and mark-up left out."""
    found = _FIRST_WORD.match(text[:_OPENING_CHARS])
    return found[1].lower().replace("\u2019", "'") if found else ""


def _word_evidence(title: str, text: str) -> _Evidence:
    shares: dict[int, tuple[float, str]] = {}
    counts: Counter[int] = Counter()
    for sighting in sightings(title, cues("text")):
        shares.setdefault(sighting.cue, (_IN_TITLE, sighting.words))
    for sighting in sightings(text, cues("text")):
        counts[sighting.cue] += 1
        share = _IN_OPENING if sighting.position < _OPENING_CHARS else _LATER
        shares.setdefault(sighting.cue, (share, sighting.words))
    for number, (share, words) in shares.items():
        cue = cues("text")[number]
        repeats = min(_MOST_REPEATS, max(0, counts[number] - 1))
        yield cue.kind, cue.weight * share + _REPEATED * repeats, f'says "{words}"'


def _heading_evidence(heading_path: Sequence[str]) -> _Evidence:
    for distance, heading in enumerate(reversed(heading_path[-len(_HEADING_SHARES) :])):
        if distance and distance == len(heading_path) - 1:
            continue  # the outermost of several is the document's own title
        found: dict[int, str] = {}
        for sighting in sightings(heading[:_OPENING_CHARS], cues("heading")):
            found.setdefault(sighting.cue, sighting.words)
        for number, words in found.items():
            cue = cues("heading")[number]
            yield cue.kind, cue.weight * _HEADING_SHARES[distance], f'is under "{words}"'


def _shape_evidence(text: str, title: str, heading_path: Sequence[str]) -> _Evidence:
    if _TREE.search(text):
        yield "architecture", 3.0, "holds a directory tree"
    elif _SHELL_FENCE.search(text):
        yield "tooling", 1.5, "holds commands"
    if _OPEN_BOX.search(text) and not any(map(_CHECKLIST.search, (title, *heading_path[-2:]))):
        yield "note", 3.0, "holds an open check box"
    if is_imperative(text):
        yield "convention", 0.7, "tells what to do"
    elif _says_what_it_is(text, heading_path):
        yield "architecture", 0.6, "says what the project is"


_OF_ITSELF = re.compile(
    r"this (?:project|repo(?:sitory)?|service|app(?:lication)?|library|package|monorepo) (?:is|are|has|holds|contains"
    r"|provides|serves|runs|tracks|handles)\b",
    re.IGNORECASE,
)


def _says_what_it_is(text: str, heading_path: Sequence[str]) -> bool:
    """Return whether a text describes its project: right below the document's title it begins with that name."""
    if _OF_ITSELF.match(text):
        return True
    name = heading_path[0].casefold().strip() if len(heading_path) == 1 else ""
    opening = text[: len(name) + 1].casefold()
    return bool(name) and opening in {f"{name} ", f"{name},"}


_FENCED = re.compile(r"[ \t]*(`{3,}|~{3,})")
_CODE_SPAN = re.compile(r"(?<!`)(`{1,2})(?!`)([^`]{1,300})\1(?!`)")
_LINK_TARGET = re.compile(r"\]\(<?([^()\s<>]{1,300})>?(?:\s[^()]{0,100})?\)")
_PATH = re.compile(r"(?:\./)?((?:[\w.@+-]+/)+(?:[\w.@+-]*[\w@+-]\.[A-Za-z][A-Za-z0-9]{0,9}|[\w-]*\.[a-z]\w{1,12})?)$")
_DOMAIN = re.compile(
    r"[\w-]+(?:\.[\w-]+)*\.(?:com|org|net|io|dev|ai|app|co|edu|gov|rs|de|uk|cn|jp|me|sh|local|internal)$"
)
_LOCATION = re.compile(r"(?:::.*|:\d+(?:[:-]\d+)*|[#?].*)$")
_PLACEHOLDERS = ("path/to/", "your/", "foo/", "node_modules/")


def anchors_in(text: str) -> tuple[str, ...]:
    """Return the relative paths in code spans and links, at most eight, in order.

    A path has a slash, and an extension or a trailing slash. URLs, absolute paths, globs, bare file names and paths in
    fenced code do not count.
    """
    found: dict[str, None] = {}
    for line in _prose(text[:_READ_CHARS]):
        spans = [(span.start(), span[2].split()) for span in _CODE_SPAN.finditer(line)]
        links = [(link.start(), [link[1]]) for link in _LINK_TARGET.finditer(line)]
        for _, words in sorted(spans + links):
            for word in words:
                if path := _relative_path(word):
                    found[path] = None
    return tuple(found)[:MAX_ANCHORS]


def _prose(text: str) -> Iterator[str]:
    fence = ""
    for line in text.split("\n"):
        mark = _FENCED.match(line)
        if mark and not fence:
            fence = mark[1]
        elif mark and mark[1].startswith(fence):
            fence = ""
        elif not fence:
            yield line


def _relative_path(word: str) -> str | None:
    bare = _LOCATION.sub("", word.strip("\"'(),;"))
    path = _PATH.match(bare)
    if path is None or ".." in path[1].split("/") or path[1].startswith(("@", *_PLACEHOLDERS)):
        return None
    first = path[1].split("/", 1)[0]
    return None if _DOMAIN.match(first) or first in {".", "-"} or first.startswith("-") else path[1]


_WORD = re.compile(r"[\w']+")


@dataclass(frozen=True, slots=True, eq=False)
class Cue:
    """Words that indicate one kind.

    Attributes:
        weight: 3 is nearly certain, 1 a hint.
        words: separated by white space; `_` separates the words of a phrase, `fix/es/ed` is the word with each ending.
        cjk: words of scripts without spaces, found anywhere.
    """

    kind: str
    weight: float
    words: str
    cjk: str = ""


@dataclass(frozen=True, slots=True)
class Sighting:
    """A cue found in a text: its number in the table, the words and their position."""

    cue: int
    words: str
    position: int


@cache
def cues(where: Literal["text", "heading"]) -> tuple[Cue, ...]:
    """Return the cues for texts, or for the headings above them."""
    rows = read_table(__file__, "kind_cues.toml")[where]
    return tuple(Cue(row["kind"], row["weight"], row["words"], row.get("cjk", "")) for row in rows)


@cache
def openings(part_of_speech: Literal["verbs", "nouns"]) -> frozenset[str]:
    """Return the first words of instructions, or those of them that also begin a noun phrase."""
    return frozenset(read_table(__file__, "kind_cues.toml")["openings"][part_of_speech].split())


def hinted_kind(word: str) -> str | None:
    """Return the kind that a source's own word for a memory, in lower case, stands for."""
    kind: str | None = read_table(__file__, "kind_cues.toml")["hints"]["kinds"].get(word)
    return kind


def is_firm_hint(word: str) -> bool:
    """Return whether a source's own word outweighs every cue in the text."""
    return word in read_table(__file__, "kind_cues.toml")["hints"]["firm"].split()


def sightings(text: str, cues: tuple[Cue, ...]) -> Iterator[Sighting]:
    """Yield every cue found in a text; whole words, in any case."""
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
    forms: list[tuple[str, ...]] = [()]
    for part in written.split("_"):
        stem, *endings = part.split("/")
        variants = [stem, *(stem + ending for ending in endings)]
        forms = [(*form, variant) for form in forms for variant in variants]
    return forms
