"""Read an open vault: memories, windows of ids, links, signals, counts."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal

from memtui.domain.kinds import Kinds
from memtui.domain.memory import AnchorState, Link, Memory, Signal, Tombstone, Verdict
from memtui.errors import AmbiguousIdError, NotFoundError
from memtui.text.sanitize import without_surrogates
from memtui.vault import rows
from memtui.vault.filters import MemoryFilter, order_sql, where_sql
from memtui.vault.half_lives import stored_half_lives
from memtui.vault.schema import read_meta
from memtui.vault.search.postings_sql import LexicalHit, search_postings
from memtui.vault.sql_in import FEW_WIDE, among

if TYPE_CHECKING:
    import duckdb

_AMBIGUOUS_SHOWN = 5


@dataclass(frozen=True, slots=True)
class SourceState:
    """What a source said of a memory when it was last imported."""

    memory_id: str
    path: str
    native_id: str
    seen_hash: str


class VaultReader:
    """A consistent view of the vault for the length of one lease.

    Attributes:
        kinds: the kinds in force, for freshness.
    """

    def __init__(self, connection: duckdb.DuckDBPyConnection, kinds: Kinds) -> None:
        self._connection = connection
        self.kinds = kinds

    # -- memories ---------------------------------------------------------------------------------

    def resolve(self, prefix: str) -> str:
        """Return the full id for an id or an unambiguous prefix of one.

        Raises:
            NotFoundError: no memory has that id.
            AmbiguousIdError: several do.
        """
        # Bytes of a terminal that are no UTF-8 arrive as lone surrogates, which no database takes.
        cleaned = without_surrogates(prefix.strip())
        found = self._connection.execute(
            "SELECT id, title FROM memories WHERE id = ? OR (starts_with(id, ?) AND ? <> '')"
            " ORDER BY id <> ?, id LIMIT 9",
            [cleaned, cleaned, cleaned, cleaned],
        ).fetchall()
        if not found and cleaned != cleaned.lower():
            return self.resolve(cleaned.lower())
        if not found:
            raise NotFoundError(
                "No memory has this id", where=cleaned or "(empty)", remedy="`memtui list --status any` shows the ids."
            )
        if found[0][0] == cleaned or len(found) == 1:
            return str(found[0][0])
        names = ", ".join(f"{identifier} ({title[:40]})" for identifier, title in found[:_AMBIGUOUS_SHOWN])
        raise AmbiguousIdError("Several memories have ids that start so", where=cleaned, remedy=f"They are {names}.")

    def get(self, identifier: str) -> Memory:
        """Return the memory with exactly this id.

        Raises:
            NotFoundError: there is none.
        """
        found = self.get_many([identifier])
        if not found:
            raise NotFoundError("No memory has this id", where=identifier)
        return found[identifier]

    def get_many(self, identifiers: Iterable[str]) -> dict[str, Memory]:
        """Return the memories with these ids, missing ones left out."""
        wanted = list(identifiers)
        return {memory.id: memory for _, memory in self._select_in("id", "VARCHAR", wanted)}

    def get_by_keys(self, keys: Iterable[int]) -> dict[int, Memory]:
        """Return the memories with these internal keys, missing ones left out."""
        return dict(self._select_in("key", "BIGINT", list(keys)))

    def keyed(self, identifiers: Iterable[str]) -> dict[str, tuple[int, Memory]]:
        """Return internal key and memory for these ids, missing ones left out."""
        return {memory.id: (key, memory) for key, memory in self._select_in("id", "VARCHAR", list(identifiers))}

    def _select_in(
        self, column: str, kind: Literal["VARCHAR", "BIGINT"], values: Sequence[str] | Sequence[int]
    ) -> list[tuple[int, Memory]]:
        if not values:
            return []
        condition, parameters = among(f"m.{column}", values, kind, few=FEW_WIDE)
        found = self._connection.execute(
            f"SELECT {rows.MEMORY_SELECT} FROM memories m WHERE {condition}",  # noqa: S608 - names are ours
            parameters,
        ).fetchall()
        return [rows.memory_from_row(row) for row in found]

    def select(
        self, wanted: MemoryFilter, *, sort: str, now: datetime, limit: int | None = None, offset: int = 0
    ) -> list[Memory]:
        """Return the memories of a filter in order."""
        condition, parameters = where_sql(wanted, self.kinds)
        window = "" if limit is None else f" LIMIT {int(limit)} OFFSET {int(offset)}"
        found = self._connection.execute(
            f"SELECT {rows.MEMORY_SELECT} FROM memories m WHERE {condition}"  # noqa: S608 - built from our own pieces
            f" ORDER BY {order_sql(sort, self.kinds, now, wanted.threshold)}{window}",
            parameters,
        ).fetchall()
        return [rows.memory_from_row(row)[1] for row in found]

    def select_ids(self, wanted: MemoryFilter, *, sort: str, now: datetime) -> list[str]:
        """Return the ids of a filter in order: the whole list, cheap enough at 100,000 for a window over it."""
        condition, parameters = where_sql(wanted, self.kinds)
        order = order_sql(sort, self.kinds, now, wanted.threshold)
        found = self._connection.execute(
            f"SELECT m.id FROM memories m WHERE {condition} ORDER BY {order}",  # noqa: S608 - as above
            parameters,
        ).fetchall()
        return [str(row[0]) for row in found]

    def select_versions(self, wanted: MemoryFilter, *, sort: str, now: datetime) -> dict[str, int]:
        """Return the ids of a filter in order, each with its version, which tells what moved since an earlier look."""
        condition, parameters = where_sql(wanted, self.kinds)
        order = order_sql(sort, self.kinds, now, wanted.threshold)
        found = self._connection.execute(
            f"SELECT m.id, m.version FROM memories m WHERE {condition} ORDER BY {order}",  # noqa: S608 - as above
            parameters,
        ).fetchall()
        return {str(identifier): int(version) for identifier, version in found}

    def count(self, wanted: MemoryFilter) -> int:
        """Return how many memories a filter holds."""
        condition, parameters = where_sql(wanted, self.kinds)
        row = self._connection.execute(f"SELECT count(*) FROM memories m WHERE {condition}", parameters).fetchone()  # noqa: S608 - as above
        return int(row[0]) if row else 0

    def counts_by(self, column: str, wanted: MemoryFilter) -> dict[str | None, int]:
        """Return counts per project, kind or status; None stands for unassigned."""
        if column not in {"project", "kind", "status"}:
            raise ValueError(column)
        condition, parameters = where_sql(wanted, self.kinds)
        found = self._connection.execute(
            f"SELECT m.{column}, count(*) FROM memories m WHERE {condition} GROUP BY 1 ORDER BY 2 DESC, 1",  # noqa: S608 - as above
            parameters,
        ).fetchall()
        return {name: int(number) for name, number in found}

    def search(self, query: str, wanted: MemoryFilter, *, limit: int) -> list[LexicalHit]:
        """Return the best memories of a filter for a query by BM25."""
        condition, parameters = where_sql(wanted, self.kinds)
        return search_postings(self._connection, query, where=condition, parameters=parameters, limit=limit)

    def anchored(self, wanted: MemoryFilter) -> list[tuple[int, str]]:
        """Return (internal key, anchor path) for every anchor of a filter's memories."""
        condition, parameters = where_sql(wanted, self.kinds)
        found = self._connection.execute(
            "SELECT key, anchor.path FROM (SELECT m.key, unnest(m.anchors) AS anchor FROM memories m"  # noqa: S608 - as above
            f" WHERE len(m.anchors) > 0 AND {condition})",
            parameters,
        ).fetchall()
        return [(int(key), str(path)) for key, path in found]

    def ids_by_content(self, hashes: Iterable[str]) -> dict[str, list[tuple[str, str | None]]]:
        """Return, per content hash, the (id, project) of the memories that hold that content."""
        condition, parameters = among("content_hash", list(hashes))
        found = self._connection.execute(
            f"SELECT content_hash, id, project FROM memories WHERE {condition} ORDER BY key",  # noqa: S608 - as above
            parameters,
        ).fetchall()
        result: dict[str, list[tuple[str, str | None]]] = {}
        for content, identifier, project in found:
            result.setdefault(content, []).append((identifier, project))
        return result

    def ids_by_source_content(self, hashes: Iterable[str]) -> dict[str, list[tuple[str, str | None]]]:
        """Return, per content hash, the (id, project) of the memories of which a source stated that content."""
        found = self._connection.execute(
            "SELECT source.imported_hash, id, project FROM (SELECT key, id, project, unnest(sources) AS source"
            " FROM memories WHERE len(sources) > 0)"
            " WHERE source.imported_hash IN (SELECT unnest(from_json(?, '[\"VARCHAR\"]'))) ORDER BY key",
            [json.dumps(list(hashes))],
        ).fetchall()
        result: dict[str, list[tuple[str, str | None]]] = {}
        for content, identifier, project in found:
            result.setdefault(content, []).append((identifier, project))
        return result

    def moved_out_of(self, project: str | None, identifiers: Iterable[str]) -> set[str]:
        """Return those of these ids whose memory once belonged to a project and now does not, by the journal."""
        found = self._connection.execute(
            "SELECT DISTINCT r.entity_key FROM revisions r JOIN memories m ON m.id = r.entity_key"
            " WHERE r.entity = 'memory' AND r.entity_key IN (SELECT unnest(from_json(?, '[\"VARCHAR\"]')))"
            " AND r.before IS NOT NULL AND json_extract_string(r.before, '$.project') IS NOT DISTINCT FROM ?"
            " AND m.project IS DISTINCT FROM ?",
            [json.dumps(list(identifiers)), project, project],
        ).fetchall()
        return {str(row[0]) for row in found}

    def ids_gone(self) -> set[str]:
        """Return the ids of memories that the vault once held and does not any more: undone, or purged."""
        found = self._connection.execute(
            "SELECT entity_key FROM revisions WHERE entity = 'memory' UNION SELECT memory_id FROM tombstones"
            " EXCEPT SELECT id FROM memories"
        ).fetchall()
        return {str(row[0]) for row in found}

    def ids_in_journal(self, identifiers: Iterable[str]) -> set[str]:
        """Return those of these ids of which the journal tells, though the memory may be gone."""
        condition, parameters = among("entity_key", list(identifiers))
        found = self._connection.execute(
            f"SELECT DISTINCT entity_key FROM revisions WHERE entity = 'memory' AND {condition}",  # noqa: S608 - as above
            parameters,
        ).fetchall()
        return {str(row[0]) for row in found}

    # -- what hangs on memories -------------------------------------------------------------------

    def links(self, identifiers: Iterable[str] | None = None) -> list[Link]:
        """Return links that touch these memories, or all."""
        found = self._about("links", ("from_id", "to_id"), identifiers, "created_at, from_id, type, to_id")
        return [rows.link_from_row(row) for row in found]

    def verdicts(self, identifiers: Iterable[str] | None = None) -> list[Verdict]:
        """Return verdicts on these memories, or all, oldest first."""
        return [
            rows.verdict_from_row(row)
            for row in self._about("verdicts", ("memory_id",), identifiers, "made_at, memory_id, verdict")
        ]

    def signals(self, identifiers: Iterable[str] | None = None) -> list[Signal]:
        """Return signals of these memories, or all, oldest first."""
        return [
            rows.signal_from_row(row)
            for row in self._about("signals", ("memory_id",), identifiers, "made_at, memory_id, signal")
        ]

    def tombstones(self) -> list[Tombstone]:
        """Return every tombstone, oldest first."""
        found = self._about("tombstones", (), None, "made_at, content_hash, memory_id")
        return [rows.tombstone_from_row(row) for row in found]

    def source_states(self, identifiers: Iterable[str] | None = None) -> list[SourceState]:
        """Return what the sources said of these memories, or of all, at the last import."""
        found = self._about("source_states", ("memory_id",), identifiers, "memory_id, path, native_id")
        return [SourceState(*row[:4]) for row in found]

    def anchor_states(self, identifiers: Iterable[str]) -> dict[tuple[str, str], AnchorState]:
        """Return the last known state per (memory id, anchor path)."""
        found = self._about("anchor_states", ("memory_id",), identifiers, "memory_id, path")
        return {(row[0], row[1]): row[2] for row in found}

    def _about(
        self, table: str, columns: Sequence[str], identifiers: Iterable[str] | None, order: str
    ) -> list[tuple[Any, ...]]:
        names = ", ".join(rows.COLUMNS[table])
        if identifiers is None or not columns:
            return self._connection.execute(f"SELECT {names} FROM {table} ORDER BY {order}").fetchall()  # noqa: S608 - names are ours
        wanted = list(identifiers)
        conditions, parameters = zip(*(among(column, wanted) for column in columns), strict=True)
        return self._connection.execute(
            f"SELECT {names} FROM {table} WHERE {' OR '.join(conditions)} ORDER BY {order}",  # noqa: S608 - names are ours
            [value for given in parameters for value in given],
        ).fetchall()

    # -- the vault itself -------------------------------------------------------------------------

    def change_counter(self) -> int:
        """Return a number that grows with every committed write."""
        return int(read_meta(self._connection, "change_counter") or 0)

    def half_lives(self) -> dict[str, float]:
        """Return the half-lives in days that were applied to kinds in this vault."""
        return stored_half_lives(self._connection)

    def meta(self, key: str) -> str | None:
        """Return a setting stored in the vault."""
        return read_meta(self._connection, key)
