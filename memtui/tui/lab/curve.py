"""The curve of the Decay lab: how freshness falls, now and with what is tried."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from memtui.curate.decay import Knobs, Snapshot, days_text
from memtui.domain.freshness import crossing_days, decay
from memtui.tui.lab.trial import MEMORY, Trial
from memtui.tui.widgets.detail import DUE, Curve, memory_labels
from memtui.vault.review_triggers import Fading

START, WRITTEN = "verified", "written"  # The word at the start of the axis of time, and of what nobody verified
CURVE_STEPS = 160  # Points of a curve; a wide terminal has about so many columns for it


@dataclass(frozen=True, slots=True)
class _Line:
    """How freshness falls with one half-life, and at which ages in days it is at the threshold and a memory is due."""

    half_life: float
    floor: float
    crossing: float
    due: float

    def values(self, length: float) -> tuple[float, ...]:
        return tuple(
            decay(length * place / CURVE_STEPS, self.half_life, self.floor) for place in range(CURVE_STEPS + 1)
        )

    def words(self, beside: _Line | None = None) -> str:
        """Return the half-life of a kind, and after how many days unverified its memories are due.

        `beside`: the line that is told before it, whose floor need not be said again.
        """
        when = "never due" if self.due == math.inf else f"due after {days_text(self.due)}"
        if self.floor > 0 and self.half_life < self.due < math.inf:  # What is above the floor halves in a half-life
            is_said = beside is not None and beside.floor == self.floor
            when = f"due {days_text(self.due)}{'' if is_said else f' (floor {self.floor:g})'}"
        return f"{days_text(self.half_life)}, {when}"


def curve_of(
    snapshot: Snapshot, trial: Trial, project: str | None = None, *, due: Callable[[Knobs], str] | None = None
) -> Curve:
    """Return the curve of a kind since a verification, or of one memory with today; beside it the one that is tried.

    Args:
        project: the one project that a kind is shown in, None for those that have no half-life of their own.
        due: returns when the one memory is due, as it is said everywhere.
    """
    memory = _memory_of(snapshot, trial)
    knobs = trial.knobs
    threshold = snapshot.threshold if knobs.threshold is None else knobs.threshold

    def said(one: _Line, tried: Knobs, beside: _Line | None = None) -> str:
        return one.words(beside) if memory is None or due is None else f"{days_text(one.half_life)}, {due(tried)}"

    now, tried = (_line(snapshot, trial, project, each, threshold) for each in (Knobs(), knobs))
    verified = snapshot.kind(trial.subject).verified_days if memory is None else ()
    axis = _axis_of_kind(verified, now, tried) if memory is None else _axis_of_memory(memory, now, tried)
    is_later = memory is not None and memory.waited_days < memory.age_days
    curve = Curve(
        now.values(axis.length),
        None if memory is None else memory.age_days / axis.length,
        threshold,
        f"█ now {said(now, Knobs())}{' · since acceptance' if is_later else ''}",
        ticks=tuple(days / axis.length for days in axis.ticks if days <= axis.length),
        labels=tuple((days / axis.length, word) for days, word in axis.labels),
        line_word=DUE if memory is None else "",
    )
    if now == tried:
        return curve
    caption = f"{curve.caption} · • tried {said(tried, knobs, now)}"
    return replace(curve, caption=caption, supposed=tried.values(axis.length))


@dataclass(frozen=True, slots=True)
class _Axis:
    """The axis of time; all in days."""

    length: float
    ticks: Sequence[float]
    labels: tuple[tuple[float, str], ...]


def _axis_of_memory(memory: Fading, now: _Line, tried: _Line) -> _Axis:
    points = memory_labels(tried.crossing, tried.due, days_text)
    start = WRITTEN if memory.held_days is None else START
    return _axis(now, [days for days, _ in points], points, start, age=memory.age_days)


def _axis_of_kind(verified_days: Sequence[float], now: _Line, tried: _Line) -> _Axis:
    points = tuple((days, days_text(days)) for days in sorted({now.due, tried.due} - {math.inf}))
    return _axis(now, verified_days, points, START)


def _axis(
    now: _Line, ticks: Sequence[float], points: tuple[tuple[float, str], ...], start: str, age: float = 0.0
) -> _Axis:
    """Return an axis that has room for all points, two half-lives and the age of the memory."""
    last = max((days for days, _ in points), default=0.0)
    length = max(1.3 * last, 2.0 * now.half_life, 1.1 * age, 1.0)
    return _Axis(length, ticks, (*points, (0.0, start), (length, days_text(length))))


def _memory_of(snapshot: Snapshot, trial: Trial) -> Fading | None:
    return snapshot.memory(trial.memory_id or "") if trial.subject == MEMORY else None


def _line(snapshot: Snapshot, trial: Trial, project: str | None, tried: Knobs, threshold: float) -> _Line:
    memory = _memory_of(snapshot, trial)
    floor = snapshot.in_force.floor if tried.floor is None else tried.floor
    days = snapshot.half_life(memory, tried) if memory else snapshot.kind_half_life(trial.subject, project, tried)
    crossing = crossing_days(days, threshold, floor)
    begins, pace = (memory.age_days - memory.waited_days, memory.pace) if memory else (0.0, 1.0)
    return _Line(days, floor, crossing, math.inf if memory and memory.pinned else begins + pace * crossing)
