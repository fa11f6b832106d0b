"""Read-only SQL for people, shut off from the file system, over stable views."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memtui.errors import RefusedError, UsageError
from memtui.vault.filters import freshness_sql
from memtui.vault.vault import Vault

if TYPE_CHECKING:
    import duckdb

STABLE_VIEWS = ("memory", "anchor", "source", "link", "verdict", "signal", "pack", "change_log", "project")

_SETTINGS = threading.Lock()

_PRAGMA = re.compile(r"(?:\s|;|--[^\n]*(?:\n|$)|/\*.*?\*/)*pragma\b", re.DOTALL | re.IGNORECASE)
"""DuckDB 1.5 rewrites some pragmas to a SELECT before their type can be seen."""


@dataclass(frozen=True, slots=True)
class Table:
    """The answer to a query."""

    columns: tuple[str, ...]
    rows: Sequence[tuple[Any, ...]]


def run_query(vault: Vault, query: str) -> Table:
    """Run one read-only statement over a vault.

    The connection is read-only, external access is off and the configuration locked: a read-only connection
    alone could still read and write other files.

    Raises:
        UsageError: the query is no valid SQL.
        RefusedError: it would write or reach outside the vault.
    """
    import duckdb

    with vault.connect(read_only=True, private=True) as connection:
        for statement in _view_statements(vault):
            connection.execute(statement)
        _shut_off(connection)
        try:
            statements = connection.extract_statements(query)
            if len(statements) != 1:
                raise UsageError("One statement at a time", where=query[:60])
            if statements[0].type not in _readable_types(duckdb) or _PRAGMA.match(query):
                raise RefusedError(
                    "`sql` reads only", where=query[:60], remedy="Use the commands of memtui to change memories."
                )
            result = connection.execute(query)
            columns = tuple(column[0] for column in result.description or ())
            return Table(columns, result.fetchall())
        except (duckdb.PermissionException, duckdb.InvalidInputException) as error:
            raise RefusedError("The query was refused", where=_first_line(error)) from error
        except duckdb.Error as error:
            raise UsageError(
                "The query cannot be run",
                where=_first_line(error),
                remedy=f"The views are {', '.join(STABLE_VIEWS)}.",
            ) from error


def _shut_off(connection: duckdb.DuckDBPyConnection) -> None:
    """Forbid files and lock the settings, unless a query beside this one in the process has done so."""
    with _SETTINGS:
        locked = connection.execute("SELECT current_setting('lock_configuration')").fetchone()
        if locked and locked[0]:
            return
        connection.execute("SET enable_external_access = false")
        connection.execute("SET lock_configuration = true")


def _readable_types(duckdb: Any) -> tuple[Any, ...]:
    kinds = duckdb.StatementType
    return (kinds.SELECT, kinds.EXPLAIN)


def _first_line(error: BaseException) -> str:
    return str(error).strip().split("\n", 1)[0][:300]


def jsonable(value: Any) -> Any:
    """Return a cell as something JSON takes."""
    return json.loads(json.dumps(value, default=str))


def _view_statements(vault: Vault) -> list[str]:
    """Return temporary views with names and columns that stay the same across schema versions."""
    fresh = freshness_sql(vault.kinds, vault.now())
    bodies = {
        # An expression of ours, no text of a user.
        "memory": "SELECT id, version, project, kind, status, status_reason, title, insight, rationale, snippet, tags,"  # noqa: S608
        " [anchor.path FOR anchor IN anchors] AS anchors, importance, confidence, pinned, created_at, updated_at,"
        " observed_at, confirmed_at, confirmed_by, verified_at, verified_by, valid_from, valid_until, due_at,"
        f" snoozed_until, half_life_days, {fresh} AS freshness FROM memories m",
        "anchor": "SELECT a.memory_id, a.anchor.path AS path, s.state AS state"
        " FROM (SELECT id AS memory_id, unnest(anchors) AS anchor FROM memories) a"
        " LEFT JOIN anchor_states s ON s.memory_id = a.memory_id AND s.path = a.anchor.path",
        "source": "SELECT memory_id, s.format AS format, s.path AS path, s.span AS span, s.native_id AS native_id,"
        " s.agent AS agent FROM (SELECT id AS memory_id, unnest(sources) AS s FROM memories)",
        "link": "SELECT * FROM links",
        "verdict": "SELECT * FROM verdicts",
        "signal": "SELECT * FROM signals",
        "pack": "SELECT * FROM packs",
        "change_log": "SELECT number, made_at, actor, action, summary, reason, state FROM changes",
        "project": "SELECT name, created_at FROM projects",
    }
    return [f"CREATE TEMP VIEW {name} AS {bodies[name]}" for name in STABLE_VIEWS]
