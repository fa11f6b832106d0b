"""The bars of teams on a real PostgreSQL. `pytest -m bench -s tests/bench/test_bench_team.py` runs them.

`MEMTUI_BENCH_SMALL=1` only shows that they run.
"""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from bench.corpus import records
from bench.timing import pace, percentile, seconds
from machines import PROJECT, Seat, Squad, squad
from postgres import Server, running
from support import start_python

from memtui.domain.record import memory_from_record

pytestmark = pytest.mark.bench

SMALL = bool(os.environ.get("MEMTUI_BENCH_SMALL"))
LARGE = 600 if SMALL else 100_000
WRITERS = 4 if SMALL else 32
PUSHES = 5 if SMALL else 100  # of each writer
LISTENERS = 5 if SMALL else 100


misses: list[str] = []


@pytest.fixture(autouse=True)
def _all_bars_met() -> Iterator[None]:
    """Fail once every figure of a test is printed."""
    misses.clear()
    yield
    assert not misses


def check(name: str, value: float, bar: float, unit: str, *, is_speed: bool = False) -> None:
    scaled = bar / pace() if is_speed else bar * pace()
    print(f"\n{name:<60}{value:>9.1f} {unit}   bar {bar:g}, here {scaled:.1f}")
    if not SMALL and (value < scaled if is_speed else value > scaled):
        misses.append(f"{name}: {value:.1f}, bar {scaled:.1f}")


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with running() as found:
        yield found


def _fill(seat: Seat, count: int) -> None:
    now = datetime.now(UTC)
    memories = [memory_from_record(record, now=now, new_id=f"m{i:07}") for i, record in enumerate(records(count))]
    with seat.vault.write(actor="bench", action="fill") as writer:
        for start in range(0, count, 5_000):
            writer.put_many(replace(one, project=PROJECT, status="active") for one in memories[start : start + 5_000])


def _child(seat: Seat) -> tuple[float, float, float]:
    """Sync in a process of its own; returns its seconds, those of its processor, and its peak of memory in MB."""
    code = (
        "import json, resource, sys, time\n"
        "from pathlib import Path\n"
        "from memtui.sync.service import sync\n"
        "from memtui.sync.sharing import SyncRequest\n"
        "from memtui.vault.vault import Vault\n"
        "start = time.perf_counter()\n"
        "sync(Vault(Path(sys.argv[1])), SyncRequest(folder=Path('.'), database=sys.argv[2]))\n"
        "used = resource.getrusage(resource.RUSAGE_SELF)\n"
        # ru_maxrss would be that of the parent, which is larger.
        "high = Path('/proc/self/status').read_text().split('VmHWM:')[1].split()[0]\n"
        "print(json.dumps([time.perf_counter() - start, used.ru_utime + used.ru_stime, int(high) / 1024]))\n"
    )
    process = start_python(code, seat.vault.path, seat.url)
    out, err = process.communicate(timeout=900)
    assert process.returncode == 0, err
    taken, worked, peak = map(float, json.loads(out))
    return taken, worked, peak


def test_a_large_vault_syncs_at_first_idle_and_with_one_change(server: Server, tmp_path: Path) -> None:
    team = squad(server, tmp_path, ana="write", ben="write")
    one, two = team.seat("ana"), team.seat("ben")
    _fill(one, LARGE)
    print(f"\nsending {LARGE:,} memories took {seconds(lambda: one.sync(share=(PROJECT,))):.1f} s")
    taken, worked, peak = _child(two)
    print(f"\nits processor time: {worked:.1f} s")
    check(f"first sync of {LARGE:,} memories", taken, 45, "s")
    check("its peak of resident memory", peak, 300, "MB")
    assert len(two.all()) == LARGE
    two.sync()
    check("idle sync", 1_000 * min(seconds(two.sync) for _ in range(5)), 80, "ms")
    identifier = next(iter(two.all()))
    pushed, pulled = [], []
    for number in range(5):
        two.edit(identifier, rationale=f"Edit {number}.")
        pushed.append(seconds(two.sync))
        pulled.append(seconds(one.sync))
    check("one change sent", 1_000 * min(pushed), 120, "ms")
    check("one change received", 1_000 * min(pulled), 250, "ms")


def test_many_writers_on_one_server_lose_nothing(server: Server, tmp_path: Path) -> None:
    import psycopg

    team = squad(server, tmp_path, ana="write")
    seat = team.seat("ana")
    seat.add()
    seat.sync(share=(PROJECT,))

    def write(number: int) -> None:
        with psycopg.connect(team.url("ana"), autocommit=True) as db:
            for turn in range(PUSHES):
                item = {
                    "entity": "memory",
                    "key": f"w{number}t{turn}",
                    "base": 0,
                    "record": {"status": "active", "title": "Bench", "insight": f"Push {turn} of writer {number}."},
                    "actor": "person",
                    "action": "edit",
                    "summary": "",
                    "at": None,
                }
                db.execute("SELECT team.push(1, 'bench', 1, '{}', %s::jsonb)", [json.dumps([item])])

    with ThreadPoolExecutor(WRITERS) as pool:
        taken = seconds(lambda: list(pool.map(write, range(WRITERS))))
    ((stored, top),) = team.ask("SELECT count(*), max(seq) FROM team.log")
    assert stored == top == WRITERS * PUSHES + 1
    check(f"{WRITERS} writers, pushes a second", WRITERS * PUSHES / taken, 400, "/s", is_speed=True)


def test_news_reaches_many_listeners_soon(server: Server, tmp_path: Path) -> None:
    import psycopg

    team: Squad = squad(server, tmp_path, ana="write")
    seat = team.seat("ana")
    seat.add()
    seat.sync(share=(PROJECT,))
    links = [psycopg.connect(team.url("ana"), autocommit=True) for _ in range(LISTENERS)]
    for link in links:
        link.execute("LISTEN memtui_team")
    taken: list[float] = []
    sent = [0.0]
    ready, heard = threading.Barrier(LISTENERS + 1), threading.Barrier(LISTENERS + 1)

    def listen(link: psycopg.Connection[tuple[object, ...]]) -> None:
        for _ in range(5):
            ready.wait()
            taken.extend(time.perf_counter() - sent[0] for _note in link.notifies(timeout=5, stop_after=1))
            heard.wait()

    threads = [threading.Thread(target=listen, args=(link,)) for link in links]
    for thread in threads:
        thread.start()
    with psycopg.connect(team.url("boss"), autocommit=True) as db:
        for number in range(5):
            ready.wait()
            time.sleep(0.2)
            sent[0] = time.perf_counter()
            db.execute("SELECT pg_notify('memtui_team', %s)", [str(number)])
            heard.wait()
    for thread in threads:
        thread.join()
    for link in links:
        link.close()
    assert len(taken) == 5 * LISTENERS
    check(f"notification with {LISTENERS} listeners, p95", 1_000 * percentile(taken, 0.95), 15, "ms")
