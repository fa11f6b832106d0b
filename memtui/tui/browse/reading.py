"""What the Browse screen reads and shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from time import monotonic

from textual import on, work
from textual.content import Content
from textual.timer import Timer
from textual.widgets import Static
from textual.worker import Worker, get_current_worker

from memtui.errors import MemtuiError
from memtui.tui.browse.facets import FacetPane
from memtui.tui.browse.queries import LARGE_VAULT, ListQueries
from memtui.tui.browse.state import BrowseState, list_title, marked_count, notice_of, shown_count
from memtui.tui.launch_options import Opening
from memtui.tui.memory_view import describe
from memtui.tui.messages import DetailRead, FacetsCounted, ListRead, LookFailed, RowsRead, VaultMoved
from memtui.tui.screen import MemtuiScreen
from memtui.tui.textual_patches.toasts import stand_clear
from memtui.tui.values import Base, Detail, Listing, Row, Wanted, steady_order
from memtui.tui.widgets.chrome import HeaderLine
from memtui.tui.widgets.detail import DetailPane
from memtui.tui.widgets.lines import FilterLine
from memtui.tui.widgets.memory_list import MemoryList

RESTING_SECONDS = 0.05
"""Pause of the cursor before a memory is read in full, while it moves on and on."""

MOVING_SECONDS = 0.2
"""A move so long after the one before is a single one: its memory is read at once."""

PREPARING_SECONDS = 0.3
"""Pause after a list before what its filter needs is read: the first rows and their details come before."""

FILLING_SECONDS = 0.2
"""Pause before the memories of rows are read that are shown without them: while somebody types or scrolls on,
they are not needed."""

COUNTING_SECONDS = 0.15
"""Pause after a list before its facets are counted."""

COUNTING_WHILE_TYPING_SECONDS = 0.5
"""The same while a filter is typed: counting takes longer than filtering, so it waits for the end of the words."""


class BrowseReading(MemtuiScreen):
    """The panes of the Browse screen, filled by workers."""

    def __init__(self, opening: Opening) -> None:
        super().__init__(opening)
        self.queries = ListQueries(self.access)
        # Held here rather than queried: a worker may report while the screen is being taken down.
        self._header = HeaderLine(id="header")
        self._facets = FacetPane(id="facets")
        self._list = MemoryList(id="list")
        self._list.at_hand = self._rows_at_hand
        self._detail = DetailPane(id="detail")
        self._filter = FilterLine(id="filter")
        self._filter_count = Static("", id="filter-count", markup=False)
        self._due_only = False
        self._chosen: dict[str, tuple[str, ...]] = {}
        self._sorts = {False: "newest", True: "stalest"}
        self._best = True
        self._query = ""
        self._listing: Listing | None = None
        self._shown_id: str | None = None
        self._sketched_id: str | None = None
        """The memory that is shown as far as its row knows it, while the rest is read."""
        self._read: Detail | None = None
        self._explaining = False
        self._visiting: str | None = None
        """A memory that is read by a link though the list does not hold it."""
        self._visited_from: str | None = None
        self._ticket = 0
        self._rows_ticket = 0
        self._detail_ticket = 0
        self._counted_ticket = 0
        """Number of the list whose facets are shown."""
        self._outdated = True
        """Whether the list has to be read anew before it is filtered."""
        self._steady = False
        self._reader: Worker[None] | None = None
        """The newest look at the whole list."""
        self._focus_wanted: str | None = None
        """The memory to bring the cursor to with the next list; it outlives lists that are dropped as stale."""
        self._rest: Timer | None = None
        self._moved_at = 0.0
        self._count: Timer | None = None
        self._preparing: Timer | None = None
        self._prepared_for: Base | None = None
        """The list whose filter is ready, or being made so."""
        self._filling: Timer | None = None

    @property
    def _semantic(self) -> str:
        """State of the semantic search, in a word for the header."""
        return "off" if self.opening.meaning is None else self.opening.meaning.words

    @property
    def _wanted(self) -> Wanted:
        return Wanted(due_only=self._due_only, chosen=self._chosen, sort=self._sorts[self._due_only])

    @property
    def _is_best(self) -> bool:
        """Whether the best match stands first."""
        return self._best and bool(self._query.strip())

    @property
    def _subject(self) -> str | None:
        """The memory that is looked at: the one read by a link, else the one under the cursor."""
        return self._visiting or self._list.current

    @property
    def current_memory(self) -> str | None:
        """The memory that is looked at, for screens that are gone to from here."""
        return self._subject

    # -- the list ---------------------------------------------------------------------------------

    def _reload(self, *, steady: bool = False, focus: str | None = None) -> None:
        """Read the list anew."""
        self._outdated = True
        self._steady = self._steady or steady
        self._focus_wanted = focus or self._focus_wanted
        self._ticket += 1
        shown = self._list.ids if self._steady else ()
        self._reader = self._read_list(self._query, self._ticket, self._wanted, shown, best=self._best)

    def _refilter(self) -> None:
        if self._outdated or self._listing is None or self._listing.base.wanted != self._wanted:
            self._reload()
            return
        self._ticket += 1
        self._filter_list(self._listing.base, self._query, self._ticket, best=self._best)

    @work(thread=True, exclusive=True, group="list", exit_on_error=False, description="read list")
    def _read_list(self, query: str, ticket: int, wanted: Wanted, shown: tuple[str, ...], *, best: bool) -> None:
        if ticket != self._ticket:
            return
        try:
            listing = self.queries.load(query, wanted, best=best)
        except MemtuiError as error:
            self.post_message(LookFailed(error))
            return
        if shown:
            # Here and not on the screen's own thread: 100,000 ids take 30 ms.
            listing = replace(listing, ids=steady_order(shown, listing.ids))
        self.post_message(ListRead(listing, ticket, fresh=True))

    @work(thread=True, exclusive=True, group="list", exit_on_error=False, description="filter list")
    def _filter_list(self, base: Base, query: str, ticket: int, *, best: bool) -> None:
        if ticket != self._ticket:
            return
        try:
            at_once = self.queries.by_title(base, query)
            if at_once is not None:
                self.post_message(ListRead(at_once, ticket, fresh=False))
            filtered = self.queries.filtered(base, query, best=best)
            self.post_message(ListRead(filtered, ticket, fresh=False))
            if filtered.partial and ticket == self._ticket:
                # By words at once, by meaning as soon as it is there.
                whole = self.queries.filtered(base, query, best=best, by_meaning=True)
                self.post_message(ListRead(whole, ticket, fresh=False))
        except MemtuiError as error:
            self.post_message(LookFailed(error))

    def _prepare_soon(self, base: Base) -> None:
        """Have what a filter of a large vault needs ready before anybody asks for one."""
        if self._preparing is not None:
            self._preparing.stop()
        if base.active >= LARGE_VAULT:
            self._preparing = self.set_timer(PREPARING_SECONDS, lambda: self._prepare_now(base))

    def _prepare_now(self, base: Base) -> None:
        if self._prepared_for is not base:
            self._prepared_for = base
            self._prepare(base)

    @work(thread=True, exclusive=True, group="prepare", exit_on_error=False, description="prepare")
    def _prepare(self, base: Base) -> None:
        """Have ready what the first key of a filter needs."""
        worker = get_current_worker()
        try:
            self.queries.prepare(base, wanted=lambda: not worker.is_cancelled)
        except MemtuiError as error:
            self._prepared_for = None
            self.post_message(LookFailed(error))

    @on(ListRead)
    def _show_list(self, message: ListRead) -> None:
        # While a change is on its way, a list read before it would bring back rows that are gone from the screen.
        if message.ticket != self._ticket or self.acting:
            return
        self.trouble_is_over()
        pane, listing, before = self._list, message.listing, self._listing
        self._listing = listing
        follow = self._follow(listing, before)
        if message.fresh:
            self._outdated, self._steady, self._focus_wanted = False, False, None
            self._prepare_soon(listing.base)
        pane.show_projects = listing.base.project is None or "project" in listing.base.wanted.chosen
        pane.put_rows(listing.rows)
        pane.show(listing.ids, follow=follow, fresh=message.fresh, notice=notice_of(listing))
        self._header.base = listing.base
        self._header.semantic = self._semantic
        self._tell_titles()
        self._ask_for_counts()

    def _follow(self, listing: Listing, before: Listing | None) -> str | None:
        """Return the memory that the cursor stays on or comes to."""
        if self._focus_wanted is not None and self._focus_wanted in listing.ids:
            return self._focus_wanted
        new_query = before is None or before.query != listing.query or before.partial
        first = listing.ids[0] if listing.ids else None
        if new_query and listing.query.strip() and not self._list.was_moved:
            # Only until the person moves: a late answer to the last key must not take the cursor back.
            return first
        narrowed = before is not None and before.base.wanted != listing.base.wanted
        return first if narrowed and self._list.current not in listing.base.id_set else self._list.current

    @on(MemoryList.Marked)
    def _tell_titles(self) -> None:
        """Write the titles and the counts of the list and its marks."""
        if self._listing is None:
            return
        listing, pane = self._listing, self._list
        pane.set_title(list_title(listing.base.wanted, best=listing.best and bool(listing.query.strip())), "")
        listed = len(pane.marked)
        marked = marked_count(listed, max(0, len(pane.marks) - listed), drawing=pane.marks.drawing)
        count = shown_count(listing)
        pane.border_subtitle = Content(" · ".join(part for part in (marked, count) if part))
        self._filter_count.update(Content(count if listing.query.strip() else ""))
        self._settle()

    def _settle(self) -> None:
        """Show the keys of the focused pane; the screen knows which."""

    # -- rows and details -------------------------------------------------------------------------

    def _rows_at_hand(self, identifiers: Sequence[str]) -> Mapping[str, Row]:
        return {} if self._listing is None else self.queries.rows_at_hand(self._listing.base, identifiers)

    @on(MemoryList.RowsWanted)
    def _ask_for_rows(self, message: MemoryList.RowsWanted) -> None:
        message.stop()
        if self._filling is not None:
            self._filling.stop()
        if message.urgent:
            self._fill(message.ids)
        else:
            self._filling = self.set_timer(FILLING_SECONDS, lambda: self._fill(message.ids))

    def _fill(self, identifiers: tuple[str, ...]) -> None:
        self._rows_ticket += 1
        self._read_rows(identifiers, self._rows_ticket)

    @work(thread=True, exclusive=True, group="rows", exit_on_error=False, description="read rows")
    def _read_rows(self, identifiers: tuple[str, ...], ticket: int) -> None:
        if ticket != self._rows_ticket:
            return
        try:
            rows = self.queries.rows(identifiers)
        except MemtuiError as error:
            self.post_message(LookFailed(error))
        else:
            self.post_message(RowsRead(rows, ticket))

    @on(RowsRead)
    def _show_rows(self, message: RowsRead) -> None:
        if message.ticket == self._rows_ticket:
            self._list.put_rows(message.rows)
            self._settle()

    @on(MemoryList.Highlighted)
    def _rest_on(self, message: MemoryList.Highlighted) -> None:
        message.stop()
        stand_clear(self)
        if self._rest is not None:
            self._rest.stop()
        if message.id != self._visited_from:
            self._visiting = None
        if message.id is None:
            self._shown_id, self._read = None, None
            self._detail.show((), from_top=True)
        elif self._shown_id is None:
            self._look()
        else:
            self._sketch(message.id)
            now = monotonic()
            moving, self._moved_at = now - self._moved_at < MOVING_SECONDS, now
            self._rest = self.set_timer(RESTING_SECONDS if moving else 0.001, self._look)

    def _sketch(self, identifier: str) -> None:
        """Show what the row knows of a memory at once; its links, states and history follow."""
        row = self._list.row(identifier)
        if row is None or row.memory is None or self._explaining:
            return
        self._detail.show(describe(self.access.sketch(row.memory)), from_top=identifier != self._shown_id)
        self._sketched_id = identifier

    def _look(self) -> None:
        """Read the memory that is looked at in full."""
        if self._subject is not None:
            self._detail_ticket += 1
            self._read_detail(self._subject, self._query if self._explaining else None, self._detail_ticket)

    @work(thread=True, exclusive=True, group="detail", exit_on_error=False, description="read detail")
    def _read_detail(self, identifier: str, explain: str | None, ticket: int) -> None:
        if ticket != self._detail_ticket:
            return
        try:
            detail = self.queries.detail(identifier, explain)
        except MemtuiError as error:
            self.post_message(LookFailed(error))
        else:
            self.post_message(DetailRead(identifier, detail, ticket))

    @on(DetailRead)
    def _show_detail(self, message: DetailRead) -> None:
        if message.ticket != self._detail_ticket or message.id != self._subject:
            return
        self._read = message.detail
        blocks = describe(message.detail) if message.detail is not None else []
        self._detail.show(blocks, from_top=message.id not in {self._shown_id, self._sketched_id})
        self._sketched_id = None
        self._detail.set_title("3 Detail · by a link, esc goes back" if self._visiting else "3 Detail")
        self._shown_id = message.id

    # -- facets -----------------------------------------------------------------------------------

    def _ask_for_counts(self) -> None:
        """Count the facets where they are in sight, once the list has been still for a moment."""
        self._facets.show(None, self._chosen)
        if self._count is not None:
            self._count.stop()
        if self._listing is not None and self._facets.display:
            typing = self.focused is self._filter
            pause = COUNTING_WHILE_TYPING_SECONDS if typing else COUNTING_SECONDS
            self._count = self.set_timer(pause, self._count_now)

    def _count_now(self) -> None:
        if self._listing is not None:
            self._count_facets(self._listing, self._ticket)

    @work(thread=True, exclusive=True, group="facets", exit_on_error=False, description="count facets")
    def _count_facets(self, listing: Listing, ticket: int) -> None:
        if ticket != self._ticket:
            return
        try:
            counts = self.queries.facet_counts(listing)
        except MemtuiError as error:
            self.post_message(LookFailed(error))
        else:
            self.post_message(FacetsCounted(counts, ticket))

    @on(FacetsCounted)
    def _show_counts(self, message: FacetsCounted) -> None:
        if message.ticket == self._ticket:
            self._counted_ticket = message.ticket
            self._facets.show(message.counts, self._chosen)

    # -- changes of others ------------------------------------------------------------------------

    def _poll(self) -> None:
        """Look for changes of others; after a failure, read the list again."""
        self._header.semantic = self._semantic
        if self.acting:
            return
        if self._listing is None or self.in_trouble:
            # Beginning anew while a slow look is on its way would never let it come to an end.
            if self._reader is None or self._reader.is_finished:
                self._reload()
        else:
            self._look_for_changes(self._listing.base)

    def on_screen_resume(self) -> None:
        """Look for what was changed on another screen."""
        if self._listing is not None:
            self._poll()

    @work(thread=True, exclusive=True, group="poll", exit_on_error=False, description="look for changes")
    def _look_for_changes(self, base: Base) -> None:
        try:
            moved = self.queries.moved(base)
        except MemtuiError as error:
            self.post_message(LookFailed(error))
        else:
            if moved:
                self.post_message(VaultMoved(base))

    @on(VaultMoved)
    def _take_changes(self, message: VaultMoved) -> None:
        # What was read since is newer than what was compared.
        if not self.acting and not self._outdated and self._listing is not None and self._listing.base is message.base:
            self._reload()

    def look_failed(self, error: MemtuiError) -> None:
        """Show why the vault could not be read."""
        self.complain(str(error))
        if self._listing is None:
            self._list.show((), follow=None, fresh=True, notice=(error.what, error.where, error.remedy))

    # -- what is remembered -----------------------------------------------------------------------

    @property
    def _place(self) -> str:
        return f"{self.opening.folder}\n{self.opening.project or ''}"

    def _snapshot(self, *, folded: frozenset[str], share: int) -> BrowseState:
        """Return what is to be found again at the next start; a start with what is due leaves no filter behind."""
        return BrowseState(
            place=self._place,
            cursor=self._list.current,
            query=self._query.strip(),
            chosen=self._chosen,
            folded=folded,
            sort=self._sorts[False],
            due_sort=self._sorts[True],
            best=self._best,
            share=share,
            rendered=self._detail.rendered,
        )
