"""What a new memory, or one that was edited, resembles."""

from __future__ import annotations

import re
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Literal

from memtui.analysis.contradictions import contradiction_between
from memtui.analysis.duplicates import RESEMBLES_FROM, compare, likeness
from memtui.analysis.pair_differences import differences
from memtui.analysis.pair_facts import Facts
from memtui.analysis.pair_features import Nearness, dice
from memtui.analysis.snapshot import TextCache
from memtui.analysis.text_features import Wording, split_names, stems_of, wording_of
from memtui.domain.memory import Memory

CHANGED_BELOW = 0.7  # Likeness of a text with its former self below which an edit made another statement of it

CONTRADICTS_FROM = 0.5
"""Likeness from which a contradiction is reported at a save: of the labelled contradictions two in 100 share less, and
among 490 memories of one project most that share less only use the same words."""

LIKELY_FROM = 0.9
"""How sure it must be that two texts with differences say the same before a save asks about them. Of 125 rules of one
repository that were accepted one by one, 4 are asked about, 3 of them repetitions; from 0.5 on it would be 39."""

MOST_SHOWN = 3  # Words of a text that are shown of those that only it has

Sort = Literal["same", "reworded", "differs", "clashes", "replaces"]
"""Of a memory to another: it has the same words but for function words; very likely says the same in others; says much
the same with a difference; says the contrary; or was proposed to replace it, which is not found by comparing."""


@dataclass(frozen=True, slots=True)
class Resemblance:
    """A memory that a new one resembles."""

    id: str  # the existing memory
    title: str
    sort: Sort
    score: float  # likeness, 0–1
    why: str  # the difference in words; may hold words of others
    is_likely: bool = True  # whether a person would merge or settle the pair, so that asking is worth it
    winner: str = ""  # of two that contradict each other, the id of the one that replaced the other; empty if none did

    @property
    def is_winner(self) -> bool:
        """Whether the existing memory holds rather than the new one."""
        return self.winner == self.id


def compared(memory: Memory, other: Memory, cosine: float | None = None) -> Resemblance | None:
    """Return how a memory resembles another that was found for it, None if it does not."""
    texts, near = TextCache(), Nearness(cosine, is_crowded=True)
    wordings = [texts.wordings[each.title, each.insight] for each in (other, memory)]
    score = likeness(*wordings)
    found = contradiction_between(other, memory, texts, near) if score >= CONTRADICTS_FROM else None
    if found is not None:
        return Resemblance(other.id, other.title, "clashes", score, found.why, winner=found.winner)
    alike = compare(other, memory, texts, near)
    if alike is None and dice(wordings[0].parts, wordings[1].parts) < RESEMBLES_FROM:
        return None
    differ = differences(other, memory, texts)
    score = alike.score if alike else score
    sort: Sort
    if differ:
        sort, why = "differs", "; ".join(difference.text for difference in differ)
    else:
        old, new = (texts.facts[each.title, each.insight] for each in (other, memory))
        sort, why = _compared_words(old, new, is_alike=alike is not None)
    is_likely = alike is not None and (sort != "differs" or score >= LIKELY_FROM)
    return Resemblance(other.id, other.title, sort, score, why, is_likely)


def _compared_words(old: Facts, new: Facts, *, is_alike: bool) -> tuple[Sort, str]:
    """Return how two texts resemble that have no difference but in their words, and which words those are."""
    rest, more = _words_apart(old.wording, new.wording)
    if not rest and not more:
        return "same", "says the same"
    words = _told(old.wording, rest), _told(new.wording, more)
    if is_alike and not _is_exchange(old, new, rest, more):
        return "reworded", " / ".join(filter(None, words))
    return "differs", f"words differ: {' / '.join(words)}" if all(words) else f"words only in one: {''.join(words)}"


def _words_apart(one: Wording, other: Wording) -> tuple[frozenset[str], frozenset[str]]:
    """Return the stems that only one of two texts has; function words, and values in other notation, do not count."""
    other = other.in_notation_of(one)
    return one.parts - other.parts, other.parts - one.parts


def _is_exchange(one: Facts, other: Facts, rest: AbstractSet[str], more: AbstractSet[str]) -> bool:
    """Return whether a word or two are exchanged or added, or the subject is another, rather than all said anew.

    `rest`, `more`: the stems that only the one has, and only the other.
    """
    return min(len(rest), len(more)) <= 1 or bool(one.subject & rest and other.subject & more)


_WORD = re.compile(r"\w+")


def _told(wording: Wording, stems: AbstractSet[str]) -> str:
    """Return the first words of a text with these stems, as they are written."""
    words = dict.fromkeys(_WORD.findall(split_names(wording.text)))
    found = [word for word in words if not stems.isdisjoint(stems_of(word.lower()))] or sorted(stems)
    return ", ".join(found[:MOST_SHOWN])


def changed_much(before: Memory, after: Memory) -> bool:
    """Return whether an edit made another statement of a memory, so that it may resemble others now."""
    if (before.title, before.insight) == (after.title, after.insight):
        return False
    return likeness(wording_of(before.title, before.insight), wording_of(after.title, after.insight)) < CHANGED_BELOW


def resemblance_record(found: Resemblance) -> dict[str, object]:
    """Return the `--json` form."""
    record = {"id": found.id, "title": found.title, "sort": found.sort, "score": round(found.score, 4)}
    return record | {"why": found.why} | ({"winner": found.winner} if found.winner else {})
