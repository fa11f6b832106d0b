"""The task of a recall and its result: hits with reasons, and withheld memories."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from memtui.domain.memory import AnchorState, Link, Memory
from memtui.recall.score import Part


@dataclass(frozen=True, slots=True)
class Task:
    """What a person is about to do.

    Attributes:
        text: the task in the person's words; may be empty.
        files: project-relative POSIX paths of the files, folders or anchors in hand.
        phase: one of `phase.PHASES`, or None to guess it from the words.
        as_of: the day on which memories must be valid, or None for now.
    """

    text: str = ""
    files: tuple[str, ...] = ()
    phase: str | None = None
    as_of: datetime | None = None

    @property
    def has_words(self) -> bool:
        """Whether there is any text to go by."""
        return bool(self.text.strip())


BELOW_FLOOR = "below the floor"
"""Group of the memories that match too little."""

MOST_WITHHELD = 50
"""Withheld memories that are named; the rest are counts per reason."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A recalled memory.

    Attributes:
        score: relevance times the factors.
        relevance: sum of the terms.
        parts: terms and factors, in the order of the explanation.
        reason: why it is here, in words.
    """

    memory: Memory
    score: float
    relevance: float
    parts: tuple[Part, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class Withheld:
    """A memory that was near and is not shown.

    Attributes:
        group: the reason without ids and dates, for counting.
        nearness: relevance that it has or would have.
        detail: by how much, in words; empty where that is no matter of degree.
    """

    id: str
    title: str
    reason: str
    group: str
    nearness: float = 0.0
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Recall:
    """The answer to a task.

    Attributes:
        hits: relevant memories, the best first, without pinned ones.
        pins: the pinned memories in scope, the best first, relevant or not.
        relevant_pins: ids of those pins that are relevant to the task.
        withheld: at most 50, the nearest first.
        withheld_counts: the rest per reason.
        other_projects: relevant memories of projects that are not in scope.
        abstained: why there are no hits, in words; None if there are.
        phase: the phase of the work, given or guessed.
        links: links between hits and pins.
        states: last known state per (memory id, anchor path) of hits and pins.
        put_in: memories that a person put in whatever their rank; in neither hits nor pins.
        left_out: hits and pins that a person left out; in neither of them any more.
        statuses: of what was put in and is no memory in use, why not, by id: `superseded by k3x9abcd`.
    """

    hits: tuple[Hit, ...]
    pins: tuple[Hit, ...]
    withheld: tuple[Withheld, ...]
    withheld_counts: Mapping[str, int]
    other_projects: int
    abstained: str | None
    task: Task
    phase: str | None = None
    links: tuple[Link, ...] = ()
    states: Mapping[tuple[str, str], AnchorState] = field(default_factory=dict)
    relevant_pins: frozenset[str] = frozenset()
    put_in: tuple[Hit, ...] = ()
    left_out: tuple[Hit, ...] = ()
    statuses: Mapping[str, str] = field(default_factory=dict)


def order_key(hit: Hit) -> tuple[float, float, str]:
    """Return what hits are sorted by: score, then age, then id, so that the order is total."""
    return (-hit.score, *age_key(hit.memory))


def age_key(memory: Memory) -> tuple[float, str]:
    """Return what decides between equal scores: age, then id."""
    return (memory.created_at.timestamp(), memory.id)


def listed_and_counted(
    withheld: Iterable[Withheld], unseen: Mapping[str, int]
) -> tuple[tuple[Withheld, ...], dict[str, int]]:
    """Return the withheld memories to name, the nearest first, and the counts of the rest.

    What is below the floor comes after all that is not.

    Args:
        withheld: withheld memories in any order.
        unseen: counts per group of those that were not even fetched.
    """
    nearest = sorted(withheld, key=lambda one: (one.group == BELOW_FLOOR, -one.nearness, one.id))
    counts = {group: number for group, number in unseen.items() if number > 0}
    for one in nearest[MOST_WITHHELD:]:
        counts[one.group] = counts.get(one.group, 0) + 1
    return tuple(nearest[:MOST_WITHHELD]), dict(sorted(counts.items()))


def explanation(hit: Hit) -> list[tuple[str, str, str]]:
    """Return rows of (part, its input, its contribution): the terms, their sum, the factors, the score."""
    rows = [(part.name, part.detail, f"+ {part.value:.3f}") for part in hit.parts if part.role == "term"]
    rows.append(("relevance", "sum of the above", f"= {hit.relevance:.3f}"))
    rows += [(part.name, part.detail, f"× {part.value:.3f}") for part in hit.parts if part.role == "factor"]
    rows.append(("score", "relevance times the factors", f"= {hit.score:.3f}"))
    return rows


def explanation_record(hit: Hit) -> dict[str, Any]:
    """Return the explanation for `--json`: score, relevance, reason and every part."""
    return {
        "score": hit.score,
        "relevance": hit.relevance,
        "reason": hit.reason,
        "parts": [
            {"name": part.name, "role": part.role, "value": round(part.value, 9), "detail": part.detail}
            for part in hit.parts
        ],
    }
