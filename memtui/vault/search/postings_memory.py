"""Match a query against the postings in memory."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

from memtui.text.tokens import query_terms, term_id
from memtui.vault.filters import MemoryFilter, Scope
from memtui.vault.reader import VaultReader
from memtui.vault.search.evidence import FOREIGN, ROUNDING, UNASSIGNED, TermCounts, keys_by_name
from memtui.vault.search.postings_sql import K1, SCORE_DIGITS, B, LexicalHit
from memtui.vault.search.postings_table import (
    MemoryColumns,
    PostingColumns,
    TermState,
    TermTable,
    count_postings,
    joined,
    merged,
    name_hash,
    name_hashes,
    postings_of,
    postings_within,
    table_of,
)
from memtui.vault.search.postings_table import memory_columns as read_columns
from memtui.vault.search.postings_table import stamp as read_stamp
from memtui.vault.search.read_cache import Held, HeldReader
from memtui.vault.vault import Vault

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class MatchedInMemory:
    """The postings of a query's terms: what `MatchedTerms` is by SQL, with the same answers.

    Attributes:
        counts: in how many memories, of any project and status, each term occurs.
    """

    def __init__(self, state: TermState, terms: Sequence[str]) -> None:
        self._state = state
        self._found = {term: state.find(term_id(term)) for term in dict.fromkeys(terms)}
        frequencies = {term: len(rows) for term, (rows, _) in self._found.items()}
        self.counts = TermCounts(state.columns.documents, frequencies)

    def search(self, query: str, wanted: MemoryFilter, *, limit: int) -> list[LexicalHit]:
        """Return the best memories of a filter by BM25; ties break by key.

        Args:
            query: the query whose terms were matched.
            wanted: which memories, by scope and status alone.
            limit: most hits to return.
        """
        import numpy as np

        columns = self._state.columns
        scores = np.zeros(len(columns.keys))
        points = {}
        for term in query_terms(query):
            rows, _ = self._found[term]
            points[term] = (rows, self._points(term))
            scores[rows] += points[term][1]
        scores[~self._state.mask(wanted)] = 0.0
        best = _best(scores, columns.keys, limit)
        parts: list[list[tuple[float, str]]] = [[] for _ in range(len(best))]
        ranks = np.full(len(scores), -1, np.int32)
        ranks[best] = np.arange(len(best), dtype=np.int32)
        for term, (rows, values) in points.items():
            among = ranks[rows]
            for rank, value in zip(among[among >= 0].tolist(), values[among >= 0].tolist(), strict=True):
                parts[rank].append((value, term))
        return [
            LexicalHit(key, score, {term: value for value, term in sorted(mine, key=lambda part: -part[0])})
            for key, score, mine in zip(columns.keys[best].tolist(), scores[best].tolist(), parts, strict=True)
        ]

    def _points(self, term: str) -> NDArray[np.float64]:
        """Return what a term adds to the score of each memory that holds it, see `postings`."""
        import numpy as np

        rows, frequencies = self._found[term]
        columns = self._state.columns
        documents, holding = columns.documents, len(rows)
        rarity = np.log(1 + (documents - holding + 0.5) / (holding + 0.5))
        often = frequencies.astype(np.float64)
        lengths = columns.lengths[rows] / columns.mean_length if columns.mean_length else 0.0
        points: NDArray[np.float64] = rarity * often * (K1 + 1) / (often + K1 * (1 - B + B * lengths))
        return points

    def survey(self, weights: Mapping[str, float], scope: Scope, *, floor: float) -> dict[tuple[str, bool], int]:
        """Return how many memories share these terms, per place and whether they reach the floor.

        Args:
            weights: weight of each term.
            scope: the projects in view.
            floor: sum of weights that a memory has to match.
        """
        import numpy as np

        if not weights:
            return {}
        columns = self._state.columns
        rows, mass = self._mass(weights)
        reached = mass >= floor - ROUNDING
        within, unassigned = columns.within(Scope(scope.projects))[rows], columns.projects[rows] < 0
        survey: dict[tuple[str, bool], int] = {}
        for code, status in enumerate(columns.status_names):
            mine = columns.statuses[rows] == code
            is_active = status == "active"
            places = [(UNASSIGNED if is_active else status, mine & unassigned), (status, mine & within & ~unassigned)]
            if is_active:
                places.append((FOREIGN, mine & ~within & ~unassigned))
            for place, chosen in places:
                for answer in (True, False):
                    count = int(np.count_nonzero(chosen & (reached == answer)))
                    if count:
                        survey[place, answer] = survey.get((place, answer), 0) + count
        return survey

    def barred(self, weights: Mapping[str, float], scope: Scope, *, floor: float, limit: int) -> list[LexicalHit]:
        """Return the best of the memories in view that may only be withheld, see `MatchedTerms.barred`.

        Args:
            weights: weight of each term.
            scope: the projects in view.
            floor: sum of weights that a memory has to match.
        """
        import numpy as np

        if not weights:
            return []
        columns = self._state.columns
        rows, mass = self._mass(weights)
        unassigned = columns.projects[rows] < 0
        chosen = (mass >= floor - ROUNDING) & (unassigned | columns.within(Scope(scope.projects))[rows])
        chosen &= unassigned | ~columns.of_status(MemoryFilter())[rows]
        rows, mass = rows[chosen], mass[chosen]
        replaced = columns.of_status(MemoryFilter(statuses=("superseded",)))[rows]
        best = np.lexsort((columns.keys[rows], -mass, ~replaced))[:limit]
        strongest = sorted(weights, key=lambda term: (-weights[term], term))
        holding = {term: np.isin(rows[best], self._found[term][0]) for term in strongest}
        return [
            LexicalHit(
                int(columns.keys[rows[place]]),
                float(mass[place]),
                {term: weights[term] for term in strongest if holding[term][rank]},
            )
            for rank, place in enumerate(best.tolist())
        ]

    def _mass(self, weights: Mapping[str, float]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the places that match any of the terms, and the sum of the weights that each matches."""
        import numpy as np

        mass = np.zeros(len(self._state.columns.keys))
        touched = np.zeros(len(mass), np.bool_)
        for term, weight in weights.items():
            rows, _ = self._found[term]
            mass[rows] += weight
            touched[rows] = True
        places = np.flatnonzero(touched)
        return places, mass[places]


