"""Connect to a team's PostgreSQL server, and say in memtui's words what it refuses."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.resources import files
from typing import TYPE_CHECKING

from memtui.errors import MemtuiError, RefusedError, UsageError
from memtui.sync.places import check_url, without_password
from memtui.text.sanitize import one_line

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
        raise UsageError("This names no PostgreSQL database", where=f"{url[:80]!r} ({_said(error)})") from error
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
            remedy="Nothing was changed. Whoever owns the team's database can give the right with `memtui team add`.",
        ) from error
    except psycopg.errors.InvalidParameterValue as error:
        raise RefusedError(f"The team's database refuses: {_said(error)}", where=without_password(url)) from error
    except (psycopg.errors.UndefinedTable, psycopg.errors.InvalidSchemaName, psycopg.errors.UndefinedFunction) as error:
        raise MemtuiError(
            "This database holds no team yet",
            where=without_password(url),
            remedy="`memtui team init URL` makes it one.",
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
