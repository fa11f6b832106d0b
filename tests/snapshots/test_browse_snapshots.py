"""Pictures of the Browse screen over the sample vault; `pytest --snapshot-update` takes new ones.

They are taken with the Textual that stands in `textual.__version__` below; another one may draw otherwise.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import textual
from textual.pilot import Pilot

from memtui.cli.demo import build_demo
from memtui.tui.app import MemtuiApp
from memtui.tui.opening import Opening
from memtui.tui.screens.browse import BrowseScreen
from memtui.vault.vault import Vault

TAKEN_WITH = "8.2.8"
NOW = datetime(2026, 11, 30, 9, tzinfo=UTC)
PATIENT_SECONDS = 30.0

pytestmark = pytest.mark.skipif(textual.__version__ != TAKEN_WITH, reason=f"pictures of Textual {TAKEN_WITH}")

SnapCompare = Callable[..., bool]


@pytest.fixture(autouse=True)
def _still(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Freeze the clock, stop animation, and keep the person's own settings out."""
    monkeypatch.setenv("MEMTUI_NOW", NOW.isoformat())
    monkeypatch.setenv("MEMTUI_CONFIG", str(tmp_path / "config.toml"))
    monkeypatch.setattr("memtui.tui.screens.file_checks.FIRST_SECONDS", 3_600.0)
    for name in ("TEXTUAL_THEME", "NO_COLOR", "MEMTUI_ACTOR"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def app(tmp_path: Path) -> MemtuiApp:
    """The app on a fresh copy of the sample vault."""
    app = MemtuiApp(Opening(vault=Vault(build_demo(tmp_path / "demo")), folder=tmp_path))
    app.animation_level = "none"
    return app


async def _settle(pilot: Pilot[Any]) -> None:
    """Wait until the memory looked at is shown in full, the facets in sight are counted, and nothing blinks."""
    screen = pilot.app.screen
    assert isinstance(screen, BrowseScreen)
    screen._filter.cursor_blink = False

    def is_still() -> bool:
        shown = screen._listing is not None and not screen._outdated and screen._query == screen._listing.query
        full = screen._shown_id == screen._subject and screen._list.current_row is not None
        counted = not screen._facets.display or screen._counted_ticket == screen._ticket
        around = screen._around_ticket == screen._detail_ticket
        return shown and full and counted and around

    waited = 0.0
    while not is_still():
        assert waited < PATIENT_SECONDS, "the sample vault never came"
        await pilot.pause(0.05)
        waited += 0.05
    await pilot.app.workers.wait_for_complete()
    await pilot.pause()


async def _press(pilot: Pilot[Any], *keys: str) -> None:
    await _settle(pilot)
    for key in keys:
        await pilot.press(key)
        await pilot.pause()
    await _settle(pilot)


async def _down(pilot: Pilot[Any]) -> None:
    await _press(pilot, "j", "j")


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (40, 15), (200, 60)], ids=lambda size: f"{size[0]}x{size[1]}")
def test_the_list(app: MemtuiApp, snap_compare: SnapCompare, size: tuple[int, int]) -> None:
    assert snap_compare(app, terminal_size=size, run_before=_down)


@pytest.mark.parametrize("theme", ["memtui-light"])
def test_the_list_in_the_light_theme(app: MemtuiApp, snap_compare: SnapCompare, theme: str) -> None:
    app.theme = theme
    assert snap_compare(app, terminal_size=(120, 40), run_before=_down)


@pytest.mark.parametrize("size", [(80, 24), (120, 40)], ids=lambda size: f"{size[0]}x{size[1]}")
def test_facets_chosen_filtered_and_marked(app: MemtuiApp, snap_compare: SnapCompare, size: tuple[int, int]) -> None:
    async def narrow(pilot: Pilot[Any]) -> None:
        await _settle(pilot)
        screen = pilot.app.screen
        assert isinstance(screen, BrowseScreen)
        screen._choose({"kind": ("constraint", "decision")})
        await _press(pilot, "slash", *"lock", "enter")
        await _press(pilot, "space", "space", "j")

    assert snap_compare(app, terminal_size=size, run_before=narrow)


def test_the_facets_of_a_small_terminal_lie_over_the_list(app: MemtuiApp, snap_compare: SnapCompare) -> None:
    async def go(pilot: Pilot[Any]) -> None:
        await _press(pilot, "1")
        await _press(pilot, "j")

    assert snap_compare(app, terminal_size=(80, 24), run_before=go)


def test_why_a_hit_stands_where_it_stands(app: MemtuiApp, snap_compare: SnapCompare) -> None:
    async def ask(pilot: Pilot[Any]) -> None:
        await _press(pilot, "slash", *"refund lock", "enter")
        await _press(pilot, "i")
        screen = pilot.app.screen
        assert isinstance(screen, BrowseScreen)
        waited = 0.0
        while screen._read is None or screen._read.explained is None:
            assert waited < PATIENT_SECONDS, "the score was never explained"
            await pilot.pause(0.05)
            waited += 0.05
        await _settle(pilot)

    assert snap_compare(app, terminal_size=(120, 40), run_before=ask)
