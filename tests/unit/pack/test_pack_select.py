"""What a user relies on when the budget is tight: the choice is bettered only where it gains and fits."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memtui.pack.select import Candidate, best_swap


def one(key: str, value: float, *sizes: int) -> Candidate:
    return Candidate(key, value, sizes)


def test_one_large_gives_way_to_two_small_that_are_worth_more() -> None:
    inside = [one("large", 5, 100), one("other", 9, 10)]
    assert best_swap(inside, [one("a", 3, 50), one("b", 3, 50)], (0,)) == (("large",), ("a", "b"))


def test_what_fits_comes_in_without_anything_going_out() -> None:
    assert best_swap([one("in", 5, 10)], [one("a", 1, 3)], (3,)) == ((), ("a",))


def test_every_bound_counts() -> None:
    assert best_swap([one("in", 1, 10, 10)], [one("a", 9, 5, 11)], (0, 0)) is None


def test_no_gain_is_no_swap() -> None:
    assert best_swap([one("in", 5, 10)], [one("a", 5, 10)], (0,)) is None
    assert best_swap([], [], (5,)) is None


CANDIDATES = st.lists(st.tuples(st.floats(0, 9), st.integers(1, 60)), max_size=9)


@given(CANDIDATES, CANDIDATES, st.integers(0, 40))
def test_a_swap_gains_and_fits(inside: list[tuple[float, int]], outside: list[tuple[float, int]], free: int) -> None:
    known = {f"i{n}": one(f"i{n}", value, size) for n, (value, size) in enumerate(inside)}
    known |= {f"o{n}": one(f"o{n}", value, size) for n, (value, size) in enumerate(outside)}
    swap = best_swap(
        [c for key, c in known.items() if key[0] == "i"], [c for key, c in known.items() if key[0] == "o"], (free,)
    )
    if swap is None:
        return
    out, into = swap
    assert sum(known[key].value for key in into) > sum(known[key].value for key in out)
    assert sum(known[key].sizes[0] for key in into) <= free + sum(known[key].sizes[0] for key in out)
    assert all(key[0] == "i" for key in out)
    assert all(key[0] == "o" for key in into)
