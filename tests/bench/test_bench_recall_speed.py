"""The speed of recall, cold and warm. `pytest -m bench -s tests/bench/test_bench_recall_speed.py` prints the figures.

`MEMTUI_BENCH_SMALL=1` only shows that they run. The vaults are made outside of what is measured.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial

import pytest
from bench.corpus import queries, records
from bench.timing import memtui, pace, percentile, process_seconds, seconds
from bench.vaults import filled

from memtui.config import RecallSettings
from memtui.embedding.bundled import BundledEngine
from memtui.recall.resident import ResidentMeaning
from memtui.recall.search import search
from memtui.vault.filters import Scope
from memtui.vault.vault import Vault

pytestmark = pytest.mark.bench

SMALL = bool(os.environ.get("MEMTUI_BENCH_SMALL"))
MIGRATION = 300 if SMALL else 11_637
LARGE = 500 if SMALL else 100_000
ASKED = 10 if SMALL else 100
SCOPE = Scope.of_project("project-1")
SETTINGS = RecallSettings()


def ceiling(name: str, value: float, most: float, reach: float | None = None) -> None:
    scaled = most * pace()
    reaching = "" if reach is None else f", to reach {reach:g} s"
    print(f"\n{name:<52}{value:>9.3f} s   bar {most:g} s, here {scaled:.3f}{reaching}")
    assert SMALL or value <= scaled, f"{name}: {value:.3f} s over {scaled:.3f}"


@pytest.fixture(scope="module")
def vaults(tmp_path_factory: pytest.TempPathFactory) -> Callable[[int], Vault]:
    """Make each vault once."""
    folder = tmp_path_factory.mktemp("vaults")
    made: dict[int, Vault] = {}

    def vault_of(count: int) -> Vault:
        if count not in made:
            made[count] = filled(folder, count, BundledEngine.name)
        return made[count]

    return vault_of


def test_cold(vaults: Callable[[int], Vault]) -> None:
    vault = vaults(MIGRATION)
    # The words of a memory, since made-up vectors are near to nothing.
    title = list(records(2))[1]["title"]
    command = memtui(vault.path, "context", title, "--project", "project-1")
    runs = 1 if SMALL else 7
    ceiling(f"cold context at {MIGRATION:,} with vectors", process_seconds(command, runs=runs), 0.8, 0.6)
    ceiling(f"cold context --fast at {MIGRATION:,}", process_seconds([*command, "--fast"], runs=runs), 0.4, 0.3)
    command = memtui(vault.path, "search", title, "--project", "project-1", "--fast")
    ceiling(f"cold search --fast at {MIGRATION:,}", process_seconds(command, runs=runs), 0.4, 0.3)


@pytest.mark.parametrize(("count", "most", "reach"), [(MIGRATION, 0.045, 0.025), (LARGE, 0.080, 0.050)])
def test_warm_search(vaults: Callable[[int], Vault], count: int, most: float, reach: float) -> None:
    vault = vaults(count)
    meaning = ResidentMeaning(vault, "bundled")
    print(f"\nloading model, vectors and postings of {count:,}: {seconds(meaning.load):.2f} s in the background")

    def ask(query: str, how: ResidentMeaning | None = meaning) -> None:
        search(vault, query, SCOPE, limit=20, settings=SETTINGS, now=vault.now(), meaning=how)

    ask("warm up")
    asked = queries(ASKED)
    used = time.process_time()
    times = [seconds(partial(ask, query)) for query in asked]
    used = (time.process_time() - used) / len(asked)
    print(
        f"warm hybrid search at {count:,}: p50 {percentile(times, 0.5) * 1000:.1f} ms, processor {used * 1000:.1f} ms"
    )
    ceiling(f"warm hybrid search at {count:,}, p95", percentile(times, 0.95), most, reach)
    words = [seconds(partial(ask, query, None)) for query in asked[:20]]
    print(f"by SQL and words alone, as a process that asks once: p50 {percentile(words, 0.5) * 1000:.1f} ms")
    letters = [asked[0][:end] for end in range(3, len(asked[0]) + 1)]
    typed = [seconds(partial(ask, part)) for part in letters]
    print(
        f"typed letter by letter: p50 {percentile(typed, 0.5) * 1000:.1f} ms, p95 {percentile(typed, 0.95) * 1000:.1f}"
    )
    changed = []
    for _ in range(5):
        with vault.read() as reader:
            memory = reader.get("m0000001")
        with vault.write(actor="bench", action="edit") as writer:
            writer.put(replace(memory, insight=f"{memory.insight} again"))
        changed.append(seconds(partial(ask, asked[1])))
    ceiling(f"first search after a change at {count:,}", percentile(changed, 0.5), 0.25)


_HOLD = """
import sys
from pathlib import Path
from memtui.recall.resident import ResidentMeaning
from memtui.vault.vault import Vault
meaning = ResidentMeaning(Vault(Path(sys.argv[1])), "bundled")
meaning.load()
print({line.split()[0]: line.split()[1] for line in open("/proc/self/status") if line.startswith("Vm")})
"""


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
def test_memory_of_what_is_held(vaults: Callable[[int], Vault]) -> None:
    command = [sys.executable, "-c", _HOLD, str(vaults(LARGE).path)]
    told = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    sizes = {name.rstrip(":"): int(size) / 1024 for name, size in eval(told).items()}  # noqa: S307 - what we printed
    print(f"\nheld of {LARGE:,} without the app: {sizes['VmRSS']:.0f} MB, at most {sizes['VmHWM']:.0f} MB, bar 330 MB")
    assert SMALL or sizes["VmHWM"] <= 330
