"""What a new memory, or one that was edited, resembles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from memtui.analysis.contradictions import contradiction_between
from memtui.analysis.duplicates import RESEMBLES_FROM, compare, likeness
from memtui.analysis.pair_differences import differences
from memtui.analysis.pair_features import Nearness, dice
from memtui.analysis.snapshot import TextCache
from memtui.analysis.text_features import wording_of
from memtui.domain.memory import LinkType, Memory

CHANGED_BELOW = 0.7  # Likeness of a text with its former self below which an edit made another statement of it

CONTRADICTS_FROM = 0.5
"""Likeness from which a contradiction is reported at a save: of the labelled contradictions two in 100 share less, and
among 490 memories of one project most that share less only use the same words."""

LIKELY_FROM = 0.9
"""How sure it must be that two texts with differences say the same before a save asks about them. Of 125 rules of one
repository that were accepted one by one, 4 are asked about, 3 of them repetitions; from 0.5 on it would be 39."""

Sort = Literal["same", "differs", "clashes", "replaces"]  # `replaces` is proposed, not found by comparing


@dataclass(frozen=True, slots=True)
class Resemblance:
    """A memory that a new one resembles."""

    id: str  # the existing memory
    title: str
    sort: Sort  # it says the same, much the same with a difference that matters, the contrary, or is to be replaced
    score: float  # likeness, 0–1
    why: str  # the difference in words; may hold words of others
    is_likely: bool = True  # whether a person would merge or settle the pair, so that asking is worth it

    @property
    def link(self) -> LinkType:
        """The link that is offered first."""
        return "relates" if self.sort == "differs" else "supersedes"


def compared(memory: Memory, other: Memory, cosine: float | None = None) -> Resemblance | None:
    """Return how a memory resembles another that was found for it, None if it does not."""
    texts, near = TextCache(), Nearness(cosine, is_crowded=True)
    wordings = [texts.wordings[each.title, each.insight] for each in (other, memory)]
    score = likeness(*wordings)
    found = contradiction_between(other, memory, texts, near) if score >= CONTRADICTS_FROM else None
    if found is not None:
        return Resemblance(other.id, other.title, "clashes", score, found.why)
    alike = compare(other, memory, texts, near)
    if alike is None and dice(wordings[0].parts, wordings[1].parts) < RESEMBLES_FROM:
        return None
    differ = differences(other, memory, texts)
    score = alike.score if alike else score
    if not differ:
        return Resemblance(other.id, other.title, "same", score, "says the same", alike is not None)
    why = "; ".join(difference.text for difference in differ)
    return Resemblance(other.id, other.title, "differs", score, why, alike is not None and score >= LIKELY_FROM)


def changed_much(before: Memory, after: Memory) -> bool:
    """Return whether an edit made another statement of a memory, so that it may resemble others now."""
    if (before.title, before.insight) == (after.title, after.insight):
        return False
    return likeness(wording_of(before.title, before.insight), wording_of(after.title, after.insight)) < CHANGED_BELOW


def resemblance_record(found: Resemblance) -> dict[str, object]:
    """Return the `--json` form."""
    return {"id": found.id, "title": found.title, "sort": found.sort, "score": round(found.score, 4), "why": found.why}
