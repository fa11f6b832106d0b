"""Postings held in memory by a process that searches more than once."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from memtui.domain.memory import STATUSES
from memtui.vault.filters import MemoryFilter, Scope
from memtui.vault.reader import VaultReader
from memtui.vault.search.read_cache import Held

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_KEY_AMONG = "{} IN (SELECT unnest(from_json(?, '[\"BIGINT\"]')))"


@dataclass(frozen=True, slots=True)
class PostingColumns:
    """Postings in any order: term numbers, internal keys and frequencies, each shape (n,)."""

    terms: NDArray[np.int64]
    keys: NDArray[np.int64]
    frequencies: NDArray[np.uint16]


@dataclass(frozen=True, slots=True)
class MemoryColumns:
    """What a search asks of memories beside their texts, one row per memory.

    Attributes:
        keys: internal keys, ascending as they are read.
        projects: places in `project_names`, -1 for unassigned ones.
        lengths: how many terms each memory holds.
        documents: how many memories have postings.
        mean_length: how many terms they hold on average.
    """

    keys: NDArray[np.int64]
    versions: NDArray[np.int32]
    statuses: NDArray[np.int8]
    projects: NDArray[np.int32]
    lengths: NDArray[np.int32]
    project_names: tuple[str, ...]
    documents: int
    mean_length: float
    status_names: tuple[str, ...] = STATUSES

    def within(self, scope: Scope) -> NDArray[np.bool_]:
        """Return which rows are of the projects in view."""
        import numpy as np

        if scope.projects is None:
            return np.ones(len(self.keys), np.bool_)
        codes = [place for place, name in enumerate(self.project_names) if name in scope.projects]
        if scope.with_unassigned:
            codes.append(-1)
        return np.isin(self.projects, codes)

    def of_status(self, wanted: MemoryFilter) -> NDArray[np.bool_]:
        """Return which rows have a status that a filter asks for."""
        import numpy as np

        if wanted.statuses is None:
            return np.ones(len(self.keys), np.bool_)
        return np.isin(self.statuses, [self.status_names.index(status) for status in wanted.statuses])

    def moved_to(self, places: NDArray[np.int64], count: int) -> MemoryColumns:
        """Return the columns with each row at another place of so many; what is left free is not to be looked at."""
        import numpy as np

        def moved(column: NDArray[np.generic]) -> NDArray[np.generic]:
            wider = np.zeros(count, column.dtype)
            wider[places] = column
            return wider

        columns = {name: moved(getattr(self, name)) for name in ("keys", "versions", "statuses", "projects", "lengths")}
        return MemoryColumns(
            **columns,  # type: ignore[arg-type] # each keeps the kind of its column
            project_names=self.project_names,
            documents=self.documents,
            mean_length=self.mean_length,
        )


def stamp(reader: VaultReader) -> tuple[object, ...]:
    """Return values that change whenever memories did, also when another file was put in the vault's place."""
    found = reader._connection.execute(  # noqa: SLF001 - the same package
        "SELECT (SELECT value FROM meta WHERE key = 'change_counter'), count(*), sum(version), max(updated_at)"
        " FROM memories"
    ).fetchone()
    return tuple(found or ())


def name_hashes(reader: VaultReader, keys: Sequence[int] | None = None) -> dict[str, NDArray[np.generic]]:
    """Return `key` and what stands for `id` and `title` in lower case, of all memories or of some, in any order."""
    condition, parameters = ("true", []) if keys is None else (_KEY_AMONG.format("key"), [json.dumps(list(keys))])
    found: dict[str, NDArray[np.generic]] = reader._connection.execute(  # noqa: SLF001 - as above
        f"SELECT key, hash(lower(id)) AS id, hash(lower(title)) AS title FROM memories WHERE {condition}",  # noqa: S608 - as above
        parameters,
    ).fetchnumpy()
    return found


def name_hash(reader: VaultReader, name: str) -> int:
    """Return what stands for an id or title."""
    row = reader._connection.execute("SELECT hash(lower(?))", [name]).fetchone()  # noqa: SLF001 - as above
    return int(row[0]) if row else 0


def count_postings(reader: VaultReader) -> int:
    """Return how many postings there are."""
    row = reader._connection.execute("SELECT count(*) FROM postings").fetchone()  # noqa: SLF001 - as above
    return int(row[0]) if row else 0


def memory_columns(reader: VaultReader) -> MemoryColumns:
    """Return the columns of every memory, of any status, by ascending key."""
    import numpy as np

    connection = reader._connection  # noqa: SLF001 - as above
    names = tuple(
        str(row[0])
        for row in connection.execute(
            "SELECT DISTINCT project FROM memories WHERE project IS NOT NULL ORDER BY project"
        ).fetchall()
    )
    lists = [json.dumps(list(names)), json.dumps(list(STATUSES))]
    found = connection.execute(
        "SELECT m.key, m.version,"
        " coalesce(list_position(from_json(?, '[\"VARCHAR\"]'), m.project), 0)::INTEGER - 1 AS project,"
        " list_position(from_json(?, '[\"VARCHAR\"]'), m.status)::TINYINT - 1 AS status,"
        " coalesce(d.length, -1) AS length"
        " FROM memories m LEFT JOIN documents d ON d.memory_key = m.key",
        lists,
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
    """Return the postings of the terms with numbers from one to another, both included."""
    return _columns(reader, "term BETWEEN ? AND ?", [low, high])


def postings_of(reader: VaultReader, keys: Sequence[int]) -> PostingColumns:
    """Return the postings of some memories."""
    return _columns(reader, _KEY_AMONG.format("memory_key"), [json.dumps(list(keys))])


def _columns(reader: VaultReader, condition: str, parameters: list[object]) -> PostingColumns:
    import numpy as np

    found = reader._connection.execute(  # noqa: SLF001 - as above
        f"SELECT term, memory_key, frequency FROM postings WHERE {condition}",  # noqa: S608 - built from our own pieces
        parameters,
    ).fetchnumpy()
    return PostingColumns(
        np.asarray(found["term"], np.int64),
        np.asarray(found["memory_key"], np.int64),
        np.asarray(found["frequency"], np.uint16),
    )


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
