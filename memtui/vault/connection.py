"""The one place that opens DuckDB, with a vault's settings and error messages."""

from __future__ import annotations

import contextlib
import re
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from memtui.errors import MemtuiError, VaultBusyError, VaultDamagedError, VaultTooNewError
from memtui.vault.lease import disk_full

if TYPE_CHECKING:
    import duckdb

STORAGE_VERSION = "v1.5.0"
"""Pinned so that every supported DuckDB reads the file; 2.x would by default write what 1.5 cannot read."""

_CONFIG: dict[str, str | bool | int | float | list[str]] = {
    "storage_compatibility_version": STORAGE_VERSION,
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "threads": "2",
    # Release freed memory: a process that runs for hours would keep 35 MB more at 100,000 memories (197 for 163).
    "allocator_flush_threshold": "1MB",
    "allocator_bulk_deallocation_flush_threshold": "1MB",
    # A name in a query must never refer to a Python variable. Set here and not by SET, because the connections
    # of one process share an instance, and `sql` locks its settings.
    "python_enable_replacements": "false",
}

_HOLDER = re.compile(r"held in (?P<program>.*?)\s*\(?PID (?P<pid>\d+)\)?", re.DOTALL)


def open_connection(path: Path | None, *, read_only: bool) -> duckdb.DuckDBPyConnection:
    """Open a vault file, or an empty database in memory for None. The caller holds the lease.

    Raises:
        VaultBusyError: a program that is not memtui holds the file.
        VaultDamagedError: the file is not a readable database.
        VaultTooNewError: a newer DuckDB wrote it.
    """
    from memtui.vault.engine import duckdb

    target = ":memory:" if path is None else str(path)
    try:
        connection = duckdb.connect(target, read_only=read_only and path is not None, config=_CONFIG)
    except (duckdb.Error, RuntimeError) as error:
        raise _explain(error, path) from error
    if not read_only or path is None:
        # The log is folded in when it is large, not at every close, which would double the time of a write.
        connection.execute("PRAGMA disable_checkpoint_on_shutdown")
    return connection


@contextmanager
def borrowed(path: Path, *, read_only: bool) -> Iterator[duckdb.DuckDBPyConnection]:
    """Attach a vault file to a pooled engine, and detach it at the end. The caller holds the lease.

    Creating an engine takes 21 ms of processor time, whatever the file; attaching takes 2. So a process keeps the
    engine between two uses of a vault, and never the file.

    Raises `VaultBusyError, VaultDamagedError, VaultTooNewError`: as `open_connection`.
    """
    engine = _take_engine()
    session = engine.cursor()
    try:
        _attach(session, path, read_only=read_only)
        yield session
    finally:
        _give_back(engine, session)


@contextmanager
def opened_alone(path: Path, *, read_only: bool) -> Iterator[duckdb.DuckDBPyConnection]:
    """Attach a file to an engine of its own and close both at the end; otherwise like `borrowed`."""
    engine = open_connection(None, read_only=False)
    try:
        _attach(engine, path, read_only=read_only)
        yield engine
    finally:
        engine.close()


def _attach(session: duckdb.DuckDBPyConnection, path: Path, *, read_only: bool) -> None:
    from memtui.vault.engine import duckdb

    mode = " (READ_ONLY)" if read_only else ""
    quoted = str(path).replace("'", "''")
    try:
        session.execute(f"ATTACH '{quoted}' AS {_ALIAS}{mode}")
        session.execute(f"USE {_ALIAS}")
    except (duckdb.Error, RuntimeError) as error:
        raise _explain(error, path) from error


_ALIAS = "vault_file"
_MOST_IDLE = 3  # Engines kept for the next use: as many as threads of the app read the vault at the same time

_idle_lock = threading.Lock()  # Held to look at or change one of these two
_idle: list[duckdb.DuckDBPyConnection] = []
_warming: list[threading.Thread] = []  # Started


def warm_up() -> None:
    """Create an engine in a thread for the next use of a vault; it does not need the interpreter lock."""

    def make() -> None:
        with contextlib.suppress(MemtuiError):
            engine = open_connection(None, read_only=False)
            with _idle_lock:
                _idle.append(engine)

    with _idle_lock:
        if _idle or _warming:
            return
        thread = threading.Thread(target=make, name="engine", daemon=True)
        thread.start()
        _warming.append(thread)


def _take_engine() -> duckdb.DuckDBPyConnection:
    with _idle_lock:
        warming = list(_warming)
    for thread in warming:
        # Every thread that needs an engine waits: for one of them it is ready sooner than one of its own would be.
        thread.join()
    with _idle_lock:
        _warming[:] = [thread for thread in _warming if thread not in warming]
        if _idle:
            return _idle.pop()
    return open_connection(None, read_only=False)


