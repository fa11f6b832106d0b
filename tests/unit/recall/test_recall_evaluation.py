"""The measures of an evaluation, and that it asks as `context` would."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from recall_story import NOON, SETTINGS, memory, story_vault

from memtui.domain.kinds import Kinds
from memtui.recall.evaluation import (
    Answer,
    Corpus,
    Question,
    corpus_vault,
    evaluate,
    evaluation_record,
    known_ids,
    measures,
)
from memtui.vault.filters import EVERYTHING


def answer(ids: str, expected: str, kind: str = "", milliseconds: float = 1.0) -> Answer:
    return Answer(Question("q", tuple(expected), kind=kind), tuple(ids), not ids, milliseconds)


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


def test_the_record_has_the_keys_of_the_contract_in_all_and_per_kind() -> None:
    record = evaluation_record([answer("a", "a", "one", 2.0), answer("x", "a", "two", 8.0)])
    keys = {"recall@5", "recall@10", "hit@5", "hit@10", "ndcg@10", "mrr", "empty", "p50_ms", "p95_ms"}
    assert keys <= set(record)
    assert keys <= set(record["by_kind"]["one"])
    assert [record["by_kind"][kind]["mrr"] for kind in ("one", "two")] == [1.0, 0.0]
    assert record["p95_ms"] == 8.0


def test_queries_run_as_context_runs_them(tmp_path: Path) -> None:
    vault = story_vault(tmp_path)
    questions = [
        Question("which port does the replica use?", ("replica2",)),
        Question("lock refunds", ("lockpaym",), exclude=("lockpaym",)),
        Question("", ("legacyre",), ("legacy/export.py",)),
        Question("bake sourdough bread", ()),
        Question("log numbers", ("cardlogs",)),
    ]
    answers = evaluate(vault, questions, EVERYTHING, settings=SETTINGS, now=NOON)
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
