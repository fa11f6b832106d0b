"""Memories that hold somewhere alone: left out where the task says that it is elsewhere, demoted where it seems so.

Of two that contradict each other a person may say that both hold, each for some files or in a phase of the work, see
`memtui.domain.holding`. Where the task names neither files nor a phase nothing is known, and both are recalled, each
saying where it holds.
"""

from __future__ import annotations

from memtui.domain.holding import limits_of
from memtui.domain.memory import Memory
from memtui.recall.anchors import strength
from memtui.recall.phase import PHASES
from memtui.recall.score import Part
from memtui.recall.task import Task
from memtui.recall.withholding import Reason

GROUP = "holds elsewhere"

GUESSED_ELSEWHERE = 0.5
"""Factor where the phase is only guessed to be another: half, so that an equal match which holds anywhere stands first
and a wrong guess hides nothing."""

_SHOWN = 3


def elsewhere(memory: Memory, task: Task) -> Reason | None:
    """Return why a memory does not hold for a task that names other files or another phase, else None."""
    if not memory.tags:
        return None
    paths, phases = _split(memory)
    if task.files and paths and not any(_is_for(path, file) for path in paths for file in task.files):
        return Reason(f"holds for {', '.join(paths[:_SHOWN])} only", GROUP)
    if task.phase is not None and phases and task.phase not in phases:
        return Reason(f"holds in phase {', '.join(phases)} only", GROUP)
    return None


def holding_part(memory: Memory, phase: str | None) -> Part | None:
    """Return the factor of a memory that holds in another phase than the one at hand, or None."""
    if phase is None or not memory.tags:
        return None
    phases = _split(memory)[1]
    if not phases or phase in phases:
        return None
    return Part("scope", GUESSED_ELSEWHERE, f"holds in phase {', '.join(phases)}; the task seems to be {phase}")


def _split(memory: Memory) -> tuple[list[str], list[str]]:
    """Return the paths and the phases that a memory is limited to."""
    limits = limits_of(memory)
    return [limit for limit in limits if limit not in PHASES], [limit for limit in limits if limit in PHASES]


def _is_for(path: str, file: str) -> bool:
    """Return whether a path, a folder, a pattern or the end of a path fits a file in hand."""
    return strength(path, file) > 0 or file.endswith(f"/{path}")
