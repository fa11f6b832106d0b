"""Keys, help, palette, themes, and how the app is opened."""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

import pytest
from flows.app_driver import (
    NARROW,
    WIDE,
    RecordingApp,
    app_on,
    empty_vault,
    ferry_vault,
    holds,
    isolate,
    screen_text,
    shows,
    toasts,
    until,
)

from memtui.tui.actions import ACTIONS, MOST_HINTS, hints
from memtui.tui.app import MemtuiApp
from memtui.tui.opening import Opening
from memtui.tui.screens.browse import BrowseScreen
from memtui.tui.screens.help import HelpScreen, help_content
from memtui.vault.filters import EVERYTHING, MemoryFilter
from memtui.vault.vault import Vault


@pytest.fixture(autouse=True)
def _own_home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    isolate(monkeypatch, tmp_path)


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    return empty_vault(tmp_path)


@pytest.fixture
def ferry(tmp_path: Path) -> Vault:
    return ferry_vault(tmp_path)


async def test_help_lists_every_key_and_closes(ferry: Vault, tmp_path: Path) -> None:
    text = help_content().plain
    for action in ACTIONS:
        assert f"{action.shown_keys} " in text
        assert action.help in text
    async with app_on(ferry, tmp_path).run_test(size=NARROW) as pilot:
        await holds(pilot, 5)
        await pilot.press("question_mark")
        await shows(pilot, "one row or line down")
        await pilot.press("G")
        await shows(pilot, "Retired memories stay in the vault")
        await pilot.press("escape")
        assert not isinstance(pilot.app.screen, HelpScreen)


def test_footer_help_and_bindings_come_from_one_registry() -> None:
    assert len({action.id for action in ACTIONS}) == len(ACTIONS)
    for owner in ("screen", "pane", "filter"):
        keys = [key for action in ACTIONS if action.owner == owner for key in action.keys]
        assert len(keys) == len(set(keys)), f"a key of the {owner} is bound twice"
    for place in ("list", "due", "detail", "filter"):
        assert 0 < len(hints(place)) <= MOST_HINTS
    for action in ACTIONS:
        if action.owner == "screen":
            assert callable(getattr(BrowseScreen, f"action_{action.method}"))


async def test_the_palette_offers_the_same_actions(ferry: Vault, tmp_path: Path) -> None:
    async with app_on(ferry, tmp_path).run_test(size=WIDE) as pilot:
        await holds(pilot, 5)
        offered = [command.title for command in pilot.app.get_system_commands(pilot.app.screen)]
        assert "Retire (x)" in offered
        assert "Theme" in offered
        await pilot.press("colon")
        await until(pilot, lambda: type(pilot.app.screen).__name__ == "CommandPalette", "the palette opened")
        await pilot.press("escape", "q")
    assert pilot.app.return_code == 0


async def test_the_screen_works_in_every_theme(ferry: Vault, tmp_path: Path) -> None:
    async with app_on(ferry, tmp_path).run_test(size=NARROW) as pilot:
        await shows(pilot, "Sail times are in UTC")
        assert {"memtui-dark", "memtui-light"} <= set(pilot.app.available_themes)
        assert pilot.app.theme == "memtui-dark"
        for name in pilot.app.available_themes:
            pilot.app.theme = name
            await pilot.pause()
            assert "Sail times are in UTC" in screen_text(pilot)


async def test_bad_themes_are_skipped_and_told_once(ferry: Vault, tmp_path: Path) -> None:
    folder = tmp_path / "themes"
    folder.mkdir()
    good = 'name = "quay"\n[colors]\nprimary = "#123456"\n[memtui]\ndim = "#777777"\n'
    (folder / "a.toml").write_text(good, encoding="utf-8")
    (folder / "b.toml").write_text('name = "[/b]"\n[colors]\nprimary = "red"\n', encoding="utf-8")
    (folder / "c.toml").write_text('name = "c"\n[colors]\nprimary = "no colour [/]"\n', encoding="utf-8")
    (folder / "d.toml").write_text('name = "d"\n[colors]\nprimery = "red"\n', encoding="utf-8")
    (folder / "e.toml").write_bytes(b"\xff\xfe not TOML")
    app = RecordingApp(Opening(vault=ferry, folder=tmp_path), theme_folders=[folder])
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        await holds(pilot, 5)
        assert "quay" in app.available_themes
        (told,) = toasts(pilot)
        lines = told.splitlines()
        assert [line[:6] for line in lines] == ["b.toml", "c.toml", "d.toml", "e.toml"]
        assert "did you mean primary?" in lines[2]


def test_the_first_picture_needs_no_duckdb() -> None:
    script = (
        "import sys, memtui.tui.app, memtui.tui.screens.browse;"
        "print([name for name in ('duckdb', 'memtui.recall', 'memtui.curate', 'yaml') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_command_line_hands_on_what_it_was_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from memtui.cli.app import open_app

    opened: list[Opening] = []
    monkeypatch.setattr(MemtuiApp, "run", lambda app: opened.append(app._opening))
    monkeypatch.chdir(tmp_path)
    arguments = argparse.Namespace(vault=str(tmp_path / "v.duckdb"), project="ferry", actor="codex", kind=["note"])
    assert open_app(arguments, start="due") == 0
    assert open_app(arguments, vault=Vault(tmp_path / "demo.duckdb")) == 0
    review, demo = opened
    assert review.vault.path == tmp_path / "v.duckdb"
    assert (review.project, review.actor.name, review.start, review.kinds) == ("ferry", "codex", "due", ("note",))
    assert (demo.vault.path, demo.start, demo.kinds) == (tmp_path / "demo.duckdb", "list", ())
    with demo.vault.read() as reader:
        assert reader.count(MemoryFilter(scope=EVERYTHING)) == 0
