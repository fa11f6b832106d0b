"""Rows and objects: how each thing is stored, and the one fast way to insert many.

Many rows travel to DuckDB as one JSON text. Lists as query parameters were measured at 382 s for 700,000
integers on DuckDB 1.5 (4 s on 2.0), the JSON text at 0.6 s on both.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from memtui.domain.memory import Anchor, Change, Link, Memory, Signal, Source, Tombstone, Verdict, content_hash
from memtui.text.sanitize import without_surrogates
from memtui.vault.sql_in import among

if TYPE_CHECKING:
    import duckdb

Row = dict[str, Any]

_ANCHOR = {"path": "VARCHAR", "content_hash": "VARCHAR"}
_SOURCE = {
    "format": "VARCHAR",
    "path": "VARCHAR",
    "span": ["INTEGER"],
    "native_id": "VARCHAR",
    "agent": "VARCHAR",
    "imported_hash": "VARCHAR",
}
_TEXTS = {"title": "VARCHAR", "insight": "VARCHAR", "rationale": "VARCHAR", "snippet": "VARCHAR"}
_MEMBER = {"memory_id": "VARCHAR", "version": "INTEGER", "tokens": "INTEGER", "score": "DOUBLE"}

COLUMNS: Mapping[str, Mapping[str, Any]] = {
    "memories": {
        "key": "BIGINT",
        "id": "VARCHAR",
        "version": "INTEGER",
        "project": "VARCHAR",
        "kind": "VARCHAR",
        "status": "VARCHAR",
        "status_reason": "VARCHAR",
        "title": "VARCHAR",
        "insight": "VARCHAR",
        "rationale": "VARCHAR",
        "snippet": "VARCHAR",
        "anchors": [_ANCHOR],
        "tags": ["VARCHAR"],
        "importance": "INTEGER",
        "confidence": "DOUBLE",
        "pinned": "BOOLEAN",
        "created_at": "TIMESTAMP",
        "updated_at": "TIMESTAMP",
        "observed_at": "TIMESTAMP",
        "confirmed_at": "TIMESTAMP",
        "confirmed_by": "VARCHAR",
        "verified_at": "TIMESTAMP",
        "verified_by": "VARCHAR",
        "valid_from": "TIMESTAMP",
        "valid_until": "TIMESTAMP",
        "due_at": "TIMESTAMP",
        "snoozed_until": "TIMESTAMP",
        "half_life_days": "DOUBLE",
        "sources": [_SOURCE],
        "content_hash": "VARCHAR",
    },
    "links": {
        "from_id": "VARCHAR",
        "type": "VARCHAR",
        "to_id": "VARCHAR",
        "weight": "DOUBLE",
        "origin": "VARCHAR",
        "created_at": "TIMESTAMP",
    },
    "verdicts": {
        "memory_id": "VARCHAR",
        "verdict": "VARCHAR",
        "made_at": "TIMESTAMP",
        "actor": "VARCHAR",
        "exposure_days": "DOUBLE",
        "reason": "VARCHAR",
    },
    "signals": {
        "memory_id": "VARCHAR",
        "signal": "VARCHAR",
        "made_at": "TIMESTAMP",
        "actor": "VARCHAR",
        "pack_id": "VARCHAR",
        "weight": "DOUBLE",
        "reason": "VARCHAR",
    },
    "tombstones": {
        "content_hash": "VARCHAR",
        "project": "VARCHAR",
        "memory_id": "VARCHAR",
        "made_at": "TIMESTAMP",
        "actor": "VARCHAR",
        "reason": "VARCHAR",
    },
    "packs": {
        "id": "VARCHAR",
        "made_at": "TIMESTAMP",
        "actor": "VARCHAR",
        "project": "VARCHAR",
        "task": "VARCHAR",
        "files": ["VARCHAR"],
        "target": "VARCHAR",
        "budget": "VARCHAR",
        "encoding": "VARCHAR",
        "tokens": "INTEGER",
        "payload_hash": "VARCHAR",
        "members": [_MEMBER],
        "options": "VARCHAR",
    },
    "recipes": {
        "name": "VARCHAR",
        "project": "VARCHAR",
        "task": "VARCHAR",
        "files": ["VARCHAR"],
        "target": "VARCHAR",
        "budget": "VARCHAR",
        "created_at": "TIMESTAMP",
        "options": "VARCHAR",
    },
    "projects": {"name": "VARCHAR", "created_at": "TIMESTAMP"},
    "project_identities": {"identity": "VARCHAR", "project": "VARCHAR", "seen_at": "TIMESTAMP"},
    "source_states": {
        "memory_id": "VARCHAR",
        "path": "VARCHAR",
        "native_id": "VARCHAR",
        "seen_hash": "VARCHAR",
        "seen_at": "TIMESTAMP",
    },
    "source_texts": {
        "memory_id": "VARCHAR",
        "path": "VARCHAR",
        "native_id": "VARCHAR",
        "span": ["INTEGER"],
        "base": _TEXTS,
        "stated": _TEXTS,
        "seen_hash": "VARCHAR",
        "seen_at": "TIMESTAMP",
    },
    "anchor_states": {"memory_id": "VARCHAR", "path": "VARCHAR", "state": "VARCHAR", "checked_at": "TIMESTAMP"},
    "changes": {
        "number": "BIGINT",
        "made_at": "TIMESTAMP",
        "actor": "VARCHAR",
        "action": "VARCHAR",
        "summary": "VARCHAR",
        "reason": "VARCHAR",
        "state": "VARCHAR",
        "undoable": "BOOLEAN",
    },
    "revisions": {
        "change_number": "BIGINT",
        "position": "INTEGER",
        "entity": "VARCHAR",
        "entity_key": "VARCHAR",
        "version": "INTEGER",
        "before": "VARCHAR",
        "after": "VARCHAR",
    },
    "documents": {"memory_key": "BIGINT", "length": "INTEGER"},
}
"""Columns of each table with DuckDB's types; a list wraps its element type, a mapping is a STRUCT."""

