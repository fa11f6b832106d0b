"""Vectors of memories, and their cosine similarity with a query. Derived data, written outside the journal."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memtui.text.normal_form import embedded_text
from memtui.vault.filters import MemoryFilter, where_sql
from memtui.vault.reader import VaultReader
from memtui.vault.schema import read_meta, write_meta
from memtui.vault.vault import Vault

if TYPE_CHECKING:
    import duckdb
    import numpy as np
    from numpy.typing import NDArray

_COUNTER = "vector_counter"
"""Setting of the vault that grows with every write of vectors; the change counter does not move for them."""

_DIGITS = 6
"""Decimals of a stored value: an error below 1e-5 in a cosine, at two thirds of the bytes."""

ROWS_AT_ONCE = 8_192
"""Vectors read per query into a matrix: 12 MB."""

_CURRENT = "FROM vectors v JOIN memories m ON m.key = v.memory_key AND m.content_hash = v.content_hash"


@dataclass(frozen=True, slots=True)
class Unembedded:
    """A memory without a current vector.

    Attributes:
        content_hash: of the text that was read.
        title: the title alone, which is embedded besides.
    """

    key: int
    content_hash: str
    text: str
    title: str = ""


@dataclass(frozen=True, slots=True)
class NewVector:
    """A vector to store.

    Attributes:
        key: the memory's internal key.
        content_hash: of the text that was embedded.
        vector: float32, of length 1, or 0 for a text that the model cannot read.
    """

    key: int
    content_hash: str
    vector: NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class VectorTable:
    """All current vectors of a model: keys, shape (n,), and float32 rows, shape (n, dimensions)."""

    keys: NDArray[np.int64]
    matrix: NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class CurrentVectors:
    """Which memories have a current vector: ascending keys, and a number that stands for the embedded text of each."""

    keys: NDArray[np.int64]
    marks: NDArray[np.uint64]


@dataclass(frozen=True, slots=True)
class Background:
    """How the cosines of many memories to one query are spread."""

    count: int
    mean: float
    deviation: float


# -- questions ------------------------------------------------------------------------------------


def nearest(
    reader: VaultReader, model: str, query: NDArray[np.float32], wanted: MemoryFilter, *, limit: int
) -> list[tuple[int, float]]:
    """Return (internal key, cosine) of the memories of a filter nearest to a query, best first; ties break by key."""
    scored, parameters = _scored(reader, model, query, wanted)
    found = reader._connection.execute(  # noqa: SLF001 - the same package
        f"{scored} ORDER BY s.cosine DESC, s.memory_key LIMIT ?", [*parameters, limit]
    ).fetchall()
    return [(int(key), float(cosine)) for key, cosine in found]


def background(reader: VaultReader, model: str, query: NDArray[np.float32], wanted: MemoryFilter) -> Background:
    """Return how the cosines of a filter's memories to a query are spread."""
    scored, parameters = _scored(reader, model, query, wanted)
    row = reader._connection.execute(  # noqa: SLF001 - as above
        f"SELECT count(*), coalesce(avg(cosine), 0), coalesce(stddev_pop(cosine), 0) FROM ({scored})",  # noqa: S608 - built from our own pieces
        parameters,
    ).fetchone()
    count, mean, deviation = row or (0, 0.0, 0.0)
    return Background(int(count), float(mean), float(deviation))


def cosines(reader: VaultReader, model: str, query: NDArray[np.float32], keys: Iterable[int]) -> dict[int, float]:
    """Return the cosine of each of these memories to a query, those without a current vector left out."""
    scored, parameters = _scored(reader, model, query, MemoryFilter(statuses=None))
    found = reader._connection.execute(  # noqa: SLF001 - as above
        f"{scored} AND s.memory_key IN (SELECT unnest(from_json(?, '[\"BIGINT\"]')))",
        [*parameters, json.dumps([int(key) for key in keys])],
    ).fetchall()
    return {int(key): float(cosine) for key, cosine in found}


