"""Pictures of Merge, Tidy and a contradiction over the sample vault; `pytest --snapshot-update` takes new ones."""

from __future__ import annotations

from collections.abc import Callable
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

from memtui.tui.app import MemtuiApp
from memtui.tui.screens.browse import BrowseScreen
from memtui.tui.screens.bulk import BulkScreen
from memtui.tui.screens.clash import ClashScreen
from memtui.tui.screens.merge import MergeScreen
from memtui.tui.screens.tidy import TidyScreen

LOCKS = ("zpuwvdkl", "o6j6sc7w", "ioddebrc")

pytestmark = only_with_the_same_textual


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_sample(tmp_path_factory.mktemp("curation"))


@pytest.fixture
def app(sample: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> MemtuiApp:
    keep_still(monkeypatch, tmp_path)
    return sample_app(sample, tmp_path)


async def merge(pilot: Pilot[Any]) -> None:
    assert isinstance(pilot.app, MemtuiApp)
    pilot.app.push_screen(MergeScreen(pilot.app.opening, LOCKS))
    await settle(pilot, MergeScreen, lambda screen: "tokens" in str(screen._result.border_title))
    await pilot.press("j")
    await pilot.pause()


async def tidy(pilot: Pilot[Any]) -> None:
    await pilot.press("T")
    await settle(pilot, TidyScreen, lambda screen: screen._report is not None)


async def clash(pilot: Pilot[Any]) -> None:
    await tidy(pilot)
    await pilot.press("enter")
    await settle(pilot, ClashScreen, lambda screen: bool(screen._panes[1].plain_lines))


async def bulk(pilot: Pilot[Any]) -> None:
    query = "kind:tooling -pinned"
    await pilot.press("slash", *("space" if sign == " " else sign for sign in query), "enter")
    await settle(pilot, BrowseScreen, lambda screen: screen._listing is not None and screen._listing.query == query)
    await pilot.press("B")
    await settle(pilot, BulkScreen, lambda screen: bool(screen._ids) and screen._list.row(screen._ids[0]) is not None)


@pytest.mark.parametrize("shows", [merge, tidy, clash, bulk], ids=["merge", "tidy", "contradiction", "many"])
@pytest.mark.parametrize("size", SIZES, ids=NAMES)
def test_curation(
    app: MemtuiApp, snap_compare: SnapCompare, size: tuple[int, int], shows: Callable[[Pilot[Any]], Any]
) -> None:
    assert snap_compare(app, terminal_size=size, run_before=shows)


def test_a_merge_in_the_light_theme(app: MemtuiApp, snap_compare: SnapCompare) -> None:
    app.theme = "memtui-light"
    assert snap_compare(app, terminal_size=(120, 40), run_before=merge)
