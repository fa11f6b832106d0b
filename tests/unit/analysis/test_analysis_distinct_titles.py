"""What a reader of a list relies on: two memories of one file have the same title only if they say the same."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.analysis.distinct_titles import Titled, distinct_titles
from memtui.analysis.title_fit import MAX_TITLE_CELLS
from memtui.analysis.titles import title_for
from memtui.text.words import cell_width


@pytest.mark.parametrize(
    ("memories", "titles"),
    [
        (
            [
                Titled("Use gloves", "Use gloves.", ("Guide", "Ropes")),
                Titled("Use gloves", "Use gloves, wet ones.", ("Guide", "Hooks")),
            ],
            ["Ropes: Use gloves", "Hooks: Use gloves"],
        ),
        (
            [
                Titled("Cranes", "```py\nlift(1)\n```", ("Guide", "Cranes")),
                Titled("Cranes", "```py\ndrop(2)\n```", ("Guide", "Cranes")),
            ],
            ["Cranes: lift(1)", "Cranes: drop(2)"],
        ),
        (
            [
                Titled("Ask first", "Ask first. The master signs.", ("Guide",)),
                Titled("Ask first", "Ask first. Nobody signs.", ("Guide",)),
                Titled("Log it", "Log it.", ("Guide",)),
            ],
            ["Ask first: The master signs", "Ask first: Nobody signs", "Log it"],
        ),
        (
            [Titled("Ask first", "Ask first.", ("A",)), Titled("Ask first", "Ask first.", ("B",))],
            ["Ask first", "Ask first"],
        ),
        ([Titled("Ask", "Ask"), Titled("Ask", "Ask.")], ["Ask (1)", "Ask (2)"]),
        # a heading that is the title of several gives way to what each of them says first
        (
            [
                Titled(
                    "Every crane belongs to its master",
                    "The master signs each lift.",
                    ("Every crane belongs to its master",),
                ),
                Titled(
                    "Every crane belongs to its master",
                    "Nobody lifts at night alone.",
                    ("Every crane belongs to its master",),
                ),
            ],
            ["The master signs each lift", "Nobody lifts at night alone"],
        ),
        # of a list one item says too little
        (
            [
                Titled(
                    "Check before each lift (not only after)",
                    "- Are the ropes of the crane dry?\n- Is the hook shut?",
                    ("Check before each lift (not only after)",),
                ),
                Titled(
                    "Check before each lift (not only after)",
                    "- Does the lower quay know it?\n- Is it day?",
                    ("Check before each lift (not only after)",),
                ),
            ],
            [
                "Check before each lift: Are the ropes of the crane dry?",
                "Check before each lift: Does the lower quay know it?",
            ],
        ),
    ],
)
def test_equal_titles_get_what_tells_them_apart(memories: list[Titled], titles: list[str]) -> None:
    assert distinct_titles(memories) == titles


@given(st.lists(st.tuples(st.text(max_size=120), st.lists(st.text(max_size=20), max_size=2)), max_size=8))
def test_only_equal_texts_share_a_title(found: list[tuple[str, list[str]]]) -> None:
    memories = [Titled(title_for(text, path), text, tuple(path)) for text, path in found]
    titles = distinct_titles(memories)
    assert len(titles) == len(memories)
    assert all(cell_width(title) <= MAX_TITLE_CELLS + 8 for title in titles)
    for title in {title for title, memory in zip(titles, memories, strict=True) if title != memory.title}:
        same = {memory.text for memory, new in zip(memories, titles, strict=True) if new == title}
        assert len(same) == 1
