"""The engine of the bundled model keeps quiet: it reports nothing, and leaves nothing behind."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

SCRIPT = """
from memtui.embedding.engine import open_engine
engine = open_engine("bundled")
assert engine is not None
print(engine.embed_queries(["lock refunds by payment"]).shape)
"""


def test_no_session_file_and_no_cache_is_written(tmp_path: Path) -> None:
    """A telemetry client keeps its session in the folder for temporary files and its queue in the user's cache."""
    folders = {"TMPDIR": "tmp", "HOME": "home", "XDG_CACHE_HOME": "cache", "XDG_STATE_HOME": "state"}
    for folder in folders.values():
        (tmp_path / folder).mkdir()
    environment = {**os.environ, **{name: str(tmp_path / folder) for name, folder in folders.items()}}
    environment.pop("ORT_DISABLE_TELEMETRY", None)
    done = subprocess.run([sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "(1, 384)"
    assert [path for folder in folders.values() for path in (tmp_path / folder).rglob("*")] == []
