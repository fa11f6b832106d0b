"""Pictures of the Assistants screen and of the change that it shows."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from curating import write_files
from snapshots.pictures import NOW, SMALL, Album, only_with_the_same_textual

from memtui.assist.install import command
from memtui.assist.install.assistants import assistants
from memtui.assist.install.plan import Wishes, carry_out, plan_install
from memtui.assist.sessions import Session, short_hash
from memtui.assist.spool import folder_of
from memtui.domain.wiring import Scope
from memtui.tui.app import MemtuiApp
from memtui.tui.assistants.screen import AssistantsScreen
from memtui.tui.state import Opening
from memtui.vault.filters import EVERYTHING, MemoryFilter
from memtui.vault.vault import Vault

pytestmark = only_with_the_same_textual


@pytest.fixture
def app(own_home: Path, tmp_path: Path, sample: Path, monkeypatch: pytest.MonkeyPatch) -> MemtuiApp:
    """The app where memtui is installed in Codex and an old one in Gemini CLI, and Codex has asked for memories."""
    program = command.Program(("/home/ada/.local/bin/memtui",))
    monkeypatch.setattr("memtui.tui.assistants.view.program_for", lambda _: program)
    monkeypatch.setattr("memtui.assist.install.status.can_run", lambda _: True)
    project = tmp_path / "payments-api"
    subprocess.run(["git", "init", "-q", str(project)], check=True)
    monkeypatch.setenv("PATH", str(tmp_path))
    write_files(own_home, {".codex/config.toml": 'model = "o9"\n', ".cursor/mcp.json": '{\n  "mcpServers": {}\n}\n'})
    old = command.Program(("/opt/old/memtui",))
    for name, by in (("codex", program), ("gemini", old)):
        carry_out(plan_install(assistants()[name], Scope.USER, project, by, Wishes()), NOW.isoformat())
    vault = Vault(sample / "vault.duckdb", now=lambda: NOW)
    with vault.read() as reader:
        memories = reader.select(MemoryFilter(scope=EVERYTHING), sort="created", now=NOW)[:3]
    Session(vault.path, "s1", "codex").claim(memories, event="SessionStart", at=NOW, tokens=612)
    state = folder_of(vault.path) / "sessions" / f"{short_hash('s1')}.json"
    os.utime(state, (NOW.timestamp() - 1_500,) * 2)
    return MemtuiApp(Opening(vault=vault, folder=project, state_path=tmp_path / "state.json"))


def _is_read(screen: object) -> bool:
    return isinstance(screen, AssistantsScreen) and screen._rows.list.count > 0 and bool(screen._rows.shown)


async def test_the_assistants(app: MemtuiApp, album: Album) -> None:
    async with album.of(app) as pilot:
        await pilot.app.run_action("go('assistants')")
        await album.take_sizes(pilot, light=True, ready=_is_read)
        await pilot.press("down", "down", "i")
        await album.take(pilot, "diff", size=SMALL)
