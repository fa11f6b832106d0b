"""Health: the state of the vault, and what needs attention."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.cells import cell_len
from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.message import Message

from memtui.curate.health import HealthRow, HealthSection, bar
from memtui.errors import MemtuiError
from memtui.tui.actions import registry
from memtui.tui.actions.table import HEALTH
from memtui.tui.launch_options import Opening
from memtui.tui.list_detail import ListDetail
from memtui.tui.memory_view import Block, Piece
from memtui.tui.messages import LookFailed
from memtui.tui.text_layout import counted, fit, tame, wrap
from memtui.tui.values import Signature
from memtui.tui.vault_access import VaultAccess
from memtui.tui.widgets.detail import DetailPane
from memtui.tui.widgets.lines import TitleLine


@dataclass(frozen=True, slots=True)
class HealthRead:
    """The shape of the vault.

    Attributes:
        signature: what the file system said of the vault before it was looked at.
    """

    sections: tuple[HealthSection, ...]
    active: int
    project: str | None
    signature: Signature


class HealthAccess:
    """The vault as the Health screen sees it."""

    def __init__(self, access: VaultAccess) -> None:
        self._access = access
        self._vault, self._reading, self._opening = access.vault, access.read_vault, access.opening

    def look(self) -> HealthRead:
        """Return the shape that the vault is in; takes seconds for a large one."""
        from memtui.curate.health import HealthOptions, health, sections

        opening, signature = self._opening, self._access.signature()
        with self._reading.read() as reader:
            view = self._access.view_of(reader)
        found = health(
            self._reading,
            HealthOptions(
                view=view,
                threshold=opening.threshold,
                context=opening.context,
                recall=opening.recall,
                secret_patterns=opening.secret_patterns,
                targets=opening.targets,
            ),
        )
        return HealthRead(tuple(sections(found)), found.counts["active"], view.project, signature)


HOLDS = frozenset({"Freshness", "By kind", "By path"})
"""Sections of the left pane; the others ask for care."""

_LABEL_CELLS, _VALUE_CELLS = 15, 6
_MOST_BAR_CELLS = 40
_ASKS = "! "


def health_blocks(sections: Sequence[HealthSection], width: int) -> list[Block]:
    """Return sections as blocks of lines that fit into so many cells."""
    blocks: list[Block] = []
    for section in sections:
        blocks.append(Block(((section.title, "heading"),), gap=bool(blocks)))
        for row in section.rows:
            blocks += _memory(row, width) if row.is_memory else _row(row, width)
    return blocks


def _memory(row: HealthRow, width: int) -> list[Block]:
    return [Block(((f"  {row.value}  ", "dim"), (fit(tame(row.note), width - 8).rstrip(), "text")))]


def _row(row: HealthRow, width: int) -> list[Block]:
    """Return a row on one line; its note on a line of its own where that is too narrow."""
    mark = _ASKS if row.asks else "  "
    pieces: list[Piece] = [
        (mark, "warning"),
        (fit(tame(row.label), _LABEL_CELLS), "text" if row.asks else "dim"),
        (f"{row.value:>{_VALUE_CELLS}}", "text"),
    ]
    used = len(mark) + _LABEL_CELLS + max(_VALUE_CELLS, len(row.value))
    note = tame(row.note)
    if row.share is not None and not note:
        cells = max(0, min(_MOST_BAR_CELLS, width - used - 2))
        pieces += [("  ", "dim"), (bar(row.share, cells).rstrip() or " ", "bar")]
    if not note:
        return [Block(tuple(pieces))]
    if used + 2 + cell_len(note) <= width:
        return [Block((*pieces, (f"  {note}", "dim")))]
    return [Block(tuple(pieces)), *(Block(((f"    {line}", "dim"),)) for line in wrap(note, max(1, width - 4)))]


@dataclass
class HealthLooked(Message):
    """The vault was looked at.

    Attributes:
        ticket: number of the request; older ones than the newest are dropped.
    """

    read: HealthRead
    ticket: int


class HealthScreen(ListDetail):
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
        self._health = HealthAccess(self.access)
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
