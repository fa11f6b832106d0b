"""Read a memory in full over the screen, and copy from it."""

from __future__ import annotations

from typing import Any

from textual.app import App

from memtui.text.sanitize import without_surrogates
from memtui.tui.memory_view import describe
from memtui.tui.screen import MemtuiScreen
from memtui.tui.screens.dialogs import CardScreen
from memtui.tui.values import Detail


def read_memory(screen: MemtuiScreen, identifier: str) -> None:
    """Read a memory in full over a screen."""

    def show(detail: Detail | None) -> None:
        if detail is None:
            screen.say("This memory no longer exists.", severity="warning")
        else:
            screen.app.push_screen(CardScreen("Memory", describe(detail)))

    screen.loader.read(lambda: screen.access.detail(identifier), show, group="memory")


def send_escape(app: App[Any], text: str) -> bool:
    """Send a text as OSC 52 between two frames rather than into one."""
    app.copy_to_clipboard(without_surrogates(text))
    return True
