"""Sentences about the chance that a memory matters for a task, and where it comes from."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from memtui.curate.explain_payload import Explained
from memtui.domain.reasons import UNFOUND, VAULT, Reason
from memtui.pack.grounds import WORDS_AND_MEANING, Grounds
from memtui.pack.relevance import ALONE, FIRST, WITH_FILES
from memtui.text.words import percent


def chance_words(chance: float) -> str:
    """Say how likely it is that a memory matters for a task."""
    return f"a chance of {percent(chance)} that it matters"


def too_unlikely(reason: Reason) -> str | None:
    """Say of what a chance is too low: of all memories, or of one behind the likeliest; None for one by itself."""
    if reason.unit == VAULT:
        return "no memory is likely enough"
    return f"behind {reason.number} likelier memories" if reason.number else None


def needed_words(reason: Reason, least: float) -> str:
    """Say the chance that would have been needed."""
    if reason.unit == VAULT:
        return f"{least:.0%} is needed before any goes in"
    if reason.unit == UNFOUND:
        return f"{least:.0%} is needed, as a search would not find it"
    return f"for a further one {least:.0%} is needed" if reason.number else f"{least:.0%} is needed"


def limits_words(*, has_files: bool) -> str:
    """Say by which rule a memory is left out while tokens are left, and what brings it in."""
    steps = WITH_FILES if has_files else ALONE
    nearer = "a task that says more of it" + ("" if has_files else ", or names its files,")
    return (
        "Free tokens are not filled up with what is unlikely to matter, as it distracts an assistant. For a task"
        f" {'with' if has_files else 'without'} files, each of the {FIRST} likeliest memories needs a chance of"
        f" {steps.first:.0%}, any other {steps.more:.0%}; if none reaches {steps.of_best:.0%}, none goes in."
        f" space adds this memory all the same; {nearer} raises its chance."
    )


def nothing_likely(reason: Reason) -> str | None:
    """Say that no memory is likely to matter, and the best chance; None where that is not known."""
    if reason.score is None or reason.bar is None:
        return None
    chances = f"the best chance is {percent(reason.score)}; {reason.bar:.0%} is needed"
    return f"no memory is likely to matter for this task ({chances})"


def grounds_words(found: Grounds) -> str:
    """Return what speaks for a memory and against it: `for it: its words and meaning; against it: the kind of work`."""
    against = [_BESIDE_OTHERS.get(group, group) for group in found.against]
    sides = (("for it", found.speaking_for), ("against it", against))
    return "; ".join(f"{side}: {', '.join(groups)}" for side, groups in sides if groups)


_BESIDE_OTHERS = {WORDS_AND_MEANING: "others are closer in words and meaning"}
"""What is against a memory that has some of what it lacks beside others, and is told for that, too."""


def apart_from_score(found: Grounds, score: float) -> str:
    """Return that a chance does not come from a score that is next to nothing; empty where the score says something."""
    if score >= LEAST_SCORE:
        return ""
    alone = "" if found.speaking_for else ", and no single one of these is decisive"
    return (
        f"its score of {score:.3f} measures search alone; the chance also takes into account the files being"
        f" edited, its folder and source, the kind of work, its kind and wording{alone}"
    )


LEAST_SCORE = 0.05  # Below it nobody would think that a memory matters by its score


def chance_lines(found: Explained) -> Iterator[str]:
    """Yield how likely a memory is to matter, where its reason does not say it, and where that comes from."""
    if found.chance is not None and found.chance != found.reason.score:
        yield chance_words(found.chance)
    if told := grounds_words(found.grounds):
        yield told
    if found.chance is None or found.included is None:
        return
    if apart := apart_from_score(found.grounds, found.included.hit.score):
        yield apart


CHANCE_DIGITS = 4  # Digits of a chance in JSON


def chance_record(chance: float | None, needed: float | None, found: Grounds) -> dict[str, Any]:
    """Return the chance that a memory matters, the one that it needs, and where that comes from, for `--json`.

    The chances are null where none was judged: without a task in words, or where the memory is out of view.
    """
    return {
        "chance": None if chance is None else round(chance, CHANCE_DIGITS),
        "needed": needed,
        "grounds": {"for": list(found.speaking_for), "against": list(found.against)},
    }
