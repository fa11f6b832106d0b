"""Read an open vault: memories, lists of ids, links, signals, counts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from memtui.domain.freshness import HIGHEST, MULTIPLIERS
from memtui.domain.kinds import Kinds
from memtui.domain.memory import AnchorState, Link, Memory, Signal, Tombstone, Verdict, loose_words
from memtui.errors import AmbiguousIdError, NotFoundError
from memtui.text.sanitize import without_surrogates
from memtui.vault import rows
from memtui.vault.filters import MemoryFilter, freshness_sql, order_sql, where_sql
from memtui.vault.rows import FEW_WIDE, among, read_meta, stored_half_lives

if TYPE_CHECKING:
    import duckdb

    from memtui.vault.bm25 import LexicalHit, Matched

_AMBIGUOUS_SHOWN = 5
INSIDE_FROM = 3  # Letters from which the beginning of a word may also stand inside of one
MOST_BEGUN = 20  # Memories that hold a half-typed word


@dataclass(frozen=True, slots=True)
class SourceState:
    """What a source said about a memory when it was last imported."""

    memory_id: str
    path: str
    native_id: str
    seen_hash: str  # of the text that it stated; empty where it states the memory no longer

    @property
    def place(self) -> tuple[str, str, str]:
        return (self.memory_id, self.path, self.native_id)


class VaultReader:
    """A consistent view of the vault for the duration of one lease.

    Attributes:
        connection: the open vault, for code within `vault/`.
        kinds: the kinds in force, for freshness.
    """

    def __init__(self, connection: duckdb.DuckDBPyConnection, kinds: Kinds) -> None:
        self.connection = connection
        self.kinds = kinds

    def scalar(self, query: str, parameters: Sequence[object] = ()) -> int:
        """Return the number that a query results in, 0 if it has no row."""
        row = self.connection.execute(query, parameters).fetchone()
        return int(row[0]) if row else 0

    def rows_of(self, columns: str, wanted: MemoryFilter, tail: str = "") -> list[tuple[Any, ...]]:
        """Return columns of the memories `m` of a filter; `tail` is the rest of the query, such as its order."""
        condition, parameters = where_sql(wanted, self.kinds)
        return self.connection.execute(
            f"SELECT {columns} FROM memories m WHERE {condition} {tail}",
            parameters,
        ).fetchall()

    # -- memories ---------------------------------------------------------------------------------

    def resolve(self, prefix: str) -> str:
        """Return the full id for an id or an unambiguous prefix of one.

        Raises:
            NotFoundError: no memory has that id.
            AmbiguousIdError: several have.
        """
        # Bytes of a terminal that are not UTF-8 arrive as lone surrogates, which no database takes.
        cleaned = without_surrogates(prefix.strip())
        found = self.connection.execute(
            "SELECT id, title FROM memories WHERE id = ? OR (starts_with(id, ?) AND ? <> '')"
            " ORDER BY id <> ?, id LIMIT 9",
            [cleaned, cleaned, cleaned, cleaned],
        ).fetchall()
        if not found and cleaned != cleaned.lower():
            return self.resolve(cleaned.lower())
        if not found:
            raise NotFoundError(
                "No memory has this id",
                where=cleaned or "(empty)",
                remedy="`memtui list --status any` lists all ids.",
            )
        if found[0][0] == cleaned or len(found) == 1:
            return str(found[0][0])
        names = ", ".join(f"{identifier} ({title[:40]})" for identifier, title in found[:_AMBIGUOUS_SHOWN])
        raise AmbiguousIdError(
            "Several memories have ids with this prefix", where=cleaned, remedy=f"Candidates: {names}."
        )

    def get(self, identifier: str) -> Memory:
        """Return the memory with exactly this id. Raises `NotFoundError`: there is none."""
        found = self.get_many([identifier])
        if not found:
            raise NotFoundError(
                "No memory has this id", where=identifier, remedy="`memtui list --status any` lists all ids."
            )
        return found[identifier]

    def get_many(self, identifiers: Iterable[str]) -> dict[str, Memory]:
        """Return the memories with these ids; missing ones are left out."""
        return {memory.id: memory for _, memory in self._select_in("id", identifiers)}

    def get_by_keys(self, keys: Iterable[int]) -> dict[int, Memory]:
        """Return the memories with these internal keys; missing ones are left out."""
        return dict(self._select_in("key", keys))

    def keyed(self, identifiers: Iterable[str]) -> dict[str, tuple[int, Memory]]:
        """Return internal key and memory for these ids; missing ones are left out."""
        return {memory.id: (key, memory) for key, memory in self._select_in("id", identifiers)}

    def _select_in(self, column: str, values: Iterable[str] | Iterable[int]) -> list[tuple[int, Memory]]:
        condition, parameters = among(f"m.{column}", values, few=FEW_WIDE)
        if not parameters:
            return []
        found = self.connection.execute(
            f"SELECT {rows.MEMORY_SELECT} FROM memories m WHERE {condition}",
            parameters,
        ).fetchall()
        return [rows.memory_from_row(row) for row in found]

    def select(self, wanted: MemoryFilter, *, sort: str, now: datetime, limit: int | None = None) -> list[Memory]:
        """Return the memories of a filter in order."""
        window = "" if limit is None else f" LIMIT {int(limit)}"
        order = order_sql(sort, self.kinds, now, wanted.threshold)
        found = self.rows_of(rows.MEMORY_SELECT, wanted, f"ORDER BY {order}{window}")
        return [rows.memory_from_row(row)[1] for row in found]

    def select_ids(self, wanted: MemoryFilter, *, sort: str, now: datetime) -> list[str]:
        """Return the ids of a filter in order: the whole list, cheap enough at 100,000 for a window over it."""
        found = self.rows_of("m.id", wanted, f"ORDER BY {order_sql(sort, self.kinds, now, wanted.threshold)}")
        return [str(row[0]) for row in found]

    def select_versions(self, wanted: MemoryFilter, *, sort: str, now: datetime) -> dict[str, int]:
        """Return the ids of a filter in order, each with its version, which tells what changed since then."""
        order = order_sql(sort, self.kinds, now, wanted.threshold)
        found = self.rows_of("m.id, m.version", wanted, f"ORDER BY {order}")
        return {str(identifier): int(version) for identifier, version in found}

    def count(self, wanted: MemoryFilter) -> int:
        """Return how many memories a filter selects."""
        return int(self.rows_of("count(*)", wanted)[0][0])

    def counts_by(self, column: str, wanted: MemoryFilter) -> dict[str | None, int]:
        """Return counts per project, kind or status; None stands for unassigned."""
        if column not in {"project", "kind", "status"}:
            raise ValueError(column)
        found = self.rows_of(f"m.{column}, count(*)", wanted, "GROUP BY 1 ORDER BY 2 DESC, 1")
        return {name: int(number) for name, number in found}

    def anchored(self, wanted: MemoryFilter) -> list[tuple[int, str]]:
        """Return (internal key, anchor path) for every anchor of a filter's memories."""
        condition, parameters = where_sql(wanted, self.kinds)
        found = self.connection.execute(
            "SELECT key, anchor.path FROM (SELECT m.key, unnest(m.anchors) AS anchor FROM memories m"
            f" WHERE len(m.anchors) > 0 AND {condition})",
            parameters,
        ).fetchall()
        return [(int(key), str(path)) for key, path in found]

    # -- search -----------------------------------------------------------------------------------

    def match(self, terms: Sequence[str]) -> Matched:
        """Return the memories that hold any of these terms, to be searched and counted."""
        # Imported here: commands that only read and list do without.
        from memtui.vault.bm25 import Matched, SqlPostings

        return Matched(SqlPostings(self.connection, self.kinds, terms))

    def search(self, query: str, wanted: MemoryFilter, *, limit: int) -> list[LexicalHit]:
        """Return the best memories of a filter for a query by BM25."""
        from memtui.text.tokens import query_terms

        return self.match(query_terms(query)).search(wanted, limit=limit)

    def keys_by_name(self, name: str, wanted: MemoryFilter) -> list[int]:
        """Return the internal keys of the memories of a filter whose id or title is exactly this, ignoring case."""
        condition, parameters = where_sql(wanted, self.kinds)
        found = self.connection.execute(
            f"SELECT m.key FROM memories m WHERE (lower(m.id) = lower(?) OR lower(m.title) = lower(?)) AND {condition}"
            " ORDER BY lower(m.id) <> lower(?), m.key LIMIT 20",
            [name, name, *parameters, name],
        ).fetchall()
        return [int(row[0]) for row in found]

    def keys_by_letters(self, parts: Sequence[str], wanted: MemoryFilter, *, limit: int = MOST_BEGUN) -> list[int]:
        """Return the internal keys of the memories of a filter whose title holds all of these beginnings of words.

        Case and accents do not count. A part of one or two letters must begin a word after a space: it stands inside of
        nearly every title.
        """
        condition, parameters = where_sql(wanted, self.kinds)
        begun = [f" {part}" if len(part) < INSIDE_FROM else part for part in parts]
        held = " AND ".join("contains(' ' || strip_accents(lower(m.title)), strip_accents(lower(?)))" for _ in begun)
        found = self.connection.execute(
            f"SELECT m.key FROM memories m WHERE {held} AND {condition} ORDER BY m.key LIMIT {limit:d}",
            [*begun, *parameters],
        ).fetchall()
        return [int(row[0]) for row in found]

    def keys_within(self, wanted: MemoryFilter, keys: Iterable[int]) -> set[int]:
        condition, parameters = where_sql(wanted, self.kinds)
        chosen, listed = among("m.key", keys)
        found = self.connection.execute(
            f"SELECT m.key FROM memories m WHERE {chosen} AND {condition}",
            [*listed, *parameters],
        ).fetchall()
        return {int(row[0]) for row in found}

    def keys_if_few(self, wanted: MemoryFilter, most: int) -> list[int]:
        """Return the internal keys of a filter, in order; none where there are more than so many."""
        found = [int(row[0]) for row in self.rows_of("m.key", wanted, f"LIMIT {most + 1}")]
        return sorted(found) if len(found) <= most else []

    def most_useful_keys(
        self,
        wanted: MemoryFilter,
        *,
        at: datetime,
        now: datetime,
        weight: float,
        limit: int,
        by_kind: Mapping[str, float] = MappingProxyType({}),
    ) -> list[int]:
        """Return the internal keys of candidates for the most useful memories of a filter, best first by age.

        The best by freshness and importance, and every memory with signals whose usefulness could lift it among
        them; usefulness itself is left to the caller.

        Args:
            at: the moment at which they must be valid.
            now: the moment at which freshness is computed.
            weight: exponent of freshness.
            limit: how many of each group.
            by_kind: factors of kinds; 1.0 for the others.
        """
        condition, parameters = where_sql(wanted, self.kinds)
        kinds = " ".join(f"WHEN {kind!r} THEN {factor!r}" for kind, factor in by_kind.items())
        of_kind = f" * CASE m.kind {kinds} ELSE 1.0 END" if kinds else ""
        steps = " ".join(f"WHEN {level} THEN {factor!r}" for level, factor in MULTIPLIERS.items())
        moment = _stored(at)
        found = self.connection.execute(
            "WITH base AS (SELECT m.key, m.id,"
            f" pow({freshness_sql(self.kinds, now)}, {weight!r})"
            f" * CASE m.importance {steps} ELSE 1.0 END{of_kind} AS worth"
            f" FROM memories m WHERE {condition} AND m.project IS NOT NULL"
            " AND (m.valid_from IS NULL OR m.valid_from <= ?) AND (m.valid_until IS NULL OR m.valid_until > ?)),"
            " best AS (SELECT key, worth FROM base ORDER BY worth DESC, key LIMIT ?),"
            " used AS (SELECT key, worth FROM base WHERE id IN (SELECT memory_id FROM signals)"
            f" AND worth >= (SELECT min(worth) FROM best) / {HIGHEST!r} ORDER BY worth DESC, key LIMIT ?)"
            " SELECT key FROM (SELECT * FROM best UNION SELECT * FROM used) ORDER BY worth DESC, key",
            [*parameters, moment, moment, limit, limit],
        ).fetchall()
        return [int(row[0]) for row in found]

    def count_outside_valid_time(self, wanted: MemoryFilter, at: datetime) -> int:
        """Return how many memories of a filter were not valid at a moment."""
        condition, parameters = where_sql(wanted, self.kinds)
        return self.scalar(
            f"SELECT count(*) FROM memories m WHERE {condition} AND (m.valid_from > ? OR m.valid_until <= ?)",
            [*parameters, _stored(at), _stored(at)],
        )

    # -- contents and history -----------------------------------------------------------------------

    def ids_by_content(self, hashes: Iterable[str]) -> dict[str, list[tuple[str, str | None]]]:
        """Return, per content hash, the (id, project) of the memories with that content."""
        condition, parameters = among("content_hash", hashes)
        return self._ids_by(f"SELECT content_hash, id, project FROM memories WHERE {condition}", parameters)

    def ids_by_words(self, insight: str, project: str | None) -> list[str]:
        """Return the ids of a project's memories whose text differs from one in nothing but white space."""
        query = (
            "SELECT id FROM memories WHERE project IS NOT DISTINCT FROM ?"
            r" AND trim(regexp_replace(insight, '[\t\n\f\r ]+', ' ', 'g'), ' ') = ? ORDER BY key"
        )
        found = self.connection.execute(query, (project, loose_words(insight)))
        return [str(identifier) for (identifier,) in found.fetchall()]

    def ids_by_source_content(self, hashes: Iterable[str]) -> dict[str, list[tuple[str, str | None]]]:
        """Return, per content hash, the (id, project) of the memories of which a source stated that content."""
        condition, parameters = among("source.imported_hash", hashes)
        return self._ids_by(
            "SELECT source.imported_hash, id, project FROM (SELECT key, id, project, unnest(sources) AS source"
            f" FROM memories WHERE len(sources) > 0) WHERE {condition}",
            parameters,
        )

    def ids_from_files(self, paths: Iterable[str]) -> set[str]:
        """Return the ids of the active memories that come from any of these files."""
        condition, parameters = among("source.path", paths)
        found = self.connection.execute(
            "SELECT id FROM (SELECT id, unnest(sources) AS source FROM memories WHERE status = 'active')"
            f" WHERE {condition}",
            parameters,
        ).fetchall()
        return {str(identifier) for (identifier,) in found}

    def _ids_by(self, query: str, parameters: Sequence[object]) -> dict[str, list[tuple[str, str | None]]]:
        found: dict[str, list[tuple[str, str | None]]] = {}
        for content, identifier, project in self.connection.execute(f"{query} ORDER BY key", parameters).fetchall():
            found.setdefault(content, []).append((identifier, project))
        return found

    def moved_out_of(self, project: str | None, identifiers: Iterable[str]) -> set[str]:
        """Return those of these ids whose memory once belonged to a project and no longer does, by the journal."""
        condition, parameters = among("r.entity_key", identifiers)
        found = self.connection.execute(
            "SELECT DISTINCT r.entity_key FROM revisions r JOIN memories m ON m.id = r.entity_key"
            f" WHERE r.entity = 'memory' AND {condition}"
            " AND r.before IS NOT NULL AND json_extract_string(r.before, '$.project') IS NOT DISTINCT FROM ?"
            " AND m.project IS DISTINCT FROM ?",
            [*parameters, project, project],
        ).fetchall()
        return {str(row[0]) for row in found}

    def ids_gone(self) -> set[str]:
        """Return the ids of memories that the vault once held and no longer does: undone, or purged."""
        found = self.connection.execute(
            "SELECT entity_key FROM revisions WHERE entity = 'memory' UNION SELECT memory_id FROM tombstones"
            " EXCEPT SELECT id FROM memories"
        ).fetchall()
        return {str(row[0]) for row in found}

    def ids_in_journal(self, identifiers: Iterable[str]) -> set[str]:
        """Return those of these ids that occur in the journal, though the memory may be gone."""
        condition, parameters = among("entity_key", identifiers)
        found = self.connection.execute(
            f"SELECT DISTINCT entity_key FROM revisions WHERE entity = 'memory' AND {condition}",
            parameters,
        ).fetchall()
        return {str(row[0]) for row in found}

    # -- links, signals, states ---------------------------------------------------------------------

    def links(self, identifiers: Iterable[str] | None = None) -> list[Link]:
        found = self._about("links", ("from_id", "to_id"), identifiers, "created_at, from_id, type, to_id")
        return [rows.thing_from_row(Link, "links", row) for row in found]

    def verdicts(self, identifiers: Iterable[str] | None = None) -> list[Verdict]:
        """Return verdicts on these memories, or all, oldest first."""
        found = self._about("verdicts", ("memory_id",), identifiers, "made_at, memory_id, verdict")
        return [rows.thing_from_row(Verdict, "verdicts", row) for row in found]

    def signals(self, identifiers: Iterable[str] | None = None) -> list[Signal]:
        """Return signals of these memories, or all, oldest first."""
        found = self._about("signals", ("memory_id",), identifiers, "made_at, memory_id, signal")
        return [rows.thing_from_row(Signal, "signals", row) for row in found]

    def tombstones(self) -> list[Tombstone]:
        """Return every tombstone, oldest first."""
        found = self._about("tombstones", (), None, "made_at, content_hash, memory_id")
        return [rows.thing_from_row(Tombstone, "tombstones", row) for row in found]

    def source_states(self, identifiers: Iterable[str] | None = None) -> list[SourceState]:
        """Return what the sources said about these memories, or all, at the last import."""
        found = self._about("source_states", ("memory_id",), identifiers, "memory_id, path, native_id")
        return [SourceState(*row[:4]) for row in found]

    def last_import(self, project: str) -> datetime | None:
        """Return when sources of a project's memories were last read, None where none was."""
        row = self.connection.execute(
            "SELECT max(s.seen_at) FROM source_states s JOIN memories m ON m.id = s.memory_id WHERE m.project = ?",
            [project],
        ).fetchone()
        return row[0].replace(tzinfo=UTC) if row and row[0] is not None else None

    def source_paths(self, project: str) -> list[str]:
        """Return the sources that memories of a project came from and that state them still, as these name them."""
        found = self.connection.execute(
            "SELECT DISTINCT s.path FROM source_states s JOIN memories m ON m.id = s.memory_id"
            " WHERE m.project = ? AND s.seen_hash <> '' ORDER BY s.path",
            [project],
        ).fetchall()
        return [str(path) for (path,) in found]

    def source_states_at(self, paths: Iterable[str]) -> list[SourceState]:
        """Return what these sources said about memories at the last import."""
        found = self._about("source_states", ("path",), paths, "memory_id, path, native_id")
        return [SourceState(*row[:4]) for row in found]

    def anchor_states(self, identifiers: Iterable[str] | None = None) -> dict[tuple[str, str], AnchorState]:
        """Return the last known state per (memory id, anchor path), of these memories or all."""
        found = self._about("anchor_states", ("memory_id",), identifiers, "memory_id, path")
        return {(row[0], row[1]): row[2] for row in found}

    def _about(
        self, table: str, columns: Sequence[str], identifiers: Iterable[str] | None, order: str
    ) -> list[tuple[Any, ...]]:
        condition, parameters = "true", list[object]()
        if identifiers is not None:
            wanted = list(identifiers)
            parts = [among(column, wanted) for column in columns]
            condition = " OR ".join(sql for sql, _ in parts)
            parameters = [value for _, values in parts for value in values]
        return self.connection.execute(
            f"SELECT {', '.join(rows.COLUMNS[table])} FROM {table} WHERE {condition} ORDER BY {order}",
            parameters,
        ).fetchall()

    # -- the vault itself -------------------------------------------------------------------------

    def change_counter(self) -> int:
        """Return a number that grows with every committed write."""
        return int(read_meta(self.connection, "change_counter") or 0)

    def half_lives(self) -> dict[str, float]:
        """Return the half-lives in days that were applied to kinds in this vault."""
        return stored_half_lives(self.connection)

    def meta(self, key: str) -> str | None:
        return read_meta(self.connection, key)


def _stored(moment: datetime) -> datetime:
    return moment.astimezone(UTC).replace(tzinfo=None)
