"""Rewrite a vault file without what is to be erased."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from memtui.domain.memory import Memory, Tombstone, hash_parts
from memtui.vault import rows
from memtui.vault.backup import log_path, remove_files, swap_in
from memtui.vault.connection import STORAGE_VERSION, engine_errors, open_connection
from memtui.vault.packs import ABOUT_MEMORIES
from memtui.vault.schema import check_not_newer, create_tables, migrate, read_meta, renamed_key, write_meta
from memtui.vault.search.postings_sql import write_postings
from memtui.vault.text_search import MARK, Eraser, quotes
from memtui.vault.vault import restrict

if TYPE_CHECKING:
    import duckdb

FRESH = ".purged"
"""Suffix of a file that is being written; one that a crash left over is removed by the next purge."""

_OF_MEMORIES = frozenset({"with", "without", *ABOUT_MEMORIES})
"""What a pack's options say of single memories."""


@dataclass(frozen=True, slots=True)
class Order:
    """What to erase: memories by id, or a text.

    Attributes:
        now: the moment of the erasure.
    """

    ids: frozenset[str]
    eraser: Eraser | None
    now: datetime


@dataclass(slots=True)
class Counts:
    """How many things were erased or mended."""

    memories: int = 0
    revisions: int = 0


def rewrite_file(path: Path, order: Order) -> Counts:
    """Write a file anew; the caller holds the lease. A crash leaves the old file or the new one, whole.

    Raises:
        MemtuiError: the file cannot be opened or written; it is as it was.
    """
    fresh = path.with_name(path.name + FRESH)
    remove_files(fresh)
    try:
        counts = _write_fresh(path, fresh, order)
    except BaseException:
        remove_files(fresh)
        raise
    restrict(fresh, 0o600)
    with fresh.open("rb+") as handle:
        os.fsync(handle.fileno())
    log_path(fresh).unlink(missing_ok=True)
    # The old log was folded in, so between the next two steps the old file is whole too.
    swap_in(path, fresh)
    return counts


def _write_fresh(path: Path, fresh: Path, order: Order) -> Counts:
    with engine_errors(path):
        connection = open_connection(path, read_only=False)
        try:
            check_not_newer(connection, str(path))
            migrate(connection)
            connection.execute("CHECKPOINT")
            name = connection.execute("SELECT current_database()").fetchone()
            old = '"{}"'.format(str(name[0] if name else "").replace('"', '""'))
            place = str(fresh).replace("'", "''")
            connection.execute(f"ATTACH '{place}' AS fresh (STORAGE_VERSION '{STORAGE_VERSION}')")
            connection.execute("USE fresh")
            connection.execute("BEGIN")
            create_tables(connection)
            copier = _Copier(connection, old, order)
            copier.copy_all()
            connection.execute("COMMIT")
            connection.execute("CHECKPOINT fresh")
            connection.execute(f"USE {old}")
            connection.execute("DETACH fresh")
        finally:
            connection.close()
    return copier.counts


@dataclass(slots=True)
class _Erased:
    """What is known of the memories that are erased.

    Attributes:
        titles: every title that they ever had.
        hashes: every content that they ever had, and that their sources state.
    """

    titles: set[str] = field(default_factory=set)
    hashes: set[tuple[str, str]] = field(default_factory=set)
    projects: dict[str, str | None] = field(default_factory=dict)


