"""History: the journal, what each change did, and the way back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.message import Message
from textual.timer import Timer
from textual.widgets import Input, Static

from memtui.errors import MemtuiError
from memtui.tui.actions import registry
from memtui.tui.actions.action import Action
from memtui.tui.actions.table import HISTORY
from memtui.tui.history.view import ChangeList, DiffPane, HistoryAccess, HistoryRow, told
from memtui.tui.launch_options import Opening
from memtui.tui.list_detail import ListDetail
from memtui.tui.messages import LookFailed
from memtui.tui.text_layout import counted, tame
from memtui.tui.widgets.lines import TextLine, TitleLine
from memtui.tui.widgets.lists import PickList

if TYPE_CHECKING:
    from memtui.curate.history import ChangeDiff

TYPING_SECONDS = 0.06
"""Pause after a key before the filter asks the vault."""

RESTING_SECONDS = 0.05
"""Pause of the cursor before a change is read in full."""


@dataclass
class ChangesListed(Message):
    """The numbers of the changes were read.

    Attributes:
        name: title of the memory whose changes they are, None for all.
    """

    numbers: tuple[int, ...]
    name: str | None
    ticket: int


@dataclass
class ChangeRowsRead(Message):
    """Rows were read."""

    rows: Mapping[int, HistoryRow]


@dataclass
class ChangeRead(Message):
    """A change was read in full."""

    number: int
    diff: ChangeDiff


class HistoryScreen(ListDetail):
    """The list of changes beside what one of them did.

    Args:
        opening: what the app was opened with.
        memory_id: a memory whose changes alone are listed at first.
    """

    AREA = HISTORY
    BINDINGS: ClassVar[list[BindingType]] = registry.bindings(HISTORY)
    AUTO_FOCUS = "#history-list"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide")]  # noqa: RUF012 - Textual declares it as a class variable

    def __init__(self, opening: Opening, *, memory_id: str | None = None) -> None:
        self._list = ChangeList(id="history-list")
        self._diff = DiffPane(id="history-diff")
        super().__init__(opening, self._list, self._diff)
        self._journal = HistoryAccess(opening)
        self._title = TitleLine("History", id="history-title")
        self._filter = TextLine("words of what was done, who, or a number", longest=200, id="history-filter")
        self._memory_id = memory_id
        self._only = memory_id is not None
        self._shown: ChangeDiff | None = None
        self._ticket = 0
        self._listed = False
        self._to_newest = False
        self._pause: Timer | None = None
        self._rest: Timer | None = None

    def compose(self) -> ComposeResult:
        """Lay out the screen."""
        yield self._title
        with Horizontal(id="history-panes"):
            yield self._list
            yield self._diff
        with Horizontal(id="history-bar"):
            yield Static("/", id="history-mark", markup=False)
            yield self._filter
        yield self.hints

    def on_mount(self) -> None:
        """Draw the empty panes; the vault is asked after the first picture."""
        self._list.set_title("1 Changes")
        self._diff.set_title("2 What it did")
        self.begin_looking()

    # -- reading the journal ----------------------------------------------------------------------

    def look_again(self) -> None:
        """Read the numbers of the changes."""
        self._ticket += 1
        self.looked_at = self.access.signature()
        self._read_numbers(self._filter.value, self._memory_id if self._only else None, self._ticket)

    @work(thread=True, exclusive=True, group="list", exit_on_error=False)
    def _read_numbers(self, query: str, memory_id: str | None, ticket: int) -> None:
        if ticket != self._ticket:
            return
        try:
            name = self._journal.title_of(memory_id) if memory_id is not None else None
            numbers = self._journal.numbers(query, memory_id)
        except MemtuiError as error:
            self.post_message(LookFailed(error))
        else:
            self.post_message(ChangesListed(numbers, name, ticket))

    @work(thread=True, exclusive=True, group="rows", exit_on_error=False)
    def _read_rows(self, numbers: tuple[int, ...]) -> None:
        try:
            rows = self._journal.rows(numbers)
        except MemtuiError as error:
            self.post_message(LookFailed(error))
        else:
            self.post_message(ChangeRowsRead(rows))

    @work(thread=True, exclusive=True, group="detail", exit_on_error=False)
    def _read_change(self, number: int, first: str | None) -> None:
        try:
            diff = self._journal.diff(number, first)
        except MemtuiError as error:
            self.post_message(LookFailed(error))
        else:
            self.post_message(ChangeRead(number, diff))

    # -- what workers report ----------------------------------------------------------------------

    @on(ChangesListed)
    def _show_numbers(self, message: ChangesListed) -> None:
        if message.ticket != self._ticket:
            return
        self.trouble_is_over()
        self._listed = True
        follow = None if self._to_newest or self._filter.value.strip() else self._list.current
        self._to_newest = False
        self._list.show(message.numbers, follow=follow, notice=self._notice())
        name = f"1 Changes of “{tame(message.name, 40)}”" if message.name is not None else "1 Changes"
        self._list.set_title(name, counted(len(message.numbers), "change", "changes"))
        self._title.note = "one memory; m shows all" if message.name is not None else ""

    def _notice(self) -> tuple[str, ...]:
        if self._filter.value.strip():
            return (f"Nothing fits “{tame(self._filter.value, 40)}”.", "esc clears the filter.")
        if self._only:
            return ("The journal knows no change of this memory.", "m shows all changes.")
        return ("Nothing was changed yet.", "Every act will be listed here, and can be undone.")

    @on(ChangeList.RowsWanted)
    def _ask_for_rows(self, message: ChangeList.RowsWanted) -> None:
        message.stop()
        self._read_rows(message.numbers)

    @on(ChangeRowsRead)
    def _show_rows(self, message: ChangeRowsRead) -> None:
        self._list.put_rows(message.rows)

    @on(PickList.Highlighted)
    def _rest_on(self, message: PickList.Highlighted) -> None:
        message.stop()
        if self._rest is not None:
            self._rest.stop()
        if self._list.current is None:
            self._shown = None
            self._diff.show_change(None, from_top=True)
            self._name_diff()
        else:
            self._rest = self.set_timer(RESTING_SECONDS, self._read_current)

    def _read_current(self) -> None:
        if self._list.current is not None:
            self._read_change(self._list.current, self._memory_id)

    @on(ChangeRead)
    def _show_change(self, message: ChangeRead) -> None:
        if message.number != self._list.current:
            return
        is_new = self._shown is None or self._shown.row.change.number != message.number
        self._shown = message.diff
        self._diff.show_change(told(message.diff), from_top=is_new)
        self._name_diff()

    def _name_diff(self) -> None:
        if self._shown is None:
            self._diff.set_title("2 What it did")
            return
        number, all_of = self._shown.row.change.number, self._shown.row.memories
        where = f" · memory {self._diff.place + 1} of {all_of:,}" if all_of > 1 else ""
        self._diff.set_title(f"2 Change {number}{where}")

    def look_failed(self, error: MemtuiError) -> None:
        """Tell of it, in the list too where there is nothing else to show."""
        super().look_failed(error)
        if not self._listed:
            self._list.show((), follow=None, notice=(error.what, error.where, error.remedy))

    # -- acting -----------------------------------------------------------------------------------

    def why_not(self, action: Action) -> str | None:
        """Return why an act cannot be done now."""
        if action.id in {"history-restore", "history-read"} and self._shown is None:
            return "No change is under the cursor."
        if action.id == "history-restore":
            return self._why_not_restore()
        if action.id == "history-memory" and self._memory_id is None and self._current_memory() is None:
            return "This change touched no memory."
        if action.id in {"history-next", "history-previous"} and self._diff.memories <= 1:
            return "The change touched no other memory."
        return super().why_not(action)

    def _why_not_restore(self) -> str | None:
        memory = self._current_memory()
        if memory is None:
            return "This change touched no memory."
        if self._shown is not None and self._shown.memories[self._diff.place].fate == "taken out":
            return "This change took the memory out; an earlier one of it says what it was."
        return None

    def _current_memory(self) -> tuple[str, int] | None:
        """Return id and version of the memory that acts apply to."""
        if self._shown is None or self._diff.place >= len(self._shown.memories):
            return None
        memory = self._shown.memories[self._diff.place]
        return memory.id, memory.version

    def action_history_restore(self) -> None:
        """Bring back what the memory said after this change."""
        memory = self._current_memory()
        if memory is not None:
            self.do(lambda: self._journal.bring_back(*memory))

    def acts_ended(self, focus: str | None) -> None:
        """Read the journal anew; the newest change is the one just made."""
        del focus
        self._shown = None
        self._to_newest = True
        self.look_again()

    # -- looking ----------------------------------------------------------------------------------

    def action_history_memory(self) -> None:
        """List only the changes of one memory, or all again."""
        current = self._current_memory()
        if not self._only and current is not None:
            self._memory_id = current[0]
        self._only = not self._only
        self.look_again()

    def action_history_next(self) -> None:
        """Go to the next memory of the change."""
        self._go_to(self._diff.place + 1, "That was the last memory shown of this change.")

    def action_history_previous(self) -> None:
        """Go to the memory before."""
        self._go_to(self._diff.place - 1, "This is the first memory of the change.")

    def _go_to(self, place: int, otherwise: str) -> None:
        if self._diff.go_to(place):
            self._name_diff()
        else:
            self.say(otherwise)

    def action_history_read(self) -> None:
        """Read what the change did."""
        self.enter_second()

    def action_history_diff(self) -> None:
        """Go to what the change did."""
        self.enter_second()

    def action_history_list(self) -> None:
        """Go to the changes."""
        self.enter_first()

    def action_history_pane(self) -> None:
        """Go to the other pane."""
        self.enter_other()

    def action_history_filter(self) -> None:
        """Open the filter."""
        self.set_class(False, "-reading")
        self.set_class(True, "-filtering")
        self._filter.focus()

    @on(Input.Changed, "#history-filter")
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        if self._pause is not None:
            self._pause.stop()
        self._pause = self.set_timer(TYPING_SECONDS, self.look_again)

    @on(Input.Submitted, "#history-filter")
    def _keep_filter(self, event: Input.Submitted) -> None:
        event.stop()
        self._list.focus()

    @on(PickList.Chosen)
    async def _choose(self, message: PickList.Chosen) -> None:
        message.stop()
        await self.action_act("history-read")

    def leave_line(self) -> bool:
        """Clear and close the filter; False where it is closed."""
        if not self.has_class("-filtering"):
            return False
        self._filter.value = ""
        self.set_class(False, "-filtering")
        self.enter_first()
        return True

    @property
    def hint_place(self) -> str:
        """Which keys the footer shows."""
        return "history-line" if self.focused is self._filter else HISTORY
