"""Pictures of the Browse screen over the sample vault."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from snapshots.pictures import (
    SIZES,
    SMALL,
    WIDE,
    Album,
    browse_is_complete,
    only_with_the_same_textual,
    paste,
    sample_app,
    settle,
)
from textual.pilot import Pilot

from memtui.tui.browse.screen import BrowseScreen

pytestmark = only_with_the_same_textual


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
        await album.take_sizes(pilot, sizes=(*SIZES, (200, 60)), light=True, ready=browse_is_complete)
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
