"""Pictures of the first run and the Import screen."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from curating import write_files
from snapshots.pictures import NOW, Album, only_with_the_same_textual

from memtui import locations
from memtui.tui.app import MemtuiApp
from memtui.tui.importing.screen import ImportScreen
from memtui.tui.state import Opening
from memtui.vault.vault import Vault

pytestmark = only_with_the_same_textual


def _app(folder: Path, home: Path) -> MemtuiApp:
    """Return the app on an empty vault in a project with rule files."""
    project = folder / "payments-api"
    shutil.copytree(locations.resource_folder("sample_vault") / "trees" / "payments-api", project)
    subprocess.run(["git", "init", "-q", str(project)], check=True)
    write_files(home, {".claude/CLAUDE.md": "# Mine\n\n- Answer in short sentences.\n"})
    vault = Vault(folder / "vault.duckdb", now=lambda: NOW)
    return MemtuiApp(Opening(vault=vault, folder=project, state_path=folder / "state.json"))


def _is_read(screen: object) -> bool:
    return isinstance(screen, ImportScreen) and screen._plan.count > 0 and not screen.acting


async def test_the_first_run(own_home: Path, tmp_path: Path, album: Album) -> None:
    async with album.of(_app(tmp_path, own_home)) as pilot:
        await album.take_sizes(pilot, light=True, ready=_is_read)
