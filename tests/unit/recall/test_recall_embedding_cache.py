"""Memories get their vectors bit by bit, whatever happens meanwhile; a long-lived process keeps them at hand."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path

import numpy as np
import pytest
from fake_engine import FakeEngine
from numpy.typing import NDArray
from recall_story import NOON, PAYMENTS, SETTINGS, memory, story_vault
from support import make_memory

from memtui.recall import embedding_cache
from memtui.recall.embedding_cache import ResidentVectors, embed_missing, semantic_state
from memtui.recall.fusion import Evidence, Kinship, fuse
from memtui.recall.rank import recall
from memtui.recall.result import Hit, Task
from memtui.recall.search import search
from memtui.recall.semantic import ModelMeaning
from memtui.text.normal_form import embedded_text
from memtui.vault.filters import MemoryFilter
from memtui.vault.purge import purge_memories
from memtui.vault.reader import VaultReader
from memtui.vault.search import vectors
from memtui.vault.search.postings_memory import TermIndex
from memtui.vault.search.vectors import VectorTable
from memtui.vault.vault import Vault
from memtui.wording.reasons import explanation


class FakeEngineCache:
    """Gives every text a vector of its own, and may do something while it works."""

    dimensions = 16

    def __init__(self, name: str = "fake", meanwhile: Callable[[], object] = lambda: None) -> None:
        self.name = name
        self.meanwhile = meanwhile
        self.texts: list[str] = []

    def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.texts += texts
        self.meanwhile()
        rows = [np.frombuffer(blake2b(text.encode(), digest_size=16).digest(), np.int8) for text in texts]
        plain = np.array(rows, np.float32)
        unit: NDArray[np.float32] = plain / np.linalg.norm(plain, axis=1, keepdims=True)
        return unit

    def embed_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self.embed_passages(texts)


COUNT = 10


@pytest.fixture
def filled(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> Vault:
    monkeypatch.setattr(embedding_cache, "CHUNK", 4)
    with vault.write(actor="person", action="add") as writer:
        writer.put_many(make_memory(id=f"memory{number:02}", insight=f"text {number}") for number in range(COUNT))
    return vault


def current(vault: Vault, model: str = "fake") -> int:
    with vault.read() as reader:
        return vectors.count_current(reader, model)


def test_everything_is_embedded_once_with_progress(filled: Vault) -> None:
    engine = FakeEngineCache()
    seen: list[tuple[int, int]] = []
    assert embed_missing(filled, engine, progress=lambda done, total: seen.append((done, total))) == COUNT
    assert seen == [(4, 10), (8, 10), (10, 10)]
    assert current(filled) == COUNT
    assert embed_missing(filled, engine) == 0
    # Each text, and each title besides.
    assert len(engine.texts) == 2 * COUNT


def test_a_limit_and_a_cancel_stop_early_and_the_next_call_goes_on(filled: Vault) -> None:
    engine = FakeEngineCache()
    assert embed_missing(filled, engine, limit=3) == 3
    assert embed_missing(filled, engine, cancelled=lambda: len(engine.texts) > 2 * 3) == 4
    assert current(filled) == 7
    assert embed_missing(filled, engine) == 3
    whole = [text for text in engine.texts if "\n" in text]
    assert sorted(whole) == sorted({*whole})


def test_what_is_edited_or_purged_meanwhile_gets_no_vector_of_its_old_text(filled: Vault) -> None:
    def disturb() -> None:
        engine.meanwhile = lambda: None
        with filled.read() as reader:
            memory = reader.get("memory09")
        with filled.write(actor="person", action="edit") as writer:
            writer.put(replace(memory, insight="edited meanwhile"))
        purge_memories(filled, ["memory08"])

    engine = FakeEngineCache(meanwhile=disturb)
    embed_missing(filled, engine)
    embed_missing(filled, engine)
    assert current(filled) == COUNT - 1
    assert engine.texts.count(embedded_text("Retries need an idempotency key", "edited meanwhile", "", "")) == 1


def test_nothing_is_embedded_for_a_vault_that_is_not_there(vault: Vault) -> None:
    assert embed_missing(vault, FakeEngineCache()) == 0
    assert not vault.exists


def test_no_lease_is_held_while_the_model_works(filled: Vault) -> None:
    def write() -> None:
        other = Vault(filled.path, patience_seconds=0.0)
        with other.write(actor="person", action="add") as writer:
            writer.put(make_memory())

    assert embed_missing(filled, FakeEngineCache(meanwhile=write), limit=4) == 4


def test_resident_scores_are_the_cosines_of_what_is_stored(filled: Vault) -> None:
    engine = FakeEngineCache()
    embed_missing(filled, engine)
    (query,) = engine.embed_queries(["a task"])
    resident = ResidentVectors("fake")
    assert resident.held.cosines(query).size == 0
    with filled.read() as reader:
        held = resident.refresh(reader)
        assert resident.refresh(reader) is held
        exact = vectors.ScoredVectors(reader, "fake", query).nearest(MemoryFilter(statuses=None), 99)
    assert len(held.keys) == COUNT
    cosines = dict(zip(held.keys.tolist(), held.cosines(query).tolist(), strict=True))
    assert cosines == pytest.approx(exact, abs=0.01)


def test_resident_vectors_follow_edits_and_new_vectors(filled: Vault) -> None:
    engine = FakeEngineCache()
    resident = ResidentVectors("fake")
    embed_missing(filled, engine, limit=6)
    with filled.read() as reader:
        assert len(resident.refresh(reader).keys) == 6
        memory = reader.get("memory09")
    with filled.write(actor="person", action="edit") as writer:
        writer.put(replace(memory, insight="new words"))
    with filled.read() as reader:
        assert len(resident.refresh(reader).keys) == 5
    embed_missing(filled, engine)
    with filled.read() as reader:
        assert len(resident.refresh(reader).keys) == COUNT


def held_cache(resident: ResidentVectors, vault: Vault) -> tuple[dict[int, float], dict[int, float]]:
    """Return the cosines of what is held and of what is stored with one task."""
    (query,) = FakeEngineCache().embed_queries(["a task"])
    held = resident.held
    with vault.read() as reader:
        exact = vectors.ScoredVectors(reader, "fake", query).nearest(MemoryFilter(statuses=None), 99)
    return dict(zip(held.keys.tolist(), held.cosines(query).tolist(), strict=True)), exact


def edit(vault: Vault, identifier: str) -> None:
    with vault.write(actor="person", action="edit") as writer:
        writer.put(replace(writer.get(identifier), insight=f"{identifier} in new words"))


def test_vectors_are_loaded_under_many_leases_and_what_changes_between_is_taken_up(
    filled: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    embed_missing(filled, FakeEngineCache())
    monkeypatch.setattr(vectors, "ROWS_AT_ONCE", 3)
    packed: list[object] = []
    pack = embedding_cache._packed

    def changing(matrix: NDArray[np.float32]) -> object:
        packed.append(matrix)
        if len(packed) == 2:
            edit(filled, "memory01")
            edit(filled, "memory08")
            embed_missing(filled, FakeEngineCache())
            edit(filled, "memory05")
            purge_memories(filled, ["memory06"])
        return pack(matrix)

    monkeypatch.setattr(embedding_cache, "_packed", changing)
    resident = ResidentVectors("fake")
    resident.load(filled)
    assert len(packed) == 4
    with filled.read() as reader:
        resident.refresh(reader)
    found, exact = held_cache(resident, filled)
    assert len(found) == COUNT - 2
    assert found == pytest.approx(exact, abs=0.01)


def test_only_what_changed_is_read_anew(filled: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    embed_missing(filled, FakeEngineCache())
    resident = ResidentVectors("fake")
    resident.load(filled)
    edit(filled, "memory03")
    embed_missing(filled, FakeEngineCache())
    read: list[int] = []
    reading = vectors.vectors_at

    def counted(reader: VaultReader, model: str, keys: NDArray[np.int64]) -> VectorTable:
        read.extend(keys.tolist())
        return reading(reader, model, keys)

    monkeypatch.setattr(vectors, "vectors_at", counted)
    with filled.read() as reader:
        resident.refresh(reader)
        assert read == [reader.keyed(["memory03"])["memory03"][0]]
    found, exact = held_cache(resident, filled)
    assert found == pytest.approx(exact, abs=0.01)


def test_the_state_says_what_is_there_and_what_is_not(filled: Vault) -> None:
    embed_missing(filled, FakeEngineCache("older-model"), limit=2)
    state = semantic_state(filled, "bundled")
    assert (state.embedded, state.missing, state.others) == (0, COUNT, 2)
    assert "no memory has a vector yet" in state.words
    embed_missing(filled, FakeEngineCache(state.model.name), limit=7)
    assert semantic_state(filled, "bundled").words == "on (all-MiniLM-L6-v2-int8), 7 memories with a vector, 3 without"
    assert semantic_state(filled, "none").words == 'off (embedding.model is "none")'
    gone = semantic_state(filled, "sentence-transformers:/nowhere/at/all")
    assert gone.words.startswith("off: ")
    assert gone.model.remedy


def test_a_vector_stands_for_the_text_and_a_share_of_the_title(vault: Vault) -> None:
    with vault.write(actor="person", action="add") as writer:
        writer.put_many([make_memory(id="both", title="Retries", insight="Three at most")])
    engine = FakeEngineCache()
    embed_missing(vault, engine)
    title, text = engine.embed_passages(["Retries", "Retries\nThree at most"])
    mixed = text + embedding_cache.TITLE_SHARE * title
    with vault.read() as reader:
        stored = vectors.all_vectors(reader, "fake").matrix
    assert np.allclose(stored, mixed / np.linalg.norm(mixed), atol=1e-5)


def test_the_embedded_text_is_of_what_the_content_hash_covers_and_bounded() -> None:
    assert embedded_text("T", "I", "R", "S") == "T\nI\nR\nS"
    assert embedded_text("", "I", "", "") == "I"
    assert len(embedded_text("t" * 1_000_000, "i" * 1_000_000, "r" * 1_000_000, "s" * 1_000_000)) < 30_000


QUERIES = (
    "lock refunds",
    "mutex around reimbursements",
    "webhoks retry",
    "lockpaym",
    "Lock refunds by user_id",
    "of it",
)


@pytest.fixture(scope="module")
def vault_held(tmp_path_factory: pytest.TempPathFactory) -> Vault:
    made = story_vault(tmp_path_factory.mktemp("held"))
    embed_missing(made, FakeEngine())
    return made


def meaning_of(vault_held: Vault, terms: TermIndex | None) -> ModelMeaning:
    engine = FakeEngine()
    return ModelMeaning(
        vault_held, "bundled", engine=engine, resident=ResidentVectors(engine.name), catches_up=False, terms=terms
    )


def told(hits: tuple[Hit, ...] | list[Hit]) -> list[tuple[object, ...]]:
    return [(hit.memory, hit.score, hit.reasons, explanation(hit)) for hit in hits]


def assert_same(vault_held: Vault, held: ModelMeaning) -> None:
    asked = meaning_of(vault_held, None)
    for query in QUERIES:
        one, other = (
            search(vault_held, query, PAYMENTS, limit=4, settings=SETTINGS, now=NOON, meaning=each)
            for each in (asked, held)
        )
        assert told(one.hits) == told(other.hits)
        task = Task(query, ("payments/service.py",))
        stored, kept = (
            recall(vault_held, task, PAYMENTS, settings=SETTINGS, now=NOON, meaning=each) for each in (asked, held)
        )
        assert told((*stored.pins, *stored.hits)) == told((*kept.pins, *kept.hits))
        assert (stored.withheld, stored.withheld_counts) == (kept.withheld, kept.withheld_counts)
        assert (stored.other_projects, stored.abstained) == (kept.other_projects, kept.abstained)


def test_answers_from_memory_are_those_from_the_vault(vault_held: Vault) -> None:
    assert_same(vault_held, meaning_of(vault_held, TermIndex()))


def test_and_still_are_after_a_change_and_after_a_memory_was_embedded(tmp_path: Path) -> None:
    vault_held = story_vault(tmp_path)
    held = meaning_of(vault_held, TermIndex())
    assert_same(vault_held, held)
    embed_missing(vault_held, FakeEngine(), limit=3)
    assert_same(vault_held, held)
    with vault_held.write(actor="person", action="edit") as writer:
        writer.put(replace(writer.get("lockpaym"), title="Mutex around reimbursements"))
        writer.put(memory("brandnew", "Retry webhooks with a lock"))
    assert_same(vault_held, held)


def test_kinship_reads_as_the_mapping_of_its_pairs() -> None:
    square = [[1.0, 0.9, 0.2, 0.5], [0.9, 1.0, 0.5, 0.1], [0.2, 0.5, 1.0, 0.5], [0.5, 0.1, 0.5, 1.0]]
    kinship = Kinship(["b", "d", "a", "c"], square)
    pairs = dict(kinship.items())
    assert pairs == {
        ("a", "b"): 0.2,
        ("a", "c"): 0.5,
        ("a", "d"): 0.5,
        ("b", "c"): 0.5,
        ("b", "d"): 0.9,
        ("c", "d"): 0.1,
    }
    assert len(kinship) == len(pairs)
    assert ("b", "a") not in kinship
    assert ("a", "nobody") not in kinship
    assert not Kinship(["a"], [[1.0]])
    assert dict(Kinship([7, 3], [[1.0, 0.4], [0.4, 1.0]]).renamed(str).items()) == {("3", "7"): 0.4}
    words = {"a": 1.0, "b": 0.8, "c": 0.6}
    cosines = {"a": 0.5, "b": 0.4, "c": 0.35, "d": 0.3}
    one, other = (fuse(Evidence(words, cosines, 0.1, 0.9, given)) for given in (kinship, pairs))
    assert one == other
