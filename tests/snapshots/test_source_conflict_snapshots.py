"""Pictures of a conflict between an edited source and an edited memory of the sample vault."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import textual
from textual.pilot import Pilot

from memtui.capture.conflicts import SourceConflict
from memtui.cli.demo import build_demo
from memtui.tui.app import MemtuiApp
from memtui.tui.opening import Opening
from memtui.tui.screens.source_conflict import SourceConflictScreen
from memtui.vault.source_texts import SourceText, Texts
from memtui.vault.vault import Vault

TAKEN_WITH = "8.2.8"
LOCK = "zpuwvdkl"
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


def conflict(*keys: str) -> Callable[[Pilot[Any]], Any]:
    async def before(pilot: Pilot[Any]) -> None:
        assert isinstance(pilot.app, MemtuiApp)
        with pilot.app.opening.vault.read() as reader:
            memory = reader.get(LOCK)
        base = Texts(memory.title, "Lock refunds by payment_id.\nThe lock lives 30 seconds.", memory.rationale)
        stated = replace(base, title="Lock refunds by payment", insight="Lock refunds by payment_id.\nIt lives 60 s.")
        text = SourceText(LOCK, "docs/CLAUDE.md", "Locks#1", (41, 42), base, stated, stated.hash, NOW)
        mine = replace(memory, insight=f"Since the outage of May:\n{base.insight}", rationale="Cards pay at once.")
        screen = SourceConflictScreen(pilot.app.opening, SourceConflict(mine, text), 3)
        pilot.app.push_screen(screen)
        waited = 0.0
        while screen.focused is None:
            assert waited < PATIENT_SECONDS, "the conflict never came"
            await pilot.pause(0.05)
            waited += 0.05
        await pilot.press(*keys)
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()

    return before


@pytest.mark.parametrize(("size", "keys"), [((80, 24), ()), ((120, 40), ("plus",)), ((40, 15), ())])
def test_a_conflict_with_a_source(
    app: MemtuiApp, snap_compare: SnapCompare, size: tuple[int, int], keys: tuple[str, ...]
) -> None:
    assert snap_compare(app, terminal_size=size, run_before=conflict(*keys))
