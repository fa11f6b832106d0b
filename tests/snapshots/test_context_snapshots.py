"""Pictures of the Context screen."""

from __future__ import annotations

from pathlib import Path

from snapshots.pictures import Album, only_with_the_same_textual, paste, sample_app, settle

from memtui.tui.context.screen import ContextScreen

TASK = "refund fails twice on retry"

pytestmark = only_with_the_same_textual


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
