"""The task of a recall and its result: hits with every part of their scores, and withheld memories."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from memtui.domain.memory import AnchorState, Link, Memory, Source
from memtui.domain.reasons import Reason, ReasonCode

SCORE_DIGITS = 9  # Scores are rounded so that the order does not hang on the last bit of a sum


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a score."""

    name: str  # what it is: words, files, neighbours, freshness …
    value: float  # a term's addition to the relevance, or a factor
    reason: Reason  # what it was calculated from
    role: Literal["term", "factor"] = "factor"


def combine(parts: Iterable[Part]) -> tuple[float, float]:
    """Return the relevance (sum of the terms) and the score (relevance times the factors), rounded."""
    listed = list(parts)
    relevance = math.fsum(part.value for part in listed if part.role == "term")
    score = relevance * math.prod(part.value for part in listed if part.role == "factor")
    return round(relevance, SCORE_DIGITS), round(score, SCORE_DIGITS)


@dataclass(frozen=True, slots=True)
class Task:
    """What a person is about to do."""

    text: str = ""  # the task in the person's words; may be empty
    files: tuple[str, ...] = ()  # project-relative POSIX paths of files, folders or anchors
    phase: str | None = None  # one of `phase.PHASES`, or None to guess it from the words
    as_of: datetime | None = None  # the day on which memories must be valid, or None for now

    @property
    def has_words(self) -> bool:
        """Whether there is any text to go by."""
        return bool(self.text.strip())


Sureness = Literal["sure", "unsure", "nothing"]
Covered = Literal["well", "hardly", "not"]
"""Whether memories answer a task: they do, they may, or none does."""

MOST_WITHHELD = 50  # Withheld memories that are named; the rest are counts per reason


@dataclass(frozen=True, slots=True, kw_only=True)
class Signs:
    """What was measured of a memory for a task, as it is: a payload judges by it whether the memory matters."""

    cosine: float = 0.0  # with the task, above what an unrelated memory has
    sentence: float = 0.0  # cosine of its nearest sentence
    tokens: float = 0.0  # mean cosine of the task's tokens with the nearest of its own; 0 where none were compared
    share: float = 0.0  # how near it comes to the best by words and meaning, 0-1
    rank: int = 0  # its place by that, from 0
    coverage: float = 0.0  # share of the task's weight that its words match
    by_words: float = 0.0  # share of the best score by words
    title_coverage: float = 0.0  # share of the task's weight that its title matches
    tie: float = 0.0  # strength of its tie to the files, 0-1
    holds_for: float = 0.0  # how narrow the place is that it holds for and that has a file of the task; 0 for none
    names: float = 0.0  # the same of a place that its own text names
    has_place: bool = False  # whether it holds for places that its text does not name
    has_named: bool = False  # whether its text names places that it is tied to
    is_exact: bool = False  # whether it is tied to a file of the task itself
    is_below: bool = False  # whether it lies below the floor, so that it is no hit


@dataclass(frozen=True, slots=True)
class Hit:
    """A recalled memory."""

    memory: Memory
    score: float  # relevance times the factors
    relevance: float  # sum of the terms
    parts: tuple[Part, ...]  # terms and factors, in the order of the explanation
    reasons: tuple[Reason, ...]  # why it is here, the first one before all
    signs: Signs | None = None  # what was measured of it; None where there is no task in words

    @property
    def is_put_in(self) -> bool:
        return any(reason.code is ReasonCode.PUT_IN for reason in self.reasons)

    @property
    def is_by_words(self) -> bool:
        """Whether anything that is searched for stands in the memory; otherwise it is near in meaning alone."""
        return not _BY_WORDS.isdisjoint(part.name for part in self.parts)


_BY_WORDS = frozenset({"words", "name", "letters"})


