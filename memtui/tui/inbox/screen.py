"""The Inbox: candidates, and one of them in full."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.message import Message
from textual.timer import Timer
from textual.widgets import Static

from memtui.errors import MemtuiError
from memtui.tui.actions import registry
from memtui.tui.actions.action import Action
from memtui.tui.actions.table import INBOX, RESEMBLING
from memtui.tui.edit.acts import EditActions
from memtui.tui.inbox.candidate_list import ODD, CandidateList
from memtui.tui.inbox.queries import (
    CandidateRead,
    ConflictsRead,
    InboxAccess,
    InboxMoved,
    Waiting,
    WaitingRead,
    conflict_words,
    inbox_notice,
)
from memtui.tui.launch_options import Opening
from memtui.tui.memory_view import Block, describe
from memtui.tui.messages import LookFailed, RowsRead
from memtui.tui.parts import SourceOpener
from memtui.tui.screen import MemtuiScreen
from memtui.tui.screens.similar_on_save import SimilarOnSave
from memtui.tui.text_layout import counted, tame
from memtui.tui.values import Done
from memtui.tui.widgets.detail import DetailPane
from memtui.tui.widgets.memory_list import MemoryList

POLL_SECONDS = 2.0
"""How often the vault is looked at for changes of others."""

RESTING_SECONDS = 0.05
"""Pause of the cursor before a candidate is read in full."""

_ON_ONE = frozenset(
    {"inbox-accept", "inbox-edit", "inbox-reject", "inbox-kind", "inbox-project", "inbox-source", "inbox-read"}
)


class InboxScreen(MemtuiScreen):
    """The candidates in view, and every decision on them, singly and in bulk."""

    AREA = INBOX
    BINDINGS: ClassVar[list[BindingType]] = [*registry.bindings(INBOX), *registry.bindings(RESEMBLING)]
    ANSWERS = SimilarOnSave.ANSWERS
    AUTO_FOCUS = "#inbox-list"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (84, "-wide")]  # noqa: RUF012 - Textual declares it as a class variable

    def __init__(self, opening: Opening) -> None:
        super().__init__(opening)
        self.resemblance = SimilarOnSave(self)
        self.editing = EditActions(self, self.resemblance)
        self.parts = (self.resemblance, self.editing)
        self._source = SourceOpener(self, self._read_current)
        self._inbox = InboxAccess(self.access)
        self._head = Static("", id="inbox-head", markup=False)
        self._list = CandidateList(id="inbox-list")
        self._detail = DetailPane(id="inbox-detail")
        self._waiting: Waiting | None = None
        self._ticket = 0
        self._rows_ticket = 0
        self._shown_id: str | None = None
        self._rest: Timer | None = None

    def compose(self) -> ComposeResult:
        """Lay out the screen."""
        yield self._head
        with Horizontal(id="inbox-panes"):
            yield self._list
            yield self._detail
        yield self.hints

    def on_mount(self) -> None:
        """Draw the empty panes; the vault is asked after the first picture."""
        self._detail.set_title("2 Candidate")
        self._tell_head()
        self.call_after_refresh(self._reload)
        self.set_interval(POLL_SECONDS, self._poll)

    # -- reading the vault ------------------------------------------------------------------------

    def _reload(self, focus: str | None = None) -> None:
        self._ticket += 1
        self._read_waiting(self._ticket, focus)

    @work(thread=True, exclusive=True, group="list", exit_on_error=False)
    def _read_waiting(self, ticket: int, focus: str | None) -> None:
        self._look(lambda: WaitingRead(self._inbox.waiting(), ticket, focus))

    @work(thread=True, exclusive=True, group="rows", exit_on_error=False)
    def _read_rows(self, identifiers: tuple[str, ...], ticket: int) -> None:
        if ticket == self._rows_ticket:
            self._look(lambda: RowsRead(self._inbox.candidates(identifiers), ticket))

    @work(thread=True, exclusive=True, group="detail", exit_on_error=False)
    def _read_detail(self, identifier: str) -> None:
        self._look(lambda: CandidateRead(identifier, self._inbox.read(identifier)))

    @work(thread=True, exclusive=True, group="poll", exit_on_error=False)
    def _look_for_changes(self, waiting: Waiting) -> None:
        self._look(lambda: InboxMoved() if self._inbox.moved_since(waiting) else None)

    def _look(self, read: Callable[[], Message | None]) -> None:
        """Read in a thread and report what was found, or why nothing was."""
        try:
            found = read()
        except MemtuiError as error:
            found = LookFailed(error)
        if found is not None:
            self.post_message(found)

    def _poll(self) -> None:
        if self.acting or not self.is_current:
            return
        if self._waiting is None or self.in_trouble:
            self._reload()
        else:
            self._look_for_changes(self._waiting)

    # -- what workers report ----------------------------------------------------------------------

    @on(WaitingRead)
    def _show_waiting(self, message: WaitingRead) -> None:
        if message.ticket != self._ticket or self.acting:
            return
        self.trouble_is_over()
        waiting, pane = message.waiting, self._list
        self._waiting = waiting
        pane.show_projects = waiting.project is None
        follow = message.focus if message.focus in waiting.ids else pane.current
        pane.show(waiting.ids, follow=follow, fresh=True, notice=inbox_notice(waiting))
        self._tell_head()

    @on(MemoryList.RowsWanted)
    def _ask_for_rows(self, message: MemoryList.RowsWanted) -> None:
        message.stop()
        self._rows_ticket += 1
        self._read_rows(message.ids, self._rows_ticket)

    @on(RowsRead)
    def _show_rows(self, message: RowsRead) -> None:
        if message.ticket == self._rows_ticket:
            self._list.put_rows(message.rows)

    @on(MemoryList.Highlighted)
    def _rest_on(self, message: MemoryList.Highlighted) -> None:
        message.stop()
        if self._rest is not None:
            self._rest.stop()
        if message.id is None:
            self._shown_id = None
            self._detail.show((), from_top=True)
        elif self._shown_id is None:
            self._read_detail(message.id)
        else:
            self._rest = self.set_timer(RESTING_SECONDS, self._read_current)

    def _read_current(self) -> None:
        if self._list.current is not None:
            self._read_detail(self._list.current)

    @on(CandidateRead)
    def _show_detail(self, message: CandidateRead) -> None:
        if message.id != self._list.current:
            return
        blocks: list[Block] = []
        if message.read is not None:
            blocks = [Block(((f"{ODD} {text}", "warning"),)) for text in message.read.oddities]
            body = describe(message.read.detail)
            blocks += [Block(body[0].pieces, body[0].label, gap=bool(blocks)), *body[1:]] if body else []
        self._detail.show(blocks, from_top=message.id != self._shown_id)
        self._shown_id = message.id

    @on(InboxMoved)
    def _take_changes(self) -> None:
        if not self.acting:
            self._reload()

    def look_failed(self, error: MemtuiError) -> None:
        """Show why the vault could not be read."""
        self.complain(str(error))
        if self._waiting is None:
            self._list.show((), follow=None, fresh=True, notice=(error.what, error.where, error.remedy))

    def _tell_head(self) -> None:
        number, marked = len(self._list.ids), len(self._list.marked)
        project = "" if self._waiting is None else tame(self._waiting.project or "all projects", 40)
        waits = "" if self._waiting is None else f"{number:,} waiting"
        parted = self._waiting.conflicts if self._waiting is not None else 0
        differs = f"   {conflict_words(parted)}" if parted else ""
        self._head.update(
            Content.assemble(
                " ",
                ("Inbox", "bold $primary"),
                f"  {project}",
                (f"   {waits}", "$memtui-dim"),
                (differs, "$memtui-due"),
            )
        )
        self._list.set_title(
            "1 Waiting · newest first",
            f"{marked:,} marked of {number:,}" if marked else f"{number:,}" if number else "",
        )
        self._settle()

    # -- deciding ---------------------------------------------------------------------------------

    def why_not(self, action: Action) -> str | None:
        """Return why an act on the candidate under the cursor cannot be done."""
        if action.id in _ON_ONE and self._list.current is None:
            return "Nothing waits here."
        if action.id == "inbox-conflicts" and self._waiting is not None and not self._waiting.conflicts:
            return "Nothing to settle: no source says anything else than its memory."
        return super().why_not(action)

    def _chosen(self) -> list[str]:
        """Return what an act concerns: what is marked, else the candidate under the cursor."""
        current = self._list.current
        return self._list.marked or ([current] if current is not None else [])

    def _decide(self, act: Callable[[list[str]], Done], *, goes: bool) -> None:
        chosen = self._chosen()
        if goes:
            self._list.take_out(chosen)
            self._tell_head()
        self.do(lambda: act(chosen))

    def action_inbox_accept(self) -> None:
        """Accept, and look at what it resembles."""

        def accept(chosen: list[str]) -> Done:
            done = self._inbox.accept(chosen)
            if done.changed:
                self.resemblance.look(chosen)
            return done

        self._decide(accept, goes=True)

    def action_inbox_reject(self) -> None:
        """Reject."""
        self._decide(self._inbox.reject, goes=True)

    def action_inbox_edit(self) -> None:
        """Edit, and accept by saving."""
        if self._list.current is not None:
            self.editing.open_form(self._list.current, "accept")

    def action_inbox_kind(self) -> None:
        """Choose another kind."""
        from memtui.tui.screens.dialogs import ChoiceScreen

        row = self._list.current_row
        kinds = [(name, "") for name in self.opening.vault.kinds.names()]
        chosen = self._chosen()

        def take(kind: str | None) -> None:
            if kind is not None:
                self.do(lambda: self._inbox.change_kind(chosen, kind))

        self.app.push_screen(ChoiceScreen(_title("Kind", chosen), kinds, row.kind if row else ""), take)

    def action_inbox_project(self) -> None:
        """Choose a project."""
        from memtui.tui.screens.dialogs import ChoiceScreen

        known = self._waiting.projects if self._waiting else ()
        projects = [(name, "") for name in dict.fromkeys((*known, "global"))]
        row, chosen = self._list.current_row, self._chosen()

        def take(project: str | None) -> None:
            if project is not None:
                self.do(lambda: self._inbox.assign(chosen, project))

        self.app.push_screen(ChoiceScreen(_title("Project", chosen), projects, row.project if row else ""), take)

    @work(thread=True, exclusive=True, group="conflicts", exit_on_error=False)
    def action_inbox_conflicts(self) -> None:
        """Show what was edited both in its source and here, one after the other."""

        def read() -> ConflictsRead:
            found = self._inbox.conflicts()
            return ConflictsRead(found, moved=bool(found) and self._inbox.source_moved(found[0]))

        self._look(read)

    @on(ConflictsRead)
    def _show_source_conflict(self, message: ConflictsRead) -> None:
        from memtui.tui.edit.source_conflict import SourceConflictScreen

        if not message.conflicts or not self.is_current:
            self._reload()
            return
        screen = SourceConflictScreen(self.opening, message.conflicts[0], len(message.conflicts), moved=message.moved)

        def left(_: None) -> None:
            if screen.saved is not None and len(message.conflicts) > 1:
                self.call_after_refresh(self.action_inbox_conflicts)
            self._reload()

        self.app.push_screen(screen, left)

    def action_inbox_source(self) -> None:
        """Open the source at its line."""
        if self._list.current is not None:
            self._source.open(self._list.current)

    def acts_ended(self, focus: str | None) -> None:
        """Read what waits anew."""
        self._reload(focus)

    # -- looking ----------------------------------------------------------------------------------

    def action_inbox_mark(self) -> None:
        """Mark the candidate under the cursor, or unmark it."""
        self._list.mark_current()

    def action_inbox_range(self) -> None:
        """Begin a range of marks, or end it."""
        self._list.mark_range()

    def action_inbox_all(self) -> None:
        """Mark all, or none."""
        self._list.mark_all()

    @on(MemoryList.Marked)
    def _show_marks(self, message: MemoryList.Marked) -> None:
        message.stop()
        self._tell_head()

    def action_inbox_read(self) -> None:
        """Read the candidate under the cursor."""
        if self._list.current is not None:
            self.add_class("-reading")
            self._detail.focus()

    def action_inbox_list(self) -> None:
        """Go to the list."""
        self._to_list()

    def action_inbox_detail(self) -> None:
        """Go to the candidate."""
        self.action_inbox_read()

    def action_inbox_pane(self) -> None:
        """Go to the other pane."""
        if self.focused is self._detail:
            self._to_list()
        else:
            self.action_inbox_read()

    def _to_list(self) -> None:
        self.remove_class("-reading")
        self._list.focus()

    def action_back(self) -> None:
        """Leave the details, drop the marks, leave the screen."""
        if self.focused is self._detail:
            self._to_list()
        elif self._list.marks:
            self._list.unmark()
        else:
            super().action_back()

    @on(MemoryList.Chosen)
    def _choose(self, message: MemoryList.Chosen) -> None:
        message.stop()
        self.action_inbox_read()

    def on_descendant_focus(self) -> None:
        """Show the keys of the focused pane."""
        self._settle()

    def _settle(self) -> None:
        self.hints.place = (
            "inbox-detail" if self.focused is self._detail else "inbox-marked" if self._list.marked else INBOX
        )


def _title(what: str, chosen: list[str]) -> str:
    return what if len(chosen) == 1 else f"{what} of {counted(len(chosen), 'candidate', 'candidates')}"
