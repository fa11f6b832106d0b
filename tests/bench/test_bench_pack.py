"""The bars of the pack: how near selection is to the best possible, how fast it is, and what compiling saves."""

from __future__ import annotations

import json
import os
import random
import statistics
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from bench.test_bench_speed import MIGRATION, SMALL, check, fill
from bench.timing import percentile, seconds
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memtui.config import RecallSettings
from memtui.domain.memory import Memory
from memtui.domain.record import memory_from_record
from memtui.pack import selection
from memtui.pack.packing import Pack, build_pack
from memtui.pack.targets.base import STYLES, PackItem, PayloadInfo, Style
from memtui.pack.targets.registry import target_named, target_names
from memtui.recall.ranking import recall
from memtui.recall.result import Hit, Recall
from memtui.recall.task import Task
from memtui.text.quantities import Budget
from memtui.text.token_count import get_counter
from memtui.vault.filters import EVERYTHING, Scope
from memtui.vault.vault import Vault

pytestmark = pytest.mark.bench

CASES = 10 if SMALL else 200
CHAT = target_named("chat")
INFO = PayloadInfo("bench")
SETS = os.environ.get("MEMTUI_BENCH_SETS", "")
"""A folder of evaluation sets, each with `memories.jsonl` and `queries.jsonl`."""
EVIDENCE = Path(__file__).parent / "evidence"
"""Questions about them with words that their answers need."""
SYLLABLES = ("ka", "lo", "mi", "ne", "ru", "ta", "vo", "za", "pe", "di", "gu", "shi", "bra", "kel", "mon", "tor")


def made_up(chance: random.Random, number: int) -> Memory:
    """Return a memory whose words no other one has, so that nothing is redundant, of 4 to 30 words."""
    words = ["".join(chance.choices(SYLLABLES, k=4)) for _ in range(chance.randint(4, 30))]
    now = datetime(2026, 1, 1, tzinfo=UTC)
    title, insight = f"Rule {words[0]}{number}", " ".join(words)
    return Memory(id=f"m{number:07}", title=title, insight=insight, project="bench", created_at=now, updated_at=now)


def recall_of(memories: Sequence[Memory], scores: Sequence[float]) -> Recall:
    hits = [Hit(one, score, score, (), "made up") for one, score in zip(memories, scores, strict=True)]
    hits.sort(key=lambda hit: -hit.score)
    return Recall(tuple(hits), (), (), {}, 0, None, Task("made up"))


def pack_of(found: Recall, budget: int, *, most: int = 1_000, style: Style = "full") -> Pack:
    return build_pack(
        found,
        target=CHAT,
        budget=Budget(budget, "tokens"),
        encoding="o200k_base",
        max_memories=most,
        info=replace(INFO, style=style),
    )


def best_value(values: Sequence[float], sizes: Sequence[int], capacity: int) -> float:
    """Return the value of the optimal knapsack, by dynamic programming over the capacity."""
    import numpy as np

    best = np.zeros(max(0, capacity) + 1)
    for value, size in zip(values, sizes, strict=True):
        if size < len(best):
            best[size:] = np.maximum(best[size:], best[: len(best) - size] + value)
    return float(best[-1])


