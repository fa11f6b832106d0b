"""What git could not merge is nobody's rule."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.capture.collect import find, read
from memtui.capture.merge_conflicts import Unresolved, merge_conflicts

OURS, MIDDLE, THEIRS = "<<<<<<< HEAD", "=======", ">>>>>>> feature/berths"


def _found(*lines: str) -> list[tuple[int, int]]:
    return [(span.first, span.last) for span in merge_conflicts(lines)]


def test_a_conflict_lasts_from_the_first_marker_to_the_last() -> None:
    assert _found("a", OURS, "b", MIDDLE, "c", THEIRS, "d") == [(1, 5)]
    assert _found(OURS, "b", "||||||| 1a2b3c", "base", MIDDLE, "c", ">>>>>>>") == [(0, 6)]
    assert _found(OURS, MIDDLE, THEIRS, "", OURS, "x", MIDDLE, THEIRS) == [(0, 2), (4, 7)]


def test_what_is_left_of_a_conflict_is_one_too() -> None:
    assert _found("a", OURS, "b") == [(1, 1)]
    assert _found("a", OURS, "b", MIDDLE, "c", "d") == [(1, 5)]


@pytest.mark.parametrize(
    "lines",
    [
        ("Tides", MIDDLE),
        ("<<<<<<<<< x",),
        ("a <<<<<<< HEAD",),
        ("<<<<<<<HEAD",),
        ("=" * 9,),
        (THEIRS,),
        ("a", MIDDLE, "||||||| x"),
    ],
)
def test_other_lines_are_no_conflict(lines: tuple[str, ...]) -> None:
    assert _found(*lines) == []


@given(st.lists(st.sampled_from([OURS, MIDDLE, THEIRS, "||||||| base", "- a rule", ""]), max_size=12))
def test_every_marker_lies_in_a_conflict_and_none_overlaps(lines: list[str]) -> None:
    spans = merge_conflicts(lines)
    inside = [number for span in spans for number in range(span.first, span.last + 1)]
    assert len(inside) == len(set(inside))
    assert {number for number, line in enumerate(lines) if line[:1] == "<"} <= set(inside)
    assert all(lines[span.first] in {OURS, THEIRS} for span in spans)


def _read(
    folder: Path, text: str, name: str = "CLAUDE.md"
) -> tuple[list[str], list[tuple[tuple[int, int] | None, str]]]:
    (folder / name).write_text(text, "utf-8")
    collected = read(find(folder, root=folder, home=folder / "home"))
    drafts = [draft.insight for file in collected.files for draft in file.result.drafts]
    return drafts, [(gap.span, gap.reason) for gap in collected.skipped]


def test_the_rules_around_a_conflict_are_read_and_its_place_is_told(tmp_path: Path) -> None:
    conflict = f"{OURS}\n- Round up.\n{MIDDLE}\n- Round down.\n{THEIRS}"
    text = f"# Berths\n\n- Never assign two ships to a berth.\n\n{conflict}\n\n- Log every move.\n"
    assert _read(tmp_path, text) == (
        ["Never assign two ships to a berth.", "Log every move."],
        [((5, 9), Unresolved.CONFLICT)],
    )


def test_markers_in_a_code_block_are_an_example(tmp_path: Path) -> None:
    example = f"```\n{OURS}\na\n{MIDDLE}\nb\n{THEIRS}\n```"
    text = f"# Merging\n\nA conflict looks like this; resolve it before you commit:\n\n{example}\n"
    drafts, told = _read(tmp_path, text)
    assert THEIRS in "".join(drafts)
    assert told == []


@pytest.mark.parametrize(
    "head",
    [
        f"---\n{OURS}\npaths: a/**\n{MIDDLE}\npaths: b/**\n{THEIRS}\n---\n",
        f"{OURS}\n---\npaths: a/**\n---\n{MIDDLE}\n---\npaths: b/**\n---\n{THEIRS}\n",
    ],
)
def test_a_file_whose_settings_are_in_conflict_is_not_read_at_all(tmp_path: Path, head: str) -> None:
    drafts, told = _read(tmp_path, f"{head}\n- Log every move.\n")
    assert drafts == []
    assert [reason for _, reason in told] == [Unresolved.CONFLICT_IN_SETTINGS]
