"""kill -9 at any moment: what was acknowledged is there, the vault opens at once, and it is healthy (P06, P96)."""

from __future__ import annotations

import os
import random
import secrets
import time
from pathlib import Path

import pytest
from support import make_memory, start_python

from memtui.embedding.engine import open_engine
from memtui.recall.embedding_cache import embed_missing
from memtui.vault import repair
from memtui.vault.doctor import diagnose
from memtui.vault.filters import MemoryFilter
from memtui.vault.purge import purge_text
from memtui.vault.search import vectors
from memtui.vault.vault import Vault

pytestmark = pytest.mark.long

ROUNDS = int(os.environ.get("MEMTUI_KILL_ROUNDS", "6"))
LONGEST_SECONDS = 1.2
"""A child is killed within that time after it began to write."""

_START = """
import sys
from pathlib import Path
from support import make_memory
from memtui.vault import purge, repair
from memtui.vault.repair import reindex
from memtui.vault.vault import Vault
vault = Vault(Path(sys.argv[1]), patience_seconds=60)
print("begun", flush=True)
"""

WORK = {
    "single writes": """
while True:
    with vault.write(actor="person", action="add") as writer:
        stored = writer.put(make_memory())
    print(stored.id, flush=True)
""",
    "bulk writes": """
while True:
    with vault.write(actor="person", action="import") as writer:
        stored = writer.put_many([make_memory(rationale=f"{number} " * 40) for number in range(300)])
    print("\\n".join(memory.id for memory in stored), flush=True)
""",
    "reindex": """
while True:
    reindex(vault)
""",
    "backup and restore": """
while True:
    with vault.write(actor="person", action="add") as writer:
        stored = writer.put(make_memory())
    repair.back_up(vault, label="daily")
    print(stored.id, flush=True)
    repair.restore(vault, None)
""",
}


def _kill_at_random(code: str, path: Path, chance: random.Random) -> list[str]:
    """Run some work in a child, kill it after a while, and return the ids that it acknowledged."""
    with start_python(_START + code, path) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "begun\n"
        time.sleep(chance.uniform(0, LONGEST_SECONDS))
        child.kill()
        out, err = child.communicate(timeout=60)
    assert err == ""
    # The last line may have been cut by the kill; it was not acknowledged then.
    return [line for line in out.split("\n")[:-1] if line]


def _ids(vault: Vault) -> set[str]:
    with vault.read() as reader:
        return set(reader.select_ids(MemoryFilter(statuses=None), sort="created", now=vault.now()))


@pytest.mark.parametrize("work", WORK)
def test_whatever_is_killed_leaves_everything_acknowledged(tmp_path: Path, work: str) -> None:
    vault = Vault(tmp_path / "vault.duckdb")
    chance = random.Random(work)
    acknowledged: set[str] = set()
    if work == "reindex":
        # Enough of it for a kill to fall into the middle.
        with vault.write(actor="person", action="import") as writer:
            acknowledged.update(memory.id for memory in writer.put_many(make_memory() for _ in range(1_500)))
    for _ in range(ROUNDS):
        acknowledged.update(_kill_at_random(WORK[work], vault.path, chance))
        if vault.exists:
            with vault.write(actor="person", action="add") as writer:
                acknowledged.add(writer.put(make_memory()).id)
        assert acknowledged <= _ids(vault)
        diagnosis = diagnose(vault)
        assert diagnosis.healthy, [check for check in diagnosis.checks if not check.ok]


def test_a_creation_that_is_killed_leaves_no_half_vault(tmp_path: Path) -> None:
    chance = random.Random(3)
    for number in range(ROUNDS):
        vault = Vault(tmp_path / str(number) / "vault.duckdb")
        code = "with vault.write(actor='person', action='add') as writer: writer.put(make_memory(id='firstone'))\n"
        with start_python(_START + code, vault.path) as child:
            assert child.stdout is not None
            assert child.stdout.readline() == "begun\n"
            time.sleep(chance.uniform(0, 0.3))
            child.kill()
            child.communicate(timeout=60)
        assert diagnose(vault).healthy
        with vault.write(actor="person", action="add") as writer:
            writer.put(make_memory(id="secondon"))
        assert "secondon" in _ids(vault) <= {"firstone", "secondon"}


def test_a_purge_that_is_killed_leaves_the_old_vault_or_the_new(tmp_path: Path) -> None:
    chance = random.Random(5)
    vault = Vault(tmp_path / "vault.duckdb")
    outcomes = set()
    for _ in range(ROUNDS):
        secret = "tok_" + secrets.token_hex(30)
        with vault.write(actor="person", action="add") as writer:
            leaky = writer.put_many([make_memory(insight=f"{secret} {number}") for number in range(200)])
        repair.back_up(vault)
        before = _ids(vault)
        _kill_at_random(f"purge.purge_text(vault, {secret!r}); print('done', flush=True)", vault.path, chance)
        assert _ids(vault) == before
        with vault.read() as reader:
            outcomes.add(secret in reader.get(leaky[0].id).insight)
            held = {secret in memory.insight for memory in reader.get_many(m.id for m in leaky).values()}
        assert len(held) == 1
        assert diagnose(vault).healthy
        purge_text(vault, secret)
        files = [path for path in tmp_path.rglob("*") if path.is_file()]
        assert not [path.name for path in files if secret.encode() in path.read_bytes()]
        for copy in (tmp_path / "backups").iterdir():
            copy.unlink()
    assert outcomes


COUNT = 800
"""More than three runs come to, each of which is killed in its second chunk."""
_EMBED = """
import sys
from pathlib import Path
from memtui.embedding.engine import open_engine
from memtui.recall.embedding_cache import embed_missing
from memtui.vault.vault import Vault
vault = Vault(Path(sys.argv[1]), patience_seconds=60)
embed_missing(vault, open_engine("bundled"), progress=lambda done, total: print(done, flush=True))
"""


def test_embedding_that_is_killed_goes_on_and_loses_nothing(tmp_path: Path) -> None:
    vault = Vault(tmp_path / "vault.duckdb", patience_seconds=60)
    with vault.write(actor="person", action="import") as writer:
        writer.put_many(make_memory(insight=f"fact number {number} about the gateway") for number in range(COUNT))
    chance = random.Random(7)
    stored = 0
    for _ in range(3):
        with start_python(_EMBED, vault.path) as child:
            assert child.stdout is not None
            acknowledged = int(child.stdout.readline())
            # Somewhere within the next chunk: reading, embedding or writing it.
            time.sleep(chance.uniform(0, 0.4))
            child.kill()
            child.communicate(timeout=60)
        with vault.read() as reader:
            now = vectors.count_current(reader, "all-MiniLM-L6-v2-int8")
            assert reader.count(MemoryFilter()) == COUNT
        assert now >= stored + acknowledged
        stored = now
        assert diagnose(vault).healthy
    engine = open_engine("bundled")
    assert engine is not None
    assert embed_missing(vault, engine) == COUNT - stored
    with vault.read() as reader:
        assert vectors.count_missing(reader, engine.name) == 0
        assert vectors.counts(reader) == {engine.name: COUNT}
