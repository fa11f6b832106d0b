"""Pictures of a conflict between an edited source and an edited memory of the sample vault."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from snapshots.pictures import LOCK, NOW, SMALL, TINY, WIDE, Album, only_with_the_same_textual, sample_app, settle

from memtui.capture.source_conflicts import SourceConflict
from memtui.tui.edit.version_conflict import SourceConflictScreen
from memtui.vault.source_texts import SourceText, Texts

pytestmark = only_with_the_same_textual


async def test_a_conflict_with_a_source(sample: Path, tmp_path: Path, album: Album) -> None:
    app = sample_app(sample, tmp_path, folder=tmp_path)
    with app.opening.vault.read() as reader:
        memory = reader.get(LOCK)
    base = Texts(memory.title, "Lock refunds by payment_id.\nThe lock lives 30 seconds.", memory.rationale)
    stated = replace(base, title="Lock refunds by payment", insight="Lock refunds by payment_id.\nIt lives 60 s.")
    text = SourceText(LOCK, "docs/CLAUDE.md", "Locks#1", (41, 42), base, stated, stated.hash, NOW)
    mine = replace(memory, insight=f"Since the outage of May:\n{base.insight}", rationale="Cards pay at once.")
    async with album.of(app) as pilot:
        await app.push_screen(SourceConflictScreen(app.opening, SourceConflict(mine, text), 3))
        await settle(pilot, SourceConflictScreen, lambda screen: screen.focused is not None)
        for size in (SMALL, TINY):
            await album.take(pilot, f"{size[0]}x{size[1]}", size)
        await pilot.resize_terminal(*WIDE)
        await pilot.press("plus")
        await album.take(pilot, "both")
