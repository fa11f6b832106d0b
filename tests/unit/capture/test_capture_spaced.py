"""What is written with a blank line between all its lines stays together."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.capture.blocks import outline
from memtui.capture.markdown import split_markdown
from memtui.capture.spaced import joined
from memtui.capture.stable_split import Familiar, KnownUnit

CHAIN = "Loading goes in this order:\n\nWeigh\n\n↓\n\nLash\n\n↓\n\nSail\n\nThe harbour master signs it."
QUESTIONS = "A berth plan must answer:\n\nWho lies here?\n\nUntil when?\n\nBoats without a plan wait outside."


def pieces(text: str, familiar: Familiar | None = None) -> list[str]:
    return [piece.text for piece in split_markdown(text, familiar=familiar).pieces]


def test_a_chain_of_steps_is_one_text_with_the_words_that_lead_to_it() -> None:
    steps, *_ = pieces(f"# Harbour\n\n{CHAIN}\n")

    assert steps.startswith("Loading goes in this order:")
    assert all(step in steps for step in ("Weigh", "Lash", "Sail"))


def test_questions_stay_below_the_words_that_lead_to_them() -> None:
    asked, *_ = pieces(f"# Harbour\n\n{QUESTIONS}\n")

    assert "must answer" in asked
    assert "Until when?" in asked


@pytest.mark.parametrize("text", ["Weigh\n\n↓", "One rule.\n\nAnother rule.", "Ask:\n\nWho?\n\nWait outside."])
def test_what_is_no_chain_stays_apart(text: str) -> None:
    blocks = outline(text.split("\n")).blocks

    assert joined(blocks) == list(blocks)


@given(st.lists(st.sampled_from(["Weigh", "↓", "Who?", "Ask:", "- one", "# Head", "```\ncode\n```"]), max_size=9))
def test_no_line_is_lost(parts: list[str]) -> None:
    blocks = outline("\n\n".join(parts).split("\n")).blocks
    held = {line for block in joined(blocks) for line in range(block.lines.first, block.lines.last + 1)}

    assert all(set(range(block.lines.first, block.lines.last + 1)) <= held for block in blocks)


def test_what_was_joined_at_the_last_import_stays_so() -> None:
    text = f"# Harbour\n\n{CHAIN}\n"
    now = pieces(text)
    joined_before = Familiar([KnownUnit(None, piece) for piece in now], text)

    assert pieces(text, joined_before) == now


@pytest.mark.parametrize("line", ["Tie it.", "Tie it:", "Until when?", "**Rope:** tie it"])
def test_many_paragraphs_are_looked_through_in_time_that_is_linear_in_them(line: str) -> None:
    blocks = outline([line, ""] * 8_000).blocks
    began = time.process_time()
    assert joined(blocks)
    assert time.process_time() - began < 2
