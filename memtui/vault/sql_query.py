"""Read-only SQL for people, isolated from the file system, over stable views."""

from __future__ import annotations

import json
import math
import re
import threading
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memtui.errors import MemtuiError, RefusedError, UsageError
from memtui.vault.filters import freshness_sql
from memtui.vault.repair import snapshot
from memtui.vault.vault import Vault

if TYPE_CHECKING:
    import duckdb

STABLE_VIEWS: Mapping[str, tuple[str, ...]] = {
    "memories": (
        *("id", "version", "project", "kind", "status", "status_reason", "title", "insight", "rationale", "snippet"),
        *("tags", "anchors", "importance", "confidence", "pinned", "created_at", "updated_at", "observed_at"),
        *("confirmed_at", "confirmed_by", "verified_at", "verified_by", "valid_from", "valid_until", "due_at"),
        *("snoozed_until", "half_life_days", "freshness", "rules", "cause"),
    ),
    "anchors": ("memory_id", "path", "state"),
    "sources": ("memory_id", "format", "path", "span", "native_id", "agent"),
    "revisions": (
        *("change_number", "made_at", "actor", "action", "position"),
        *("entity", "entity_key", "version", "before", "after"),
    ),
    "links": ("from_id", "type", "to_id", "weight", "origin", "created_at"),
    "verdicts": ("memory_id", "verdict", "made_at", "actor", "exposure_days", "reason"),
    "signals": ("memory_id", "signal", "made_at", "actor", "pack_id", "weight", "reason"),
    "packs": (
        *("id", "made_at", "actor", "project", "task", "files", "target", "budget", "encoding", "tokens", "members"),
    ),
    "changes": ("number", "made_at", "actor", "action", "summary", "reason", "state"),
    "projects": ("name", "created_at"),
}
"""The views and their columns: they stay the same across schema versions."""

OTHER_NAMES = {
    "memory": "memories",
    "anchor": "anchors",
    "source": "sources",
    "link": "links",
    "verdict": "verdicts",
    "signal": "signals",
    "pack": "packs",
    "change_log": "changes",
    "project": "projects",
}
"""Aliases of the views, for scripts."""

IN_PLACE_SECONDS = 0.2
"""How long a query may run on the vault itself, so that the lease stays below 250 ms; a longer one runs on a copy."""

_INTERRUPTED_AGAIN_SECONDS = 0.02

_SETTINGS = threading.Lock()

_SPACE = re.compile(r"[\s;\ufeff]++|--[^\r\n]*+")
_COMMENT_MARK = re.compile(r"/\*|\*/")

_PRAGMA = re.compile(r"pragma\b", re.IGNORECASE)
"""DuckDB 1.5 rewrites some pragmas to a SELECT before their type can be determined."""

