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
    for name in ("TEXTUAL_THEME", "NO_COLOR", "MEMTUI_ACTOR"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def app(tmp_path: Path) -> MemtuiApp:
    """The app on a fresh copy of the sample vault."""
    app = MemtuiApp(Opening(vault=Vault(build_demo(tmp_path / "demo")), folder=tmp_path))
    app.animation_level = "none"
    return app


async def _settle(pilot: Pilot[Any]) -> None:
    """Wait until the memory under the cursor is shown in full, and the last cursor is still."""
    screen = pilot.app.screen
    assert isinstance(screen, BrowseScreen)
    screen._filter.cursor_blink = False
    waited = 0.0
    while screen._listing is None or screen._shown_id != screen._list.current or screen._list.current_row is None:
        assert waited < PATIENT_SECONDS, "the sample vault never came"
        await pilot.pause(0.05)
        waited += 0.05
    await pilot.app.workers.wait_for_complete()
    await pilot.pause()


def test_a_small_terminal_shows_the_list_alone(app: MemtuiApp, snap_compare: SnapCompare) -> None:
    async def down(pilot: Pilot[Any]) -> None:
        await _settle(pilot)
        await pilot.press("j", "j")
        await _settle(pilot)

    assert snap_compare(app, terminal_size=(80, 24), run_before=down)


def test_a_wide_terminal_shows_the_list_beside_one_memory_in_full(app: MemtuiApp, snap_compare: SnapCompare) -> None:
    async def down(pilot: Pilot[Any]) -> None:
        await _settle(pilot)
        await pilot.press("j", "j")
        await _settle(pilot)

    assert snap_compare(app, terminal_size=(120, 40), run_before=down)
