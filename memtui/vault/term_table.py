"""Postings in memory, by term: what holds a term, and the tables that they are made of."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from memtui.vault.filters import MemoryFilter
from memtui.vault.held import Held
from memtui.vault.term_reading import MemoryColumns, PostingColumns

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MOST_APART = 0.2
"""Share of the memories that may lie beside the sorted postings until all of them are sorted anew."""

_MOST_MASKS = 8


@dataclass(frozen=True, slots=True)
class TermTable:
    """Postings by term: `rows[starts[n]:starts[n + 1]]` are the places of the memories that hold `terms[n]`."""

    terms: NDArray[np.int64]
    starts: NDArray[np.int64]
    rows: NDArray[np.int32]
    frequencies: NDArray[np.uint16]

    def find(self, term: int) -> tuple[NDArray[np.int32], NDArray[np.uint16]]:
        """Return the places and frequencies of a term, none if nobody holds it."""
        place = int(self.terms.searchsorted(term))
        if place == len(self.terms) or self.terms[place] != term:
            return self.rows[:0], self.frequencies[:0]
        part = slice(int(self.starts[place]), int(self.starts[place + 1]))
        return self.rows[part], self.frequencies[part]


@dataclass(frozen=True, slots=True)
class TermState:
    """What the vault held at one moment. A memory has a place in the arrays; changed, it gets another one.

    Attributes:
        stamp: says at which moment.
        columns: of every place.
        alive: places whose memory is there as it was read.
        order: alive places by ascending key.
        base: postings of most places.
        added: postings of the places that came later.
        sorted_places: how many places `base` covers.
        names: what stands for id and title of each place, shape (2, n).
        held: what was read of the memories at that moment.
        masks: which places a filter holds, by filter.
    """

    stamp: tuple[object, ...]
    columns: MemoryColumns
    alive: NDArray[np.bool_]
    order: NDArray[np.int64]
    base: TermTable
    added: TermTable
    sorted_places: int
    names: NDArray[np.uint64]
    held: Held = field(default_factory=Held)
    masks: dict[MemoryFilter, NDArray[np.bool_]] = field(default_factory=dict)

    @property
    def is_scattered(self) -> bool:
        """Whether so much lies beside the sorted postings that sorting them anew pays."""
        apart = len(self.alive) - int(self.alive[: self.sorted_places].sum())
        return apart > MOST_APART * max(1, len(self.order))

    def find(self, term: int) -> tuple[NDArray[np.int32], NDArray[np.uint16]]:
        """Return the places of the memories that hold a term, and how often."""
        import numpy as np

        rows, frequencies = self.base.find(term)
        more, counts = self.added.find(term)
        if len(more):
            rows, frequencies = np.concatenate((rows, more)), np.concatenate((frequencies, counts))
        if len(self.order) == len(self.alive):
            return rows, frequencies
        there = self.alive[rows]
        return rows[there], frequencies[there]

    def mask(self, wanted: MemoryFilter) -> NDArray[np.bool_]:
        """Return which places a filter of scope and status holds."""
        if wanted not in self.masks:
            if len(self.masks) >= _MOST_MASKS:
                self.masks.clear()
            self.masks[wanted] = self.alive & self.columns.within(wanted.scope) & self.columns.of_status(wanted)
        return self.masks[wanted]

    def places_of(self, keys: Iterable[int]) -> NDArray[np.int64]:
        """Return the places of those of these keys that are there."""
        import numpy as np

        asked = np.array(sorted(keys), np.int64)
        if not len(self.order) or not len(asked):
            return np.empty(0, np.int64)
        known = self.columns.keys[self.order]
        found = np.minimum(known.searchsorted(asked), len(known) - 1)
        places: NDArray[np.int64] = self.order[found[known[found] == asked]]
        return places


def table_of(found: PostingColumns, keys: NDArray[np.int64], first: int = 0) -> TermTable:
    """Return postings by term.

    Args:
        found: the postings in any order.
        keys: ascending keys of the memories that they belong to; those of others are left out.
        first: place of the first of these memories.
    """
    import numpy as np

    if not len(keys) or not len(found.terms):
        nothing = np.empty(0, np.int64)
        return TermTable(nothing, np.zeros(1, np.int64), nothing.astype(np.int32), nothing.astype(np.uint16))
    places = np.minimum(keys.searchsorted(found.keys), len(keys) - 1)
    known = keys[places] == found.keys
    terms, places, frequencies = found.terms[known], places[known], found.frequencies[known]
    order = np.argsort(terms)
    terms = terms[order]
    starts = _beginnings(terms)
    return TermTable(
        terms[starts],
        np.append(starts, len(terms)),
        (places[order] + first).astype(np.int32),
        frequencies[order].astype(np.uint16),
    )


def _beginnings(terms: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return where each of the terms begins; equal ones lie together."""
    import numpy as np

    return np.flatnonzero(np.concatenate((np.ones(min(1, len(terms)), np.bool_), terms[1:] != terms[:-1])))


def joined(parts: Sequence[TermTable]) -> TermTable:
    """Return the tables of ascending ranges of terms as one."""
    import numpy as np

    shifts = np.cumsum([0, *(len(part.rows) for part in parts)])
    starts = [part.starts[:-1] + shift for part, shift in zip(parts, shifts, strict=False)]
    return TermTable(
        np.concatenate([part.terms for part in parts]),
        np.append(np.concatenate(starts), shifts[-1]),
        np.concatenate([part.rows for part in parts]),
        np.concatenate([part.frequencies for part in parts]),
    )


def merged(one: TermTable, other: TermTable) -> TermTable:
    """Return two tables as one; memories that changed again stay in it until all is sorted anew."""
    import numpy as np

    terms = np.concatenate([np.repeat(table.terms, np.diff(table.starts)) for table in (one, other)])
    order = np.argsort(terms)
    terms = terms[order]
    starts = _beginnings(terms)
    return TermTable(
        terms[starts],
        np.append(starts, len(terms)),
        np.concatenate((one.rows, other.rows))[order],
        np.concatenate((one.frequencies, other.frequencies))[order],
    )
