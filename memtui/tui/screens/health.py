"""Health: what shape the vault is in, and what asks for care."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from textual import on, work
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
from memtui.tui.screens.two_panes import TwoPanes
from memtui.tui.widgets.detail import DetailPane
from memtui.tui.widgets.title_line import TitleLine
from memtui.tui.wording import counted


@dataclass
class HealthLooked(Message):
    """The vault was looked at.

    Attributes:
        ticket: number of the request; older ones than the newest are dropped.
    """

    read: HealthRead
    ticket: int


class HealthScreen(TwoPanes):
    """What the vault holds, beside what asks for care; in one pane where it is narrow.

    Args:
        opening: what the app was opened with.
    """

    AREA = HEALTH
    BINDINGS: ClassVar[list[BindingType]] = registry.bindings(HEALTH)
    AUTO_FOCUS = "#health-care"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (72, "-wide")]  # noqa: RUF012 - Textual declares it as a class variable

    BACK_TO_FIRST = False

    def __init__(self, opening: Opening) -> None:
        self._care = DetailPane(id="health-care")
        self._holds = DetailPane(id="health-holds")
        super().__init__(opening, self._care, self._holds)
        self._health = HealthAccess(opening)
        self._title = TitleLine("Health", id="health-title")
        self._read: HealthRead | None = None
        self._ticket = 0

    def compose(self) -> ComposeResult:
        """Lay out the screen."""
        yield self._title
        with Horizontal(id="health-panes"):
            yield self._care
            yield self._holds
        yield self.hints

    def on_mount(self) -> None:
        """Draw the empty panes; the vault is looked at after the first picture."""
        self._care.border_title = Content("1 What asks for care")  # a plain str would be read as markup
        self._holds.border_title = Content("2 What it holds")
        self._title.note = "looking …"
        self.begin_looking()

    def look_again(self) -> None:
        """Look at the vault."""
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
        self.looked_at = message.read.signature
        self._title.project = message.read.project
        self._title.note = counted(message.read.active, "memory in use", "memories in use")
        self.draw_again()

    def draw_again(self) -> None:
        """Lay out the sections for the room there is."""
        if self._read is None:
            return
        sections = self._read.sections
        holds = [section for section in sections if section.title in HOLDS]
        care = [section for section in sections if section.title not in HOLDS]
        if self.has_class("-narrow"):
            care, holds = [*care, *holds], []
        for pane, part in ((self._care, care), (self._holds, holds)):
            pane.show(health_blocks(part, pane.text_width), from_top=False)

    def action_health_again(self) -> None:
        """Look at the vault again."""
        self._title.note = "looking …"
        self.look_again()

    def action_health_pane(self) -> None:
        """Go to the other pane, where both have room."""
        if self._holds.display:
            self.enter_other()
