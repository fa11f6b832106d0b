"""Pictures of the edit form and the conflict view over the sample vault; `pytest --snapshot-update` takes new ones."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import textual
from textual.pilot import Pilot
from textual.widgets import Input, TextArea

from memtui.cli.demo import build_demo
from memtui.tui.app import MemtuiApp
from memtui.tui.editing_access import Wish
from memtui.tui.opening import Opening
from memtui.tui.screens.conflict import ConflictScreen
from memtui.tui.screens.edit import EditScreen
from memtui.vault.vault import Vault

TAKEN_WITH = "8.2.8"
NOW = datetime(2026, 11, 30, 9, tzinfo=UTC)
LOCK = "zpuwvdkl"
PATIENT_SECONDS = 60.0
STILL = 4
"""Pictures in a row that must be the same before one is kept."""

pytestmark = pytest.mark.skipif(textual.__version__ != TAKEN_WITH, reason=f"pictures of Textual {TAKEN_WITH}")

SnapCompare = Callable[..., bool]


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample vault, built once."""
    return build_demo(tmp_path_factory.mktemp("sample") / "demo")


@pytest.fixture
def app(sample: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> MemtuiApp:
    """The app on a copy of it, with the clock frozen and the person's own settings kept out."""
    monkeypatch.setenv("MEMTUI_NOW", NOW.isoformat())
    monkeypatch.setenv("MEMTUI_CONFIG", str(tmp_path / "config.toml"))
    for name in ("TEXTUAL_THEME", "NO_COLOR", "MEMTUI_ACTOR"):
        monkeypatch.delenv(name, raising=False)
    copy = tmp_path / sample.name
    shutil.copy(sample, copy)
    app = MemtuiApp(Opening(vault=Vault(copy, now=lambda: NOW), folder=tmp_path))
    app.animation_level = "none"
    return app


async def settle(pilot: Pilot[Any], met: Callable[[], bool]) -> None:
    """Wait until the picture is complete and the last cursor is still."""
    waited = 0.0
    while not met():
        assert waited < PATIENT_SECONDS, "the screen never came to rest"
        await pilot.pause(0.05)
        waited += 0.05
    for typed in pilot.app.screen.query(Input):
        typed.cursor_blink = False
    for area in pilot.app.screen.query(TextArea):
        area.cursor_blink = False
    await pilot.app.workers.wait_for_complete()
    picture, same = None, 0
    while same < STILL:
        await pilot.pause(0.05)
        strips = pilot.app.screen._compositor.render_strips()
        same = same + 1 if strips == picture else 0
        picture = strips


def open_form(
    identifier: str | None, *, theme: str = "memtui-dark", typed: bool = False
) -> Callable[[Pilot[Any]], Any]:
    async def before(pilot: Pilot[Any]) -> None:
        assert isinstance(pilot.app, MemtuiApp)
        pilot.app.theme = theme
        screen = EditScreen(pilot.app.opening, identifier)
        pilot.app.push_screen(screen)
        await settle(pilot, lambda: screen._basis is not None and screen.focused is not None)
        if typed:
            screen._rows["insight"].field.fill("ALWAYS lock by payment.\nTTL 30 s.")
            screen._rows["kind"].field.fill("constrant")
            screen._rows["tags"].field.focus()
            await pilot.press("end", *", loc")
        screen._check_now()
        await settle(pilot, lambda: screen._told == screen._ticket and screen._pause is not None)

    return before


def open_conflict(pilot: Pilot[Any]) -> ConflictScreen:
    assert isinstance(pilot.app, MemtuiApp)
    vault = pilot.app.opening.vault
    with vault.read() as reader:
        base = reader.get(LOCK)
    mine = {
        "title": "Lock refunds and captures by payment_id",
        "insight": f"{base.insight}\nThe worker renews it once.",
        "kind": "decision",
    }
    with vault.write(actor="person", action="edit", summary="edit") as writer:
        text = f"Since the outage of May:\n{base.insight}"
        theirs = writer.put(replace(base, title="Lock refunds by payment", insight=text, importance=4))
    screen = ConflictScreen(pilot.app.opening, base, theirs, Wish(mine), "codex: edit Lock refunds by payment")
    pilot.app.push_screen(screen)
    return screen


async def conflict(pilot: Pilot[Any]) -> None:
    screen = open_conflict(pilot)
    await settle(pilot, lambda: screen.focused is not None)
    await pilot.press("j", "plus")
    await settle(pilot, lambda: screen._choices["insight"] == "both")
    await pilot.press("j")
    await settle(pilot, lambda: screen._fields.cursor == 1)


def test_the_form_in_a_small_terminal(app: MemtuiApp, snap_compare: SnapCompare) -> None:
    assert snap_compare(app, terminal_size=(80, 24), run_before=open_form(LOCK))


def test_the_form_in_a_wide_terminal_with_what_is_wrong_told(app: MemtuiApp, snap_compare: SnapCompare) -> None:
    assert snap_compare(app, terminal_size=(120, 40), run_before=open_form(LOCK, typed=True))


def test_the_form_in_a_tiny_terminal(app: MemtuiApp, snap_compare: SnapCompare) -> None:
    assert snap_compare(app, terminal_size=(40, 15), run_before=open_form(LOCK))


def test_an_empty_form_in_the_light_theme(app: MemtuiApp, snap_compare: SnapCompare) -> None:
    assert snap_compare(app, terminal_size=(120, 40), run_before=open_form(None, theme="memtui-light"))


def test_a_conflict_in_a_small_terminal(app: MemtuiApp, snap_compare: SnapCompare) -> None:
    assert snap_compare(app, terminal_size=(80, 24), run_before=conflict)


def test_a_conflict_in_a_wide_terminal(app: MemtuiApp, snap_compare: SnapCompare) -> None:
    assert snap_compare(app, terminal_size=(120, 40), run_before=conflict)


def test_a_conflict_in_a_tiny_terminal(app: MemtuiApp, snap_compare: SnapCompare) -> None:
    assert snap_compare(app, terminal_size=(40, 15), run_before=conflict)
