"""The Assistants screen: what is installed, the change shown before it is made, and what assistants asked for."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from flows.app_driver import FERRY, NARROW, WIDE, app_on, fill, says, screen_lines, screen_text, shows, until
from textual.pilot import Pilot

from memtui.assist.install.command import Program
from memtui.assist.sessions import Session
from memtui.tui.assistants.screen import AssistantsScreen
from memtui.tui.screens.dialogs import DiffScreen
from memtui.vault.vault import Vault

pytestmark = pytest.mark.usefixtures("isolated")


@pytest.fixture
def folder(tmp_path: Path, own_home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository; Gemini CLI was used on this machine, and no assistant is on PATH."""
    root = tmp_path / "ferry"
    root.mkdir()
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    (own_home / ".gemini").mkdir()
    (own_home / ".gemini" / "settings.json").write_text('{\n  "theme": "ansi"\n}\n')
    monkeypatch.setenv("PATH", str(tmp_path))
    return root


async def _open(pilot: Pilot[int]) -> None:
    await pilot.press("V")
    await until(pilot, lambda: isinstance(pilot.app.screen, AssistantsScreen), "Assistants is open")
    await shows(pilot, "Gemini CLI")


async def test_the_change_is_shown_made_and_taken_back(vault: Vault, folder: Path, own_home: Path) -> None:
    settings = own_home / ".gemini" / "settings.json"
    before = settings.read_bytes()
    fill(vault, FERRY)
    async with app_on(vault, folder).run_test(size=WIDE) as pilot:
        await _open(pilot)
        await shows(pilot, "On this machine")
        await shows(pilot, "is on this machine")
        await pilot.press("i")
        await shows(pilot, "mcpServers")
        assert settings.read_bytes() == before
        await pilot.press("escape")
        await until(pilot, lambda: not isinstance(pilot.app.screen, DiffScreen), "the diff is closed")
        assert settings.read_bytes() == before
        await until(pilot, lambda: "remove" not in screen_lines(pilot)[-1], "nothing is there to remove")
        await pilot.press("x")
        await says(pilot, "memtui is not installed in Gemini CLI.")
        await pilot.press("i")
        await shows(pilot, "enter installs it")
        await pilot.press("enter")
        await says(pilot, "Installed into Gemini CLI")
        await shows(pilot, "1 installed")
        assert json.loads(settings.read_text())["mcpServers"]["memtui"]
        await pilot.press("x")
        await shows(pilot, "enter removes it")
        await pilot.press("enter")
        await says(pilot, "Removed from Gemini CLI")
        assert settings.read_bytes() == before


async def test_what_an_assistant_asked_for_is_told(vault: Vault, folder: Path) -> None:
    fill(vault, FERRY)
    Session(vault.path, "s1", "gemini").claim(FERRY[:2], event="SessionStart", at=vault.now(), tokens=340)
    async with app_on(vault, folder).run_test(size=WIDE) as pilot:
        await _open(pilot)
        await shows(pilot, "1 session, 2 memories served, 340 tokens")
        assert "Lock refunds by payment_id" in screen_text(pilot)
        assert "SessionStart 1" in screen_text(pilot)


async def test_a_file_that_cannot_be_edited_shows_what_to_paste(vault: Vault, folder: Path, own_home: Path) -> None:
    (own_home / ".gemini" / "settings.json").write_text("{broken")
    fill(vault, FERRY)
    async with app_on(vault, folder).run_test(size=WIDE) as pilot:
        await _open(pilot)
        await shows(pilot, "file cannot be read")
        await pilot.press("i")
        await shows(pilot, "To do it by hand")
        await pilot.press("enter")
        await until(pilot, lambda: not isinstance(pilot.app.screen, DiffScreen), "the diff is closed")
    assert (own_home / ".gemini" / "settings.json").read_text() == "{broken"


async def test_for_the_project_its_own_files_are_written(vault: Vault, folder: Path, own_home: Path) -> None:
    fill(vault, FERRY)
    async with app_on(vault, folder).run_test(size=NARROW) as pilot:
        await _open(pilot)
        await pilot.press("s", "i")
        await shows(pilot, "for this project")
        await pilot.press("enter")
        await says(pilot, "Installed into Gemini CLI")
    assert (folder / ".gemini" / "settings.json").exists()
    assert "memtui" not in (own_home / ".gemini" / "settings.json").read_text()


async def test_of_others_the_lines_are_shown_and_nothing_is_written(vault: Vault, folder: Path, own_home: Path) -> None:
    fill(vault, FERRY)
    async with app_on(vault, folder).run_test(size=WIDE) as pilot:
        await _open(pilot)
        await pilot.press("G")
        await shows(pilot, "Paste into ~/.config/amp/settings.json")
        await pilot.press("i")
        await says(pilot, "memtui does not write the files of Amp")
    assert not (own_home / ".config" / "amp").exists()


async def test_what_is_installed_is_called_as_the_assistant_would(
    vault: Vault, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = tmp_path / "memtui"
    script.write_text("#!/bin/sh\n[ $1 = hook ] && echo '{}' || exit 1\n")
    script.chmod(0o755)
    monkeypatch.setattr("memtui.tui.assistants.view.program_for", lambda _: Program((str(script),)))
    fill(vault, FERRY)
    async with app_on(vault, folder).run_test(size=WIDE) as pilot:
        await _open(pilot)
        await pilot.press("t")
        await says(pilot, "Nothing is installed that could be called")
        await pilot.press("i")
        await shows(pilot, "enter installs it")
        await pilot.press("enter")
        await shows(pilot, "1 installed")
        await pilot.press("t")
        await shows(pilot, "Test call")
        await shows(pilot, "hooks: answers in")
        assert "MCP server: fails" in screen_text(pilot)
