"""How long the facts of a kind hold, learned from verdicts.

A verdict tells of a span, not of a moment: after t days "still true" says that a fact outlived t, "outdated" that it
expired somewhere within t. With facts that expire at a rate of λ a day the likelihoods are e^(−λt) and 1 − e^(−λt):
interval-censored exponential lifetimes (Lindsey and Ryan, "Methods for interval-censored data", Statistics in Medicine
17, 1998). With a Gamma prior on λ the posterior is integrated numerically and summed up as the Gamma of the same mean
and variance, under which a fact holds for t days with the probability (b / (b + t))^a (Lomax).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from memtui.domain.freshness import GAMMA_SHAPE, LONGEST_HALF_LIFE, SHORTEST_HALF_LIFE
from memtui.domain.kinds import Kinds
from memtui.domain.memory import Memory, Verdict
from memtui.text.words import counted

HELD = frozenset({"still-true", "edited"})  # Verdicts that found a fact to hold
REFUTING = frozenset({"outdated", "superseded"})  # Verdicts that found a fact to hold no longer

SNOOZED = (
    "snoozed"  # The verdict of a snooze; of one until a file changes its reason holds the hash of each file as JSON
)
MAY_BE_GONE = (
    "may-be-gone"  # The verdict that a file is named on purpose, though it is not there; its reason is the path
)
MOST_SNOOZES = 3  # After so many snoozes since a memory was verified, its retiring is offered

QUICK_SECONDS = 1.0
"""A verdict that follows one by the same person sooner than this: the memory was hardly read."""

QUICK_WEIGHT = 0.1  # How much such a verdict counts; any other counts 1
VERDICTS_TO_DOUBLE = 8.0  # Verdicts after which a half-life may be twice, or half, its default
FURTHEST = 8.0  # A learned half-life is within this factor of its default, whatever the evidence
OTHERS_WEIGHT = 0.1  # Share of a verdict on another kind in how far the evidence may lead

_EIGHTY_PERCENT = 1.2816  # Standard deviations of a normal distribution that hold its middle 80 %


@dataclass(frozen=True, slots=True)
class Rate:
    """A Gamma belief about the rate, per day, at which facts expire."""

    shape: float  # a
    days: float  # b

    @classmethod
    def around(cls, half_life_days: float, shape: float = GAMMA_SHAPE) -> Rate:
        """Return the belief whose mean rate is that of a half-life."""
        return cls(shape, shape * half_life_days / math.log(2))

    @property
    def half_life_days(self) -> float:
        """The half-life at the mean rate."""
        return math.log(2) * self.days / self.shape

    @property
    def range_days(self) -> tuple[float, float]:
        """The half-lives between which the true one lies with 80 %, by the approximation of Wilson and Hilferty."""
        part = 1 / (9 * self.shape)
        slow, fast = (max(1e-3, 1 - part + z * math.sqrt(part)) ** 3 for z in (-_EIGHTY_PERCENT, _EIGHTY_PERCENT))
        return self.half_life_days / fast, self.half_life_days / slow

    def holds(self, days: float) -> float:
        """Return the probability that a fact holds for so many days."""
        return math.pow(self.days / (self.days + days), self.shape)

    def ask_after(self, target: float, held_days: float = 0.0) -> float:
        """Return after how many days a fact that has held for so long is true with a probability of only `target`."""
        return (self.days + held_days) * (math.pow(target, -1 / self.shape) - 1)


@dataclass(frozen=True, slots=True)
class Span:
    """What one verdict says: whether a fact outlived so many days, and how much that counts."""

    days: float
    held: bool
    weight: float = 1.0


def posterior(prior: Rate, spans: Iterable[Span]) -> Rate:
    """Return the belief after the evidence, as the Gamma with the mean and the variance of the exact posterior."""
    seen = list(spans)
    exposure = prior.days + math.fsum(one.weight * max(0.0, one.days) for one in seen if one.held)
    expired = [(one.weight, max(SHORTEST_HALF_LIFE, one.days)) for one in seen if not one.held]
    if not expired:
        return Rate(prior.shape, exposure)
    mode, width = _peak(prior.shape, exposure, expired)
    # In log λ the density is concave and smooth, so that a plain sum over equal steps is as good as exact.
    places = [mode + width * step / 4 for step in range(-36, 37)]
    logs = [_log_density(place, prior.shape, exposure, expired) for place in places]
    densities = [math.exp(each - max(logs)) for each in logs]
    total = math.fsum(densities)
    rates = [math.exp(place) for place in places]
    mean = math.fsum(d * r for d, r in zip(densities, rates, strict=True)) / total
    variance = math.fsum(d * (r - mean) ** 2 for d, r in zip(densities, rates, strict=True)) / total
    return Rate(mean * mean / variance, mean / variance)


def _log_density(place: float, shape: float, exposure: float, expired: Sequence[tuple[float, float]]) -> float:
    """Return the log of the posterior density of log λ, up to a constant."""
    rate = math.exp(place)
    gone = math.fsum(weight * math.log(-math.expm1(-rate * days)) for weight, days in expired)
    return shape * place - exposure * rate + gone


def _peak(shape: float, exposure: float, expired: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """Return where the density of log λ peaks, by Newton's method, and its standard deviation there."""
    place, curvature = math.log(shape / exposure), shape
    for _ in range(100):
        rate = math.exp(place)
        slope, curvature = shape - exposure * rate, exposure * rate
        for weight, days in expired:
            x = min(rate * days, 700.0)
            part = x / math.expm1(x)
            slope += weight * part
            curvature += weight * part * (x + part - 1)
        step = max(-1.0, min(1.0, slope / curvature))
        place += step
        if abs(step) < 1e-9:  # noqa: PLR2004 - far below what a half-life is shown to
            break
    return place, 1 / math.sqrt(curvature)


