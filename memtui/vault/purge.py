"""True erasure: the vault and its backups are rewritten without the text, into new files that take their place.

Deleting rows and vacuuming was measured to leave the bytes in the file, so nothing less will do.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memtui.domain.memory import Memory, Tombstone
from memtui.domain.record import Record, memory_from_record, memory_record
from memtui.errors import MemtuiError, VaultMissingError
from memtui.vault import rows
from memtui.vault.backup import list_backups
from memtui.vault.connection import STORAGE_VERSION, engine_errors, open_connection
from memtui.vault.lease import lease
from memtui.vault.postings import write_postings
from memtui.vault.schema import create_tables, migrate, read_meta, write_meta
from memtui.vault.vault import Vault, restrict

if TYPE_CHECKING:
    import duckdb

MARK = "[purged]"
"""What stands where a purged text stood."""

DERIVED_TABLES = ("postings", "documents")


@dataclass(frozen=True, slots=True)
class PurgeReport:
    """What was erased.

    Attributes:
        memories: memories erased, or changed by the erasure of a text.
        revisions: entries of the journal erased or changed.
        backups: backups that were rewritten.
        leftovers: files that could not be rewritten and may still hold it.
    """

    memories: int
    revisions: int
    backups: tuple[Path, ...] = ()
    leftovers: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True)
class _Order:
    """What to erase from one file: memories by id, or a text."""

    ids: frozenset[str]
    text: str
    now: datetime


def purge_memories(vault: Vault, ids: Sequence[str]) -> PurgeReport:
    """Erase memories with all their history.

    A tombstone with their content hash stays, so that no import brings them back.

    Raises:
        VaultMissingError: there is no vault.
    """
    return _purge(vault, _Order(frozenset(ids), "", vault.now()))


def purge_text(vault: Vault, text: str) -> PurgeReport:
    """Put `[purged]` wherever a text stands: memories, journal, packs, recipes, backups.

    Raises:
        VaultMissingError: there is no vault.
    """
    return _purge(vault, _Order(frozenset(), text, vault.now()))


def _purge(vault: Vault, order: _Order) -> PurgeReport:
    if not vault.exists:
        raise VaultMissingError("There is no vault to purge", where=str(vault.path))
    backups: list[Path] = []
    leftovers: list[Path] = []
    with lease(vault.path, exclusive=True, wait_seconds=vault.patience_seconds):
        memories, revisions = _rewrite(vault, vault.path, order)
        for path in list_backups(vault.path):
            try:
                _rewrite(vault, path, order)
                backups.append(path)
            except MemtuiError:
                leftovers.append(path)
    damaged = vault.path.parent / "damaged"
    leftovers.extend(sorted(path for path in damaged.glob("*") if path.is_file()) if damaged.is_dir() else [])
    return PurgeReport(memories, revisions, tuple(backups), tuple(leftovers))


def _rewrite(vault: Vault, path: Path, order: _Order) -> tuple[int, int]:
    """Write one file anew without what is to be erased; the new file takes its place at the very end."""
    fresh = path.with_name(path.name + ".purged")
    fresh.unlink(missing_ok=True)
    log = path.with_name(path.name + ".wal")
    with engine_errors(path):
        connection = open_connection(path, read_only=False)
        try:
            migrate(connection)
            connection.execute("CHECKPOINT")
            counts = _copy(vault, connection, fresh, order)
        finally:
            connection.close()
    restrict(fresh, 0o600)
    _sync(fresh)
    # The old log was folded in and is empty; what may be left of it must not be replayed over the new file.
    log.unlink(missing_ok=True)
    fresh.replace(path)
    return counts


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _copy(vault: Vault, connection: duckdb.DuckDBPyConnection, fresh: Path, order: _Order) -> tuple[int, int]:
    name = connection.execute("SELECT current_database()").fetchone()
    old = str(name[0]) if name else ""
    target = str(fresh).replace("'", "''")
    connection.execute(f"ATTACH '{target}' AS fresh (STORAGE_VERSION '{STORAGE_VERSION}')")
    connection.execute("USE fresh")
    connection.execute("BEGIN")
    create_tables(connection)
    copier = _Copier(vault, connection, f'"{old}"', order)
    copier.copy_all()
    connection.execute("COMMIT")
    connection.execute("CHECKPOINT fresh")
    connection.execute(f'USE "{old}"')
    connection.execute("DETACH fresh")
    return copier.memories, copier.revisions


class _Copier:
    """Copies every table of an attached old vault into the current new one, less what is to be erased."""

    def __init__(self, vault: Vault, connection: duckdb.DuckDBPyConnection, old: str, order: _Order) -> None:
        self._vault = vault
        self._connection = connection
        self._old = old
        self._order = order
        self._needle = json.dumps(order.text, ensure_ascii=False)[1:-1]
        self.memories = 0
        self.revisions = 0

    def copy_all(self) -> None:
        self._run(f"INSERT INTO meta SELECT * FROM {self._old}.meta")
        for table in rows.COLUMNS:
            if table not in DERIVED_TABLES:
                self._copy_table(table)
        self._repost()
        counter = int(read_meta(self._connection, "change_counter") or 0)
        write_meta(self._connection, "change_counter", str(counter + 1))
        self._note_purge()

    def _run(self, statement: str, parameters: Sequence[object] = ()) -> duckdb.DuckDBPyConnection:
        return self._connection.execute(statement, list(parameters))

    def _copy_table(self, table: str) -> None:
        names = ", ".join(rows.COLUMNS[table])
        condition, parameters = self._erased(table) if self._order.ids else self._touched(table)
        self._run(
            f"INSERT INTO {table} ({names}) SELECT {names}"  # noqa: S608 - names are ours
            f" FROM {self._old}.{table} WHERE NOT ({condition})",
            parameters,
        )
        found = self._run(
            f"SELECT {names} FROM {self._old}.{table} WHERE {condition}",  # noqa: S608 - names are ours
            parameters,
        ).fetchall()
        if table == "memories":
            self.memories = len(found)
            self._bury(found) if self._order.ids else None
        if table == "revisions":
            self.revisions = len(found)
        if found:
            rows.insert_rows(self._connection, table, self._mended(table, found))

    # -- erasing memories ---------------------------------------------------------------------------

    def _erased(self, table: str) -> tuple[str, list[object]]:
        """Return the rows of a table that tell of the erased memories; those of packs and changes are mended."""
        listed = json.dumps(sorted(self._order.ids))
        ids = "(SELECT unnest(from_json(?, '[\"VARCHAR\"]')))"
        conditions = {
            "memories": f"id IN {ids}",
            "links": f"from_id IN {ids} OR to_id IN {ids}",
            "revisions": f"entity_key IN {ids} OR (entity = 'link' AND"
            f" (split_part(entity_key, ' ', 1) IN {ids} OR split_part(entity_key, ' ', 3) IN {ids}))",
            "packs": f"len(list_filter(members, lambda m: m.memory_id IN {ids})) > 0",
            "changes": f"number IN (SELECT change_number FROM {self._old}.revisions WHERE entity_key IN {ids})",
        }
        condition = conditions.get(table)
        if condition is None and "memory_id" in rows.COLUMNS[table] and table != "tombstones":
            condition = f"memory_id IN {ids}"
        condition = condition or "false"
        if table == "packs":
            # A subquery within a lambda is beyond the engine: the ids go in as a list.
            condition = "len(list_intersect([m.memory_id FOR m IN members], from_json(?, '[\"VARCHAR\"]'))) > 0"
        return condition, [listed] * condition.count("?")

    def _bury(self, found: list[tuple[Any, ...]]) -> None:
        stones = [
            Tombstone(
                content_hash=str(values[-1]),
                project=memory.project,
                memory_id=memory.id,
                at=self._order.now,
                actor="person",
                reason="purged",
            )
            for values, (_, memory) in ((row, rows.memory_from_row(row)) for row in found)
        ]
        rows.insert_rows(self._connection, "tombstones", (rows.plain_row(stone) for stone in stones))

    # -- erasing a text -----------------------------------------------------------------------------

    def _touched(self, table: str) -> tuple[str, list[object]]:
        """Return the rows of a table in which the text stands."""
        conditions: list[str] = []
        parameters: list[object] = []
        for name, kind in rows.COLUMNS[table].items():
            if kind == "VARCHAR" and (table, name) not in {("revisions", "before"), ("revisions", "after")}:
                conditions.append(f"contains({name}, ?)")
                parameters.append(self._order.text)
            elif kind == "VARCHAR":
                conditions.append(f"contains({name}, ?)")
                parameters.append(self._needle)
            elif not isinstance(kind, str):
                conditions.append(f"contains(CAST(to_json({name}) AS VARCHAR), ?)")
                parameters.append(self._needle)
        return f"coalesce({' OR '.join(f'coalesce({part}, false)' for part in conditions)}, false)", parameters

    def _mended(self, table: str, found: list[tuple[Any, ...]]) -> list[rows.Row]:
        """Return what becomes of the rows that were not copied as they are."""
        names = tuple(rows.COLUMNS[table])
        shown = [dict(zip(names, values, strict=True)) for values in found]
        if self._order.ids:
            return self._without_ids(table, shown)
        if table == "memories":
            return [self._mended_memory(*rows.memory_from_row(values)) for values in found]
        if table == "revisions":
            return [{**row, **{key: self._mended_json(row[key]) for key in ("before", "after")}} for row in shown]
        return [_utc({key: self._replaced(value) for key, value in row.items()}) for row in shown]

    def _without_ids(self, table: str, shown: list[rows.Row]) -> list[rows.Row]:
        if table == "packs":
            kept = [
                {**row, "members": [m for m in row["members"] if m["memory_id"] not in self._order.ids]} for row in shown
            ]
            return [_utc(row) for row in kept]
        if table == "changes":
            return [_utc({**row, "summary": f"{row['action']} {MARK}", "reason": ""}) for row in shown]
        return []

    def _mended_memory(self, key: int, memory: Memory) -> rows.Row:
        record: Record = self._replaced(memory_record(memory))
        mended = memory_from_record(record, now=memory.updated_at, new_id=memory.id, version=memory.version)
        return rows.memory_row(replace(mended, id=memory.id, updated_at=memory.updated_at), key)

    def _mended_json(self, text: str | None) -> str | None:
        return None if text is None else json.dumps(self._replaced(json.loads(text)), ensure_ascii=False)

    def _replaced(self, value: Any) -> Any:
        if isinstance(value, str):
            return value.replace(self._order.text, MARK)
        if isinstance(value, list):
            return [self._replaced(part) for part in value]
        if isinstance(value, dict):
            return {key: self._replaced(part) for key, part in value.items()}
        return value

    # -- what follows -------------------------------------------------------------------------------

    def _repost(self) -> None:
        """Write the postings anew, all of them: nothing of the old ones may stay."""
        start = 0
        while True:
            found = self._run(
                f"SELECT {rows.MEMORY_SELECT} FROM memories m WHERE m.key > ? ORDER BY m.key LIMIT 1000",  # noqa: S608 - names are ours
                [start],
            ).fetchall()
            if not found:
                return
            keyed = [rows.memory_from_row(row) for row in found]
            write_postings(self._connection, keyed)
            start = keyed[-1][0]

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


def _utc(row: rows.Row) -> rows.Row:
    """Return a row whose stored times are marked as the UTC that they are."""
    return {key: rows.known_time(value) if isinstance(value, datetime) else value for key, value in row.items()}
