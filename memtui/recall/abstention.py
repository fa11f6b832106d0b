"""Whether anything in the vault answers a task, judged on raw evidence before anything is normalised.

A logistic rule of three signals, none of which is enough alone: the cosine of the nearest memory, the share of the
query's weight that the best memory matches, and how many memories there are, since the nearest of many is nearer by
chance. Fitted on the queries of four sets against the memories of the others, and measured on all (RESULTS.md).
"""

from __future__ import annotations

import math

NEAREST = 15.0
COVERAGE = 1.5
COUNT = 0.5
LEAST = 0.8
"""Coefficients of the nearest cosine, of coverage and of the logarithm of the count, and what they must come to. Keeps
all of the answerable questions in words of the vault and 93% of those in other words, and refuses half of the foreign
ones."""

LARGEST = 20_000
"""Above so many memories more of them raise the bar no further; there is no set to measure it on."""

WORDS_ALONE = 0.8
"""Coverage that is an answer whatever the meaning: identifiers, error codes, and scripts that the model cannot read."""

CONFIDENT = 2.0
"""Margin from which the text of a task counts in full beside its files; a vague one counts proportionally less."""

LEAST_TRUST = 0.25


def margin(nearest: float, coverage: float, count: int) -> float:
    """Return how clearly the vault answers a task: below 0 nothing is relevant.

    Args:
        nearest: cosine of the nearest memory that may be shown.
        coverage: share of the query's weight that the best memory matches, 0–1.
        count: how many memories have a vector.
    """
    if coverage >= WORDS_ALONE:
        return CONFIDENT
    return NEAREST * nearest + COVERAGE * coverage - COUNT * math.log(min(LARGEST, max(1, count))) - LEAST


def trust(found: float) -> float:
    """Return how much the text counts beside files, 0–1, from the margin."""
    return min(1.0, max(LEAST_TRUST, found / CONFIDENT))
