"""Budgets, spans of time and days as people write them."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.errors import UsageError
from memtui.text.words import Budget, parse_budget, parse_day, parse_duration


@pytest.mark.parametrize(
    ("text", "amount", "unit"),
    [
        ("1200", 1200, "tokens"),
        ("2k", 2000, "tokens"),
        (" 1.5K tokens ", 1500, "tokens"),
        ("10000 chars", 10_000, "chars"),
        ("10,000 characters", 10_000, "chars"),
        ("32 KiB", 32_768, "bytes"),
        ("32KiB", 32_768, "bytes"),
        ("4kb", 4000, "bytes"),
        ("1 MiB", 1_048_576, "bytes"),
        ("500 bytes", 500, "bytes"),
        ("1_000", 1000, "tokens"),
        ("0", 0, "tokens"),
    ],
)
def test_a_budget_as_people_write_it(text: str, amount: int, unit: str) -> None:
    budget = parse_budget(text)
    assert (budget.amount, budget.unit) == (amount, unit)


@pytest.mark.parametrize(
    "text", ["", "-1", "-2k", "many", "1e9", "12.5.1", "32 Ki", "1,20", "٣", "10 apples", "9" * 500, "99999999999"]
)
def test_a_wrong_budget_is_told_how_to_be_written(text: str) -> None:
    with pytest.raises(UsageError, match="Write it like 1200, 2k"):
        parse_budget(text)


@given(st.integers(0, 10**9), st.sampled_from(["tokens", "chars", "bytes"]))
def test_a_printed_budget_reads_back(amount: int, unit: str) -> None:
    budget = parse_budget(f"{amount} {unit}")
    assert parse_budget(str(budget)) == budget == Budget(amount, budget.unit)


@pytest.mark.parametrize("parse", [parse_budget, parse_duration, parse_day])
@given(text=st.text(max_size=20))
def test_no_text_breaks_the_readers(parse: Callable[[str], object], text: str) -> None:
    with contextlib.suppress(UsageError):
        assert parse(text) is not None


@pytest.mark.parametrize(
    ("text", "days"),
    [("90d", 90), ("2w", 14), ("6 months", 180), ("6mo", 180), ("36h", 1.5), ("1y", 365), ("45", 45), ("0d", 0)],
)
def test_a_span_of_time_in_days(text: str, days: float) -> None:
    assert parse_duration(text) == days


@pytest.mark.parametrize("text", ["", "-3d", "6m", "soon", "1d 2h", "99999999999y"])
def test_a_wrong_span_is_told_how_to_be_written(text: str) -> None:
    with pytest.raises(UsageError, match="Write it like 36h, 90d"):
        parse_duration(text)


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2026-01-31", datetime(2026, 1, 31, tzinfo=UTC)),
        ("2026-01-31T09:30:00Z", datetime(2026, 1, 31, 9, 30, tzinfo=UTC)),
        ("2026-01-31T09:30:00+09:00", datetime(2026, 1, 31, 0, 30, tzinfo=UTC)),
        ("2026-01-31 09:30", datetime(2026, 1, 31, 9, 30, tzinfo=UTC)),
    ],
)
def test_a_day_is_utc(text: str, moment: datetime) -> None:
    assert parse_day(text) == moment
    assert parse_day(text).tzinfo is UTC


@pytest.mark.parametrize("text", ["", "yesterday", "2026-02-30", "31.01.2026", "0001-01-01T00:00:00+09:00"])
def test_a_wrong_day_is_told_how_to_be_written(text: str) -> None:
    with pytest.raises(UsageError, match="Write it like 2026-01-31"):
        parse_day(text)
