"""Pictures of the Decay lab and of Health over the sample vault; `pytest --snapshot-update` takes new ones."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from snapshots.pictures import (
    NAMES,
    NOW,
    SIZES,
    SnapCompare,
    build_sample,
    keep_still,
    only_with_the_same_textual,
    sample_app,
    settle,
)
from textual.pilot import Pilot

from memtui.pack.recording import save_recipe
from memtui.recall.task import Task
from memtui.tui.app import MemtuiApp
from memtui.tui.screens.health import HealthScreen
from memtui.tui.screens.lab import LabScreen
from memtui.vault.vault import Vault

pytestmark = only_with_the_same_textual

TASKS = (("deploy day", "deploy the payments service to staging"), ("local setup", "set up postgres and node locally"))


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = build_sample(tmp_path_factory.mktemp("sample"))
    vault = Vault(folder / "vault.duckdb", now=lambda: NOW)
    for name, text in TASKS:
        save_recipe(vault, name, Task(text=text), actor="person", project="payments-api", target="chat", budget="600")
    return folder


def at_the_lab(*keys: str) -> Callable[[Pilot[Any]], Any]:
    """Open the lab without a memory under the cursor, press keys, and wait for every effect."""

    def rests(screen: LabScreen) -> bool:
        return screen._read is not None and screen._effect is not None and screen._changes is not None

    async def before(pilot: Pilot[Any]) -> None:
        await pilot.app.push_screen(LabScreen(pilot.app.opening))  # type: ignore[attr-defined] # our own app
        await settle(pilot, LabScreen, rests)
        for key in keys:
            await pilot.press(key)
            await settle(pilot, LabScreen, rests)

    return before


async def at_health(pilot: Pilot[Any]) -> None:
    await pilot.app.push_screen(HealthScreen(pilot.app.opening))  # type: ignore[attr-defined] # our own app
    await settle(pilot, HealthScreen, lambda screen: screen._read is not None)


def app(sample: Path, folder: Path, theme: str = "") -> MemtuiApp:
    return sample_app(sample, folder, theme)


@pytest.mark.parametrize("size", SIZES, ids=NAMES)
def test_a_convention_that_would_fade_faster(
    sample: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, snap_compare: SnapCompare, size: tuple[int, int]
) -> None:
    keep_still(monkeypatch, tmp_path)
    keys = ("down", "left", "left", "left", "left", "left")
    assert snap_compare(app(sample, tmp_path), terminal_size=size, run_before=at_the_lab(*keys))


def test_the_lab_in_the_light_theme(
    sample: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, snap_compare: SnapCompare
) -> None:
    keep_still(monkeypatch, tmp_path)
    assert snap_compare(
        app(sample, tmp_path, "memtui-light"), terminal_size=(80, 24), run_before=at_the_lab("t", "greater_than_sign")
    )


@pytest.mark.parametrize("size", SIZES, ids=NAMES)
def test_the_shape_of_the_sample_vault(
    sample: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, snap_compare: SnapCompare, size: tuple[int, int]
) -> None:
    keep_still(monkeypatch, tmp_path)
    assert snap_compare(app(sample, tmp_path), terminal_size=size, run_before=at_health)


def test_health_in_the_light_theme(
    sample: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, snap_compare: SnapCompare
) -> None:
    keep_still(monkeypatch, tmp_path)
    assert snap_compare(app(sample, tmp_path, "memtui-light"), terminal_size=(80, 24), run_before=at_health)