@dataclass(frozen=True, slots=True)
class Lesson:
    """A half-life learned from verdicts, with its evidence."""

    rate: Rate  # what is believed of the rate at which facts of the kind expire
    verdicts: int  # how many said anything about the fact
    expired: int  # how many of them found it expired
    quick: int = 0  # how many were given in under a second and count little

    @property
    def half_life_days(self) -> float:
        """What the verdicts suggest."""
        return self.rate.half_life_days

    def __str__(self) -> str:
        """Return it as people read it: `41 d from 23 verdicts`."""
        return f"{self.half_life_days:.0f} d from {counted(self.verdicts, 'verdict')}"


def lesson_from(own: Sequence[Span], default_days: float, others: Sequence[Span] = ()) -> Lesson:
    """Return what verdicts on one kind teach, with those on other kinds where it has few.

    The prior is the default, moved as far as the other kinds turned out to expire faster or slower than theirs. The
    result stays within a factor of the default that grows with the evidence, so that a few verdicts cannot lead far.

    Args:
        own: the verdicts on this kind.
        default_days: its half-life without evidence.
        others: the verdicts on other kinds, their days as multiples of the default half-life of their kind.
    """
    pace = posterior(Rate.around(1.0), others).half_life_days
    rate = posterior(Rate.around(default_days * min(FURTHEST, max(1 / FURTHEST, pace))), own)
    weight = math.fsum(one.weight for one in own) + OTHERS_WEIGHT * math.fsum(one.weight for one in others)
    limit = min(FURTHEST, 1 + weight / VERDICTS_TO_DOUBLE)
    days = min(default_days * limit, max(default_days / limit, rate.half_life_days))
    days = min(LONGEST_HALF_LIFE, max(SHORTEST_HALF_LIFE, days))
    quick = sum(one.weight < 1 for one in own)
    return Lesson(Rate.around(days, rate.shape), len(own), sum(not one.held for one in own), quick)


def snoozes_of(memory: Memory, verdicts: Iterable[Verdict]) -> int:
    """Return how often a memory was snoozed since it was last verified, of the verdicts on it."""
    since = memory.verified_at
    return sum(one.verdict == SNOOZED and (since is None or one.at > since) for one in verdicts)


def lessons_by_kind(verdicts: Iterable[Verdict], kind_of: Mapping[str, str], kinds: Kinds) -> dict[str, Lesson]:
    """Return what verdicts teach per kind; kinds without telling verdicts are left out.

    `kind_of`: kind by memory id; verdicts on other memories are ignored.
    """
    by_kind: dict[str, list[Span]] = {}
    for verdict, weight in _weighed(verdicts):
        kind = kind_of.get(verdict.memory_id)
        if kind is not None and verdict.verdict in HELD | REFUTING:
            span = Span(max(0.0, verdict.exposure_days), verdict.verdict in HELD, weight)
            by_kind.setdefault(kind, []).append(span)
    default = {kind: kinds.get(kind).half_life_days for kind in by_kind}
    shares = {
        kind: [Span(one.days / default[kind], one.held, one.weight) for one in spans] for kind, spans in by_kind.items()
    }
    return {
        kind: lesson_from(spans, default[kind], [one for other in shares if other != kind for one in shares[other]])
        for kind, spans in sorted(by_kind.items())
    }


def _weighed(verdicts: Iterable[Verdict]) -> Iterable[tuple[Verdict, float]]:
    """Yield verdicts with how much they count, the oldest first."""
    last: dict[str, datetime] = {}
    for verdict in sorted(verdicts, key=lambda one: one.at):
        before = last.get(verdict.actor)
        last[verdict.actor] = verdict.at
        is_quick = before is not None and (verdict.at - before).total_seconds() < QUICK_SECONDS
        yield verdict, QUICK_WEIGHT if is_quick else 1.0
