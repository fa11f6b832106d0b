"""The speed bars of what stands beside a save and in the details. `pytest -m bench -s` runs them."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from bench.corpus import records
from bench.timing import pace, percentile

from memtui.analysis.suggestions import ripe_groups
from memtui.curate.links import link_proposals, proposals_about, resembling
from memtui.curate.snapshot_reader import read_snapshot
from memtui.domain.memory import Memory
from memtui.domain.record import memory_from_record
from memtui.vault.filters import EVERYTHING, MemoryFilter
from memtui.vault.vault import Vault

pytestmark = pytest.mark.bench

SMALL = bool(os.environ.get("MEMTUI_BENCH_SMALL"))
SIZES = (200,) if SMALL else (11_637, 100_000)
LOOKS = 20


def check(name: str, value: float, bar: float) -> None:
    scaled = bar * pace()
    print(f"\n{name:<60}{value:>9.3f} s   bar {bar:g} s, here {scaled:.3f}")
    assert SMALL or value <= scaled, f"{name}: {value:.3f} over {scaled:.3f}"


def cpu_seconds(work: Callable[[], object]) -> float:
    """Return the processor time of all threads: what other programs do on the machine does not count."""
    start = time.process_time()
    work()
    return time.process_time() - start


@pytest.mark.parametrize("size", SIZES)
def test_a_save_and_a_look_at_the_details_stay_quick(tmp_path: Path, size: int) -> None:
    vault = Vault(tmp_path / "vault.duckdb")
    now = datetime.now(UTC)
    memories: list[Memory] = [
        memory_from_record(record, now=now, new_id=f"m{place:07}") for place, record in enumerate(records(size))
    ]
    with vault.write(actor="bench", action="fill") as writer:
        for start in range(0, size, 5_000):
            writer.put_many(memories[start : start + 5_000])
    looked = memories[:: max(1, size // LOOKS)][:LOOKS]
    beside = [cpu_seconds(lambda one=memory: resembling(vault, one)) for memory in looked]  # type: ignore[misc] # bound now
    around = [cpu_seconds(lambda one=memory: proposals_about(vault, one.id)) for memory in looked]  # type: ignore[misc] # bound now
    check(f"what a save resembles, {size:,} memories, median", percentile(beside, 0.5), 0.15)
    check(f"links proposed for one memory, {size:,} memories, median", percentile(around, 0.5), 0.2)


def test_the_pass_over_all_links_and_ripe_groups(tmp_path: Path) -> None:
    size = SIZES[0]
    vault = Vault(tmp_path / "vault.duckdb")
    now = datetime.now(UTC)
    with vault.write(actor="bench", action="fill") as writer:
        writer.put_many(
            memory_from_record(record, now=now, new_id=f"m{place:07}") for place, record in enumerate(records(size))
        )
    check(f"links proposed, {size:,} memories", cpu_seconds(lambda: link_proposals(vault, EVERYTHING)), 15.0)
    gathered = read_snapshot(vault, MemoryFilter())
    check(f"ripe groups, {size:,} memories", cpu_seconds(lambda: ripe_groups(gathered, vault.kinds)), 4.0)
