"""Browse: the list of memories beside one of them in full."""

from __future__ import annotations

from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.timer import Timer
from textual.widgets import Input, Static

from memtui.errors import MemtuiError
from memtui.tui.access import Listing, steady_order
from memtui.tui.actions import registry
from memtui.tui.actions.action import Action
from memtui.tui.actions.browse import BROWSE
from memtui.tui.describing import describe
from memtui.tui.messages import Act, DetailRead, ListRead, LookFailed, RowsRead, VaultMoved
from memtui.tui.notices import list_title, notice_of, shown_count
from memtui.tui.opening import Opening
from memtui.tui.screens.working import WorkingScreen
from memtui.tui.widgets.chrome import HeaderLine, KeyHints
from memtui.tui.widgets.detail import DetailPane
from memtui.tui.widgets.filter_line import FilterLine
from memtui.tui.widgets.memory_list import MemoryList

POLL_SECONDS = 2.0
"""How often the vault is looked at for changes of others."""

TYPING_SECONDS = 0.06
"""Pause after a key before the filter asks the vault."""

RESTING_SECONDS = 0.05
"""Pause of the cursor before a memory is read in full."""


class BrowseScreen(WorkingScreen):
    """The list, the detail pane, the filter, and every act on the memory under the cursor."""

    AREA = BROWSE
    BINDINGS: ClassVar[list[BindingType]] = registry.bindings(BROWSE)
    AUTO_FOCUS = "#list"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (84, "-wide")]  # noqa: RUF012 - Textual declares it as a class variable

    def __init__(self, opening: Opening) -> None:
        super().__init__(opening)
        # Held here rather than queried: a worker may report while the screen is being taken down.
        self._header = HeaderLine(id="header")
        self._list = MemoryList(id="list")
        self._detail = DetailPane(id="detail")
        self._filter = FilterLine(id="filter")
        self._filter_count = Static("", id="filter-count", markup=False)
        self._hints = KeyHints(id="hints")
        self._due_only = opening.start == "due"
        self._query = ""
        self._listing: Listing | None = None
        self._ticket = 0
        self._rows_ticket = 0
        self._shown_id: str | None = None
        self._pause: Timer | None = None
        self._rest: Timer | None = None

    def compose(self) -> ComposeResult:
        """Lay out the screen."""
        yield self._header
        with Horizontal(id="panes"):
            yield self._list
            yield self._detail
        with Horizontal(id="filter-bar"):
            yield Static("/", id="filter-mark", markup=False)
            yield self._filter
            yield self._filter_count
        yield self._hints

    def on_mount(self) -> None:
        """Draw the empty panes; the vault is asked after the first picture."""
        self._list.set_title(list_title(due_only=self._due_only, query=""), "")
        self._detail.set_title("2 Detail")
        self.call_after_refresh(self._reload)
        self.set_interval(POLL_SECONDS, self._poll)

    # -- reading the vault ------------------------------------------------------------------------

    def _reload(self, *, steady: bool = False, focus: str | None = None) -> None:
        self._ticket += 1
        self._read_list(self._query, self._ticket, due_only=self._due_only, steady=steady, focus=focus)

    def _refilter(self) -> None:
        if self._listing is None or self._listing.base.due_only != self._due_only:
            self._reload()
            return
        self._ticket += 1
        self._filter_list(self._listing, self._query, self._ticket)

    @work(thread=True, exclusive=True, group="list", exit_on_error=False)
    def _read_list(self, query: str, ticket: int, *, due_only: bool, steady: bool, focus: str | None) -> None:
        try:
            listing = self.access.load(query, due_only=due_only)
        except MemtuiError as error:
            self.post_message(LookFailed(error))
        else:
            self.post_message(ListRead(listing, ticket, fresh=True, steady=steady, focus=focus))

    @work(thread=True, exclusive=True, group="list", exit_on_error=False)
    def _filter_list(self, listing: Listing, query: str, ticket: int) -> None:
        if ticket != self._ticket:
            return
        try:
            filtered = self.access.filtered(listing.base, query)
        except MemtuiError as error:
            self.post_message(LookFailed(error))
        else:
            self.post_message(ListRead(filtered, ticket, fresh=False))

    @work(thread=True, exclusive=True, group="rows", exit_on_error=False)
    def _read_rows(self, identifiers: tuple[str, ...], ticket: int) -> None:
        if ticket != self._rows_ticket:
            return
        try:
            rows = self.access.rows(identifiers)
        except MemtuiError as error:
            self.post_message(LookFailed(error))
        else:
            self.post_message(RowsRead(rows, ticket))

    @work(thread=True, exclusive=True, group="detail", exit_on_error=False)
    def _read_detail(self, identifier: str) -> None:
        try:
            detail = self.access.detail(identifier)
        except MemtuiError as error:
            self.post_message(LookFailed(error))
        else:
            self.post_message(DetailRead(identifier, detail))

    def _poll(self) -> None:
        """Look for changes of others; after a failure, read the list again."""
        if self.acting:
            return
        if self._listing is None or self.in_trouble:
            self._reload()
        else:
            self._look_for_changes(self._listing)

    @work(thread=True, exclusive=True, group="poll", exit_on_error=False)
    def _look_for_changes(self, listing: Listing) -> None:
        try:
            moved = self.access.moved(listing.base)
        except MemtuiError as error:
            self.post_message(LookFailed(error))
        else:
            if moved:
                self.post_message(VaultMoved())

    # -- what workers report ----------------------------------------------------------------------

    @on(ListRead)
    def _show_list(self, message: ListRead) -> None:
        # While a change is on its way, a list read before it would bring back rows that are gone from the screen.
        if message.ticket != self._ticket or self.acting:
            return
        self.trouble_is_over()
        pane, listing = self._list, message.listing
        ids = steady_order(pane.ids, listing.ids) if message.steady else listing.ids
        new_query = self._listing is None or self._listing.query != listing.query
        self._listing = listing
        follow = message.focus if message.focus in ids else pane.current
        if new_query and listing.query.strip():
            follow = ids[0] if ids else None
        pane.show_projects = listing.base.project is None
        pane.set_title(list_title(due_only=listing.base.due_only, query=listing.query), shown_count(listing))
        pane.show(ids, follow=follow, fresh=message.fresh, notice=notice_of(listing))
        self._header.base = listing.base
        self._filter_count.update(Content(shown_count(listing) if listing.query.strip() else ""))

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

    @on(DetailRead)
    def _show_detail(self, message: DetailRead) -> None:
        if message.id != self._list.current:
            return
        blocks = describe(message.detail) if message.detail is not None else []
        self._detail.show(blocks, from_top=message.id != self._shown_id)
        self._shown_id = message.id

    @on(VaultMoved)
    def _take_changes(self) -> None:
        if not self.acting:
            self._reload()

    @on(LookFailed)
    def _tell_failed_look(self, message: LookFailed) -> None:
        error = message.error
        self.complain(str(error))
        if self._listing is None:
            self._list.show((), follow=None, fresh=True, notice=(error.what, error.where, error.remedy))

    # -- acting -----------------------------------------------------------------------------------

    def acts_ended(self, focus: str | None) -> None:
        """Read the list anew, in the order on the screen."""
        self._reload(steady=True, focus=focus)

    def action_pin(self) -> None:
        """Pin or unpin the memory under the cursor."""
        identifier, row = self._list.current, self._list.current_row
        if identifier is None or row is None:
            return
        pinned = not row.pinned
        self._list.mark_pinned(identifier, pinned=pinned)
        self.do(Act(lambda: self.access.pin(identifier, pinned=pinned)))

    def action_retire(self) -> None:
        """Retire the memory under the cursor."""
        identifier = self._list.current
        if identifier is not None:
            self._list.take_out(identifier)
            self.do(Act(lambda: self.access.retire(identifier)))

    def action_verify(self) -> None:
        """Say "still true" of the memory under the cursor, where what is due is listed."""
        identifier = self._list.current
        if identifier is not None and self._due_only:
            self._list.take_out(identifier)
            self.do(Act(lambda: self.access.verify(identifier)))

    # -- looking ----------------------------------------------------------------------------------

    def why_not(self, action: Action) -> str | None:
        """Return why an act on the memory under the cursor cannot be done."""
        if action.id == "verify" and not self._due_only:
            return "Only what is due for review is verified here; r lists it."
        if action.id in {"pin", "retire", "verify", "read"} and self._list.current is None:
            return "No memory is under the cursor."
        return super().why_not(action)

    def action_due(self) -> None:
        """List only what is due for review, or all again."""
        self._due_only = not self._due_only
        self._reload()
        self._settle()

    def action_read(self) -> None:
        """Read the memory under the cursor."""
        if self._list.current is not None:
            self.add_class("-reading")
            self._detail.focus()

    def action_next_pane(self) -> None:
        """Go to the other pane."""
        if self.focused is self._list:
            self.action_read()
        else:
            self.action_list()

    def action_list(self) -> None:
        """Go to the list."""
        self.remove_class("-reading")
        self._list.focus()

    def action_detail(self) -> None:
        """Go to the details."""
        self.action_read()

    def action_filter(self) -> None:
        """Open the filter."""
        self.remove_class("-reading")
        self.add_class("-filtering")
        self._filter.focus()

    def action_back(self) -> None:
        """Leave the details; clear the filter, then leave it."""
        if self.focused is self._detail:
            self.action_list()
        elif self._filter.value:
            self._filter.value = ""
            if self.focused is not self._filter:
                self._close_filter()
        else:
            self._close_filter()

    def _close_filter(self) -> None:
        self.remove_class("-filtering")
        self._list.focus()

    @on(Input.Changed, "#filter")
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        self._query = event.value
        if self._pause is not None:
            self._pause.stop()
        self._pause = self.set_timer(TYPING_SECONDS, self._refilter)

    @on(FilterLine.Kept)
    def _keep_filter(self, message: FilterLine.Kept) -> None:
        message.stop()
        if self._filter.value.strip():
            self._list.focus()
        else:
            self._filter.value = ""
            self._close_filter()

    @on(FilterLine.Moved)
    def _move_from_filter(self, message: FilterLine.Moved) -> None:
        message.stop()
        self._list.move_by(message.rows)

    @on(MemoryList.Chosen)
    def _choose(self, message: MemoryList.Chosen) -> None:
        message.stop()
        self.action_read()

    @on(KeyHints.Pressed)
    async def _press(self, message: KeyHints.Pressed) -> None:
        message.stop()
        await self.action_act(message.action.id)

    def on_descendant_focus(self) -> None:
        """Show the keys of the focused pane."""
        self._settle()

    def _settle(self) -> None:
        hints = self._hints
        if self.focused is self._filter:
            hints.place = "filter"
        elif self.focused is self._detail:
            hints.place = "detail"
        else:
            hints.place = "due" if self._due_only else "list"
