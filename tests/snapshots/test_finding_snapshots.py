"""Pictures of the palette and the help over the sample vault."""

from __future__ import annotations

from pathlib import Path

from snapshots.pictures import (
    SMALL,
    WIDE,
    Album,
    browse_is_complete,
    only_with_the_same_textual,
    sample_app,
    settle,
)
from textual.widgets import OptionList

from memtui.tui.browse.screen import BrowseScreen
from memtui.tui.screens.finding import FindScreen
from memtui.tui.screens.help import HelpScreen
from memtui.tui.screens.palette import PaletteScreen

pytestmark = only_with_the_same_textual


def _is_filled(screen: FindScreen) -> bool:
    return bool(screen.query_one(OptionList).option_count)


async def test_the_palette_and_the_help(sample: Path, tmp_path: Path, album: Album) -> None:
    async with album.of(sample_app(sample, tmp_path)) as pilot:
        await settle(pilot, BrowseScreen, browse_is_complete)
        await pilot.press("colon")
        await settle(pilot, PaletteScreen, _is_filled)
        await album.take_sizes(pilot, "palette", light=True)
        await pilot.press(*"facet")
        await album.take(pilot, "palette-typed", SMALL)
        await pilot.press("escape", "question_mark")
        await settle(pilot, HelpScreen, _is_filled)
        await album.take_sizes(pilot, "help", light=True)
        await pilot.press(*"mark")
        await album.take(pilot, "help-typed", WIDE)
