"""Connect to a team's PostgreSQL server, and who may do what there; what it refuses is said in memtui's words."""

from __future__ import annotations

import re
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.resources import files
from typing import TYPE_CHECKING

from memtui.errors import MemtuiError, NotFoundError, RefusedError, UsageError
from memtui.sync.carrier import check_url, without_password
from memtui.text.sanitize import one_line
from memtui.text.words import unknown

if TYPE_CHECKING:
    from types import ModuleType

    from psycopg import Connection


SCHEMA = 1  # The schema that this memtui speaks
CLIENT = 1  # What it tells the server of itself, so that a team can ask for a newer one
CHANNEL = "memtui_team"  # Where the server tells of changes

CONNECT_SECONDS = 5
STATEMENT_SECONDS = 60
ANSWER_SECONDS = 70  # So long a server may say nothing at all: what hangs enforces no limit of its own

_ALIVE = {
    # A network that went silent is noticed within half a minute.
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 15_000,
}


def connect(url: str) -> Connection[tuple[object, ...]]:
    """Open a connection in which each statement is a transaction.

    Raises:
        UsageError, RefusedError: as `check_url`.
        MemtuiError: psycopg is missing, or the server cannot be reached.
    """
    check_url(url)
    psycopg = _psycopg()
    try:
        psycopg.conninfo.conninfo_to_dict(url)
    except psycopg.ProgrammingError as error:
        raise UsageError(
            "Not a PostgreSQL URL",
            where=f"{url[:80]!r} ({_said(error)})",
            remedy="Write it like postgresql://ROLE@HOST/DATABASE.",
        ) from error
    with database_errors(url):
        connection: Connection[tuple[object, ...]] = psycopg.connect(
            url, autocommit=True, connect_timeout=CONNECT_SECONDS, fallback_application_name="memtui", **_ALIVE
        )
    with asking(url, connection):
        # What a session's owner has in other schemas is none of our business.
        connection.execute(
            "SELECT pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', false),"
            " pg_catalog.set_config('statement_timeout', %s, false)",
            [str(STATEMENT_SECONDS * 1000)],
        )
    return connection


def schema_sql() -> str:
    """Return the statements that make a database a team's."""
    return (files("memtui.sync") / "schema.sql").read_text(encoding="utf-8")


def _psycopg() -> ModuleType:
    try:
        import psycopg
    except ImportError:
        raise MemtuiError(
            "Teams on PostgreSQL need a driver that is not installed",
            where="psycopg",
            remedy="Install it: pip install 'memtui[team]'.",
        ) from None
    return psycopg


@contextmanager
def asking(url: str, connection: Connection[tuple[object, ...]]) -> Iterator[None]:
    """Hang up on a server that says nothing for too long; its errors are as in `database_errors`."""
    timer = threading.Timer(ANSWER_SECONDS, _hang_up, [connection])
    timer.daemon = True
    timer.start()
    try:
        with database_errors(url):
            yield
    finally:
        timer.cancel()


def _hang_up(connection: Connection[tuple[object, ...]]) -> None:
    with suppress(OSError, _psycopg().Error):
        line = socket.socket(fileno=connection.fileno())
        try:
            line.shutdown(socket.SHUT_RDWR)
        finally:
            line.detach()  # it is libpq's


@contextmanager
def database_errors(url: str) -> Iterator[None]:
    """Turn errors of the driver into memtui's; the URL is shown without a password."""
    psycopg = _psycopg()
    try:
        yield
    except psycopg.errors.InsufficientPrivilege as error:
        raise RefusedError(
            f"The team's database refuses: {_said(error)}",
            where=without_password(url),
            remedy="Nothing was changed. The owner of the team's database can grant the right with `memtui team add`.",
        ) from error
    except psycopg.errors.InvalidParameterValue as error:
        raise RefusedError(f"The team's database refuses: {_said(error)}", where=without_password(url)) from error
    except (psycopg.errors.UndefinedTable, psycopg.errors.InvalidSchemaName, psycopg.errors.UndefinedFunction) as error:
        raise MemtuiError(
            "This database has no team yet",
            where=without_password(url),
            remedy="`memtui team init URL` sets one up.",
        ) from error
    except psycopg.OperationalError as error:
        raise MemtuiError(
            f"The team's database cannot be reached ({_said(error)})",
            where=without_password(url),
            remedy="Nothing was changed. Try again when it can be reached.",
        ) from error
    except psycopg.Error as error:
        raise MemtuiError(f"The team's database fails ({_said(error)})", where=without_password(url)) from error


def _said(error: Exception) -> str:
    return one_line(str(error).strip().split("\n")[0])[:200]


RIGHTS = ("read", "propose", "write", "admin")

_LONGEST_ROLE = 63


