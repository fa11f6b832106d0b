"""Postings in memory, kept up to date with the vault, and the reader that answers from them."""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

from memtui.domain.memory import STATUSES, AnchorState, Link, Memory, Signal
from memtui.text.tokens import term_id
from memtui.vault.bm25 import SCORE_DIGITS, Matched, TermCounts, points
from memtui.vault.filters import MemoryFilter, Scope
from memtui.vault.reader import VaultReader
from memtui.vault.search.postings_table import (
    MemoryColumns,
    ReadCache,
    TermState,
    TermTable,
    joined,
    memory_columns,
    name_hash,
    name_hashes,
    postings_of,
    postings_within,
    stamp,
    table_of,
)
from memtui.vault.vault import Vault

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class MemoryPostings:
    """The postings of some terms in a `TermState`."""

    def __init__(self, state: TermState, terms: Sequence[str]) -> None:
        self._state = state
        self._found = {term: state.find(term_id(term)) for term in dict.fromkeys(terms)}
        frequencies = {term: len(rows) for term, (rows, _) in self._found.items()}
        self.counts = TermCounts(state.columns.documents, frequencies)

    def best(
        self, rarities: Mapping[str, float], wanted: MemoryFilter, limit: int
    ) -> Iterator[tuple[int, float, dict[str, float]]]:
        """Return the best memories of a filter of scope and status, see `Postings`."""
        import numpy as np

        columns = self._state.columns
        scores = np.zeros(len(columns.keys))
        added = {}
        for term, rarity in rarities.items():
            rows, frequencies = self._found[term]
            if len(rows):
                lengths = columns.lengths[rows].astype(np.float64)
                added[term] = rows, points(rarity, frequencies.astype(np.float64), lengths, columns.mean_length)
                scores[rows] += added[term][1]
        scores[~self._state.mask(wanted)] = 0.0
        best = _best(scores, columns.keys, limit)
        parts: list[dict[str, float]] = [{} for _ in best]
        ranks = np.full(len(scores), -1, np.int32)
        ranks[best] = np.arange(len(best), dtype=np.int32)
        for term, (rows, values) in added.items():
            chosen = ranks[rows] >= 0
            for rank, value in zip(ranks[rows[chosen]].tolist(), values[chosen].tolist(), strict=True):
                parts[rank][term] = value
        return zip(columns.keys[best].tolist(), scores[best].tolist(), parts, strict=True)

    def tally(
        self, weights: Mapping[str, float], scope: Scope, floor: float
    ) -> Iterator[tuple[str, bool, bool, bool, int]]:
        """Count the memories that hold any of the terms, see `Postings`."""
        import numpy as np

        columns = self._state.columns
        rows, mass = self._mass(weights)
        code = columns.statuses[rows].astype(np.int64)
        for flag in (columns.projects[rows] < 0, columns.within(Scope(scope.projects))[rows], mass >= floor):
            code = 2 * code + flag
        counts = np.bincount(code)
        for value in np.flatnonzero(counts).tolist():
            yield STATUSES[value >> 3], bool(value & 4), bool(value & 2), bool(value & 1), int(counts[value])

    def barred(
        self, weights: Mapping[str, float], scope: Scope, floor: float, limit: int
    ) -> Iterator[tuple[int, float, Collection[str]]]:
        """Return the memories that recall may only withhold, see `Postings`."""
        import numpy as np

        columns = self._state.columns
        rows, mass = self._mass(weights)
        inactive_in_scope = columns.within(Scope(scope.projects)) & ~columns.of_status(("active",))
        chosen = (mass >= floor) & ((columns.projects < 0) | inactive_in_scope)[rows]
        rows, mass = rows[chosen], mass[chosen]
        superseded = columns.of_status(("superseded",))[rows]
        best = np.lexsort((columns.keys[rows], -np.round(mass, SCORE_DIGITS), ~superseded))[:limit]
        holders = {term: np.isin(rows[best], self._found[term][0]) for term in weights}
        for rank, place in enumerate(best.tolist()):
            yield int(columns.keys[rows[place]]), float(mass[place]), {term for term in weights if holders[term][rank]}

    def _mass(self, weights: Mapping[str, float]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the places that hold any of the terms, and the sum of the weights that each matches."""
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
"""Changed memories that a search reads again itself; more, as after an import, are left to the background."""


class TermIndex:
    """Keeps the postings of a vault in memory, and up to date. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loading = threading.Lock()
        self._state: TermState | None = None

    def load(self, vault: Vault) -> None:
        """Read all postings if there are none yet, or if too many are scattered: for a thread, under short leases.

        Concurrent calls wait for the first one.
        """
        with self._loading:
            state = self._state
            if vault.exists and (state is None or state.is_scattered or not self._keeps_up(vault)):
                self._load(vault)

    def _load(self, vault: Vault) -> None:
        with vault.read() as reader:
            count, moment, columns = (
                reader.scalar("SELECT count(*) FROM postings"),
                stamp(reader),
                memory_columns(reader),
            )
            names = name_hashes(reader)
        parts = []
        for low, high in _ranges(-(-count // POSTINGS_PER_LEASE)):
            with vault.read() as reader:
                found = postings_within(reader, low, high)
            parts.append(table_of(found, columns.keys))
        # What changed between the leases differs in version from the first one, and the next search reads it again.
        with self._lock:
            self._state = _fresh(moment, columns, joined(parts), names)

    def _keeps_up(self, vault: Vault) -> bool:
        with vault.read() as reader:
            return self.state_at(reader) is not None

    def state_at(self, reader: VaultReader) -> TermState | None:
        """Return the postings as an open vault holds them; None while they are not loaded, or too much has changed."""
        with self._lock:
            state = self._current(reader)
            if state is not None:
                self._state = state
            return state

    def reader(self, reader: VaultReader, wanted: MemoryFilter) -> VaultReader:
        """Return a reader that answers from memory as far as possible.

        The given one while there is nothing in memory, and for a filter of more than scope and status.
        """
        state = self.state_at(reader) if wanted.is_plain else None
        return reader if state is None else CachedReader(reader, state)

    def _current(self, reader: VaultReader) -> TermState | None:
        """Return what an open vault holds, None if that is too much to read while somebody waits."""
        state, moment = self._state, stamp(reader)
        if state is None:
            if reader.scalar("SELECT count(*) FROM postings") > MOST_AT_ONCE:
                return None
            columns = memory_columns(reader)
            return _fresh(moment, columns, table_of(postings_within(reader), columns.keys), name_hashes(reader))
        return state if state.stamp == moment else _updated(state, reader, moment)


def _ranges(count: int) -> list[tuple[int, int]]:
    """Return the bounds of equal parts of all term numbers; as hashes, they are spread evenly."""
    count = max(1, count)
    ends = [-(1 << 63) + (part << 64) // count for part in range(count + 1)]
    return [(low, high - 1) for low, high in pairwise(ends)]


def _fresh(moment: tuple[object, ...], columns: MemoryColumns, base: TermTable, names: NDArray[np.uint64]) -> TermState:
    import numpy as np

    count = len(columns.keys)
    nothing = np.empty(0, np.int64)
    added = TermTable.of(nothing, nothing, nothing)
    return TermState(moment, columns, np.ones(count, np.bool_), np.arange(count), base, added, count, names)


def _updated(state: TermState, reader: VaultReader, moment: tuple[object, ...]) -> TermState | None:
    """Return a state brought up to date, or None if too much has changed for a search to wait for."""
    import numpy as np

    now = memory_columns(reader)
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
    moved = replace(state, stamp=moment, columns=columns, alive=alive, order=places, masks={}, cache=ReadCache())
    if not len(changed):
        return moved
    keys = now.keys[changed]
    added = state.added.merged(table_of(postings_of(reader, keys.tolist()), keys, first))
    names = np.concatenate((state.names, name_hashes(reader, keys.tolist())), axis=1)
    return replace(moved, added=added, names=names)


MOST_MEMORIES = 4_000  # Memories kept, about 10 MB: what some ten searches read; typing on changes few of them

MOST_ROWS = 20_000
"""Tables of links, signals or anchor states up to this size are kept whole; of larger ones only what is asked for is
read."""


class CachedReader(VaultReader):
    """A reader that answers from the postings and the cache of a `TermIndex` where it can, else from the vault."""

    def __init__(self, reader: VaultReader, state: TermState) -> None:
        super().__init__(reader.connection, reader.kinds)
        self._state = state

    def match(self, terms: Sequence[str]) -> Matched:
        """Return the memories that hold any of these terms; its searches take filters of scope and status alone."""
        return Matched(MemoryPostings(self._state, terms))

    def keys_by_name(self, name: str, wanted: MemoryFilter) -> list[int]:
        """Return the internal keys of the memories of a filter whose id or title is exactly this, ignoring case."""
        named = (self._state.names == name_hash(self, name)).any(axis=0) & self._state.mask(wanted)
        # The hashes tell whether there are any; the vault tells which.
        return super().keys_by_name(name, wanted) if named.any() else []

    def count(self, wanted: MemoryFilter) -> int:
        """Return how many memories a filter selects."""
        return int(self._state.mask(wanted).sum()) if wanted.is_plain else super().count(wanted)

    def keys_within(self, wanted: MemoryFilter, keys: Iterable[int]) -> set[int]:
        if not wanted.is_plain:
            return super().keys_within(wanted, keys)
        places = self._state.places_of(keys)
        return set(self._state.columns.keys[places[self._state.mask(wanted)[places]]].tolist())

    def get_by_keys(self, keys: Iterable[int]) -> dict[int, Memory]:
        """Return the memories with these internal keys; missing ones are left out."""
        wanted, cache = list(keys), self._state.cache
        with cache.lock:
            found = {key: cache.memories[key] for key in wanted if key in cache.memories}
        found |= super().get_by_keys([key for key in wanted if key not in found])
        with cache.lock:
            # What was asked for moves to the end, so that the least recently used goes first.
            for key, memory in found.items():
                cache.memories.pop(key, None)
                cache.memories[key] = memory
            for key in list(cache.memories)[: max(0, len(cache.memories) - MOST_MEMORIES)]:
                del cache.memories[key]
        return found

    def links(self, identifiers: Iterable[str] | None = None) -> list[Link]:
        links = self._read().links
        if links is None or identifiers is None:
            return super().links(identifiers)
        wanted = set(identifiers)
        return [link for link in links if link.from_id in wanted or link.to_id in wanted]

    def signals(self, identifiers: Iterable[str] | None = None) -> list[Signal]:
        """Return signals of these memories, or all; the oldest first of each memory."""
        signals = self._read().signals
        if signals is None or identifiers is None:
            return super().signals(identifiers)
        return [signal for identifier in identifiers for signal in signals.get(identifier, ())]

    def anchor_states(self, identifiers: Iterable[str] | None = None) -> dict[tuple[str, str], AnchorState]:
        """Return the last known state per (memory id, anchor path), of these memories or all."""
        states = self._read().states
        if states is None or identifiers is None:
            return super().anchor_states(identifiers)
        wanted = [(identifier, states.get(identifier, {})) for identifier in identifiers]
        return {(identifier, path): state for identifier, paths in wanted for path, state in paths.items()}

    def _read(self) -> ReadCache:
        """Return the cache with the small tables read whole."""
        cache = self._state.cache
        with cache.lock:
            if not cache.is_read:
                is_small = {
                    table: self.scalar(f"SELECT count(*) FROM {table}") <= MOST_ROWS
                    for table in ("links", "signals", "anchor_states")
                }
                if is_small["links"]:
                    cache.links = super().links()
                if is_small["signals"]:
                    cache.signals = {}
                    for signal in super().signals():
                        cache.signals.setdefault(signal.memory_id, []).append(signal)
                if is_small["anchor_states"]:
                    cache.states = {}
                    for (identifier, path), state in super().anchor_states().items():
                        cache.states.setdefault(identifier, {})[path] = state
                cache.is_read = True
        return cache
