"""What a user relies on when words are matched: the floor is judged on raw evidence, not on who comes first."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from recall_story import NOON, PAYMENTS, SETTINGS, ids, memory, recalled, story_vault

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
from memtui.recall.lexical import QueryWeights, is_foreign, reaches_floor, weigh_query, words_part
from memtui.recall.search import search
from memtui.text.tokens import query_terms
from memtui.vault.bm25 import TermCounts
from memtui.vault.filters import Scope
from memtui.vault.vault import Vault
from memtui.wording.reasons import explanation


def _weights(text: str, documents: int, **frequencies: int) -> QueryWeights:
    terms = query_terms(text)
    return weigh_query(text.split(), TermCounts(documents, {term: frequencies.get(term, 0) for term in terms}))


def test_a_rare_word_weighs_more_than_a_frequent_one() -> None:
    weights = _weights("replica port", 1000, replica=2, port=300)
    assert weights.coverage(["replica"]) > 0.7
    assert weights.coverage(["port"]) < 0.3


def test_words_that_no_memory_holds_count_against_every_memory() -> None:
    known = _weights("replica port", 1000, replica=2, port=30)
    half = _weights("replica port sourdough bread", 1000, replica=2, port=30)
    assert known.coverage(["replica", "port"]) == 1.0
    assert half.coverage(["replica", "port"]) < 0.5
    assert set(half.unknown) == {"sourdough", "bread"}


def test_in_a_small_vault_an_unknown_word_tells_little() -> None:
    small, large = _weights("refund idempotency", 12, refund=3), _weights("refund idempotency", 12_000, refund=3)
    assert small.coverage(["refund"]) > large.coverage(["refund"])


def test_a_new_identifier_of_known_words_does_not_count_as_unknown() -> None:
    weights = _weights("paymentId", 100, payment=3, id=4)
    assert weights.coverage(["payment", "id"]) == 1.0


def test_a_name_among_pairs_of_characters_weighs_as_much_as_two_of_them() -> None:
    """Each character of a script without spaces stands in two pairs; without such a name nothing changes."""
    known = {"窯溫": 3, "溫度": 3, "damper": 3}
    mixed = weigh_query(["窯溫度", "damper"], TermCounts(1000, known))
    assert mixed.coverage(["damper"]) == pytest.approx(0.5)
    alone = weigh_query(["窯溫度"], TermCounts(1000, {"窯溫": 3, "溫度": 3}))
    assert alone.coverage(["窯溫"]) == pytest.approx(0.5)


def test_a_word_of_doing_makes_nothing_relevant() -> None:
    weights = _weights("fix login", 100, fix=1, login=2)
    assert weights.informative == {"login"}
    assert weights.coverage(["fix"]) < 0.3


def test_a_query_of_such_words_alone_still_finds() -> None:
    assert _weights("fix", 100, fix=1).informative == {"fix"}


def test_a_word_that_most_memories_hold_tells_none_of_them_apart() -> None:
    assert _weights("payments webhook", 100, payment=80, webhook=3).informative == {"webhook"}
    assert _weights("payments", 100, payment=80).informative == {"payment"}


@pytest.mark.parametrize(
    "text",
    ["No berth conflicts - harbour assigns berths automatically", "Limit: 40 berths per pier", "Pilots sign en route"],
)
def test_an_english_sentence_is_none_of_another_language_for_a_word_that_others_have(text: str) -> None:
    assert not is_foreign(text)


@pytest.mark.parametrize("text", ["No usar boyas en invierno", "Die Ampel nicht abschalten", "Lire la notice"])
def test_a_short_sentence_of_another_language_is_told_as_one(text: str) -> None:
    assert is_foreign(text)


def test_a_long_task_is_judged_by_its_heaviest_words() -> None:
    filler = " ".join(f"filler{number}word" for number in range(200))
    counts = dict.fromkeys(query_terms(filler), 400) | {"kafka": 2, "zookeep": 2, "partit": 2, "offset": 2, "consum": 2}
    text = f"{filler} kafka zookeeper partition offset consumer"
    weights = weigh_query(text.split(), TermCounts(1000, counts))
    assert weights.coverage(["kafka", "zookeep", "partit", "offset", "consum"]) == 1.0


def test_the_best_of_little_is_not_relevant() -> None:
    assert not reaches_floor(0.2, 9.0, best_coverage=0.2, best_score=9.0)
    assert reaches_floor(0.4, 1.0, best_coverage=0.4, best_score=9.0)


def test_a_perfect_match_does_not_hide_good_ones() -> None:
    assert reaches_floor(0.25, 2.0, best_coverage=1.0, best_score=9.0)
    assert not reaches_floor(0.15, 2.0, best_coverage=1.0, best_score=9.0)


def test_reasons_show_the_words_as_they_were_typed() -> None:
    weights = _weights("Which ports, exactly?", 10, port=2)
    assert words_part(["port"], 1.0, weights).reason.names == ("ports",)


MEMORIES = (
    memory("storm222", "Retry storm after a gateway timeout", "Clients retried at once.", tags=("resilience",)),
    memory("forms222", "Forms are validated on the server"),
    memory("foreign2", "Quarantine of suspicious parcels", project="storefront"),
)


@pytest.fixture(scope="module")
def vault(tmp_path_factory: pytest.TempPathFactory) -> Vault:
    return story_vault(tmp_path_factory.mktemp("spelling"), MEMORIES, [])


def searched(vault: Vault, query: str, scope: Scope = PAYMENTS) -> list[str]:
    return ids(search(vault, query, scope, limit=9, settings=SETTINGS, now=NOON).hits)


@pytest.mark.parametrize("query", ["stroms", "retry stroms", "gatewya", "resiliense", "STROMS!", "tiemout"])
def test_a_typing_error_finds_what_was_meant(vault: Vault, query: str) -> None:
    assert searched(vault, query) == ["storm222"]


def test_the_table_says_what_was_read_for_what(vault: Vault) -> None:
    hit = search(vault, "stroms", PAYMENTS, limit=1, settings=SETTINGS, now=NOON).hits[0]
    assert dict(row[:2] for row in explanation(hit))["words"].startswith("storm for stroms")


@pytest.mark.parametrize("query", ["strm", "sourdough", "xtorms", "forces", "store"])
def test_what_is_too_short_too_far_or_another_word_is_left_alone(vault: Vault, query: str) -> None:
    assert searched(vault, query) == []


def test_words_of_other_projects_mend_nothing_here(vault: Vault) -> None:
    assert searched(vault, "quarantin") in ([], ["foreign2"])
    assert searched(vault, "quarantyne") == []
    assert searched(vault, "quarantyne", Scope.of_project("storefront")) == ["foreign2"]


def test_a_task_is_mended_too(vault: Vault) -> None:
    assert ids(recalled(vault, "stop the retry stroms of the gatewya").hits) == ["storm222"]


def test_hostile_and_endless_words_are_only_words(tmp_path: Path) -> None:
    vault = story_vault(tmp_path, MEMORIES, [])
    for query in ("'; DROP TABLE memories; --stroms", "x" * 100_000, " ".join(f"unknownword{n}" for n in range(200))):
        assert searched(vault, query) == []


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
