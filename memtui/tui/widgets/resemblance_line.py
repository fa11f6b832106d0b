"""One line above the keys: what a memory that was just saved resembles, and what may be done about it."""

from __future__ import annotations

from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget

from memtui.tui.access.resembling import Beside
from memtui.tui.actions import registry
from memtui.tui.actions.resembling import RESEMBLING
from memtui.tui.cells import clipped
from memtui.tui.keymap import Keymap
from memtui.tui.wording import tame

WORDS = {"resembling-link": "link", "resembling-supersede": "supersede", "resembling-both": "both"}

SAID = {"same": "says the same as", "clashes": "clashes with", "differs": "resembles"}

_GAP = "   "

NARROWEST_WITH_WORDS = 66
"""Cells from which the keys have their words: with less, nothing of the title would be left."""


class ResemblanceLine(Widget):
    """Says it quietly; keys of the screen act on it, and esc or any other act takes it away."""

    ALLOW_SELECT = False
    DEFAULT_CSS = """
    ResemblanceLine {
        height: 1;
        background: $memtui-cursor;
    }
    """

    beside: reactive[Beside | None] = reactive(None)
    more: reactive[int] = reactive(0)
    """How many others wait behind it."""

    def __init__(self, keymap: Keymap | None = None) -> None:
        super().__init__(id="resemblance")
        self._keymap = keymap or Keymap()

    def render(self) -> Content:
        """Return the line: the title and the difference get what room the keys leave."""
        if self.beside is None:
            return Content("")
        found = self.beside.found
        keys = self._keys(words=self.size.width >= NARROWEST_WITH_WORDS)
        head = Content.assemble(" ", ("≈ ", "$memtui-due"), (f"{SAID[found.sort]} ", "$memtui-dim"))
        room = self.size.width - head.cell_length - keys.cell_length - 1
        title = tame(found.title, 200)
        why = "" if found.sort == "same" else f"  {tame(found.why, 200)}"
        shown = clipped(Content.assemble(title, (why, "$memtui-dim")), room)
        pad = max(0, room - shown.cell_length)
        return Content.assemble(head, shown, " " * pad, keys)

    def _keys(self, *, words: bool) -> Content:
        """Return the keys, what is offered first at the front, and esc; without words where there is no room."""
        first = "resembling-supersede" if self.beside and self.beside.found.link == "supersedes" else "resembling-link"
        actions = sorted(registry.of_owners(RESEMBLING), key=lambda action: action.id != first)
        parts = [
            Content.assemble(
                (self._keymap.first(action), "bold $primary"), (f" {WORDS[action.id]}" if words else "", "$memtui-dim")
            )
            for action in actions
            if self._keymap.keys(action)
        ]
        more = f" ({self.more} more)" if self.more else ""
        parts.append(Content.assemble(("esc", "bold $primary"), (f" no{more}" if words else "", "$memtui-dim")))
        return Content.assemble(_GAP, Content("  ").join(parts), " ")
