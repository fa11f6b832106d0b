"""A merge before it is made: whose text each field takes, where the texts differ, and what comes out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from memtui.curate.differing import warnings
from memtui.curate.merging import CHOOSABLE, combine, common_project, with_chosen
from memtui.curate.wording import wording_of
from memtui.domain.content import normalise
from memtui.domain.kinds import Kinds
from memtui.domain.memory import GLOBAL_PROJECT, Memory
from memtui.text.differing import differing_words
from memtui.text.token_count import get_counter

SAME_SAYING = 0.6
"""Likeness in writing from which two texts are taken to say one thing, so that the first does for both. Below it
both are kept: what is said twice is seen at once in the preview, what is missing is not."""

ENCODING = "o200k_base"

_ONE_OF = frozenset({"title", "kind"})
"""Fields that hold one value; the texts of others can stand one after the other."""

_LONGEST_LIKENED = 2_000


@dataclass(frozen=True, slots=True)
class MergeField:
    """A field in which the memories differ.

    Attributes:
        texts: what each memory holds, in their order.
        proposed: whose texts are taken unless the person chooses otherwise, by place.
        can_join: whether the texts can stand one after the other.
    """

    name: str
    texts: tuple[str, ...]
    proposed: tuple[int, ...]
    can_join: bool

    def text(self, places: Sequence[int]) -> str:
        """Return the texts of these places, one after the other."""
        return "\n\n".join(self.texts[place] for place in places if self.texts[place].strip())


def fields_of(memories: Sequence[Memory]) -> list[MergeField]:
    """Return the fields in which memories differ; what is equal in all is no question."""
    found = []
    for name in CHOOSABLE:
        texts = tuple(str(getattr(memory, name)) for memory in memories)
        if len(set(texts)) > 1:
            can_join = name not in _ONE_OF
            found.append(MergeField(name, texts, _proposed(texts, can_join=can_join), can_join))
    return found


def _proposed(texts: Sequence[str], *, can_join: bool) -> tuple[int, ...]:
    """Return the first text, and those that say something else than the ones before."""
    from rapidfuzz import fuzz

    plain = [normalise(text)[:_LONGEST_LIKENED] for text in texts]
    kept: list[int] = []
    for place, text in enumerate(plain):
        known = any(text in plain[other] for other in kept) or any(
            fuzz.ratio(text, plain[other]) >= 100 * SAME_SAYING for other in kept
        )
        if text.strip() and not known:
            kept.append(place)
    return tuple(kept if can_join else kept[:1]) or (0,)


def preview(memories: Sequence[Memory], chosen: Mapping[str, str], kinds: Kinds, project: str | None = None) -> Memory:
    """Return what a merge into the first of these memories would make.

    Raises:
        UsageError: they belong to different projects and none is named, or a chosen text is none.
    """
    into, *others = memories
    return with_chosen(combine(into, others, project or common_project(into, others)), chosen, kinds)


def named_projects(memories: Sequence[Memory]) -> list[str]:
    """Return the projects that memories belong to, `global` aside; of several, a person says which."""
    return sorted({memory.project for memory in memories if memory.project not in {None, GLOBAL_PROJECT}})


def tokens_of(memories: Sequence[Memory]) -> int:
    """Return the tokens of the memories' texts (o200k_base)."""
    counter = get_counter(ENCODING)
    return sum(
        counter.count("\n".join(filter(None, (memory.title, memory.insight, memory.rationale, memory.snippet))))
        for memory in memories
    )


def what_differs(memories: Sequence[Memory]) -> tuple[str, ...]:
    """Return what tells the memories apart though they may look alike: numbers, versions, negations, environments."""
    wordings = [wording_of(memory.title[:_LONGEST_LIKENED], memory.insight) for memory in memories]
    return tuple(dict.fromkeys(said for one, other in combinations(wordings, 2) for said in warnings(one, other)))


Marked = tuple[tuple[str, bool], ...]
"""Parts of a text, each with whether it differs from the first text; of the first, from any other."""


def marked_texts(texts: Sequence[str]) -> list[Marked]:
    """Return texts with the words marked in which they differ; nothing in those that share hardly a word."""
    if len(texts) <= 1:
        return [((text, False),) for text in texts]
    first, *others = texts
    flags = [False] * len(first)
    marked: list[Marked] = []
    for other in others:
        mine, theirs = differing_words(first, other)
        place = 0
        for part, differs in mine:
            if differs:
                flags[place : place + len(part)] = [True] * len(part)
            place += len(part)
        marked.append(theirs)
    return [_runs(first, flags), *marked]


def _runs(text: str, flags: Sequence[bool]) -> Marked:
    runs: list[tuple[str, bool]] = []
    start = 0
    for place in range(1, len(text) + 1):
        if place == len(text) or flags[place] != flags[start]:
            runs.append((text[start:place], flags[start]))
            start = place
    return tuple(runs)
