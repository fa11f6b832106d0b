"""Make a new vault of the rows that were salvaged from a damaged one."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from memtui.domain.content import hash_parts
from memtui.domain.record import Record, memory_from_record, parse_time
from memtui.vault import rows
from memtui.vault.backup import fold_log
from memtui.vault.connection import open_connection
from memtui.vault.schema import write_meta

if TYPE_CHECKING:
    import duckdb

_TITLE_LENGTH = 80

# What may be unknown without making a row useless. A memory whose status is unknown goes to the inbox, so that
# nothing retired comes back to life.
_MEMORY_DEFAULTS: rows.Row = {
    "version": 1,
    "kind": "lesson",
    "status": "candidate",
    "status_reason": "",
    "rationale": "",
    "snippet": "",
    "importance": 3,
    "confidence": 1.0,
    "pinned": False,
}


@dataclass(slots=True)
class Rebuilt:
    """What the new vault holds.

    Attributes:
        memories: how many it holds.
        from_journal: ids whose texts came, in part or whole, from the journal's revisions.
        incomplete: ids that lack a value which could not be read anywhere.
        newest_change: number of the newest change in its journal.
    """

    memories: int = 0
    from_journal: set[str] = field(default_factory=set)
    incomplete: set[str] = field(default_factory=set)
    newest_change: int = 0


def rebuild(salvaged: Path, new: Path, *, now: datetime, stated_revisions: int | None) -> Rebuilt:
    """Fill a new, empty vault file from salvaged rows; postings are left to a reindex.

    Args:
        salvaged: JSON lines, see `salvage`.
        new: a vault file with the newest schema and no memories.
        now: stands in for times that could not be read.
        stated_revisions: how many there were; if some could not be read, nothing of before can be undone.
    """
    result = Rebuilt()
    newest = _newest_records(salvaged)
    connection = open_connection(new, read_only=False)
    try:
        connection.execute("BEGIN")
        _insert_memories(connection, _memory_rows(salvaged, newest, now, result), result)
        inserted = {
            table: _insert_plain(connection, table, salvaged)
            for table in rows.COLUMNS
            if table not in {"memories", "documents"}
        }
        if inserted["revisions"] != stated_revisions:
            connection.execute("UPDATE changes SET undoable = false")
        row = connection.execute("SELECT coalesce(max(number), 0) FROM changes").fetchone()
        result.newest_change = int(row[0]) if row else 0
        _copy_meta(connection, salvaged, result.newest_change)
        connection.execute("COMMIT")
    finally:
        connection.close()
    fold_log(new)
    return result


def _insert_plain(connection: duckdb.DuckDBPyConnection, table: str, salvaged: Path) -> int:
    later = dict.fromkeys(rows.LATER_COLUMNS.get(table, ()))
    found = (later | row for row in _rows(salvaged, table) if _is_whole(table, later | row))
    inserted = 0
    while chunk := list(islice(found, rows.CHUNK_ROWS)):
        rows.insert_rows(connection, table, chunk)
        inserted += len(chunk)
    return inserted


def _rows(salvaged: Path, table: str) -> Iterator[rows.Row]:
    with salvaged.open(encoding="utf-8") as file:
        for line in file:
            if not line.startswith(f'{{"table": "{table}"'):
                continue
            try:
                yield json.loads(line)["row"]
            except ValueError:
                # The line that was being written when the reading process died.
                continue


def _is_whole(table: str, row: rows.Row) -> bool:
    return all(column in row for column in rows.COLUMNS[table])


def _newest_records(salvaged: Path) -> dict[str, tuple[int, Record]]:
    """Return (version, portable record) of each memory's newest revision; records of what was taken out are empty."""
    newest: dict[str, tuple[tuple[int, int], int, Record]] = {}
    for row in _rows(salvaged, "revisions"):
        if row.get("entity") != "memory" or not _is_whole("revisions", row):
            continue
        place = (int(row["change_number"]), int(row["position"]))
        identifier = str(row["entity_key"])
        if identifier not in newest or newest[identifier][0] < place:
            newest[identifier] = (place, int(row["version"]), json.loads(row["after"]) if row["after"] else {})
    return {identifier: (version, record) for identifier, (_, version, record) in newest.items()}


def _memory_rows(
    salvaged: Path, newest: dict[str, tuple[int, Record]], now: datetime, result: Rebuilt
) -> Iterator[rows.Row]:
    seen: set[str] = set()
    for row in _rows(salvaged, "memories"):
        identifier = row.get("id")
        if identifier in seen:
            continue
        known = newest.get(str(identifier), (0, {}))[1]
        filled = None if identifier is None else _fill(row, known, now, result)
        if filled is not None:
            seen.add(str(identifier))
            yield filled
    for identifier, (version, record) in newest.items():
        if record and identifier not in seen:
            # Its row could not be read at all, but the journal holds its text.
            result.from_journal.add(identifier)
            filled = _fill({"id": identifier, "version": version}, record, now, result)
            if filled is not None:
                yield filled


def _insert_memories(connection: duckdb.DuckDBPyConnection, found: Iterator[rows.Row], result: Rebuilt) -> None:
    while chunk := list(islice(found, rows.CHUNK_ROWS)):
        numbered = [{**row, "key": result.memories + place} for place, row in enumerate(chunk, start=1)]
        rows.insert_rows(connection, "memories", numbered)
        result.memories += len(chunk)


def _fill(row: rows.Row, record: Record, now: datetime, result: Rebuilt) -> rows.Row | None:
    """Return a row with every column, from the row, else the journal's record, else a default; None without text."""
    missing = [column for column in rows.MEMORY_COLUMNS if column not in row and column not in {"key", "content_hash"}]
    known = _record_row(record) if record else {}
    from_journal = [column for column in missing if column in known]
    filled: rows.Row = {**dict.fromkeys(rows.MEMORY_COLUMNS), **_MEMORY_DEFAULTS, **known, **row}
    if not filled["insight"]:
        return None
    if from_journal:
        result.from_journal.add(str(row["id"]))
    if len(from_journal) < len([column for column in missing if column not in {"version", "updated_at"}]):
        result.incomplete.add(str(row["id"]))
    if filled["title"] is None:
        filled["title"] = str(filled["insight"]).strip().split("\n", 1)[0][:_TITLE_LENGTH]
    for column in ("created_at", "updated_at"):
        filled[column] = filled[column] or now
    filled["content_hash"] = hash_parts(*(filled[name] for name in ("title", "insight", "rationale", "snippet")))
    return filled


def _record_row(record: Record) -> rows.Row:
    """Return the columns that a portable record states, those included that it leaves out as empty."""
    created = parse_time(record.get("created_at"))
    if created is None:
        return {}
    memory = memory_from_record(record, now=created, new_id=str(record["id"]))
    row = rows.memory_row(memory, 0)
    return {name: value for name, value in row.items() if name not in {"key", "version", "updated_at", "content_hash"}}


def _copy_meta(connection: duckdb.DuckDBPyConnection, salvaged: Path, newest_change: int) -> None:
    known = {row["key"]: row["value"] for row in _rows(salvaged, "meta") if row.get("key") and row.get("value")}
    counter = max(int(known.get("change_counter", 0)), newest_change) + 1
    for key, value in {**known, "change_counter": str(counter)}.items():
        if key not in {"schema_version", "written_by"}:
            write_meta(connection, key, value)