class _Copier:
    """Copies every table of the old database into the current one, less what is to be erased."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, old: str, order: Order) -> None:
        self._connection = connection
        self._old = old
        self._order = order
        self._ids = json.dumps(sorted(order.ids))
        self.counts = Counts()

    def copy_all(self) -> None:
        eraser = self._order.eraser
        for key, value in self._run(f"SELECT key, value FROM {self._old}.meta").fetchall():  # noqa: S608 - our own name
            kept = renamed_key(key, eraser.text) if eraser else key
            write_meta(self._connection, kept, eraser.text(value) if eraser else value)
        if eraser is None:
            self._copy_without_memories()
        else:
            self._copy_without_text(eraser)
        counter = int(read_meta(self._connection, "change_counter") or 0)
        write_meta(self._connection, "change_counter", str(counter + 1))
        self._note_purge()

    def _run(self, statement: str, parameters: Iterable[object] = ()) -> duckdb.DuckDBPyConnection:
        return self._connection.execute(statement, list(parameters))

    def _derived_tables(self) -> list[tuple[str, list[str]]]:
        """Return (table, columns) of postings and their like."""
        found = self._run(
            "SELECT table_name, list(column_name ORDER BY column_index) FROM duckdb_columns()"
            " WHERE database_name = 'fresh' AND NOT internal GROUP BY 1 ORDER BY 1"
        ).fetchall()
        known = {*rows.COLUMNS, "meta"} - {"documents"}
        return [(name, columns) for name, columns in found if name not in known]

    # -- erasing memories ---------------------------------------------------------------------------

    def _copy_without_memories(self) -> None:
        erased = self._known_of_erased()
        keys = self._keys("id IN (SELECT unnest(from_json(?, '[\"VARCHAR\"]')))", [self._ids])
        self.counts.memories = len(keys)
        self._copy_except_keys(keys)
        for table, columns in rows.COLUMNS.items():
            if table in {"packs", "recipes", "changes", "documents"}:
                continue
            condition = self._about_erased(table, columns)
            names = ", ".join(columns)
            self._run(
                f"INSERT INTO {table} ({names}) SELECT {names} FROM {self._old}.{table} WHERE NOT ({condition})",  # noqa: S608 - names are ours
                [self._ids] * condition.count("?"),
            )
        self.counts.revisions = self._count_missing("revisions")
        self._copy_packs()
        self._copy_changes(frozenset(erased.titles))
        self._bury(erased)

    def _about_erased(self, table: str, columns: Iterable[str]) -> str:
        ids = "(SELECT unnest(from_json(?, '[\"VARCHAR\"]')))"
        if table == "memories":
            return f"id IN {ids}"
        if table == "links":
            return f"from_id IN {ids} OR to_id IN {ids}"
        if table == "revisions":
            ends = " OR ".join(
                f"coalesce(json_extract_string(coalesce(after, before), '$.{end}') IN {ids}, false)"
                for end in ("from", "to")
            )
            return f"entity_key IN {ids} OR (entity = 'link' AND ({ends}))"
        return f"memory_id IN {ids}" if "memory_id" in columns else "false"

    def _known_of_erased(self) -> _Erased:
        erased = _Erased()
        ids = "(SELECT unnest(from_json(?, '[\"VARCHAR\"]')))"
        found = self._run(f"SELECT {rows.MEMORY_SELECT} FROM {self._old}.memories m WHERE m.id IN {ids}", [self._ids])  # noqa: S608 - names are ours
        for _, memory in map(rows.memory_from_row, found.fetchall()):
            erased.titles.add(memory.title)
            erased.projects[memory.id] = memory.project
            contents = [hash_parts(memory.title, memory.insight, memory.rationale, memory.snippet)]
            contents.extend(source.imported_hash for source in memory.sources if source.imported_hash)
            erased.hashes.update((memory.id, content) for content in contents)
        seen = self._run(
            f"SELECT memory_id, seen_hash FROM {self._old}.source_states WHERE memory_id IN {ids}",  # noqa: S608 - names are ours
            [self._ids],
        )
        erased.hashes.update(seen.fetchall())
        told = self._run(
            f"SELECT entity_key, before, after FROM {self._old}.revisions"  # noqa: S608 - names are ours
            f" WHERE entity = 'memory' AND entity_key IN {ids}",
            [self._ids],
        )
        for identifier, *sides in told.fetchall():
            for record in (json.loads(side) for side in sides if side):
                texts = [str(record.get(part) or "") for part in ("title", "insight", "rationale", "snippet")]
                erased.titles.add(texts[0])
                erased.hashes.add((identifier, hash_parts(*texts)))
                erased.projects.setdefault(identifier, record.get("project"))
        return erased

    def _bury(self, erased: _Erased) -> None:
        stones = [
            Tombstone(
                content_hash=content,
                project=erased.projects.get(identifier),
                memory_id=identifier,
                at=self._order.now,
                actor="person",
                reason="purged",
            )
            for identifier, content in sorted(erased.hashes)
        ]
        rows.insert_rows(self._connection, "tombstones", map(rows.row_of, stones))

    def _copy_packs(self) -> None:
        packs = self._read("packs", "true", [])
        for pack in packs:
            pack["members"] = [part for part in pack["members"] or () if part["memory_id"] not in self._order.ids]
        rows.insert_rows(self._connection, "packs", map(self._without_ticks, packs))
        rows.insert_rows(self._connection, "recipes", map(self._without_ticks, self._read("recipes", "true", [])))

    def _without_ticks(self, row: rows.Row) -> rows.Row:
        """Return a pack or a recipe that names no erased memory and tells nothing of one."""
        options = json.loads(row["options"] or "{}")
        for name in ("with", "without"):
            options[name] = [one for one in options.get(name) or () if one not in self._order.ids]
        for name in ABOUT_MEMORIES:
            known = options.get(name) or {}
            options[name] = {key: value for key, value in known.items() if key not in self._order.ids}
        left = {name: value for name, value in options.items() if value or name not in _OF_MEMORIES}
        return row | {"options": json.dumps(left, ensure_ascii=False, sort_keys=True) if left else None}

    def _copy_changes(self, titles: frozenset[str]) -> None:
        """Copy the changes; those that quote a title lose it, those left without a revision cannot be undone."""
        counted = "SELECT change_number, count(*) FROM {}.revisions GROUP BY 1"
        before = dict(self._run(counted.format(self._old)).fetchall())
        after = dict(self._run(counted.format("fresh")).fetchall())
        left = {number: after.get(number, 0) for number, count in before.items() if count != after.get(number, 0)}
        changes = self._read("changes", "true", [])
        for change in changes:
            for part in ("summary", "reason"):
                change[part] = _without_titles(change, part, titles, touched=change["number"] in left)
            if left.get(change["number"]) == 0:
                # It spoke of these memories alone, so its reason does too.
                change.update(undoable=False, reason=MARK if change["reason"] else "")
        rows.insert_rows(self._connection, "changes", changes)

    # -- erasing a text -----------------------------------------------------------------------------

    def _copy_without_text(self, eraser: Eraser) -> None:
        mended = self._mended_memories(eraser)
        self.counts.memories = len(mended)
        keys = [key for key, _ in mended]
        self._copy_except_keys(keys)
        listed = "(SELECT unnest(from_json(?, '[\"BIGINT\"]')))"
        names = ", ".join(rows.MEMORY_COLUMNS)
        self._run(
            f"INSERT INTO memories ({names}) SELECT {names} FROM {self._old}.memories WHERE key NOT IN {listed}",  # noqa: S608 - names are ours
            [json.dumps(keys)],
        )
        rows.insert_rows(self._connection, "memories", (rows.memory_row(memory, key) for key, memory in mended))
        write_postings(self._connection, mended)
        for table, columns in rows.COLUMNS.items():
            if table not in {"memories", "documents"}:
                self._copy_mended(table, ", ".join(columns), eraser)

    def _mended_memories(self, eraser: Eraser) -> list[tuple[int, Memory]]:
        condition, parameters = self._may_hold("memories", eraser)
        found = self._run(
            f"SELECT {rows.MEMORY_SELECT} FROM {self._old}.memories m WHERE {condition}",  # noqa: S608 - names are ours
            parameters,
        ).fetchall()
        pairs = [rows.memory_from_row(row) for row in found]
        mended = [(key, memory, eraser.memory(memory, self._order.now)) for key, memory in pairs]
        return [(key, after) for key, before, after in mended if after is not before]

    def _copy_mended(self, table: str, names: str, eraser: Eraser) -> None:
        condition, parameters = self._may_hold(table, eraser)
        self._run(
            f"INSERT INTO {table} ({names}) SELECT {names} FROM {self._old}.{table} WHERE NOT ({condition})",  # noqa: S608 - names are ours
            parameters,
        )
        before = self._read(table, condition, parameters)
        after = [eraser.row(row) for row in before]
        if table == "revisions":
            self.counts.revisions = sum(old != new for old, new in zip(before, after, strict=True))
        rows.insert_rows(self._connection, table, after)

    def _may_hold(self, table: str, eraser: Eraser) -> tuple[str, list[object]]:
        """Return a condition that holds for every row with the text, and perhaps for others."""
        if not eraser.hint:
            return "true", []
        parts = [
            f"contains({name if kind == 'VARCHAR' else f'CAST(to_json({name}) AS VARCHAR)'}, ?)"
            for name, kind in rows.COLUMNS[table].items()
            if kind == "VARCHAR" or not isinstance(kind, str)
        ]
        condition = " OR ".join(f"coalesce({part}, false)" for part in parts)
        return (condition, [eraser.hint] * len(parts)) if parts else ("false", [])

    # -- both ---------------------------------------------------------------------------------------

    def _keys(self, condition: str, parameters: list[object]) -> list[int]:
        found = self._run(f"SELECT key FROM {self._old}.memories WHERE {condition}", parameters)  # noqa: S608 - names are ours
        return [int(row[0]) for row in found.fetchall()]

    def _copy_except_keys(self, keys: list[int]) -> None:
        """Copy everything derived, less what belongs to these memories."""
        for table, columns in self._derived_tables():
            listed = ", ".join(columns)
            condition = "true"
            if "memory_key" in columns:
                condition = "memory_key NOT IN (SELECT unnest(from_json(?, '[\"BIGINT\"]')))"
            self._run(
                f"INSERT INTO {table} ({listed}) SELECT {listed} FROM {self._old}.{table} WHERE {condition}",  # noqa: S608 - from the catalogue
                [json.dumps(keys)] * condition.count("?"),
            )

    def _read(self, table: str, condition: str, parameters: list[object]) -> list[rows.Row]:
        names = tuple(rows.COLUMNS[table])
        found = self._run(
            f"SELECT {', '.join(names)} FROM {self._old}.{table} WHERE {condition}",  # noqa: S608 - names are ours
            parameters,
        ).fetchall()
        return [_utc(dict(zip(names, values, strict=True))) for values in found]

    def _count_missing(self, table: str) -> int:
        row = self._run(
            f"SELECT (SELECT count(*) FROM {self._old}.{table}) - (SELECT count(*) FROM {table})"  # noqa: S608 - names are ours
        ).fetchone()
        return int(row[0]) if row else 0

    def _note_purge(self) -> None:
        row = self._run("SELECT coalesce(max(number), 0) + 1 FROM changes").fetchone()
        what = f"{len(self._order.ids)} memories" if self._order.ids else "a text"
        entry = {
            "number": int(row[0]) if row else 1,
            "made_at": self._order.now,
            "actor": "person",
            "action": "purge",
            "summary": f"purge {what}",
            "reason": "",
            "state": "done",
            "undoable": False,
        }
        rows.insert_rows(self._connection, "changes", [entry])


def _without_titles(change: rows.Row, part: str, titles: frozenset[str], *, touched: bool) -> str:
    """Return a change's summary or reason without the titles: as a whole, unless only whole titles stand in it."""
    text = str(change[part])
    long_titles = frozenset(title for title in titles if len(title) >= 8)  # noqa: PLR2004 - a shorter one may be any word
    for title in sorted(long_titles, key=len, reverse=True):
        text = text.replace(title, MARK)
    if touched and quotes(text, titles):
        return f"{change['action']} {MARK}" if part == "summary" else MARK
    return text


def _utc(row: rows.Row) -> rows.Row:
    """Return a row whose stored times are marked as the UTC that they are."""
    return {key: rows.utc(value) if isinstance(value, datetime) else value for key, value in row.items()}
