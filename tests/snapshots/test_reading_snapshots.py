"""Pictures of the Context screen."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from flows.packs_driver import use
from snapshots.pictures import (
    LOCK,
    NOW,
    SIZES,
    SMALL,
    TINY,
    VAST,
    WIDE,
    Album,
    browse_is_complete,
    only_with_the_same_textual,
    paste,
    sample_app,
    settle,
)
from textual.pilot import Pilot

from memtui.curate import history, lifecycle
from memtui.curate.packs import give_feedback
from memtui.domain.identity import Actor
from memtui.pack import recipes
from memtui.pack.recipes import get_pack, save_recipe
from memtui.recall.result import Task
from memtui.tui.app import MemtuiApp
from memtui.tui.browse.screen import BrowseScreen
from memtui.tui.context.screen import ContextScreen
from memtui.tui.health.screen import HealthScreen
from memtui.tui.history.screen import HistoryScreen
from memtui.tui.lab.screen import LabScreen
from memtui.tui.packs.screen import PacksScreen
from memtui.vault.vault import Vault

pytestmark = only_with_the_same_textual

TASK = "refund fails twice on retry"


def _is_answered(screen: ContextScreen) -> bool:
    return screen._answer is not None and not screen.is_waiting and screen._answer.ask == screen._ask()


async def test_a_task_with_its_payload(sample: Path, tmp_path: Path, album: Album) -> None:
    async with album.of(sample_app(sample, tmp_path)) as pilot:
        await pilot.press("c")
        await settle(pilot, ContextScreen, _is_answered)
        await paste(pilot, TASK)
        await settle(pilot, ContextScreen, lambda screen: screen._lines.text == TASK and _is_answered(screen))
        await pilot.press("enter")
        await album.take_sizes(pilot, light=True, ready=_is_answered)


def _app(sample: Path, folder: Path) -> MemtuiApp:
    app = sample_app(sample, folder)
    vault = app.opening.vault
    used = [
        use(vault, text, at=NOW - timedelta(days=days), target=target, project="payments-api")
        for text, target, days in (
            ("refund fails twice on retry", "chat", 9),
            ("which port does the replica use?", "cursor", 8),
            ("make refunds idempotent", "claude-code", 3),
            ("", "codex", 1),
        )
    ]
    members = [member.memory_id for member in get_pack(vault, used[2]).members]
    give_feedback(vault, used[1], "helped", actor=Actor())
    give_feedback(vault, used[2], "hurt", actor=Actor(), only=members[:2])
    with vault.write(actor="claude-code", action="edit") as writer:
        lock = writer.get(LOCK)
        writer.put(replace(lock, tags=(*lock.tags, "hot")))
    return app


def _is_read(screen: PacksScreen) -> bool:
    row = screen._list.current
    return screen._shown is not None and row is not None and screen._shown.used.pack.id == row.id


async def test_packs(sample: Path, tmp_path: Path, album: Album, monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = count(1)
    monkeypatch.setattr(recipes, "new_id", lambda: f"pack{next(numbers):04d}")
    async with album.of(_app(sample, tmp_path)) as pilot:
        await pilot.press("K")
        await settle(pilot, PacksScreen, _is_read)
        await album.take_sizes(pilot, ready=_is_read)
        await pilot.press("j", "j", "enter")
        await album.take(pilot, "memories-40x15", TINY, _is_read)
        pilot.app.theme = "memtui-light"
        await album.take(pilot, "memories-light", WIDE, _is_read)


def _app_history(sample: Path, folder: Path) -> MemtuiApp:
    app = sample_app(sample, folder)
    vault = app.opening.vault
    with vault.write(actor="claude-code", action="edit", summary="edit Lock refunds by payment_id") as writer:
        lock = writer.get(LOCK)
        insight = lock.insight.replace("30 s", "45 s") + "\nNever hold it while a person waits."
        writer.put(replace(lock, title="Lock refunds by payment_id", insight=insight, tags=(*lock.tags, "hot")))
    lifecycle.retire(vault, ["fhgn65yj", LOCK], actor=Actor())
    history.undo(vault, actor=Actor())
    return app


def _is_read_history(screen: HistoryScreen) -> bool:
    return screen._shown is not None and screen._shown.row.change.actor == "claude-code"


async def test_a_change_and_what_it_did(sample: Path, tmp_path: Path, album: Album) -> None:
    async with album.of(_app_history(sample, tmp_path)) as pilot:
        await pilot.press("H")
        await settle(pilot, HistoryScreen, lambda screen: len(screen._list.numbers) > 2)
        await pilot.press("j")
        await settle(pilot, HistoryScreen, _is_read_history)
        await pilot.press("m")
        await settle(pilot, HistoryScreen, lambda screen: screen._found is not None and bool(screen._found.title))
        await album.take_sizes(pilot, light=True, ready=_is_read_history)


TASKS = (("deploy day", "deploy the payments service to staging"), ("local setup", "set up postgres and node locally"))


def _app_lab(sample: Path, folder: Path) -> MemtuiApp:
    app = sample_app(sample, folder)
    vault = Vault(app.opening.vault.path, now=lambda: NOW)
    for name, text in TASKS:
        save_recipe(vault, name, Task(text=text), actor="person", project="payments-api", target="chat", budget="600")
    return app


def _rests(screen: LabScreen) -> bool:
    return screen._read is not None and screen._effect is not None and screen._payload_changes is not None


async def test_the_lab_and_health(sample: Path, tmp_path: Path, album: Album) -> None:
    app = _app_lab(sample, tmp_path)
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


async def _press(pilot: Pilot[Any], *keys: str) -> BrowseScreen:
    await settle(pilot, BrowseScreen, browse_is_complete)
    for key in keys:
        await pilot.press(key)
        await pilot.pause()
    await settle(pilot, BrowseScreen, browse_is_complete)
    screen = pilot.app.screen
    assert isinstance(screen, BrowseScreen)
    return screen


async def test_the_list(sample: Path, tmp_path: Path, album: Album) -> None:
    async with album.of(sample_app(sample, tmp_path, folder=tmp_path)) as pilot:
        await _press(pilot, "j", "j")
        await album.take_sizes(pilot, sizes=(*SIZES, VAST), light=True, ready=browse_is_complete)
        await pilot.resize_terminal(*SMALL)
        await _press(pilot, "1", "j")
        await album.take(pilot, "facets-over-it", ready=browse_is_complete)
        await _press(pilot, "escape")
        await pilot.resize_terminal(*WIDE)
        await _press(pilot, "slash")
        await paste(pilot, "refund lock")
        screen = await _press(pilot, "enter", "i")
        await album.take(
            pilot, "why", ready=lambda one: browse_is_complete(one) and one.details.read.explained is not None
        )
        await _press(pilot, "i", "escape")
        screen.choose({"kind": ("constraint", "decision")})
        await _press(pilot, "slash")
        await paste(pilot, "lock")
        await _press(pilot, "enter", "space", "space", "j")
        await album.take_sizes(pilot, "narrowed", (SMALL, WIDE), ready=browse_is_complete)
