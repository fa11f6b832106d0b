"""Packs in words."""

from __future__ import annotations

import pytest

from memtui.tui.packs.view import task_words, verdict_words


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ({}, ""),
        ({"helped": 5}, "helped"),
        ({"unused": 2}, "not used 2 of 5"),
        ({"helped": 4, "hurt": 1}, "helped 4, hurt 1"),
    ],
)
def test_what_was_said_of_five_memories(said: dict[str, int], words: str) -> None:
    assert verdict_words(said, 5) == words


def test_a_task_is_named_by_its_text_else_its_files() -> None:
    assert task_words("pay [/x]\x1b", ("a.py",)) == "pay [/x]‹U+001B›"
    assert task_words("", ("a.py", "b.py")) == "a.py, b.py"
    assert task_words(" ", ()) == "standing payload"
