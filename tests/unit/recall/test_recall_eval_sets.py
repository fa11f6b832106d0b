"""The evaluation sets are honest: large enough, about memories that are in use, and leaking no word."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import cache
from pathlib import Path

import pytest

from memtui.capture.importer import ImportRequest, read_sources, run_import
from memtui.domain.actor import Actor
from memtui.domain.memory import Memory
from memtui.recall.evaluation import Question, read_corpus, read_questions
from memtui.recall.lexical import generic_terms
from memtui.text.tokens import index_terms, query_terms
from memtui.vault.filters import EVERYTHING, MemoryFilter
from memtui.vault.search.postings_sql import indexed_text
from memtui.vault.vault import Vault

ROOT = Path(__file__).parents[3]
SETS = ROOT / "tests" / "eval"
SAMPLE_PROJECTS = ("payments-api", "storefront", "ops-infra")
WRITTEN = datetime(2026, 11, 1, tzinfo=UTC)
TREES = ("ferry-desk", "sensor-hub")


def questions(name: str) -> list[Question]:
    return read_questions((SETS / name).read_text(encoding="utf-8"), name)


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Memory]:
    folder = tmp_path_factory.mktemp("sets")
    vault = Vault(folder / "vault.duckdb")
    request = ImportRequest(paths=[ROOT / "sample_vault"], folder=ROOT / "sample_vault", home=folder, format="vault")
    run_import(vault, read_sources(request), request, actor=Actor())
    with vault.read() as reader:
        found = reader.select(MemoryFilter(scope=EVERYTHING, statuses=None), sort="created", now=vault.now())
    return {memory.id: memory for memory in found}


@cache
def tree_memories(name: str) -> dict[str, Memory]:

    text = (SETS / "trees" / f"{name}.jsonl").read_text(encoding="utf-8")
    return {memory.id: memory for memory in read_corpus(text, name, WRITTEN).memories}


def leaks(question: Question, memories: dict[str, Memory]) -> set[str]:
    """The telling words of a query that an expected memory holds."""
    held = {term for one in question.expected for term in index_terms(indexed_text(memories[one]))}
    return {term for term in query_terms(question.query) if term in held} - generic_terms()


@pytest.mark.parametrize(("name", "least"), [("paraphrases", 80), ("answerable", 60), ("unanswerable", 60)])
def test_the_sets_over_the_sample_are_large_and_without_repetition(name: str, least: int) -> None:
    found = [question.query for question in questions(f"{name}.jsonl")]
    assert len(found) >= least
    assert len(set(found)) == len(found)


@pytest.mark.parametrize("name", ["paraphrases", "answerable"])
def test_what_is_expected_of_the_sample_can_be_recalled(name: str, sample: dict[str, Memory]) -> None:
    for question in questions(f"{name}.jsonl"):
        assert question.expected
        for one in question.expected:
            assert sample[one].status == "active", (question.query, one)
            assert sample[one].valid_until is None
            assert (sample[one].valid_from or WRITTEN) <= WRITTEN


def test_a_paraphrase_holds_no_word_of_what_it_asks_for(sample: dict[str, Memory]) -> None:
    leaking = {one.query: words for one in questions("paraphrases.jsonl") if (words := leaks(one, sample))}
    assert leaking == {}


def test_nothing_is_expected_where_nothing_answers() -> None:
    assert not any(question.expected for question in questions("unanswerable.jsonl"))


def test_every_replaced_fact_has_its_case() -> None:

    name = "superseded-memories.jsonl"
    corpus = read_corpus((SETS / name).read_text(encoding="utf-8"), name, WRITTEN)
    known = {memory.id: memory for memory in corpus.memories}
    asked = questions("superseded-queries.jsonl")
    assert len(asked) >= 30
    assert {one.kind for one in asked} == {"superseded", "replaced", "replaced twice", "expired", "older"}
    for question in asked:
        newest = known[question.expected[0]]
        assert newest.status == "active"
        assert newest.valid_until is None


def test_tasks_with_files_name_nothing_by_their_words(sample: dict[str, Memory]) -> None:
    total = 0
    for project in (*SAMPLE_PROJECTS, *TREES):
        memories = tree_memories(project) if project in TREES else sample
        for question in questions(f"files-{project}.jsonl"):
            total += 1
            assert question.files
            assert leaks(question, memories) == set(), question.query
            for one in question.expected:
                assert memories[one].status == "active", (question.query, one)
                assert memories[one].anchors
    assert total >= 60
