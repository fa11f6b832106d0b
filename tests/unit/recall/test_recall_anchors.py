"""What a user relies on when files are named: the more precisely a memory is tied to them, the more it counts."""

from __future__ import annotations

import pytest

from memtui.recall.anchors import FLOOR_STRENGTH, best_matches, files_part, strength

FILE = "payments/core/service.py"


def test_a_more_precise_anchor_counts_more() -> None:
    anchors = [
        FILE,
        "payments/core",
        "payments/core/*.py",
        "payments",
        "payments/**/*.py",
        "payments/**",
        "**/*.py",
        "**",
    ]
    values = [strength(anchor, FILE) for anchor in anchors]
    assert values == sorted(values, reverse=True)
    assert values[0] == 1.0
    assert values[-1] < FLOOR_STRENGTH <= values[-2]


@pytest.mark.parametrize("anchor", ["payments/core/service.py::refund", "./payments/core/service.py"])
def test_a_symbol_of_the_file_counts_as_the_file(anchor: str) -> None:
    assert strength(anchor, FILE) == 1.0


@pytest.mark.parametrize("anchor", ["payments/core/service", "service.py", "core", "*.py", "payments/*.py", ""])
def test_another_place_does_not_count(anchor: str) -> None:
    assert strength(anchor, FILE) == 0.0


def test_a_given_folder_finds_what_is_tied_to_files_in_it() -> None:
    assert strength(FILE, "payments/core/") > 0.5
    assert strength("other/service.py", "payments/core") == 0.0


def test_a_root_file_is_found_by_pattern() -> None:
    assert strength("*.toml", "pyproject.toml") >= FLOOR_STRENGTH


def test_of_several_anchors_and_files_the_strongest_tie_counts() -> None:
    anchored = [(1, "payments/**"), (1, "payments/lock.py"), (2, "docs/*.md")]
    best = best_matches(anchored, ["payments/service.py", "payments/lock.py"])
    assert set(best) == {1}
    assert best[1].strength == 1.0
    assert files_part(best[1]).detail == "tied to payments/lock.py"