def _scored(
    reader: VaultReader, model: str, query: NDArray[np.float32], wanted: MemoryFilter
) -> tuple[str, list[object]]:
    """Return a query for (memory_key, cosine), both of `s`, and its parameters.

    The products are made before the join, which would carry every vector along: 23 ms against 52 at 11,637.
    """
    condition, parameters = where_sql(wanted, reader.kinds)
    statement = (
        f"SELECT s.memory_key, s.cosine FROM ({product_sql(len(query))}) s"  # noqa: S608 - our own pieces
        f" JOIN memories m ON m.key = s.memory_key AND m.content_hash = s.content_hash WHERE {condition}"
    )
    return statement, [*product_parameters(query, model), *parameters]


def product_sql(size: int) -> str:
    """Return SQL for memory_key, content_hash and cosine of the vectors of a model that have a query's length."""
    return (
        "SELECT memory_key, content_hash, list_inner_product(vector, from_json(?, '[\"FLOAT\"]')) AS cosine"  # noqa: S608 - an integer
        f" FROM vectors WHERE model = ? AND len(vector) = {size:d}"
    )


def product_parameters(query: NDArray[np.float32], model: str) -> list[object]:
    """Return the parameters of `product_sql`."""
    return [json.dumps([float(value) for value in query]), model]


def current(reader: VaultReader, model: str) -> CurrentVectors:
    """Return which memories have a current vector of a model, by ascending key, and of which text."""
    import numpy as np

    found = reader._connection.execute(  # noqa: SLF001 - as above
        f"SELECT v.memory_key AS key, hash(v.content_hash) AS mark {_CURRENT} WHERE v.model = ?",
        [model],
    ).fetchnumpy()
    keys = np.asarray(found["key"], np.int64)
    order = np.argsort(keys)
    return CurrentVectors(keys[order], np.asarray(found["mark"], np.uint64)[order])


def vectors_at(reader: VaultReader, model: str, keys: NDArray[np.int64]) -> VectorTable:
    """Return the current vectors of memories with ascending keys; those that have none any more are left out."""
    import numpy as np

    if not len(keys):
        return VectorTable(keys, np.empty((0, 0), np.float32))
    first, last = int(keys[0]), int(keys[-1])
    where, parameters = "v.model = ? AND v.memory_key BETWEEN ? AND ?", [model, first, last]
    if len(keys) <= (last - first) // 2:
        where += " AND v.memory_key IN (SELECT unnest(from_json(?, '[\"BIGINT\"]')))"
        parameters.append(json.dumps(keys.tolist()))
    connection = reader._connection  # noqa: SLF001 - as above
    found = connection.execute(
        f"SELECT v.memory_key AS key, len(v.vector) AS size {_CURRENT} WHERE {where} ORDER BY v.memory_key",
        parameters,
    ).fetchnumpy()
    there = np.asarray(found["key"], np.int64)
    # One long column of plain floats is the only form that arrives without an object per value.
    values = connection.execute(
        f"SELECT unnest(vector) AS value FROM (SELECT v.vector {_CURRENT} WHERE {where} ORDER BY v.memory_key)",  # noqa: S608 - as above
        parameters,
    ).fetchnumpy()["value"]
    size = int(found["size"][0]) if len(there) else 0
    table = VectorTable(there, np.asarray(values, np.float32).reshape(len(there), size))
    wanted = np.isin(there, keys)
    return table if wanted.all() else VectorTable(there[wanted], table.matrix[wanted])


def all_vectors(reader: VaultReader, model: str) -> VectorTable:
    """Return every current vector of a model, by ascending key."""
    import numpy as np

    keys = current(reader, model).keys
    parts = [vectors_at(reader, model, keys[at : at + ROWS_AT_ONCE]) for at in range(0, len(keys), ROWS_AT_ONCE)]
    if not parts:
        return VectorTable(keys, np.empty((0, 0), np.float32))
    return VectorTable(keys, np.concatenate([part.matrix for part in parts]))