def _give_back(engine: duckdb.DuckDBPyConnection, session: duckdb.DuckDBPyConnection) -> None:
    """Detach the file and keep the engine, unless it is broken or there are enough."""
    from memtui.vault.engine import duckdb

    try:
        _end_transaction(session)
        session.execute("USE memory")
        session.execute(f"DETACH DATABASE IF EXISTS {_ALIAS}")
        session.close()
    except (duckdb.Error, RuntimeError):
        # A fatal error leaves an unusable engine; closing it releases the file.
        engine.close()
        return
    with _idle_lock:
        if len(_idle) < _MOST_IDLE:
            _idle.append(engine)
            return
    engine.close()


def _end_transaction(session: duckdb.DuckDBPyConnection) -> None:
    from memtui.vault.engine import duckdb

    try:
        session.execute("ROLLBACK")
    except duckdb.TransactionException:
        # Usually none is open.
        return


def _is_lock_conflict(error: BaseException) -> bool:
    """Return whether DuckDB reports that another process holds the file."""
    text = str(error)
    return "Could not set lock" in text or "Conflicting lock" in text or "being used by another process" in text


def _explain(error: BaseException, path: Path | None) -> MemtuiError:
    text, where = str(error), str(path)
    if "No space left" in text:
        return disk_full(where)
    if "WAL" in text and ("does not match" in text or "was created for" in text):
        return VaultDamagedError(
            "The write-ahead log belongs to another copy of the vault",
            where=where,
            remedy="Put back the file that it belongs to, or run `memtui doctor --repair`, which keeps copies of both.",
        )
    if _is_lock_conflict(error):
        return VaultBusyError(
            f"The vault is open in {_foreign_holder(text)}", where=where, remedy=_foreign_remedy(text)
        )
    newer = _newer_version(text, path)
    if newer is not None:
        return newer
    if "Permission denied" in text or "Cannot open file" in text:
        return MemtuiError(
            "The vault file cannot be opened",
            where=where,
            remedy="Check that it is a file you can read and write, or choose another with --vault.",
        )
    return VaultDamagedError(
        "The vault file cannot be read as a database",
        where=where,
        remedy="Run `memtui doctor --repair`: it keeps a copy and restores the newest backup or what can be read.",
    )


def _newer_version(text: str, path: Path | None) -> VaultTooNewError | None:
    if any(sign in text for sign in ("newer version", "version number")) or "storage version" in text.lower():
        return VaultTooNewError(
            "The vault file was written by a DuckDB that this one cannot read",
            where=str(path),
            remedy="Upgrade duckdb (pip install -U duckdb), or restore a backup with `memtui vault restore`.",
        )
    version = None if path is None else _other_version(path)
    if version is None:
        return None
    return VaultTooNewError(
        f"The vault file has DuckDB storage version {version}; memtui writes version {_WRITTEN_VERSION}",
        where=str(path),
        remedy="If another DuckDB wrote it, use that one, or upgrade duckdb (pip install -U duckdb)."
        " Otherwise restore a backup with `memtui vault restore`.",
    )


_WRITTEN_VERSION = 68  # The number in the header of a file of `STORAGE_VERSION`

_HEADER = struct.Struct("<8x4sQ")
"""DuckDB's main header begins with a checksum, `DUCK`, and the storage version (storage_info.hpp)."""

_HIGHEST_VERSION = 9_999  # A higher number is not a version: the header is damaged


def _other_version(path: Path) -> int | None:
    """Return the storage version of a file that cannot be opened, None if it is ours or unreadable.

    DuckDB verifies the checksum of the header before it looks at the version, so an unknown version looks like damage.
    """
    try:
        with path.open("rb") as file:
            mark, version = _HEADER.unpack(file.read(_HEADER.size))
    except (OSError, struct.error):
        return None
    is_other = mark == b"DUCK" and 0 < version <= _HIGHEST_VERSION and version != _WRITTEN_VERSION
    return int(version) if is_other else None


def _foreign_holder(text: str) -> str:
    found = _HOLDER.search(text)
    if not found or found["pid"] == "0":
        return "another program"
    return f"{Path(found['program'].strip() or 'another program').name} (PID {found['pid']})"


def _foreign_remedy(text: str) -> str:
    found = _HOLDER.search(text)
    if found and found["pid"] == "0":
        return "PID 0 means a network drive: keep the vault on a local disk (--vault or MEMTUI_VAULT)."
    return "Nothing was changed. Close the vault in that program and try again."


def fold_log(path: Path) -> None:
    """Fold the log of a file into it; the caller holds the lease."""
    with engine_errors(path):
        connection = open_connection(path, read_only=False)
        try:
            connection.execute("CHECKPOINT")
        finally:
            connection.close()


@contextmanager
def engine_errors(path: Path | None) -> Iterator[None]:
    """Raise DuckDB's errors about damaged files and full disks as memtui's."""
    from memtui.vault.engine import duckdb

    try:
        yield
    except duckdb.Error as error:
        fatal = (duckdb.IOException, duckdb.FatalException, duckdb.InternalException, duckdb.SerializationException)
        # DuckDB 2 reports a broken block as a plain Error.
        if not isinstance(error, fatal) and not any(sign in str(error) for sign in ("Corrupt", "No space left")):
            raise
        raise _explain(error, path) from error
