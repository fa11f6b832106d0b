"""What a user relies on when a text is wrapped: nothing seen is lost, and no line is wider than the pane."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memtui.text.sanitize import reveal
from memtui.text.words import cell_width
from memtui.tui.memory_view import wrap


def _seen(text: str) -> str:
    return "".join(text.split())


def test_lines_break_at_words_and_follow_the_indent_of_a_list() -> None:
    assert wrap("- Lock refunds by payment_id", 16) == ["- Lock refunds", "  by payment_id"]
    assert wrap("  TTL 30 s for all", 10) == ["  TTL 30 s", "  for all"]
    assert wrap("short", 10) == ["short"]
    assert wrap("", 10) == [""]


def test_what_has_no_blanks_breaks_between_characters() -> None:
    assert wrap("x" * 25, 10) == ["x" * 10, "x" * 10, "x" * 5]
    assert wrap("日本語の題名", 5) == ["日本", "語の", "題名"]


@given(st.text(max_size=80), st.integers(8, 40))
def test_nothing_is_lost_and_nothing_is_wider(text: str, cells: int) -> None:
    line = text.replace("\n", " ")
    lines = wrap(line, cells)
    assert all(cell_width(one) <= cells for one in lines)
    assert _seen("".join(lines)) == _seen(reveal(line))
