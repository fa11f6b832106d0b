"""A setting in a line: its name, its value, and that it can be chosen; a click chooses."""

from __future__ import annotations

from dataclasses import dataclass

from textual import events
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget

from memtui.tui.wording import tame


class SettingWord(Widget):
    """`Target chat ▾`.

    Args:
        name: what is set.
        act: id of the act that changes it.
    """

    ALLOW_SELECT = False
    value: reactive[str] = reactive("", layout=True)

    @dataclass
    class Pressed(Message):
        """It was clicked."""

        act: str

    def __init__(self, name: str, act: str, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name for it
        super().__init__(id=id)
        self._label = name
        self._act = act

    def render(self) -> Content:
        """Return the words."""
        return Content.assemble((f"{self._label} ", "$memtui-kind"), tame(self.value, 30), (" ▾", "$memtui-dim"))

    def on_click(self, event: events.Click) -> None:
        """Ask for the choice."""
        event.stop()
        self.post_message(self.Pressed(self._act))
