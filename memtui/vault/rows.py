"""The tables of a vault, their columns and migrations, and how objects become rows."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from importlib.resources import files
from typing import TYPE_CHECKING, Any, TypeVar

from memtui import __version__
from memtui.domain.freshness import LONGEST_HALF_LIFE, SHORTEST_HALF_LIFE
from memtui.domain.memory import Anchor, Change, Link, Memory, Signal, Source, Tombstone, Verdict, content_hash
from memtui.errors import VaultTooNewError
from memtui.text.sanitize import without_surrogates
from memtui.vault.committing import committing

if TYPE_CHECKING:
    import duckdb

Row = dict[str, Any]
ThingT = TypeVar("ThingT", Link, Verdict, Signal, Tombstone, Change)


def _shapes(columns: str) -> dict[str, Any]:
    """Return the shape of each column, for `from_json`, from column definitions."""
    return {name: _SHAPES.get(kind, kind) for name, kind in (column.split() for column in columns.split(","))}


_SHAPES: dict[str, Any] = {"VARCHAR[]": ["VARCHAR"], "INTEGER[]": ["INTEGER"]}
_SHAPES["ANCHOR[]"] = [_shapes("path VARCHAR, content_hash VARCHAR")]
_SHAPES["SOURCE[]"] = [
    _shapes("format VARCHAR, path VARCHAR, span INTEGER[], native_id VARCHAR, agent VARCHAR, imported_hash VARCHAR")
]
_SHAPES["MEMBER[]"] = [_shapes("memory_id VARCHAR, version INTEGER, tokens INTEGER, score DOUBLE")]
_SHAPES["TEXTS"] = _shapes("title VARCHAR, insight VARCHAR, rationale VARCHAR, snippet VARCHAR")

COLUMNS: Mapping[str, Mapping[str, Any]] = {
    "memories": _shapes(
        "key BIGINT, id VARCHAR, version INTEGER, project VARCHAR, kind VARCHAR, status VARCHAR, status_reason VARCHAR,"
        "title VARCHAR, insight VARCHAR, rationale VARCHAR, snippet VARCHAR, anchors ANCHOR[], tags VARCHAR[],"
        "importance INTEGER, confidence DOUBLE, pinned BOOLEAN, created_at TIMESTAMP, updated_at TIMESTAMP,"
        "observed_at TIMESTAMP, confirmed_at TIMESTAMP, confirmed_by VARCHAR, verified_at TIMESTAMP,"
        "verified_by VARCHAR, valid_from TIMESTAMP, valid_until TIMESTAMP, due_at TIMESTAMP, snoozed_until TIMESTAMP,"
        "half_life_days DOUBLE, sources SOURCE[], content_hash VARCHAR, rules VARCHAR[], cause VARCHAR"
    ),
    "links": _shapes(
        "from_id VARCHAR, type VARCHAR, to_id VARCHAR, weight DOUBLE, origin VARCHAR, created_at TIMESTAMP"
    ),
    "verdicts": _shapes(
        "memory_id VARCHAR, verdict VARCHAR, made_at TIMESTAMP, actor VARCHAR, exposure_days DOUBLE, reason VARCHAR"
    ),
    "signals": _shapes(
        "memory_id VARCHAR, signal VARCHAR, made_at TIMESTAMP, actor VARCHAR, pack_id VARCHAR, weight DOUBLE,"
        "reason VARCHAR"
    ),
    "tombstones": _shapes(
        "content_hash VARCHAR, project VARCHAR, memory_id VARCHAR, made_at TIMESTAMP, actor VARCHAR, reason VARCHAR,"
        "cause VARCHAR"
    ),
    "packs": _shapes(
        "id VARCHAR, made_at TIMESTAMP, actor VARCHAR, project VARCHAR, task VARCHAR, files VARCHAR[], target VARCHAR,"
        "budget VARCHAR, encoding VARCHAR, tokens INTEGER, payload_hash VARCHAR, members MEMBER[], options VARCHAR"
    ),
    "recipes": _shapes(
        "name VARCHAR, project VARCHAR, task VARCHAR, files VARCHAR[], target VARCHAR, budget VARCHAR,"
        "created_at TIMESTAMP, options VARCHAR"
    ),
    "projects": _shapes("name VARCHAR, created_at TIMESTAMP"),
    "project_identities": _shapes("identity VARCHAR, project VARCHAR, seen_at TIMESTAMP"),
    "source_states": _shapes(
        "memory_id VARCHAR, path VARCHAR, native_id VARCHAR, seen_hash VARCHAR, seen_at TIMESTAMP"
    ),
    "source_texts": _shapes(
        "memory_id VARCHAR, path VARCHAR, native_id VARCHAR, span INTEGER[], base TEXTS, stated TEXTS,"
        "seen_hash VARCHAR, seen_at TIMESTAMP"
    ),
    "passed_files": _shapes("project VARCHAR, path VARCHAR, made_at TIMESTAMP, actor VARCHAR"),
    "publications": _shapes(
        "path VARCHAR, block VARCHAR, project VARCHAR, text VARCHAR, head VARCHAR, memory_ids VARCHAR[],"
        "hashes VARCHAR[], recipe VARCHAR, query VARCHAR, made_at TIMESTAMP, actor VARCHAR"
    ),
    "proposals": _shapes(
        "memory_id VARCHAR, digest VARCHAR, signal VARCHAR, score DOUBLE, quote VARCHAR, assistant VARCHAR,"
        "session VARCHAR, task VARCHAR, file VARCHAR, line INTEGER, place VARCHAR, said_at TIMESTAMP, evidence VARCHAR"
    ),
    "teams": _shapes(
        "id VARCHAR, carrier VARCHAR, place VARCHAR, branch VARCHAR, team VARCHAR, person VARCHAR, proposes BOOLEAN,"
        "synced_at TIMESTAMP"
    ),
    "team_projects": _shapes(
        "team VARCHAR, project VARCHAR, remote VARCHAR, cursor VARCHAR, pushed BIGINT, waiting VARCHAR"
    ),
    "team_heads": _shapes(
        "team VARCHAR, project VARCHAR, entity VARCHAR, entity_key VARCHAR, seq BIGINT, content_hash VARCHAR"
    ),
    "team_orders": _shapes("team VARCHAR, project VARCHAR, memory_id VARCHAR, author VARCHAR, made_at TIMESTAMP"),
    "foreign_keys": _shapes("memory_id VARCHAR, format VARCHAR, keys VARCHAR"),
    "servings": _shapes(
        "session VARCHAR, assistant VARCHAR, project VARCHAR, event VARCHAR, made_at TIMESTAMP, tokens INTEGER,"
        "memories INTEGER, repeats INTEGER"
    ),
    "anchor_states": _shapes("memory_id VARCHAR, path VARCHAR, state VARCHAR, checked_at TIMESTAMP"),
    "changes": _shapes(
        "number BIGINT, made_at TIMESTAMP, actor VARCHAR, action VARCHAR, summary VARCHAR, reason VARCHAR,"
        "state VARCHAR, undoable BOOLEAN"
    ),
    "revisions": _shapes(
        "change_number BIGINT, position INTEGER, entity VARCHAR, entity_key VARCHAR, version INTEGER,"
        "before VARCHAR, after VARCHAR"
    ),
    "documents": _shapes("memory_key BIGINT, length INTEGER"),
}
"""Columns of each table with DuckDB's types; a list holds its element type, a mapping is a STRUCT."""

