"""SQLite databases that their assistant may be writing at this moment."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

BUSY_SECONDS = 3.0


@contextmanager
def reading(file: Path) -> Iterator[sqlite3.Connection]:
    """Open a database for one short transaction of reading; nothing is copied, nothing is written.

    A copy of the main file alone would miss what is still in its log, and `immutable` would read a live log wrongly.

    Raises:
        sqlite3.Error: it cannot be read.
    """
    is_alone = _is_left_alone(file)
    address = _address(file, is_alone=is_alone)
    connection = sqlite3.connect(address, uri=True, timeout=BUSY_SECONDS, isolation_level=None)
    try:
        connection.row_factory = sqlite3.Row
        connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
        connection.execute("PRAGMA query_only = ON")
        connection.execute("PRAGMA trusted_schema = OFF")
        if is_alone:
            connection.execute("PRAGMA locking_mode = EXCLUSIVE")
        connection.execute("BEGIN")
        yield connection
    finally:
        connection.close()


def columns(connection: sqlite3.Connection, table: str) -> frozenset[str]:
    """Return the names of a table's columns; none where there is no such table."""
    return frozenset(row["name"] for row in connection.execute("SELECT name FROM pragma_table_info(?)", (table,)))


def object_in(value: object) -> dict[str, Any]:
    """Return the JSON object in a value; empty where it holds none."""
    if isinstance(value, bytes):
        value = value.decode("utf-8", "replace")
    if not isinstance(value, str):
        return {}
    try:
        found = json.loads(value)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _address(file: Path, *, is_alone: bool) -> str:
    """Return the address that opens a database read-only.

    A database in WAL mode wants an index beside it even to be read. Where it has no log nobody has it open, and SQLite
    is told that nothing will change, so that it makes none: reading leaves no file behind. The same holds for one that
    is left alone: without locks, and exclusively, SQLite keeps the index in memory.
    """
    address = f"{file.absolute().as_uri()}?mode=ro"
    if is_alone:
        return f"{address}&vfs={'win32' if os.name == 'nt' else 'unix'}-none"
    beside = (file.with_name(f"{file.name}{side}") for side in ("-wal", "-shm"))
    if _is_wal(file) and not any(path.exists() for path in beside):
        return f"{address}&immutable=1"
    return address


def _is_left_alone(file: Path) -> bool:
    """Return whether a database has a log but no index: a copy or one that was restored, which nobody has open."""
    return (
        _is_wal(file)
        and file.with_name(f"{file.name}-wal").exists()
        and not file.with_name(f"{file.name}-shm").exists()
    )


def _is_wal(file: Path) -> bool:
    """Return whether the header says that writers append to a log."""
    try:
        with file.open("rb") as stream:
            return stream.read(20)[18:19] == b"\x02"
    except OSError:
        return False