LATER_COLUMNS: dict[str, frozenset[str]] = {"packs": frozenset({"options"}), "recipes": frozenset({"options"})}
"""Columns that a file of an older schema lacks; its rows are whole without them."""

CHUNK_ROWS = 2_000
"""Rows per JSON text: bounds the memory of a large import."""

ONE_BY_ONE = 2
"""Up to so many rows are inserted one after the other: a change 1.7 against 4.7 ms, a memory 6.5 against 11.9."""


def insert_rows(connection: duckdb.DuckDBPyConnection, table: str, rows: Iterable[Row]) -> None:
    """Insert rows, each a mapping of every column of the table; lone surrogates become question marks."""
    columns = COLUMNS[table]
    shape = json.dumps([columns])
    names = ", ".join(columns)
    values = ", ".join(f"r.{name}" for name in columns)
    statement = f"INSERT INTO {table} ({names}) SELECT {values} FROM (SELECT unnest(from_json(?, ?)) AS r)"  # noqa: S608 - names are ours
    pending = list(rows)
    if len(pending) <= ONE_BY_ONE:
        for row in pending:
            _insert_row(connection, table, row)
        return
    for start in range(0, len(pending), CHUNK_ROWS):
        text = json.dumps(pending[start : start + CHUNK_ROWS], ensure_ascii=False, default=_stored_time)
        connection.execute(statement, [without_surrogates(text), shape])


def _insert_row(connection: duckdb.DuckDBPyConnection, table: str, row: Row) -> None:
    """Insert a row by parameters: planned in half the time that unpacking a list of rows takes."""
    columns = COLUMNS[table]
    marks = ("?" if isinstance(shape, str) else f"from_json(?, '{json.dumps(shape)}')" for shape in columns.values())
    connection.execute(
        f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({', '.join(marks)})",  # noqa: S608 - names are ours
        [_parameter(row.get(name), shape) for name, shape in columns.items()],
    )


def _parameter(value: object, shape: object) -> object:
    if value is not None and not isinstance(shape, str):
        return without_surrogates(json.dumps(value, ensure_ascii=False, default=_stored_time))
    if isinstance(value, datetime):
        return value.astimezone(UTC).replace(tzinfo=None)
    return without_surrogates(value) if isinstance(value, str) else value


def delete_where_in(
    connection: duckdb.DuckDBPyConnection, table: str, column: str, values: Sequence[str] | Sequence[int]
) -> None:
    """Delete the rows whose column is one of the values."""
    condition, parameters = among(column, values, "BIGINT" if values and isinstance(values[0], int) else "VARCHAR")
    connection.execute(f"DELETE FROM {table} WHERE {condition}", parameters)  # noqa: S608 - names are ours


def delete_equal(connection: duckdb.DuckDBPyConnection, table: str, given: Sequence[Row]) -> None:
    """Delete one row of a table for each given row that equals it in every column; what is not there is passed over."""
    columns = COLUMNS[table]
    names = ", ".join(columns)
    alike = " AND ".join(f"stored.{name} IS NOT DISTINCT FROM wanted.{name}" for name in (*columns, "copy"))
    numbered = f"row_number() OVER (PARTITION BY {names}) AS copy"
    first = next(iter(columns))
    statement = (
        f"DELETE FROM {table} WHERE rowid IN (WITH given AS (SELECT unnest(from_json(?, ?), recursive := true)),"  # noqa: S608 - names are ours
        f" wanted AS (SELECT {names}, {numbered} FROM given),"
        f" stored AS (SELECT rowid AS place, {names}, {numbered} FROM {table}"
        f" WHERE {first} IN (SELECT {first} FROM given))"
        f" SELECT stored.place FROM stored JOIN wanted ON {alike})"
    )
    for start in range(0, len(given), CHUNK_ROWS):
        text = json.dumps(given[start : start + CHUNK_ROWS], ensure_ascii=False, default=_stored_time)
        connection.execute(statement, [without_surrogates(text), json.dumps([columns])])


