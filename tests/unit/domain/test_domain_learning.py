"""What verdicts teach about how long a kind's facts hold."""

from __future__ import annotations

import math
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.domain.freshness import learned_half_life, lesson_from, lessons_by_kind
from memtui.domain.kinds import Kinds
from memtui.domain.memory import Verdict

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def verdict(name: str, days: float, memory: str = "aaaaaaaa") -> Verdict:
    return Verdict(memory_id=memory, verdict=name, at=NOON, actor="person", exposure_days=days)


def test_without_evidence_the_default_holds() -> None:
    assert learned_half_life(180, exposure_days=0, expired=0) == pytest.approx(180)
    assert lesson_from([], 90).verdicts == 0


def test_the_formula_is_the_mean_of_the_gamma_posterior() -> None:
    found = learned_half_life(90, exposure_days=230, expired=5)
    assert found == pytest.approx(math.log(2) * (2 * 90 / math.log(2) + 230) / 7)


def test_what_held_lengthens_and_what_expired_shortens() -> None:
    held = lesson_from([verdict("still-true", 300), verdict("edited", 200)], 180)
    gone = lesson_from([verdict("outdated", 20), verdict("superseded", 10)], 180)
    assert gone.half_life_days < 180 < held.half_life_days
    assert (gone.expired, gone.exposure_days, held.expired) == (2, 30, 0)
    assert str(gone) == "95 d from 2 verdicts"


def test_snoozing_teaches_nothing_and_kinds_stay_apart() -> None:
    some = [verdict("snoozed", 90), verdict("outdated", 5, "bbbbbbbb"), verdict("still-true", 9, "unknown2")]
    found = lessons_by_kind(some, {"aaaaaaaa": "decision", "bbbbbbbb": "tooling"}, Kinds())
    assert list(found) == ["tooling"]


@given(st.floats(0.01, 1e6), st.floats(0, 1e9), st.integers(0, 10_000))
def test_a_learned_half_life_is_one_that_a_memory_may_have(default: float, exposure: float, expired: int) -> None:
    assert 0.01 <= learned_half_life(default, exposure_days=exposure, expired=expired) <= 1_000_000
