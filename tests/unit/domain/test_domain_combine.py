"""Two edits of one memory come together where they can, and nothing of either is lost."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from memtui.domain.combine import MOST_LINES, differences, merge_items, merge_lines
from memtui.domain.memory import Anchor, Memory

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
