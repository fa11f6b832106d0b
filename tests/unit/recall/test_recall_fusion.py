"""Words and meaning in one score: the weight follows the query, and nothing without a vector is wronged."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.recall.fusion import WORDS_WEIGHT, Evidence, fuse, kin_part, meaning_part, meaning_share, trust_in_words


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
