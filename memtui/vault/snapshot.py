"""A copy of the vault as it is at one moment, for queries that take longer than a lease may be held."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from memtui.vault.backup import log_path, remove_files
from memtui.vault.connection import engine_errors, opened_alone
from memtui.vault.lease import lease

if TYPE_CHECKING:
    import duckdb

    from memtui.vault.vault import Vault


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
