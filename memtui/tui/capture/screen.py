"""Capture: lessons proposed from the sessions of assistants, by session, each with the words it rests on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

from textual import on
from textual.binding import BindingType

from memtui.errors import MemtuiError
from memtui.tui.actions import registry
from memtui.tui.actions.registry import CAPTURE, LISTING, RESEMBLING, Action
from memtui.tui.capture.view import (
    CaptureAccess,
    CaptureRead,
    CaptureRun,
    MoreRow,
    ProposalRow,
    SessionKey,
    Unread,
    exchange,
    more_blocks,
    notice,
    proposal_blocks,
    proposal_cells,
    proposal_words,
    said_days,
    session_lines,
    session_of,
)
from memtui.tui.edit.acts import EditActions
from memtui.tui.edit.resembling import SimilarOnSave
from memtui.tui.inbox.view import CandidateRead, InboxAccess
from memtui.tui.list_detail import ListDetail
from memtui.tui.list_filter import ListFilter
from memtui.tui.screens.dialogs import pick
from memtui.tui.source_opener import SourceOpener
from memtui.tui.state import Opening
from memtui.tui.values import Done, Found
from memtui.tui.vault_access import ALL_PROJECTS
from memtui.tui.widgets.detail import DetailPane
from memtui.tui.widgets.lines import TitleLine
from memtui.tui.widgets.lists import PickList
from memtui.tui.widgets.row_list import RowList

_ON_ONE = frozenset(
    {"capture-accept", "capture-edit", "capture-reject", "capture-source", "capture-kind", "capture-project"}
)
_PROGRESS_SECONDS = 0.25
_DATABASES = frozenset({".db", ".vscdb"})


class CaptureScreen(ListDetail):
    """The proposals that wait, by session, beside one of them in full."""

    AREA = CAPTURE
    BINDINGS: ClassVar[list[BindingType]] = [
        *registry.bindings(CAPTURE),
        *registry.bindings(LISTING),
        *registry.bindings(RESEMBLING),
    ]
    ANSWERS: ClassVar[Mapping[str, tuple[Any, ...]]] = {
        **SimilarOnSave.ANSWERS,
        "capture-list": ("enter_first",),
        "capture-detail": ("enter_second",),
        "capture-pane": ("enter_other",),
    }
    AUTO_FOCUS = "#capture-list"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (84, "-wide")]  # noqa: RUF012 - Textual declares it as a class variable

    def __init__(self, opening: Opening) -> None:
        self._list: RowList[ProposalRow | MoreRow] = RowList(proposal_cells, words=proposal_words, id="capture-list")
        self._detail = DetailPane(id="capture-detail")
        super().__init__(opening, self._list, self._detail)
        self.resemblance = SimilarOnSave(self)
        self.editing = EditActions(self, self.resemblance)
        self.sifting = ListFilter(self, self._list, "words of a proposal, or of what you said", sifted=self._show_rows)
        self.parts = (self.sifting, self.resemblance, self.editing)
        self._title = TitleLine("Capture", id="capture-title")
        self._capture = CaptureAccess(self.access)
        self._inbox = InboxAccess(self.access)
        self._source = SourceOpener(self, self.draw_again)
        self._read: CaptureRead | None = None
        self._unread: Unread | None = None
        self._unfolded: frozenset[SessionKey] = frozenset()
        self._shown = ""

    def on_mount(self) -> None:
        """Draw the empty panes; vault and disk are read after the first paint."""
        self._list.set_title("1 Proposals")
        self._detail.set_title("2 Evidence")
        self.begin_looking()
        self.call_after_refresh(self._look_for_sessions)
        self.set_interval(_PROGRESS_SECONDS, self._show_progress)

    # -- reading ----------------------------------------------------------------------------------

    def look_again(self) -> None:
        """Read what waits."""
        self.looked_at = self.access.signature()
        self.loader.read(self._capture.read, self._show, group="list")

    def _look_for_sessions(self) -> None:
        def show(unread: Unread) -> None:
            self._unread = unread
            self._show_rows()

        self.loader.read(self._capture.unread, show, group="unread")

    def _show(self, read: CaptureRead) -> None:
        if not self.acting:
            self.trouble_is_over()
            self._read = read
            self._show_rows()

    def _show_rows(self) -> None:
        read = self._read or CaptureRead()
        current = self._list.current
        told = notice(self._unread, read.acceptance or {}) if self._read is not None else ("Reading the vault …",)
        self._list.show(
            session_lines(read, self._unfolded, unfold_all=self._list.is_filtered),
            follow=(lambda row: row.id == current.id) if current is not None else None,
            notice=told,
        )
        self._list.set_title("1 Proposals", f"{len(read.waiting):,} waiting" if read.waiting else "")
        self._show_progress()

    def _show_progress(self) -> None:
        run = self._under_way
        self._title.place = ALL_PROJECTS
        self._title.note = run.words if run is not None else self._unread.words if self._unread is not None else ""

    def look_failed(self, error: MemtuiError) -> None:
        """Show the error, in the list too where nothing was read yet."""
        super().look_failed(error)
        if self._read is None:
            self._list.show((), notice=(error.what, error.where, error.remedy))

    @property
    def current_memory(self) -> str | None:
        row = self._list.current
        return row.id if isinstance(row, ProposalRow) else None

    @on(PickList.Highlighted)
    def _follow_cursor(self, message: PickList.Highlighted) -> None:
        message.stop()
        self.draw_again()

    def draw_again(self) -> None:
        """Lay out the row under the cursor for the room there is."""
        row = self._list.current
        if row is None or self._read is None:
            self._detail.show((), from_top=True)
            self._shown = ""
            if self._read is not None and self.focused is self._detail:
                self.enter_first()  # which says why nothing is left to read
        elif isinstance(row, MoreRow):
            self._detail.show(more_blocks(row, self._read.waiting), from_top=True)
            self._shown = row.id
        elif self._shown:
            self.read_rested(partial(self._inbox.read, row.id), partial(self._show_proposal, row))
        else:
            self.loader.read(partial(self._inbox.read, row.id), partial(self._show_proposal, row), group="detail")

    def _show_proposal(self, row: ProposalRow, read: CandidateRead | None) -> None:
        current = self._list.current
        if read is None or self._read is None or current is None or current.id != row.id:
            return
        stored = row.told.proposal
        rate = (self._read.acceptance or {}).get(stored.signal)
        days = said_days(stored, self.access.vault.now())
        self._detail.show(proposal_blocks(row, read, days, rate), from_top=row.id != self._shown)
        self._shown = row.id

    # -- actions ----------------------------------------------------------------------------------

    def why_not(self, action: Action) -> str | None:
        """Return why an action is not possible now."""
        if action.id in _ON_ONE and self._read is None and not self.in_trouble:
            return "The proposals are being read."
        if action.id in _ON_ONE and self.current_memory is None:
            return "No proposal is under the cursor."
        if action.id == "capture-run" and self._under_way is not None:
            return "Sessions are being read; esc stops it."
        return super().why_not(action)

    @property
    def _row(self) -> ProposalRow:
        """The proposal under the cursor; `why_not` lets no action through without one."""
        row = self._list.current
        if not isinstance(row, ProposalRow):
            raise TypeError("no proposal is under the cursor")
        return row

    @property
    def _under_way(self) -> CaptureRun | None:
        run: CaptureRun | None = getattr(self.app, "capture_run", None)
        return run if run is not None and run.is_running else None

    def action_capture_run(self) -> None:
        """Read what is new in the background."""
        run = CaptureRun(self._capture.run)
        self.app.capture_run = run  # type: ignore[attr-defined] # held by the app, so that it outlives this screen
        run.start(self.app, self._end_run)
        self._show_progress()

    def _end_run(self) -> None:
        if self.is_attached:
            self.look_again()
            self._look_for_sessions()

    def action_back(self) -> None:
        """Stop what is being read; else leave the second pane, then the screen."""
        run = self._under_way
        if run is not None and self.focused is not self._detail:
            run.stop()
            self._show_progress()
        else:
            super().action_back()

    def _decide(self, act: Callable[[list[str]], Done]) -> None:
        """Decide on the proposal under the cursor; the list shows it no longer at once."""
        chosen = self._row.id
        if self._read is not None:
            waiting = tuple(one for one in self._read.waiting if one.proposal.memory_id != chosen)
            self._read = replace(self._read, waiting=waiting)
            self._show_rows()
        self.do(lambda: act([chosen]))

    def action_capture_accept(self) -> None:
        """Accept, and look for similar memories; what was said elsewhere than in a project is assigned first."""
        # Accepting alone would put it into the project in view, where nobody said it.
        view = self.access.view
        elsewhere = self._row.told.project is None and view is not None and view.project is not None

        def accept(chosen: list[str]) -> Done:
            done = self._inbox.accept(chosen, careful=elsewhere)
            if done.changed:
                self.resemblance.look(chosen, said=done.message)
            return done

        self._decide(accept)

    def action_capture_reject(self) -> None:
        """Reject: it is not proposed again."""
        self._decide(self._inbox.reject)

    def action_capture_edit(self) -> None:
        """Edit; saving accepts."""
        self.editing.open_form(self._row.id, "accept")

    def action_capture_kind(self) -> None:
        """Choose another kind."""
        row, names = self._row, self.opening.vault.kinds.names()

        def change(kind: str) -> None:
            self.do(lambda: self._inbox.change_kind([row.id], kind))

        pick(self.app, "Kind", [(name, "") for name in names], row.told.kind, change)

    def action_capture_project(self) -> None:
        """Choose a project."""
        row = self._row

        def show(projects: list[str]) -> None:
            def change(project: str) -> None:
                self.do(lambda: self._inbox.assign([row.id], project))

            choices = [(name, "") for name in dict.fromkeys((*projects, "global"))]
            pick(self.app, "Project", choices, row.told.project or "", change)

        self.loader.read(lambda: list(self._inbox.waiting().projects), show, group="projects")

    def action_capture_source(self) -> None:
        """Show what was said around the place, as text; a database has none to show."""
        stored = self._row.told.proposal
        path = Path(stored.file)
        if path.suffix in _DATABASES:
            self.say(f"Stored in a database, which cannot be opened in an editor: {stored.place}", severity="warning")
        elif not path.is_file():
            self.say("The transcript no longer exists: assistants delete them after a while.", severity="warning")
        else:
            self.loader.read(partial(exchange, stored), self._show_exchange, group="exchange")

    def _show_exchange(self, read: tuple[str, int]) -> None:
        """Show a copy that cannot be written, never the transcript itself."""
        from memtui.curate.external_editor import write_text_file

        text, line = read
        file = write_text_file(text, "session")
        try:
            file.path.chmod(0o400)
            problem = self._source.edit(Found(file.path, line))
        finally:
            file.path.unlink(missing_ok=True)
        if problem:
            self.say(problem, severity="warning")

    def action_capture_read(self) -> None:
        """Show the folded proposals of a session, or go to the proposal's details."""
        row = self._list.current
        if isinstance(row, MoreRow):
            self._unfolded |= {row.session}
            self._show_rows()
        elif row is not None:
            self.enter_second()

    def action_capture_fold(self) -> None:
        """Fold the session under the cursor to its best proposals."""
        row = self._list.current
        if isinstance(row, ProposalRow):
            self._unfolded -= {session_of(row.told)}
            self._show_rows()

    @on(PickList.Chosen)
    async def _choose(self, message: PickList.Chosen) -> None:
        message.stop()
        await self.action_act("capture-read")
