"""All postings of a vault as arrays, for a process that searches more than once."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from memtui.domain.memory import STATUSES, AnchorState, Link, Memory, Signal
from memtui.vault.filters import MemoryFilter, Scope
from memtui.vault.rows import among

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from memtui.vault.reader import VaultReader

MOST_SCATTERED = 0.2
"""Share of the memories that may lie outside the sorted postings before all of them are sorted again."""

_MOST_MASKS = 8


@dataclass(frozen=True, slots=True)
class PostingColumns:
    """Postings in any order: term numbers, internal keys and frequencies, each of shape (n,)."""

    terms: NDArray[np.int64]
    keys: NDArray[np.int64]
    frequencies: NDArray[np.uint16]


@dataclass(frozen=True, slots=True)
class MemoryColumns:
    """What a search needs of each memory besides its texts, one row per memory."""

    keys: NDArray[np.int64]  # internal keys, ascending when read
    versions: NDArray[np.int32]
    statuses: NDArray[np.int8]
    projects: NDArray[np.int32]  # places in `project_names`, -1 for unassigned memories
    lengths: NDArray[np.int32]  # number of terms of each memory
    project_names: tuple[str, ...]
    documents: int  # how many memories have postings
    mean_length: float  # mean number of their terms

    def within(self, scope: Scope) -> NDArray[np.bool_]:
        """Return which rows belong to the projects of a scope."""
        import numpy as np

        if scope.projects is None:
            return np.ones(len(self.keys), np.bool_)
        codes = [place for place, name in enumerate(self.project_names) if name in scope.projects]
        return np.isin(self.projects, [*codes, -1] if scope.with_unassigned else codes)

    def of_status(self, statuses: Sequence[str] | None) -> NDArray[np.bool_]:
        import numpy as np

        if statuses is None:
            return np.ones(len(self.keys), np.bool_)
        return np.isin(self.statuses, [STATUSES.index(status) for status in statuses])

    def moved_to(self, places: NDArray[np.int64], count: int) -> MemoryColumns:
        """Return the columns with each row at another of `count` places; the content of unused places is undefined."""
        import numpy as np

        columns = {}
        for name in ("keys", "versions", "statuses", "projects", "lengths"):
            column = getattr(self, name)
            columns[name] = np.zeros(count, column.dtype)
            columns[name][places] = column
        return MemoryColumns(
            **columns, project_names=self.project_names, documents=self.documents, mean_length=self.mean_length
        )


@dataclass(frozen=True, slots=True)
class TermTable:
    """Postings by term: `rows[starts[n]:starts[n + 1]]` are the places of the memories that hold `terms[n]`."""

    terms: NDArray[np.int64]
    starts: NDArray[np.int64]
    rows: NDArray[np.int32]
    frequencies: NDArray[np.uint16]

    @classmethod
    def of(cls, terms: NDArray[np.int64], rows: NDArray[np.generic], frequencies: NDArray[np.generic]) -> TermTable:
        """Return the table of postings in any order."""
        import numpy as np

        order = np.argsort(terms)
        terms = terms[order]
        starts = np.flatnonzero(np.concatenate((np.ones(min(1, len(terms)), np.bool_), terms[1:] != terms[:-1])))
        return cls(
            terms[starts],
            np.append(starts, len(terms)),
            rows[order].astype(np.int32),
            frequencies[order].astype(np.uint16),
        )

    def find(self, term: int) -> tuple[NDArray[np.int32], NDArray[np.uint16]]:
        """Return the places and frequencies of a term, empty if no memory holds it."""
        place = int(self.terms.searchsorted(term))
        if place == len(self.terms) or self.terms[place] != term:
            return self.rows[:0], self.frequencies[:0]
        part = slice(int(self.starts[place]), int(self.starts[place + 1]))
        return self.rows[part], self.frequencies[part]

    def merged(self, other: TermTable) -> TermTable:
        """Return two tables as one; stale places of memories that changed again stay until all is sorted again."""
        import numpy as np

        terms = np.concatenate([np.repeat(table.terms, np.diff(table.starts)) for table in (self, other)])
        rows = np.concatenate((self.rows, other.rows))
        return TermTable.of(terms, rows, np.concatenate((self.frequencies, other.frequencies)))


def table_of(found: PostingColumns, keys: NDArray[np.int64], first: int = 0) -> TermTable:
    """Return the table of the postings of some memories.

    `keys`: ascending keys of the memories; postings of others are left out. `first`: place of the first of these
    memories.
    """
    import numpy as np

    if not len(keys):
        nothing = np.empty(0, np.int64)
        return TermTable.of(nothing, nothing, nothing)
    places = np.minimum(keys.searchsorted(found.keys), len(keys) - 1)
    known = keys[places] == found.keys
    return TermTable.of(found.terms[known], places[known] + first, found.frequencies[known])


def joined(parts: Sequence[TermTable]) -> TermTable:
    import numpy as np

    shifts = np.cumsum([0, *(len(part.rows) for part in parts)])
    starts = [part.starts[:-1] + shift for part, shift in zip(parts, shifts, strict=False)]
    return TermTable(
        np.concatenate([part.terms for part in parts]),
        np.append(np.concatenate(starts), shifts[-1]),
        np.concatenate([part.rows for part in parts]),
        np.concatenate([part.frequencies for part in parts]),
    )


@dataclass(slots=True)
class ReadCache:
    """What was read of a vault since it last changed."""

    memories: dict[int, Memory] = field(default_factory=dict)  # by internal key, those asked for last
    links: list[Link] | None = None  # all of them; None while unread, or where there are too many
    signals: dict[str, list[Signal]] | None = None  # the same by memory id
    states: dict[str, dict[str, AnchorState]] | None = None  # the same by memory id and path
    is_read: bool = False
    lock: threading.Lock = field(default_factory=threading.Lock)


@dataclass(frozen=True, slots=True)
class TermState:
    """The postings of a vault at one moment. A memory has a place in the arrays; a changed one gets another place."""

    stamp: tuple[object, ...]  # identifies the moment, see `stamp`
    columns: MemoryColumns
    alive: NDArray[np.bool_]  # places whose memory is current
    order: NDArray[np.int64]  # alive places by ascending key
    base: TermTable  # postings of most places
    added: TermTable  # postings of the places that came later
    sorted_places: int  # how many places `base` covers
    names: NDArray[np.uint64]  # hashes of id and title of each place, shape (2, n)
    # which places a filter selects, by filter
    masks: dict[MemoryFilter, NDArray[np.bool_]] = field(default_factory=dict)
    cache: ReadCache = field(default_factory=ReadCache)  # what was read of the memories at that moment

    @property
    def is_scattered(self) -> bool:
        """Whether so much lies outside the sorted postings that sorting again pays."""
        scattered = len(self.alive) - int(self.alive[: self.sorted_places].sum())
        return scattered > MOST_SCATTERED * max(1, len(self.order))

    def find(self, term: int) -> tuple[NDArray[np.int32], NDArray[np.uint16]]:
        """Return the places of the memories that hold a term, and how often."""
        import numpy as np

        rows, frequencies = self.base.find(term)
        more, counts = self.added.find(term)
        if len(more):
            rows, frequencies = np.concatenate((rows, more)), np.concatenate((frequencies, counts))
        if len(self.order) == len(self.alive):
            return rows, frequencies
        current = self.alive[rows]
        return rows[current], frequencies[current]

    def mask(self, wanted: MemoryFilter) -> NDArray[np.bool_]:
        """Return which places a filter selects by scope and status; its other conditions are ignored."""
        if wanted not in self.masks:
            if len(self.masks) >= _MOST_MASKS:
                self.masks.clear()
            self.masks[wanted] = (
                self.alive & self.columns.within(wanted.scope) & self.columns.of_status(wanted.statuses)
            )
        return self.masks[wanted]

    def mask_by_key(self, wanted: MemoryFilter) -> NDArray[np.bool_]:
        """Return which memories a filter selects, by ascending key; one more, false, stands for missing ones."""
        import numpy as np

        return np.append(self.mask(wanted)[self.order], False)

    def places_of(self, keys: Iterable[int]) -> NDArray[np.int64]:
        import numpy as np

        asked = np.array(sorted(keys), np.int64)
        if not len(self.order) or not len(asked):
            return np.empty(0, np.int64)
        known = self.columns.keys[self.order]
        found = np.minimum(known.searchsorted(asked), len(known) - 1)
        places: NDArray[np.int64] = self.order[found[known[found] == asked]]
        return places


def stamp(reader: VaultReader) -> tuple[object, ...]:
    """Return values that change whenever memories did, also when another file replaced the vault."""
    found = reader.connection.execute(
        "SELECT (SELECT value FROM meta WHERE key = 'change_counter'), count(*), sum(version), max(updated_at)"
        " FROM memories"
    ).fetchone()
    return tuple(found or ())


def name_hashes(reader: VaultReader, keys: Sequence[int] | None = None) -> NDArray[np.uint64]:
    """Return hashes of id and title in lower case by ascending key, shape (2, n), of some memories or all."""
    import numpy as np

    condition, parameters = ("true", []) if keys is None else among("key", keys)
    found = reader.connection.execute(
        f"SELECT key, hash(lower(id)) AS id, hash(lower(title)) AS title FROM memories WHERE {condition}",
        parameters,
    ).fetchnumpy()
    order = np.argsort(found["key"])
    return np.stack([found[name][order] for name in ("id", "title")]).astype(np.uint64)


def name_hash(reader: VaultReader, name: str) -> int:
    return reader.scalar("SELECT hash(lower(?))", [name])


def memory_columns(reader: VaultReader) -> MemoryColumns:
    """Return the columns of every memory, of any status, by ascending key."""
    import numpy as np

    connection = reader.connection
    projects = connection.execute(
        "SELECT DISTINCT project FROM memories WHERE project IS NOT NULL ORDER BY project"
    ).fetchall()
    names = tuple(str(row[0]) for row in projects)
    found = connection.execute(
        "SELECT m.key, m.version,"
        " coalesce(list_position(from_json(?, '[\"VARCHAR\"]'), m.project), 0)::INTEGER - 1 AS project,"
        " list_position(from_json(?, '[\"VARCHAR\"]'), m.status)::TINYINT - 1 AS status,"
        " coalesce(d.length, -1) AS length"
        " FROM memories m LEFT JOIN documents d ON d.memory_key = m.key",
        [json.dumps(names), json.dumps(STATUSES)],
    ).fetchnumpy()
    row = connection.execute("SELECT count(*), coalesce(avg(length), 0) FROM documents").fetchone() or (0, 0.0)
    keys = np.asarray(found["key"], np.int64)
    order = np.argsort(keys)
    return MemoryColumns(
        keys=keys[order],
        versions=np.asarray(found["version"], np.int32)[order],
        statuses=np.asarray(found["status"], np.int8)[order],
        projects=np.asarray(found["project"], np.int32)[order],
        lengths=np.asarray(found["length"], np.int32)[order],
        project_names=names,
        documents=int(row[0]),
        mean_length=float(row[1]),
    )


def postings_within(reader: VaultReader, low: int = -(1 << 63), high: int = (1 << 63) - 1) -> PostingColumns:
    """Return the postings of the terms with numbers from `low` to `high`, both included."""
    return _postings(reader, "term BETWEEN ? AND ?", [low, high])


def postings_of(reader: VaultReader, keys: Sequence[int]) -> PostingColumns:
    return _postings(reader, *among("memory_key", keys))


def _postings(reader: VaultReader, condition: str, parameters: list[object]) -> PostingColumns:
    import numpy as np

    found = reader.connection.execute(
        f"SELECT term, memory_key, frequency FROM postings WHERE {condition}",
        parameters,
    ).fetchnumpy()
    return PostingColumns(
        np.asarray(found["term"], np.int64),
        np.asarray(found["memory_key"], np.int64),
        np.asarray(found["frequency"], np.uint16),
    )
