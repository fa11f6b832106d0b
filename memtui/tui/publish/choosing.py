"""What goes in to an assistant: memories to tick. Nothing is written here; Publish shows what would change."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from textual.binding import BindingType

from memtui.curate.publishing import Choosable, picked
from memtui.domain.memory import Memory
from memtui.publish.plan import Selection
from memtui.text.inline import unwrapped
from memtui.text.sanitize import reveal, tame
from memtui.tui.actions import registry
from memtui.tui.actions.registry import CHOOSING, GO, LISTING, Action
from memtui.tui.list_detail import ListDetail
from memtui.tui.list_filter import ListFilter
from memtui.tui.row_detail import BREAKPOINTS, RowPanes, pane_answers
from memtui.tui.state import Opening
from memtui.tui.styled_text import Block, StyleName
from memtui.tui.widgets.headed_titles import Titled, said_once
from memtui.tui.widgets.lines import TitleLine
from memtui.tui.widgets.lists import Cell
from memtui.tui.widgets.memory_list import KIND_CELLS, short_kind

_LONGEST_TEXT = 20_000
_NOTHING = "Nothing is ticked, so the selection stays as it was; {} in Publish removes the block."


@dataclass(frozen=True, slots=True)
class ChoiceRow:
    """A memory, ticked or not."""

    one: Choosable
    ticked: bool
    title: str = ""  # as the rows above let it be


class ChoosingScreen(ListDetail):
    """The memories that may go in, beside the text of one.

    Attributes:
        selection: what was chosen, once it is left; None where that is what went in before.
    """

    AREA = CHOOSING
    BINDINGS: ClassVar[list[BindingType]] = registry.bindings(CHOOSING, LISTING)
    ANSWERS: ClassVar[Mapping[str, tuple[Any, ...]]] = pane_answers(CHOOSING)
    AUTO_FOCUS = ".rows"
    HORIZONTAL_BREAKPOINTS = BREAKPOINTS

    def __init__(self, opening: Opening, place: str, found: Sequence[Choosable]) -> None:
        self._rows = RowPanes(
            CHOOSING,
            choice_cells,
            lambda row: choice_blocks(row.one),
            key=lambda row: row.one.memory.id,
            titles=("Memories", "Text"),
            words=choice_text,
        )
        super().__init__(opening, self._rows.list, self._rows.detail, panes=self._rows)
        self.sifting = ListFilter(self, self._rows.list, "words of a title, of the text, a file, a kind")
        self.parts = (self.sifting,)
        self._title = TitleLine("Choose what goes in", id="choosing-title")
        self._found = tuple(found)
        self._titles = tuple(said_once([Titled.of(choice_title(one.memory), one.memory.sources) for one in found]))
        self._before = frozenset(one.memory.id for one in found if one.is_in)
        self._usual = frozenset(one.memory.id for one in found if one.is_usual)
        self._ticked = set(self._before)
        self._title.place = place
        self._title.note = "nothing is written yet"
        self.selection: Selection | None = None

    def on_mount(self) -> None:
        """Show the memories after the first picture."""
        self.begin_looking()

    def look_again(self) -> None:
        """Show what was read before the screen came; it is not read again while a person chooses."""
        titles = zip(self._found, self._titles, strict=True)
        rows = [ChoiceRow(one, one.memory.id in self._ticked, title) for one, title in titles]
        self._rows.show(rows, choice_words(self._ticked, self._found), notice=("No memory is in use here.",))

    def why_not(self, action: Action) -> str | None:
        """Return why an action is not possible now."""
        if action.id.startswith(GO) or action.id in {"undo", "redo"}:
            return "esc goes back to Publish with this selection; p there writes it."
        return super().why_not(action)

    def action_choosing_tick(self) -> None:
        """Tick or untick the memory under the cursor, and go on to the next."""
        row = self._rows.list.current
        if row is not None:
            self._ticked ^= {row.one.memory.id}
            self.look_again()
            self._rows.list.move_by(1)

    def action_choosing_all(self) -> None:
        """Tick none, as who wants a few begins; where none is ticked, every memory."""
        self._ticked = set() if self._ticked else {one.memory.id for one in self._found}
        self.look_again()

    def action_choosing_usual(self) -> None:
        """Tick what goes in where nobody chooses."""
        self._ticked = set(self._usual)
        self.look_again()

    def action_back(self) -> None:
        """Leave, and let go in what is ticked."""
        if self.focused is self._second:
            self.enter_first()
            return
        if self.leave_line():
            return
        if not self._ticked:
            self.say(_NOTHING.format(self.key_of("publish-out")), severity="warning")
        elif self._ticked != self._before:
            self.selection = Selection() if self._ticked == self._usual else picked(self._ticked)
        self.dismiss(None)


def choice_words(ticked: Collection[str], found: Sequence[Choosable]) -> str:
    """Return how many memories are ticked."""
    return f"{len(ticked):,} of {len(found):,} ticked"


def choice_text(row: ChoiceRow) -> str:
    """Return what a memory is found by besides what its row shows: its text, its whole title, its kind, its files."""
    memory = row.one.memory
    return "\n".join((memory.title, memory.insight, memory.kind, *(anchor.path for anchor in memory.anchors)))


def choice_title(memory: Memory) -> str:
    """Return what a memory is called in the list."""
    return tame(memory.title) or tame(memory.insight)


def choice_cells(row: ChoiceRow, _width: int) -> list[Cell]:
    """Return a memory: its tick, its kind, its title, and whether the assistant reads it anyway."""
    memory = row.one.memory
    mark, text = ("good", "base") if row.ticked else ("dim", "dim")
    return [
        Cell("✓" if row.ticked else "·", mark, 2),
        Cell("● " if memory.pinned else "", "mark", 2, snug=True),
        Cell(short_kind(memory.kind), "kind", KIND_CELLS, since=40, after=1),
        Cell(row.title or choice_title(memory), text, at_word=True),
        Cell("read there" if row.one.read_in else "", "dim", 10, since=34, before=1, snug=True),
    ]


def choice_blocks(one: Choosable) -> list[Block]:
    """Return a memory in full, and where the assistant reads it anyway."""
    memory = one.memory
    blocks = [Block(((tame(memory.title, 1_000), "title"),)), Block(((tame(memory.kind, 40), "dim"),))]
    if one.read_in:
        blocks.append(Block(((f"the assistant reads it in {tame(one.read_in, 300)} anyway", "dim"),)))
    texts: tuple[tuple[str, str, StyleName], ...] = (
        (memory.insight, "", "text"),
        (memory.rationale, "Why", "text"),
        (memory.snippet, "", "code"),
    )
    for told, label, style in texts:
        if told:
            shown = reveal(told[:_LONGEST_TEXT] if style == "code" else unwrapped(told[:_LONGEST_TEXT]))
            blocks.append(Block(((shown, style),), label=label, gap=True))
    if memory.anchors:
        paths = tame(", ".join(anchor.path for anchor in memory.anchors), 1_000)
        blocks.append(Block(((paths, "path"),), label="Files", gap=True))
    return blocks
