"""What a user relies on when a score is explained: it is exactly the parts that are shown."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from recall_story import NOON, days_ago, link, memory

from memtui.config import RecallSettings
from memtui.domain.freshness import freshness, multiplier, usefulness
from memtui.domain.kinds import Kinds
from memtui.domain.memory import Anchor, Memory, Signal
from memtui.domain.reasons import Reason, ReasonCode
from memtui.recall.result import Part, combine
from memtui.recall.scoring import (
    GONE_FACTOR,
    NEIGHBOUR_SHARE,
    SUCCESSION_SHARE,
    freshness_part,
    gone_part,
    importance_part,
    neighbour_shares,
    neighbours_part,
    standing_hit,
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


def test_relations_pass_a_share_both_ways() -> None:
    links = [link("a", "relates", "b"), link("c", "derived-from", "a")]
    shares = neighbour_shares(links, {"a": 0.8})
    assert {name: round(offer.share, 6) for name, offer in shares.items()} == {
        "b": round(0.8 * NEIGHBOUR_SHARE, 6),
        "c": round(0.8 * NEIGHBOUR_SHARE, 6),
    }


def test_who_asks_for_a_replaced_memory_gets_its_replacement_and_not_the_reverse() -> None:
    links = [link("new", "supersedes", "old")]
    assert neighbour_shares(links, {"old": 1.0})["new"].share == SUCCESSION_SHARE
    assert neighbour_shares(links, {"new": 1.0}) == {}


def test_a_weak_hit_passes_nothing_on() -> None:
    assert neighbour_shares([link("a", "relates", "b")], {"a": 0.49}) == {}


def test_contradictions_and_duplicates_pass_nothing_on() -> None:
    assert neighbour_shares([link("a", "contradicts", "b"), link("a", "duplicates", "c")], {"a": 1.0}) == {}


def test_many_links_do_not_add_up() -> None:
    links = [link("a", "relates", "hub"), link("b", "relates", "hub")]
    offer = neighbour_shares(links, {"a": 0.6, "b": 0.9})["hub"]
    assert (offer.seed, offer.share) == ("b", 0.9 * NEIGHBOUR_SHARE)
    reason = neighbours_part(offer).reason
    assert (reason.other, reason.link) == ("b", "relates")


def test_a_relation_lifts_nothing_above_the_hit_that_it_comes_from() -> None:
    links = [link("a", "relates", "b"), link("new", "supersedes", "a")]
    shares = neighbour_shares(links, {"a": 0.8}, {"a": 0.8, "b": 0.7})
    assert 0 < shares["b"].share < 0.1
    assert shares["new"].share == 0.8 * SUCCESSION_SHARE
    assert "b" not in neighbour_shares(links, {"a": 0.8}, {"a": 0.8, "b": 0.79})


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