_EXPLAIN = re.compile(r"explain\b", re.IGNORECASE)
_EXPLAIN_OPTIONS = re.compile(r"analyze\b|\([^)]*+\)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Table:
    """The result of a query; column names are unique: a second `id` is called `id_2`."""

    columns: tuple[str, ...]
    rows: Sequence[tuple[Any, ...]]


def run_query(vault: Vault, query: str) -> Table:
    """Run one read-only statement over a vault.

    The vault is attached read-only, external access is off and the configuration locked: a read-only connection
    alone could still read and write other files. No lease is held for long: what takes more than
    `IN_PLACE_SECONDS` starts again on a copy.

    Raises:
        UsageError: the query is not valid SQL.
        RefusedError: it would write or reach outside the vault.
    """
    with vault.connect(read_only=True, private=True) as connection:
        table = _answer(connection, vault, query, IN_PLACE_SECONDS if vault.exists else None)
    if table is None:
        with snapshot(vault) as connection:
            table = _answer(connection, vault, query, None)
    if table is None:
        raise MemtuiError("The query was interrupted", where=query[:60])
    return table


def _answer(connection: duckdb.DuckDBPyConnection, vault: Vault, query: str, seconds: float | None) -> Table | None:
    """Return the result, None if there was none within these seconds."""
    import duckdb

    for statement in _view_statements(vault, _database(connection)):
        connection.execute(statement)
    # A plain name is a view; the tables of the vault, which change with its schema, are not in the search path.
    connection.execute("ATTACH ':memory:' AS nothing")
    connection.execute("USE nothing")
    _shut_off(connection)
    try:
        _refuse_writing(connection, query)
        with _stopped_after(connection, seconds):
            result = connection.execute(query)
            columns = _numbered([str(column[0]) for column in result.description or ()])
            return Table(columns, result.fetchall())
    except duckdb.InterruptException:
        return None
    except (duckdb.PermissionException, duckdb.InvalidInputException) as error:
        raise RefusedError("The query was refused", where=_first_line(error)) from error
    except duckdb.Error as error:
        raise UsageError(
            "The query cannot be run",
            where=_first_line(error),
            remedy=f"The views are {', '.join(STABLE_VIEWS)}; `memtui sql --help` lists their columns.",
        ) from error


def _refuse_writing(connection: duckdb.DuckDBPyConnection, query: str) -> None:
    statements = connection.extract_statements(query)
    if len(statements) != 1:
        raise UsageError("Only one statement is allowed", where=query[:60], remedy="Run the statements one by one.")
    import duckdb

    kinds = duckdb.StatementType
    start = _after_space(query, 0)
    explained = _EXPLAIN.match(query, start)
    if statements[0].type == kinds.EXPLAIN and explained:
        # EXPLAIN ANALYZE runs what it explains.
        position = _after_space(query, explained.end())
        options = _EXPLAIN_OPTIONS.match(query, position)
        statements = connection.extract_statements(query[options.end() if options else position :])
    if [statement.type for statement in statements] != [kinds.SELECT] or _PRAGMA.match(query, start):
        raise RefusedError("`sql` is read-only", where=query[:60], remedy="Use memtui's commands to change memories.")


def _after_space(query: str, position: int) -> int:
    """Return where the next word begins: behind white space and comments, which may hold comments."""
    while True:
        if query.startswith("/*", position):
            position = _after_comment(query, position)
        elif space := _SPACE.match(query, position):
            position = space.end()
        else:
            return position


def _after_comment(query: str, position: int) -> int:
    depth = 0
    for mark in _COMMENT_MARK.finditer(query, position):
        depth += 1 if mark[0] == "/*" else -1
        if not depth:
            return mark.end()
    return len(query)


@contextmanager
def _stopped_after(connection: duckdb.DuckDBPyConnection, seconds: float | None) -> Iterator[None]:
    if seconds is None:
        yield
        return
    done = threading.Event()

    def interrupt() -> None:
        wait = seconds
        # DuckDB forgets an interrupt that comes before the statement has begun, so it is repeated.
        while not done.wait(wait):
            connection.interrupt()
            wait = _INTERRUPTED_AGAIN_SECONDS

    thread = threading.Thread(target=interrupt, daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        # A pending interrupt must not reach a connection that is closed by then.
        thread.join()


def _numbered(names: Sequence[str]) -> tuple[str, ...]:
    """Return unique names, so that two columns with one name are both returned."""
    taken = Counter(names)
    seen: Counter[str] = Counter()
    numbered = []
    for name in names:
        seen[name] += 1
        own = name
        while seen[name] > 1 and (own == name or own in taken):
            own = f"{name}_{seen[name]}"
            seen[name] += own in taken
        taken[own] += 1
        numbered.append(own)
    return tuple(numbered)


def _database(connection: duckdb.DuckDBPyConnection) -> str:
    row = connection.execute("SELECT current_database()").fetchone()
    return str(row[0]) if row else "memory"


def _shut_off(connection: duckdb.DuckDBPyConnection) -> None:
    """Forbid access to files and lock the settings, unless a concurrent query in this process did so."""
    with _SETTINGS:
        locked = connection.execute("SELECT current_setting('lock_configuration')").fetchone()
        if locked and locked[0]:
            return
        connection.execute("SET enable_external_access = false")
        connection.execute("SET lock_configuration = true")


def _first_line(error: BaseException) -> str:
    return str(error).strip().split("\n", 1)[0][:300]


def jsonable(value: Any) -> Any:
    """Return a cell as a JSON value: NaN and infinity as null, bytes in hexadecimal."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, bytes | bytearray | memoryview):
        return bytes(value).hex()
    if isinstance(value, Mapping):
        return {key if isinstance(key, str) else str(jsonable(key)): jsonable(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [jsonable(one) for one in value]
    return value if value is None or isinstance(value, str | int) else str(value)


def as_text(value: Any) -> str:
    """Return a cell as text: empty for NULL, lists and structs as JSON, bytes in hexadecimal."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return str(value)
    plain = jsonable(value)
    return plain if isinstance(plain, str) else json.dumps(plain, ensure_ascii=False)


def _view_statements(vault: Vault, database: str) -> list[str]:
    """Return temporary views of the tables in a database, under their names and aliases."""
    at = f'"{database}".main'
    fresh = freshness_sql(vault.kinds, vault.now())
    paths = "[anchor.path FOR anchor IN anchors]"
    bodies = {
        "memories": f"SELECT * REPLACE ({paths} AS anchors), {fresh} AS freshness FROM {at}.memories m",
        "anchors": "SELECT a.memory_id, a.anchor.path AS path, s.state AS state"
        f" FROM (SELECT id AS memory_id, unnest(anchors) AS anchor FROM {at}.memories) a"
        f" LEFT JOIN {at}.anchor_states s ON s.memory_id = a.memory_id AND s.path = a.anchor.path",
        "sources": "SELECT memory_id, s.format AS format, s.path AS path, s.span AS span, s.native_id AS native_id,"
        f" s.agent AS agent FROM (SELECT id AS memory_id, unnest(sources) AS s FROM {at}.memories)",
        "revisions": f"SELECT * FROM {at}.revisions JOIN {at}.changes ON number = change_number",
    }
    statements = []
    for name, columns in STABLE_VIEWS.items():
        body = bodies.get(name, f"SELECT * FROM {at}.{name}")
        statements.append(f"CREATE TEMP VIEW {name} AS SELECT {', '.join(columns)} FROM ({body})")
    return statements + [
        f"CREATE TEMP VIEW {other} AS SELECT * FROM temp.main.{name}" for other, name in OTHER_NAMES.items()
    ]
