"""The curve of a freshness as rows of blocks."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.tui.widgets.curve import Curve, axis_rows, curve_rows, dotted_rows


@pytest.mark.parametrize(
    ("values", "rows", "drawn"),
    [
        ((1.0, 0.5, 0.0), 2, ["█  ", "██ "]),
        ((1.0, 0.75, 0.25), 2, ["█▄ ", "██▄"]),
        ((0.0625,), 2, [" ", "▁"]),
        ((7.0, -3.0), 1, ["█ "]),
        ((), 2, ["", ""]),
    ],
)
def test_each_value_is_a_column_of_eighths(values: tuple[float, ...], rows: int, drawn: list[str]) -> None:
    assert curve_rows(values, rows) == drawn


@given(st.lists(st.floats(0, 1), min_size=1, max_size=40), st.integers(1, 12))
def test_a_larger_value_never_stands_lower(values: list[float], rows: int) -> None:
    drawn = curve_rows(sorted(values, reverse=True), rows)
    heights = [sum(" ▁▂▃▄▅▆▇█".index(line[column]) for line in drawn) for column in range(len(values))]
    assert heights == sorted(heights, reverse=True)
    assert all(len(line) == len(values) for line in drawn)


def test_a_second_curve_has_no_gaps_and_words_never_touch() -> None:
    rows = dotted_rows([1.0, 0.5, 0.0], 6)
    assert [sorted(row) for row in rows] == [[0], [1], [1], [1], [2], [2]]
    axis, words = axis_rows(
        Curve((), None, 0.5, "", ticks=(0.0, 1.0), labels=((0.0, "0"), (0.5, "30 d"), (0.55, "33 d"))), 20
    )
    assert axis == "┴" + "─" * 18 + "┴"
    assert words.split() == ["0", "30", "d"]
