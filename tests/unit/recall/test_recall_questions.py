"""Files of evaluation queries and corpora: what a line may say, and how a bad one is told."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.errors import SourceError
from memtui.recall.evaluation import Question, question_line, read_corpus, read_questions, unknown_ids, with_question

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


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
        ('{"query": "a", "expected": "one"}', "expected is no list of texts"),
        ('{"query": "a", "expected": [1]}', "expected is no list of texts"),
        ('{"query": "a", "expected": [], "kind": 3}', "kind is no text"),
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
    with pytest.raises(SourceError, match="no query"):
        read_questions("\n \n", "q")


@given(
    st.builds(
        Question,
        query=st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(str.strip),
        expected=st.lists(st.text(max_size=5), unique=True).map(tuple),
        files=st.lists(st.text(max_size=5), unique=True).map(tuple),
        kind=st.text(max_size=5),
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
        '{"id": "old", "insight": "Retry thrice"}\n'
        '{"type": "memory", "id": "new", "insight": "Never retry", "status": "active"}\n'
        '{"type": "link", "from": "new", "link": "supersedes", "to": "old"}\n'
        '{"type": "signal", "memory": "new", "signal": "helped"}\n'
    )
    corpus = read_corpus(text, "c", NOON)
    assert [memory.id for memory in corpus.memories] == ["old", "new"]
    assert (corpus.links[0].from_id, corpus.links[0].type) == ("new", "supersedes")


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
        read_corpus(f'{{"id": "one", "insight": "x"}}\n{line}\n', "c", NOON)


def test_unknown_ids_are_told_once_and_in_order() -> None:
    questions = [Question("a", ("x", "one")), Question("b", ("y", "x"))]
    assert unknown_ids(questions, {"one"}) == ["x", "y"]