LATER_COLUMNS: dict[str, frozenset[str]] = {
    "packs": frozenset({"options"}),
    "recipes": frozenset({"options"}),
    "memories": frozenset({"rules", "cause"}),
    "tombstones": frozenset({"cause"}),
}
"""Columns that a file with an older schema lacks; its rows are complete without them.

A column that is added later belongs here, unless `vault.salvage` has a default for it. If it is missing, the repair of
an older vault takes every row for one that was read only in part, and drops it.
"""

MACHINE_KEYS = frozenset(
    {
        *(
            "id",
            "memory_id",
            "from_id",
            "to_id",
            "entity",
            "entity_key",
            "type",
            "status",
            "cause",
            "signal",
            "verdict",
        ),
        *("state", "target", "encoding", "budget", "payload_hash", "content_hash", "imported_hash", "seen_hash"),
        *("memory_ids", "hashes", "block", "cause"),
        *("format", "pack_id", "key", "action", "origin", "from", "to", "memory", "link", "pack"),
        *("made_at", "created_at", "updated_at", "observed_at", "confirmed_at", "verified_at", "valid_from"),
        *("valid_until", "due_at", "snoozed_until", "seen_at", "checked_at", "at", "said_at", "digest"),
    }
)
"""Columns of rows and keys of records that hold no free text: ids, hashes, times, words that memtui chooses.

None of these is scanned for secrets or erased by `purge --text`: a column of free text that is listed here leaks. A
column without free text that is missing here may be damaged: a purged text is cut out of an id or a hash, too.
"""

