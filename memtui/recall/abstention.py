"""Whether anything in the vault answers a task, judged on raw evidence before anything is normalised.

A logistic rule of three signals, none of which is enough alone: how closely the memories in view surround the task,
the share of the query's weight that the best memory matches, and how much the nearest memories say the same, since five
that do are no five witnesses. `tests/bench/test_bench_calibration.py` fits it on some questions and judges others.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

CLOSENESS = 25.0
COVERAGE = 2.0
SAMENESS = 3.5
LEAST = 1.65
"""Coefficients of the three signals, and what they must come to. Keeps all of the answerable questions in words of the
vault and 94% of those in other words, and refuses 0.56 of the foreign ones; 0.68 within one project."""

REACH = 0.05
"""Cosine by which a memory has to be nearer to weigh e times as much; with 0.04 and 0.06 the same is refused within
0.03. The nearest memory alone, with a term for their number, refuses 0.05 to 0.2 less in vaults of other sizes."""

NEAREST = 60
"""Memories that count by their own cosine; the others count as the average of the vault."""

FEWEST = 5
"""A vault of fewer is filled up with memories at the background. Against one memory alone 25% of the foreign questions
are near enough without that, 10% with it, and of the questions in other words 99% and 91%."""

MOST = 700
"""Among more memories than this more of them raise the bar no further: without a bound 0.89 of the sample's questions
are kept among 1,351 memories, with it 0.94."""

WITNESSES = 5
"""Nearest memories that are compared with each other."""

WORDS_ALONE = 0.8
"""Coverage that is an answer whatever the meaning: identifiers, error codes, and scripts that the model cannot read."""

CONFIDENT = 2.0
"""Margin from which the text of a task counts in full beside its files; a vague one counts proportionally less."""

LIKELY = 1.0
"""Margin from which a search is taken to have an answer, where words alone do not say so. A query without one word of
the vault comes to 0.3 and 0.8 by chance (`zzzqqq`, `qwerty`). Of the sample's questions that find anything it keeps
all in words of the vault, 100 of 115 in other words, and 18 of 45 that nothing answers; with 0.5 it keeps 110 and 21
of the last two."""

LEAST_TRUST = 0.25


@dataclass(frozen=True, slots=True)
class Signals:
    """What speaks for an answer and against one.

    Attributes:
        close: how closely the memories surround the task, a cosine.
        coverage: share of the query's weight that the best memory matches, 0–1.
        same: how much the nearest memories say the same, a cosine.
    """

    close: float
    coverage: float
    same: float


def closeness(cosines: Collection[float], background: float, count: int) -> float:
    """Return how closely memories surround a task: a mean of their cosines in which the nearest weigh most.

    It is the logarithm of the density that a kernel of von Mises and Fisher with concentration 1 / `REACH` estimates at
    the task, in units of a cosine.

    Args:
        cosines: of memories that may be shown with the task, the nearest of all among them.
        background: mean cosine of the task with every memory.
        count: how many memories are in view.
    """
    near = heapq.nlargest(NEAREST, cosines)
    if not near:
        return background
    among = max(FEWEST, len(near), min(MOST, count))
    whole = math.fsum(math.exp(cosine / REACH) for cosine in near)
    whole += (among - len(near)) * math.exp(background / REACH)
    return REACH * math.log(whole / among)


def sameness(cosines: Mapping[str, float], like: Callable[[str, str], float]) -> float:
    """Return the mean cosine of each two of the nearest memories; 0 if there is but one.

    Args:
        cosines: with the task, by id.
        like: returns the cosine of two memories.
    """
    near = heapq.nsmallest(WITNESSES, cosines, key=lambda one: (-cosines[one], one))
    pairs = [like(one, other) for place, one in enumerate(near) for other in near[place + 1 :]]
    return math.fsum(pairs) / len(pairs) if pairs else 0.0


def margin(signals: Signals) -> float:
    """Return how clearly the vault answers a task: below 0 nothing is relevant."""
    if signals.coverage >= WORDS_ALONE:
        return CONFIDENT
    return CLOSENESS * signals.close + COVERAGE * signals.coverage - SAMENESS * signals.same - LEAST


def trust(found: float) -> float:
    """Return how much the text counts beside files, 0–1, from the margin."""
    return min(1.0, max(LEAST_TRUST, found / CONFIDENT))
