"""Pictures of Merge, Tidy, a contradiction and many memories at once over the sample vault."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from snapshots.pictures import LOCKS, Album, only_with_the_same_textual, paste, sample_app, settle
from textual.pilot import Pilot

from memtui.tui.browse.bulk import BulkScreen
from memtui.tui.browse.screen import BrowseScreen
from memtui.tui.merge.screen import MergeScreen
from memtui.tui.tidy.screen import ContradictionScreen, TidyScreen

pytestmark = only_with_the_same_textual


async def test_curation(sample: Path, tmp_path: Path, album: Album) -> None:
    app = sample_app(sample, tmp_path)
    async with album.of(app) as pilot:
        await app.push_screen(MergeScreen(app.opening, LOCKS))
        await settle(pilot, MergeScreen, lambda screen: "tokens" in str(screen._result.border_title))
        await pilot.press("j")
        await album.take_sizes(pilot, "merge", light=True)
        await app.pop_screen()
        await pilot.press("T")
        await settle(pilot, TidyScreen, lambda screen: screen._report is not None)
        await album.take_sizes(pilot, "tidy")
        await pilot.press("enter")
        await settle(pilot, ContradictionScreen, lambda screen: bool(screen._panes[1].plain_lines))
        await album.take_sizes(pilot, "contradiction")
        await app.action_go("browse")
        await _choose_many(pilot)
        await album.take_sizes(pilot, "many")


async def _choose_many(pilot: Pilot[Any]) -> None:
    query = "kind:tooling -pinned"
    await pilot.press("slash")
    await paste(pilot, query)
    await pilot.press("enter")
    await settle(
        pilot, BrowseScreen, lambda screen: screen.lists.listing is not None and screen.lists.listing.query == query
    )
    await pilot.press("B")
    await settle(pilot, BulkScreen, lambda screen: bool(screen._ids) and screen._list.row(screen._ids[0]) is not None)