CHUNK_ROWS = 2_000  # Rows per JSON text: bounds the memory of a large import

ONE_BY_ONE = 2
"""Up to so many rows are inserted one after the other: a change 1.7 against 4.7 ms, a memory 6.5 against 11.9."""

FEW = 2
"""Up to so many values stand in the statement itself: DuckDB plans that in half the time of a semi-join (links of a
memory .65 against 1.3 ms, its postings among three million .9 against 1.7); from eight on the semi-join is faster."""

FEW_WIDE = 1
"""The same for all columns of a memory. One value is a plain comparison (2.3 against 4.1 ms), but from two on DuckDB
reads every column first: at 100,000 memories 48 ms, where the semi-join takes 5 to 14."""


def among(column: str, values: Iterable[str] | Iterable[int], *, few: int = FEW) -> tuple[str, list[object]]:
    """Return the condition that an SQL expression equals one of some values, and its parameters.

    `values`: any number; with none the condition is false. `few`: up to so many values stand in the statement.
    """
    listed = list(values)
    if not listed:
        return "false", []
    if len(listed) <= few:
        return f"{column} IN ({', '.join('?' * len(listed))})", list(listed)
    kind = "BIGINT" if isinstance(listed[0], int) else "VARCHAR"
    return f"{column} IN (SELECT unnest(from_json(?, '[\"{kind}\"]')))", [json.dumps(listed)]


def json_cell(name: str, kind: object) -> str | None:
    """Return SQL for a column as text, lists and structures as JSON; None for one without text."""
    if isinstance(kind, str):
        return name if kind == "VARCHAR" else None
    return f"CAST(to_json({name}) AS VARCHAR)"


Statement = tuple[str, list[object]]  # SQL with its parameters


def insert_rows(connection: duckdb.DuckDBPyConnection, table: str, rows: Iterable[Row]) -> None:
    """Insert rows, each a mapping of every column of the table; lone surrogates become question marks."""
    for statement in insertions(table, rows):
        connection.execute(*statement)


def insertions(table: str, rows: Iterable[Row]) -> Iterator[Statement]:
    """Yield what inserts rows, see `insert_rows`."""
    columns = COLUMNS[table]
    pending = list(rows)
    if len(pending) <= ONE_BY_ONE:
        yield from (_insertion(table, row) for row in pending)
        return
    shape = json.dumps([columns])
    names = ", ".join(columns)
    values = ", ".join(f"r.{name}" for name in columns)
    statement = f"INSERT INTO {table} ({names}) SELECT {values} FROM (SELECT unnest(from_json(?, ?)) AS r)"
    for start in range(0, len(pending), CHUNK_ROWS):
        yield statement, [_as_json(pending[start : start + CHUNK_ROWS]), shape]


def _insertion(table: str, row: Row) -> Statement:
    """Return what inserts a row by parameters, which is planned in half the time of unpacking a list of rows."""
    columns = COLUMNS[table]
    marks = ("?" if isinstance(shape, str) else f"from_json(?, '{json.dumps(shape)}')" for shape in columns.values())
    statement = f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({', '.join(marks)})"
    return statement, [_parameter(row.get(name), shape) for name, shape in columns.items()]


def _parameter(value: object, shape: object) -> object:
    if value is not None and not isinstance(shape, str):
        return _as_json(value)
    if isinstance(value, datetime):
        return value.astimezone(UTC).replace(tzinfo=None)
    return without_surrogates(value) if isinstance(value, str) else value


def delete_where_in(
    connection: duckdb.DuckDBPyConnection, table: str, column: str, values: Sequence[str] | Sequence[int]
) -> None:
    connection.execute(*deletion_in(table, column, values))


def deletion_in(table: str, column: str, values: Sequence[str] | Sequence[int]) -> Statement:
    """Return what deletes the rows with some values in a column."""
    condition, parameters = among(column, values)
    return f"DELETE FROM {table} WHERE {condition}", parameters


