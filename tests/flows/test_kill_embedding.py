"""kill -9 while vectors are made: nothing is lost, and the next run goes on where it stopped."""

from __future__ import annotations

import random
import time
from pathlib import Path

import pytest
from support import make_memory, start_python

from memtui.embedding.engine import open_engine
from memtui.recall.embedding_cache import embed_missing
from memtui.vault.doctor import diagnose
from memtui.vault.filters import MemoryFilter
from memtui.vault.search import vectors
from memtui.vault.vault import Vault

pytestmark = pytest.mark.long

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
