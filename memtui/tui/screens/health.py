"""Health: what shape the vault is in, and what asks for care."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.message import Message

from memtui.errors import MemtuiError
from memtui.tui.access.health import HealthAccess, HealthRead
from memtui.tui.actions import registry
from memtui.tui.actions.health import HEALTH
from memtui.tui.health_blocks import HOLDS, health_blocks
from memtui.tui.messages import LookFailed
from memtui.tui.opening import Opening
from memtui.tui.screens.working import WorkingScreen
from memtui.tui.widgets.chrome import KeyHints
from memtui.tui.widgets.detail import DetailPane
from memtui.tui.widgets.title_line import TitleLine
from memtui.tui.wording import counted

POLL_SECONDS = 2.0
"""How often the vault is looked at for changes of others."""


@dataclass
class HealthLooked(Message):
    """The vault was looked at.

    Attributes:
        ticket: number of the request; older ones than the newest are dropped.
    """

    read: HealthRead
    ticket: int


class HealthScreen(WorkingScreen):
    """What the vault holds, beside what asks for care; in one pane where it is narrow.

    Args:
        opening: what the app was opened with.
    """

    AREA = HEALTH
    BINDINGS: ClassVar[list[BindingType]] = registry.bindings(HEALTH)
    AUTO_FOCUS = "#health-care"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (72, "-wide")]  # noqa: RUF012 - Textual declares it as a class variable

    def __init__(self, opening: Opening) -> None:
        super().__init__(opening)
        self._health = HealthAccess(opening)
        self._title = TitleLine("Health", id="health-title")
        self._holds = DetailPane(id="health-holds")
        self._care = DetailPane(id="health-care")
        self._hints = KeyHints(id="hints")
        self._read: HealthRead | None = None
        self._ticket = 0

    def compose(self) -> ComposeResult:
        """Lay out the screen."""
        yield self._title
        with Horizontal(id="health-panes"):
            yield self._care
            yield self._holds
        yield self._hints

    def on_mount(self) -> None:
        """Draw the empty panes; the vault is looked at after the first picture."""
        self._care.border_title = Content("1 What asks for care")  # a plain str would be read as markup
        self._holds.border_title = Content("2 What it holds")
        self._title.note = "looking …"
        self._hints.place = HEALTH
        self.call_after_refresh(self._reload)
        self.set_interval(POLL_SECONDS, self._poll)

    def on_resize(self, event: events.Resize) -> None:
        """Lay out the lines for the room there is."""
        del event
        self.call_after_refresh(self._draw)

    def _reload(self) -> None:
        self._ticket += 1
        self._look(self._ticket)

    @work(thread=True, exclusive=True, group="health", exit_on_error=False)
    def _look(self, ticket: int) -> None:
        if ticket != self._ticket:
            return
        try:
            read = self._health.look()
        except MemtuiError as error:
            self.post_message(LookFailed(error))
        else:
            self.post_message(HealthLooked(read, ticket))

    @on(HealthLooked)
    def _take(self, message: HealthLooked) -> None:
        if message.ticket != self._ticket:
            return
        self.trouble_is_over()
        self._read = message.read
        self._title.project = message.read.project
        self._title.note = counted(message.read.active, "memory in use", "memories in use")
        self._draw()

    @on(LookFailed)
    def _tell_failed_look(self, message: LookFailed) -> None:
        self.complain(str(message.error))

    def _draw(self) -> None:
        if self._read is None:
            return
        sections = self._read.sections
        holds = [section for section in sections if section.title in HOLDS]
        care = [section for section in sections if section.title not in HOLDS]
        if self.has_class("-narrow"):
            care, holds = [*care, *holds], []
        for pane, part in ((self._care, care), (self._holds, holds)):
            pane.show(health_blocks(part, pane.text_width), from_top=False)

    def _poll(self) -> None:
        if self._read is not None and not self.acting and self.access.signature() != self._read.signature:
            self._reload()

    def acts_ended(self, focus: str | None) -> None:
        """Look again after a change."""
        del focus
        self._reload()

    def action_health_again(self) -> None:
        """Look at the vault again."""
        self._title.note = "looking …"
        self._reload()

    def action_health_pane(self) -> None:
        """Go to the other pane."""
        other = self._holds if self._care.has_focus else self._care
        if other.display:
            other.focus()
