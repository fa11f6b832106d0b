"""What a task is about to do, by its words and files."""

from __future__ import annotations

import pytest

from memtui.pack.work import Work, holds_for_what_is_new, sort_of


@pytest.mark.parametrize(
    ("file", "sort"),
    [
        ("kiln/fire.py", "code"),
        ("docs/glaze.md", "docs"),
        ("LICENSE", "docs"),
        (".github/kiln.yml", "plain"),
        (".nvmrc", "plain"),
        ("Makefile", "plain"),
        ("web/kiln.css", "look"),
    ],
)
def test_the_name_of_a_file_says_its_sort(file: str, sort: str) -> None:
    assert sort_of(file) == sort


def test_code_in_hand_is_written_unless_the_task_asks_or_runs_something() -> None:
    files = ("kiln/fire.py", "kiln.yml")
    assert Work.of("raise the damper", files) == Work(writes=True)
    assert Work.of("why does the damper rise?", files) == Work(asks=True)
    assert Work.of("run the kiln", files) == Work()
    assert Work.of("the damper crashes at dawn", files) == Work(writes=True, mends=True)
    assert Work.of("raise the damper", ("kiln.yml",)) == Work(is_plain=True)
    assert Work.of("tell of the damper", ("README.md",)) == Work(is_docs=True)


def test_a_rule_says_at_its_beginning_whether_it_holds_for_what_is_new() -> None:
    assert holds_for_what_is_new("Cover all new kiln features by a test", "")
    assert holds_for_what_is_new("Dampers", "Test every change twice.")
    assert not holds_for_what_is_new("Do not add names to any glaze in tests", "")
    assert not holds_for_what_is_new("Test the damper", "Raise it twice. " * 20 + "Test every change.")
