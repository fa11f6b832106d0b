"""The measures of an evaluation, and that it asks as `context` would."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from recall_story import NOON, SETTINGS, memory, story_vault

from memtui.capture.importer import ImportRequest, read_sources, run_import
from memtui.domain.identity import Actor
from memtui.domain.kinds import Kinds
from memtui.domain.memory import Memory
from memtui.errors import SourceError
from memtui.recall.evaluation import (
    Answer,
    Corpus,
    Question,
    corpus_vault,
    evaluate,
    known_ids,
    measures,
    question_line,
    read_corpus,
    read_questions,
    unknown_ids,
    with_question,
)
from memtui.recall.lexical import generic_terms
from memtui.recall.result import Sureness
from memtui.text.tokens import index_terms, query_terms
from memtui.vault.filters import EVERYTHING, MemoryFilter
from memtui.vault.indexed import indexed_text
from memtui.vault.vault import Vault


def answer(ids: str, expected: str, sure: Sureness = "sure") -> Answer:
    return Answer(Question("q", tuple(expected)), tuple(ids), not ids, 1.0, sure)


def test_measures_of_one_answer() -> None:
    one = answer("xaybzc......d", "abd")
    assert one.recall_at(5) == pytest.approx(2 / 3)
    assert one.recall_at(10) == pytest.approx(2 / 3)
    assert one.hit_at(5) == 1.0
    assert one.reciprocal_rank() == 0.5
    gain = 1 / math.log2(3) + 1 / math.log2(5)
    assert one.ndcg_at(10) == pytest.approx(gain / (1 + 1 / math.log2(3) + 1 / 2))


def test_a_perfect_and_a_lost_answer() -> None:
    assert [answer("ab", "ab").ndcg_at(10), answer("xy", "ab").ndcg_at(10)] == [1.0, 0.0]
    assert answer("", "a").reciprocal_rank() == 0.0


def test_where_nothing_is_expected_only_the_share_of_empty_answers_counts() -> None:
    found = measures([answer("", ""), answer("x", "")])
    assert found["empty"] == 0.5
    assert found["recall@5"] is None
    assert measures([answer("a", "a"), answer("", "")])["recall@5"] == 1.0


def test_what_is_refused_and_what_is_sure_stand_apart() -> None:
    asked = [answer("a", "a"), answer("a", "a", "unsure"), answer("", "a", "nothing"), answer("", "a", "nothing")]
    found = measures([*asked, answer("x", ""), answer("x", "", "unsure")])
    assert (found["sure"], found["found"], found["refused"]) == (0.25, 0.5, 0.5)
    assert measures(asked)["refused"] is None
    assert measures([answer("x", "")])["sure"] is None


def test_queries_run_as_a_search_runs_them(tmp_path: Path) -> None:
    vault = story_vault(tmp_path)
    questions_evaluation = [
        Question("which port does the replica use?", ("replica2",)),
        Question("lock refunds", ("lockpaym",), exclude=("lockpaym",)),
        Question("", ("legacyre",), ("legacy/export.py",)),
        Question("bake sourdough bread", ()),
        Question("log numbers", ("cardlogs",)),
    ]
    answers = evaluate(vault, questions_evaluation, EVERYTHING, settings=SETTINGS, now=NOON)
    assert answers[0].ids[0] == "replica2"
    assert "lockpaym" not in answers[1].ids
    assert answers[2].ids[0] == "legacyre"
    assert [one.empty for one in answers] == [False, False, False, True, False]
    assert "cardlogs" not in answers[0].ids
    assert answers[4].ids == ("cardlogs",)
    assert all(one.milliseconds > 0 for one in answers)


def test_a_corpus_without_projects_is_in_view(tmp_path: Path) -> None:
    corpus = Corpus((memory("replica2", "port 8788 for the replica", project=None),))
    vault = corpus_vault(tmp_path, corpus, kinds=Kinds(), now=lambda: NOON)
    answers = evaluate(vault, [Question("replica port", ("replica2",))], EVERYTHING, settings=SETTINGS, now=NOON)
    assert answers[0].ids == ("replica2",)
    assert known_ids(vault) == {"replica2"}


ROOT = Path(__file__).parents[3]
SETS = ROOT / "tests" / "eval"
SAMPLE_PROJECTS = ("payments-api", "storefront", "ops-infra")
WRITTEN = datetime(2026, 11, 1, tzinfo=UTC)
TREES = ("ferry-desk", "sensor-hub")


def questions_evaluation(name: str) -> list[Question]:
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
    found = [question.query for question in questions_evaluation(f"{name}.jsonl")]
    assert len(found) >= least
    assert len(set(found)) == len(found)


@pytest.mark.parametrize("name", ["paraphrases", "answerable"])
def test_what_is_expected_of_the_sample_can_be_recalled(name: str, sample: dict[str, Memory]) -> None:
    for question in questions_evaluation(f"{name}.jsonl"):
        assert question.expected
        for one in question.expected:
            assert sample[one].status == "active", (question.query, one)
            assert sample[one].valid_until is None
            assert (sample[one].valid_from or WRITTEN) <= WRITTEN


def test_a_paraphrase_holds_no_word_of_what_it_asks_for(sample: dict[str, Memory]) -> None:
    leaking = {one.query: words for one in questions_evaluation("paraphrases.jsonl") if (words := leaks(one, sample))}
    assert leaking == {}


def test_nothing_is_expected_where_nothing_answers() -> None:
    assert not any(question.expected for question in questions_evaluation("unanswerable.jsonl"))


def test_every_replaced_fact_has_its_case() -> None:

    name = "superseded-memories.jsonl"
    corpus = read_corpus((SETS / name).read_text(encoding="utf-8"), name, WRITTEN)
    known = {memory.id: memory for memory in corpus.memories}
    asked = questions_evaluation("superseded-queries.jsonl")
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
        for question in questions_evaluation(f"files-{project}.jsonl"):
            total += 1
            assert question.files
            assert leaks(question, memories) == set(), question.query
            for one in question.expected:
                assert memories[one].status == "active", (question.query, one)
                assert memories[one].anchors
    assert total >= 60


NOON_QUESTIONS = datetime(2026, 3, 1, 12, tzinfo=UTC)


def test_a_line_may_name_files_exclusions_and_a_kind() -> None:
    line = '{"query": "a", "files": ["x.py"], "expected": ["one", "two"], "exclude": ["three"], "kind": "k"}'
    assert read_questions(f"\n{line}\n\n", "q") == [Question("a", ("one", "two"), ("x.py",), ("three",), "k")]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("{", "line 2: no valid JSON"),
        ("[]", "line 2: no JSON object"),
        ('{"expected": []}', "line 2: query is missing"),
        ('{"query": "a"}', "line 2: expected is missing"),
        ('{"query": " ", "expected": []}', "neither a query nor a file"),
        ('{"query": "a", "expected": "one"}', "expected must be a list of strings"),
        ('{"query": "a", "expected": [1]}', "expected must be a list of strings"),
        ('{"query": "a", "expected": [], "kind": 3}', "kind must be a string"),
        ("[" * 100_000, "nested too deep"),
    ],
)
def test_a_bad_line_is_told_by_its_number_and_reason(line: str, reason: str) -> None:
    with pytest.raises(SourceError) as caught:
        read_questions(f'{{"query": "a", "expected": []}}\n{line}\n', "queries.jsonl")
    assert reason in str(caught.value)
    assert "queries.jsonl" in str(caught.value)


def test_many_bad_lines_are_told_in_one_message() -> None:
    with pytest.raises(SourceError, match=r"line 5: .*and 3 more"):
        read_questions("x\n" * 8, "q")


def test_an_empty_file_is_told() -> None:
    with pytest.raises(SourceError, match="No query"):
        read_questions("\n \n", "q")


@given(
    st.builds(
        Question,
        query=st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(str.strip),
        expected=st.lists(st.text(max_size=5), unique=True).map(tuple),
        files=st.lists(st.text(max_size=5), unique=True).map(tuple),
        kind=st.text(max_size=5),
        project=st.text(max_size=5),
    )
)
def test_what_is_written_is_read_back(question: Question) -> None:
    assert read_questions(question_line(question), "q") == [question]


def test_a_question_is_added_at_the_end_and_nothing_else_moves() -> None:
    first = with_question("", Question("a", ("one",)), "q")
    both = with_question(first.rstrip("\n"), Question("b", ("two",)), "q")
    assert both.startswith(first)
    assert [question.query for question in read_questions(both, "q")] == ["a", "b"]


def test_nothing_is_added_to_a_file_of_something_else() -> None:
    with pytest.raises(SourceError):
        with_question("# My notes\n", Question("a", ("one",)), "notes.md")


def test_a_corpus_is_memories_and_links() -> None:
    text = (
        '{"id": "old", "insight": "Retry thrice", "links": [{"relation": "relates", "target": "new"}]}\n'
        '{"type": "memory", "id": "new", "insight": "Never retry", "status": "active"}\n'
        '{"type": "link", "from": "new", "link": "supersedes", "to": "old"}\n'
        '{"type": "signal", "memory": "new", "signal": "helped"}\n'
    )
    corpus = read_corpus(text, "c", NOON_QUESTIONS)
    assert [memory.id for memory in corpus.memories] == ["old", "new"]
    assert [(link.from_id, link.type) for link in corpus.links] == [("new", "supersedes"), ("old", "relates")]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ('{"id": "a"}', "insight is missing"),
        ('{"id": "one", "insight": "again"}', "the id one occurs twice"),
        ('{"type": "link", "from": "a", "link": "likes", "to": "b"}', "known type"),
    ],
)
def test_a_bad_line_of_a_corpus_is_told(line: str, reason: str) -> None:
    with pytest.raises(SourceError, match=f"line 2: .*{reason}"):
        read_corpus(f'{{"id": "one", "insight": "x"}}\n{line}\n', "c", NOON_QUESTIONS)


def test_unknown_ids_are_told_once_and_in_order() -> None:
    questions = [Question("a", ("x", "one")), Question("b", ("y", "x"))]
    assert unknown_ids(questions, {"one"}) == ["x", "y"]
