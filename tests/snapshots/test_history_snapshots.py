"""Pictures of the History screen; `pytest --snapshot-update` takes new ones."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from snapshots.pictures import (
    NAMES,
    SIZES,
    SnapCompare,
    build_sample,
    keep_still,
    only_with_the_same_textual,
    sample_app,
    settle,
)
from textual.pilot import Pilot

from memtui.curate import lifecycle, timeline
from memtui.domain.actor import Actor
from memtui.tui.app import MemtuiApp
from memtui.tui.screens.history import HistoryScreen

LOCK = "zpuwvdkl"

pytestmark = only_with_the_same_textual


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_sample(tmp_path_factory.mktemp("history"))


@pytest.fixture(autouse=True)
def _still(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    keep_still(monkeypatch, tmp_path)


def _app(sample: Path, folder: Path, theme: str = "") -> MemtuiApp:
    app = sample_app(sample, folder, theme)
    vault = app.opening.vault
    with vault.write(actor="claude-code", action="edit", summary="edit Lock refunds by payment_id") as writer:
        lock = writer.get(LOCK)
        insight = lock.insight.replace("30 s", "45 s") + "\nNever hold it while a person waits."
        writer.put(replace(lock, title="Lock refunds by payment_id", insight=insight, tags=(*lock.tags, "hot")))
    lifecycle.retire(vault, ["fhgn65yj", LOCK], actor=Actor())
    timeline.undo(vault, actor=Actor())
    return app


async def _read(pilot: Pilot[Any]) -> None:
    await pilot.press("H")
    await settle(pilot, HistoryScreen, lambda screen: screen._listed)
    await pilot.press("m")
    await settle(pilot, HistoryScreen, lambda screen: len(screen._list.numbers) > 3)
    await pilot.press("g", "j", "j")
    await settle(pilot, HistoryScreen, lambda screen: screen._shown and screen._shown.row.change.actor == "claude-code")


@pytest.mark.parametrize("size", SIZES, ids=NAMES)
def test_a_change_and_what_it_did(
    sample: Path, tmp_path: Path, snap_compare: SnapCompare, size: tuple[int, int]
) -> None:
    assert snap_compare(_app(sample, tmp_path), terminal_size=size, run_before=_read)


def test_a_change_in_the_light(sample: Path, tmp_path: Path, snap_compare: SnapCompare) -> None:
    assert snap_compare(_app(sample, tmp_path, "memtui-light"), terminal_size=(120, 40), run_before=_read)
