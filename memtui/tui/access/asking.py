"""The filter as a query: `kind:tooling age>180d -pinned` means what it means to `memtui list --where`."""

from __future__ import annotations

from dataclasses import replace

from memtui.domain.memory import STATUSES
from memtui.errors import QueryError
from memtui.tui.access.faceting import Faceting
from memtui.tui.access.listing import cleaned
from memtui.tui.access.values import Base, FacetCounts, Listing
from memtui.vault.filters import EVERYTHING, MemoryFilter

_NO_TITLE = "\x1f"
"""A text that stands in no title."""


class Asking(Faceting):
    """What a filter asks that names fields; words alone are searched for."""

    def by_title(self, base: Base, query: str) -> Listing | None:
        """Return what of a long list holds a text in its title; None for a query, which titles do not answer."""
        from memtui.curate.querying import is_query

        return None if is_query(cleaned(query)) else super().by_title(base, query)

    def filtered(self, base: Base, query: str, *, best: bool = True, by_meaning: bool = False) -> Listing:
        """Return what of a list fits a filter, in the order of the list where it is a query.

        A query that cannot be read, as while it is typed, is taken for words, and the list says what is wrong.
        """
        from memtui.curate.querying import is_query

        text, problem = cleaned(query), ""
        if is_query(text):
            try:
                return self._chosen(base, query, text)
            except QueryError as error:
                problem = str(error)
        found = super().filtered(base, query, best=best, by_meaning=by_meaning)
        return replace(found, problem=problem) if problem else found

    def _chosen(self, base: Base, query: str, text: str) -> Listing:
        from memtui.curate.querying import parse_query
        from memtui.vault.browsing import listed_ids

        now, opening = self._vault.now(), self._opening
        asked = parse_query(text, opening.vault.kinds, now)
        browsing = self._browsing(base.wanted, now)
        scope = self._searched(browsing)[0]
        with self._reading.read() as reader:
            fits = set(
                reader.select_ids(
                    asked.narrow(MemoryFilter(scope=scope, statuses=None, threshold=opening.threshold)),
                    sort="created",
                    now=now,
                )
            )
            listed: tuple[str, ...] = base.ids
            if asked.names_status or asked.names_project:
                # What the query names takes the place of what the list was limited to.
                chosen = dict(base.wanted.chosen)
                if asked.names_status:
                    chosen["status"] = STATUSES
                if asked.names_project:
                    chosen.pop("project", None)
                    browsing = replace(browsing, scope=EVERYTHING)
                listed = tuple(listed_ids(reader, replace(browsing, chosen=chosen), sort=base.wanted.sort))
        self._hits = (text, {})
        return Listing(base, query, tuple(identifier for identifier in listed if identifier in fits), best=False)

    def facet_counts(self, listing: Listing) -> FacetCounts:
        """Count what choosing each value of each facet would list."""
        from memtui.curate.querying import is_query, parse_query
        from memtui.vault.browsing import count_facets

        text, now = cleaned(listing.query), self._vault.now()
        if listing.problem or not is_query(text):
            return super().facet_counts(listing)
        self._look_for_gone_files(listing.base.counter)
        asked = parse_query(text, self._opening.vault.kinds, now)
        everywhere = MemoryFilter(statuses=None, threshold=self._opening.threshold, conditions=asked.conditions)
        with self._reading.read() as reader:
            hits = tuple(reader.select_ids(everywhere, sort="created", now=now))
            browsing = replace(self._browsing(listing.base.wanted, now), text=_NO_TITLE, hits=hits)
            return FacetCounts(count_facets(reader, browsing))
