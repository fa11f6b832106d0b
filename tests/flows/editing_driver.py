"""Drives the edit form, the conflict view and the Inbox."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from flows.app_driver import memory, screen_text, until
from textual.drivers.headless_driver import HeadlessDriver
from textual.pilot import Pilot

from memtui.domain.memory import Memory, Source
from memtui.tui.edit.screen import EditScreen
from memtui.tui.edit.version_conflict import ConflictScreen
from memtui.tui.inbox.screen import InboxScreen
from memtui.tui.widgets.form_fields import FormField

SECRET = "AKIA" + "QYLPMN5HHHF" + "PZAM2"


def candidate(number: int, title: str, **values: Any) -> Memory:
    """Return a candidate that an assistant's file gave."""
    chosen: dict[str, Any] = {
        "status": "candidate",
        "sources": (Source(format="claude-md", path="docs/CLAUDE.md", span=(41, 44), agent="claude-code"),),
        **values,
    }
    return replace(memory(number, title, **chosen), confirmed_at=None)


def form(pilot: Pilot[Any]) -> EditScreen:
    screen = pilot.app.screen
    assert isinstance(screen, EditScreen)
    return screen


async def form_opens(pilot: Pilot[Any]) -> EditScreen:
    """Wait until the form stands with its texts."""
    await until(
        pilot,
        lambda: (
            isinstance(pilot.app.screen, EditScreen)
            and pilot.app.screen._basis is not None
            and pilot.app.focused is not None
        ),
        "the form opens",
    )
    return form(pilot)


async def form_closes(pilot: Pilot[Any]) -> None:
    await until(pilot, lambda: not isinstance(pilot.app.screen, EditScreen | ConflictScreen), "the form closes")


async def conflict_opens(pilot: Pilot[Any]) -> ConflictScreen:
    await until(
        pilot,
        lambda: isinstance(pilot.app.screen, ConflictScreen) and pilot.app.focused is not None,
        "the conflict opens",
    )
    screen = pilot.app.screen
    assert isinstance(screen, ConflictScreen)
    return screen


def field(pilot: Pilot[Any], name: str) -> FormField:
    return form(pilot)._rows[name].field


async def rewrite(pilot: Pilot[Any], name: str, text: str) -> None:
    """Put a text in place of a field's, as typing it does in the end."""
    widget = field(pilot, name)
    widget.focus()
    await pilot.pause()
    widget.fill(text)
    await until(pilot, lambda: widget.typed == text, f"{name} holds its text")
    await pilot.pause()


async def notes(pilot: Pilot[Any], name: str, text: str) -> None:
    """Wait until something is said beside a field."""
    row = form(pilot)._rows[name]
    await until(pilot, lambda: any(text in each.text for each in row.said), f"beside {name}: {text!r}, not {row.said}")


async def inbox_opens(pilot: Pilot[Any], number: int) -> InboxScreen:
    await until(pilot, lambda: isinstance(pilot.app.screen, InboxScreen), "the inbox opens")
    screen = pilot.app.screen
    assert isinstance(screen, InboxScreen)
    await waits(pilot, number)
    return screen


async def waits(pilot: Pilot[Any], number: int) -> None:
    screen = next(each for each in pilot.app.screen_stack if isinstance(each, InboxScreen))
    await until(
        pilot,
        lambda: (
            screen._waiting is not None
            and len(screen._list.arranged.shown) == number == len(screen._waiting.offers)
            and not screen.acting
        ),
        f"{number} wait\n{screen_text(pilot)}",
    )


@contextmanager
def terminal_of_its_own(patch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Let the test's driver be suspended as a terminal's is; yields what happened to it."""
    told: list[str] = []
    patch.setattr(HeadlessDriver, "can_suspend", property(lambda _: True))
    patch.setattr(HeadlessDriver, "suspend_application_mode", lambda _: told.append("suspended"))
    patch.setattr(HeadlessDriver, "resume_application_mode", lambda _: told.append("resumed"))
    yield told


def set_editor(patch: pytest.MonkeyPatch, folder: Path, body: str) -> None:
    """Make the script `body` the editor; `path` in it is the file to edit."""
    script = folder / "editor.py"
    script.write_text(f"import pathlib, sys\npath = pathlib.Path(sys.argv[-1])\n{body}\n", encoding="utf-8")
    patch.setenv("EDITOR", f'"{sys.executable}" "{script}"')
    patch.delenv("VISUAL", raising=False)
    patch.delenv("MEMTUI_EDITOR", raising=False)
    patch.setattr("tempfile.tempdir", str(folder))
