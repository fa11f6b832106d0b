"""Vectors of memories, and their cosine similarity to a query. Derived data, written outside the journal."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memtui.text.normal_form import embedded_text
from memtui.vault.filters import MemoryFilter, where_sql
from memtui.vault.reader import VaultReader
from memtui.vault.rows import among, read_meta, write_meta
from memtui.vault.vault import Vault

if TYPE_CHECKING:
    import duckdb
    import numpy as np
    from numpy.typing import NDArray

_COUNTER = "vector_counter"  # Setting that grows with every write of vectors, which the change counter does not count
_DIGITS = 6  # Decimals of a stored value: an error below 1e-5 in a cosine, at two thirds of the bytes
_LISTED = 200  # Memories whose token vectors are asked for at once
ROWS_AT_ONCE = 8_192  # Vectors read per query into a matrix: 12 MB

_CURRENT = "FROM vectors v JOIN memories m ON m.key = v.memory_key AND m.content_hash = v.content_hash"


@dataclass(frozen=True, slots=True)
class Unembedded:
    """A memory without a current vector."""

    key: int
    content_hash: str  # of the text that was read
    text: str
    title: str = ""  # the title alone, which is embedded as well


@dataclass(frozen=True, slots=True)
class NewVector:
    """A vector to store: float32, of length 1, or 0 for a text that the model cannot read."""

    key: int
    content_hash: str  # of the text that was embedded
    vector: NDArray[np.float32]
    tokens: bytes = b""  # the packed vectors of its tokens; empty where the model gives none or cannot read the text


@dataclass(frozen=True, slots=True)
class VectorTable:
    """All current vectors of a model: keys, shape (n,), and float32 rows, shape (n, dimensions)."""

    keys: NDArray[np.int64]
    matrix: NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class CurrentVectors:
    """Which memories have a current vector: ascending keys, and a hash of the embedded text of each."""

    keys: NDArray[np.int64]
    marks: NDArray[np.uint64]


# -- reading ----------------------------------------------------------------------------------------


def current(reader: VaultReader, model: str) -> CurrentVectors:
    """Return which memories have a current vector of a model, by ascending key, and of which text."""
    import numpy as np

    found = reader.connection.execute(
        f"SELECT v.memory_key AS key, hash(v.content_hash) AS mark {_CURRENT} WHERE v.model = ?",
        [model],
    ).fetchnumpy()
    keys = np.asarray(found["key"], np.int64)
    order = np.argsort(keys)
    return CurrentVectors(keys[order], np.asarray(found["mark"], np.uint64)[order])


def vectors_at(reader: VaultReader, model: str, keys: NDArray[np.int64]) -> VectorTable:
    """Return the current vectors of memories with ascending keys; those without one are left out."""
    import numpy as np

    if not len(keys):
        return VectorTable(keys, np.empty((0, 0), np.float32))
    first, last = int(keys[0]), int(keys[-1])
    where = "v.model = ? AND v.memory_key BETWEEN ? AND ?"
    parameters: list[object] = [model, first, last]
    if len(keys) <= (last - first) // 2:
        chosen, listed = among("v.memory_key", keys.tolist())
        where, parameters = f"{where} AND {chosen}", [*parameters, *listed]
    connection = reader.connection
    found = connection.execute(
        f"SELECT v.memory_key AS key, len(v.vector) AS size {_CURRENT} WHERE {where} ORDER BY v.memory_key",
        parameters,
    ).fetchnumpy()
    existing = np.asarray(found["key"], np.int64)
    # Only one long column of plain floats is transferred without an object per value.
    values = connection.execute(
        f"SELECT unnest(vector) AS value FROM (SELECT v.vector {_CURRENT} WHERE {where} ORDER BY v.memory_key)",
        parameters,
    ).fetchnumpy()["value"]
    size = int(found["size"][0]) if len(existing) else 0
    table = VectorTable(existing, np.asarray(values, np.float32).reshape(len(existing), size))
    wanted = np.isin(existing, keys)
    return table if wanted.all() else VectorTable(existing[wanted], table.matrix[wanted])


def all_vectors(reader: VaultReader, model: str) -> VectorTable:
    """Return every current vector of a model, by ascending key."""
    import numpy as np

    keys = current(reader, model).keys
    parts = [vectors_at(reader, model, keys[at : at + ROWS_AT_ONCE]) for at in range(0, len(keys), ROWS_AT_ONCE)]
    if not parts:
        return VectorTable(keys, np.empty((0, 0), np.float32))
    return VectorTable(keys, np.concatenate([part.matrix for part in parts]))


def vectors_of(reader: VaultReader, model: str, keys: Iterable[int]) -> VectorTable:
    """Return the current vectors of some memories, by ascending key; those without one are left out."""
    import numpy as np

    chosen, listed = among("v.memory_key", keys)
    found = reader.connection.execute(
        f"SELECT v.memory_key, v.vector {_CURRENT} WHERE v.model = ? AND {chosen} ORDER BY v.memory_key",
        [model, *listed],
    ).fetchall()
    size = len(found[0][1]) if found else 0
    rows = np.array([row[1] for row in found], np.float32).reshape(len(found), size)
    return VectorTable(np.array([row[0] for row in found], np.int64), rows)


def tokens_of(reader: VaultReader, model: str, keys: Iterable[int]) -> dict[int, bytes]:
    """Return the packed token vectors of memories with a current vector, by key; those without any are left out."""
    chosen, listed = among("memory_key", keys, few=_LISTED)
    # With a plain list and no other condition DuckDB takes the index: 5 ms against 300 at 100,000.
    found = reader.connection.execute(
        f"SELECT memory_key, model, tokens FROM vectors WHERE {chosen}", listed
    ).fetchall()
    return {int(key): bytes(tokens) for key, name, tokens in found if name == model and tokens is not None}


def counts(reader: VaultReader) -> dict[str, int]:
    """Return how many vectors of each model are stored, including stale ones."""
    found = reader.connection.execute("SELECT model, count(*) FROM vectors GROUP BY model ORDER BY model").fetchall()
    return {str(model): int(number) for model, number in found}


def count_current(reader: VaultReader, model: str) -> int:
    """Return how many memories have a current vector of a model."""
    return reader.scalar(f"SELECT count(*) {_CURRENT} WHERE v.model = ?", [model])


def count_missing(reader: VaultReader, model: str) -> int:
    """Return how many memories, of any status, have none."""
    return reader.scalar(f"SELECT count(*) FROM memories m WHERE {_LACKING}", [model])


def lacking_keys(reader: VaultReader, model: str) -> set[int]:
    """Return the internal keys of memories, of any status, that have none."""
    found = reader.connection.execute(f"SELECT m.key FROM memories m WHERE {_LACKING}", [model]).fetchall()
    return {int(key) for (key,) in found}


def missing(reader: VaultReader, model: str, *, limit: int) -> list[Unembedded]:
    """Return memories without a current vector of a model: active ones first, and of these the newest."""
    found = reader.connection.execute(
        f"SELECT m.key, m.content_hash, m.title, m.insight, m.rationale, m.snippet FROM memories m WHERE {_LACKING}"
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
    """Return a string that changes whenever vectors or memories did."""
    found = reader.connection.execute(
        "SELECT key, value FROM meta WHERE key IN ('change_counter', ?) ORDER BY key", [_COUNTER]
    ).fetchall()
    return f"{model} {found}"


class ScoredVectors:
    """The cosines of all current vectors of a model to a query. Valid while the vault is leased.

    Attributes:
        count: how many memories have a current vector.
        mean: mean cosine.
        missing: how many memories have no current vector.
    """

    def __init__(self, reader: VaultReader, model: str, query: NDArray[np.float32]) -> None:
        self._reader = reader
        # A temporary table, because the scan of the vectors costs more than all queries that follow. The products
        # are computed before the join, which would carry every vector along: 23 ms against 52 at 11,637.
        reader.connection.execute(
            "CREATE OR REPLACE TEMP TABLE scored_vectors AS SELECT m.key, s.cosine FROM (SELECT memory_key,"
            " content_hash, list_inner_product(vector, from_json(?, '[\"FLOAT\"]')) AS cosine"
            f" FROM vectors WHERE model = ? AND len(vector) = {len(query):d}) s"
            " JOIN memories m ON m.key = s.memory_key AND m.content_hash = s.content_hash",
            [json.dumps([float(value) for value in query]), model],
        )
        row = reader.connection.execute(
            "SELECT count(*), coalesce(avg(cosine), 0), (SELECT count(*) FROM memories) FROM scored_vectors"
        ).fetchone()
        count, mean, memories = row or (0, 0.0, 0)
        self.count = int(count)
        self.mean = float(mean)
        self.missing = max(0, int(memories) - self.count)

    def nearest(self, wanted: MemoryFilter, limit: int) -> dict[int, float]:
        """Return the cosine per key of the nearest memories of a filter, the nearest first; ties break by key."""
        condition, parameters = where_sql(wanted, self._reader.kinds)
        return self._cosines(f"{condition} ORDER BY s.cosine DESC, s.key LIMIT ?", [*parameters, limit])

    def of(self, keys: Iterable[int]) -> dict[int, float]:
        return self._cosines(*among("s.key", keys))

    def _cosines(self, condition: str, parameters: Sequence[object]) -> dict[int, float]:
        found = self._reader.connection.execute(
            f"SELECT s.key, s.cosine FROM scored_vectors s JOIN memories m ON m.key = s.key WHERE {condition}",
            parameters,
        ).fetchall()
        return {int(key): float(cosine) for key, cosine in found}


# -- writing --------------------------------------------------------------------------------------


def store(vault: Vault, model: str, vectors: Sequence[NewVector]) -> int:
    """Store vectors in place of older ones of the same model and memories; returns their number.

    A memory that was edited or purged since its text was read gets none. Neither the journal nor the change counter
    records it, because nothing that people see has changed.
    """
    if not vectors or not vault.exists:
        return 0
    rows = json.dumps(
        [
            {
                "k": each.key,
                "h": each.content_hash,
                "v": [round(float(value), _DIGITS) for value in each.vector],
                "t": b64encode(each.tokens).decode() or None,
            }
            for each in vectors
        ]
    )
    with vault.transaction() as connection:
        chosen, keys = among("memory_key", [each.key for each in vectors])
        connection.execute(f"DELETE FROM vectors WHERE model = ? AND {chosen}", [model, *keys])
        row = connection.execute(
            "INSERT INTO vectors SELECT r.k, ?, r.h, r.v, from_base64(r.t) FROM (SELECT unnest(from_json(?, ?)) AS r)"
            " JOIN memories m ON m.key = r.k AND m.content_hash = r.h",
            [model, rows, '[{"k": "BIGINT", "h": "VARCHAR", "v": ["FLOAT"], "t": "VARCHAR"}]'],
        ).fetchone()
        _count_up(connection)
    return int(row[0]) if row else 0


def drop_others(vault: Vault, model: str) -> int:
    """Delete the vectors of every other model, and those of deleted memories; returns their number."""
    if not vault.exists:
        return 0
    with vault.transaction() as connection:
        row = connection.execute(
            "DELETE FROM vectors WHERE model <> ? OR memory_key NOT IN (SELECT key FROM memories)", [model]
        ).fetchone()
        _count_up(connection)
    return int(row[0]) if row else 0


def _count_up(connection: duckdb.DuckDBPyConnection) -> None:
    write_meta(connection, _COUNTER, str(int(read_meta(connection, _COUNTER) or 0) + 1))
