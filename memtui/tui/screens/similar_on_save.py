"""What a just-saved memory resembles: a quiet line with actions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from textual import on, work
from textual.binding import BindingType
from textual.content import Content
from textual.css.query import NoMatches
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget

from memtui.domain.memory import LinkType, Memory
from memtui.errors import MemtuiError
from memtui.tui.actions import registry
from memtui.tui.actions.action import Action
from memtui.tui.actions.table import RESEMBLING
from memtui.tui.keymap import Keymap
from memtui.tui.launch_options import Opening
from memtui.tui.screen import MemtuiScreen
from memtui.tui.text_layout import clipped, tame
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
"""Acts that leave the line as it is."""


@dataclass
class MemoriesSaved(Message):
    """Memories were saved as new statements, or accepted.

    Attributes:
        before: the one memory as it was before an edit.
    """

    ids: Sequence[str]
    before: Memory | None = None


@dataclass
class BesideFound(Message):
    """It was looked at what they resemble."""

    found: list[Beside]
    ticket: int


class ResemblanceActs(MemtuiScreen):
    """A screen beneath forms, which tells after a save what the new memory resembles."""

    BINDINGS: ClassVar[list[BindingType]] = registry.bindings(RESEMBLING)

    def __init__(self, opening: Opening) -> None:
        super().__init__(opening)
        self._waiting_beside: list[Beside] = []
        """What was found, the first of them in the line."""
        self._beside_ticket = 0

    @on(MemoriesSaved)
    def _look_beside(self, message: MemoriesSaved) -> None:
        message.stop()
        self._beside_ticket += 1
        self._find_beside(tuple(message.ids), message.before, self._beside_ticket)

    @work(thread=True, exclusive=True, group="beside", exit_on_error=False)
    def _find_beside(self, identifiers: tuple[str, ...], before: Memory | None, ticket: int) -> None:
        try:
            found = ResemblingAccess(self.access).beside(identifiers, before)
        except MemtuiError:
            # The save stands; Tidy finds the same later.
            return
        self.post_message(BesideFound(found, ticket))

    @on(BesideFound)
    def _show_beside(self, message: BesideFound) -> None:
        message.stop()
        # An act since then was the answer already.
        if message.ticket == self._beside_ticket:
            self._waiting_beside = message.found
            self._tell_beside()

    def _tell_beside(self) -> None:
        line = self.query_one_optional(ResemblanceLine)
        if not self._waiting_beside:
            if line is not None:
                line.display = False
            return
        if line is None:
            line = ResemblanceLine(getattr(self.app, "keymap", None))
            try:
                self.mount(line, before=self.query_one("#hints"))
            except NoMatches:
                self.mount(line)
        line.beside, line.more, line.display = self._waiting_beside[0], len(self._waiting_beside) - 1, True

    def _leave_beside(self) -> None:
        """Take the line away, and drop what is still being looked for."""
        self._beside_ticket += 1
        if self._waiting_beside:
            self._waiting_beside = []
            self._tell_beside()

    # -- keys -------------------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Let the line's keys be others' while there is no line."""
        if action == "act" and str(parameters[0]).startswith(f"{RESEMBLING}-") and not self._waiting_beside:
            return False
        return super().check_action(action, parameters)

    def offered(self) -> list[Action]:
        """Return the acts that help and palette can run here."""
        line = registry.of_owners(RESEMBLING) if self._waiting_beside else []
        return [*line, *super().offered()]

    async def action_act(self, identifier: str) -> None:
        """Do what a key asks for; any act but the line's own takes the line away, and esc does only that."""
        was_open = bool(self._waiting_beside)
        if not identifier.startswith(f"{RESEMBLING}-") and identifier not in _HARMLESS:
            self._leave_beside()
            if was_open and identifier == "back":
                return
        await super().action_act(identifier)

    def action_resembling_link(self) -> None:
        """Link the new memory with what it resembles."""
        self._tie("relates")

    def action_resembling_supersede(self) -> None:
        """Let the new memory supersede what it resembles."""
        self._tie("supersedes")

    def _tie(self, link_type: LinkType) -> None:
        if self._waiting_beside:
            beside = self._waiting_beside.pop(0)
            self._tell_beside()
            self.do(lambda: ResemblingAccess(self.access).tie(beside, link_type), focus=True)

    def action_resembling_both(self) -> None:
        """Open both side by side, to be merged or only looked at."""
        if not self._waiting_beside:
            return
        from memtui.tui.merge.screen import MergeScreen

        beside = self._waiting_beside[0]
        screen = MergeScreen(self.opening, (beside.found.id, beside.memory.id))

        def closed(_: None) -> None:
            # Looked at without a merge, the line stands as it stood.
            if screen.merged:
                self._leave_beside()
                self.acts_ended(beside.found.id)

        self.app.push_screen(screen, closed)
