"""The score of a memory without a task: freshness × usefulness × importance."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from memtui.config import RecallSettings
from memtui.domain.kinds import Kinds
from memtui.domain.memory import Memory, Signal
from memtui.domain.reasons import Reason, ReasonCode
from memtui.recall import score
from memtui.recall.result import Hit
from memtui.recall.score import Part

_NO_TASK = Reason(ReasonCode.NO_TASK)


def standing_hit(
    memory: Memory,
    signals: Sequence[Signal],
    states: dict[str, str],
    *,
    settings: RecallSettings,
    kinds: Kinds,
    now: datetime,
) -> Hit:
    """Return a memory with its standing value: nothing is asked, so every memory is as relevant as any other.

    Args:
        signals: what happened to it in use.
        states: last known state per anchor path.
        kinds: the kinds in force.
        now: the moment freshness is measured at.
    """
    parts = [
        Part("no task", 1.0, _NO_TASK, "term"),
        score.freshness_part(memory, now, kinds, settings.freshness_weight),
        score.usefulness_part(signals, now, kinds.hurt_weight),
        score.importance_part(memory),
    ]
    gone = score.gone_part(memory, states)
    if gone is not None:
        parts.append(gone)
    relevance, total = score.combine(parts)
    return Hit(memory, total, relevance, tuple(parts), (_NO_TASK,))
