"""Backups of the vault, on demand and daily; restore; private snapshots for long reads."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from memtui.errors import NotFoundError, UsageError, VaultDamagedError, VaultMissingError
from memtui.vault.connection import engine_errors, open_connection, opened_alone
from memtui.vault.files import backup_folder, copy_files, copy_vault, log_path, remove_files, restrict, swap_in
from memtui.vault.lease import lease
from memtui.vault.schema import stored_version
from memtui.vault.subprocess_probe import fold_in_child
from memtui.vault.vault import Vault

if TYPE_CHECKING:
    import duckdb

KEPT = 8
"""Automatic backups kept, the newest ones."""

_STAMP = r"-(\d{8}T\d{12})-"


def list_backups(vault: Path) -> list[Path]:
    """Return the backups of a vault, the newest first; not those of a `vault-2` beside it."""
    folder = backup_folder(vault)
    if not folder.is_dir():
        return []
    own = re.compile(re.escape(vault.stem) + _STAMP + r".*\.duckdb", re.DOTALL)
    return sorted((path for path in folder.iterdir() if own.fullmatch(path.name)), key=_age, reverse=True)


def _age(path: Path) -> tuple[datetime, int]:
    try:
        return made_at(path), path.stat().st_mtime_ns
    except FileNotFoundError:
        # Another process pruned it meanwhile; whoever opens it gets the error.
        return made_at(path), 0


def made_at(path: Path) -> datetime:
    """Return when a listed backup was made, by the vault's clock, from its name."""
    stamp = re.search(_STAMP, path.name)
    return datetime.strptime(f"{stamp[1] if stamp else ''}+0000", "%Y%m%dT%H%M%S%f%z")


def back_up(vault: Vault, *, to: Path | None = None, label: str = "manual") -> Path:
    """Copy the vault under its lease; returns the copy.

    Raises:
        VaultMissingError: there is no vault yet.
        UsageError: the target exists.
    """
    if not vault.exists:
        raise VaultMissingError(
            "There is no vault yet", where=str(vault.path), remedy="`memtui add` or `memtui import` creates one."
        )
    if to is not None and to.exists():
        raise UsageError("The backup file exists already", where=str(to), remedy="Choose another name.")
    with vault.connect(read_only=False) as connection:
        # Folded in, so that the copy is complete without a log.
        connection.execute("CHECKPOINT")
    with lease(vault.path, exclusive=True, wait_seconds=vault.patience_seconds):
        return copy_vault(vault.path, vault.now(), label=label, to=to)


def back_up_daily(vault: Vault) -> Path | None:
    """Copy the vault if its newest backup is older than a day; returns the copy, if one was made."""
    if not vault.exists:
        return None
    age = backup_age(vault, vault.now())
    if age is not None and age < timedelta(days=1):
        return None
    with vault.read() as reader:
        # A damaged vault must not push the good backups out.
        reader.change_counter()
    made = back_up(vault, label="daily")
    automatic = [path for path in list_backups(vault.path) if "-manual." not in path.name]
    for path in automatic[KEPT:]:
        remove_files(path)
    return made


def backup_age(vault: Vault, now: datetime) -> timedelta | None:
    """Return the age of the newest backup, None if there is none."""
    backups = list_backups(vault.path)
    return now - made_at(backups[0]) if backups else None


def restore(vault: Vault, name: str | None) -> tuple[Path, Path | None]:
    """Replace the vault by a backup; the current vault is backed up first.

    Args:
        name: name or path of the backup, by default the newest.

    Returns:
        the backup used, and the copy of the vault before.

    Raises:
        NotFoundError: there is no such backup.
        VaultDamagedError: the backup cannot be opened; the vault is unchanged.
    """
    vault.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    chosen = _find_backup(vault.path, name)
    with lease(vault.path, exclusive=True, wait_seconds=vault.patience_seconds):
        kept = copy_vault(vault.path, vault.now(), label="before-restore") if vault.exists else None
        _replace_vault(vault.path, chosen)
    restrict(vault.path, 0o600)
    with vault.read() as reader:
        reader.change_counter()
    return chosen, kept


def _find_backup(vault: Path, name: str | None) -> Path:
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


def _replace_vault(vault: Path, source: Path) -> None:
    """Replace the vault by a backup, atomically; the caller holds the lease and has a copy of the vault."""
    partial = vault.with_name(vault.name + ".partial")
    copy_files(source, partial)
    if not fold_in_child(partial) or not _is_vault(partial):
        remove_files(partial)
        raise VaultDamagedError(
            "The backup cannot be opened", where=str(source), remedy="The vault is unchanged. Choose another backup."
        )
    # So that a crash between the next two steps leaves a complete vault. One that cannot be opened has no log to save.
    if log_path(vault).exists():
        fold_in_child(vault)
    swap_in(vault, partial)


def _is_vault(path: Path) -> bool:
    """Return whether a file that opens has memtui's tables."""
    connection = open_connection(path, read_only=True)
    try:
        return stored_version(connection) > 0
    finally:
        connection.close()


@contextmanager
def snapshot(vault: Vault) -> Iterator[duckdb.DuckDBPyConnection]:
    """Open a private copy of an existing vault, read-only; the lease is held only while the file is copied.

    The copy has the newest schema only if the vault has. Where the system allows it, the copy's files are unlinked
    once it is open, so that not even a kill leaves texts behind that a purge would miss.
    """
    with TemporaryDirectory(prefix=".snapshot-", dir=vault.path.parent) as folder:
        copy = Path(folder) / vault.path.name
        with lease(vault.path, exclusive=False, wait_seconds=vault.patience_seconds):
            for source, target in ((vault.path, copy), (log_path(vault.path), log_path(copy))):
                if source.exists():
                    shutil.copyfile(source, target)
        with engine_errors(copy), opened_alone(copy, read_only=True) as connection:
            if os.name == "posix":
                remove_files(copy)
            yield connection
