"""Many processes at once: what was acknowledged is there, and nobody meets an error (P12, P90, P91, P97)."""

from __future__ import annotations

import json
import os
import subprocess
from collections import Counter
from pathlib import Path

import pytest
from support import make_memory, start_python

from memtui.vault.doctor import diagnose
from memtui.vault.filters import MemoryFilter
from memtui.vault.vault import Vault

pytestmark = pytest.mark.long

ROUNDS = int(os.environ.get("MEMTUI_ROUNDS", "1"))
WRITERS, WRITES, READERS = 8, 30, 4
TAGS = 60  # of each of two
PATIENCE = 120.0
"""Seconds: the test is about losses and errors, not about the speed of a loaded machine."""

WRITE = """
import json, sys
from pathlib import Path
from support import make_memory
from memtui.vault.vault import Vault
vault = Vault(Path(sys.argv[1]), patience_seconds=float(sys.argv[3]))
for number in range(int(sys.argv[2])):
    with vault.write(actor="person", action="add") as writer:
        stored = writer.put(make_memory(title=f"memory {number}", project=None))
    print(stored.id, flush=True)
"""

READ = """
import sys, time
from pathlib import Path
from memtui.vault.filters import MemoryFilter
from memtui.vault.vault import Vault
vault = Vault(Path(sys.argv[1]), patience_seconds=float(sys.argv[2]))
seen = reads = 0
while not Path(sys.argv[3]).exists():
    with vault.read() as reader:
        count = reader.count(MemoryFilter(statuses=None))
        hits = reader.search("payment", MemoryFilter(statuses=None), limit=1_000)
    assert count >= seen, f"{count} memories after {seen}"
    assert len(hits) == count, f"{len(hits)} of {count} memories are indexed"
    seen, reads = count, reads + 1
    time.sleep(0.01)
print(reads)
"""

TAG = """
import sys
from dataclasses import replace
from pathlib import Path
from memtui.errors import ConflictError
from memtui.vault.vault import Vault
vault = Vault(Path(sys.argv[1]), patience_seconds=float(sys.argv[4]))
conflicts = 0
for number in range(int(sys.argv[3])):
    while True:
        with vault.read() as reader:
            memory = reader.get("sharedme")
        try:
            with vault.write(actor="person", action="edit") as writer:
                tagged = replace(memory, tags=(*memory.tags, f"{sys.argv[2]}-{number}"))
                writer.put(tagged, if_version=memory.version)
            break
        except ConflictError:
            conflicts += 1
print(conflicts)
"""


def _finish(process: subprocess.Popen[str]) -> list[str]:
    out, err = process.communicate(timeout=900)
    assert process.returncode == 0, err
    assert err == ""
    return out.split()


@pytest.mark.parametrize("round_number", range(ROUNDS))
def test_every_acknowledged_write_is_there_beside_readers(tmp_path: Path, round_number: int) -> None:
    vault = Vault(tmp_path / f"round{round_number}" / "vault.duckdb", patience_seconds=PATIENCE)
    stop = tmp_path / "stop"
    readers = [start_python(READ, vault.path, str(PATIENCE), stop) for _ in range(READERS)]
    writers = [start_python(WRITE, vault.path, str(WRITES), str(PATIENCE)) for _ in range(WRITERS)]
    acknowledged = [identifier for writer in writers for identifier in _finish(writer)]
    stop.touch()
    reads = [int(_finish(reader)[0]) for reader in readers]
    assert min(reads) > 0
    assert len(acknowledged) == WRITERS * WRITES
    with vault.read() as reader:
        stored = reader.select_ids(MemoryFilter(statuses=None), sort="created", now=vault.now())
    assert Counter(stored) == Counter(acknowledged)
    assert diagnose(vault).healthy


def test_two_processes_that_tag_one_memory_lose_no_tag(tmp_path: Path) -> None:
    vault = Vault(tmp_path / "vault.duckdb", patience_seconds=PATIENCE)
    with vault.write(actor="person", action="add") as writer:
        writer.put(make_memory(id="sharedme"))
    taggers = [start_python(TAG, vault.path, name, str(TAGS), str(PATIENCE)) for name in ("one", "two")]
    for tagger in taggers:
        _finish(tagger)
    with vault.read() as reader:
        memory = reader.get("sharedme")
    assert set(memory.tags) == {f"{name}-{number}" for name in ("one", "two") for number in range(TAGS)}
    assert memory.version == 2 * TAGS + 1


def test_many_searches_at_once_all_succeed(tmp_path: Path) -> None:
    vault = Vault(tmp_path / "vault.duckdb")
    search = (
        "import json, sys; from pathlib import Path; from memtui.vault.vault import Vault\n"
        "from memtui.vault.filters import MemoryFilter\n"
        "with Vault(Path(sys.argv[1]), patience_seconds=60).read() as reader:\n"
        "    print(json.dumps(len(reader.search('idempotency', MemoryFilter(), limit=9))))"
    )
    before = [start_python(search, vault.path) for _ in range(3)]
    assert [json.loads(_finish(process)[0]) for process in before] == [0, 0, 0]
    with vault.write(actor="person", action="add") as writer:
        writer.put(make_memory())
    processes = [start_python(search, vault.path) for _ in range(10)]
    assert [json.loads(_finish(process)[0]) for process in processes] == [1] * 10
