"""Pictures of the Decay lab and of Health over the sample vault."""

from __future__ import annotations

from pathlib import Path

from snapshots.pictures import NOW, SMALL, Album, only_with_the_same_textual, sample_app, settle

from memtui.pack.recipes import save_recipe
from memtui.recall.result import Task
from memtui.tui.app import MemtuiApp
from memtui.tui.health.screen import HealthScreen
from memtui.tui.lab.screen import LabScreen
from memtui.vault.vault import Vault

pytestmark = only_with_the_same_textual

TASKS = (("deploy day", "deploy the payments service to staging"), ("local setup", "set up postgres and node locally"))


def _app(sample: Path, folder: Path) -> MemtuiApp:
    app = sample_app(sample, folder)
    vault = Vault(app.opening.vault.path, now=lambda: NOW)
    for name, text in TASKS:
        save_recipe(vault, name, Task(text=text), actor="person", project="payments-api", target="chat", budget="600")
    return app


def _rests(screen: LabScreen) -> bool:
    return screen._read is not None and screen._effect is not None and screen._payload_changes is not None


async def test_the_lab_and_health(sample: Path, tmp_path: Path, album: Album) -> None:
    app = _app(sample, tmp_path)
    async with album.of(app) as pilot:
        await app.push_screen(LabScreen(app.opening))
        for key in ("t", "greater_than_sign"):
            await settle(pilot, LabScreen, _rests)
            await pilot.press(key)
        app.theme = "memtui-light"
        await album.take(pilot, "lab-light", SMALL, _rests)
        app.theme = "memtui-dark"
        await app.pop_screen()
        # Without a memory under the cursor: the kind that fades faster is chosen by its own.
        await app.push_screen(LabScreen(app.opening))
        for key in ("down", "left", "left", "left", "left", "left"):
            await settle(pilot, LabScreen, _rests)
            await pilot.press(key)
        await album.take_sizes(pilot, "lab", ready=_rests)
        await app.pop_screen()
        await app.push_screen(HealthScreen(app.opening))
        await album.take_sizes(pilot, "health", light=True, ready=lambda screen: screen._read is not None)