def test_selection_is_within_3_percent_of_the_optimal_knapsack(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(selection, "REDUNDANCY", 0.0)
    counter, chance = get_counter("o200k_base"), random.Random(5)
    shares, freely = [], []
    for _ in range(CASES):
        memories = [made_up(chance, number) for number in range(chance.randint(20, 60))]
        scores = [chance.uniform(0.2, 3.0) for _ in memories]
        found = recall_of(memories, scores)
        budget = chance.choice([1_000, 1_200, 2_000, 4_000])
        pieces = CHAT.pieces([PackItem(memories[0])], INFO)
        frame = sum(counter.count(piece.text) for piece in pieces if piece.memory_id is None)
        values = [hit.score for hit in found.hits]
        sizes = [counter.count(CHAT.pieces([PackItem(hit.memory)], INFO)[-1].text) for hit in found.hits]
        got = sum(one.score for one in pack_of(found, budget).included)
        best = selection.BEST_FIRST
        room = budget - frame - sum(sizes[:best])
        assert room > 0
        shares.append(got / (sum(values[:best]) + best_value(values[best:], sizes[best:], room)))
        freely.append(got / best_value(values, sizes, budget - frame))
    print(
        f"\n{CASES} cases, of the optimum with the three best in: mean {statistics.mean(shares):.4f},"
        f" worst {min(shares):.4f}; without that rule: mean {statistics.mean(freely):.4f}, worst {min(freely):.4f}"
    )
    assert min(shares) >= 0.97
    assert statistics.mean(freely) >= 0.97


def test_selecting_and_rendering_50_of_11637_warm(tmp_path: Path) -> None:
    vault = Vault(tmp_path / "vault.duckdb")
    fill(vault, MIGRATION)
    task, scope = Task("lock expires before the payment gateway answers"), Scope.of_project("project-1")
    found = recall(vault, task, scope, settings=RecallSettings(), now=datetime.now(UTC), limit=50)
    assert SMALL or len(found.hits) == 50
    for style in STYLES:
        build = partial(pack_of, found, 10_000, most=50, style=style)
        build()
        times = [seconds(build) for _ in range(20)]
        check(f"50 of {MIGRATION:,} selected and rendered, {style}", percentile(times, 0.5), 0.050)


def read(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def with_words(words: Sequence[str], payload: str) -> int:
    return sum(word.lower() in payload.lower() for word in words)


@pytest.mark.skipif(not SETS, reason="MEMTUI_BENCH_SETS names no folder of evaluation sets")
@pytest.mark.parametrize(("name", "bar"), [("devmem", 0.5), ("devbench", 0.3), ("seamonkey-title", 0.5)])
def test_compiled_payloads_of_shared_sets(tmp_path: Path, name: str, bar: float) -> None:
    """Ten recalled memories per question: what compiling saves; and where answers are known, what is still there."""
    folder, now = Path(SETS) / name, datetime.now(UTC)
    memories = [memory_from_record(record, now=now, new_id=record["id"]) for record in read(folder / "memories.jsonl")]
    known = EVIDENCE / f"{name}.jsonl"
    questions = read(known) if known.exists() else read(folder / "queries.jsonl")[:15]
    vault = Vault(tmp_path / "vault.duckdb")
    with vault.write(actor="bench", action="fill") as writer:
        writer.put_many(memories)
    full = compiled = answers = kept = 0
    for question in questions:
        found = recall(vault, Task(question["query"]), EVERYTHING, settings=RecallSettings(), now=now, limit=10)
        whole, short = pack_of(found, 1_000_000), pack_of(found, 1_000_000, style="compiled")
        full, compiled = full + whole.tokens, compiled + short.tokens
        there = [word for word in question.get("words", []) if word.lower() in whole.payload.lower()]
        answers, kept = answers + len(there), kept + with_words(there, short.payload)
    saved = 1 - compiled / full
    print(f"\n{name}: full {full:,}, compiled {compiled:,}: {saved:.1%} fewer; answers still there {kept} of {answers}")
    assert saved >= bar
    assert kept >= 0.9 * answers


TEXTS = st.lists(st.text(alphabet="ab cd\n`*日本😀e\u0301#-", min_size=1, max_size=200).filter(str.strip), max_size=8)


@settings(max_examples=20 if SMALL else 10_000, deadline=None, suppress_health_check=list(HealthCheck))
@given(TEXTS, st.integers(0, 400), st.sampled_from(["tokens", "chars", "bytes"]), st.sampled_from(target_names()))
def test_no_payload_exceeds_its_budget_in_10000_cases(texts: list[str], amount: int, unit: Any, target: str) -> None:
    now = datetime(2026, 1, 1, tzinfo=UTC)
    memories = [
        Memory(id=f"m{n:07}", title=f"Rule {n}", insight=text, created_at=now, updated_at=now, pinned=n % 5 == 0)
        for n, text in enumerate(texts)
    ]
    pack = build_pack(
        recall_of(memories, [1 - n / 100 for n in range(len(memories))]),
        target=target_named(target),
        budget=Budget(amount, unit),
        encoding="o200k_base",
        max_memories=100,
        info=replace(INFO, style=STYLES[amount % 2]),
    )
    sizes = {
        "tokens": get_counter("o200k_base").count(pack.payload),
        "chars": len(pack.payload.encode("utf-16-le")) // 2,
        "bytes": len(pack.payload.encode()),
    }
    assert sizes[unit] <= amount
    assert sizes["tokens"] == pack.frame_tokens + sum(one.tokens for one in pack.included)