def _best(scores: NDArray[np.float64], keys: NDArray[np.int64], limit: int) -> NDArray[np.int64]:
    """Return the places of the highest scores above 0, the highest first; ties break by key."""
    import numpy as np

    found = np.flatnonzero(scores)
    scores = np.round(scores, SCORE_DIGITS)
    if len(found) > limit:
        lowest = np.partition(scores[found], len(found) - limit)[len(found) - limit]
        found = found[scores[found] >= lowest]
    best: NDArray[np.int64] = found[np.lexsort((keys[found], -scores[found]))][:limit]
    return best


MOST_AT_ONCE = 500_000
"""Postings that a search reads itself when there is no index yet: 15,000 memories, a tenth of a second."""

POSTINGS_PER_LEASE = 250_000
"""Postings read under one lease in the background: 60 ms at 100,000 memories, most of it one scan of the table."""

MOST_CHANGED = 1_000
"""Changed memories that a search reads anew itself; more of them, as after an import, are left to the background."""


class TermIndex:
    """Keeps the postings of a vault in memory, and up to date. Threads may share it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loading = threading.Lock()
        self._state: TermState | None = None
        self._open: weakref.WeakKeyDictionary[VaultReader, TermState] = weakref.WeakKeyDictionary()

    def load(self, vault: Vault) -> None:
        """Read all postings if there are none yet, or if too many lie apart: for a thread, under many short leases.

        Of several threads that ask for it one reads, and the others wait for it.
        """
        with self._loading:
            self._load(vault)

    def last(self) -> TermState | None:
        """Return the postings as they were last seen, without a look at the vault; their stamp says of when."""
        return self._state

    def _load(self, vault: Vault) -> None:
        state = self._state
        if not vault.exists or (state is not None and not state.is_scattered and self._keeps_up(vault)):
            return
        with vault.read() as reader:
            count, stamp, columns = count_postings(reader), read_stamp(reader), read_columns(reader)
            names = _names(reader, columns.keys)
        parts = []
        for low, high in _ranges(-(-count // POSTINGS_PER_LEASE)):
            with vault.read() as reader:
                found = postings_within(reader, low, high)
            parts.append(table_of(found, columns.keys))
        # What changed between the leases has another version than at the first, and is read anew by the next search.
        with self._lock:
            self._state = _fresh(stamp, columns, joined(parts), names)

    def _keeps_up(self, vault: Vault) -> bool:
        with vault.read() as reader:
            return self.at(reader, MemoryFilter()) is not None

    def at(self, reader: VaultReader, wanted: MemoryFilter) -> IndexedTerms | None:
        """Return the postings as an open vault holds them.

        None while they are not loaded, where too much has changed, and for a filter that asks for more than projects
        and status: then the vault is to be asked.
        """
        if wanted != MemoryFilter(scope=wanted.scope, statuses=wanted.statuses):
            return None
        with self._lock:
            state = self._open.get(reader) or self._current(reader)
            if state is None:
                return None
            self._open[reader] = self._state = state
        return IndexedTerms(state, reader)

    def _current(self, reader: VaultReader) -> TermState | None:
        """Return what an open vault holds, None if that is too much to read while somebody waits."""
        state, stamp = self._state, read_stamp(reader)
        if state is None:
            if count_postings(reader) > MOST_AT_ONCE:
                return None
            columns = read_columns(reader)
            table, names = table_of(postings_within(reader), columns.keys), _names(reader, columns.keys)
            return _fresh(stamp, columns, table, names)
        return state if state.stamp == stamp else _updated(state, reader, stamp)


class IndexedTerms:
    """The postings at one moment, with the answers that `MatchedTerms` and SQL give.

    Attributes:
        count: how many memories there are, of any status.
        reader: reads memories and what hangs on them, from memory as far as they are there.
    """

    def __init__(self, state: TermState, reader: VaultReader) -> None:
        self._state = state
        self._reader = reader
        self.count = len(state.order)
        self.reader = HeldReader(reader, state.held)

    def keys_by_name(self, name: str, wanted: MemoryFilter) -> list[int]:
        """Return the internal keys of the memories of a filter whose id or title is exactly this, case aside."""
        named = (self._state.names == name_hash(self._reader, name)).any(axis=0) & self._state.mask(wanted)
        # The hash says that there may be some; the vault says which.
        return keys_by_name(self._reader, name, wanted) if named.any() else []

    def match(self, terms: Sequence[str]) -> MatchedInMemory:
        """Return what holds any of these terms."""
        return MatchedInMemory(self._state, terms)

    def count_within(self, wanted: MemoryFilter) -> int:
        """Return how many memories a filter holds."""
        return int(self._state.mask(wanted).sum())

    def keys_within(self, wanted: MemoryFilter, keys: Iterable[int]) -> set[int]:
        """Return those of these internal keys whose memories a filter holds."""
        places = self._state.places_of(keys)
        return set(self._state.columns.keys[places[self._state.mask(wanted)[places]]].tolist())


def _ranges(count: int) -> list[tuple[int, int]]:
    """Return the ends of equal parts of all term numbers; being hashes, they lie evenly."""
    count = max(1, count)
    ends = [-(1 << 63) + (part << 64) // count for part in range(count + 1)]
    return [(low, high - 1) for low, high in pairwise(ends)]


def _names(reader: VaultReader, keys: NDArray[np.int64], *, some: bool = False) -> NDArray[np.uint64]:
    """Return what stands for id and title of memories, shape (2, keys); of all unless only some are asked for."""
    import numpy as np

    found = name_hashes(reader, keys.tolist() if some else None)
    order = np.argsort(found["key"])
    return np.stack([found[name][order] for name in ("id", "title")]).astype(np.uint64)


def _fresh(stamp: tuple[object, ...], columns: MemoryColumns, base: TermTable, names: NDArray[np.uint64]) -> TermState:
    import numpy as np

    count = len(columns.keys)
    nothing = PostingColumns(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, np.uint16))
    added = table_of(nothing, columns.keys)
    return TermState(stamp, columns, np.ones(count, np.bool_), np.arange(count), base, added, count, names)


def _updated(state: TermState, reader: VaultReader, stamp: tuple[object, ...]) -> TermState | None:
    """Return a state brought up to date, or None if too much has changed for a search to wait for."""
    import numpy as np

    now = read_columns(reader)
    then = state.columns
    known = then.keys[state.order]
    at = np.minimum(known.searchsorted(now.keys), max(0, len(known) - 1))
    same = np.zeros(len(now.keys), np.bool_)
    if len(known):
        same = known[at] == now.keys
        before = state.order[at]
        same &= (then.versions[before] == now.versions) & (then.lengths[before] == now.lengths)
    if int((~same).sum()) > MOST_CHANGED:
        return None
    changed = np.flatnonzero(~same)
    first = len(then.keys)
    places = np.empty(len(now.keys), np.int64)
    if len(known):
        places[same] = state.order[at[same]]
    places[changed] = first + np.arange(len(changed))
    alive = np.zeros(first + len(changed), np.bool_)
    alive[places] = True
    columns = now.moved_to(places, len(alive))
    moved = replace(state, stamp=stamp, columns=columns, alive=alive, order=places, masks={}, held=Held())
    if not len(changed):
        return moved
    keys = now.keys[changed]
    added = merged(state.added, table_of(postings_of(reader, keys.tolist()), keys, first))
    names = np.concatenate((state.names, _names(reader, keys, some=True)), axis=1)
    return replace(moved, added=added, names=names)
