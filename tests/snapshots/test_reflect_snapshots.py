"""Pictures of Reflect, of a neighbourhood and of a resemblance; `pytest --snapshot-update` takes new ones."""

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

from memtui.curate.resembling import Resemblance
from memtui.tui.access.resembling import Beside
from memtui.tui.app import MemtuiApp
from memtui.tui.screens.browse import BrowseScreen
from memtui.tui.screens.reflect import ReflectScreen
from memtui.tui.widgets.form_fields import FormArea

LOCKS = ("zpuwvdkl", "o6j6sc7w", "ioddebrc")
NEAR = "ioddebrc"

pytestmark = only_with_the_same_textual


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_sample(tmp_path_factory.mktemp("reflect"))


@pytest.fixture
def app(sample: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> MemtuiApp:
    keep_still(monkeypatch, tmp_path)
    return sample_app(sample, tmp_path)


async def reflect(pilot: Pilot[Any]) -> None:
    assert isinstance(pilot.app, MemtuiApp)
    pilot.app.push_screen(ReflectScreen(pilot.app.opening, LOCKS))
    await settle(pilot, ReflectScreen, lambda screen: screen._sources is not None and screen.focused is not None)
    screen = pilot.app.screen
    assert isinstance(screen, ReflectScreen)
    area = screen._rows["insight"].field
    assert isinstance(area, FormArea)
    area.cursor_blink = False
    area.fill("A lock must outlive the slowest refund: renew it, or take it for longer.")
    await settle(pilot, ReflectScreen, lambda shown: shown._ticket > 0 and shown._is_dirty)


async def browse(pilot: Pilot[Any]) -> BrowseScreen:
    await settle(pilot, BrowseScreen, lambda screen: screen._shown_id is not None)
    screen = pilot.app.screen
    assert isinstance(screen, BrowseScreen)
    screen._list.go_to(NEAR)
    await settle(pilot, BrowseScreen, lambda shown: shown._shown_id == NEAR and bool(shown._proposed))
    return screen


async def neighbourhood(pilot: Pilot[Any]) -> None:
    screen = await browse(pilot)
    screen.action_detail()
    await pilot.pause()
    screen._detail.move_to_end(last=True)
    await pilot.pause()


async def resemblance(pilot: Pilot[Any]) -> None:
    screen = await browse(pilot)
    read = screen._read
    assert read is not None
    found = Resemblance(LOCKS[0], "Lock refunds by payment_id, never by user_id", "clashes", 0.8, "60 s against 30 s")
    screen._waiting_beside = [Beside(read.view.memory, found)]
    screen._tell_beside()
    await pilot.pause()


SCENES = {"reflect": reflect, "neighbourhood": neighbourhood, "resemblance": resemblance}


@pytest.mark.parametrize("size", SIZES, ids=NAMES)
@pytest.mark.parametrize("scene", SCENES.values(), ids=SCENES)
def test_picture(snap_compare: SnapCompare, app: MemtuiApp, scene: Callable[..., Any], size: tuple[int, int]) -> None:
    assert snap_compare(app, terminal_size=size, run_before=scene)


def test_reflect_in_the_light(
    snap_compare: SnapCompare, sample: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep_still(monkeypatch, tmp_path)
    app = sample_app(sample, tmp_path, "memtui-light")
    assert snap_compare(app, terminal_size=(120, 40), run_before=reflect)
