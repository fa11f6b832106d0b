"""Lines that order instead of telling."""

from __future__ import annotations

import pytest

from memtui.text.injection import ordering_line


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("ALWAYS run the tests", 1),
        ("Tests need Redis.\n- never mock it", 2),
        ("1. Do not retry", 1),
        ("One must ask: the port is NEVER 80", 1),
        ("**Always** seed", 1),
        ("Important: read this", 1),
        ("don’t retry", 1),
    ],
)
def test_an_order_is_found_with_its_line(text: str, line: int) -> None:
    assert ordering_line(text) == line


@pytest.mark.parametrize(
    "text",
    ["", "The lock never outlives 30 s.", "Nevertheless it works", "It must not be null", "Alwaysland is a town"],
)
def test_telling_what_is_so_is_no_order(text: str) -> None:
    assert ordering_line(text) is None
