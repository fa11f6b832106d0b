"""The Inbox: candidates, and one of them in full."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.widgets import Static

from memtui.errors import MemtuiError
from memtui.text.sanitize import tame
from memtui.text.words import counted
from memtui.tui.actions import registry
from memtui.tui.actions.table import INBOX, RESEMBLING, Action
from memtui.tui.edit.acts import EditActions, SimilarOnSave
from memtui.tui.inbox.view import (
    CandidateList,
    CandidateRead,
    InboxAccess,
    Waiting,
    candidate_blocks,
    conflict_words,
    inbox_notice,
)
from memtui.tui.list_detail import ListDetail, SourceOpener
from memtui.tui.screens.dialogs import pick
from memtui.tui.state import Opening
from memtui.tui.values import Done
from memtui.tui.widgets.detail import DetailPane
from memtui.tui.widgets.memory_list import MemoryList

if TYPE_CHECKING:
    from memtui.capture.source_conflicts import SourceConflict

_ON_ONE = frozenset(
    {"inbox-accept", "inbox-edit", "inbox-reject", "inbox-kind", "inbox-project", "inbox-source", "inbox-read"}
)


class InboxScreen(ListDetail):
    """The candidates in view, and every decision on them, one by one or in bulk."""

    AREA = INBOX
    BINDINGS: ClassVar[list[BindingType]] = [*registry.bindings(INBOX), *registry.bindings(RESEMBLING)]
    ANSWERS: ClassVar[Mapping[str, tuple[Any, ...]]] = {
        **SimilarOnSave.ANSWERS,
        "inbox-mark": ("_list.mark_current",),
        "inbox-range": ("_list.mark_range",),
        "inbox-all": ("_list.mark_all",),
        "inbox-read": ("enter_second",),
        "inbox-list": ("enter_first",),
        "inbox-detail": ("enter_second",),
        "inbox-pane": ("enter_other",),
    }
    AUTO_FOCUS = "#inbox-list"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (84, "-wide")]  # noqa: RUF012 - Textual declares it as a class variable

    def __init__(self, opening: Opening) -> None:
        self._list = CandidateList(id="inbox-list")
        self._detail = DetailPane(id="inbox-detail")
        super().__init__(opening, self._list, self._detail)
        self.resemblance = SimilarOnSave(self)
        self.editing = EditActions(self, self.resemblance)
        self.parts = (self.resemblance, self.editing)
        self._source = SourceOpener(self, self._read_current)
        self._inbox = InboxAccess(self.access)
        self._head = Static("", id="inbox-head", markup=False)
        self._waiting: Waiting | None = None
        self._shown_id: str | None = None

    def compose(self) -> ComposeResult:
        """Lay out the screen."""
        yield self._head
        with Horizontal(id="inbox-panes"):
            yield self._list
            yield self._detail
        yield self.hints

    def on_mount(self) -> None:
        """Draw the empty panes; the vault is read after the first paint."""
        self._detail.set_title("2 Candidate")
        self._show_head()
        self.begin_looking()

    # -- reading ----------------------------------------------------------------------------------

    def look_again(self) -> None:
        """Read what waits."""
        self._read_waiting(None)

    def acts_ended(self, focus: str | None) -> None:
        """Read what waits, and go to what changed."""
        self._read_waiting(focus)

    def _read_waiting(self, focus: str | None) -> None:
        self.looked_at = self.access.signature()
        self.loader.read(self._inbox.waiting, partial(self._show_waiting, focus), group="list")

    def _show_waiting(self, focus: str | None, waiting: Waiting) -> None:
        if self.acting:
            return
        self.trouble_is_over()
        self._waiting = waiting
        self._list.show_projects = waiting.project is None
        follow = focus if focus in waiting.ids else self._list.current
        self._list.show(waiting.ids, follow=follow, fresh=True, notice=inbox_notice(waiting))
        self._show_head()

    def look_failed(self, error: MemtuiError) -> None:
        """Show the error, in the list too where nothing was read yet."""
        super().look_failed(error)
        if self._waiting is None:
            self._list.show((), follow=None, fresh=True, notice=(error.what, error.where, error.remedy))

    @on(MemoryList.RowsWanted)
    def _read_rows(self, message: MemoryList.RowsWanted) -> None:
        message.stop()
        self.loader.read(partial(self._inbox.candidates, message.ids), self._list.put_rows, group="rows")

    @on(MemoryList.Highlighted)
    def _follow_cursor(self, message: MemoryList.Highlighted) -> None:
        message.stop()
        identifier = message.id
        if identifier is None:
            self.stop_rest()
            self._shown_id = None
            self._detail.show((), from_top=True)
        elif self._shown_id is None:
            self._read_current()
        else:
            self.read_rested(partial(self._inbox.read, identifier), partial(self._show_candidate, identifier))

    def _read_current(self) -> None:
        identifier = self._list.current
        if identifier is not None:
            read = partial(self._inbox.read, identifier)
            self.loader.read(read, partial(self._show_candidate, identifier), group="detail")

    def _show_candidate(self, identifier: str, read: CandidateRead | None) -> None:
        if identifier == self._list.current:
            blocks = candidate_blocks(read) if read is not None else ()
            self._detail.show(blocks, from_top=identifier != self._shown_id)
            self._shown_id = identifier

    @on(MemoryList.Marked)
    def _show_marks(self, message: MemoryList.Marked) -> None:
        message.stop()
        self._show_head()

    def _show_head(self) -> None:
        number, marked, waiting = len(self._list.ids), len(self._list.marked), self._waiting
        project = tame(waiting.project or "all projects", 40) if waiting else ""
        conflicts = f"   {conflict_words(waiting.conflicts)}" if waiting and waiting.conflicts else ""
        self._head.update(
            Content.assemble(
                " ",
                ("Inbox", "bold $primary"),
                f"  {project}",
                (f"   {number:,} waiting" if waiting else "   ", "$memtui-dim"),
                (conflicts, "$memtui-due"),
            )
        )
        count = f"{marked:,} marked of {number:,}" if marked else f"{number:,}" if number else ""
        self._list.set_title("1 Waiting · newest first", count)
        self.hints.place = self.hint_place

    @property
    def hint_place(self) -> str:
        """Which keys the footer shows."""
        return "inbox-detail" if self.focused is self._detail else "inbox-marked" if self._list.marked else INBOX

    # -- deciding ---------------------------------------------------------------------------------

    def why_not(self, action: Action) -> str | None:
        """Return why an action is not possible now."""
        if self._waiting is None and not self.in_trouble and action.id in _ON_ONE | {"undo"}:
            return "The inbox is being read: the key was ignored."
        if action.id in _ON_ONE and self._list.current is None:
            return "The inbox is empty."
        if action.id == "inbox-conflicts" and self._waiting is not None and not self._waiting.conflicts:
            return "There are no source conflicts."
        return super().why_not(action)

    def _chosen(self) -> list[str]:
        """Return what an action is about: what is marked, else the candidate under the cursor."""
        current = self._list.current
        return self._list.marked or ([current] if current is not None else [])

    def _decide(self, act: Callable[[list[str]], Done]) -> None:
        chosen = self._chosen()
        self._list.take_out(chosen)
        self._show_head()
        self.do(lambda: act(chosen))

    def action_inbox_accept(self) -> None:
        """Accept, and look for similar memories."""

        def accept(chosen: list[str]) -> Done:
            done = self._inbox.accept(chosen)
            if done.changed:
                self.resemblance.look(chosen)
            return done

        self._decide(accept)

    def action_inbox_reject(self) -> None:
        """Reject."""
        self._decide(self._inbox.reject)

    def action_inbox_edit(self) -> None:
        """Edit; saving accepts."""
        if self._list.current is not None:
            self.editing.open_form(self._list.current, "accept")

    def action_inbox_kind(self) -> None:
        """Choose another kind."""
        row = self._list.current_row
        self._choose("Kind", self.opening.vault.kinds.names(), row.kind if row else "", self._inbox.change_kind)

    def action_inbox_project(self) -> None:
        """Choose a project."""
        row, projects = self._list.current_row, self._waiting.projects if self._waiting else ()
        self._choose("Project", (*projects, "global"), row.project if row else "", self._inbox.assign)

    def _choose(self, title: str, names: Sequence[str], current: str, change: Callable[[list[str], str], Done]) -> None:
        chosen = self._chosen()
        of = "" if len(chosen) == 1 else f" of {counted(len(chosen), 'candidate')}"
        choices = [(name, "") for name in dict.fromkeys(names)]
        pick(self.app, title + of, choices, current, lambda name: self.do(lambda: change(chosen, name)))

    def action_inbox_conflicts(self) -> None:
        """Resolve the source conflicts, one after the other."""
        self.loader.read(self._inbox.conflicts, self._show_conflict, group="conflicts")

    def _show_conflict(self, read: tuple[list[SourceConflict], bool]) -> None:
        from memtui.tui.edit.version_conflict import SourceConflictScreen

        conflicts, moved = read
        if not conflicts or not self.is_current:
            self.look_again()
            return
        screen = SourceConflictScreen(self.opening, conflicts[0], len(conflicts), moved=moved)

        def closed(_: None) -> None:
            if screen.saved is not None and len(conflicts) > 1:
                self.call_after_refresh(self.action_inbox_conflicts)
            self.look_again()

        self.app.push_screen(screen, closed)

    def action_inbox_source(self) -> None:
        """Open the source at its line."""
        if self._list.current is not None:
            self._source.open(self._list.current)

    # -- panes ------------------------------------------------------------------------------------

    def enter_second(self) -> None:
        """Go to the candidate."""
        if self._list.current is not None:
            super().enter_second()

    def leave_line(self) -> bool:
        """Clear the marks; False where nothing is marked."""
        if not self._list.marks:
            return False
        self._list.unmark()
        return True

    @on(MemoryList.Chosen)
    def _read_clicked(self, message: MemoryList.Chosen) -> None:
        message.stop()
        self.enter_second()
