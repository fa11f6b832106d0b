"""Backups, snapshots and restore of the vault file, and rebuilding of derived tables."""

from __future__ import annotations

import os
import re
import shutil
from datetime import UTC, datetime
from pathlib import Path

from memtui.errors import NotFoundError, VaultDamagedError
from memtui.vault.connection import engine_errors, open_connection
from memtui.vault.schema import stored_version
from memtui.vault.subprocess_probe import fold_in_child

KEPT = 8
"""Automatic backups kept, the newest ones."""


def backup_folder(vault: Path) -> Path:
    """Return the folder that holds the backups of a vault."""
    return vault.parent / "backups"


def log_path(vault: Path) -> Path:
    """Return DuckDB's write-ahead log of a vault file."""
    return vault.with_name(vault.name + ".wal")


def list_backups(vault: Path) -> list[Path]:
    """Return the backups of a vault, the newest first; those of a `vault-2` beside it are not its own."""
    folder = backup_folder(vault)
    if not folder.is_dir():
        return []
    own = re.compile(re.escape(vault.stem) + r"-\d{8}T\d{12}-.*\.duckdb", re.DOTALL)
    return sorted((path for path in folder.iterdir() if own.fullmatch(path.name)), key=_age, reverse=True)


def _age(path: Path) -> tuple[datetime, int]:
    try:
        return made_at(path), path.stat().st_mtime_ns
    except FileNotFoundError:
        # Another process pruned it meanwhile; whoever takes it is told so.
        return made_at(path), 0


def made_at(path: Path) -> datetime:
    """Return when a listed backup was made, by the vault's clock, as its name tells."""
    stamp = re.search(r"-(\d{8}T\d{12})-", path.name)
    return datetime.strptime(f"{stamp[1] if stamp else ''}+0000", "%Y%m%dT%H%M%S%f%z")


def copy_vault(vault: Path, now: datetime, *, label: str, to: Path | None = None) -> Path:
    """Copy the vault file and its log; the caller holds the lease.

    Args:
        now: goes into the name.
        label: what the backup is for, e.g. `manual`.
        to: another place than the backup folder.

    Returns:
        the copy.
    """
    folder = backup_folder(vault)
    if to is None:
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


def _copy_private(source: Path, target: Path) -> None:
    with (
        source.open("rb") as reader,
        os.fdopen(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as writer,
    ):
        shutil.copyfileobj(reader, writer, 1 << 20)
        writer.flush()
        os.fsync(writer.fileno())


def prune_backups(vault: Path) -> None:
    """Remove automatic backups beyond the newest KEPT; manual ones stay."""
    automatic = [path for path in list_backups(vault) if "-manual." not in path.name]
    for path in automatic[KEPT:]:
        path.unlink(missing_ok=True)
        path.with_name(path.name + ".wal").unlink(missing_ok=True)


def find_backup(vault: Path, name: str | None) -> Path:
    """Return the backup of that name or path, by default the newest.

    Raises:
        NotFoundError: there is none.
    """
    known = list_backups(vault)
    if name is None:
        if known:
            return known[0]
        raise NotFoundError("There is no backup", where=str(backup_folder(vault)))
    for path in (Path(name).expanduser(), backup_folder(vault) / name):
        if path.is_file():
            return path
    raise NotFoundError(
        "There is no such backup", where=name, remedy=f"Known: {', '.join(path.name for path in known) or 'none'}."
    )


def replace_vault(vault: Path, source: Path) -> None:
    """Put a backup in the vault's place, atomically; the caller holds the lease and has a copy of the vault.

    Raises:
        VaultDamagedError: the backup cannot be opened; the vault is as it was.
    """
    partial = vault.with_name(vault.name + ".partial")
    copy_files(source, partial)
    if not fold_in_child(partial) or not _is_vault(partial):
        remove_files(partial)
        raise VaultDamagedError(
            "The backup cannot be opened", where=str(source), remedy="The vault is as it was. Choose another backup."
        )
    # A crash between the next two steps then leaves a whole vault. One that cannot be opened has no log to save.
    if log_path(vault).exists():
        fold_in_child(vault)
    swap_in(vault, partial)


def _is_vault(path: Path) -> bool:
    """Return whether a file that opens holds memtui's tables."""
    connection = open_connection(path, read_only=True)
    try:
        return stored_version(connection) > 0
    finally:
        connection.close()


def swap_in(vault: Path, new: Path) -> None:
    """Let a new file without a log take the vault's name; the old log is folded in or copied by now."""
    log_path(vault).unlink(missing_ok=True)
    new.replace(vault)
    _sync_folder(vault.parent)


def fold_log(path: Path) -> None:
    """Fold the log of a file into it; the caller holds the lease."""
    with engine_errors(path):
        connection = open_connection(path, read_only=False)
        try:
            connection.execute("CHECKPOINT")
        finally:
            connection.close()


def copy_files(source: Path, target: Path) -> None:
    """Copy a vault file and its log, readable for its owner alone; the file gets its name last."""
    remove_files(target)
    if log_path(source).exists():
        _copy_private(log_path(source), log_path(target))
    _copy_private(source, target)


def remove_files(path: Path) -> None:
    """Remove a copy of a vault and its log."""
    path.unlink(missing_ok=True)
    log_path(path).unlink(missing_ok=True)


def _sync_folder(folder: Path) -> None:
    """Make a new name durable, on the systems that can open a folder."""
    if os.name == "posix":
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
