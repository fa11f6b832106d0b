"""Pictures of Review over the sample vault."""

from __future__ import annotations

from pathlib import Path

from snapshots.pictures import SMALL, Album, only_with_the_same_textual, sample_app, settle

from memtui.tui.review.screen import ReviewScreen

pytestmark = only_with_the_same_textual


def _rests(screen: ReviewScreen) -> bool:
    card, opened = screen._card, screen._queue.opened
    is_shown = (
        card is not None and card.detail.view.memory.id == screen._queue.current and screen._panes.memory.was_seen()
    )
    return (
        opened is not None
        and opened.session.standing is not None
        and not screen.acting
        and not screen._queue.decided
        and (is_shown or screen.has_class("-over"))
    )


async def test_one_memory_with_its_evidence_and_the_receipt(sample: Path, tmp_path: Path, album: Album) -> None:
    async with album.of(sample_app(sample, tmp_path, start="due", most=6)) as pilot:
        for key in ("n", "n", "y"):
            await settle(pilot, ReviewScreen, _rests)
            await pilot.press(key)
        await album.take_sizes(pilot, ready=_rests)
        await pilot.press("p")
        await settle(pilot, ReviewScreen, _rests)
        for _ in range(6):
            if not pilot.app.screen.has_class("-over"):
                await pilot.press("y")
                await settle(pilot, ReviewScreen, _rests)
        pilot.app.theme = "memtui-light"
        await album.take(pilot, "receipt-light", SMALL, _rests)
