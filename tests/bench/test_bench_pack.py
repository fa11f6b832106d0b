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
from bench.recalling import NOW, SETTINGS, Bench, Benches
from bench.test_bench_speed import MIGRATION, SMALL, check, fill
from bench.timing import percentile, seconds
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memtui.cli.demo import build_demo
from memtui.config import RecallSettings
from memtui.domain.memory import Memory
from memtui.pack import relevance, select
from memtui.pack.budget import BEST_FIRST
from memtui.pack.build import Pack, build_pack
from memtui.pack.compile import Compiler
from memtui.pack.options import PackOptions
from memtui.pack.targets.base import STYLES, PackItem, PayloadInfo, Style
from memtui.pack.targets.formats import target_named, target_names
from memtui.recall.rank import recall
from memtui.recall.result import Hit, Recall, Task
from memtui.text.token_count import get_counter
from memtui.tui.context.ask import Ask, Choices
from memtui.tui.context.queries import Payloads
from memtui.tui.state import Opening
from memtui.tui.vault_access import VaultAccess
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
GOAL = 0.45
"""Share of tokens that the compiled style is to save on the sample vault, beside the full style of today."""
SYLLABLES = ("ka", "lo", "mi", "ne", "ru", "ta", "vo", "za", "pe", "di", "gu", "shi", "bra", "kel", "mon", "tor")


def made_up(chance: random.Random, number: int) -> Memory:
    """Return a memory whose words no other one has, so that nothing is redundant, of 4 to 30 words."""
    words = ["".join(chance.choices(SYLLABLES, k=4)) for _ in range(chance.randint(4, 30))]
    now = datetime(2026, 1, 1, tzinfo=UTC)
    title, insight = f"Rule {words[0]}{number}", " ".join(words)
    return Memory(id=f"m{number:07}", title=title, insight=insight, project="bench", created_at=now, updated_at=now)


MADE_UP = Task("made up")


def recall_of(memories: Sequence[Memory], scores: Sequence[float]) -> Recall:
    hits = [Hit(one, score, score, (), ()) for one, score in zip(memories, scores, strict=True)]
    hits.sort(key=lambda hit: -hit.score)
    return Recall(tuple(hits), (), (), {}, 0, None)


def pack_of(found: Recall, budget: int, *, most: int = 1_000, style: Style = "full", task: Task = MADE_UP) -> Pack:
    options = PackOptions(budget=str(budget), encoding="o200k_base", max_memories=most, style=style)
    compiler = Compiler.for_task(task) if style == "compiled" else None
    return build_pack(found, options, target=CHAT, info=PayloadInfo("bench", style), compiler=compiler)


def best_value(values: Sequence[float], sizes: Sequence[int], capacity: int) -> float:
    """Return the value of the optimal knapsack, by dynamic programming over the capacity."""
    import numpy as np

    best = np.zeros(max(0, capacity) + 1)
    for value, size in zip(values, sizes, strict=True):
        if size < len(best):
            best[size:] = np.maximum(best[size:], best[: len(best) - size] + value)
    return float(best[-1])


