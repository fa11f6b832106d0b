"""Pictures of the History screen."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from snapshots.pictures import LOCK, Album, only_with_the_same_textual, sample_app, settle

from memtui.curate import history, lifecycle
from memtui.domain.identity import Actor
from memtui.tui.app import MemtuiApp
from memtui.tui.history.screen import HistoryScreen

pytestmark = only_with_the_same_textual


def _app(sample: Path, folder: Path) -> MemtuiApp:
    app = sample_app(sample, folder)
    vault = app.opening.vault
    with vault.write(actor="claude-code", action="edit", summary="edit Lock refunds by payment_id") as writer:
        lock = writer.get(LOCK)
        insight = lock.insight.replace("30 s", "45 s") + "\nNever hold it while a person waits."
        writer.put(replace(lock, title="Lock refunds by payment_id", insight=insight, tags=(*lock.tags, "hot")))
    lifecycle.retire(vault, ["fhgn65yj", LOCK], actor=Actor())
    history.undo(vault, actor=Actor())
    return app


def _is_read(screen: HistoryScreen) -> bool:
    return screen._shown is not None and screen._shown.row.change.actor == "claude-code"


async def test_a_change_and_what_it_did(sample: Path, tmp_path: Path, album: Album) -> None:
    async with album.of(_app(sample, tmp_path)) as pilot:
        await pilot.press("H")
        await settle(pilot, HistoryScreen, lambda screen: screen._listed)
        await pilot.press("m")
        await settle(pilot, HistoryScreen, lambda screen: len(screen._list.numbers) > 3)
        await pilot.press("g", "j", "j")
        await album.take_sizes(pilot, light=True, ready=_is_read)
