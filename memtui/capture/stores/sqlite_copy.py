"""SQLite stores of other tools: copied with their log and journal, and only the copy opened."""

from __future__ import annotations

import shutil
import sqlite3
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from memtui.capture.draft import Skipped
from memtui.capture.skip_codes import SkipCode
from memtui.errors import SourceError

SIDES = ("", "-wal", "-journal")  # The log and the journal hold rows; `-shm` is made again
ATTEMPTS = 5
ATTEMPT_SECONDS = 0.2
LONGEST_VALUE = 64 * 1024 * 1024
QUERY_SECONDS = 120.0  # A query that runs longer was made to; no store takes this long to read
MAGIC = b"SQLite format 3\x00"


@dataclass(slots=True)
class Database:
    """The copy of a store, read by column names."""

    path: Path  # the store itself, for people
    connection: sqlite3.Connection
    tables: dict[str, frozenset[str]] = field(default_factory=dict)  # columns of the plain tables
    problems: list[Skipped] = field(default_factory=list)

    def table(self, name: str, *columns: str) -> str:
        """Return the table of this name with these columns, else any other that has them; empty if there is none."""
        wanted = set(columns)
        if name in self.tables and wanted <= self.tables[name]:
            return name
        return next((other for other, held in self.tables.items() if columns and wanted <= held), "")

    def rows(self, table: str, *, where: str = "", parameters: Iterable[object] = ()) -> Iterator[dict[str, Any]]:
        """Yield the rows of a plain table, in order; none without it.

        Where a page is damaged, the rows after it are read from the end; the gap is reported.
        """
        if table not in self.tables:
            return
        query = f'SELECT * FROM "{table}"{where}'  # noqa: S608 - the name is one of the store's plain tables
        read = 0
        try:
            for row in self.connection.execute(query, tuple(parameters)):
                read += 1
                yield dict(row)
        except sqlite3.Error as error:
            kept = [] if where else list(self._from_end(table, read))
            yield from kept
            reason = f"damaged: {read + len(kept)} rows of {table} could be read, the others not ({error})"
            self.problems.append(Skipped(self.path.as_posix(), None, reason, code=SkipCode.DAMAGED))

    def _from_end(self, table: str, read: int) -> Iterator[dict[str, Any]]:
        """Yield the rows that can be read from the end of a table, without those read from its start."""
        seen: list[dict[str, Any]] = []
        last = self.value(f'SELECT rowid FROM "{table}" LIMIT 1 OFFSET {max(0, read - 1)}') if read else None  # noqa: S608
        query = f'SELECT rowid AS "rowid?", * FROM "{table}" ORDER BY rowid DESC'  # noqa: S608
        with suppress(sqlite3.Error):
            for row in self.connection.execute(query):
                found = dict(row)
                position = found.pop("rowid?")
                if isinstance(last, int) and position <= last:
                    break
                seen.append(found)
        return iter(seen[::-1])

    def value(self, query: str) -> object:
        """Return the first value of a query; None if it has none or fails."""
        try:
            found = self.connection.execute(query).fetchone()
        except sqlite3.Error:
            return None
        return found[0] if found else None


@contextmanager
def opened(path: Path) -> Iterator[Database]:
    """Open a copy of a store; the copy is deleted at the end.

    Raises:
        SourceError: it is no SQLite database, is being written all the time, or there is no room for the copy.
    """
    with TemporaryDirectory(prefix="memtui-") as folder:
        copy = Path(folder) / "store.db"
        _copy(path, copy)
        try:
            connection = sqlite3.connect(copy)
        except sqlite3.Error as error:
            raise SourceError("The store cannot be opened", where=str(path), remedy=str(error)) from error
        try:
            yield _prepared(path, connection)
        finally:
            connection.close()


def is_sqlite(path: Path) -> bool:
    """Return whether a file is an SQLite database by its first bytes, or is still empty beside its log."""
    try:
        with path.open("rb") as stream:
            start = stream.read(len(MAGIC))
    except OSError:
        return False
    return start == MAGIC or (not start and path.with_name(f"{path.name}-wal").is_file())


def _prepared(path: Path, connection: sqlite3.Connection) -> Database:
    connection.row_factory = sqlite3.Row
    connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST_VALUE)
    deadline = time.monotonic() + QUERY_SECONDS
    connection.set_progress_handler(lambda: time.monotonic() > deadline, 100_000)
    database = Database(path, connection)
    found: list[sqlite3.Row] = []
    problem: sqlite3.Error | None = None
    # With a writable schema SQLite reads what there is of a file that was cut off; nothing is written after that.
    for pragma in ("PRAGMA trusted_schema = OFF", "PRAGMA writable_schema = ON"):
        try:
            connection.execute(pragma)
            found = connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table'").fetchall()
            connection.execute("PRAGMA query_only = ON")
            break
        except sqlite3.Error as error:
            problem = error
    if problem is not None and not found:
        raise SourceError(
            "Not a SQLite database, or damaged or encrypted",
            where=str(path),
            remedy=f"Nothing was read or changed ({problem}). Let its tool export it, or name a backup.",
        ) from problem
    if problem is not None:
        database.problems.append(
            Skipped(path.as_posix(), None, f"damaged: {problem}; what can be read is", code=SkipCode.DAMAGED)
        )
    for name, sql in found:
        if not isinstance(name, str) or '"' in name:
            continue  # no tool names its tables so
        if "virtual" in str(sql or "")[:40].casefold():
            continue  # needs an extension, and holds only what is derived
        with suppress(sqlite3.Error):
            columns = connection.execute(f'PRAGMA table_info("{name}")').fetchall()
            database.tables[name] = frozenset(column["name"] for column in columns)
    return database


def _state(path: Path) -> list[tuple[int, int] | None]:
    found: list[tuple[int, int] | None] = []
    for side in SIDES:
        try:
            status = path.with_name(path.name + side).stat()
            found.append((status.st_size, status.st_mtime_ns))
        except FileNotFoundError:
            found.append(None)
    return found


def _copy(path: Path, copy: Path) -> None:
    """Copy a store with its log and journal, again if it was written meanwhile."""
    if not path.is_file():
        raise SourceError("Not a regular file", where=str(path))
    for attempt in range(ATTEMPTS):
        before = _state(path)
        size = sum(state[0] for state in before if state)
        if shutil.disk_usage(copy.parent).free < size * 1.1:
            raise SourceError(
                "Not enough space for a copy of the store",
                where=str(path),
                remedy=f"{size // 1_000_000:,} MB are needed in {copy.parent.parent}; TMPDIR may name another folder.",
            )
        for side, state in zip(SIDES, before, strict=True):
            beside = copy.with_name(copy.name + side)
            beside.unlink(missing_ok=True)
            if state is not None:
                with suppress(FileNotFoundError):
                    _copy_bytes(path.with_name(path.name + side), beside)
        if _state(path) == before:
            return
        time.sleep(ATTEMPT_SECONDS * (attempt + 1))
    raise SourceError("The store is constantly being written", where=str(path), remedy="Close its tool and try again.")


def _copy_bytes(source: Path, target: Path) -> None:
    try:
        shutil.copyfile(source, target)
    except PermissionError as error:
        raise SourceError("No permission to read this store", where=str(source), remedy=str(error)) from error
