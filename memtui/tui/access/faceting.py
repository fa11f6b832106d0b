"""Counting the facets of a list, and looking which files of memories are gone."""

from __future__ import annotations

from functools import partial

from memtui.tui.access.listing import MOST_HITS, cleaned
from memtui.tui.access.reading import Reading
from memtui.tui.access.values import FacetCounts, Listing, Wanted
from memtui.vault.filters import EVERYTHING


class Faceting(Reading):
    """What the facets ask the vault."""

    def facet_counts(self, listing: Listing) -> FacetCounts:
        """Count what choosing each value of each facet would list."""
        from dataclasses import replace

        from memtui.recall.searching import search
        from memtui.vault.browsing import count_facets

        now, text = self._vault.now(), cleaned(listing.query)
        self._look_for_gone_files(listing.base.counter)
        browsing = self._browsing(listing.base.wanted, now)
        if text:
            # What other projects and statuses hold is found without the limits of the list.
            look = (
                self._words.search if self.is_prepared(listing.base) and self._words else partial(search, self._reading)
            )
            wide = look(text, EVERYTHING, limit=MOST_HITS, settings=self._opening.recall, now=now, statuses=None)
            hits = dict.fromkeys((*listing.hits, *(hit.memory.id for hit in wide)))
            browsing = replace(browsing, text=text.lower(), hits=tuple(hits))
        with self._reading.read() as reader:
            return FacetCounts(count_facets(reader, browsing))

    def _look_for_gone_files(self, counter: int) -> None:
        """Look once per state of the vault which memories are tied to files that are no longer there."""
        if self._gone[0] == counter:
            return
        from memtui.curate.anchoring import dead_anchors
        from memtui.vault.filters import MemoryFilter

        with self._reading.read() as reader:
            here = self._view_of(reader).tree
        scope = self._browsing(Wanted(), self._vault.now()).scope
        dead = dead_anchors(self._reading, MemoryFilter(scope=scope, statuses=None), here)
        self._gone = (counter, tuple(sorted({anchor.key for anchor in dead.values()})))
