"""Texts that hold another word for word or nearly so, and texts put together without saying anything twice."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations
from typing import TYPE_CHECKING

from memtui.analysis.claims import DENIES, difference_in_denials, names_in, rivals_between
from memtui.analysis.text_features import Wording
from memtui.domain.memory import normalise

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.int64]

RUN = 3  # Words of the runs by which texts are compared: in their order, so that a list of words is no repetition
NEARLY = 0.75  # Share of the runs of a text from which another holds it: about one word in twelve may be another
FEWEST_MEANT = 5  # Words of meaning of a text; a shorter one stands in others by chance
READ_CHARACTERS = 20_000  # Characters of a text that are looked at
MOST_HOLDERS = 24  # Texts that hold a run; one that more of them hold leads to none
TELLING = 0.5  # Share of its rarer runs that a text must have in common with another to be compared in full
MOSTLY = 0.5  # Share of the words of a text from which another text takes its place

_FENCE = re.compile(r"^[ \t]*(?:`{3,}|~{3,})")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z`*\"(])|(?<=[。！？])")


@dataclass(frozen=True)
class Part:
    """A sentence, a line of a list, or a block of code or of a table."""

    text: str
    gap: str = ""  # what stands between it and the part before

    @cached_property
    def wording(self) -> Wording:
        return Wording(self.text)

    @cached_property
    def runs(self) -> frozenset[int]:
        return runs_of(self.text)


def runs_of(text: str) -> frozenset[int]:
    """Return the runs of words of a text, in one spelling and without markup, as numbers."""
    words = Wording(text[:READ_CHARACTERS]).words
    return frozenset(hash(words[at : at + RUN]) for at in range(max(1, len(words) - RUN + 1))) if words else frozenset()


def parts_of(text: str) -> list[Part]:
    """Return the parts of a text; joined with their gaps they are the text but for spaces. A huge one is one part."""
    if len(text) > READ_CHARACTERS:
        return [Part(text)]
    parts: list[Part] = []
    gap, block = "", ""
    for line in text.strip("\n").split("\n"):
        is_fence, is_row = bool(_FENCE.match(line)), line.lstrip().startswith("|")
        if block == "code" or (block == "table" and is_row):
            parts[-1] = Part(f"{parts[-1].text}\n{line}", parts[-1].gap)
            block = "" if block == "code" and is_fence else block
        elif not line.strip():
            gap, block = f"{gap}\n", ""
        else:
            sentences = [line] if is_fence or is_row else _SENTENCE_END.split(line)
            parts += [Part(each, " " if at else gap) for at, each in enumerate(sentences) if each]
            gap, block = "\n", "code" if is_fence else "table" if is_row else ""
            continue
        gap = gap if block == "" and not line.strip() else "\n"
    return parts


def holds(outer: Sequence[Part], inner: str) -> bool:
    """Return whether a text says another one word for word or nearly so, and differs in nothing that matters."""
    if len(inner) > READ_CHARACTERS:
        return False
    mine = runs_of(inner)
    theirs = frozenset[int]().union(*(part.runs for part in outer))
    if not mine or len(mine & theirs) < NEARLY * len(mine):
        return False
    there = "\n".join(part.text for part in outer if len(part.runs & mine) >= min(RUN, len(part.runs)))
    return not _differ(Wording(inner), Wording(there))


def _differ(inner: Wording, there: Wording) -> bool:
    """Return whether a text says something that matters which its like in another text does not."""
    if inner.numbers - there.numbers or any(not there.says(name) for name in inner.identifiers - there.identifiers):
        return True
    names = (names_in(inner.plain), names_in(there.plain))
    return (
        rivals_between(*names, (inner.plain, there.plain)) is not None
        or inner.negations > there.negations
        or difference_in_denials(inner, there) == DENIES
    )


def same_words(one: str, other: str) -> bool:
    """Return whether two texts are the same but for case, markup and spelling."""
    return Wording(one).words == Wording(other).words


def held_pairs(texts: Sequence[frozenset[int]], step: Callable[[int], None]) -> Iterator[tuple[int, int]]:
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
    step(0)
    common = np.repeat(sizes > MOST_HOLDERS, sizes)
    rarer = counts - np.bincount(owners[common], minlength=len(texts))
    found = []
    for size in range(2, MOST_HOLDERS + 1):
        group = owners[begins[sizes == size][:, None] + np.arange(size)]
        found += [group[:, one] * len(texts) + group[:, other] for one, other in permutations(range(size), 2)]
    pairs, shared = np.unique(np.concatenate(found), return_counts=True)
    inner, outer = np.divmod(pairs, len(texts))
    enough = shared >= np.maximum(1, TELLING * rarer[inner])
    for first, second in zip(inner[enough].tolist(), outer[enough].tolist(), strict=True):
        if len(texts[first] & texts[second]) >= NEARLY * len(texts[first]):
            yield first, second


@dataclass(frozen=True, slots=True)
class Joined:
    """Texts put together."""

    text: str
    places: tuple[int, ...]  # positions of the texts that it holds something of, the one it begins with first


def join(texts: Sequence[str], *, alike: float | None = None) -> Joined:
    """Put texts together: one that says what others say takes their place, and of those only what it lacks is added.

    `alike`: likeness in writing, 0–1, from which two texts and then two sentences say the same, whatever differs in
    them; without it they must be nearly the same word for word.
    """
    kept: list[tuple[int, list[Part], str]] = []
    for place, text in _fullest_first(texts, alike):
        if not normalise(text).strip() or any(normalise(text) in normalise(known) for *_, known in kept):
            continue
        known = [part for _, parts, _ in kept for part in parts]
        parts = parts_of(text)
        new = _lacking(known, parts, alike if _are_alike(text, [each for *_, each in kept], alike) else None)
        if len(new) == len(parts):
            kept.append((place, parts, text))
        elif new:
            kept.append((place, new, _written(new)))
    return Joined("\n\n".join(text for *_, text in kept), tuple(place for place, *_ in kept))


def _fullest_first(texts: Sequence[str], alike: float | None) -> list[tuple[int, str]]:
    """Return texts with their positions; the first gives way to a longer one that says most of it."""
    numbered = list(enumerate(texts))
    filled = [one for one in numbered if one[1].strip()]
    if not filled:
        return numbered
    first = filled[0]
    for one in filled[1:]:
        longer = len(Wording(one[1]).words) > len(Wording(first[1]).words)
        if longer and (_says_most(one[1], first[1]) or _are_alike(one[1], [first[1]], alike)):
            first = one
    return [first, *(one for one in numbered if one != first)]


def _says_most(text: str, other: str) -> bool:
    known, parts = parts_of(text), parts_of(other)
    said = sum(len(part.wording.words) for part in parts if _is_said(known, part, None))
    return said >= MOSTLY * sum(len(part.wording.words) for part in parts)


def _are_alike(text: str, others: Sequence[str], alike: float | None) -> bool:
    from rapidfuzz import fuzz

    if alike is None:
        return False
    return any(fuzz.ratio(_shown(text), _shown(other)) >= 100 * alike for other in others)


def _shown(text: str) -> str:
    return normalise(text)[:READ_CHARACTERS]


def _lacking(known: Sequence[Part], parts: Sequence[Part], alike: float | None) -> list[Part]:
    """Return the parts that say something new; an introduction goes with what it introduces."""
    is_new = [not _is_said(known, part, alike) for part in parts] if known else [True] * len(parts)
    for at in reversed(range(len(parts))):
        if is_new[at] and parts[at].text.rstrip(" *_").endswith((":", "：")):
            is_new[at] = at + 1 < len(parts) and is_new[at + 1]
    return [part for part, new in zip(parts, is_new, strict=True) if new]


def _is_said(known: Sequence[Part], part: Part, alike: float | None) -> bool:
    from rapidfuzz import fuzz

    if len(part.text) > READ_CHARACTERS:
        return False
    words = f" {' '.join(part.wording.words)} "
    if not words.strip() or any(words in f" {' '.join(one.wording.words)} " for one in known):
        return True
    if alike is not None and any(fuzz.ratio(part.text, _shown(one.text)) >= 100 * alike for one in known):
        return True
    return holds(known, part.text)


def _written(parts: Sequence[Part]) -> str:
    return "".join(f"{part.gap if at else ''}{part.text}" for at, part in enumerate(parts))
