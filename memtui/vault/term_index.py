"""The postings of a vault in memory, for a process that searches more than once.

By SQL every search reads all postings from the file, since nobody keeps it open: 50 ms of processor time at 100,000
memories. Here they lie by term, 24 MB for the 3.3 million of 100,000 memories, and what changed is read anew by the
versions of the memories.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

from memtui.vault.evidence import keys_by_name
from memtui.vault.filters import MemoryFilter
from memtui.vault.held import Held, HeldReader
from memtui.vault.reading import VaultReader
from memtui.vault.term_matching import MatchedInMemory
from memtui.vault.term_reading import (
    MemoryColumns,
    PostingColumns,
    count_postings,
    name_hash,
    name_hashes,
    postings_of,
    postings_within,
)
from memtui.vault.term_reading import memory_columns as read_columns
from memtui.vault.term_reading import stamp as read_stamp
from memtui.vault.term_table import TermState, TermTable, joined, merged, table_of
from memtui.vault.vault import Vault

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

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
