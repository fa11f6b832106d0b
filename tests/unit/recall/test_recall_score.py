"""What a user relies on when a score is explained: it is exactly the parts that are shown."""

from __future__ import annotations

import pytest
from recall_story import NOON, days_ago, memory

from memtui.domain.kinds import Kinds
from memtui.domain.memory import Signal
from memtui.domain.reasons import Reason, ReasonCode
from memtui.recall.result import Part, combine
from memtui.recall.scoring import (
    GONE_FACTOR,
    freshness_part,
    gone_part,
    importance_part,
    trusted_since,
    usefulness_part,
)

REASON = Reason(ReasonCode.NO_TASK)


def test_relevance_is_the_sum_of_terms_and_the_score_its_product_with_the_factors() -> None:
    parts = [
        Part("words", 0.5, REASON, "term"),
        Part("files", 0.7, REASON, "term"),
        Part("kind", 1.25, REASON),
        Part("age", 0.5, REASON),
    ]
    assert combine(parts) == (1.2, 0.75)


def test_a_memory_without_any_term_scores_nothing_however_good_its_factors() -> None:
    assert combine([Part("kind", 1.25, REASON)]) == (0.0, 0.0)


def test_freshness_counts_to_the_power_of_its_weight() -> None:
    old = memory("a", "A", kind="tooling", created_at=days_ago(90))
    assert freshness_part(old, NOON, Kinds(), 1.0).value == pytest.approx(0.525)
    assert freshness_part(old, NOON, Kinds(), 0.5).value == pytest.approx(0.525**0.5)
    assert freshness_part(old, NOON, Kinds(), 0.0).value == 1.0


def test_freshness_names_dates_and_no_ages() -> None:
    new, verified = memory("a", "A", created_at=days_ago(30)), memory("a", "A", verified_at=days_ago(12))
    assert trusted_since(new) == Reason(ReasonCode.NEVER_VERIFIED, date=days_ago(30))
    assert trusted_since(verified) == Reason(ReasonCode.VERIFIED, date=days_ago(12))
    assert trusted_since(memory("a", "A", pinned=True)) == Reason(ReasonCode.PINNED)


def test_what_helped_rises_and_what_hurt_falls() -> None:
    helped = Signal(memory_id="a", signal="helped", at=NOON, actor="person")
    hurt = Signal(memory_id="a", signal="hurt", at=NOON, actor="person")
    assert usefulness_part([helped], NOON).value > usefulness_part([], NOON).value > usefulness_part([hurt], NOON).value
    assert usefulness_part([helped, helped], NOON).reason.names == ("helped", "helped")


def test_importance_is_shown_as_it_was_set() -> None:
    part = importance_part(memory("a", "A", importance=5))
    assert (part.value, part.reason.number) == (1.25, 5)


@pytest.mark.parametrize(
    ("states", "demoted"),
    [
        ({"a.py": "gone", "b.py": "gone"}, True),
        ({"a.py": "gone", "b.py": "fresh"}, False),
        ({"a.py": "gone", "b.py": "unverifiable"}, True),
        ({"a.py": "gone"}, False),
        ({"a.py": "unverifiable", "b.py": "unverifiable"}, False),
        ({}, False),
    ],
)
def test_only_a_memory_whose_every_checked_file_is_gone_is_demoted(states: dict[str, str], demoted: bool) -> None:
    part = gone_part(memory("a", "A", files=("a.py", "b.py")), states)
    assert (part.value if part else None) == (GONE_FACTOR if demoted else None)