def vectors_of(reader: VaultReader, model: str, keys: Iterable[int]) -> VectorTable:
    """Return the current vectors of some memories, by ascending key; those that have none are left out."""
    import numpy as np

    found = reader._connection.execute(  # noqa: SLF001 - as above
        f"SELECT v.memory_key, v.vector {_CURRENT} WHERE v.model = ?"
        " AND v.memory_key IN (SELECT unnest(from_json(?, '[\"BIGINT\"]'))) ORDER BY v.memory_key",
        [model, json.dumps([int(key) for key in keys])],
    ).fetchall()
    size = len(found[0][1]) if found else 0
    rows = np.array([row[1] for row in found], np.float32).reshape(len(found), size)
    return VectorTable(np.array([row[0] for row in found], np.int64), rows)


def counts(reader: VaultReader) -> dict[str, int]:
    """Return how many vectors of each model are stored, stale ones among them."""
    found = reader._connection.execute(  # noqa: SLF001 - as above
        "SELECT model, count(*) FROM vectors GROUP BY model ORDER BY model"
    ).fetchall()
    return {str(model): int(number) for model, number in found}


def count_current(reader: VaultReader, model: str) -> int:
    """Return how many memories have a current vector of a model."""
    query = f"SELECT count(*) {_CURRENT} WHERE v.model = ?"
    row = reader._connection.execute(query, [model]).fetchone()  # noqa: SLF001 - as above
    return int(row[0]) if row else 0


def count_missing(reader: VaultReader, model: str) -> int:
    """Return how many memories, of any status, have none."""
    query = f"SELECT count(*) FROM memories m WHERE {_LACKING}"  # noqa: S608 - our own pieces
    row = reader._connection.execute(query, [model]).fetchone()  # noqa: SLF001 - as above
    return int(row[0]) if row else 0


def missing(reader: VaultReader, model: str, *, limit: int) -> list[Unembedded]:
    """Return memories without a current vector of a model: active ones first, and of these the newest."""
    found = reader._connection.execute(  # noqa: SLF001 - as above
        f"SELECT m.key, m.content_hash, m.title, m.insight, m.rationale, m.snippet FROM memories m WHERE {_LACKING}"  # noqa: S608 - our own pieces
        " ORDER BY m.status <> 'active', m.key DESC LIMIT ?",
        [model, limit],
    ).fetchall()
    return [
        Unembedded(int(key), str(content), embedded_text(title, *texts), embedded_text(title, "", "", ""))
        for key, content, title, *texts in found
    ]


_LACKING = (
    "NOT EXISTS (SELECT 1 FROM vectors v"
    " WHERE v.model = ? AND v.memory_key = m.key AND v.content_hash = m.content_hash)"
)


def stamp(reader: VaultReader, model: str) -> str:
    """Return a word that changes whenever vectors or memories did."""
    found = reader._connection.execute(  # noqa: SLF001 - as above
        "SELECT key, value FROM meta WHERE key IN ('change_counter', ?) ORDER BY key", [_COUNTER]
    ).fetchall()
    return f"{model} {found}"


# -- writing --------------------------------------------------------------------------------------


def store(vault: Vault, model: str, vectors: Sequence[NewVector]) -> int:
    """Store vectors in place of older ones of the same model and memories; returns how many were.

    A memory that was edited or purged since its text was read gets none. No change is journaled and the change
    counter stands still, since nothing that a person sees moved.
    """
    if not vectors or not vault.exists:
        return 0
    rows = json.dumps(
        [
            {"k": each.key, "h": each.content_hash, "v": [round(float(value), _DIGITS) for value in each.vector]}
            for each in vectors
        ]
    )
    with vault.transaction() as connection:
        _delete(connection, model, [each.key for each in vectors])
        row = connection.execute(
            "INSERT INTO vectors SELECT r.k, ?, r.h, r.v FROM (SELECT unnest(from_json(?, ?)) AS r)"
            " JOIN memories m ON m.key = r.k AND m.content_hash = r.h",
            [model, rows, '[{"k": "BIGINT", "h": "VARCHAR", "v": ["FLOAT"]}]'],
        ).fetchone()
        _count_up(connection)
    return int(row[0]) if row else 0


