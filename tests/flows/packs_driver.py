"""Drives the Packs screen, over packs that were really made and recorded."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

from flows.app_driver import NOW, until
from textual.pilot import Pilot

from memtui.config import RecallSettings
from memtui.pack.build import context
from memtui.pack.options import PackOptions
from memtui.pack.recipes import record_pack
from memtui.recall.result import Task
from memtui.tui.packs.screen import PacksScreen
from memtui.vault.filters import Scope
from memtui.vault.vault import Vault


def use(
    vault: Vault,
    text: str,
    *,
    at: datetime = NOW,
    files: tuple[str, ...] = (),
    target: str = "chat",
    project: str = "ferry",
) -> str:
    """Copy a payload for a task at some time; returns the pack's id."""
    then = Vault(Path(vault.path), now=lambda: at)
    task = Task(text, files)
    pack = context(
        then,
        task,
        Scope.of_project(project),
        PackOptions(max_memories=20),
        project=project,
        target=target,
        settings=RecallSettings(),
        now=at,
    )
    return record_pack(then, pack, task, actor="person", project=project, signal="copied")


def packs(pilot: Pilot[Any]) -> PacksScreen:
    screen = next(one for one in pilot.app.screen_stack if isinstance(one, PacksScreen))
    assert isinstance(screen, PacksScreen)
    return screen


async def open_packs(pilot: Pilot[Any], number: int) -> PacksScreen:
    await pilot.press("K")
    await until(pilot, lambda: isinstance(pilot.app.screen, PacksScreen), "Packs is open")
    await until(pilot, lambda: packs(pilot)._listed and len(packs(pilot)._list.rows) == number, f"{number} are listed")
    return packs(pilot)


async def reads(pilot: Pilot[Any], pack_id: str) -> None:
    """Wait until the memories of a pack are shown."""

    def is_read() -> bool:
        screen = packs(pilot)
        row, shown = screen._list.current, screen._shown
        return row is not None and row.id == pack_id and shown is not None and shown.used.pack.id == pack_id

    await until(pilot, is_read, f"pack {pack_id} is read")


async def says_of(pilot: Pilot[Any], pack_id: str, said: str) -> None:
    """Wait until the list says so of a pack."""

    def is_said() -> bool:
        screen = packs(pilot)
        return not screen.acting and any(row.id == pack_id and row.verdict == said for row in screen._list.rows)

    await until(pilot, is_said, f"of pack {pack_id} it is said {said!r}")
