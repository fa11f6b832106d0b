"""Words and meaning in one score: the weight follows the query, and nothing without a vector is wronged."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.recall import fusion
from memtui.recall.fusion import (
    WORDS_WEIGHT,
    Evidence,
    Signals,
    closeness,
    fuse,
    kin_part,
    margin,
    meaning_part,
    meaning_share,
    sameness,
    trust_in_words,
)


def best(evidence: Evidence) -> str:
    fused = fuse(evidence)
    return max(fused, key=lambda one: fused[one].total)


def test_where_the_vault_knows_no_word_meaning_decides() -> None:
    evidence = Evidence({"chance": 1.0}, {"chance": 0.2, "meant": 0.6}, background=0.1, coverage=0.1)
    assert best(evidence) == "meant"


def test_where_words_cover_the_task_they_outweigh_a_nearer_meaning() -> None:
    evidence = Evidence({"exact": 1.0}, {"exact": 0.3, "nearer": 0.5}, background=0.1, coverage=1.0)
    assert best(evidence) == "exact"
    assert fuse(evidence)["exact"].words == pytest.approx(WORDS_WEIGHT)


def test_a_memory_without_a_vector_stands_where_its_words_put_it() -> None:
    evidence = Evidence({"bare": 0.8}, {"near": 0.5}, background=0.1, coverage=0.5)
    assert fuse(evidence)["bare"].total == pytest.approx(0.8)


def test_what_is_like_the_best_answers_rises_with_them() -> None:
    cosines = {"best": 0.6, "second": 0.58, "like": 0.4, "unlike": 0.4}
    words = {"best": 1.0, "second": 0.9}
    kinship = {("best", "second"): 0.8, ("best", "like"): 0.8, ("like", "second"): 0.8}
    fused = fuse(Evidence(words, cosines, background=0.1, coverage=1.0, kinship=kinship))
    assert fused["like"].total > fused["unlike"].total
    assert set(fused["like"].kin_keys) == {"best", "second"}
    alone = fuse(Evidence({}, cosines, background=0.1, coverage=0.0, kinship=kinship))
    assert alone["like"].kin == 0.0


@given(
    st.dictionaries(st.sampled_from("abcdefgh"), st.floats(0, 1)),
    st.dictionaries(st.sampled_from("abcdefgh"), st.floats(-1, 1)),
    st.floats(-0.2, 0.5),
    st.floats(0, 1),
)
def test_a_relevance_is_never_negative_and_never_above_one(
    words: dict[str, float], cosines: dict[str, float], background: float, coverage: float
) -> None:
    for one in fuse(Evidence(words, cosines, background, coverage)).values():
        assert 0 <= one.total <= 1 + 1e-9


def test_shares_of_meaning_run_from_the_background_to_the_nearest() -> None:
    assert meaning_share(0.1, 0.1, 0.6) == 0.0
    assert meaning_share(0.6, 0.1, 0.6) == 1.0
    assert meaning_share(0.0, 0.1, 0.6) == 0.0
    assert meaning_share(0.3, 0.3, 0.3) == 0.0


def test_trust_in_words_grows_with_coverage() -> None:
    assert trust_in_words(0.0) == 0.0
    assert trust_in_words(0.3) < trust_in_words(0.6) < trust_in_words(1.0) == trust_in_words(1.2) == 1.0


def test_a_part_says_how_close_a_memory_is_and_who_vouches() -> None:
    near = meaning_part(0.62, 0.4, place=2, among=1200).reason
    assert (near.score, near.number, near.among) == (0.62, 2, 1200)
    assert meaning_part(None, 0.4, place=None, among=9).reason.score is None
    assert kin_part(0.1, ("aaaaaaaa", "bbbbbbbb")).reason.names == ("aaaaaaaa", "bbbbbbbb")


cosines = st.lists(st.floats(-1, 1), min_size=1, max_size=80)


@given(st.floats(-1, 1), st.integers(fusion.FEWEST, 60))
def test_memories_that_are_all_alike_are_as_close_as_each(cosine: float, count: int) -> None:
    assert closeness([cosine] * count, 0.0, count) == pytest.approx(cosine)


def test_one_memory_alone_must_be_nearer_than_one_of_five_that_are_near() -> None:
    assert closeness([0.2], 0.05, 1) < closeness([0.2] * 5, 0.05, 5)


@given(cosines, st.integers(0, 10**6))
def test_closeness_lies_between_the_background_and_the_nearest(found: list[float], count: int) -> None:
    assert min([*found, 0.0]) - 1e-9 <= closeness(found, 0.0, count) <= max([*found, 0.0]) + 1e-9


@given(cosines, st.floats(0.001, 0.5))
def test_a_nearer_memory_is_never_less_of_an_answer(found: list[float], step: float) -> None:
    nearer = [max(found) + step, *found[1:]]
    assert closeness(nearer, 0.0, 500) >= closeness(found, 0.0, 500) - 1e-9


def test_the_nearest_of_many_must_be_nearer_up_to_a_bound() -> None:
    near = [0.4, 0.2]
    assert closeness(near, 0.05, 500) < closeness(near, 0.05, 50) < closeness(near, 0.05, 5)
    assert closeness(near, 0.05, fusion.MOST) == closeness(near, 0.05, 1_000_000)


def test_an_empty_view_is_no_closer_than_the_background() -> None:
    assert closeness([], 0.03, 0) == 0.03
    assert margin(Signals(closeness([], 0.03, 0), 0.0, 0.0)) < 0


def _reading(pairs: Mapping[tuple[str, str], float]) -> Callable[[str, str], float]:
    return lambda one, other: pairs[one, other]


def test_five_that_say_the_same_are_no_five_witnesses() -> None:
    near = dict(zip("abcde", (0.4, 0.39, 0.38, 0.37, 0.36), strict=True))
    alike = dict.fromkeys(combinations("abcde", 2), 0.9)
    apart = dict.fromkeys(combinations("abcde", 2), 0.2)
    close = closeness(near.values(), 0.05, 50)
    said, different = (margin(Signals(close, 0.2, sameness(near, _reading(pairs)))) for pairs in (alike, apart))
    assert said < different


def test_only_the_nearest_few_are_compared_and_one_alone_with_nobody() -> None:
    near = {name: 0.5 - place / 100 for place, name in enumerate("abcdefgh")}
    asked: set[str] = set()

    def like(one: str, other: str) -> float:
        asked.update((one, other))
        return 0.5

    assert sameness(near, like) == pytest.approx(0.5)
    assert asked == set("abcde")
    assert sameness({"a": 0.5}, like) == 0.0


def test_nothing_is_relevant_where_neither_words_nor_meaning_are_near() -> None:
    assert margin(Signals(0.03, 0.2, 0.2)) < 0
    assert margin(Signals(0.2, 0.2, 0.2)) > 0
    assert margin(Signals(0.03, 0.9, 0.2)) > 0


def test_a_vague_text_counts_less_beside_files() -> None:
    assert fusion.trust(-5) == fusion.LEAST_TRUST < fusion.trust(1) < fusion.trust(9) == 1.0
