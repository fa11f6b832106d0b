"""Pictures of the Packs screen."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from itertools import count
from pathlib import Path

import pytest
from flows.packs_driver import use
from snapshots.pictures import LOCK, NOW, TINY, WIDE, Album, only_with_the_same_textual, sample_app, settle

from memtui.curate.packs import give_feedback
from memtui.domain.identity import Actor
from memtui.pack import recipes
from memtui.pack.recipes import get_pack
from memtui.tui.app import MemtuiApp
from memtui.tui.packs.screen import PacksScreen

pytestmark = only_with_the_same_textual


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
