"""The files of a vault: its log, their permissions, and how copies are made and swapped in. Opens no database."""

from __future__ import annotations

import os
import shutil
from datetime import UTC, datetime
from pathlib import Path

FILE_NAME = "vault.duckdb"


def vault_file(path: Path) -> Path:
    """Return the vault file that a path means: itself, or `vault.duckdb` in it when it is a folder."""
    return path / FILE_NAME if path.is_dir() else path


def log_path(vault: Path) -> Path:
    """Return DuckDB's write-ahead log of a vault file."""
    return vault.with_name(vault.name + ".wal")


def backup_folder(vault: Path) -> Path:
    """Return the folder that holds the backups of a vault."""
    return vault.parent / "backups"


def damaged_folder(vault: Path) -> Path:
    """Return the folder that keeps damaged files of a vault."""
    return vault.parent / "damaged"


def restrict(path: Path, mode: int) -> None:
    """Restrict a file or folder to its owner, where the platform has modes."""
    if os.name == "posix" and path.exists() and path.stat().st_mode & 0o777 != mode:
        path.chmod(mode)


def _copy_private(source: Path, target: Path) -> None:
    """Copy a file, readable for its owner alone, and flush it to the disk."""
    with (
        source.open("rb") as reader,
        os.fdopen(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as writer,
    ):
        shutil.copyfileobj(reader, writer, 1 << 20)
        writer.flush()
        os.fsync(writer.fileno())


def copy_files(source: Path, target: Path) -> None:
    """Copy a vault file and its log, readable for their owner alone; the log first."""
    remove_files(target)
    if log_path(source).exists():
        _copy_private(log_path(source), log_path(target))
    _copy_private(source, target)


def copy_vault(vault: Path, now: datetime, *, label: str, to: Path | None = None) -> Path:
    """Copy the vault file and its log; the caller holds the lease.

    Args:
        now: goes into the name.
        label: what the backup is for, e.g. `manual`.
        to: a place other than the backup folder.

    Returns:
        the copy.
    """
    if to is None:
        folder = backup_folder(vault)
        folder.mkdir(mode=0o700, exist_ok=True)
        stem = f"{vault.stem}-{now.astimezone(UTC):%Y%m%dT%H%M%S%f}-{label}"
        to = folder / f"{stem}.duckdb"
        number = 1
        while to.exists():
            # A frozen clock gives every backup the same time.
            number += 1
            to = folder / f"{stem}.{number}.duckdb"
    partial = to.with_name(to.name + ".partial")
    _copy_private(vault, partial)
    log = log_path(vault)
    if log.exists():
        _copy_private(log, log_path(to))
    partial.replace(to)
    return to


def remove_files(path: Path) -> None:
    """Remove a copy of a vault and its log."""
    path.unlink(missing_ok=True)
    log_path(path).unlink(missing_ok=True)


def swap_in(vault: Path, new: Path) -> None:
    """Replace a vault by a new file without a log; the old log must be folded in or copied by now."""
    log_path(vault).unlink(missing_ok=True)
    new.replace(vault)
    if os.name == "posix":
        # Makes the new name durable, on the systems that can open a folder.
        descriptor = os.open(vault.parent, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
