"""Lessons that are said twice."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from memtui.analysis.duplicates import likeness
from memtui.analysis.text_features import Wording
from memtui.capture.lessons.exchange import stems
from memtui.capture.lessons.proposal import Evidence, LessonSignal, Proposal

ALIKE = 0.6  # Likeness of two insights from which they are one
_CONTAINED = 0.8
_LEAST_TERMS = 4
_SAID = frozenset(
    {
        LessonSignal.CORRECTION,
        LessonSignal.REPEATED_CORRECTION,
        LessonSignal.REJECTED_TOOL,
        LessonSignal.STANDING_RULE,
        LessonSignal.REMEMBER,
    }
)


def same_lesson(one: Proposal, other: Proposal) -> bool:
    """Return whether two proposals teach the same."""
    if one.quote == other.quote:
        return True
    mine, theirs = stems(one.quote), stems(other.quote)
    least = min(len(mine), len(theirs))
    if not mine & theirs or len(mine & theirs) * 3 < least:
        return False
    if least >= _LEAST_TERMS and len(mine & theirs) / least >= _CONTAINED:
        return True
    return likeness(_wording(one.quote), _wording(other.quote)) >= ALIKE


@lru_cache(1_024)
def _wording(text: str) -> Wording:
    return Wording(text)


def joined(first: Proposal, again: Proposal) -> Proposal:
    """Return one proposal for what was said twice, in the earlier words, with the places of both."""
    both = first.signal in _SAID and again.signal in _SAID
    more = (Evidence(again.place, again.quote, again.at, again.session), *again.evidence)
    evidence = (*first.evidence, *(each for each in more if each not in first.evidence))
    return replace(
        first,
        signal=LessonSignal.REPEATED_CORRECTION if both else first.signal,
        score=round(min(0.99, max(first.score, again.score) + 0.1), 3),
        evidence=evidence,
        files=tuple(dict.fromkeys((*first.files, *again.files))),
    )