@dataclass(frozen=True, slots=True)
class Withheld:
    """A memory that was near and is not shown."""

    id: str
    title: str
    reason: Reason
    nearness: float = 0.0  # relevance that it has or would have

    @classmethod
    def of(cls, memory: Memory, reason: Reason, nearness: float) -> Withheld:
        return cls(memory.id, memory.title, reason, nearness)


@dataclass(frozen=True, slots=True)
class Recall:
    """The answer to a task."""

    hits: tuple[Hit, ...]  # relevant memories, the best first, without pinned ones
    pins: tuple[Hit, ...]  # the pinned memories in scope, the best first, relevant or not
    withheld: tuple[Withheld, ...]  # at most 50, the nearest first
    withheld_counts: Mapping[Reason, int]  # the rest per `Reason.group`
    other_projects: int  # relevant memories of projects that are not in scope
    abstained: Reason | None  # why there are no hits; None if there are
    phase: str | None = None  # the phase of the work, given or guessed
    links: tuple[Link, ...] = ()  # links between hits and pins
    # last known state per (memory id, anchor path) of hits and pins
    states: Mapping[tuple[str, str], AnchorState] = field(default_factory=dict)
    relevant_pins: frozenset[str] = frozenset()  # ids of those pins that are relevant to the task
    put_in: tuple[Hit, ...] = ()  # memories that a person put in whatever their rank; in neither hits nor pins
    left_out: tuple[Hit, ...] = ()  # hits and pins that a person left out; in neither of them any more
    # what was measured and lies below the floor, the nearest first: `memtui.pack.relevance` may know better
    near: tuple[Hit, ...] = ()
    sure: Sureness = "sure"
    without_vector: int = 0  # memories that could not be compared by meaning because they have no vector yet
    # how like each other the memories are that are nearest to a task, by two ids, the smaller first
    kinship: Mapping[tuple[str, str], float] = field(default_factory=dict, repr=False, compare=False)
    meant: Mapping[str, str] = field(default_factory=dict)  # from hits to those that they make no sense without
    # of what was put in and is no memory in use, why not, by id
    statuses: Mapping[str, Reason] = field(default_factory=dict)
    # the blocks in assistants' files that hits and pins stand in, by id, as sources of them
    published: Mapping[str, tuple[Source, ...]] = field(default_factory=dict)
    apart: frozenset[tuple[str, str]] = frozenset()  # pairs that a person kept apart, by id, the smaller one first
    in_hand: frozenset[str] = frozenset()  # the words of what stands in the files of the task
    covered: Covered | None = None  # how well a task is covered by what may matter for it, None where nobody judged
    chances: Mapping[str, float] = field(default_factory=dict)  # that memories matter for the task, by id, where judged
    needed: Mapping[str, float] = field(default_factory=dict)  # the chances that they need to go in, by id
    features: Mapping[str, Mapping[str, float]] = field(default_factory=dict)  # what the chances were made of, by id


def order_key(hit: Hit) -> tuple[float, float, str]:
    """Return what hits are sorted by: score, then age, then id, so that the order is total."""
    return (-hit.score, *age_key(hit.memory))


def age_key(memory: Memory) -> tuple[float, str]:
    """Return what decides between equal scores: age, then id."""
    return (memory.created_at.timestamp(), memory.id)


def listed_and_counted(
    withheld: Iterable[Withheld], unseen: Mapping[Reason, int]
) -> tuple[tuple[Withheld, ...], dict[Reason, int]]:
    """Return the withheld memories to name, the nearest first, and the counts of the rest.

    What is below the floor comes after all that is not.

    `withheld`: withheld memories in any order. `unseen`: counts per group of those that were not even fetched.
    """
    nearest = sorted(withheld, key=lambda one: (one.reason.code is ReasonCode.BELOW_FLOOR, -one.nearness, one.id))
    counts = {group: number for group, number in unseen.items() if number > 0}
    for one in nearest[MOST_WITHHELD:]:
        counts[one.reason.group] = counts.get(one.reason.group, 0) + 1
    return tuple(nearest[:MOST_WITHHELD]), counts
