"""What a user relies on when a budget is given in tokens, characters or bytes."""

from __future__ import annotations

import pytest

from memtui.errors import UsageError
from memtui.pack.budget import Measure, counter_for
from memtui.text.words import parse_budget


def _measure(budget: str, encoding: str = "o200k_base") -> Measure:
    return Measure(parse_budget(budget), counter_for(encoding))


def test_the_unit_of_the_budget_is_the_unit_of_the_size() -> None:
    text = "Grüße 日本 😀"
    assert _measure("1 KiB").size(text) == len(text.encode())
    assert _measure("1000 chars").size(text) == len(text) + 1
    assert _measure("1k").size(text) == _measure("1k").tokens(text) == _measure("10 chars").tokens(text)


def test_a_text_fits_up_to_the_last_unit() -> None:
    assert _measure("5 chars").fits("12345")
    assert not _measure("5 chars").fits("123456")
    assert not _measure("5 bytes").fits("😀😀")
    assert not _measure("10").fits("x" * 1_000_000)


@pytest.mark.parametrize(
    "text", ["Lock refunds by payment_id, never by user_id.\n" * 9, "退款必须加锁\n" * 9, '{"a": [1, 2, 3]}']
)
def test_the_fast_estimate_stays_above_the_exact_count(text: str) -> None:
    fast = counter_for("o200k_base", fast=True)
    assert not fast.exact
    assert fast.count(text) >= counter_for("o200k_base").count(text)


def test_an_unknown_encoding_is_refused() -> None:
    with pytest.raises(UsageError, match="o200k_base"):
        counter_for("p50k")
