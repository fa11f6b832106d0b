"""The one place that opens DuckDB, with the settings and the error texts of a vault."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from memtui.errors import MemtuiError, VaultBusyError, VaultDamagedError, VaultTooNewError

if TYPE_CHECKING:
    import duckdb

STORAGE_VERSION = "v1.5.0"
"""Pinned so that every supported DuckDB reads the file; 2.x would by default write what 1.5 cannot read."""

_CONFIG: dict[str, str | bool | int | float | list[str]] = {
    "storage_compatibility_version": STORAGE_VERSION,
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "threads": "2",
    # A name in a query must never reach a Python variable of ours. Set here and not by SET, because the
    # connections of one process share an instance, and `sql` locks its settings.
    "python_enable_replacements": "false",
}

_HOLDER = re.compile(r"held in (?P<program>.*?)\s*\(?PID (?P<pid>\d+)\)?", re.DOTALL)


def open_connection(path: Path | None, *, read_only: bool) -> duckdb.DuckDBPyConnection:
    """Open a vault file, or an empty database in memory for None. The caller holds the lease.

    Raises:
        VaultBusyError: a program that is not memtui holds the file.
        VaultDamagedError: the file is no readable database.
        VaultTooNewError: a newer DuckDB wrote it.
    """
    import duckdb

    target = ":memory:" if path is None else str(path)
    try:
        connection = duckdb.connect(target, read_only=read_only and path is not None, config=_CONFIG)
    except (duckdb.Error, RuntimeError) as error:
        raise _explain(error, path) from error
    if not read_only:
        # The log is folded in when it is large, not at every close: half the time of a write.
        connection.execute("PRAGMA disable_checkpoint_on_shutdown")
    return connection


def is_lock_conflict(error: BaseException) -> bool:
    """Return whether DuckDB reports that another process holds the file."""
    text = str(error)
    return "Could not set lock" in text or "Conflicting lock" in text or "being used by another process" in text


def _explain(error: BaseException, path: Path | None) -> MemtuiError:
    text = str(error)
    if "No space left" in text:
        return MemtuiError(
            "The disk is full", where=str(path), remedy="Nothing was changed. Free some space, then try again."
        )
    if is_lock_conflict(error):
        return VaultBusyError(
            f"The vault is held open by {_foreign_holder(text)}",
            where=str(path),
            remedy=_foreign_remedy(text),
        )
    if "newer version" in text or "storage version" in text.lower() or "version number" in text:
        return VaultTooNewError(
            "The vault file was written by a DuckDB that this one cannot read",
            where=str(path),
            remedy="Upgrade duckdb (pip install -U duckdb), or restore a backup with `memtui vault restore`.",
        )
    if "Permission denied" in text or "Cannot open file" in text:
        return MemtuiError(
            "The vault file cannot be opened",
            where=str(path),
            remedy="Check that it is a file you may read and write, or choose another with --vault.",
        )
    return VaultDamagedError(
        "The vault file cannot be read as a database",
        where=str(path),
        remedy="Run `memtui doctor --repair`: it keeps a copy and restores the newest backup or what can be read.",
    )


def _foreign_holder(text: str) -> str:
    found = _HOLDER.search(text)
    if not found or found["pid"] == "0":
        return "another program"
    return f"{Path(found['program'].strip() or 'another program').name} (PID {found['pid']})"


def _foreign_remedy(text: str) -> str:
    found = _HOLDER.search(text)
    if found and found["pid"] == "0":
        return "PID 0 points to a network drive: keep the vault on a local disk (--vault or MEMTUI_VAULT)."
    return "Nothing was changed. Close the vault in that program, then try again."


@contextmanager
def engine_errors(path: Path | None) -> Iterator[None]:
    """Turn DuckDB's errors of damaged files and full disks into memtui's."""
    import duckdb

    try:
        yield
    except duckdb.Error as error:
        fatal = (duckdb.IOException, duckdb.FatalException, duckdb.InternalException, duckdb.SerializationException)
        # DuckDB 2 reports a broken block as a plain Error.
        if not isinstance(error, fatal) and "Corrupt" not in str(error):
            raise
        raise _explain(error, path) from error
