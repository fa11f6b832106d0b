"""A process that stays answers as one that asks the vault each time."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from fake_engine import FakeEngine
from recall_story import NOON, PAYMENTS, SETTINGS, memory, story_vault

from memtui.recall.embedding_cache import ResidentVectors, embed_missing
from memtui.recall.fusion import Evidence, Kinship, fuse
from memtui.recall.rank import recall, search
from memtui.recall.result import Hit, Task
from memtui.recall.semantic import ModelMeaning
from memtui.vault.search.postings_memory import TermIndex
from memtui.vault.vault import Vault
from memtui.wording.reasons import explanation

QUERIES = (
    "lock refunds",
    "mutex around reimbursements",
    "webhoks retry",
    "lockpaym",
    "Lock refunds by user_id",
    "of it",
)


@pytest.fixture(scope="module")
def vault(tmp_path_factory: pytest.TempPathFactory) -> Vault:
    made = story_vault(tmp_path_factory.mktemp("held"))
    embed_missing(made, FakeEngine())
    return made


def meaning_of(vault: Vault, terms: TermIndex | None) -> ModelMeaning:
    engine = FakeEngine()
    return ModelMeaning(
        vault, "bundled", engine=engine, resident=ResidentVectors(engine.name), catches_up=False, terms=terms
    )


def told(hits: tuple[Hit, ...] | list[Hit]) -> list[tuple[object, ...]]:
    return [(hit.memory, hit.score, hit.reasons, explanation(hit)) for hit in hits]


def assert_same(vault: Vault, held: ModelMeaning) -> None:
    asked = meaning_of(vault, None)
    for query in QUERIES:
        one, other = (
            search(vault, query, PAYMENTS, limit=4, settings=SETTINGS, now=NOON, meaning=each) for each in (asked, held)
        )
        assert told(one.hits) == told(other.hits)
        task = Task(query, ("payments/service.py",))
        stored, kept = (
            recall(vault, task, PAYMENTS, settings=SETTINGS, now=NOON, meaning=each) for each in (asked, held)
        )
        assert told((*stored.pins, *stored.hits)) == told((*kept.pins, *kept.hits))
        assert (stored.withheld, stored.withheld_counts) == (kept.withheld, kept.withheld_counts)
        assert (stored.other_projects, stored.abstained) == (kept.other_projects, kept.abstained)


def test_answers_from_memory_are_those_from_the_vault(vault: Vault) -> None:
    assert_same(vault, meaning_of(vault, TermIndex()))


def test_and_still_are_after_a_change_and_after_a_memory_was_embedded(tmp_path: Path) -> None:
    vault = story_vault(tmp_path)
    held = meaning_of(vault, TermIndex())
    assert_same(vault, held)
    embed_missing(vault, FakeEngine(), limit=3)
    assert_same(vault, held)
    with vault.write(actor="person", action="edit") as writer:
        writer.put(replace(writer.get("lockpaym"), title="Mutex around reimbursements"))
        writer.put(memory("brandnew", "Retry webhooks with a lock"))
    assert_same(vault, held)


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
