"""Which sources of a project wait to be imported."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

from curating import git, write_files

from memtui.capture.importer import ImportRequest, read_sources, run_import, waiting_sources
from memtui.domain.identity import Actor
from memtui.vault.vault import Vault


def test_sources_wait_until_they_are_imported_and_again_when_they_change(tmp_path: Path) -> None:
    root, home = tmp_path / "quay", tmp_path / "home"
    home.mkdir()
    write_files(root, {"CLAUDE.md": "Berths are leased by the hour.\n", "notes.txt": "no source"})
    git(root, "init", "-q")
    moment = datetime(2026, 5, 1, tzinfo=UTC)
    vault = Vault(tmp_path / "vault.duckdb", now=lambda: moment)
    assert waiting_sources(vault, "quay", root, home) == 1
    request = ImportRequest(paths=[root], folder=root, home=home)
    run_import(vault, read_sources(request), request, actor=Actor())
    for days, waiting in ((-1, 0), (1, 0), (1, 1)):
        write_files(
            root, {"CLAUDE.md": "Berths are leased by the day.\n" if waiting else "Berths are leased by the hour.\n"}
        )
        os.utime(root / "CLAUDE.md", (moment.timestamp() + days * 86_400,) * 2)
        assert waiting_sources(vault, "quay", root, home) == waiting
