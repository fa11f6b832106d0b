"""What compiling saves on the sample vault, and that the words which the answers need are still there."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memtui.domain.memory import Memory
from memtui.domain.record import memory_from_record
from memtui.pack.packing import Pack, build_pack
from memtui.pack.targets.base import PayloadInfo, Style
from memtui.pack.targets.registry import target_named
from memtui.publish.memory_file import parse_memory
from memtui.recall.result import Hit, Recall
from memtui.recall.task import Task
from memtui.text.quantities import Budget

ROOT = Path(__file__).parents[3]
NOW = datetime(2026, 11, 20, tzinfo=UTC)
QUESTIONS = [json.loads(line) for line in (ROOT / "tests/bench/evidence/sample.jsonl").read_text("utf-8").splitlines()]
GOAL = 0.57
PLACE = 2
"""Where the memory that answers stands among ten: the third best hit."""


@pytest.fixture(scope="module")
def memories() -> dict[str, Memory]:
    paths = sorted((ROOT / "sample_vault" / "memories").rglob("*.md"))
    records = [parse_memory(path.read_text("utf-8")).record for path in paths]
    made = [memory_from_record(record, now=NOW, new_id=record["id"]) for record in records]
    return {memory.id: replace(memory, pinned=False) for memory in made if memory.status == "active"}


def build(found: Recall, style: Style) -> Pack:
    return build_pack(
        found,
        target=target_named("chat"),
        budget=Budget(1_000_000, "tokens"),
        encoding="o200k_base",
        max_memories=10,
        info=PayloadInfo("sample", style),
    )


def test_the_answers_are_still_there_in_less_than_43_percent_of_the_tokens(memories: dict[str, Memory]) -> None:
    full = compiled = 0
    lost = []
    for number, question in enumerate(QUESTIONS):
        (answer,) = question["expected"]
        others = [one for one in memories.values() if one.id != answer]
        # Every question stands among nine others, so that in the end most of the vault was compiled.
        chosen = (others + others)[(number * 9) % len(others) :][:9]
        hits = [*chosen[:PLACE], memories[answer], *chosen[PLACE:]]
        ranked = tuple(Hit(one, 1 - n / 100, 1.0, (), "x") for n, one in enumerate(hits))
        found = Recall(ranked, (), (), {}, 0, None, Task(question["query"]))
        whole, short = build(found, "full"), build(found, "compiled")
        assert {one.memory.id for one in whole.included} == {one.memory.id for one in short.included}
        full, compiled = full + whole.tokens, compiled + short.tokens
        for word in question["words"]:
            assert word in whole.payload, (question["query"], word)
            lost += [] if word in short.payload else [(question["query"], word)]
    assert not lost
    assert compiled <= (1 - GOAL) * full, f"only {1 - compiled / full:.1%} fewer"
