"""BM25 over the postings in the vault, by SQL, and how they are written."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from memtui.domain.kinds import Kinds
from memtui.domain.memory import Memory
from memtui.vault.bm25 import POINTS_SQL, SCORE_DIGITS, TermCounts
from memtui.vault.filters import MemoryFilter, Scope, where_sql
from memtui.vault.rows import insert_rows

if TYPE_CHECKING:
    import duckdb

_MOST_FREQUENT = 65_535


def indexed_text(memory: Memory) -> str:
    """Return the text that a memory is found by: its own texts, tags, anchors and heading paths."""
    parts = [memory.title, memory.insight, memory.rationale, memory.snippet, *memory.tags]
    parts.extend(anchor.path for anchor in memory.anchors)
    parts.extend(source.native_id for source in memory.sources if source.native_id)
    return "\n".join(parts)


def write_postings(connection: duckdb.DuckDBPyConnection, memories: Sequence[tuple[int, Memory]]) -> None:
    """Write the postings of memories whose old ones are already deleted."""
    for start in range(0, len(memories), 1_000):
        _write_chunk(connection, memories[start : start + 1_000])


def _write_chunk(connection: duckdb.DuckDBPyConnection, memories: Iterable[tuple[int, Memory]]) -> None:
    # Imported here: commands that only read and list do without the tokenizer.
    from memtui.text.tokens import term_counts, term_id

    postings: list[dict[str, object]] = []
    lengths: list[dict[str, int]] = []
    for key, memory in memories:
        counts = term_counts(indexed_text(memory))
        lengths.append({"memory_key": key, "length": sum(counts.values())})
        frequencies = [min(count, _MOST_FREQUENT) for count in counts.values()]
        postings.append({"k": key, "t": [term_id(term) for term in counts], "f": frequencies})
    connection.execute(
        "INSERT INTO postings SELECT unnest(r.t), r.k, unnest(r.f) FROM (SELECT unnest(from_json(?, ?)) AS r)",
        [json.dumps(postings), '[{"k": "BIGINT", "t": ["BIGINT"], "f": ["USMALLINT"]}]'],
    )
    insert_rows(connection, "documents", lengths)


def delete_postings(connection: duckdb.DuckDBPyConnection, keys: Sequence[int]) -> None:
    """Delete the postings of memories."""
    if not keys:
        return
    listed = ", ".join(str(int(key)) for key in keys)
    connection.execute(f"DELETE FROM postings WHERE memory_key IN ({listed})")
    connection.execute(f"DELETE FROM documents WHERE memory_key IN ({listed})")


class SqlPostings:
    """The postings of some terms, copied to a temporary table: one scan of the postings costs more than all queries."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, kinds: Kinds, terms: Sequence[str]) -> None:
        from memtui.text.tokens import term_id

        self._connection = connection
        self._kinds = kinds
        self._numbers = {term: term_id(term) for term in terms}
        self._terms = {number: term for term, number in self._numbers.items()}
        listed = ", ".join(map(str, self._terms)) or "NULL"
        connection.execute(
            "CREATE OR REPLACE TEMP TABLE matched_terms AS"
            f" SELECT term, memory_key, frequency FROM postings WHERE term IN ({listed})"
        )
        row = connection.execute("SELECT count(*), coalesce(avg(length), 0) FROM documents").fetchone()
        documents, self._mean_length = row or (0, 0.0)
        found = connection.execute("SELECT term, count(*) FROM matched_terms GROUP BY term").fetchall()
        known = {self._terms[int(number)]: int(count) for number, count in found}
        self.counts = TermCounts(int(documents), {term: known.get(term, 0) for term in terms})

    def best(
        self, rarities: Mapping[str, float], wanted: MemoryFilter, limit: int
    ) -> Iterator[tuple[int, float, dict[str, float]]]:
        """Return the best memories of a filter, see `Postings`."""
        condition, parameters = where_sql(wanted, self._kinds)
        found = self._connection.execute(
            f"WITH {self._weights_sql(rarities)}, points AS (SELECT p.memory_key, p.term, {POINTS_SQL} AS points"
            " FROM matched_terms p JOIN w USING (term) JOIN documents d USING (memory_key))"
            " SELECT p.memory_key, sum(p.points) AS score, list({'term': p.term, 'points': p.points})"
            f" FROM points p JOIN memories m ON m.key = p.memory_key WHERE {condition} GROUP BY p.memory_key"
            f" ORDER BY round(score, {SCORE_DIGITS}) DESC, p.memory_key LIMIT ?",
            [self._mean_length, *parameters, limit],
        ).fetchall()
        for key, score, parts in found:
            yield int(key), float(score), {self._terms[part["term"]]: float(part["points"]) for part in parts}

    def tally(
        self, weights: Mapping[str, float], scope: Scope, floor: float
    ) -> Iterator[tuple[str, bool, bool, bool, int]]:
        """Count the memories that hold any of the terms, see `Postings`."""
        in_scope, parameters = where_sql(MemoryFilter(scope=Scope(scope.projects), statuses=None), self._kinds)
        found = self._connection.execute(
            f"{self._mass_sql(weights)} SELECT m.status, m.project IS NULL, coalesce({in_scope}, false), mass >= ?,"
            " count(*) FROM mass JOIN memories m ON m.key = memory_key GROUP BY ALL",
            [*parameters, floor],
        ).fetchall()
        yield from found

    def barred(
        self, weights: Mapping[str, float], scope: Scope, floor: float, limit: int
    ) -> Iterator[tuple[int, float, Collection[str]]]:
        """Return the memories that recall may only withhold, see `Postings`."""
        in_scope, parameters = where_sql(MemoryFilter(scope=Scope(scope.projects), statuses=None), self._kinds)
        found = self._connection.execute(
            f"{self._mass_sql(weights)} SELECT memory_key, mass, terms FROM mass JOIN memories m ON m.key = memory_key"
            f" WHERE mass >= ? AND (m.project IS NULL OR (m.status <> 'active' AND {in_scope}))"
            f" ORDER BY m.status <> 'superseded', round(mass, {SCORE_DIGITS}) DESC, memory_key LIMIT ?",
            [floor, *parameters, limit],
        ).fetchall()
        for key, mass, terms in found:
            yield int(key), float(mass), {self._terms[term] for term in terms}

    def _mass_sql(self, weights: Mapping[str, float]) -> str:
        """Return the start of a query: per memory the sum of the weights that it matches, and its terms."""
        return (
            f"WITH {self._weights_sql(weights)}, mass AS (SELECT memory_key, sum(weight) AS mass, list(term) AS terms"
            " FROM matched_terms JOIN w USING (term) GROUP BY memory_key)"
        )

    def _weights_sql(self, weights: Mapping[str, float]) -> str:
        # As text, because DuckDB reads a plain number with a point as a decimal.
        pairs = ", ".join(f"({self._numbers[term]}, '{weight!r}'::DOUBLE)" for term, weight in weights.items())
        return f"w(term, weight) AS (VALUES {pairs})"
