"""Content hashes and ids: what counts as the same memory."""

from __future__ import annotations

import unicodedata
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.domain.causes import CAUSES, PASSED_OVER, REJECTED, RETIRED, WAITED_TOO_LONG, Cause, cause_from_words
from memtui.domain.combine import MOST_LINES, differences, merge_items, merge_lines
from memtui.domain.freshness import multiplier
from memtui.domain.kinds import DEFAULT_KINDS, Kind, Kinds
from memtui.domain.memory import ID_ALPHABET, Anchor, Memory, content_hash, hash_parts, new_id, normalise

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
MEMORY = Memory(
    id="a", title="Seed first", insight="Seed the database\nbefore the tests.", created_at=NOW, updated_at=NOW
)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"status": "active"}, "active"),
        ({"status": "retired", "status_reason": "rejected"}, "rejected"),
        ({"status": "retired", "status_reason": "too vague"}, "rejected: too vague"),
        ({"status": "retired", "status_reason": "expired"}, "rejected: expired"),
        ({"status": "retired", "status_reason": "retired", "cause": REJECTED}, "rejected: retired"),
        ({"status": "retired", "status_reason": "rejected", "cause": WAITED_TOO_LONG}, "expired: rejected"),
        ({"status": "retired", "status_reason": "a.md is out", "cause": PASSED_OVER}, "rejected: a.md is out"),
        ({"status": "retired", "status_reason": "moved on", "confirmed_at": NOW}, "retired: moved on"),
        ({"status": "superseded", "status_reason": ""}, "superseded"),
    ],
)
def test_only_what_was_in_use_is_called_retired(values: dict[str, Any], words: str) -> None:
    assert replace(MEMORY, **values).standing_words == words


@pytest.mark.parametrize("cause", CAUSES)
def test_what_put_a_memory_out_is_its_cause_whatever_the_reason_says(cause: Cause) -> None:
    for words in ("", *CAUSES, "a.md is never offered again"):
        out = MEMORY.put_out(cause, words)
        assert (out.put_out_by, out.was_rejected) == (cause, cause != WAITED_TOO_LONG)
        assert out.taken_up("active") == MEMORY


@pytest.mark.parametrize(
    ("reason", "was_in_use", "cause"),
    [
        ("expired", False, WAITED_TOO_LONG),
        ("expired", True, RETIRED),
        ("retired", False, RETIRED),
        ("rejected", False, REJECTED),
        ("too vague", False, REJECTED),
        ("docs/a.md is never offered again", False, PASSED_OVER),
    ],
)
def test_without_a_stated_cause_the_word_that_stood_for_it_counts(reason: str, was_in_use: bool, cause: str) -> None:
    assert cause_from_words(reason, was_in_use=was_in_use) == cause


@pytest.mark.parametrize(
    "written",
    [
        "Seed the database\r\nbefore the tests.",
        "Seed the database\rbefore the tests.",
        "Seed the database  \t\nbefore the tests.  ",
        "\n\nSeed the database\nbefore the tests.\n\n",
    ],
)
def test_line_ends_and_trailing_blanks_make_no_other_memory(written: str) -> None:
    assert content_hash(replace(MEMORY, insight=written)) == content_hash(MEMORY)


def test_composed_and_decomposed_letters_are_the_same() -> None:
    composed = unicodedata.normalize("NFC", "Cafe\u0301 für alle")
    assert hash_parts("t", composed) == hash_parts("t", unicodedata.normalize("NFD", composed))


@pytest.mark.parametrize(
    "other",
    [
        {"title": "Seed"},
        {"insight": "Seed the database\n  before the tests."},
        {"insight": "seed the database\nbefore the tests."},
        {"insight": "Seed the database\n\nbefore the tests."},
        {"rationale": "because"},
        {"snippet": "make seed"},
    ],
)
def test_another_text_is_another_content(other: dict[str, str]) -> None:
    assert content_hash(replace(MEMORY, **other)) != content_hash(MEMORY)  # type: ignore[arg-type]


def test_what_is_no_text_does_not_change_the_content() -> None:
    assert content_hash(replace(MEMORY, id="b", kind="note", tags=("x",), status="retired")) == content_hash(MEMORY)


def test_a_text_counts_in_its_own_field_alone() -> None:
    assert hash_parts("a", "b") != hash_parts("b", "a")
    assert hash_parts("a", "b", "c") != hash_parts("a", "b", "", "c")