def _stored_time(value: object) -> str:
    if isinstance(value, datetime):
        return value.astimezone(UTC).replace(tzinfo=None).isoformat()
    raise TypeError(f"no column takes {type(value).__name__}")


def aware(moment: datetime | None) -> datetime | None:
    """Return a stored time as UTC."""
    return None if moment is None else moment.replace(tzinfo=UTC)


def known_time(moment: datetime) -> datetime:
    """Return a stored time that is never NULL as UTC."""
    return moment.replace(tzinfo=UTC)


MEMORY_COLUMNS = tuple(COLUMNS["memories"])
MEMORY_SELECT = ", ".join(f"m.{name}" for name in MEMORY_COLUMNS)
_TIME_COLUMNS = frozenset(name for name, kind in COLUMNS["memories"].items() if kind == "TIMESTAMP")
_PLAIN_COLUMNS = tuple(
    name
    for name in MEMORY_COLUMNS
    if name not in {"key", "content_hash", "anchors", "tags", "sources"} and name not in _TIME_COLUMNS
)


def memory_row(memory: Memory, key: int) -> Row:
    """Return the row of a memory."""
    row: Row = {"key": key, "content_hash": content_hash(memory)}
    for name in _PLAIN_COLUMNS:
        row[name] = getattr(memory, name)
    for name in _TIME_COLUMNS:
        moment = getattr(memory, name)
        row[name] = None if moment is None else _stored_time(moment)
    row["tags"] = list(memory.tags)
    row["anchors"] = [{"path": anchor.path, "content_hash": anchor.content_hash} for anchor in memory.anchors]
    row["sources"] = [
        {
            "format": source.format,
            "path": source.path,
            "span": list(source.span) if source.span else None,
            "native_id": source.native_id,
            "agent": source.agent,
            "imported_hash": source.imported_hash,
        }
        for source in memory.sources
    ]
    return row


def memory_from_row(values: Sequence[Any]) -> tuple[int, Memory]:
    """Return the internal key and the memory of a row selected by MEMORY_SELECT."""
    row = dict(zip(MEMORY_COLUMNS, values, strict=True))
    plain = {name: row[name] for name in _PLAIN_COLUMNS}
    times: dict[str, Any] = {name: aware(row[name]) for name in _TIME_COLUMNS}
    memory = Memory(
        **plain,
        **times,
        tags=tuple(row["tags"] or ()),
        anchors=tuple(Anchor(anchor["path"], anchor["content_hash"]) for anchor in row["anchors"] or ()),
        sources=tuple(
            Source(
                format=source["format"],
                path=source["path"],
                span=tuple(source["span"]) if source["span"] else None,
                native_id=source["native_id"],
                agent=source["agent"],
                imported_hash=source["imported_hash"],
            )
            for source in row["sources"] or ()
        ),
    )
    return int(row["key"]), memory


def plain_row(thing: Link | Verdict | Signal | Tombstone) -> Row:
    """Return the row of a link, verdict, signal or tombstone."""
    # `at` is a reserved word of DuckDB.
    return {"made_at" if name == "at" else name: getattr(thing, name) for name in thing.__slots__}


def link_from_row(values: Sequence[Any]) -> Link:
    """Return a link from a row in column order."""
    from_id, kind, to_id, weight, origin, created_at = values
    return Link(
        from_id=from_id, type=kind, to_id=to_id, weight=weight, origin=origin, created_at=known_time(created_at)
    )


def verdict_from_row(values: Sequence[Any]) -> Verdict:
    """Return a verdict from a row in column order."""
    memory_id, verdict, at, actor, exposure_days, reason = values
    return Verdict(
        memory_id=memory_id,
        verdict=verdict,
        at=known_time(at),
        actor=actor,
        exposure_days=exposure_days,
        reason=reason,
    )


def signal_from_row(values: Sequence[Any]) -> Signal:
    """Return a signal from a row in column order."""
    memory_id, signal, at, actor, pack_id, weight, reason = values
    return Signal(
        memory_id=memory_id,
        signal=signal,
        at=known_time(at),
        actor=actor,
        pack_id=pack_id,
        weight=weight,
        reason=reason,
    )


def tombstone_from_row(values: Sequence[Any]) -> Tombstone:
    """Return a tombstone from a row in column order."""
    content, project, memory_id, at, actor, reason = values
    return Tombstone(
        content_hash=content, project=project, memory_id=memory_id, at=known_time(at), actor=actor, reason=reason
    )


def change_from_row(values: Sequence[Any]) -> Change:
    """Return a change from a row in column order, without its memories."""
    number, at, actor, action, summary, reason, state, _undoable = values
    return Change(
        number=number, at=known_time(at), actor=actor, action=action, summary=summary, reason=reason, state=state
    )
