"""History: the journal, what each change did, and how to take it back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.content import Content

from memtui.curate.history import ChangeDiff, MemoryDiff, change_diff
from memtui.errors import MemtuiError
from memtui.text.sanitize import tame
from memtui.text.words import counted
from memtui.tui.actions import registry
from memtui.tui.actions.registry import HISTORY, Action
from memtui.tui.history.view import (
    REVERSALS,
    ChangeList,
    Changes,
    ChangeText,
    DiffPane,
    bring_back,
    change_text,
    find_changes,
    read_rows,
    undo_words,
)
from memtui.tui.list_detail import ListDetail
from memtui.tui.state import Opening
from memtui.tui.values import Done
from memtui.tui.vault_access import ALL_PROJECTS
from memtui.tui.widgets.filter_bar import FilterBar
from memtui.tui.widgets.lines import TitleLine
from memtui.tui.widgets.lists import PickList

TYPING_SECONDS = 0.06  # Pause after a key before the filter asks the vault


class HistoryScreen(ListDetail):
    """The list of changes beside what one of them did.

    `memory_id`: a memory whose changes alone are listed at first.
    """

    AREA = HISTORY
    BINDINGS: ClassVar[list[BindingType]] = registry.bindings(HISTORY)
    ANSWERS: ClassVar[Mapping[str, tuple[Any, ...]]] = {
        "history-next": ("_go_by", 1),
        "history-previous": ("_go_by", -1),
        "history-read": ("enter_second",),
        "history-list": ("enter_first",),
        "history-diff": ("enter_second",),
        "history-pane": ("enter_other",),
    }
    AUTO_FOCUS = "#history-list"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide")]  # noqa: RUF012 - Textual declares it as a class variable

    def __init__(self, opening: Opening, *, memory_id: str | None = None) -> None:
        self._list = ChangeList(id="history-list")
        self._diff = DiffPane(id="history-diff")
        super().__init__(opening, self._list, self._diff)
        self.memories.names_next = True
        self._title = TitleLine("History", id="history-title")
        finds = "words of a summary, an actor, or a number"
        self._filter = FilterBar(self._list, finds, self._type_filter, line_id="history-filter")
        self._memory_id = memory_id
        self._only = memory_id is not None  # Whether only the changes of that memory are listed
        self._shown: ChangeDiff | None = None
        self._listed = False
        self._to_newest = False
        self._made_change = False
        self._found: Changes | None = None

    def compose(self) -> ComposeResult:
        yield self._title
        with Horizontal(id="history-panes"):
            yield self._list
            yield self._diff
        yield self._filter
        yield self.hints

    def on_mount(self) -> None:
        """Draw the empty panes; the vault is read after the first paint."""
        self._list.set_title("1 Changes")
        self._diff.set_title("2 What it did")
        self.begin_looking()

    @property
    def hint_place(self) -> str:
        """Which keys the footer shows."""
        return "history-line" if self._filter.is_typed_in else HISTORY

    # -- the list ---------------------------------------------------------------------------------

    def look_again(self) -> None:
        """Read the numbers of the changes."""
        self.looked_at = self.access.signature()
        query, memory_id = self._filter.line.value, self._memory_id if self._only else None
        self.loader.read(lambda: find_changes(self.access, query, memory_id), self._show_changes, group="list")

    def _show_changes(self, found: Changes) -> None:
        self.trouble_is_over()
        self._listed, self._found = True, found
        follow = None if self._filter.line.value.strip() else self._list.current
        if self._to_newest:
            # What was undone, or made again, shows it; any other change is the first.
            follow = found.reversed
        self._to_newest = False
        self._list.show(found.numbers, follow=follow, notice=self._notice())
        name = f"1 Changes of “{tame(found.title, 40)}”" if found.title is not None else "1 Changes"
        self._list.set_title(name, counted(len(found.numbers), "change"))
        self._title.place = ALL_PROJECTS
        words = undo_words(found.upcoming, self.key_of("undo"))
        self._title.counts = [Content.styled(words, "$memtui-dim")] if words else []
        makes_again = found.upcoming is not None and found.upcoming.is_made_again
        scope = {"history-memory": "all changes" if self._only else "this memory only"}
        self.hints.words = {"undo": "redo", **scope} if makes_again else scope
        self._title.note = "one memory; m shows all" if found.title is not None else ""

    def _notice(self) -> tuple[str, ...]:
        if self._filter.line.value.strip():
            return (f"No change matches “{tame(self._filter.line.value, 40)}”.", "esc clears the filter.")
        if self._only:
            return ("This memory has no changes.", "m shows all changes.")
        return ("No changes yet.", "Every change will be listed here and can be undone.")

    def look_failed(self, error: MemtuiError) -> None:
        """Show the error, in the list too where nothing was read yet."""
        super().look_failed(error)
        if not self._listed:
            self._list.show((), follow=None, notice=(error.what, error.where, error.remedy))

    @on(ChangeList.RowsWanted)
    def _read_rows(self, message: ChangeList.RowsWanted) -> None:
        message.stop()
        self.loader.read(lambda: read_rows(self.access, message.numbers), self._list.put_rows, group="rows")

    # -- one change -------------------------------------------------------------------------------

    @on(PickList.Highlighted)
    def _follow_cursor(self, message: PickList.Highlighted) -> None:
        message.stop()
        number = self._list.current
        if number is None:
            self.stop_rest()
            self._shown = None
            self._diff.show_change(ChangeText(), from_top=True)
            self._name_diff()
        else:
            vault, first = self.access.read_vault, self._memory_id
            self.read_rested(lambda: change_diff(vault, number, first=first), self._show_change)

    def _show_change(self, diff: ChangeDiff) -> None:
        number = diff.row.change.number
        if number != self._list.current:
            return
        is_new = self._shown is None or self._shown.row.change.number != number
        self._shown = diff
        self._diff.show_change(change_text(diff), from_top=is_new)
        self._name_diff()

    def _name_diff(self) -> None:
        if self._shown is None:
            self._diff.set_title("2 What it did")
            return
        number, memories = self._shown.row.change.number, self._shown.row.memories
        where = f" · memory {self._diff.place + 1} of {memories:,}" if memories > 1 else ""
        self._diff.set_title(f"2 Change {number}{where}")

    @property
    def current_memory(self) -> str | None:
        return None if self._memory is None else self._memory.id

    @property
    def _memory(self) -> MemoryDiff | None:
        """The memory that actions apply to."""
        if self._shown is None or self._diff.place >= len(self._shown.memories):
            return None
        return self._shown.memories[self._diff.place]

    # -- actions ----------------------------------------------------------------------------------

    def why_not(self, action: Action) -> str | None:
        """Return why an action is not possible now."""
        if action.id in {"history-restore", "history-read", "history-undo"} and self._shown is None:
            return "No change is under the cursor."
        if action.id == "history-read" and self.focused is self._second:
            return "It is shown here; tab goes back to the list."
        if action.id == "history-restore" and self._memory is not None and self._memory.fate == "taken out":
            return "This change deleted the memory; restore one of its earlier changes."
        if action.id == "history-undo" and self._shown is not None and self._shown.row.change.action in REVERSALS:
            return "This undid or redid another change: u, ctrl+r, or U on that change, reverses it."
        if action.id == "history-undo" and self._shown is not None and self._shown.row.change.state != "done":
            return "This change is already undone."
        return self._why_no_memory(action) or super().why_not(action)

    def _why_no_memory(self, action: Action) -> str | None:
        no_memory = self._memory is None
        if no_memory and (action.id == "history-restore" or (action.id == "history-memory" and not self._memory_id)):
            return "This change did not affect any memory."
        if action.id in {"history-next", "history-previous"} and self._diff.memories <= 1:
            return "This change did not affect any other memory."
        return None

    def action_history_restore(self) -> None:
        """Bring back what the memory said after this change."""
        memory = self._memory
        if memory is not None:
            self.do(lambda: bring_back(self.access, memory.id, memory.version))

    def action_history_undo(self) -> None:
        """Undo the change under the cursor, whoever made it; what came after it stays."""
        if self._shown is not None:
            number = self._shown.row.change.number
            self.do(lambda: self.memories.undo(number))

    def action_undo(self) -> None:
        """Undo the last change; on a row that is another one, say first which, and act at a second press."""
        upcoming = self._found.upcoming if self._found is not None else None
        row = self._list.current
        if upcoming is None or row is None or row in {upcoming.change.number, self._found and self._found.reversed}:
            super().action_undo()
            return
        key, own = self.key_of("undo"), self.key_of("history-undo")
        words = f"{undo_words(upcoming, key)} ({key} again does it). {own} undoes the one here."
        if self.again.agrees("undo", words, lambda: (self._found and self._found.upcoming, self._list.current)):
            super().action_undo()

    def tell_done(self, done: Done) -> None:
        """Show what a change did, and note that there is a newer one than those listed."""
        self._made_change |= done.changed
        super().tell_done(done)

    def acts_ended(self, focus: str | None) -> None:
        """Read the journal again; the newest change is the one just made."""
        del focus
        if self._made_change:
            self._shown = None
            self._to_newest = True
        self._made_change = False
        self.look_again()

    def action_history_memory(self) -> None:
        """List only the changes of one memory, or all again."""
        if not self._only and self._memory is not None:
            self._memory_id = self._memory.id
        self._only = not self._only
        self.look_again()

    def _go_by(self, by: int) -> None:
        if self._diff.go_to(self._diff.place + by):
            self._name_diff()
        else:
            self.say(f"This is the {'last memory shown' if by > 0 else 'first memory'} of this change.")

    @on(PickList.Chosen)
    async def _choose(self, message: PickList.Chosen) -> None:
        message.stop()
        await self.action_act("history-read")

    # -- the filter -------------------------------------------------------------------------------

    def action_history_filter(self) -> None:
        self._filter.open()

    def _type_filter(self, _typed: str) -> None:
        self.loader.after(TYPING_SECONDS, self.look_again, group="list")

    def leave_line(self) -> bool:
        """Clear and close the filter; False where it is closed."""
        return self._filter.leave()
