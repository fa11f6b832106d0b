"""What a user relies on when tasks are compared by meaning: found in other words, explained, never required."""

from __future__ import annotations

from pathlib import Path

import pytest
from fake_engine import FakeEngine
from recall_story import NOON, PAYMENTS, SETTINGS, ids, memory, recalled, story_vault

from memtui.domain.reasons import ReasonCode
from memtui.recall.embedding_cache import ResidentVectors, embed_missing
from memtui.recall.rank import Found, search
from memtui.recall.result import Recall
from memtui.recall.semantic import MOST_CAUGHT_UP, ModelMeaning
from memtui.vault.filters import EVERYTHING
from memtui.vault.search.vectors import count_current
from memtui.vault.vault import Vault


@pytest.fixture(scope="module")
def vault(tmp_path_factory: pytest.TempPathFactory) -> Vault:
    made = story_vault(tmp_path_factory.mktemp("meaning"))
    embed_missing(made, FakeEngine())
    return made


def meaning_of(vault: Vault, *, resident: bool = False) -> ModelMeaning:
    engine = FakeEngine()
    return ModelMeaning(vault, "bundled", engine=engine, resident=ResidentVectors(engine.name) if resident else None)


def found(vault: Vault, text: str, *files: str, resident: bool = False) -> Recall:
    from memtui.recall.rank import recall
    from memtui.recall.result import Task

    return recall(
        vault, Task(text, files), PAYMENTS, settings=SETTINGS, now=NOON, meaning=meaning_of(vault, resident=resident)
    )


def test_a_task_in_other_words_is_answered(vault: Vault) -> None:
    assert recalled(vault, "mutex around reimbursements").hits == ()
    assert ids(found(vault, "mutex around reimbursements").hits)[0] == "lockpaym"


def test_in_memory_and_in_the_vault_the_answer_is_the_same(vault: Vault) -> None:
    for text in ("mutex around reimbursements", "which address has the standby", "retry webhooks"):
        stored, resident = found(vault, text), found(vault, text, resident=True)
        assert ids(stored.hits) == ids(resident.hits)
        assert [hit.score for hit in stored.hits] == pytest.approx([hit.score for hit in resident.hits], abs=0.02)


def test_the_table_adds_up_and_names_the_meaning(vault: Vault) -> None:
    hit = found(vault, "lock the reimbursements").hits[0]
    assert sum(part.value for part in hit.parts if part.role == "term") == pytest.approx(hit.relevance)
    meaning = next(part.reason for part in hit.parts if part.name == "meaning")
    assert meaning.score
    assert 1 <= meaning.number <= meaning.among
    assert ReasonCode.MEANING in {reason.code for reason in hit.reasons}


def test_what_may_not_be_recalled_is_not_recalled_by_meaning_either(vault: Vault) -> None:
    shown = ids(found(vault, "reimbursements").hits)
    assert {"lockuser", "inboxed2", "retired2", "nowhere2", "guestref"}.isdisjoint(shown)


def test_nonsense_is_refused_and_the_reason_tells_how_near_the_nearest_is(vault: Vault) -> None:
    answer = found(vault, "quokka zyzzyva")
    assert answer.hits == ()
    assert answer.abstained is not None
    assert answer.abstained.score is not None


def test_files_still_lead_where_the_text_says_nothing(vault: Vault) -> None:
    assert ids(found(vault, "tidy up here", "legacy/export.py").hits)[0] == "legacyre"


def test_a_search_shows_what_is_close_without_a_common_word(vault: Vault) -> None:
    def searched(query: str) -> list[str]:
        meaning = meaning_of(vault)
        return ids(search(vault, query, PAYMENTS, limit=20, settings=SETTINGS, now=NOON, meaning=meaning).hits)

    assert searched("bookkeeping")[0] == "twicebug"
    assert searched("zyzzyva") == []
    assert searched("lockpaym")[0] == "lockpaym"


def test_a_search_tells_an_answer_from_what_is_merely_nearest(vault: Vault) -> None:
    def look(query: str, *, by_meaning: bool = True) -> Found:
        meaning = meaning_of(vault) if by_meaning else None
        return search(vault, query, PAYMENTS, limit=20, settings=SETTINGS, now=NOON, meaning=meaning)

    for query in ("bookkeeping", "lock refunds", "lockpaym"):
        assert look(query).is_sure
        assert look(query).hits
    weak = look("replica quokka wombat giraffe zebra aardvark", by_meaning=False)
    assert ids(weak.hits) == ["replica2"]
    assert not weak.is_sure
    assert look("port for the replica", by_meaning=False).is_sure


def test_missing_vectors_are_made_up_for_a_few_at_a_time(tmp_path: Path) -> None:
    many = [memory(f"memory{number:03}", f"Tulip bed number {number}") for number in range(60)]
    vault = story_vault(tmp_path, [*many, memory("replica2", "port 8788 for the replica")], [])
    engine = FakeEngine()
    meaning = ModelMeaning(vault, "bundled", engine=engine)

    def searched() -> list[str]:
        return ids(search(vault, "standby", EVERYTHING, limit=5, settings=SETTINGS, now=NOON, meaning=meaning).hits)

    def stored() -> int:
        with vault.read() as reader:
            return count_current(reader, engine.name)

    # The newest are embedded first, so the one that is asked for is among the first few.
    assert searched() == ["replica2"]
    assert stored() == MOST_CAUGHT_UP
    searched()
    assert stored() == 61
    searched()
    assert stored() == 61


def test_while_most_are_not_embedded_words_answer_alone(tmp_path: Path) -> None:
    vault = story_vault(tmp_path)
    meaning = ModelMeaning(vault, "bundled", engine=FakeEngine(), catches_up=False)
    embed_missing(vault, FakeEngine(), limit=2)
    from memtui.recall.rank import recall
    from memtui.recall.result import Task

    answer = recall(
        vault, Task("which port does the replica use?"), PAYMENTS, settings=SETTINGS, now=NOON, meaning=meaning
    )
    assert ids(answer.hits)[0] == "replica2"


def test_a_model_that_is_missing_is_told_and_words_answer(vault: Vault) -> None:
    meaning = ModelMeaning(vault, "sentence-transformers:/no/such/model")
    hits = search(vault, "replica port", PAYMENTS, limit=5, settings=SETTINGS, now=NOON, meaning=meaning).hits
    assert ids(hits)[0] == "replica2"
    assert "/no/such/model" in meaning.problem
    assert ModelMeaning(vault, "none").sense("x") is None


def test_a_vault_that_does_not_exist_loads_no_model(tmp_path: Path) -> None:
    meaning = ModelMeaning(Vault(tmp_path / "none.duckdb"), "bundled")
    assert meaning.sense("anything") is None
    assert meaning._engine is None
