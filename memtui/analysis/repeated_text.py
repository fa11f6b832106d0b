"""Texts that hold another word for word or nearly so."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations
from typing import TYPE_CHECKING

from memtui.analysis.claims import Denial, difference_in_denials, names_in, rivals_between
from memtui.analysis.text_features import Wording
from memtui.text.words import CJK

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.int64]

RUN = 3  # Words of the runs by which texts are compared: in their order, so that a list of words is no repetition
NEARLY = 0.75  # Share of the runs of a text from which another holds it: about one word in twelve may be another
LOOSELY = 0.5  # The same where one sentence of the other has the words of meaning, in a somewhat other order
MOST_TERMS = 0.9  # Share of the words of meaning that it must have then
MOST_SAID = 0.6  # Share of the words of a text in sentences that another has from which it is said again there
FEWEST_VERBATIM = 5  # Words of a text that stands in another word for word; a shorter one does so by chance
FEWEST_MEANT = 5  # Words of meaning of a text; a shorter one stands in others by chance
READ_CHARACTERS = 20_000  # Characters of a text that are looked at
MOST_HOLDERS = 12  # Texts that hold a run; one that more of them hold leads to none

_FENCE = re.compile(r"^[ \t]*(?:`{3,}|~{3,})")
_CODE = re.compile(r"`([^`\n]+)`")
_BLOCK = re.compile(r"^[ \t]*`{3,}.*?^[ \t]*`{3,}[ \t]*$", re.MULTILINE | re.DOTALL)
_NAME = re.compile(r"\S*\w[/.]\w\S*")
_STEP = re.compile(r"^[ \t>]*(?:[-*+] \[[ xX]\]|\d{1,2}[.)])\s", re.MULTILINE)
_ITEM = re.compile(r"[ \t]*(?:[-*+>|#`~]|\d{1,2}[.)])")
_RULE = re.compile(r"^\|[\s:|-]+$")
FEWEST_ROWS = 2  # Rows of a table besides its header that two versions of it have in common
MUCH_CODE = 0.7  # Share of their runs of words from which two blocks of code are versions of one
FEWEST_STEPS = 3  # Items of a list that is a procedure or a checklist
FEWEST_TOLD = 4  # Words beside code and names by which a text says what they are for
_EDGES = ".,;:!?()[]{}\"'*_<>|/“”‘’…—–`"
_JOINED = re.compile(r"\w[-/._:@#]\w")
_LETTER = re.compile(r"[^\W\d_]")
_WORDS = re.compile(r"[^\W_]+")
_SENTENCE_END = re.compile(r"(?<=\w) (?=— \w+: )|(?<=[.!?])\s+(?=[A-Z`*\"(])|(?<=[。！？])")


@dataclass(frozen=True)
class Part:
    """A sentence, a line of a list, or a block of code or of a table."""

    text: str
    gap: str = ""  # what stands between it and the part before

    @cached_property
    def wording(self) -> Wording:
        return Wording(self.text)

    @cached_property
    def tokens(self) -> tuple[str, ...]:
        """Its words as written."""
        return tuple(_WORDS.findall(self.text.lower()))

    @cached_property
    def runs(self) -> frozenset[int]:
        return _runs(self.wording.words)


def _runs(words: Sequence[str]) -> frozenset[int]:
    """Return the runs of so many words as numbers; a shorter text is one run."""
    if len(words) < RUN:
        return frozenset([hash(tuple(words))] if words else [])
    return frozenset(map(hash, zip(*(words[at:] for at in range(RUN)), strict=False)))


def parts_of(text: str) -> list[Part]:
    """Return the parts of a text; joined with their gaps they are the text but for spaces. A huge one is one part."""
    if len(text) > READ_CHARACTERS:
        return [Part(text)]
    parts: list[Part] = []
    gap, block = "", ""
    for line in text.strip("\n").split("\n"):
        kind = "code" if _FENCE.match(line) else "table" if line.lstrip().startswith("|") else ""
        if block == "code" or (block and block == kind):
            parts[-1] = Part(f"{parts[-1].text}\n{line}", parts[-1].gap)
            gap, block = "\n", "" if block == kind == "code" else block
        elif not line.strip():
            gap, block = f"{gap}\n", ""
        else:
            sentences = [line] if kind else _SENTENCE_END.split(line)
            parts += [Part(each, " " if at else gap) for at, each in enumerate(sentences) if each]
            gap, block = "\n", kind
    return parts


def _holds(outer: Sequence[Part], part: Part) -> bool:
    near = [one for one in outer if len(one.runs & part.runs) >= min(RUN - 1, len(one.runs), len(part.runs))]
    shared = len(part.runs & frozenset[int]().union(*(one.runs for one in near)))
    if shared < LOOSELY * len(part.runs):
        return False
    if shared < NEARLY * len(part.runs):
        mine = part.wording.terms
        near = [one for one in near if len(mine & one.wording.terms) >= MOST_TERMS * len(mine)][:1]
    return bool(near) and not differ(part.wording, Wording("\n".join(one.text for one in near)))


def differ(inner: Wording, there: Wording) -> bool:
    """Return whether a text says something that matters which its like in another text does not."""
    there = there.in_notation_of(inner)
    if inner.numbers - there.numbers or any(not there.says(name) for name in inner.identifiers - there.identifiers):
        return True
    if not names_all(there.text, inner.text):
        return True
    names = (names_in(inner.plain), names_in(there.plain))
    return (
        rivals_between(*names, (inner.plain, there.plain)) is not None
        or inner.negations > there.negations
        or difference_in_denials(inner, there) is Denial.DENIES
    )


def names_all(text: str, other: str) -> bool:
    """Return whether a text holds every name of another, each as a whole."""
    return all(_says_name(text, name) for name in _names_of(other))


def _names_of(text: str) -> set[str]:
    """Return the words of a text with a sign in them, and those of its code, as they are written."""
    code = {word for quoted in _CODE.findall(text) for word in quoted.split()}
    signs = {word.strip(_EDGES) for word in text.replace("`", " ").split() if _JOINED.search(word.strip(_EDGES))}
    return {name for word in code | signs if (name := word.strip(_EDGES).lower()) and _LETTER.search(name)}


def _says_name(text: str, name: str) -> bool:
    """Return whether a text has a name as a whole; one that is no code may be written apart."""
    at = rf"(?<![\w/-]){re.escape(name)}(?![\w-]|/\w)"
    apart = rf"\b{'[^a-z0-9]+'.join(map(re.escape, _WORDS.findall(name)))}\b"
    low = text.lower()
    return bool(re.search(at, low)) or ("/" not in name and "_" not in name and bool(re.search(apart, low)))


def opening_of(text: str) -> str:
    """Return the first sentence of a text."""
    return next((part.text for part in parts_of(text.partition("\n")[0])), "")


def is_step_of(inner: str, outer: str) -> bool:
    """Return whether a text can only be one of the steps or boxes to tick of another."""
    return len(_STEP.findall(outer)) >= FEWEST_STEPS and not _STEP.search(inner)


def lacks_code_of(outer: str, inner: str) -> bool:
    """Return whether a text without a word on its code or names has code that another lacks, or nothing but names."""
    if not _is_bare(inner):
        return False
    lines = {line.strip() for block in _BLOCK.findall(inner) for line in block.splitlines()[1:-1] if line.strip()}
    return not lines or not lines <= {line.strip() for line in outer.splitlines()}


def is_one_code(one: str, other: str) -> bool:
    """Return whether one of two texts is a block of code without a word on it, and the other has no such block."""
    return any(_is_block(text) and not _BLOCK.search(told) for text, told in ((one, other), (other, one)))


def _is_bare(text: str) -> bool:
    prose = _NAME.sub(" ", _CODE.sub(" ", _BLOCK.sub(" ", text)))
    return len(_WORDS.findall(prose)) < FEWEST_TOLD


def is_version_of(one: str, other: str) -> bool:
    """Return whether two texts are the same code but for a few lines, or the same rows of one table."""
    rows, others = _rows(one), _rows(other)
    if rows and others:
        keys, their_keys = ([row[0] for row in each[1:]] for each in (rows, others))
        return rows[0] == others[0] and len(keys) >= FEWEST_ROWS and sorted(keys) == sorted(their_keys)
    if not (_is_block(one) and _is_block(other)):
        return False
    mine, theirs = (_runs(Wording(text).words) for text in (one, other))
    return 2 * len(mine & theirs) >= MUCH_CODE * (len(mine) + len(theirs))


def _is_block(text: str) -> bool:
    return text.lstrip().startswith("```") and _is_bare(text)


def _rows(text: str) -> list[list[str]]:
    """Return the cells of a text that is a table, without the rule below its header; nothing of another text."""
    lines = [line.strip() for line in text.strip().split("\n")]
    if not all(line.startswith("|") for line in lines):
        return []
    return [
        [cell.strip(" *`").lower() for cell in line.strip("|").split("|")] for line in lines if not _RULE.match(line)
    ]


def same_words(one: str, other: str) -> bool:
    """Return whether two texts are the same but for case, markup and spelling."""
    return Wording(one).words == Wording(other).words


@dataclass(frozen=True)
class Said:
    """What a memory says, as it is looked for in others."""

    text: str

    @cached_property
    def wording(self) -> Wording:
        return Wording(self.text[:READ_CHARACTERS])

    @cached_property
    def tokens(self) -> tuple[str, ...]:
        """Its words as written, which takes a fifth of the time of one spelling."""
        text = self.text[:READ_CHARACTERS]
        return self.wording.words if CJK.search(text) else tuple(_WORDS.findall(text.lower()))

    @cached_property
    def runs(self) -> frozenset[int]:
        """The runs by which it is found."""
        return _runs(self.tokens)

    @cached_property
    def parts(self) -> list[Part]:
        return parts_of(self.text)


def stands_in(inner: Said, outer: Said) -> bool:
    """Return whether most of a text of some words stands in another, whatever their sizes, and no name is left."""
    mine = inner.wording.terms
    missing = len(mine - outer.wording.terms)
    if missing > FEWEST_MEANT + (1 - MOST_TERMS) * len(mine):
        return False
    if len(inner.text) > READ_CHARACTERS or len(mine) < FEWEST_MEANT:
        return False
    parts = [part for part in inner.parts if part.runs]
    left = [part for part in parts if not _holds(outer.parts, part)]
    said, unsaid = (sum(len(part.wording.words) for part in some) for some in (parts, left))
    if unsaid > (1 - MOST_SAID) * said or sum(len(part.wording.terms) for part in left) >= FEWEST_MEANT:
        return False
    return all(names_all(outer.text, part.text) for part in left)


def stands_word_for_word(inner: Said, outer: Said) -> bool:
    """Return whether every sentence and item of a text is one of another text too, none of them one of its steps."""
    if not FEWEST_VERBATIM <= len(inner.tokens) < len(outer.tokens) or len(inner.wording.terms) < RUN:
        return False
    if max(len(inner.text), len(outer.text)) > READ_CHARACTERS or CJK.search(inner.text):
        return False
    told = {tokens for tokens, is_step in _statements(outer.parts) if not is_step}
    return all(tokens in told for tokens, _ in _statements(inner.parts) if tokens)


def _statements(parts: Sequence[Part]) -> Iterator[tuple[tuple[str, ...], bool]]:
    """Yield the words of every sentence and item, wrapped lines joined, and whether it is one of numbered steps."""
    is_step, ended = False, True
    words: tuple[str, ...] = ()
    for part in parts:
        if part.gap != " " and (part.gap != "\n" or ended or _ITEM.match(part.text)):
            yield words, is_step
            is_step, words = bool(_STEP.match(f"{part.text} ")), part.tokens
        elif part.gap == " ":
            yield words, is_step
            words = part.tokens
        else:
            words += part.tokens
        ended = part.text.rstrip("*_`\"')").endswith((".", "!", "?", ":"))
    yield words, is_step


def held_pairs(texts: Sequence[frozenset[int]]) -> Iterator[tuple[int, int]]:
    """Yield positions of texts of which most runs of the first stand in the second."""
    import numpy as np

    counts = np.array([len(text) for text in texts], dtype=np.int64)
    if not counts.sum():
        return
    runs = np.fromiter((run for text in texts for run in text), dtype=np.int64, count=int(counts.sum()))
    owners = np.repeat(np.arange(len(texts)), counts)
    order = np.argsort(runs, kind="stable")
    runs, owners = runs[order], owners[order]
    begins = np.flatnonzero(np.concatenate(([True], runs[1:] != runs[:-1])))
    sizes = np.diff(np.append(begins, len(runs)))
    common = np.repeat(sizes > MOST_HOLDERS, sizes)
    rarer = counts - np.bincount(owners[common], minlength=len(texts))
    found = []
    for size in range(2, MOST_HOLDERS + 1):
        group = owners[begins[sizes == size][:, None] + np.arange(size)]
        found += [group[:, one] * len(texts) + group[:, other] for one, other in permutations(range(size), 2)]
    pairs, shared = np.unique(np.concatenate(found), return_counts=True)
    inner, outer = np.divmod(pairs, len(texts))
    enough = shared >= np.maximum(1, LOOSELY * rarer[inner])
    for first, second in zip(inner[enough].tolist(), outer[enough].tolist(), strict=True):
        if len(texts[first] & texts[second]) >= LOOSELY * len(texts[first]):
            yield first, second
