"""The speed bars of the foundation. `pytest -m bench -s` runs them; `MEMTUI_BENCH_SMALL=1` only shows that they run."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from bench.corpus import queries, records, write_jsonl
from bench.timing import bare_seconds, memtui, pace, percentile, process_seconds, seconds
from stores import make_store, observation

from memtui.domain.memory import Memory
from memtui.domain.record import memory_from_record
from memtui.vault.filters import MemoryFilter, Scope
from memtui.vault.vault import Vault

pytestmark = pytest.mark.bench

SMALL = bool(os.environ.get("MEMTUI_BENCH_SMALL"))
THOUSAND = 100 if SMALL else 1_000
MIGRATION = 300 if SMALL else 11_637
LARGE = 500 if SMALL else 100_000


def check(name: str, value: float, bar: float, unit: str = "s") -> None:
    scaled = bar * (pace() if unit != "x" else 1.0)
    print(f"\n{name:<52}{value:>9.3f} {unit}   bar {bar:g} {unit}, here {scaled:.3f}")
    assert SMALL or value <= scaled, f"{name}: {value:.3f} {unit} over {scaled:.3f}"


def once(command: list[str], environment: dict[str, str] | None = None) -> float:
    return seconds(lambda: process_seconds(command, runs=0, environment=environment))


def without_vectors(folder: Path) -> dict[str, str]:
    """Return the environment of a command that makes no vectors, for which the bars of an import are."""
    path = folder / "config.toml"
    path.write_text('[embedding]\nmodel = "none"\n', encoding="utf-8")
    return {"MEMTUI_CONFIG": str(path)}


STORE_TABLES = {"claude-mem": "observations", "mcp-memory-service": "memories"}
STORE_ROWS: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "claude-mem": lambda record: observation(record["title"], record["insight"], project=record["project"]),
    "mcp-memory-service": lambda record: {
        "content_hash": sha256(record["insight"].encode()).hexdigest(),
        "content": record["insight"],
        "memory_type": "learning",
        "created_at": 1.77e9,
    },
}


@pytest.fixture(scope="module")
def migrated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("migrated")
    source = write_jsonl(folder / "memories.jsonl", MIGRATION)
    vault = folder / "vault.duckdb"
    process_seconds(memtui(vault, "import", str(source), "--active"), runs=0)
    return vault


def test_help_against_a_bare_interpreter() -> None:
    ratio = process_seconds([sys.executable, "-m", "memtui", "--help"], runs=9) / bare_seconds()
    check("memtui --help / bare interpreter", ratio, 5.0, "x")


def test_add_from_the_shell(tmp_path: Path) -> None:
    vault = tmp_path / "vault.duckdb"
    process_seconds(memtui(vault, "add", "the first one makes the vault"), runs=0)
    check("add from the shell", process_seconds(memtui(vault, "add", "lock refunds by payment_id")), 0.5)


@pytest.mark.parametrize(("count", "bar"), [(THOUSAND, 2.0), (MIGRATION, 8.0)])
def test_import(tmp_path: Path, count: int, bar: float) -> None:
    source = write_jsonl(tmp_path / "memories.jsonl", count)
    command = memtui(tmp_path / "vault.duckdb", "import", str(source), "--active")
    check(f"import of {count:,} memories without vectors", once(command, without_vectors(tmp_path)), bar)
    command = memtui(tmp_path / "other.duckdb", "import", str(source), "--active")
    print(f"with the first vectors: {once(command):.3f} s")


@pytest.mark.parametrize("tool", ["claude-mem", "mcp-memory-service"])
def test_import_of_a_store(tmp_path: Path, tool: str) -> None:
    vault, plain = tmp_path / "vault.duckdb", without_vectors(tmp_path)
    path = make_store(tmp_path / "store.db", tool, {STORE_TABLES[tool]: map(STORE_ROWS[tool], records(MIGRATION))})
    command = memtui(vault, "import", "--from", tool, str(path))
    check(f"import of {MIGRATION:,} rows of {tool} without vectors", once(command, plain), 8.0)
    check("importing them again", once(command, plain), 8.0)


def test_cost_per_write_stays_flat(tmp_path: Path) -> None:
    costs = []
    for count in (THOUSAND, LARGE):
        vault = Vault(tmp_path / f"{count}.duckdb")
        fill(vault, count)
        now = datetime.now(UTC)
        fresh = [
            memory_from_record(record, now=now, new_id=f"fresh{i:03}") for i, record in enumerate(records(30, seed=99))
        ]
        times = [seconds(partial(put, vault, memory)) for memory in fresh]
        costs.append(percentile(times, 0.5))
    print(f"\none write at {THOUSAND:,}: {costs[0] * 1000:.1f} ms, at {LARGE:,}: {costs[1] * 1000:.1f} ms")
    check(f"write at {LARGE:,} / write at {THOUSAND:,}", costs[1] / costs[0], 3.0, "x")


def put(vault: Vault, memory: Memory) -> None:
    with vault.write(actor="bench", action="add") as writer:
        writer.put(memory)


def fill(vault: Vault, count: int) -> None:
    now = datetime.now(UTC)
    memories = [memory_from_record(record, now=now, new_id=f"m{i:07}") for i, record in enumerate(records(count))]
    with vault.write(actor="bench", action="fill") as writer:
        for start in range(0, count, 5_000):
            writer.put_many(memories[start : start + 5_000])


def test_cold_search(migrated: Path) -> None:
    command = memtui(migrated, "search", "lock expires before the payment gateway answers", "--all-projects", "--fast")
    check(f"cold search at {MIGRATION:,}", process_seconds(command), 0.4)


def test_cold_context(migrated: Path) -> None:
    command = memtui(migrated, "context", "refund fails twice on retry", "--project", "project-1", "--fast")
    check(f"cold context at {MIGRATION:,}", process_seconds(command), 0.5)


def test_warm_lexical_search(tmp_path: Path) -> None:
    vault = Vault(tmp_path / "large.duckdb")
    fill(vault, LARGE)
    wanted = MemoryFilter(scope=Scope.of_project("project-1"))
    with vault.read() as reader:
        reader.search("warm up", wanted, limit=20)
        times = [seconds(partial(reader.search, query, wanted, limit=20)) for query in queries(100)]
    print(f"\nwarm lexical search at {LARGE:,}: p50 {percentile(times, 0.5) * 1000:.1f} ms")
    check(f"warm lexical search at {LARGE:,}, p95", percentile(times, 0.95), 0.060)
