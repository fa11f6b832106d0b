"""Health: the state of the vault, and what needs attention."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.cells import cell_len
from textual.binding import BindingType

from memtui.curate.health import health_in_parts
from memtui.text.sanitize import tame
from memtui.text.words import bar, counted
from memtui.tui.actions import registry
from memtui.tui.actions.registry import HEALTH
from memtui.tui.list_detail import LIST, ListDetail
from memtui.tui.loader import Task
from memtui.tui.state import Opening
from memtui.tui.styled_text import Block, Piece, fit, wrap
from memtui.tui.values import Signature
from memtui.tui.vault_access import FileChecks, VaultAccess, health_options
from memtui.tui.widgets.detail import DetailPane, curve_rows
from memtui.tui.widgets.lines import TitleLine
from memtui.tui.widgets.lists import READING
from memtui.wording.health import HealthRow, HealthSection, sections

_LABEL_CELLS, _VALUE_CELLS = 15, 6
_MOST_BAR_CELLS = 40
_MOST_COLUMN_CELLS, _COLUMN_ROWS = 6, 5
_NARROWEST_PICTURE = 34  # Cells that ten columns with their numbers need


@dataclass(frozen=True, slots=True)
class HealthRead:
    """The state of the vault."""

    sections: tuple[HealthSection, ...]
    active: int
    project: str | None
    signature: Signature  # what the file system said of the vault before it was read
    is_whole: bool = True  # whether no figure is left to count


def read_health(access: VaultAccess) -> Iterator[HealthRead]:
    """Yield the state of the vault as it becomes known; all of it takes seconds for a large one.

    The files are checked after the first figures, as Tidy does: what changed in them is due.
    """
    signature = access.signature()

    def check_files() -> None:
        nonlocal signature
        FileChecks(access).check()
        signature = access.signature()

    options = health_options(access)
    for found in health_in_parts(access.read_vault, options, check_files=check_files):
        shown, active = tuple(sections(found)), found.counts["active"]
        yield HealthRead(shown, active, options.view.project, signature, is_whole=not found.pending)


def health_blocks(sections: Sequence[HealthSection], width: int) -> list[Block]:
    """Return sections as blocks of lines of at most so many cells."""
    blocks: list[Block] = []
    for section in sections:
        blocks.append(Block(((section.title, "heading"),), gap=bool(blocks)))
        is_drawn = bool(section.columns) and width >= _NARROWEST_PICTURE and _have_room(section.columns, width)
        blocks += _columns(section.columns, width) if is_drawn else []
        for row in section.rows:
            if not (is_drawn and row.share is not None):
                blocks += _memory(row, width) if row.is_memory else _row(row, width)
    return blocks


def _column_cells(numbers: Sequence[int], width: int) -> int:
    return min(_MOST_COLUMN_CELLS, (width - 2) // len(numbers))


def _have_room(numbers: Sequence[int], width: int) -> bool:
    """Return whether each number fits below its column; else rows say them in full."""
    return max(len(f"{number:,}") for number in numbers) < _column_cells(numbers, width)


def _columns(numbers: Sequence[int], width: int) -> list[Block]:
    """Return numbers over equal parts of 0–1 as columns, each with its number and its place below."""
    cells = _column_cells(numbers, width)
    most = max(1, *numbers)
    heights = [share for number in numbers for share in (*[_seen(number / most)] * (cells - 1), 0.0)]
    drawn = [Block(((f"  {line}", "bar"),)) for line in curve_rows(heights, _COLUMN_ROWS)]
    counts = "".join(fit(f"{number:,}" if number else "·", cells - 1) + " " for number in numbers)
    places = "".join(fit(f"{place / len(numbers):.1f}".removeprefix("0"), cells) for place in range(len(numbers)))
    return [*drawn, Block(((f"  {counts}", "text"),)), Block(((f"  {places}", "dim"),))]


def _seen(share: float) -> float:
    """Return a share as it is drawn: more than nothing is seen."""
    return max(share, 1 / (8 * _COLUMN_ROWS)) if share > 0 else 0.0


def _memory(row: HealthRow, width: int) -> list[Block]:
    return [Block(((f"  {row.value}  ", "dim"), (fit(tame(row.note), width - 8).rstrip(), "text")))]


def _row(row: HealthRow, width: int) -> list[Block]:
    """Return a row on one line; its note goes on lines of its own where that is too narrow."""
    pieces: list[Piece] = [
        ("! " if row.asks else "  ", "warning"),
        (fit(tame(row.label), _LABEL_CELLS), "text" if row.asks else "dim"),
        (f"{row.value:>{_VALUE_CELLS}}", "text"),
    ]
    used = 2 + _LABEL_CELLS + max(_VALUE_CELLS, len(row.value))
    note = tame(row.note)
    if note and used + 2 + cell_len(note) > width:
        below = [Block(((f"    {line}", "dim"),)) for line in wrap(note, max(1, width - 4))]
        return [Block(tuple(pieces)), *below] if row.label or row.value else below
    if note:
        pieces.append((f"  {note}", "dim"))
    elif row.chart:
        pieces += [("  ", "dim"), (row.chart[-max(0, width - used - 2) :], "bar")]
    elif row.share is not None:
        cells = max(0, min(_MOST_BAR_CELLS, width - used - 2))
        pieces += [("  ", "dim"), (bar(row.share, cells).rstrip() or " ", "bar")]
    return [Block(tuple(pieces))]


class HealthScreen(ListDetail):
    """What needs attention beside what the vault holds; in one pane where it is narrow."""

    AREA = HEALTH
    BINDINGS: ClassVar[list[BindingType]] = registry.bindings(HEALTH)
    AUTO_FOCUS = "#health-care"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (72, "-wide")]  # noqa: RUF012 - Textual declares it as a class variable

    BACK_TO_FIRST = False

    def __init__(self, opening: Opening) -> None:
        self._care = DetailPane(id="health-care")
        self._holds = DetailPane(id="health-holds")
        super().__init__(opening, self._care, self._holds)
        self._title = TitleLine("Health", id="health-title")
        self._read: HealthRead | None = None  # All of the last look
        self._shown: HealthRead | None = None  # What is known of this one

    def on_mount(self) -> None:
        """Draw the empty panes; the vault is read after the first paint."""
        self._care.set_title("1 Needs attention")
        self._holds.set_title("2 Contents")
        self._title.note = READING
        self.begin_looking()

    def look_again(self) -> None:
        """Read the state of the vault."""

        def read(task: Task) -> None:
            for part in read_health(self.access):
                if not task.is_wanted:
                    return
                task.show(self._take, part)

        self.loader.run(read, group=LIST)

    def _take(self, read: HealthRead) -> None:
        self.trouble_is_over()
        self._title.place = read.project
        active = counted(read.active, "active memory", "active memories")
        self._title.note = active if read.is_whole else f"{active} · {READING}"
        if read.is_whole:
            self._read, self.looked_at = read, read.signature
        elif self._read is not None:
            return  # What was known all along is better than parts of what is.
        self._shown = read
        self.draw_again()

    def draw_again(self) -> None:
        """Lay out the sections for the room there is."""
        if self._shown is None:
            return
        care = [section for section in self._shown.sections if not section.is_contents]
        holds = [section for section in self._shown.sections if section.is_contents]
        if self.has_class("-narrow"):
            care, holds = [*care, *holds], []
        for pane, part in ((self._care, care), (self._holds, holds)):
            pane.show(health_blocks(part, pane.text_width), from_top=False)

    def action_health_again(self) -> None:
        """Read the state of the vault again."""
        self._title.note = READING
        self.look_again()

    def action_health_pane(self) -> None:
        """Go to the other pane, where there is room for both."""
        if self._holds.display:
            self.enter_other()