def drop_others(vault: Vault, model: str) -> int:
    """Delete the vectors of every other model, and those of memories that are gone; returns how many."""
    if not vault.exists:
        return 0
    with vault.transaction() as connection:
        row = connection.execute(
            "DELETE FROM vectors WHERE model <> ? OR memory_key NOT IN (SELECT key FROM memories)", [model]
        ).fetchone()
        _count_up(connection)
    return int(row[0]) if row else 0


def _delete(connection: duckdb.DuckDBPyConnection, model: str, keys: Sequence[int]) -> None:
    connection.execute(
        "DELETE FROM vectors WHERE model = ? AND memory_key IN (SELECT unnest(from_json(?, '[\"BIGINT\"]')))",
        [model, json.dumps(list(keys))],
    )


def _count_up(connection: duckdb.DuckDBPyConnection) -> None:
    write_meta(connection, _COUNTER, str(int(read_meta(connection, _COUNTER) or 0) + 1))


class ScoredVectors:
    """The cosines of all current vectors of a model with a query; good for the length of one lease.

    Attributes:
        count: how many memories have a current vector.
        missing: how many memories have none.
    """

    def __init__(self, reader: VaultReader, model: str, query: NDArray[np.float32]) -> None:
        self._reader = reader
        self._connection = reader._connection  # noqa: SLF001 - the same package
        # A temporary table, because the scan of the vectors costs more than all that follows.
        self._connection.execute(
            f"CREATE OR REPLACE TEMP TABLE scored_vectors AS SELECT m.key, s.cosine FROM ({product_sql(len(query))}) s"  # noqa: S608 - our own pieces
            " JOIN memories m ON m.key = s.memory_key AND m.content_hash = s.content_hash",
            product_parameters(query, model),
        )
        row = self._connection.execute(
            "SELECT count(*), coalesce(avg(cosine), 0), (SELECT count(*) FROM memories) FROM scored_vectors"
        ).fetchone()
        count, mean, memories = row or (0, 0.0, 0)
        self.count = int(count)
        self.mean = float(mean)
        self.missing = max(0, int(memories) - self.count)

    def nearest(self, wanted: MemoryFilter, limit: int) -> dict[int, float]:
        """Return the cosine per key of the nearest memories of a filter, the nearest first."""
        condition, parameters = where_sql(wanted, self._reader.kinds)
        found = self._connection.execute(
            f"SELECT s.key, s.cosine FROM scored_vectors s JOIN memories m ON m.key = s.key WHERE {condition}"  # noqa: S608 - built from our own pieces
            " ORDER BY s.cosine DESC, s.key LIMIT ?",
            [*parameters, limit],
        ).fetchall()
        return {int(key): float(cosine) for key, cosine in found}

    def of(self, keys: Collection[int]) -> dict[int, float]:
        """Return the cosine of each of these memories that has a vector."""
        found = self._connection.execute(
            "SELECT key, cosine FROM scored_vectors WHERE key IN (SELECT unnest(from_json(?, '[\"BIGINT\"]')))",
            [json.dumps([int(key) for key in keys])],
        ).fetchall()
        return {int(key): float(cosine) for key, cosine in found}


def keys_within(reader: VaultReader, wanted: MemoryFilter, keys: Iterable[int]) -> set[int]:
    """Return those of these internal keys whose memories a filter holds."""
    condition, parameters = where_sql(wanted, reader.kinds)
    found = reader._connection.execute(  # noqa: SLF001 - the same package
        f"SELECT m.key FROM memories m WHERE m.key IN (SELECT unnest(from_json(?, '[\"BIGINT\"]'))) AND {condition}",  # noqa: S608 - as above
        [json.dumps([int(key) for key in keys]), *parameters],
    ).fetchall()
    return {int(row[0]) for row in found}


def count_memories(reader: VaultReader) -> int:
    """Return how many memories there are, of any status."""
    row = reader._connection.execute("SELECT count(*) FROM memories").fetchone()  # noqa: SLF001 - the same package
    return int(row[0]) if row else 0
