"""Reads of the list: its filter, its rows, its facets, and one memory in full."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING

from memtui.domain.memory import STATUSES, Memory
from memtui.errors import QueryError
from memtui.text.sanitize import without_surrogates
from memtui.tui.browse.memory_index import GoneFiles, ListAtHand, RecentHits, Titles
from memtui.tui.values import Base, Detail, Explained, FacetCounts, Listing, Row, Wanted, only_closest
from memtui.tui.vault_access import VaultAccess
from memtui.vault.filters import EVERYTHING, MemoryFilter, Scope

if TYPE_CHECKING:
    from memtui.curate.query import Query
    from memtui.recall.resident import HeldWords
    from memtui.vault.facets import Browsing
    from memtui.vault.review_triggers import AskedSince
    from memtui.vault.search.postings_memory import TermIndex

MOST_HITS = 100
"""Memories found by words that a filter shows: reading them is most of a search at 100,000 (90 ms of CPU for 200)."""

LONG_LIST = 20_000
"""From here a search takes longer (100 ms at 100,000) than the titles that are at hand (3 ms), which come first."""

LARGE_VAULT = 5_000
"""Memories in view from which what filters need is held in memory: below, a look at the vault takes 30 ms at most."""
SHORTEST_PART = 3  # Letters of a text that a title is looked at for in advance: fewer are in most titles
FIRST_ROWS = 100  # Rows of a filtered list that come with it: more than a screen shows
SHORTEST_MEANING = 3  # Characters from which a query has a meaning to compare

_LONGEST_QUERY = 200
_NO_TITLE = "\x1f"  # A text that stands in no title


class ListQueries:
    """What Browse asks the vault; called from thread workers."""

    def __init__(self, access: VaultAccess) -> None:
        self._access = access
        self._vault, self._reading, self._opening = access.vault, access.read_vault, access.opening
        # Both are replaced as a whole, so that threads need no lock.
        self._titles: tuple[Base | None, Titles] = (None, Titles(()))
        self._words: HeldWords | None = None
        self._own_terms: TermIndex | None = None
        self._at_hand: ListAtHand | None = None
        self._hits = RecentHits()
        self.gone_files = GoneFiles(access)
        self._asked: Mapping[str, AskedSince] = {}
        """Memories that something else than their age asks about, as of the last list."""

    def may_have_moved(self, base: Base) -> bool:
        """Return whether the vault's file changed since a list was read."""
        return self._access.signature() != base.signature

    def moved(self, base: Base) -> bool:
        """Return whether the vault changed since a list was read; opens it only if the file changed."""
        if not self.may_have_moved(base):
            return False
        with self._reading.read() as reader:
            return reader.change_counter() != base.counter

    # -- the list ---------------------------------------------------------------------------------

    def load(self, query: str, wanted: Wanted, *, best: bool = True) -> Listing:
        """Read the list again and filter it, see `filtered`."""
        from memtui.curate.lifecycle import waiting
        from memtui.vault.facets import listed_ids
        from memtui.vault.review_triggers import asked_since

        by_meaning, meaning = self.has_meaning(query), self._opening.meaning
        if by_meaning and meaning is not None:
            # Without the vector of what was just saved, the filter would list what is further from it.
            meaning.tend_newest()
        signature, now, opening = self._access.signature(), self._vault.now(), self._opening
        with self._reading.read() as reader:
            view = self._access.view_of(reader)
            everything = MemoryFilter(scope=view.scope)
            stale = MemoryFilter(scope=view.scope, kinds=opening.kinds, stale_at=now, threshold=opening.threshold)
            ids = listed_ids(reader, self._browsing(wanted, now), sort=wanted.sort)
            plain = not wanted.chosen
            base = Base(
                ids=tuple(ids[: opening.most] if wanted.due_only else ids),
                wanted=wanted,
                active=len(ids) if plain and not wanted.due_only else reader.count(everything),
                due=len(ids) if plain and wanted.due_only else reader.count(stale),
                inbox=reader.count(waiting(view.scope, with_unassigned=opening.project is None)),
                elsewhere=0 if ids else reader.count(MemoryFilter(statuses=None)),
                project=view.project,
                counter=reader.change_counter(),
                signature=signature,
            )
            self._asked = asked_since(reader, everything)
            self._access.count_vectors(reader)
        return self.filtered(base, query, best=best, by_meaning=by_meaning)

    def filtered(self, base: Base, query: str, *, best: bool = True, by_meaning: bool = False) -> Listing:
        """Return what of a list fits a filter: as `memtui search` finds it, and by parts of titles.

        In a query that names fields, its words are searched as words alone are, within what the fields leave; one
        without words keeps the order of the list. One that cannot be read, as while it is typed, lists nothing, and the
        list says what is wrong.

        `best`: whether hits stand first, in the order of the search; else all in the order of the list. `by_meaning`:
        whether to search by meaning too; where only words are, the answer is no more than partial.
        """
        text = cleaned(query)
        if not text or not base.ids:
            return Listing(base, query, base.ids, best=best)
        from memtui.curate.query import is_query, misnamed_field

        if is_query(text):
            try:
                return self._chosen(base, query, text, best=best, by_meaning=by_meaning)
            except QueryError as error:
                self._hits.keep(text, {})
                return Listing(base, query, (), best=False, problem=error)
        found = self._found_by_words(base, query, text, best=best, by_meaning=by_meaning)
        return replace(found, misnamed=misnamed_field(text))

    def _chosen(self, base: Base, query: str, text: str, *, best: bool, by_meaning: bool) -> Listing:
        """Return what fits a query that names fields."""
        from memtui.curate.query import parse_query, words_beside
        from memtui.vault.facets import listed_ids

        now, opening = self._vault.now(), self._opening
        asked = parse_query(text, opening.vault.kinds, now)
        words, fields = words_beside(text)
        browsing = self._browsing(base.wanted, now)
        searched = MemoryFilter(scope=self._searched(browsing)[0], statuses=None, threshold=opening.threshold)
        with self._reading.read() as reader:
            fits = set(reader.select_ids(asked.narrow(searched), sort="created", now=now))
            left = fits
            if words:
                by_fields = parse_query(fields, opening.vault.kinds, now).narrow(searched)
                left = set(reader.select_ids(by_fields, sort="created", now=now))
            listed: tuple[str, ...] = base.ids
            if asked.names_status or asked.names_project:
                browsing = _opened_to(browsing, asked)
                listed = tuple(listed_ids(reader, browsing, sort=base.wanted.sort))
        listed = tuple(identifier for identifier in listed if identifier in left)
        if not words:
            self._hits.keep(text, {})
            named = asked.names_project
            return Listing(base, query, listed, best=False, names_file=asked.names_file, names_project=named)
        at_hand = None if by_meaning else self._list_at_hand(base)
        held = at_hand.words if at_hand else None
        found, is_sure, unread = self._found(words, browsing, by_meaning=by_meaning, words=held)
        self._hits.keep(text, self._hits.of(words) or {})
        left = set(listed)
        hits = tuple(identifier for identifier in found if identifier in left)
        fitting = {*hits, *fits} & left
        ids = tuple(dict.fromkeys(one for one in ((*hits, *listed) if best else listed) if one in fitting))
        partial = not by_meaning and self.has_meaning(query)
        return Listing(
            base,
            query,
            ids,
            best=best,
            hits=hits,
            more=len(found) >= MOST_HITS,
            rows={} if at_hand else self._first_rows(text, ids),
            partial=partial,
            only_closest=only_closest(ids, hits, is_known=is_sure or partial),
            names_file=asked.names_file,
            names_project=asked.names_project,
            near=self._near(text, ids),
            without_vector=unread,
        )

    def _found_by_words(self, base: Base, query: str, text: str, *, best: bool, by_meaning: bool) -> Listing:
        at_hand = None if by_meaning else self._list_at_hand(base)
        if at_hand is not None:
            return self._filtered_at_hand(at_hand, query, text, best=best)
        browsing = self._browsing(base.wanted, self._vault.now())
        found, is_sure, unread = self._found(text, browsing, by_meaning=by_meaning)
        by_words = dict.fromkeys(identifier for identifier in found if identifier in base.id_set)
        part = _letters(text)
        by_title = [base.ids[place] for place in self.titles(base).holding(part)]
        ids = (*by_words, *(identifier for identifier in by_title if identifier not in by_words))
        if not best:
            fitting = frozenset(ids)
            ids = tuple(identifier for identifier in base.ids if identifier in fitting)
        more = len(found) >= MOST_HITS
        partial = not by_meaning and self.has_meaning(query)
        return Listing(
            base,
            query,
            ids,
            best=best,
            hits=tuple(found),
            more=more,
            rows=self._first_rows(text, ids),
            partial=partial,
            only_closest=only_closest(ids, found, is_known=is_sure or partial),
            near=self._near(text, set(ids).difference(by_title)),
            without_vector=unread,
        )

    def _near(self, text: str, ids: Iterable[str]) -> int:
        """Return how many of the hits of a search hold none of its words."""
        found = self._hits.of(text) or {}
        hits = (found.get(identifier) for identifier in ids)
        return sum(hit is not None and not hit.is_by_words for hit in hits)

    def _filtered_at_hand(self, at_hand: ListAtHand, query: str, text: str, *, best: bool) -> Listing:
        browsing = self._browsing(at_hand.base.wanted, self._vault.now())
        found, is_sure, _ = self._found(text, browsing, by_meaning=False, words=at_hand.words)
        ids = at_hand.fitting(_letters(text), found, best=best)
        more, partial = len(found) >= MOST_HITS, self.has_meaning(query)
        return Listing(
            at_hand.base,
            query,
            ids,
            best=best,
            hits=tuple(found),
            more=more,
            partial=partial,
            only_closest=only_closest(ids, found, is_known=is_sure or partial),
        )

    def has_meaning(self, query: str) -> bool:
        """Return whether a query can be compared by meaning now: with a loaded model, and more than a letter."""
        meaning = self._opening.meaning
        return meaning is not None and meaning.is_ready and len(cleaned(query)) >= SHORTEST_MEANING

    def by_title(self, base: Base, query: str) -> Listing | None:
        """Return what of a long list holds a text in its title, at once; None where the whole answer is as quick."""
        from memtui.curate.query import is_query

        text = cleaned(query)
        if len(base.ids) < LONG_LIST or len(text) < SHORTEST_PART or is_query(text):
            return None
        if self._list_at_hand(base) is not None:
            return None
        ids = tuple(base.ids[place] for place in self.titles(base).holding(_letters(text)))
        return Listing(base, query, ids, partial=True) if ids else None

    def _first_rows(self, text: str, ids: Sequence[str]) -> dict[str, Row]:
        """Return the first rows as far as the search has read their memories, so that they need no second look."""
        hits = self._hits.of(text) or {}
        now = self._vault.now()
        return {
            identifier: self._row(hits[identifier].memory, now) for identifier in ids[:FIRST_ROWS] if identifier in hits
        }

    def titles(self, base: Base) -> Titles:
        """Return the titles of a list in lower case and in its order, read once.

        They are kept, so that half a word finds something without another look at the vault.
        """
        of, titles = self._titles
        if of is not base:
            from memtui.vault.facets import lower_titles

            with self._reading.read() as reader:
                found = lower_titles(reader, self._browsing(base.wanted, self._vault.now()))
            titles = Titles([found.get(identifier, "") for identifier in base.ids])
            self._titles = (base, titles)
        return titles

    def _found(
        self, text: str, browsing: Browsing, *, by_meaning: bool, words: HeldWords | None = None
    ) -> tuple[Sequence[str], bool, int]:
        """Return the ids that a search finds where the list looks, the best first, and whether any matches well.

        The last is how many memories it could not compare by meaning, because they have no vector yet.

        A single letter is no word yet: its titles are enough.
        """
        if len(text) == 1 and text.isascii():
            self._hits.keep(text, {})
            return (), True, 0
        from memtui.recall.search import search

        scope, statuses = self._searched(browsing)
        settings, tree = self._opening.recall, self._access.view.tree if self._access.view else None
        if words is not None:
            found = words.search(
                text, scope, limit=MOST_HITS, settings=settings, now=browsing.now, statuses=statuses, tree=tree
            )
        else:
            found = search(
                self._reading,
                text,
                scope,
                limit=MOST_HITS,
                settings=settings,
                now=browsing.now,
                statuses=statuses,
                tree=tree,
                meaning=self._opening.meaning if by_meaning else None,
            )
        self._hits.keep(text, {hit.memory.id: hit for hit in found.hits})
        return [hit.memory.id for hit in found.hits], found.sure == "sure", found.without_vector

    def _browsing(self, wanted: Wanted, now: datetime) -> Browsing:
        from memtui.vault.facets import Browsing

        return Browsing(
            scope=self._access.view.scope if self._access.view else EVERYTHING,
            chosen=wanted.chosen,
            now=now,
            threshold=self._opening.threshold,
            stale_only=wanted.due_only,
            kinds=self._opening.kinds if wanted.due_only else (),
            gone=self.gone_files.keys,
        )

    @staticmethod
    def _searched(browsing: Browsing) -> tuple[Scope, tuple[str, ...]]:
        """Return the projects and statuses that a search looks at: those of the list, other facets aside."""
        return _scope_of(browsing), tuple(browsing.chosen.get("status") or ("active",))

    # -- what is held in memory -------------------------------------------------------------------

    def prepare(self, base: Base, *, wanted: Callable[[], bool] = lambda: True) -> None:
        """Have in memory what the first key of a filter needs, so that no key waits for the vault.

        For a thread: at 100,000 memories it takes a second of processor time, in short leases, and 45 MB. In a small
        vault it is the titles alone.

        `wanted`: whether to go on; asked now and then.
        """
        if max(base.active, len(base.ids)) < LARGE_VAULT:
            self.titles(base)
            return
        from memtui.recall.resident import read_words

        words = self._words
        if words is None or words.counter != base.counter:
            # What is out of date is dropped first, so that never two of them are held.
            self._words = self._at_hand = words = None
            self._words = words = read_words(self._reading, self._terms(), wanted=wanted)
        if words is None or words.counter != base.counter or not wanted():
            return
        at_hand = ListAtHand.of(base, words)
        scope, statuses = self._searched(self._browsing(base.wanted, self._vault.now()))
        words.learn_words(MemoryFilter(scope=scope, statuses=statuses))
        # The first search imports what ranks: nobody shall wait for it while typing.
        words.search("warm up", scope, limit=1, settings=self._opening.recall, now=self._vault.now())
        self._at_hand, self._titles = at_hand, (None, Titles(()))

    def _terms(self) -> TermIndex:
        """Return the postings in memory: those of the search by meaning, which are held anyway, else our own."""
        if self._opening.meaning is not None:
            return self._opening.meaning.terms
        if self._own_terms is None:
            from memtui.vault.search.postings_memory import TermIndex

            self._own_terms = TermIndex()
        return self._own_terms

    def is_prepared(self, base: Base) -> bool:
        """Return whether a filter of a list needs no look at the vault."""
        return self._list_at_hand(base) is not None

    def _list_at_hand(self, base: Base) -> ListAtHand | None:
        at_hand = self._at_hand
        return at_hand if at_hand is not None and at_hand.base is base else None

    def rows_at_hand(self, base: Base, identifiers: Sequence[str]) -> dict[str, Row]:
        """Return rows of a list as far as they are held in memory, without the memories' texts; never waits."""
        at_hand = self._list_at_hand(base)
        if at_hand is None:
            return {}
        now = self._vault.now()
        rows = (self._row(memory, now) for memory in at_hand.memories(identifiers))
        # A memory without a title is called by its text, which is not here.
        return {row.id: replace(row, memory=None) for row in rows if row.title}

    # -- rows and details -------------------------------------------------------------------------

    def _row(self, memory: Memory, now: datetime) -> Row:
        return self._access.row(memory, now, self._asked.get(memory.id))

    def rows(self, identifiers: Sequence[str]) -> dict[str, Row]:
        """Return the rows of memories, missing ones left out."""
        return self._access.rows(identifiers, self._asked)

    def detail(self, identifier: str, explain: str | None = None) -> Detail | None:
        """Return one memory in full, None if it is gone.

        `explain`: a query to explain its score for, empty for its baseline score; None explains nothing.
        """
        detail = self._access.detail(identifier)
        if detail is None or explain is None:
            return detail
        return replace(detail, explained=self._explained(detail, explain))

    def _explained(self, detail: Detail, query: str) -> Explained:
        """Return why a memory stands where it stands, from the search that listed it."""
        from memtui.curate.query import is_query
        from memtui.recall.scoring import standing_hit
        from memtui.wording.reasons import explanation, names_of

        text, view = cleaned(query), detail.view
        hits = self._hits.of(text) if text else None
        hit = hits.get(view.memory.id) if hits else None
        if hit is not None:
            named = self._access.memories(sorted(names_of(hit)))
            return Explained(query, explanation(hit, {**detail.titles, **{one.id: one.title for one in named}}))
        with self._reading.read() as reader:
            signals = reader.signals([view.memory.id])
        states = {path: str(state) for path, state in view.anchor_states.items()}
        standing = standing_hit(
            view.memory, signals, states, settings=self._opening.recall, kinds=self._vault.kinds, now=detail.now
        )
        rows = explanation(standing, detail.titles)
        if text and is_query(text):
            rows.insert(0, ("filter", "it matches the filter; a filter gives no score", ""))
        elif hits is not None:
            rows.insert(0, ("title", "only its title contains the text; its words do not match", ""))
        return Explained("", rows)

    # -- facets -----------------------------------------------------------------------------------

    def facet_counts(self, listing: Listing) -> FacetCounts:
        """Count what choosing each value of each facet would list."""
        from memtui.curate.query import is_query
        from memtui.vault.facets import count_facets

        text, now = cleaned(listing.query), self._vault.now()
        self.gone_files.look(listing.base.counter)
        browsing = self._browsing(listing.base.wanted, now)
        if text and is_query(text) and not listing.problem:
            browsing = replace(browsing, text=_NO_TITLE, hits=(*listing.hits, *self._fitting_anywhere(text, now)))
        elif text:
            browsing = replace(browsing, text=_letters(text), hits=self._found_anywhere(listing, text, now))
        with self._reading.read() as reader:
            return FacetCounts(count_facets(reader, browsing))

    def _fitting_anywhere(self, text: str, now: datetime) -> tuple[str, ...]:
        """Return what fits a query that names fields, without the limits of the list."""
        from memtui.curate.query import parse_query

        asked = parse_query(text, self._opening.vault.kinds, now)
        everywhere = MemoryFilter(statuses=None, threshold=self._opening.threshold, conditions=asked.conditions)
        with self._reading.read() as reader:
            return tuple(reader.select_ids(everywhere, sort="created", now=now))

    def _found_anywhere(self, listing: Listing, text: str, now: datetime) -> tuple[str, ...]:
        """Return the hits of a list, and what other projects and statuses hold: without the limits of the list."""
        from memtui.recall.search import search

        look = self._words.search if self.is_prepared(listing.base) and self._words else partial(search, self._reading)
        wide = look(text, EVERYTHING, limit=MOST_HITS, settings=self._opening.recall, now=now, statuses=None)
        return tuple(dict.fromkeys((*listing.hits, *(hit.memory.id for hit in wide.hits))))


def cleaned(query: str) -> str:
    """Return what is searched for: no longer than a person types, without what no database takes."""
    return without_surrogates(query.strip()[:_LONGEST_QUERY].replace("\0", ""))


def _letters(text: str) -> str:
    """Return a text as titles are looked through for it: in lower case and without accents."""
    from memtui.text.words import plain_letters

    return plain_letters(text.lower())


def _scope_of(browsing: Browsing) -> Scope:
    from memtui.vault.facets import scope_of

    return scope_of(browsing)


def _opened_to(browsing: Browsing, asked: Query) -> Browsing:
    """Return what is browsed with the statuses and projects that a query names in place of those of the list."""
    chosen = dict(browsing.chosen)
    if asked.names_status:
        chosen["status"] = STATUSES
    if not asked.names_project:
        return replace(browsing, chosen=chosen)
    chosen.pop("project", None)
    return replace(browsing, chosen=chosen, scope=EVERYTHING)
