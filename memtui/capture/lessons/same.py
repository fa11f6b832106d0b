"""Lessons that are said twice."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache

from memtui.analysis.duplicates import likeness
from memtui.analysis.text_features import Wording
from memtui.capture.lessons.exchange import stems
from memtui.capture.lessons.polarity import opposed
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


def joined(first: Proposal, again: Proposal, *, is_copy: bool = False) -> Proposal:
    """Return one proposal for what was said twice, in the earlier words, with the places of both.

    `is_copy`: whether it was only pasted or sent again, which shows nothing.
    """
    both = not is_copy and first.signal in _SAID and again.signal in _SAID
    more = (Evidence(again.place, again.quote, again.at, again.session), *again.evidence)
    evidence = (*first.evidence, *(each for each in more if each not in first.evidence))
    return replace(
        first,
        signal=LessonSignal.REPEATED_CORRECTION if both else first.signal,
        score=round(min(0.99, max(first.score, again.score) + 0.1 * (not is_copy)), 3),
        evidence=evidence,
        files=tuple(dict.fromkeys((*first.files, *again.files))),
    )


def said_twice(sure: Sequence[Proposal], unsure: Sequence[Proposal]) -> list[Proposal]:
    """Return what is sure, and of what is not what a person said in two places of a session, each joined."""
    found, waiting = list(sure), list[Proposal]()
    for one in unsure:
        at = next((at for at, other in enumerate(found) if _is_repeated(other, one)), None)
        if at is not None:
            found[at] = joined(found[at], one)
        elif (first := next((other for other in waiting if _is_repeated(other, one)), None)) is not None:
            found.append(joined(first, one))
            waiting.remove(first)
        else:
            waiting.append(one)
    return found


def _is_repeated(first: Proposal, again: Proposal) -> bool:
    return first.signal in _SAID and first.quote != again.quote and same_lesson(first, again)


CONTAINED = 0.72  # Share of the words of the shorter text in the longer from which they say the same
LEAST_TERMS = 4  # Words of the shorter text that this takes


def share(mine: frozenset[str], theirs: frozenset[str]) -> float:
    """Return which share of the words of the shorter of two texts stands in the longer."""
    return len(mine & theirs) / max(1, min(len(mine), len(theirs)))


def says_the_same(one: str, mine: frozenset[str], other: str, theirs: frozenset[str]) -> bool:
    """Return whether the shorter of two texts stands in the longer, and neither denies the other."""
    if min(len(mine), len(theirs)) < LEAST_TERMS:
        return False
    return share(mine, theirs) >= CONTAINED and not opposed(one, other)


def lines_of(text: str) -> Iterator[str]:
    """Yield the lines of a file of rules that say something."""
    for line in text.splitlines()[:_MOST_LINES]:
        if line.strip() and not line.lstrip().startswith(("#", "<!--", "```")):
            yield line


def stated_in(proposal: Proposal, texts: Iterable[str]) -> bool:
    """Return whether a line of some rules says what a proposal says."""
    mine = stems(proposal.quote)
    return any(says_the_same(proposal.quote, mine, line, stems(line)) for text in texts for line in lines_of(text))


_MOST_LINES = 4_000
