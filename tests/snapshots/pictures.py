"""What the pictures share: a still clock, copies of one sample vault, and an album of one running app.

An app is started once for all pictures of a screen: it is resized and its theme changed between them, as a person does.
`pytest --snapshot-update` takes new ones. They are taken with the Textual named below; another one may draw otherwise.
"""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import textual
from pytest_textual_snapshot import SVGImageExtension  # type: ignore[import-untyped] # it ships no types
from syrupy.assertion import SnapshotAssertion
from textual import events
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widgets import Input, TextArea

from memtui.cli.demo import build_demo
from memtui.tui.app import MemtuiApp
from memtui.tui.browse.screen import BrowseScreen
from memtui.tui.state import Opening
from memtui.vault.vault import Vault

TAKEN_WITH = "8.2.8"
NOW = datetime(2026, 11, 30, 9, tzinfo=UTC)
LOCK = "zpuwvdkl"
LOCKS = (LOCK, "o6j6sc7w", "ioddebrc")
"""Memories of the sample vault that say much the same."""

Ready = Callable[[Any], object]
"""Says whether what a screen shows is complete."""

PATIENT_SECONDS = 60.0
STILL = 3
"""Pictures in a row that must be the same before one is kept."""

only_with_the_same_textual = pytest.mark.skipif(
    textual.__version__ != TAKEN_WITH, reason=f"pictures of Textual {TAKEN_WITH}"
)

SMALL, WIDE, TINY, VAST = (80, 24), (120, 40), (40, 15), (160, 50)
SIZES = (SMALL, WIDE, TINY)


def keep_still(patch: pytest.MonkeyPatch, folder: Path) -> None:
    """Freeze the clock, and keep the person's own settings out."""
    patch.setenv("MEMTUI_NOW", NOW.isoformat())
    patch.setenv("MEMTUI_CONFIG", str(folder / "config.toml"))
    # A check of files that ends while a picture is taken would change its counts.
    patch.setattr("memtui.tui.browse.screen.FIRST_SECONDS", 3_600.0)
    patch.setattr("memtui.tui.widgets.lines.LASTING_SECONDS", 0.001)
    for name in ("TEXTUAL_THEME", "NO_COLOR", "MEMTUI_ACTOR"):
        patch.delenv(name, raising=False)


def build_sample(folder: Path) -> Path:
    """Build the sample vault; returns its folder."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MEMTUI_NOW", NOW.isoformat())
        build_demo(folder / "demo")
    return folder / "demo"


def sample_app(sample: Path, folder: Path, /, **values: Any) -> MemtuiApp:
    """Return the app on a copy of the sample vault, standing in its payments project unless told otherwise."""
    for file in sample.glob("vault.duckdb*"):  # the last change may still be in the log beside it
        shutil.copy(file, folder / file.name)
    vault = Vault(folder / "vault.duckdb", now=lambda: NOW)
    return MemtuiApp(Opening(**{"vault": vault, "folder": sample / "payments-api", **values}))


class Album:
    """Pictures of an app that runs, each compared with the one that was taken under its name.

    Args:
        snapshot: the pictures taken before.
        folder: where those that differ are put, to be looked at.
    """

    def __init__(self, snapshot: SnapshotAssertion, folder: Path) -> None:
        self._snapshot = snapshot.use_extension(SVGImageExtension)
        self._folder = folder
        self._changed: list[Path] = []

    @asynccontextmanager
    async def of(self, app: MemtuiApp, size: tuple[int, int] = SMALL) -> AsyncIterator[Pilot[Any]]:
        """Run the app; at the end no picture may differ."""
        app.animation_level = "none"
        async with app.run_test(size=size, tooltips=True, notifications=True) as pilot:
            yield pilot
        assert not self._changed, f"these pictures differ: {self._changed}"

    async def take(
        self, pilot: Pilot[Any], name: str, size: tuple[int, int] | None = None, ready: Ready | None = None
    ) -> None:
        """Take a picture in a size, once the screen is ready and nothing moves."""
        if size is not None and size != pilot.app.size:
            await pilot.resize_terminal(*size)
        await rest(pilot, ready)
        picture = pilot.app.export_screenshot(title=pilot.app.title, simplify=True)
        if self._snapshot(name=name) != picture:
            self._changed.append(self._folder / f"{name}.svg")
            self._changed[-1].write_text(picture, encoding="utf-8")

    async def take_sizes(
        self,
        pilot: Pilot[Any],
        name: str = "",
        sizes: Iterable[tuple[int, int]] = SIZES,
        *,
        light: bool = False,
        ready: Ready | None = None,
    ) -> None:
        """Take a picture in each size, and a wide one in the light theme if told so; leaves the app wide and dark."""
        prefix = f"{name}-" if name else ""
        for width, height in sizes:
            await self.take(pilot, f"{prefix}{width}x{height}", (width, height), ready)
        if light:
            pilot.app.theme = "memtui-light"
            await self.take(pilot, f"{prefix}light", WIDE, ready)
            pilot.app.theme = "memtui-dark"
        await pilot.resize_terminal(*WIDE)


async def settle(pilot: Pilot[Any], kind: type[Screen[Any]], met: Ready) -> None:
    """Wait until a screen is open and what it shows is complete."""
    waited = 0.0
    while not (isinstance(pilot.app.screen, kind) and met(pilot.app.screen)):
        assert waited < PATIENT_SECONDS, f"{kind.__name__} never came to rest"
        await pilot.pause(0.05)
        waited += 0.05


async def rest(pilot: Pilot[Any], ready: Ready | None = None) -> None:
    """Wait until nothing moves or blinks; toasts, which come and go by the clock, are put away."""
    picture, same, waited = None, 1, 0.0
    while same < STILL:
        assert waited < PATIENT_SECONDS, "the screen never came to rest"
        pilot.app.clear_notifications()
        for field in (*pilot.app.screen.query(Input), *pilot.app.screen.query(TextArea)):
            field.cursor_blink = False
        await pilot.pause(0.03)
        waited += 0.03
        at_work = any(not worker.is_finished for worker in pilot.app.workers)
        if at_work or (ready is not None and not ready(pilot.app.screen)):
            picture = None
            continue
        strips = pilot.app.screen._compositor.render_strips()
        same = same + 1 if strips == picture else 1
        picture = strips


async def paste(pilot: Pilot[Any], text: str) -> None:
    """Paste a text where the focus is: a key at a time would search as often."""
    assert pilot.app.focused is not None
    pilot.app.focused.post_message(events.Paste(text))
    await pilot.pause()


def browse_is_complete(screen: BrowseScreen) -> bool:
    """Return whether the memory looked at is shown in full and the facets in sight are counted."""
    lists = screen.lists
    shown = lists.listing is not None and not lists.outdated and lists.query == lists.listing.query
    full = screen.details.is_complete and screen._list.current_row is not None
    return shown and full and (not screen._facets.display or lists.is_counted)
