"""What a just-saved memory resembles: a quiet line with actions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget

from memtui.domain.memory import LinkType, Memory
from memtui.errors import MemtuiError
from memtui.text.sanitize import tame
from memtui.tui.actions import registry
from memtui.tui.actions.action import Action
from memtui.tui.actions.registry import Keymap
from memtui.tui.actions.table import RESEMBLING
from memtui.tui.list_detail import MemtuiScreen, ScreenPart
from memtui.tui.memory_view import clipped
from memtui.tui.values import Done
from memtui.tui.vault_access import VaultAccess

if TYPE_CHECKING:
    from memtui.analysis.resemblance import Resemblance


@dataclass(frozen=True, slots=True)
class Beside:
    """A memory that was just saved, and the one that it resembles."""

    memory: Memory
    found: Resemblance


class ResemblingAccess:
    """The vault as it is looked at beside a save."""

    def __init__(self, access: VaultAccess) -> None:
        self._access = access
        self._vault, self._reading, self._opening = access.vault, access.read_vault, access.opening

    def beside(self, identifiers: Sequence[str], before: Memory | None = None) -> list[Beside]:
        """Return what memories resemble, of each the nearest.

        Args:
            before: the one memory as it was before an edit: a small change is no new statement.
        """
        from memtui.analysis.resemblance import changed_much
        from memtui.curate.links import MOST_COMPARED, resembling

        meaning = self._opening.meaning
        ready = meaning if meaning is not None and meaning.is_ready else None
        return [
            Beside(memory, found)
            for memory in self._access.memories(list(identifiers)[:MOST_COMPARED])
            if before is None or changed_much(before, memory)
            for found in resembling(self._vault, memory, meaning=ready)
        ]

    def tie(self, beside: Beside, link_type: LinkType) -> Done:
        """Link the new memory with what it resembles; `supersedes` takes that out of use."""
        from memtui.curate.links import link

        self._opening.before_change()
        made = link(self._vault, beside.memory.id, link_type, beside.found.id, actor=self._opening.actor)
        if made is None:
            return Done("They are linked so already", changed=False)
        word = "Superseded" if link_type == "supersedes" else "Linked with"
        return Done(f"{word}: {tame(beside.found.title, 80)}", focus=beside.memory.id)


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


_HARMLESS = frozenset({"help", "palette", "theme"})
"""Actions that leave the line as it is."""


class SimilarOnSave(ScreenPart):
    """Shows after a save what the new memory resembles, for screens beneath forms.

    Attributes:
        waiting: what was found, the first of them in the line.
    """

    ANSWERS: ClassVar[Mapping[str, tuple[Any, ...]]] = {
        "resembling-link": ("resemblance.tie", "relates"),
        "resembling-supersede": ("resemblance.tie", "supersedes"),
        "resembling-both": ("resemblance.open_both",),
    }
    """What answers the keys of the line on a screen that holds it as `resemblance`."""

    def __init__(self, screen: MemtuiScreen) -> None:
        super().__init__(screen)
        self.waiting: list[Beside] = []
        self._queries = ResemblingAccess(screen.access)

    def look(self, identifiers: Sequence[str], before: Memory | None = None) -> None:
        """Look for what memories resemble that were saved as new statements, or accepted; safe to call from a thread.

        Args:
            before: the one memory as it was before an edit.
        """

        def ignore(_: MemtuiError) -> None:
            """Leave it: the save stands, and Tidy finds the same later."""

        def read() -> None:
            self.screen.loader.read(
                lambda: self._queries.beside(identifiers, before), self.show, group="beside", on_error=ignore
            )

        self.screen.call_later(read)

    def show(self, found: list[Beside]) -> None:
        """Show the first of what was found, or nothing."""
        self.waiting = found
        line = self.screen.query_one_optional(ResemblanceLine)
        if not found:
            if line is not None:
                line.display = False
            return
        if line is None:
            line = ResemblanceLine(getattr(self.screen.app, "keymap", None))
            self.screen.mount(line, before=self.screen.hints)
        line.beside, line.more, line.display = found[0], len(found) - 1, True

    def leave(self) -> None:
        """Take the line away, and drop what is still being looked for."""
        self.screen.loader.stop("beside")
        if self.waiting:
            self.show([])

    # -- keys -------------------------------------------------------------------------------------

    def is_off(self, identifier: str) -> bool:
        """Return whether a key is the line's own while there is no line."""
        return identifier.startswith(f"{RESEMBLING}-") and not self.waiting

    def offered(self) -> list[Action]:
        """Return the actions of the line while it is there."""
        return registry.of_owners(RESEMBLING) if self.waiting else []

    def takes(self, identifier: str) -> bool:
        """Take the line away for any action but its own; esc does only that."""
        was_open = bool(self.waiting)
        if not identifier.startswith(f"{RESEMBLING}-") and identifier not in _HARMLESS:
            self.leave()
            return was_open and identifier == "back"
        return False

    def tie(self, link_type: LinkType) -> None:
        """Link the new memory with what it resembles; `supersedes` takes that out of use."""
        if self.waiting:
            beside, *rest = self.waiting
            self.show(rest)
            self.screen.do(lambda: self._queries.tie(beside, link_type), focus=True)

    def open_both(self) -> None:
        """Open both side by side, to be merged or only looked at."""
        if not self.waiting:
            return
        from memtui.tui.merge.screen import MergeScreen

        beside = self.waiting[0]
        merging = MergeScreen(self.screen.opening, (beside.found.id, beside.memory.id))

        def closed(_: None) -> None:
            # Looked at without a merge, the line stands as it stood.
            if merging.merged:
                self.leave()
                self.screen.acts_ended(beside.found.id)

        self.screen.app.push_screen(merging, closed)