def delete_equal(connection: duckdb.DuckDBPyConnection, table: str, given: Sequence[Row]) -> None:
    """Delete one row of a table for each given row that equals it in every column, if there is one."""
    columns = COLUMNS[table]
    names = ", ".join(columns)
    alike = " AND ".join(f"stored.{name} IS NOT DISTINCT FROM wanted.{name}" for name in (*columns, "copy"))
    numbered = f"row_number() OVER (PARTITION BY {names}) AS copy"
    first = next(iter(columns))
    statement = (
        f"DELETE FROM {table} WHERE rowid IN (WITH given AS (SELECT unnest(from_json(?, ?), recursive := true)),"
        f" wanted AS (SELECT {names}, {numbered} FROM given),"
        f" stored AS (SELECT rowid AS place, {names}, {numbered} FROM {table}"
        f" WHERE {first} IN (SELECT {first} FROM given))"
        f" SELECT stored.place FROM stored JOIN wanted ON {alike})"
    )
    for start in range(0, len(given), CHUNK_ROWS):
        connection.execute(statement, [_as_json(given[start : start + CHUNK_ROWS]), json.dumps([columns])])


def _as_json(value: object) -> str:
    return without_surrogates(json.dumps(value, ensure_ascii=False, default=_stored_time))


def _stored_time(value: object) -> str:
    if isinstance(value, datetime):
        return value.astimezone(UTC).replace(tzinfo=None).isoformat()
    raise TypeError(f"no column holds a {type(value).__name__}")


def utc(moment: datetime) -> datetime:
    return moment.replace(tzinfo=UTC)


MEMORY_COLUMNS = tuple(COLUMNS["memories"])
MEMORY_SELECT = ", ".join(f"m.{name}" for name in MEMORY_COLUMNS)
_TIME_COLUMNS = frozenset(name for name, kind in COLUMNS["memories"].items() if kind == "TIMESTAMP")
_STRUCTURES: Mapping[str, Sequence[str]] = {
    "anchors": tuple(_SHAPES["ANCHOR[]"][0]),
    "sources": tuple(_SHAPES["SOURCE[]"][0]),
}
_LISTS = ("tags", "rules")
"""Columns of memories that hold a list of texts; `memory_from_row` makes a tuple of each. One that is missing in either
comes back as a list: the memory cannot be hashed, and differs from the one that was stored."""

_PLAIN_COLUMNS = tuple(
    name
    for name in MEMORY_COLUMNS
    if name not in {"key", "content_hash", *_LISTS, *_STRUCTURES} and name not in _TIME_COLUMNS
)


def memory_row(memory: Memory, key: int) -> Row:
    row: Row = {"key": key, "content_hash": content_hash(memory)}
    row |= {name: list(getattr(memory, name)) for name in _LISTS}
    for name in _PLAIN_COLUMNS:
        row[name] = getattr(memory, name)
    for name in _TIME_COLUMNS:
        moment = getattr(memory, name)
        row[name] = None if moment is None else _stored_time(moment)
    for name, parts in _STRUCTURES.items():
        row[name] = [{part: getattr(one, part) for part in parts} for one in getattr(memory, name)]
    return row


def memory_from_row(values: Sequence[Any]) -> tuple[int, Memory]:
    """Return the internal key and the memory of a row selected by MEMORY_SELECT."""
    row = dict(zip(MEMORY_COLUMNS, values, strict=True))
    sources = row["sources"] or ()
    fields = {name: row[name] for name in _PLAIN_COLUMNS}
    fields |= {name: row[name] and utc(row[name]) for name in _TIME_COLUMNS}
    memory = Memory(
        **fields,
        tags=tuple(row["tags"] or ()),
        rules=tuple(row["rules"] or ()),
        anchors=tuple(Anchor(anchor["path"], anchor["content_hash"]) for anchor in row["anchors"] or ()),
        sources=tuple(Source(**{**one, "span": tuple(one["span"]) if one["span"] else None}) for one in sources),
    )
    return int(row["key"]), memory


def row_of(thing: Link | Verdict | Signal | Tombstone) -> Row:
    # `at` is a reserved word in DuckDB.
    return {"made_at" if name == "at" else name: getattr(thing, name) for name in thing.__slots__}


def thing_from_row(kind: type[ThingT], table: str, values: Sequence[Any]) -> ThingT:
    """Return the link, verdict, signal, tombstone or change of a row in column order; a change without its memories."""
    fields: Row = {}
    for column, value in zip(COLUMNS[table], values, strict=True):
        name = "at" if column == "made_at" else column
        if name in kind.__slots__:
            fields[name] = utc(value) if isinstance(value, datetime) else value
    return kind(**fields)


