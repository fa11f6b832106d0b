"""Backups on demand and daily, snapshots, restore, and rebuilding of derived tables."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from memtui.errors import MemtuiError, UsageError, VaultMissingError
from memtui.vault import backup
from memtui.vault.backup import log_path, remove_files
from memtui.vault.connection import engine_errors, opened_alone
from memtui.vault.filters import MemoryFilter
from memtui.vault.lease import lease
from memtui.vault.search.postings_sql import write_postings
from memtui.vault.vault import Vault, restrict

if TYPE_CHECKING:
    import duckdb


@contextmanager
def snapshot(vault: Vault) -> Iterator[duckdb.DuckDBPyConnection]:
    """Open a private copy of an existing vault, read-only; the lease is held while the file is copied and no longer.

    The copy has the newest schema only if the vault has it. Where the system allows, its names are gone as soon
    as it is open, so that not even a kill leaves texts behind that a purge would not find.
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


BACKUP_EVERY = timedelta(days=1)


def back_up(vault: Vault, *, to: Path | None = None, label: str = "manual") -> Path:
    """Copy the vault under its lease; returns the copy.

    Raises:
        VaultMissingError: there is no vault yet.
        UsageError: the target exists.
    """
    _require(vault)
    if to is not None and to.exists():
        raise UsageError("The backup's file exists already", where=str(to), remedy="Choose another name.")
    with vault.connect(read_only=False) as connection:
        # Folded in, so that the copy is whole without a log beside it.
        connection.execute("CHECKPOINT")
    with lease(vault.path, exclusive=True, wait_seconds=vault.patience_seconds):
        return backup.copy_vault(vault.path, vault.now(), label=label, to=to)


def waiting_log_bytes(vault: Vault) -> int:
    """Return how much stands in the log beside the file and not yet in it."""
    try:
        return backup.log_path(vault.path).stat().st_size
    except OSError:
        return 0


def fold_if_free(vault: Vault) -> bool:
    """Fold the log into the file where nobody else is at work; returns whether it was done.

    A file that somebody copies by hand is then whole. Measured 8 to 16 ms of processor time and 15 to 30 ms by the
    clock for a log of one change, at 100 memories and at 11,637: too much for each of many changes, little for the
    end of a command or of the app.
    """
    if not vault.exists or not waiting_log_bytes(vault):
        return False
    try:
        with Vault(vault.path, patience_seconds=0.0).connect(read_only=False) as connection:
            connection.execute("CHECKPOINT")
    except MemtuiError:
        # Whoever holds it folds the log, or leaves it; either way all is there.
        return False
    return True


def back_up_daily(vault: Vault) -> Path | None:
    """Copy the vault if its newest backup is older than a day; returns the copy, if one was made."""
    if not vault.exists:
        return None
    newest = backup.list_backups(vault.path)
    now = vault.now()
    if newest and now - backup.made_at(newest[0]) < BACKUP_EVERY:
        return None
    with vault.read() as reader:
        # A damaged vault must not push the good backups out.
        reader.change_counter()
    made = back_up(vault, label="daily")
    backup.prune_backups(vault.path)
    return made


def restore(vault: Vault, name: str | None) -> tuple[Path, Path | None]:
    """Put a backup in the vault's place; what was there is backed up first.

    Returns:
        the backup used, and the copy of what was there.

    Raises:
        NotFoundError: there is no such backup.
    """
    vault.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    chosen = backup.find_backup(vault.path, name)
    with lease(vault.path, exclusive=True, wait_seconds=vault.patience_seconds):
        kept = backup.copy_vault(vault.path, vault.now(), label="before-restore") if vault.exists else None
        backup.replace_vault(vault.path, chosen)
    restrict(vault.path, 0o600)
    with vault.read() as reader:
        reader.change_counter()
    return chosen, kept


def reindex(vault: Vault, *, progress: Callable[[int, int], None] | None = None) -> int:
    """Rebuild the postings of every memory in one transaction; returns how many memories were posted.

    The lease is held until it is done, so that nobody ever searches half an index.
    """
    with vault.connect(read_only=False) as connection:
        connection.execute("BEGIN")
        connection.execute("DELETE FROM postings")
        connection.execute("DELETE FROM documents")
        from memtui.vault.reader import VaultReader

        reader = VaultReader(connection, vault.kinds)
        ids = reader.select_ids(MemoryFilter(statuses=None), sort="created", now=vault.now())
        for start in range(0, len(ids), 1_000):
            chunk = reader.keyed(ids[start : start + 1_000])
            write_postings(connection, sorted(chunk.values(), key=lambda pair: pair[0]))
            if progress:
                progress(min(start + 1_000, len(ids)), len(ids))
        connection.execute("COMMIT")
        connection.execute("CHECKPOINT")
    return len(ids)


def _require(vault: Vault) -> None:
    if not vault.exists:
        raise VaultMissingError(
            "There is no vault yet", where=str(vault.path), remedy="`memtui add` or `memtui import` makes one."
        )


def backup_age(vault: Vault, now: datetime) -> timedelta | None:
    """Return the age of the newest backup, None if there is none."""
    newest = backup.list_backups(vault.path)
    return None if not newest else now - backup.made_at(newest[0])