@given(st.text())
def test_normalising_twice_changes_nothing(text: str) -> None:
    assert normalise(normalise(text)) == normalise(text)


@given(st.text(), st.text())
def test_any_text_has_a_hash(title: str, insight: str) -> None:
    assert len(hash_parts(title, insight)) == 32
    assert len(hash_parts(title, "\ud800" + insight)) == 32


def test_ids_are_twelve_letters_that_nobody_confuses() -> None:
    made = {new_id() for _ in range(500)}
    assert len(made) == 500
    assert all(len(name) == 12 and set(name) <= set(ID_ALPHABET) for name in made)
    assert not set("0189") & set(ID_ALPHABET)


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


AT = datetime(2026, 6, 1, tzinfo=UTC)
BASE = Memory(id="m1", title="Lock", insight="one\ntwo\nthree", created_at=AT, updated_at=AT, tags=("a", "b"))

LINES = st.lists(st.sampled_from(["", "a", "b", "c", "d"]), max_size=8)
TEXT = LINES.map("\n".join)


def test_changes_in_different_lines_both_come_in() -> None:
    merged = merge_lines("one\ntwo\nthree", "ONE\ntwo\nthree", "one\ntwo\nthree\nfour")
    assert (merged.text, merged.clashes) == ("ONE\ntwo\nthree\nfour", 0)


def test_the_same_line_changed_twice_is_a_clash_that_keeps_both() -> None:
    merged = merge_lines("TTL 30 s\nend", "TTL 45 s\nend", "TTL 90 s\nend")
    assert (merged.text, merged.clashes) == ("TTL 45 s\nTTL 90 s\nend", 1)


def test_a_line_taken_out_by_one_stays_out_beside_what_the_other_added() -> None:
    assert merge_lines("a\nb\nc\nd", "a\nc\nd", "a\nb\nc\nd\ne").text == "a\nc\nd\ne"


def test_texts_of_too_many_lines_are_kept_both() -> None:
    long = "\n".join(map(str, range(MOST_LINES + 1)))
    merged = merge_lines("x", long, "mine")
    assert merged.clashes == 1
    assert merged.text == f"{long}\nmine"


@given(TEXT, TEXT)
def test_a_side_that_changed_nothing_leaves_the_other_as_it_is(base: str, other: str) -> None:
    assert merge_lines(base, other, base).text == other
    assert merge_lines(base, base, other).text == other
    assert merge_lines(base, other, other).text == other


@given(TEXT, TEXT, TEXT)
def test_no_line_that_either_side_added_is_lost(base: str, theirs: str, mine: str) -> None:
    merged = merge_lines(base, theirs, mine)
    lines = merged.text.split("\n")
    added = (set(theirs.split("\n")) | set(mine.split("\n"))) - set(base.split("\n"))
    assert added <= set(lines)
    other = merge_lines(base, mine, theirs)
    assert merged.clashes == other.clashes
    if not merged.clashes:
        assert other.text == merged.text


@given(LINES.map(dict.fromkeys).map(tuple), LINES.map(dict.fromkeys).map(tuple), LINES.map(dict.fromkeys).map(tuple))
def test_merged_items_hold_what_either_added_and_none_that_either_took_out(
    base: tuple[str, ...], theirs: tuple[str, ...], mine: tuple[str, ...]
) -> None:
    merged = set(merge_items(base, theirs, mine))
    old, their, my = set(base), set(theirs), set(mine)
    assert merged == (old & their & my) | (their - old) | (my - old)


def test_only_fields_that_somebody_changed_differ_and_who_is_told() -> None:
    theirs = replace(BASE, title="Lock by payment", importance=5, tags=("a", "b", "c"), version=2)
    found = differences(BASE, theirs, {"title": "Lock refunds", "kind": "decision", "tags": ("a",), "importance": 5})
    told = {each.field: each.changed_by for each in found}
    assert told == {"title": "both", "kind": "mine", "tags": "both"}
    assert next(each.combined for each in found if each.field == "tags") == (("a", "c"), 0)
    assert next(each.combined for each in found if each.field == "title") is None


def test_a_file_that_was_only_looked_at_again_is_no_difference() -> None:
    base = replace(BASE, anchors=(Anchor("a.py", "1"),))
    assert differences(base, replace(base, anchors=(Anchor("a.py", "2"),)), {}) == []
