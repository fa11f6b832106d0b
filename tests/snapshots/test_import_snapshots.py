"""Pictures of the first run and the Import screen; `pytest --snapshot-update` takes new ones."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from curating import write_files
from snapshots.pictures import (
    NAMES,
    NOW,
    SIZES,
    SnapCompare,
    keep_still,
    only_with_the_same_textual,
    settle,
    still_app,
)
from textual.pilot import Pilot

from memtui import resources
from memtui.tui.app import MemtuiApp
from memtui.tui.opening import Opening
from memtui.tui.screens.importing import ImportScreen
from memtui.vault.vault import Vault

pytestmark = only_with_the_same_textual


@pytest.fixture(autouse=True)
def _still(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    keep_still(monkeypatch, tmp_path)


def _app(folder: Path, home: Path, theme: str = "") -> MemtuiApp:
    """Return the app on an empty vault in a project with rule files."""
    project = folder / "payments-api"
    shutil.copytree(resources.resource_folder("sample_vault") / "trees" / "payments-api", project)
    subprocess.run(["git", "init", "-q", str(project)], check=True)
    write_files(home, {".claude/CLAUDE.md": "# Mine\n\n- Answer in short sentences.\n"})
    vault = Vault(folder / "vault.duckdb", now=lambda: NOW)
    return still_app(Opening(vault=vault, folder=project, theme=theme, state_path=folder / "state.json"))


async def _look(pilot: Pilot[Any]) -> None:
    await settle(pilot, ImportScreen, lambda screen: screen._preview is not None and not screen.acting)


@pytest.mark.parametrize("size", SIZES, ids=NAMES)
def test_the_first_run(own_home: Path, tmp_path: Path, snap_compare: SnapCompare, size: tuple[int, int]) -> None:
    assert snap_compare(_app(tmp_path, own_home), terminal_size=size, run_before=_look)


def test_the_first_run_in_the_light(own_home: Path, tmp_path: Path, snap_compare: SnapCompare) -> None:
    assert snap_compare(_app(tmp_path, own_home, "memtui-light"), terminal_size=(120, 40), run_before=_look)
