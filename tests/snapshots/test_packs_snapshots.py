"""Pictures of the Packs screen; `pytest --snapshot-update` takes new ones."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from flows.packs_driver import use
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

from memtui.curate.feedback import give_feedback
from memtui.domain.actor import Actor
from memtui.pack import recording
from memtui.pack.recording import get_pack
from memtui.tui.app import MemtuiApp
from memtui.tui.screens.packs import PacksScreen

LOCK = "zpuwvdkl"

pytestmark = only_with_the_same_textual


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_sample(tmp_path_factory.mktemp("packs"))


@pytest.fixture(autouse=True)
def _still(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    keep_still(monkeypatch, tmp_path)
    numbers = count(1)
    monkeypatch.setattr(recording, "new_id", lambda: f"pack{next(numbers):04d}")


def _app(sample: Path, folder: Path, theme: str = "") -> MemtuiApp:
    app = sample_app(sample, folder, theme)
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


async def _read(pilot: Pilot[Any]) -> None:
    await pilot.press("K")
    await settle(pilot, PacksScreen, lambda screen: screen._shown is not None)


async def _read_memories(pilot: Pilot[Any]) -> None:
    await _read(pilot)
    await pilot.press("j", "j", "enter")
    await settle(pilot, PacksScreen, lambda screen: screen._shown.used.pack.id == screen._list.current.id)


@pytest.mark.parametrize("size", SIZES, ids=NAMES)
def test_the_packs_with_their_memories(
    sample: Path, tmp_path: Path, snap_compare: SnapCompare, size: tuple[int, int]
) -> None:
    assert snap_compare(_app(sample, tmp_path), terminal_size=size, run_before=_read)


def test_the_memories_of_a_pack_in_a_small_window(sample: Path, tmp_path: Path, snap_compare: SnapCompare) -> None:
    assert snap_compare(_app(sample, tmp_path), terminal_size=(40, 15), run_before=_read_memories)


def test_a_pack_in_the_light(sample: Path, tmp_path: Path, snap_compare: SnapCompare) -> None:
    app = _app(sample, tmp_path, "memtui-light")
    assert snap_compare(app, terminal_size=(120, 40), run_before=_read_memories)
