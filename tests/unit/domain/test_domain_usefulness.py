"""Usefulness: a person's word counts most, use a little, and both fade."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.domain.freshness import HIGHEST, LOWEST, SIGNAL_TYPES, from_counts, usefulness
from memtui.domain.memory import Signal

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


def signals(name: str, count: int = 1, *, days: float = 0, weight: float = 1.0) -> list[Signal]:
    at = NOW - timedelta(days=days)
    return [Signal(memory_id="m", signal=name, at=at, actor="person", weight=weight)] * count


def test_a_memory_nobody_used_counts_as_it_is() -> None:
    assert usefulness([], NOW) == 1.0


def test_helping_lifts_and_hurting_lowers() -> None:
    assert usefulness(signals("helped"), NOW) == pytest.approx(2 * 2 / 3)
    assert usefulness(signals("hurt"), NOW) == LOWEST
    assert usefulness(signals("unused"), NOW) < 1.0
    assert usefulness(signals("corrected"), NOW) < usefulness(signals("unused"), NOW)


@pytest.mark.parametrize("verdict", ["hurt", "corrected"])
@pytest.mark.parametrize("use", ["injected", "copied", "referenced"])
def test_no_amount_of_use_outweighs_one_bad_verdict(verdict: str, use: str) -> None:
    assert usefulness([*signals(use, 100_000), *signals(verdict)], NOW) < 1.0


@pytest.mark.parametrize("use", ["injected", "copied", "referenced"])
def test_no_amount_of_use_lifts_as_much_as_one_good_verdict(use: str) -> None:
    assert usefulness(signals(use, 100_000), NOW) < usefulness(signals("helped"), NOW)


def test_frequent_use_counts_a_little_and_less_and_less() -> None:
    values = [usefulness(signals("injected", count), NOW) for count in (0, 10, 20, 30)]
    assert values == sorted(set(values))
    assert values[1] - values[0] > values[2] - values[1] > values[3] - values[2]


def test_a_reference_says_more_than_a_copy() -> None:
    assert usefulness(signals("referenced"), NOW) > usefulness(signals("copied"), NOW)


@pytest.mark.parametrize("name", ["accepted", "previewed", "displayed"])
def test_what_is_no_use_counts_for_nothing(name: str) -> None:
    assert usefulness(signals(name, 100), NOW) == 1.0


@pytest.mark.parametrize("name", ["helped", "hurt", "injected"])
def test_every_signal_fades(name: str) -> None:
    distances = [abs(usefulness(signals(name, days=days), NOW) - 1.0) for days in (0, 90, 400, 4000)]
    assert distances == sorted(distances, reverse=True)
    assert distances[-1] < 1e-6


def test_a_signal_counts_half_after_ninety_days() -> None:
    assert usefulness(signals("helped", days=90), NOW) == pytest.approx(from_counts(0.5, 0))


def test_a_signal_from_the_future_counts_as_one_of_now() -> None:
    assert usefulness(signals("helped", days=-400), NOW) == usefulness(signals("helped"), NOW)


@given(
    st.lists(
        st.builds(
            Signal,
            memory_id=st.just("m"),
            signal=st.sampled_from(SIGNAL_TYPES),
            at=st.datetimes(timezones=st.just(UTC)),
            actor=st.just("a"),
            weight=st.floats(0, 1000),
        )
    )
)
def test_usefulness_stays_within_its_bounds(found: list[Signal]) -> None:
    assert LOWEST <= usefulness(found, NOW) <= HIGHEST
