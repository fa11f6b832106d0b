"""What the pictures of Context, History and Import share: a still clock, and copies of one sample vault."""

from __future__ import annotations

import shutil
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
from memtui.tui.screens.working import WorkingScreen
from memtui.vault.vault import Vault

TAKEN_WITH = "8.2.8"
NOW = datetime(2026, 11, 30, 9, tzinfo=UTC)
PATIENT_SECONDS = 40.0

only_with_the_same_textual = pytest.mark.skipif(
    textual.__version__ != TAKEN_WITH, reason=f"pictures of Textual {TAKEN_WITH}"
)

SnapCompare = Callable[..., bool]

SIZES = [(80, 24), (120, 40), (40, 15)]
NAMES = [f"{width}x{height}" for width, height in SIZES]


def keep_still(patch: pytest.MonkeyPatch, folder: Path) -> None:
    """Freeze the clock, and keep the person's own settings out."""
    patch.setenv("MEMTUI_NOW", NOW.isoformat())
    patch.setenv("MEMTUI_CONFIG", str(folder / "config.toml"))
    # A check of files that ends while a picture is taken would change its counts.
    patch.setattr("memtui.tui.screens.file_checks.FIRST_SECONDS", 3_600.0)
    for name in ("TEXTUAL_THEME", "NO_COLOR", "MEMTUI_ACTOR"):
        patch.delenv(name, raising=False)


def build_sample(folder: Path) -> Path:
    """Build the sample vault once; returns its folder."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MEMTUI_NOW", NOW.isoformat())
        build_demo(folder / "demo")
    return folder / "demo"


def sample_app(sample: Path, folder: Path, theme: str = "", **values: Any) -> MemtuiApp:
    """Return the app on a copy of the sample vault, standing in its payments project."""
    for file in sample.glob("vault.duckdb*"):  # the last change may still be in the log beside it
        shutil.copy(file, folder / file.name)
    vault = Vault(folder / "vault.duckdb", now=lambda: NOW)
    chosen: dict[str, Any] = {"vault": vault, "folder": sample / "payments-api", **values}
    return still_app(Opening(theme=theme, **chosen))


def still_app(opening: Opening) -> MemtuiApp:
    app = MemtuiApp(opening)
    app.animation_level = "none"
    return app


async def settle(pilot: Pilot[Any], kind: type[WorkingScreen], met: Callable[[Any], bool]) -> None:
    """Wait until a screen is open and what it shows is complete."""
    waited = 0.0
    while not (isinstance(pilot.app.screen, kind) and met(pilot.app.screen)):
        assert waited < PATIENT_SECONDS, f"{kind.__name__} never came to rest"
        await pilot.pause(0.05)
        waited += 0.05
    await pilot.app.workers.wait_for_complete()
    await pilot.pause()
