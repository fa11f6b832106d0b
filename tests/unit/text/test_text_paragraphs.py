"""Paragraphs that were wrapped by hand, each in one line."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.text.inline import unwrapped

LONG = "Fire the kiln slowly to six hundred degrees and hold it there for an hour,"


@pytest.mark.parametrize(
    "kept",
    [
        f"- {LONG}\n- {LONG}",
        f"| {LONG} |\n| {LONG} |",
        f"```\n{LONG}\n{LONG}\n```",
        "One:\nTwo\nThree",
        f"{LONG}  \nthen open.",
        f"Glazes:\n\n    {LONG}\n    {LONG}",
        f"- Glazes:\n\n      {LONG}\n      {LONG}",
        f"Glazes:\n\n\t{LONG}\n\t{LONG}",
    ],
)
def test_code_tables_lists_and_short_lines_stay_as_they_are(kept: str) -> None:
    assert unwrapped(kept) == kept


def test_a_wrapped_paragraph_or_item_is_one_line() -> None:
    assert unwrapped(f"{LONG}\nthen open the lid.\n\nDone.") == f"{LONG} then open the lid.\n\nDone."
    assert unwrapped(f"- {LONG}\n  then open.\n- Next") == f"- {LONG} then open.\n- Next"
    assert unwrapped(f"- One\n    - {LONG}\n      then open.") == f"- One\n    - {LONG} then open."


@given(st.text(alphabet="ab `~-#|>1.\n\t", max_size=200))
def test_unwrapping_changes_nothing_but_line_breaks(text: str) -> None:
    assert unwrapped(text).split() == text.split()
