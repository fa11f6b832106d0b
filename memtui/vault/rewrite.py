"""Rewrite a vault file without what is to be erased."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memtui.domain.causes import PURGED
from memtui.domain.memory import Memory, Tombstone, hash_parts
from memtui.vault import rows
from memtui.vault.bm25 import write_postings
from memtui.vault.committing import committing
from memtui.vault.connection import STORAGE_VERSION, engine_errors, open_connection
from memtui.vault.lease import log_path, remove_files, restrict, swap_in
from memtui.vault.packs import ABOUT_MEMORIES
from memtui.vault.publications import BLOCK, CUT, PUBLICATION
from memtui.vault.rows import check_not_newer, create_tables, migrate, read_meta, renamed_key, write_meta
from memtui.vault.text_search import MARK, Eraser, quotes

if TYPE_CHECKING:
    import duckdb

FRESH = ".purged"  # Suffix of the file that is being written; the next purge removes one that a crash left behind

_IDS = "(SELECT id FROM erased_ids)"
_TEXT_PARTS = ("title", "insight", "rationale", "snippet")


@dataclass(frozen=True, slots=True)
class Order:
    """What to erase: memories by id, or a text."""

    ids: frozenset[str]
    eraser: Eraser | None
    now: datetime  # the moment of the erasure
    named: int = 0  # how many memories were named, without those that go with them


@dataclass(slots=True)
class Counts:
    """How many things were erased or changed."""

    memories: int = 0
    revisions: int = 0


def rewrite_file(path: Path, order: Order) -> Counts:
    """Write a file again without what is to be erased, atomically; the caller holds the lease.

    Raises `MemtuiError`: the file cannot be opened or written; it is unchanged.
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
    # The old log was folded in, so that a crash between the next two steps leaves a complete old file.
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
            with committing(connection):
                create_tables(connection)
                copier = _Copier(connection, old, order)
                copier.copy_all()
            connection.execute("CHECKPOINT fresh")
            connection.execute(f"USE {old}")
            connection.execute("DETACH fresh")
        finally:
            connection.close()
    return copier.counts


@dataclass(slots=True)
class _Erased:
    """What is known about the memories that are erased."""

    titles: set[str] = field(default_factory=set)  # every title that they ever had
    # (id, content hash) of every content that they ever had, or that their sources state
    hashes: set[tuple[str, str]] = field(default_factory=set)
    projects: dict[str, str | None] = field(default_factory=dict)

    def add(self, identifier: str, texts: tuple[str, str, str, str], project: str | None) -> None:
        """Add one content; the project that was added first counts."""
        self.titles.add(texts[0])
        self.hashes.add((identifier, hash_parts(*texts)))
        self.projects.setdefault(identifier, project)