SCHEMA_VERSION = 14  # The newest migration; a vault with a higher one is refused
SYNC = "sync"  # The journal's action of what came from a team
CHANGE = "change"  # The journal's entity for a change that was undone or redone
HALF_LIFE = "half-life"  # The journal's entity for a half-life that was applied to a kind
_HALF_LIFE = "half_life:"  # Prefix of the keys of half-lives


def stored_version(connection: duckdb.DuckDBPyConnection) -> int:
    """Return the schema version of an open vault, 0 for an empty file."""
    from memtui.vault.engine import duckdb

    try:
        return int(read_meta(connection, "schema_version") or 0)
    except duckdb.CatalogException:
        # Asking for the table first costs 16 ms at every open.
        return 0


def check_not_newer(connection: duckdb.DuckDBPyConnection, where: str) -> int:
    """Return the stored version. Raises `VaultTooNewError`: the vault was written by a newer memtui."""
    version = stored_version(connection)
    if version > SCHEMA_VERSION:
        writer = read_meta(connection, "written_by") or "a newer version"
        raise VaultTooNewError(
            f"The vault has schema {version}, written by memtui {writer}; this is memtui {__version__}"
            f" with schema {SCHEMA_VERSION}",
            where=where,
            remedy="Upgrade memtui (pip install -U memtui). The vault was not changed.",
        )
    return version


def migrate(connection: duckdb.DuckDBPyConnection) -> None:
    """Migrate an open vault to the newest schema in one transaction; one that fails changes nothing."""
    version = stored_version(connection)
    if version == SCHEMA_VERSION:
        return
    with committing(connection):
        create_tables(connection, after=version)
        write_meta(connection, "schema_version", str(SCHEMA_VERSION))
        write_meta(connection, "written_by", __version__)


def create_tables(connection: duckdb.DuckDBPyConnection, *, after: int = 0) -> None:
    """Run the migrations after a schema version, by default all, within the running transaction."""
    connection.execute("CREATE TABLE IF NOT EXISTS meta (key VARCHAR NOT NULL, value VARCHAR NOT NULL)")
    for script in _scripts(after):
        connection.execute(script)


def _scripts(after: int) -> list[str]:
    folder = files("memtui.vault") / "migrations"
    names = sorted(entry.name for entry in folder.iterdir() if entry.name.endswith(".sql"))
    return [(folder / name).read_text(encoding="utf-8") for name in names if int(name[:4]) > after]


def read_meta(connection: duckdb.DuckDBPyConnection, key: str) -> str | None:
    """Return a value of the `meta` table."""
    row = connection.execute("SELECT value FROM meta WHERE key = ?", [key]).fetchone()
    return None if row is None else str(row[0])


def write_meta(connection: duckdb.DuckDBPyConnection, key: str, value: str) -> None:
    """Set a value of the `meta` table within the running transaction."""
    connection.execute("DELETE FROM meta WHERE key = ?", [key])
    connection.execute("INSERT INTO meta VALUES (?, ?)", [key, value])


def stored_half_lives(connection: duckdb.DuckDBPyConnection) -> dict[str, float]:
    """Return the half-lives in days that were applied to kinds; invalid values are left out."""
    found = connection.execute("SELECT key, value FROM meta WHERE starts_with(key, ?)", [_HALF_LIFE]).fetchall()
    half_lives = {str(key).removeprefix(_HALF_LIFE): _days(value) for key, value in found}
    return {kind: days for kind, days in half_lives.items() if days is not None}


def write_half_life(connection: duckdb.DuckDBPyConnection, kind: str, days: float | None) -> None:
    """Set the half-life of a kind within the running transaction; None removes it."""
    connection.execute("DELETE FROM meta WHERE key = ?", [_HALF_LIFE + kind])
    if days is not None:
        connection.execute("INSERT INTO meta VALUES (?, ?)", [_HALF_LIFE + kind, repr(float(days))])


def renamed_key(key: str, rename: Callable[[str], str]) -> str:
    """Return the key of a half-life with its kind or project renamed; other keys are returned as they are."""
    return _HALF_LIFE + rename(key.removeprefix(_HALF_LIFE)) if key.startswith(_HALF_LIFE) else key


def _days(value: str) -> float | None:
    try:
        days = float(value)
    except ValueError:
        return None
    return days if math.isfinite(days) and SHORTEST_HALF_LIFE <= days <= LONGEST_HALF_LIFE else None
