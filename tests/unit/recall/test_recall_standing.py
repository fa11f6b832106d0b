"""The standing value: what a memory is worth without a task."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from memtui.config import RecallSettings
from memtui.domain.freshness import freshness
from memtui.domain.kinds import Kinds
from memtui.domain.memory import Anchor, Memory, Signal
from memtui.domain.usefulness import multiplier, usefulness
from memtui.recall.scoring import standing_hit

NOW = datetime(2026, 6, 1, tzinfo=UTC)
KINDS = Kinds()
SETTINGS = RecallSettings()


def test_it_is_freshness_times_usefulness_times_importance() -> None:
    at = NOW - timedelta(days=100)
    memory = Memory(id="m0000001", title="T", insight="I", importance=5, created_at=at, updated_at=at)
    signals = [Signal(memory_id=memory.id, signal="helped", at=NOW, actor="person")]
    hit = standing_hit(memory, signals, {}, settings=SETTINGS, kinds=KINDS, now=NOW)
    fresh = freshness(memory, NOW, KINDS) ** SETTINGS.freshness_weight
    assert hit.score == pytest.approx(fresh * usefulness(signals, NOW) * multiplier(5))
    assert [part.name for part in hit.parts] == ["no task", "freshness", "usefulness", "importance"]


def test_files_that_are_all_gone_count_as_in_a_search() -> None:
    memory = Memory(id="m0000001", title="T", insight="I", anchors=(Anchor("a.py"),), created_at=NOW, updated_at=NOW)
    there = standing_hit(memory, (), {"a.py": "fresh"}, settings=SETTINGS, kinds=KINDS, now=NOW)
    gone = standing_hit(memory, (), {"a.py": "gone"}, settings=SETTINGS, kinds=KINDS, now=NOW)
    assert gone.score < there.score
    assert gone.parts[-1].name == "files gone"