class _Copier:
    """Copies every table of the old database into the current one, without what is to be erased."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, old: str, order: Order) -> None:
        self._connection = connection
        self._old = old
        self._order = order
        self.counts = Counts()

    def copy_all(self) -> None:
        eraser = self._order.eraser
        for key, value in self._all("SELECT key, value FROM {old}.meta"):
            kept = renamed_key(key, eraser.text) if eraser else key
            write_meta(self._connection, kept, eraser.text(value) if eraser else value)
        if eraser is None:
            self._copy_without_memories()
        else:
            self._copy_without_text(eraser)
        counter = int(read_meta(self._connection, "change_counter") or 0)
        write_meta(self._connection, "change_counter", str(counter + 1))
        self._journal_purge()

    def _all(self, query: str, parameters: list[object] | None = None) -> list[tuple[Any, ...]]:
        """Return the rows of a query in which `{old}` is the old database, `{memory}` all columns of a memory."""
        statement = query.format(old=self._old, memory=rows.MEMORY_SELECT, ids=_IDS)
        return self._connection.execute(statement, parameters or []).fetchall()

    def _copy(self, table: str, columns: list[str], condition: str, parameters: list[object] | None = None) -> None:
        names = ", ".join(columns)
        self._connection.execute(
            f"INSERT INTO {table} ({names}) SELECT {names} FROM {self._old}.{table} WHERE {condition}",
            parameters or [],
        )

    def _read(self, table: str, condition: str = "true", parameters: list[object] | None = None) -> list[rows.Row]:
        names = tuple(rows.COLUMNS[table])
        query = f"SELECT {', '.join(names)} FROM {self._old}.{table} WHERE {condition}"
        found = self._connection.execute(query, parameters or []).fetchall()
        return [_utc(dict(zip(names, values, strict=True))) for values in found]

    # -- erasing memories ---------------------------------------------------------------------------

    def _copy_without_memories(self) -> None:
        self._connection.execute(
            "CREATE OR REPLACE TEMP TABLE erased_ids AS SELECT unnest(from_json(?, '[\"VARCHAR\"]')) AS id",
            [json.dumps(sorted(self._order.ids))],
        )
        erased = self._known_of_erased()
        keys = [int(row[0]) for row in self._all("SELECT key FROM {old}.memories WHERE id IN {ids}")]
        self.counts.memories = len(keys)
        self._copy_derived(keys)
        for table, columns in rows.COLUMNS.items():
            if table not in {"packs", "recipes", "changes", "documents"}:
                self._copy(table, [*columns], f"NOT ({_about_erased(table)})")
        (revisions,) = self._all("SELECT (SELECT count(*) FROM {old}.revisions) - (SELECT count(*) FROM revisions)")
        self.counts.revisions = int(revisions[0])
        self._copy_packs()
        self._copy_changes(frozenset(erased.titles))
        self._bury(erased)

    def _known_of_erased(self) -> _Erased:
        erased = _Erased()
        for row in self._all("SELECT {memory} FROM {old}.memories m WHERE m.id IN {ids}"):
            memory = rows.memory_from_row(row)[1]
            erased.add(memory.id, (memory.title, memory.insight, memory.rationale, memory.snippet), memory.project)
            imported = (source.imported_hash for source in memory.sources)
            erased.hashes.update((memory.id, content) for content in imported if content)
        erased.hashes.update(
            self._all(
                "SELECT memory_id, seen_hash FROM {old}.source_states WHERE seen_hash <> '' AND memory_id IN {ids}"
            )
        )
        for identifier, *sides in self._all(
            "SELECT entity_key, before, after FROM {old}.revisions WHERE entity = 'memory' AND entity_key IN {ids}"
        ):
            for record in (json.loads(side) for side in sides if side):
                title, insight, rationale, snippet = (str(record.get(part) or "") for part in _TEXT_PARTS)
                erased.add(identifier, (title, insight, rationale, snippet), record.get("project"))
        return erased

    def _bury(self, erased: _Erased) -> None:
        stones = [
            Tombstone(
                content_hash=content,
                project=erased.projects.get(identifier),
                memory_id=identifier,
                at=self._order.now,
                actor="person",
                reason=PURGED,
                cause=PURGED,
            )
            for identifier, content in sorted(erased.hashes)
        ]
        rows.insert_rows(self._connection, "tombstones", map(rows.row_of, stones))

    def _copy_packs(self) -> None:
        packs = self._read("packs")
        for pack in packs:
            pack["members"] = [part for part in pack["members"] or () if part["memory_id"] not in self._order.ids]
        for table, found in (("packs", packs), ("recipes", self._read("recipes"))):
            rows.insert_rows(self._connection, table, map(self._without_choices, found))

    def _without_choices(self, row: rows.Row) -> rows.Row:
        """Return a pack or a recipe whose options do not mention an erased memory."""
        options = json.loads(row["options"] or "{}")
        for name in ("with", "without"):
            options[name] = [one for one in options.get(name) or () if one not in self._order.ids]
        for name in ABOUT_MEMORIES:
            known = (options.get(name) or {}).items()
            options[name] = {key: value for key, value in known if key not in self._order.ids}
        of_memories = {"with", "without", *ABOUT_MEMORIES}
        left = {name: value for name, value in options.items() if value or name not in of_memories}
        return row | {"options": json.dumps(left, ensure_ascii=False, sort_keys=True) if left else None}

    def _copy_changes(self, titles: frozenset[str]) -> None:
        """Copy the changes without the titles that they quote; those left without a revision cannot be undone."""
        counted = "SELECT change_number, count(*) FROM {}revisions GROUP BY 1"
        after = dict(self._all(counted.format("")))
        before = self._all(counted.format("{old}."))
        left = {number: after.get(number, 0) for number, count in before if count != after.get(number, 0)}
        changes = self._read("changes")
        for change in changes:
            for part in ("summary", "reason"):
                change[part] = _without_titles(change, part, titles, touched=change["number"] in left)
            if left.get(change["number"]) == 0:
                # It was about these memories alone, and so is its reason.
                change.update(undoable=False, reason=MARK if change["reason"] else "")
        rows.insert_rows(self._connection, "changes", changes)

    # -- erasing a text -----------------------------------------------------------------------------

    def _copy_without_text(self, eraser: Eraser) -> None:
        changed = self._changed_memories(eraser)
        self.counts.memories = len(changed)
        keys = [key for key, _ in changed]
        self._copy_derived(keys)
        without, parameters = rows.among("key", keys)
        self._copy("memories", [*rows.MEMORY_COLUMNS], f"NOT ({without})", parameters)
        rows.insert_rows(self._connection, "memories", (rows.memory_row(memory, key) for key, memory in changed))
        write_postings(self._connection, changed)
        for table, columns in rows.COLUMNS.items():
            if table not in {"memories", "documents"}:
                self._copy_erased(table, [*columns], eraser)

    def _changed_memories(self, eraser: Eraser) -> list[tuple[int, Memory]]:
        condition, parameters = _may_hold("memories", eraser)
        found = self._all(f"SELECT {{memory}} FROM {{old}}.memories m WHERE {condition}", parameters)
        pairs = [rows.memory_from_row(row) for row in found]
        erased = [(key, memory, eraser.memory(memory, self._order.now)) for key, memory in pairs]
        return [(key, after) for key, before, after in erased if after is not before]

    def _copy_erased(self, table: str, columns: list[str], eraser: Eraser) -> None:
        condition, parameters = _may_hold(table, eraser)
        self._copy(table, columns, f"NOT ({condition})", parameters)
        before = self._read(table, condition, parameters)
        after = [eraser.row(row) for row in before]
        if table == "revisions":
            self.counts.revisions = sum(old != new for old, new in zip(before, after, strict=True))
        rows.insert_rows(self._connection, table, after)

    # -- both ---------------------------------------------------------------------------------------

    def _copy_derived(self, without_keys: list[int]) -> None:
        """Copy postings and other derived tables, except the rows of these memories.

        Nor those of memories that are gone and of texts that were edited since: they may be made of what is purged.
        """
        found = self._all(
            "SELECT table_name, list(column_name ORDER BY column_index) FROM duckdb_columns()"
            " WHERE database_name = 'fresh' AND NOT internal GROUP BY 1 ORDER BY 1"
        )
        known = {*rows.COLUMNS, "meta"} - {"documents"}
        for table, columns in found:
            if table not in known:
                condition, parameters = rows.among("memory_key", without_keys)
                states = ", ".join(name for name in ("memory_key", "content_hash") if name in columns)
                stored = states.replace("memory_key", "key")
                current = f"({states}) IN (SELECT ({stored}) FROM {self._old}.memories)"
                self._copy(table, columns, f"NOT ({condition}) AND {current}", parameters)

    def _journal_purge(self) -> None:
        ((number,),) = self._all("SELECT coalesce(max(number), 0) + 1 FROM changes")
        what = f"{self._order.named} memories" if self._order.ids else "a text"
        entry = {
            "number": int(number),
            "made_at": self._order.now,
            "actor": "person",
            "action": "purge",
            "summary": f"purge {what}",
            "reason": "",
            "state": "done",
            "undoable": False,
        }
        rows.insert_rows(self._connection, "changes", [entry])


_HELD = f"list_has_any({{}}, (SELECT list(id) FROM {_IDS}))"  # Whether one of these ids is among the erased


def _about_erased(table: str) -> str:
    """Return the condition that a row is about an erased memory."""
    if table == "revisions":
        ends = " OR ".join(
            f"coalesce(json_extract_string(coalesce(after, before), '$.{end}') IN {_IDS}, false)"
            for end in ("from", "to")
        )
        held = "json_extract_string(coalesce(after, before), '$.memory_ids[*]')"
        held += " || json_extract_string(coalesce(before, after), '$.memory_ids[*]')"
        published = f"entity IN ('{PUBLICATION}', '{BLOCK}', '{CUT}') AND {_HELD.format(held)}"
        return f"entity_key IN {_IDS} OR (entity = 'link' AND ({ends})) OR ({published})"
    if table == "publications":
        return _HELD.format("memory_ids")
    named = {"memories": ("id",), "links": ("from_id", "to_id")}.get(table, ("memory_id",))
    return " OR ".join(f"{name} IN {_IDS}" for name in named if name in rows.COLUMNS[table]) or "false"


def _may_hold(table: str, eraser: Eraser) -> tuple[str, list[object]]:
    """Return a condition that holds for every row with the text, and perhaps for others."""
    if not eraser.hint:
        return "true", []
    cells = [cell for name, kind in rows.COLUMNS[table].items() if (cell := rows.json_cell(name, kind))]
    condition = " OR ".join(f"coalesce(contains({cell}, ?), false)" for cell in cells)
    return condition or "false", [eraser.hint] * len(cells)


def _without_titles(change: rows.Row, part: str, titles: frozenset[str], *, touched: bool) -> str:
    """Return a change's summary or reason without the titles; as a whole, if it quotes parts of them."""
    text = str(change[part])
    long_titles = [title for title in titles if len(title) >= 8]  # noqa: PLR2004 - a shorter one may be any word
    for title in sorted(long_titles, key=len, reverse=True):
        text = text.replace(title, MARK)
    if touched and quotes(text, titles):
        return f"{change['action']} {MARK}" if part == "summary" else MARK
    return text


def _utc(row: rows.Row) -> rows.Row:
    return {key: rows.utc(value) if isinstance(value, datetime) else value for key, value in row.items()}
