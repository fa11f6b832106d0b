"""Drives the Context screen, and stands in for the clipboard tools of a terminal."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from flows.app_driver import until
from textual import events
from textual.keys import _character_to_key
from textual.pilot import Pilot

from memtui.pack import clipboard
from memtui.tui.context.screen import ContextScreen

TASK = "refund fails twice on retry"


def context_screen(pilot: Pilot[Any]) -> ContextScreen:
    screen = next(screen for screen in pilot.app.screen_stack if isinstance(screen, ContextScreen))
    assert isinstance(screen, ContextScreen)
    return screen


async def answered(pilot: Pilot[Any]) -> ContextScreen:
    """Wait until the payload of what was typed is shown."""

    def is_shown() -> bool:
        screen = next((one for one in pilot.app.screen_stack if isinstance(one, ContextScreen)), None)
        if screen is None or screen._answer is None or screen.is_waiting:
            return False
        return screen._answer.ask == screen._ask()

    await until(pilot, is_shown, "the payload is shown")
    return context_screen(pilot)


async def open_context(pilot: Pilot[Any]) -> ContextScreen:
    await pilot.press("c")
    return await answered(pilot)


async def type_task(pilot: Pilot[Any], text: str = TASK) -> ContextScreen:
    """Paste a task: a key at a time takes seconds."""
    line = context_screen(pilot)._lines.task_line
    line.value = ""
    line.post_message(events.Paste(text))
    await until(pilot, lambda: line.value == text, "the task is typed")
    return await answered(pilot)


def payload(pilot: Pilot[Any]) -> str:
    answer = context_screen(pilot)._answer
    return answer.pack.payload if answer else ""


def included(pilot: Pilot[Any]) -> list[str]:
    answer = context_screen(pilot)._answer
    return [one.memory.id for one in answer.pack.included] if answer else []


def fake_tmux(folder: Path, patch: pytest.MonkeyPatch) -> Path:
    """Make this a terminal in tmux whose only tool is tmux; returns the file that stands for its buffer."""
    programs, buffer = folder / "bin", folder / "buffer"
    programs.mkdir()
    tmux = programs / "tmux"
    tmux.write_text(
        f'#!/bin/sh\nPATH=/usr/bin:/bin\nif [ "$1" = load-buffer ]; then cat > {buffer}; else cat {buffer}; fi\n',
        encoding="utf-8",
    )
    tmux.chmod(0o755)
    _only(patch, programs, TMUX="/tmp/tmux-0/default,1,0")  # noqa: S108 - a made-up value
    return buffer


def fake_ssh(folder: Path, patch: pytest.MonkeyPatch) -> None:
    """Make this a terminal over SSH without any tool."""
    (folder / "bin").mkdir()
    _only(patch, folder / "bin", SSH_TTY="/dev/pts/1")


def _only(patch: pytest.MonkeyPatch, programs: Path, **variables: str) -> None:
    for name in ("TMUX", "SSH_TTY", "SSH_CONNECTION", "SSH_CLIENT", "WAYLAND_DISPLAY", "DISPLAY"):
        patch.delenv(name, raising=False)
    for name, value in variables.items():
        patch.setenv(name, value)
    patch.setenv("PATH", str(programs))
    patch.setattr(sys, "platform", "linux")
    patch.setattr(clipboard, "is_wsl", lambda: False)


def at_once(pilot: Pilot[Any], *keys: str) -> None:
    """Give keys to the app as a terminal does that was typed into while the app was busy: all before any is read."""
    for key in keys:
        name = key if len(key) > 1 or key.isalnum() else _character_to_key(key)
        pilot.app.post_message(events.Key(name, key if len(key) == 1 else None))
