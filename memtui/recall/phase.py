"""The phase of the work, guessed from the task's words, and the kinds that each phase favours."""

from __future__ import annotations

import re
from collections.abc import Mapping

from memtui.domain.reasons import Reason, ReasonCode
from memtui.errors import UsageError
from memtui.recall.result import Part

PHASES = ("plan", "implement", "debug", "review", "refactor", "test", "release")

_READ_CHARACTERS = 2_000
"""Characters of a task that the phase is guessed from: what is to be done stands at the start."""

_CUES: Mapping[str, str] = {
    "plan": "plan plans planning design designing decide choose evaluate compare propose roadmap rfc adr estimate"
    " spec approach tradeoff tradeoffs",
    "implement": "implement implementing add adding build building create creating make introduce"
    " integrate wire extend enable",
    "debug": "debug debugging fix fixing bug bugs crash crashes crashing error errors fail fails failing failed"
    " failure broken wrong why investigate reproduce traceback exception hang hangs flaky leak deadlock timeout"
    " diagnose regression slow",
    "review": "review reviewing audit critique inspect feedback approve pr",
    "refactor": "refactor refactoring rename renaming extract restructure simplify cleanup deduplicate move moving"
    " split decouple rewrite modularise modularize tidy",
    "test": "test tests testing tested coverage fixture fixtures mock mocks pytest unittest assertion assertions e2e"
    " snapshot",
    "release": "release releasing deploy deploying deployment ship shipping publish rollout rollback changelog"
    " bump migrate",
}
_PHASE_OF = {word: phase for phase, words in _CUES.items() for word in words.split()}
_WORD = re.compile(r"[a-z0-9]+")

_FIRST_CUE_BONUS = 1.5
"""The first cue is mostly the verb of the task ("write tests for the fix"); it outweighs one later word."""

_PREFERENCES: Mapping[str, Mapping[str, float]] = {
    "plan": {
        "decision": 1.25, "architecture": 1.25, "constraint": 1.15, "lesson": 1.05, "convention": 0.9,
        "bug-pattern": 0.85, "tooling": 0.8, "note": 0.9,
    },
    "implement": {
        "constraint": 1.2, "convention": 1.2, "architecture": 1.1, "decision": 1.1, "bug-pattern": 1.05,
        "lesson": 1.05, "tooling": 0.9, "note": 0.85,
    },
    "debug": {
        "bug-pattern": 1.25, "lesson": 1.2, "tooling": 1.05, "architecture": 1.0, "constraint": 1.0,
        "decision": 0.9, "convention": 0.8, "note": 1.0,
    },
    "review": {
        "constraint": 1.25, "convention": 1.25, "bug-pattern": 1.1, "decision": 1.05, "architecture": 1.05,
        "lesson": 1.0, "tooling": 0.8, "note": 0.8,
    },
    "refactor": {
        "architecture": 1.25, "convention": 1.2, "constraint": 1.15, "decision": 1.1, "lesson": 1.0,
        "bug-pattern": 1.0, "tooling": 0.85, "note": 0.8,
    },
    "test": {
        "tooling": 1.2, "bug-pattern": 1.2, "convention": 1.15, "constraint": 1.1, "lesson": 1.05,
        "architecture": 0.9, "decision": 0.9, "note": 0.85,
    },
    "release": {
        "tooling": 1.25, "constraint": 1.15, "lesson": 1.1, "convention": 1.05, "decision": 0.95,
        "architecture": 0.9, "bug-pattern": 0.95, "note": 0.9,
    },
}  # fmt: skip


def guess_phase(text: str) -> str | None:
    """Return the phase that a task's words speak of, or None if they speak of none."""
    points: dict[str, float] = {}
    for word in _WORD.findall(text[:_READ_CHARACTERS].lower()):
        phase = _PHASE_OF.get(word)
        if phase is not None:
            points[phase] = points.get(phase, 0.0) + (1.0 if points else _FIRST_CUE_BONUS)
    # Of phases with equal points the first named one wins, because dictionaries keep their order.
    return max(points, key=lambda phase: points[phase], default=None)


def check_phase(name: str) -> str:
    """Return the name if it is a phase.

    Raises:
        UsageError: it is none; the message lists them.
    """
    if name in PHASES:
        return name
    raise UsageError("There is no such phase", where=name, remedy=f"The phases are {', '.join(PHASES)}.")


def kind_part(kind: str, phase: str | None, *, guessed: bool) -> Part:
    """Return the factor, 0.8–1.25, by which a phase favours a kind; 1.0 for kinds of the user's own."""
    reason = Reason(ReasonCode.KIND, names=(kind,) if phase is None else (kind, phase), number=int(guessed))
    return Part("kind", 1.0 if phase is None else _PREFERENCES[phase].get(kind, 1.0), reason)
