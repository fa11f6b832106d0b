"""What a user relies on when words are matched: the floor is judged on raw evidence, not on who comes first."""

from __future__ import annotations

from pathlib import Path

import pytest
from recall_story import NOON, PAYMENTS, SETTINGS, ids, memory, recalled, story_vault

from memtui.recall.lexical import QueryWeights, reaches_floor, weigh_query, words_part
from memtui.recall.rank import search
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


def test_a_word_of_doing_makes_nothing_relevant() -> None:
    weights = _weights("fix login", 100, fix=1, login=2)
    assert weights.informative == {"login"}
    assert weights.coverage(["fix"]) < 0.3


def test_a_query_of_such_words_alone_still_finds() -> None:
    assert _weights("fix", 100, fix=1).informative == {"fix"}


def test_a_word_that_most_memories_hold_tells_none_of_them_apart() -> None:
    assert _weights("payments webhook", 100, payment=80, webhook=3).informative == {"webhook"}
    assert _weights("payments", 100, payment=80).informative == {"payment"}


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


@pytest.mark.parametrize("query", ["strm", "sourdough", "xtorms", "forces"])
def test_what_is_too_short_or_too_far_is_left_alone(vault: Vault, query: str) -> None:
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
