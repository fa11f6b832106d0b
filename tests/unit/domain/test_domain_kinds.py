"""Kinds and importance: small rules that every face relies on."""

from __future__ import annotations

import pytest

from memtui.domain.freshness import multiplier
from memtui.domain.kinds import DEFAULT_KINDS, Kind, Kinds


def test_the_kinds_and_half_lives_of_the_design() -> None:
    assert {name: kind.half_life_days for name, kind in DEFAULT_KINDS.items()} == {
        "constraint": 270,
        "decision": 365,
        "bug-pattern": 180,
        "architecture": 365,
        "convention": 270,
        "tooling": 90,
        "lesson": 180,
        "note": 7,
    }


def test_every_kind_has_a_tier_and_every_tier_a_kind() -> None:
    assert {kind.tier for kind in DEFAULT_KINDS.values()} == {"semantic", "procedural", "episodic", "working"}


def test_own_kinds_come_after_the_built_in_ones_and_may_change_them() -> None:
    kinds = Kinds([Kind("runbook", "procedural", 30), Kind("note", "working", 3)])
    assert kinds.names() == (*DEFAULT_KINDS, "runbook")
    assert kinds.get("note").half_life_days == 3
    assert "runbook" in kinds
    assert "runbook" not in Kinds()


def test_an_unknown_kind_behaves_like_a_lesson_and_keeps_its_name() -> None:
    assert Kinds().get("gone") == Kind("gone", "episodic", 180)


def test_importance_spans_from_08_to_125_and_three_changes_nothing() -> None:
    assert [multiplier(level) for level in (1, 3, 5)] == [0.8, 1.0, 1.25]
    assert multiplier(2) < 1 < multiplier(4)


@pytest.mark.parametrize(("given", "same_as"), [(0, 1), (-7, 1), (6, 5), (99, 5)])
def test_importance_outside_the_scale_counts_as_its_end(given: int, same_as: int) -> None:
    assert multiplier(given) == multiplier(same_as)


def test_the_configuration_beats_the_vault_which_beats_the_default() -> None:
    kinds = Kinds([Kind("tooling", "procedural", 44.0), Kind("runbook", "procedural", 120.0)])
    kinds.take_stored({"tooling": 30.0, "note": 14.0, "lesson": 100.0, "unheard-of": 5.0})
    days = {name: kinds.get(name).half_life_days for name in ("tooling", "note", "decision", "unheard-of", "other")}
    assert days == {"tooling": 44.0, "note": 14.0, "decision": 365.0, "unheard-of": 5.0, "other": 100.0}
    assert [kinds.origin(name) for name in ("tooling", "note", "decision")] == ["config", "vault", "default"]
    assert kinds.without_stored().get("note").half_life_days == 7.0
    assert kinds.without_stored().get("runbook").half_life_days == 120.0
    supposed = kinds.with_half_lives({"tooling": 1.0, "note": 2.0})
    supposed.take_stored({"note": 90.0})
    assert [supposed.get(name).half_life_days for name in ("tooling", "note")] == [1.0, 2.0]
    assert kinds.get("note").half_life_days == 14.0
    kinds.take_stored({})
    assert kinds.get("note").half_life_days == 7.0
