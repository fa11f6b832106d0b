"""Whatever only one side changed is kept; what both changed is decided by rules, and never silently lost."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.sync.merge import merge_records

BASE = {
    "title": "Refunds are locked",
    "insight": "First line.\nSecond line.\nThird line.",
    "tags": ["billing", "refunds"],
    "anchors": [{"path": "shop/refund.py"}],
    "importance": 3,
    "verified_at": "2026-03-01T00:00:00Z",
    "verified_by": "person:ana",
    "source": {"format": "claude-md", "path": "CLAUDE.md", "native_id": "Refunds"},
}


def changed(**values: Any) -> dict[str, Any]:
    return {key: value for key, value in {**BASE, **values}.items() if value is not None}


@pytest.mark.parametrize(
    ("mine", "theirs", "merged"),
    [
        ({"importance": 5}, {"title": "Refunds lock"}, {"importance": 5, "title": "Refunds lock"}),
        (
            {"insight": "First line, mine.\nSecond line.\nThird line."},
            {"insight": "First line.\nSecond line.\nThird line, theirs."},
            {"insight": "First line, mine.\nSecond line.\nThird line, theirs."},
        ),
        (
            {"tags": ["billing", "mine"]},
            {"tags": ["billing", "refunds", "theirs"]},
            {"tags": ["billing", "theirs", "mine"]},
        ),
        (
            {"anchors": [{"path": "shop/refund.py"}, {"path": "shop/order.py"}]},
            {"anchors": [{"path": "shop/refund.py", "content_hash": "new"}]},
            {"anchors": [{"path": "shop/refund.py", "content_hash": "new"}, {"path": "shop/order.py"}]},
        ),
        (
            {"verified_at": "2026-05-01T00:00:00Z", "verified_by": "person:ben"},
            {"verified_at": "2026-04-01T00:00:00.5Z", "verified_by": "person:eve"},
            {"verified_at": "2026-05-01T00:00:00Z", "verified_by": "person:ben"},
        ),
        ({"rationale": "why"}, {"snippet": "code()"}, {"rationale": "why", "snippet": "code()"}),
        ({"tags": None}, {"importance": 1}, {"tags": None, "importance": 1}),
    ],
)
def test_changes_in_different_places_are_both_kept(
    mine: dict[str, Any], theirs: dict[str, Any], merged: dict[str, Any]
) -> None:
    result = merge_records(BASE, changed(**mine), changed(**theirs))
    assert result.record == changed(**merged)
    assert result.texts == result.overruled == ()


def test_the_teams_text_stands_where_both_wrote_the_same_line_and_mine_is_set_aside() -> None:
    mine = changed(title="Mine", importance=5, rationale="mine")
    merge = merge_records(BASE, mine, changed(title="Theirs"))
    assert merge.texts == ("title",)
    assert merge.record == changed(title="Theirs", importance=5, rationale="mine")
    assert merge.set_aside(mine) == mine


def test_the_teams_value_of_another_field_stands_and_is_reported() -> None:
    merge = merge_records(BASE, changed(importance=5), changed(importance=1))
    assert (merge.record["importance"], merge.overruled, merge.texts) == (1, ("importance",), ())


def test_without_a_common_state_nothing_is_taken_for_a_deletion() -> None:
    merge = merge_records(None, changed(tags=["mine"], insight="Mine."), changed(tags=["theirs"], rationale="theirs"))
    assert (merge.record["tags"], merge.record["rationale"]) == (["theirs", "mine"], "theirs")
    assert merge.texts == ("insight",)


def test_a_source_that_one_side_dropped_and_one_that_the_other_added_are_both_told() -> None:
    extra = {"format": "cursor", "path": ".cursor/rules/refund.mdc", "native_id": "Refunds"}
    merge = merge_records(BASE, changed(source=None), changed(other_sources=[extra]))
    assert merge.record["source"] == extra
    assert "other_sources" not in merge.record


_FIELDS: dict[str, st.SearchStrategy[Any]] = {
    "title": st.sampled_from(["Refunds are locked", "one", "two"]),
    "insight": st.lists(st.sampled_from(["a", "b", "c", "d"]), min_size=1, max_size=5).map("\n".join),
    "tags": st.lists(st.sampled_from(["billing", "refunds", "x", "y"]), unique=True, min_size=1),
    "importance": st.integers(1, 5),
    "verified_at": st.sampled_from(["2026-03-01T00:00:00Z", "2026-06-01T00:00:00Z"]),
    "snoozed_until": st.sampled_from([None, "2027-01-01T00:00:00Z"]),
}
_SIDES = st.fixed_dictionaries({}, optional=_FIELDS).map(lambda values: changed(**values))


@given(mine=_SIDES, theirs=_SIDES)
def test_a_side_that_changed_nothing_gets_all_of_the_other(mine: dict[str, Any], theirs: dict[str, Any]) -> None:
    assert merge_records(BASE, BASE, theirs).record == theirs
    assert merge_records(BASE, mine, BASE).record == mine


@given(mine=_SIDES, theirs=_SIDES)
def test_every_value_of_a_merge_was_written_by_one_side_or_is_reported(
    mine: dict[str, Any], theirs: dict[str, Any]
) -> None:
    merge = merge_records(BASE, mine, theirs)
    for name in ("title", "importance"):
        expected = mine.get(name) if theirs.get(name) == BASE.get(name) else theirs.get(name)
        assert merge.record.get(name) == expected
        if mine.get(name) not in (BASE.get(name), expected):
            assert name in (*merge.texts, *merge.overruled)
    lines = set(str(merge.record["insight"]).split("\n")) if "insight" not in merge.texts else set()
    added = set(str(mine["insight"]).split("\n")) - set(str(BASE["insight"]).split("\n"))
    assert not lines or added <= lines
