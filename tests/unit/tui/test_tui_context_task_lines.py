"""What a user relies on when names are completed in a line: the likeliest first, and no other name touched."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.tui.context.task_lines import completed, names_in, offers, typed_at

FILES = ("payments/service.py", "payments/lock.py", "docs/adr/0007-redis-lock.md", "service/main.py", "README.md")


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("serv", ["service/main.py", "payments/service.py"]),
        ("LOCK", ["payments/lock.py", "docs/adr/0007-redis-lock.md"]),
        ("pmlk", ["payments/lock.py"]),
        ("payments/", ["payments/lock.py", "payments/service.py"]),
        ("nothing like it", []),
    ],
)
def test_names_are_offered_the_likeliest_first(typed: str, expected: list[str]) -> None:
    assert offers(FILES, typed) == expected


def test_a_name_that_is_in_the_line_is_not_offered_again() -> None:
    assert offers(FILES, "lock", without=["payments/lock.py"]) == ["docs/adr/0007-redis-lock.md"]
    assert len(offers([f"f{number}.py" for number in range(100)], "f", most=3)) == 3


def test_only_the_name_at_the_cursor_is_replaced() -> None:
    line = "README.md, serv, last.py"
    assert typed_at(line, 15) == "serv"
    assert completed(line, 15, "payments/service.py") == ("README.md, payments/service.py, last.py", 32)
    assert completed("se", 2, "service/main.py") == ("service/main.py, ", 17)
    assert names_in(" a b.py ,, c.py,a b.py, ") == ["a b.py", "c.py"]


@given(st.text(max_size=40), st.integers(0, 40), st.sampled_from(FILES))
def test_completing_puts_the_name_in_whatever_was_typed(line: str, cursor: int, name: str) -> None:
    cursor = min(cursor, len(line))
    after, place = completed(line, cursor, name)
    assert name in names_in(after)
    assert after[:place].endswith(f"{name}, ")