def test_selection_is_within_3_percent_of_the_optimal_knapsack(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(select, "REDUNDANCY", 0.0)
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
        best = BEST_FIRST
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


@pytest.mark.parametrize("size", ["sample", MIGRATION])
def test_a_change_on_the_context_screen_is_answered_within_100_ms(tmp_path: Path, size: str | int) -> None:
    """What the screen asks for after a key: the ranking is kept while only budget, target, style or ticks change."""
    if size == "sample":
        vault, folder = Vault(build_demo(tmp_path / "demo")), tmp_path / "demo" / "payments-api"
        opening, task = Opening(vault=vault, folder=folder), "make refunds idempotent"
    else:
        vault = Vault(tmp_path / "vault.duckdb")
        fill(vault, MIGRATION)
        opening = Opening(vault=vault, folder=tmp_path, project="project-1")
        task = "lock expires before the payment gateway answers"
    access = Payloads(VaultAccess(opening))
    usual = Ask(task, (), "chat", "1200", None)
    pack = access.answer(usual).pack
    inside, outside = pack.included[0].memory.id, pack.withheld[0].id
    changes = {
        "budget": replace(usual, budget="2k"),
        "target": replace(usual, target="cursor"),
        "style": replace(usual, style="compiled"),
        "tick out": replace(usual, choices=Choices(without=frozenset({inside}))),
        "tick in": replace(usual, choices=Choices(with_ids=frozenset({outside}))),
        "unconfirmed": replace(usual, choices=Choices(unconfirmed=True)),
    }
    for name, ask in changes.items():
        times = [seconds(partial(access.answer, one)) for _ in range(10) for one in (ask, usual)][::2]
        check(f"{size} memories, {name}", percentile(times, 0.5), 0.100)
    words = [f"{task} {'and more ' * number}" for number in range(1, 11)]
    times = [seconds(partial(access.answer, replace(usual, text=text))) for text in words]
    check(f"{size} memories, a word of the task", percentile(times, 0.5), 0.100)


def read(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def with_words(words: Sequence[str], payload: str) -> int:
    return sum(word.lower() in payload.lower() for word in words)


@pytest.fixture(scope="module")
def benches(tmp_path_factory: pytest.TempPathFactory) -> Benches:
    return Benches(tmp_path_factory.mktemp("packs"))


def ten_hits(bench: Bench, query: str, *, by_meaning: bool) -> Recall:
    meaning = bench.meaning if by_meaning else None
    return recall(bench.vault, Task(query), EVERYTHING, settings=SETTINGS, now=NOW, limit=10, meaning=meaning)


NEEDS_SETS = pytest.mark.skipif(not SETS, reason="MEMTUI_BENCH_SETS names no folder of evaluation sets")
BY = pytest.mark.parametrize("by_meaning", [False, True], ids=["by words", "by meaning"])


@NEEDS_SETS
@BY
@pytest.mark.parametrize(
    ("name", "questions", "bar"),
    [
        ("devmem", "devmem", 0.35),
        ("devbench", "devbench", 0.4),
        ("devbench", "devbench-held-out", 0.38),
        ("seamonkey-title", "seamonkey-title", 0.35),
    ],
)
def test_compiled_payloads_of_shared_sets(
    benches: Benches, name: str, questions: str, bar: float, *, by_meaning: bool
) -> None:
    """Ten recalled memories per question: what compiling saves, and that the words of the answers are still there."""
    bench = benches.corpus(Path(SETS) / name / "memories.jsonl")
    saved, answers, kept = compiling(bench, questions, by_meaning=by_meaning)
    assert saved >= bar
    assert answers - kept <= max(1, 0.05 * answers)


@BY
def test_compiled_payloads_of_the_sample_vault(benches: Benches, *, by_meaning: bool) -> None:
    """The same for the vault that memtui brings."""
    saved, answers, kept = compiling(benches.sample(), "sample", by_meaning=by_meaning)
    assert saved >= GOAL
    assert kept >= 0.95 * answers


def compiling(bench: Bench, questions: str, *, by_meaning: bool) -> tuple[float, int, int]:
    """Return the share of tokens that compiling saves, and of the words that answers need how many are still there."""
    full = compiled = answers = kept = 0
    for question in read(EVIDENCE / f"{questions}.jsonl"):
        found = ten_hits(bench, question["query"], by_meaning=by_meaning)
        whole = pack_of(found, 1_000_000)
        short = pack_of(found, 1_000_000, style="compiled", task=Task(question["query"]))
        full, compiled = full + whole.tokens, compiled + short.tokens
        there = [word for word in question["words"] if word.lower() in whole.payload.lower()]
        answers, kept = answers + len(there), kept + with_words(there, short.payload)
    saved = 1 - compiled / full
    print(f"\n{questions}: full {full:,}, compiled {compiled:,}: {saved:.1%} fewer; answers there {kept} of {answers}")
    return saved, answers, kept


@NEEDS_SETS
@BY
def test_what_is_withheld_as_far_is_seldom_what_was_asked_for(
    benches: Benches, monkeypatch: pytest.MonkeyPatch, *, by_meaning: bool
) -> None:
    """The curve from which the shares were chosen, on every question of the sets."""
    found: list[tuple[set[str], Task, Recall]] = []
    for name in ("devbench", "devmem", "seamonkey-title"):
        bench = benches.corpus(Path(SETS) / name / "memories.jsonl")
        found += [
            (
                set(question["expected"]),
                Task(question["query"]),
                ten_hits(bench, question["query"], by_meaning=by_meaning),
            )
            for question in read(Path(SETS) / name / "queries.jsonl")
        ]
    chosen = relevance.LEAST_CHANCE_ALONE
    for share in sorted({0.0, 0.06, 0.09, 0.15, 0.2, 0.3, chosen}):
        monkeypatch.setattr(relevance, "ALONE", replace(relevance.ALONE, first=share))
        left, asked, answered = [0, 0], [0, 0], [0, 0]
        for expected, task, one in found:
            there = {hit.memory.id for hit in one.hits}
            kept = {hit.memory.id for hit in relevance.without_unrelated(one, task).hits}
            for counts, ids in ((left, there | kept), (asked, expected)):
                counts[0], counts[1] = counts[0] + len(kept & ids), counts[1] + len(there & ids)
            answered[0], answered[1] = answered[0] + bool(kept & expected), answered[1] + bool(there & expected)
        print(
            f"\nshare {share:.2f}: memories left {left[0] / left[1]:.1%}, of those asked for"
            f" {asked[0] / asked[1]:.1%}, questions still answered {answered[0]} of {answered[1]}"
        )
        if share == chosen:
            assert asked[0] >= 0.9 * asked[1]
            assert answered[0] >= 0.95 * answered[1]


TEXTS = st.lists(st.text(alphabet="ab cd\n`*日本😀e\u0301#-", min_size=1, max_size=200).filter(str.strip), max_size=8)


@settings(max_examples=20 if SMALL else 10_000, deadline=None, suppress_health_check=list(HealthCheck))
@given(TEXTS, st.integers(0, 400), st.sampled_from(["tokens", "chars", "bytes"]), st.sampled_from(target_names()))
def test_no_payload_exceeds_its_budget_in_10000_cases(texts: list[str], amount: int, unit: Any, target: str) -> None:
    now = datetime(2026, 1, 1, tzinfo=UTC)
    memories = [
        Memory(id=f"set:{n:05}", title=f"Rule {n}", insight=text, created_at=now, updated_at=now, pinned=n % 5 == 0)
        for n, text in enumerate(texts)
    ]
    style = STYLES[amount % 2]
    pack = build_pack(
        recall_of(memories, [1 - n / 100 for n in range(len(memories))]),
        PackOptions(budget=f"{amount} {unit}", encoding="o200k_base", max_memories=100, style=style),
        target=target_named(target),
        info=PayloadInfo("bench", style),
        compiler=Compiler.for_task(MADE_UP) if style == "compiled" else None,
    )
    sizes = {
        "tokens": get_counter("o200k_base").count(pack.payload),
        "chars": len(pack.payload.encode("utf-16-le")) // 2,
        "bytes": len(pack.payload.encode()),
    }
    assert sizes[unit] <= amount
    assert sizes["tokens"] == pack.frame_tokens + sum(one.tokens for one in pack.included)
