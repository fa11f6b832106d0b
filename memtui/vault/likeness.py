"""The cosine of every vector of the vault with one query, computed once for several questions."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING

from memtui.vault.filters import MemoryFilter, where_sql
from memtui.vault.reading import VaultReader
from memtui.vault.vectors import product_parameters, product_sql

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class ScoredVectors:
    """The cosines of all current vectors of a model with a query; good for the length of one lease.

    Attributes:
        count: how many memories have a current vector.
        mean: their mean cosine.
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
