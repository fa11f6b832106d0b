"""What the list of Browse shows: its filter, facets and order, read and kept up to date."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from textual.worker import Worker

from memtui.errors import MemtuiError
from memtui.tui.browse.queries import LARGE_VAULT, ListQueries
from memtui.tui.browse.view import notice_of, outside_words
from memtui.tui.loader import Task
from memtui.tui.values import SORTS, Base, FacetCounts, Listing, Row, Wanted, steady_order
from memtui.tui.widgets.lists import READING
from memtui.tui.widgets.memory_list import MemoryList

if TYPE_CHECKING:
    from memtui.domain.memory import Memory
    from memtui.tui.list_detail import MemtuiScreen

PREPARING_SECONDS = 0.3
"""Pause after a list before what its filter needs is read: the first rows and their details come before."""

FILLING_SECONDS = 0.2
"""Pause before the memories of rows are read that are shown without them: while somebody types or scrolls on,
they are not needed."""

COUNTING_SECONDS = 0.15  # Pause after a list before its facets are counted

COUNTING_WHILE_TYPING_SECONDS = 0.5
"""The same while a filter is typed: counting takes longer than filtering, so it waits for the end of the words."""

LATE_SECONDS = 0.3
"""Time for an answer to what is typed; from then on the count of what was typed before is not shown beside it."""

TYPING_SECONDS = 0.03  # Pause after a key before the filter asks the vault

AWAITED_SECONDS = 2.0  # How long keys wait at most for the list that a key before them asked for

QUICK_TYPING_SECONDS = 0.01
"""The same where the vault need not be asked: only keys of one burst, as of a paste, are taken together."""


def _with_row_in_hand(listing: Listing, in_hand: str | None, shown: Sequence[str]) -> tuple[str, ...]:
    """Return what is listed, with the row that was just changed although its new text is not found by the filter.

    Its words may be others now, or its meaning is not compared yet. What a query with fields chooses is exact.
    """
    from memtui.curate.query import is_query

    is_lost = in_hand is not None and in_hand in listing.base.id_set and in_hand not in listing.ids
    if in_hand is None or not is_lost or in_hand not in shown or is_query(listing.query):
        return listing.ids
    return (*listing.ids, in_hand)


class ListReader:
    """Reads the list in threads and shows it in its pane.

    `screen`: the screen that holds it. `shown`: called with every list that was shown.

    Attributes:
        listing: what is shown; None before the first read.
        outdated: whether the list has to be read again before it is filtered.
        says_reading: whether nothing was listed so far and that is being looked at again.
    """

    def __init__(
        self,
        screen: MemtuiScreen,
        pane: MemoryList,
        shown: Callable[[Listing], object],
        notice: Callable[[Listing], tuple[str, ...]] = notice_of,  # what an empty list says
    ) -> None:
        self._screen = screen
        self._loader = screen.loader
        self._pane = pane
        self._shown = shown
        self._notice = notice
        pane.at_hand = self._rows_at_hand
        self.queries = ListQueries(screen.access)
        self.due_only = False
        self.chosen: dict[str, tuple[str, ...]] = {}
        self.sorts = {False: "newest", True: "stalest"}  # The order of all memories, and of those that are due
        self.best = True
        self.query = ""
        self.listing: Listing | None = None
        self.outdated = True
        self.says_reading = False
        self.focus: str | None = None
        """The memory to bring the cursor to with the next list; it outlives lists that are dropped as stale."""
        self._steady = False
        self._reader: Worker[None] | None = None  # The newest read of the whole list
        self._prepared_for: Base | None = None  # The list whose filter is ready, or being made so
        self._compared = False  # Whether the list was filtered by meaning too, where its filter can be
        self._counted = 0  # Number of the list whose facets are shown

    @property
    def wanted(self) -> Wanted:
        """What the list is to show, filter aside."""
        return Wanted(due_only=self.due_only, chosen=self.chosen, sort=self.sorts[self.due_only])

    @property
    def is_best(self) -> bool:
        """Whether the best match stands first."""
        return self.best and bool(self.query.strip())

    @property
    def is_counted(self) -> bool:
        return self._counted == self._loader.newest["list"]

    # -- what is wanted ---------------------------------------------------------------------------

    def next_sort(self) -> None:
        """Sort in the next way; a filtered list also by score."""
        names = list(SORTS)
        place = names.index(self.sorts[self.due_only])
        if self.is_best:
            self.best = False
            self.sorts[self.due_only] = names[0]
        elif self.query.strip() and place == len(names) - 1:
            self.best = True
        else:
            self.sorts[self.due_only] = names[(place + 1) % len(names)]
        self.refilter()

    def sort_by(self, name: str) -> None:
        """Sort by one of `SORTS`."""
        self.best = False
        self.sorts[self.due_only] = name
        self.refilter()

    def type_query(self, query: str) -> None:
        """Filter by what is typed, once the keys pause."""
        if query == self.query:
            return
        self.query = query
        self._pane.rest_on_top()
        self.await_list()
        quick = self.listing is not None and self.queries.is_prepared(self.listing.base)
        self._loader.after(QUICK_TYPING_SECONDS if quick else TYPING_SECONDS, self.refilter, group="typing")

    def await_list(self) -> None:
        """Let keys of the list wait until it is the one that is wanted: they are meant for no row of the one before."""
        if self.listing is not None and not self._is_current() and self._screen.focused is self._pane:
            self._screen.is_opening = True
            self._loader.after(AWAITED_SECONDS, self._take_keys, group="awaited")

    def _take_keys(self) -> None:
        self._screen.is_opening = False

    # -- reading ----------------------------------------------------------------------------------

    def reload(self, *, steady: bool = False, focus: str | None = None) -> None:
        """Read the list again. `steady`: whether what is shown keeps its order."""
        self.outdated = True
        self._say_reading()
        self._steady = self._steady or steady
        self.focus = focus or self.focus
        shown = self._pane.ids if self._steady and self._is_current() else ()
        query, wanted, best = self.query, self.wanted, self.best
        in_hand = self.focus or self._pane.current
        self._compared = self.queries.has_meaning(query)

        def read() -> Listing:
            listing = self.queries.load(query, wanted, best=best)
            if not shown:
                return listing
            # Here and not on the screen's own thread: 100,000 ids take 30 ms.
            return replace(listing, ids=steady_order(shown, _with_row_in_hand(listing, in_hand, shown)))

        self._reader = self._loader.read(read, partial(self._show, fresh=True), group="list")

    def _is_current(self) -> bool:
        """Return whether what is shown answers what is wanted now, so that its order is worth keeping."""
        listing = self.listing
        return listing is not None and listing.query == self.query and listing.base.wanted == self.wanted

    def refilter(self) -> None:
        """Filter what was read; read it again where it is not what is wanted."""
        self.await_list()
        listing = self.listing
        if self.outdated or listing is None or listing.base.wanted != self.wanted:
            self.reload()
            return
        base, query, best = listing.base, self.query, self.best
        self._compared = self.queries.has_meaning(query)

        def filtered(task: Task) -> None:
            show, queries = partial(self._show, fresh=False), self.queries
            at_once = queries.by_title(base, query)
            if at_once is not None:
                task.show(show, at_once)
            found = queries.filtered(base, query, best=best)
            task.show(show, found)
            if found.partial and task.is_wanted:
                # By words at once, by meaning as soon as it is there.
                task.show(show, queries.filtered(base, query, best=best, by_meaning=True))

        self._loader.run(filtered, group="list")

    def look_after(self) -> None:
        """Look for changes at once, after another screen: what it filled is not told of as empty meanwhile."""
        if self.listing is not None and self.queries.may_have_moved(self.listing.base):
            self._say_reading()
        self.poll()

    def _say_reading(self) -> None:
        """Say that an empty list is being read: what it said may be true no longer."""
        if self.listing is not None and not self.listing.ids and not self.says_reading:
            self.says_reading = True
            self._pane.show((), follow=None, fresh=False, notice=(READING,))
            self._shown(self.listing)

    def poll(self) -> None:
        """Look for changes of others; after a failure, read the list again."""
        if self._screen.acting:
            return
        if self.listing is not None and not self._compared and self.queries.has_meaning(self.query):
            self.reload(steady=True)  # What is listed was found before the model was loaded.
        elif self.listing is not None and not self._screen.in_trouble:
            if self._loader.is_under_way("poll"):
                return
            base = self.listing.base
            self._loader.read(lambda: self.queries.moved(base), partial(self._take_changes, base), group="poll")
        elif self._reader is None or self._reader.is_finished:
            # Beginning again while a slow read is under way would never let it come to an end.
            self.reload()

    def _take_changes(self, base: Base, moved: bool) -> None:
        # What was read since is newer than what was compared.
        is_shown = self.listing is not None and self.listing.base is base
        if moved and is_shown and not self._screen.acting and not self.outdated:
            self.reload()
        elif not moved and is_shown and self.says_reading and not self.outdated:
            self._show_notice()

    def _show(self, listing: Listing, *, fresh: bool) -> None:
        # While a change is under way, a list read before it would bring back rows that are gone from the screen.
        if self._screen.acting:
            return
        self._screen.trouble_is_over()
        self._take_keys()
        pane, before, base = self._pane, self.listing, listing.base
        self.listing, self.says_reading = listing, False
        follow = self._follow(listing, before)
        if fresh:
            if self.focus is not None and self.focus not in listing.ids:
                self._say_where(self.focus, listing)
            self.outdated, self._steady, self.focus = False, False, None
            if base.active >= LARGE_VAULT:
                self._loader.after(PREPARING_SECONDS, lambda: self.prepare(base), group="prepare")
        pane.ages = base.wanted.sort
        pane.sort = "" if listing.best and listing.query.strip() else base.wanted.sort
        pane.show_projects = base.project is None or "project" in base.wanted.chosen or listing.names_project
        pane.put_rows(listing.rows)
        pane.show(listing.ids, follow=follow, fresh=fresh, notice=self._notice(listing))
        self._shown(listing)

    def _show_notice(self) -> None:
        """Say of an empty list that did not change what it said before."""
        if self.listing is not None:
            self.says_reading = False
            self._pane.show((), follow=None, fresh=False, notice=self._notice(self.listing))
            self._shown(self.listing)

    def _follow(self, listing: Listing, before: Listing | None) -> str | None:
        """Return the memory that the cursor stays on or comes to."""
        if self.focus is not None and self.focus in listing.ids:
            return self.focus
        new_query = before is None or before.query != listing.query or before.partial
        first = listing.ids[0] if listing.ids else None
        if new_query and listing.query.strip() and not self._pane.was_moved:
            # Only until the person moves: a late answer to the last key must not take the cursor back.
            return first
        narrowed = before is not None and before.base.wanted != listing.base.wanted
        return first if narrowed and self._pane.current not in listing.base.id_set else self._pane.current

    def _say_where(self, identifier: str, listing: Listing) -> None:
        """Say of a memory that an act was about, and that is not listed, which key shows it."""

        def tell(found: Sequence[Memory]) -> None:
            for words in filter(None, (outside_words(memory, listing, self._screen.key_of) for memory in found)):
                self._screen.say(words)

        # The list itself says why the vault cannot be read.
        read = partial(self._screen.access.memories, [identifier])
        self._loader.read(read, tell, group="outside", on_error=lambda _: None)

    # -- ahead of what is asked ---------------------------------------------------------------------

    def prepare(self, base: Base) -> None:
        """Have ready what the first key of a filter needs."""
        if self._prepared_for is base:
            return
        self._prepared_for = base

        def failed(error: MemtuiError) -> None:
            self._prepared_for = None
            self._screen.look_failed(error)

        self._loader.run(
            lambda task: self.queries.prepare(base, wanted=lambda: task.is_wanted), group="prepare", on_error=failed
        )

    def _rows_at_hand(self, identifiers: Sequence[str]) -> Mapping[str, Row]:
        return {} if self.listing is None else self.queries.rows_at_hand(self.listing.base, identifiers)

    def fill(self, identifiers: tuple[str, ...], *, urgent: bool, then: Callable[[], object]) -> None:
        """Read the memories of rows; those that are not urgent once the list is still."""

        def put(rows: Mapping[str, Row]) -> None:
            self._pane.put_rows(rows)
            then()

        def read() -> None:
            self._loader.read(lambda: self.queries.rows(identifiers), put, group="rows")

        if urgent:
            self._loader.stop_pause("rows")
            read()
        else:
            self._loader.after(FILLING_SECONDS, read, group="rows")

    def count_facets(self, pause: float, show: Callable[[FacetCounts], object]) -> None:
        """Count what choosing each value of each facet would list, once the list has been still for so long."""

        def count() -> None:
            listing, number = self.listing, self._loader.newest["list"]
            if listing is not None:
                self._loader.read(lambda: self.queries.facet_counts(listing), partial(take, number), group="facets")

        def take(number: int, counts: FacetCounts) -> None:
            if number == self._loader.newest["list"]:
                self._counted = number
                show(counts)

        self._loader.after(pause, count, group="facets")
