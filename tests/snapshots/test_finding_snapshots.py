"""Pictures of the palette, the help and the choice of a project over the sample vault."""

from __future__ import annotations

from pathlib import Path

import pytest
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
from memtui.tui.importing.screen import ImportScreen
from memtui.tui.screens.dialogs import ChoiceScreen
from memtui.tui.screens.finding import FindScreen
from memtui.tui.screens.palette import HelpScreen, PaletteScreen
from memtui.tui.switching import EVERY

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


async def test_switching_the_project(
    sample: Path, tmp_path: Path, album: Album, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Where the tests lie is different everywhere.
    monkeypatch.setattr("memtui.tui.switching.shown_folder", lambda folder: f"~/work/clients/northern/{folder.name}")
    async with album.of(sample_app(sample, tmp_path)) as pilot:
        await settle(pilot, BrowseScreen, browse_is_complete)
        await pilot.press("at")
        await settle(pilot, ChoiceScreen, lambda _: True)
        await album.take_sizes(pilot, "switch", light=True)
        await pilot.press("escape")
        await settle(pilot, BrowseScreen, browse_is_complete)
        browse = pilot.app.screen
        assert isinstance(browse, BrowseScreen)
        browse.choose({"project": ("ops-infra",)})
        await album.take_sizes(pilot, "listed-only", (SMALL, WIDE), ready=browse_is_complete)
        pilot.app._switching.find(browse, "ops-infra")  # type: ignore[attr-defined] # memtui's own app
        await settle(pilot, BrowseScreen, lambda one: one is not browse and browse_is_complete(one))
        await album.take_sizes(pilot, "switched", (SMALL, WIDE), ready=browse_is_complete)
        pilot.app._switching.find(pilot.app.screen, EVERY)  # type: ignore[attr-defined] # memtui's own app
        await settle(pilot, BrowseScreen, lambda one: not one.opening.has_folder and browse_is_complete(one))
        await pilot.press("J")
        await settle(pilot, ImportScreen, lambda one: one._title.place is not None and not one._title.note)
        pilot.app.clear_notifications()
        await album.take_sizes(pilot, "no-folder")