@dataclass(frozen=True, slots=True)
class Member:
    """A role of the database that takes part."""

    role: str
    project: str | None  # None for every project
    may: str  # one of `RIGHTS`


def init_team(url: str) -> str:
    """Make a database a team's; returns the team's id.

    Raises:
        RefusedError: it is one already, or the role may not create a schema.
        MemtuiError: it cannot be reached; nothing was changed.
    """
    with connect(url) as db, database_errors(url), db.transaction():
        if db.execute("SELECT 1 FROM pg_namespace WHERE nspname = 'team'").fetchone():
            raise RefusedError(
                "This database already has a schema `team`",
                where=without_password(url),
                remedy="Nothing was changed. `memtui team join URL` joins it.",
            )
        db.execute(schema_sql())
        row = db.execute("SELECT value FROM team.settings WHERE key = 'team'").fetchone()
        return str(row[0]) if row else ""


def init_statements() -> str:
    """Return what `init_team` runs, for an administrator who runs it by hand."""
    return f"-- memtui team, schema {SCHEMA}\nBEGIN;\n{schema_sql()}COMMIT;\n"


def add_statements(role: str, may: str, project: str | None, *, creates_role: bool = False) -> list[str]:
    """Return the statements that let a role take part; a right that it had there is replaced.

    Raises `UsageError`: the role or the right is none.
    """
    check_role(role)
    if may not in RIGHTS:
        raise unknown("right", may, RIGHTS)
    name, place = _literal(role), "NULL"
    if project is not None:
        place = f"(SELECT id FROM team.projects WHERE name = {_literal(project)})"  # noqa: S608 - quoted
    return [
        *([f"CREATE ROLE {_identifier(role)} LOGIN"] if creates_role else []),
        f"DELETE FROM team.members WHERE role = {name} AND project IS NOT DISTINCT FROM {place}",  # noqa: S608 - quoted
        f"INSERT INTO team.members (role, project, may) VALUES ({name}, {place}, {_literal(may)})",  # noqa: S608
    ]


def remove_statements(role: str) -> list[str]:
    """Return the statements after which a role sees and changes nothing any more. Raises `UsageError`: it is none."""
    check_role(role)
    return [f"DELETE FROM team.members WHERE role = {_literal(role)}"]  # noqa: S608 - quoted


def add_member(url: str, role: str, may: str, project: str | None) -> bool:
    """Let a role take part; returns whether it was created, without a password.

    Raises:
        NotFoundError: the team has no such project.
        RefusedError: one may not change the members, or not create a role; nothing was changed.
    """
    with connect(url) as db, database_errors(url), db.transaction():
        if project is not None and not db.execute("SELECT 1 FROM team.projects WHERE name = %s", [project]).fetchone():
            raise NotFoundError("The team has no such project", where=project, remedy="Sync it once, then add members.")
        is_there = db.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [role]).fetchone()
        row = db.execute("SELECT rolcreaterole OR rolsuper FROM pg_roles WHERE rolname = current_user").fetchone()
        if not is_there and not (row and row[0]):
            raise RefusedError(
                "The database has no such role, and yours may not create one",
                where=role,
                remedy=f"Let the server's administrator run: CREATE ROLE {_identifier(role)} LOGIN; then try again.",
            )
        for statement in add_statements(role, may, project, creates_role=not is_there):
            db.execute(statement.encode())
        return not is_there


def remove_member(url: str, role: str) -> int:
    """Let a role no longer take part; returns how many rights it had. Its role in the database stays.

    Raises `NotFoundError`: it takes no part.
    """
    with connect(url) as db, database_errors(url):
        removed = 0
        for statement in remove_statements(role):
            removed += max(0, db.execute(statement.encode()).rowcount)
    if not removed:
        raise NotFoundError("The team has no such member", where=role, remedy="`memtui team status` lists them.")
    return removed


def list_members(url: str) -> list[Member]:
    """Return the members that one may see, by role."""
    with connect(url) as db, database_errors(url):
        found = db.execute(
            "SELECT m.role::text, p.name, m.may FROM team.members m LEFT JOIN team.projects p ON p.id = m.project"
            " ORDER BY 1, 2 NULLS FIRST"
        ).fetchall()
    return [Member(str(role), None if name is None else str(name), str(may)) for role, name, may in found]


def check_role(role: str) -> str:
    """Return the name of a role. Raises `UsageError`: no role can have it."""
    if not role or len(role.encode("utf-8", "replace")) > _LONGEST_ROLE or not role.isprintable():
        raise UsageError(
            "Invalid name of a database role", where=repr(role[:80]), remedy="Give the name of a role, such as ana."
        )
    return role


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'" if "\\" not in text else "E'" + re.sub(r"(['\\])", r"\\\1", text) + "'"


def _identifier(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'
