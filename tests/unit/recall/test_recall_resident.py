"""Meaning in a process that stays: words alone until the model is there, everybody after."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from support import make_memory

from memtui.config import RecallSettings
from memtui.recall.resident import ResidentMeaning
from memtui.recall.search import search
from memtui.vault.filters import Scope
from memtui.vault.vault import Vault

SCOPE = Scope(("p",))


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    vault = Vault(tmp_path / "vault.duckdb")
    with vault.write(actor="person", action="add") as writer:
        writer.put(
            make_memory(id="charging", title="Charge cards once", insight="Take a lock per payment.", project="p")
        )
        writer.put(
            make_memory(id="printers", title="Quay printer", insight="The printer jams on humid days.", project="p")
        )
    return vault


def found(vault: Vault, query: str, meaning: ResidentMeaning) -> list[str]:
    hits = search(vault, query, SCOPE, limit=5, settings=RecallSettings(), now=vault.now(), meaning=meaning).hits
    return [hit.memory.id for hit in hits]


def test_words_answer_until_the_model_is_there(vault: Vault) -> None:
    meaning = ResidentMeaning(vault, "bundled")
    assert (meaning.words, meaning.is_ready) == ("loading", False)
    assert found(vault, "customers billed twice", meaning) == []
    assert found(vault, "printer", meaning) == ["printers"]
    meaning.load()
    assert meaning.tend() == 2
    assert meaning.tend() == 0
    assert (meaning.words, meaning.problem) == ("ready", "")
    assert found(vault, "customers billed twice", meaning)[:1] == ["charging"]


def test_a_new_memory_is_found_by_meaning_once_it_was_tended(vault: Vault) -> None:
    meaning = ResidentMeaning(vault, "bundled")
    meaning.load()
    meaning.tend()
    with vault.write(actor="person", action="add") as writer:
        writer.put(make_memory(id="database", title="Seed the database", insight="Fill it before tests.", project="p"))
    assert meaning.tend() == 1
    assert "database" in found(vault, "populate fixtures ahead of the test run", meaning)


def test_none_is_off_and_a_missing_model_says_why(vault: Vault) -> None:
    off = ResidentMeaning(vault, "none")
    off.load()
    assert (off.words, off.sense("x"), off.tend()) == ("off", None, 0)
    missing = ResidentMeaning(vault, "sentence-transformers:no/such-model")
    missing.load()
    assert missing.words.startswith("off")
    assert missing.problem
    assert missing.sense("x") is None


def test_several_threads_may_ask_at_once(vault: Vault) -> None:
    meaning = ResidentMeaning(vault, "bundled")
    meaning.load()
    meaning.tend()
    answers: list[list[str]] = []
    threads = [threading.Thread(target=lambda: answers.append(found(vault, "billed twice", meaning))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(answers) == 4
    assert all(answer[:1] == ["charging"] for answer in answers)


def test_cancelling_stops_before_the_next_texts(vault: Vault) -> None:
    meaning = ResidentMeaning(vault, "bundled")
    meaning.load()
    meaning.cancel()
    assert meaning.tend() == 0
