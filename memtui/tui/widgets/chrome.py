"""The first and the last line of the screen."""

from __future__ import annotations

from dataclasses import dataclass

from textual import events
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget

from memtui.tui.actions import registry
from memtui.tui.actions.action import Action
from memtui.tui.keymap import Keymap
from memtui.tui.text_layout import counted, fit, tame
from memtui.tui.values import Base

_GAP = "   "
_PROJECT_CELLS = 30


class HeaderLine(Widget):
    """Where we are and what is there: project, counts, the key for help."""

    ALLOW_SELECT = False
    base: reactive[Base | None] = reactive(None)
    semantic: reactive[str] = reactive("")
    """How the search by meaning stands: ready, loading, off."""

    busy: reactive[str] = reactive("")
    """What takes its time just now."""

    def render(self) -> Content:
        """Return the line."""
        project = "" if self.base is None else tame(self.base.project or "all projects")
        left = Content.assemble(
            " ", ("memtui  ", "bold $primary"), fit(project, min(len(project), _PROJECT_CELLS)) if project else ""
        )
        end = Content.assemble(_GAP, ("?", "bold $primary"), " ", ("help", "$memtui-dim"), " ")
        room = self.size.width - left.cell_length - end.cell_length
        counts: list[Content] = []
        for content in self._counts():
            if content.cell_length + len(_GAP) <= room:
                room -= content.cell_length + len(_GAP)
                counts.append(content)
        middle = Content(_GAP).join(counts) if counts else Content("")
        pad = max(0, self.size.width - left.cell_length - middle.cell_length - end.cell_length)
        return Content.assemble(left, " " * pad, middle, end)

    def _counts(self) -> list[Content]:
        if self.base is None:
            return []
        due, inbox = self.base.due, self.base.inbox
        return [
            *([Content.styled(self.busy, "$memtui-due")] if self.busy else []),
            Content(counted(self.base.active, "memory", "memories")),
            Content.styled(f"{due:,} due", "$memtui-due" if due else "$memtui-dim"),
            Content.styled(f"{inbox:,} inbox", "$foreground" if inbox else "$memtui-dim"),
            *([Content.styled(f"semantic {self.semantic}", "$memtui-dim")] if self.semantic else []),
        ]


class KeyHints(Widget):
    """The keys that matter in the focused pane; a click on one presses it."""

    ALLOW_SELECT = False
    place: reactive[str] = reactive("list")
    keymap: reactive[Keymap] = reactive(Keymap)

    @dataclass
    class Pressed(Message):
        """A hint was clicked."""

        action: Action

    def on_mount(self) -> None:
        """Take the keys in force."""
        self.keymap = getattr(self.app, "keymap", None) or self.keymap

    def render(self) -> Content:
        """Return the line."""
        parts: list[Content] = []
        for action, start, end in self._spans():
            del start, end
            parts.append(
                Content.assemble((self.keymap.first(action), "bold $primary"), " ", (action.label, "$memtui-dim"))
            )
        return Content.assemble(" ", Content(_GAP).join(parts)) if parts else Content("")

    def on_click(self, event: events.Click) -> None:
        """Press the key that was clicked."""
        for action, start, end in self._spans():
            if start <= event.x < end:
                event.stop()
                self.post_message(self.Pressed(action))

    def _spans(self) -> list[tuple[Action, int, int]]:
        """Return the hints that fit, with the cells that each takes."""
        found: list[tuple[Action, int, int]] = []
        start = 1
        for action in registry.hints(self.place):
            if not self.keymap.keys(action):
                continue
            end = start + len(self.keymap.first(action)) + 1 + len(action.label)
            if end > self.size.width:
                break
            found.append((action, start, end))
            start = end + len(_GAP)
        return found
