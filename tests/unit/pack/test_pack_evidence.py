"""What compiling saves on the sample vault, and that the words which the answers need are still there."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memtui.config import RecallSettings
from memtui.domain.record import memory_from_record
from memtui.pack.build import Pack, build_pack
from memtui.pack.compile import TOO_FAR, Compiler
from memtui.pack.options import PackOptions
from memtui.pack.targets.base import PayloadInfo, Style
from memtui.pack.targets.formats import target_named
from memtui.publish.memory_file import parse_memory
from memtui.recall.rank import recall
from memtui.recall.result import Recall, Task
from memtui.vault.filters import EVERYTHING
from memtui.vault.vault import Vault

ROOT = Path(__file__).parents[3]
NOW = datetime(2026, 11, 20, tzinfo=UTC)
QUESTIONS = [json.loads(line) for line in (ROOT / "tests/bench/evidence/sample.jsonl").read_text("utf-8").splitlines()]
GOAL = 0.57
"""Share of tokens that the compiled style is to save."""

HITS = 10


@pytest.fixture(scope="module")
def vault(tmp_path_factory: pytest.TempPathFactory) -> Vault:
    """The sample vault without pins, which nothing asks for."""
    paths = sorted((ROOT / "sample_vault" / "memories").rglob("*.md"))
    records = [parse_memory(path.read_text("utf-8")).record for path in paths]
    made = Vault(tmp_path_factory.mktemp("sample") / "vault.duckdb", now=lambda: NOW)
    with made.write(actor="ana", action="fill") as writer:
        writer.put_many(
            replace(memory_from_record(record, now=NOW, new_id=record["id"]), pinned=False) for record in records
        )
    return made


def build(task: Task, found: Recall, style: Style) -> Pack:
    options = PackOptions(budget="1000000", encoding="o200k_base", max_memories=HITS, style=style)
    compiler = Compiler.for_task(task) if style == "compiled" else None
    return build_pack(found, options, target=target_named("chat"), info=PayloadInfo("sample", style), compiler=compiler)


def test_the_answers_are_still_there_in_less_than_43_percent_of_the_tokens(vault: Vault) -> None:
    full = compiled = 0
    answers, lost = [], []
    for question in QUESTIONS:
        task = Task(question["query"])
        found = recall(vault, task, EVERYTHING, settings=RecallSettings(), now=NOW, limit=HITS)
        whole, short = build(task, found, "full"), build(task, found, "compiled")
        missing = {one.memory.id for one in whole.included} - {one.memory.id for one in short.included}
        assert missing == {one.id for one in short.withheld if one.reason == TOO_FAR}
        full, compiled = full + whole.tokens, compiled + short.tokens
        there = [word for word in question["words"] if word in whole.payload]
        answers += there
        lost += [(question["query"], word) for word in there if word not in short.payload]
    assert len(answers) >= len(QUESTIONS)
    assert not lost
    assert compiled <= (1 - GOAL) * full, f"only {1 - compiled / full:.1%} fewer"
