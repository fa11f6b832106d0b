"""The measures of payloads, and that they are of what `context` serves."""

from __future__ import annotations

from pathlib import Path

from pack_story import packed
from recall_story import NOON, PAYMENTS, SETTINGS, story_vault

from memtui.pack.evaluation import Served, content_tokens, evaluate_payloads, payload_measures, payloads_record
from memtui.pack.options import PackOptions
from memtui.pack.targets.formats import target_named
from memtui.recall.evaluation import Question
from memtui.recall.result import Task
from memtui.text.token_count import get_counter


def served(ids: str, expected: str, essential: str = "") -> Served:
    question = Question("q", tuple(expected), essential=essential)
    return Served(question, tuple(ids), tokens=20 * len(ids), content=15 * len(ids))


def test_payloads_for_what_is_answerable_and_for_the_rest_are_counted_apart() -> None:
    found = payload_measures([served("abx", "abc", "c"), served("a", "a", "a"), served("", "b"), served("xy", "")])
    assert (found["relevant"], found["complete"], found["essential"]) == (0.75, 0.6, 0.5)
    assert (found["empty"], found["refused"]) == (0.3333, 0.0)
    assert (found["memories"], found["tokens"], found["metadata"]) == (2.0, 40.0, 0.25)
    assert payload_measures([served("", "")])["refused"] == 1.0
    assert payload_measures([served("", "")])["relevant"] is None


def test_payloads_are_those_that_context_makes(tmp_path: Path) -> None:
    vault, chat = story_vault(tmp_path), target_named("chat")
    asked = [
        Question("lock refunds by payment", ("lockpaym",), essential="lockpaym", kind="one"),
        Question("lock refunds by payment", ("twicebug",), exclude=("lockpaym",), kind="one"),
        Question("bake sourdough bread", (), kind="two"),
    ]
    answers, payloads, without_vector = evaluate_payloads(
        *(vault, asked, PAYMENTS, PackOptions()),
        target=chat,
        project="payments-api",
        settings=SETTINGS,
        now=NOON,
    )
    pack = packed(vault, Task(asked[0].query))
    pins = {"cardlogs"}
    assert set(payloads[0].ids) == {one.memory.id for one in pack.included} - pins
    assert payloads[0].tokens == pack.tokens
    assert payloads[0].has_essential
    assert "lockpaym" not in payloads[1].ids
    assert payloads[2].ids == ()
    assert without_vector == 0
    record = payloads_record(answers, payloads)
    assert record["payload"]["essential"] == record["by_kind"]["one"]["recall@5"] == 1.0
    assert record["by_kind"]["two"]["payload"]["refused"] == 1.0


def test_metadata_is_what_no_memory_says(tmp_path: Path) -> None:
    task, alone = Task("lock refunds by payment"), frozenset({"cardlogs"})
    pack = packed(story_vault(tmp_path), task, without=alone, max_memories=1)
    (one,) = pack.included
    said = f"{one.memory.title}\n{one.memory.insight}\nWhy: {one.memory.rationale}"
    assert "payments/lock.py" in pack.payload
    assert content_tokens(pack, target_named("chat"), PackOptions()) == get_counter("o200k_base").count(said)
