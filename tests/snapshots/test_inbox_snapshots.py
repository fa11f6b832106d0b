"""Pictures of the Inbox over the sample vault; `pytest --snapshot-update` takes new ones."""

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
from memtui.tui.screens.inbox import InboxScreen
from memtui.vault.vault import Vault

TAKEN_WITH = "8.2.8"
NOW = datetime(2026, 11, 30, 9, tzinfo=UTC)
PATIENT_SECONDS = 60.0

pytestmark = pytest.mark.skipif(textual.__version__ != TAKEN_WITH, reason=f"pictures of Textual {TAKEN_WITH}")

SnapCompare = Callable[..., bool]


@pytest.fixture
def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> MemtuiApp:
    """The app on a fresh copy of the sample vault, the clock frozen and the person's own settings kept out."""
    monkeypatch.setenv("MEMTUI_NOW", NOW.isoformat())
    monkeypatch.setenv("MEMTUI_CONFIG", str(tmp_path / "config.toml"))
    for name in ("TEXTUAL_THEME", "NO_COLOR", "MEMTUI_ACTOR"):
        monkeypatch.delenv(name, raising=False)
    app = MemtuiApp(Opening(vault=Vault(build_demo(tmp_path / "demo"), now=lambda: NOW), folder=tmp_path))
    app.animation_level = "none"
    return app


def inbox(*keys: str, theme: str = "memtui-dark") -> Callable[[Pilot[Any]], Any]:
    """Open the Inbox, press keys, and wait until the candidate under the cursor is shown in full."""

    async def before(pilot: Pilot[Any]) -> None:
        assert isinstance(pilot.app, MemtuiApp)
        pilot.app.theme = theme
        screen = InboxScreen(pilot.app.opening)
        pilot.app.push_screen(screen)
        await _settle(pilot, screen)
        await pilot.press(*keys)
        await _settle(pilot, screen)

    return before


async def _settle(pilot: Pilot[Any], screen: InboxScreen) -> None:
    waited = 0.0
    while screen._waiting is None or screen._shown_id != screen._list.current or screen._list.current_row is None:
        assert waited < PATIENT_SECONDS, "the sample vault never came"
        await pilot.pause(0.05)
        waited += 0.05
    await pilot.app.workers.wait_for_complete()
    await pilot.pause()


def test_the_inbox_in_a_small_terminal(app: MemtuiApp, snap_compare: SnapCompare) -> None:
    assert snap_compare(app, terminal_size=(80, 24), run_before=inbox("j"))


def test_the_inbox_in_a_wide_terminal_with_marks(app: MemtuiApp, snap_compare: SnapCompare) -> None:
    assert snap_compare(app, terminal_size=(120, 40), run_before=inbox("space", "space", "G", "k"))


def test_the_inbox_in_a_tiny_terminal(app: MemtuiApp, snap_compare: SnapCompare) -> None:
    assert snap_compare(app, terminal_size=(40, 15), run_before=inbox("j"))


def test_the_inbox_in_the_light_theme(app: MemtuiApp, snap_compare: SnapCompare) -> None:
    assert snap_compare(app, terminal_size=(120, 40), run_before=inbox("j", theme="memtui-light"))
