"""What verdicts teach about a kind's half-life: a Gamma prior on the rate at which its facts expire.

A kind with default half-life H starts from Gamma(a = 2, b = 2 H / ln 2 days). "Still true after t days" adds an
exposure of t, "outdated after t days" an exposure of t and an event; after V events and T days its half-life is
ln 2 * (b + T) / (a + V). It is offered with its evidence, never applied by itself.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from memtui.domain.freshness import GAMMA_SHAPE, LONGEST_HALF_LIFE, SHORTEST_HALF_LIFE
from memtui.domain.kinds import Kinds
from memtui.domain.memory import Verdict

HELD = frozenset({"still-true", "edited"})
"""Verdicts by which a fact was found to hold."""

EXPIRED = frozenset({"outdated", "superseded"})
"""Verdicts by which a fact was found to have expired."""


@dataclass(frozen=True, slots=True)
class Lesson:
    """A half-life learned from verdicts, with its evidence.

    Attributes:
        half_life_days: what the verdicts speak for.
        default_days: what is in force without them.
        verdicts: how many said anything about the fact.
        expired: how many of them found it expired.
        exposure_days: total time over which the facts were watched.
    """

    half_life_days: float
    default_days: float
    verdicts: int
    expired: int
    exposure_days: float

    def __str__(self) -> str:
        """Return it as people read it: `41 d from 23 verdicts`."""
        return f"{self.half_life_days:.0f} d from {self.verdicts:,} verdict{'' if self.verdicts == 1 else 's'}"


def learned_half_life(default_days: float, *, exposure_days: float, expired: int) -> float:
    """Return the half-life in days that the evidence speaks for, by the mean of the Gamma posterior.

    Args:
        default_days: the kind's half-life without evidence.
        exposure_days: total time over which facts of the kind were watched.
        expired: how many were found expired.
    """
    prior_days = GAMMA_SHAPE * default_days / math.log(2)
    days = math.log(2) * (prior_days + max(0.0, exposure_days)) / (GAMMA_SHAPE + expired)
    return min(LONGEST_HALF_LIFE, max(SHORTEST_HALF_LIFE, days))


def lesson_from(verdicts: Iterable[Verdict], default_days: float) -> Lesson:
    """Return what verdicts on memories of one kind teach; those that say nothing of the fact are left out."""
    telling = [verdict for verdict in verdicts if verdict.verdict in HELD | EXPIRED]
    expired = sum(verdict.verdict in EXPIRED for verdict in telling)
    exposure = math.fsum(max(0.0, verdict.exposure_days) for verdict in telling)
    days = learned_half_life(default_days, exposure_days=exposure, expired=expired)
    return Lesson(days, default_days, len(telling), expired, exposure)


def lessons_by_kind(verdicts: Iterable[Verdict], kind_of: Mapping[str, str], kinds: Kinds) -> dict[str, Lesson]:
    """Return what verdicts teach per kind; kinds without telling verdicts are left out.

    Args:
        verdicts: any verdicts.
        kind_of: kind by memory id; verdicts on other memories are ignored.
        kinds: the kinds in force, for their defaults.
    """
    by_kind: dict[str, list[Verdict]] = {}
    for verdict in verdicts:
        kind = kind_of.get(verdict.memory_id)
        if kind is not None:
            by_kind.setdefault(kind, []).append(verdict)
    lessons = {kind: lesson_from(some, kinds.get(kind).half_life_days) for kind, some in sorted(by_kind.items())}
    return {kind: lesson for kind, lesson in lessons.items() if lesson.verdicts}
