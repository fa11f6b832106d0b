"""What is installed does its work by the command lines in the configuration, from one session to the next."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from flows.cli_driver import Cli
from mcp_wire import Wire

from memtui.assist.install.assistants import assistants
from memtui.assist.install.command import Program
from memtui.assist.install.status import state_of
from memtui.domain.wiring import Part

PROGRAM = Program((sys.executable, "-m", "memtui"))
WRITTEN = [name for name, assistant in assistants().items() if assistant.is_written]
RULE = "Tide heights are in centimetres"


@pytest.fixture(autouse=True)
def program(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memtui.assist.install.command.this_program", lambda _: PROGRAM)


@pytest.fixture
def tide(cli: Cli) -> Path:
    """A repository with a constraint that is tied to a file."""
    root = cli.repository("tide", "git@example.org:sea/tide.git")
    cli.write("gauge.py", "height = 1\n")
    cli("add", RULE, "--kind", "constraint", "--file", "gauge.py")
    return root


def _argv(assistant: str, part: Part) -> tuple[str, ...]:
    """Return the command line of a part as it stands in the configuration."""
    state = state_of(assistants()[assistant], None, PROGRAM)
    found = state.of(part)
    assert found is not None
    return found.argv


def _hook(argv: Sequence[str], folder: Path, **said: Any) -> str:
    """Call a hook as its assistant does; returns what it prints."""
    said = {"session_id": "s1", "cwd": str(folder), **said}
    done = subprocess.run(
        argv, input=json.dumps(said).encode(), capture_output=True, cwd=folder, check=True, timeout=20
    )
    return done.stdout.decode()


def _event(argv: Sequence[str], event: str) -> list[str]:
    """Return a hook's command line for another event."""
    place = argv.index("hook") + 1
    return [*argv[:place], event, *argv[place + 1 :]]


@pytest.mark.parametrize("assistant", WRITTEN)
def test_the_installed_command_serves_the_payload_at_the_start(cli: Cli, tide: Path, assistant: str) -> None:
    cli("install", assistant)
    assert RULE in json.dumps(json.loads(_hook(_argv(assistant, Part.HOOKS), tide)))


def test_a_lesson_is_proposed_accepted_and_served_in_the_next_session(cli: Cli, tide: Path) -> None:
    config = cli.home / ".codex" / "config.toml"
    config.parent.mkdir()
    config.write_text('model = "o9" # big\n')
    before = config.read_bytes()
    cli("install", "codex")
    hook, server = _argv("codex", Part.HOOKS), _argv("codex", Part.SERVER)
    assert RULE in _hook(hook, tide)
    touched = _event(hook, "PostToolUse")
    patch = {"tool_name": "apply_patch", "tool_input": {"command": "*** Begin Patch\n*** Update File: gauge.py\n"}}
    assert RULE not in _hook(touched, tide, **patch), "the session has it already"
    assert RULE in _hook(touched, tide, **patch, session_id="s2")
    with Wire(tide, python=server[1:]) as wire:
        wire.start("codex-mcp-client")
        lesson = wire.call("memory_propose", insight="The gauge sends nothing between tides", why="It sleeps.")
    assert "between tides" not in _hook(hook, tide, session_id="s3")
    assert "between tides" in cli("inbox").out
    cli("inbox", "accept", lesson["id"])
    assert "between tides" in _hook(hook, tide, session_id="s4")
    cli("uninstall", "codex")
    assert config.read_bytes() == before
    assert not (config.parent / "hooks.json").exists()


@pytest.mark.parametrize("assistant", ["codex", "gemini", "copilot", "cursor"])
def test_a_shell_runs_the_installed_line_whatever_the_path(cli: Cli, tide: Path, assistant: str) -> None:
    odd = cli.home / "o'neil $HOME `id`"
    odd.mkdir()
    script = odd / "memtui"
    script.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m memtui "$@"\n')
    script.chmod(0o755)
    program = Program((str(script),))
    cli.patch.setattr("memtui.assist.install.command.this_program", lambda _: program)
    cli("install", assistant)
    lines = [
        value
        for path in (cli.home / assistants()[assistant].folder).rglob("*.json")
        for value in _texts(json.loads(path.read_text()))
        if "start" in value.lower() and " hook " in value and not value.startswith("&")
    ]
    done = subprocess.run(["sh", "-c", lines[0]], input=b"{}", capture_output=True, cwd=tide, check=True, timeout=20)
    assert RULE in done.stdout.decode()


def _texts(value: Any) -> list[str]:
    """Return every text in a JSON value."""
    if isinstance(value, str):
        return [value]
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for one in inner for text in _texts(one)]
