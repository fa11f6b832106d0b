"""The vault: one DuckDB file, opened for each use. Take the lease, open, act in one transaction, close."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from memtui import clock
from memtui.domain.kinds import Kinds
from memtui.errors import MemtuiError, VaultBusyError, VaultDamagedError, VaultNotWritableError
from memtui.vault.backups import copy_vault
from memtui.vault.committing import committing
from memtui.vault.connection import borrowed, engine_errors, open_connection, opened_alone
from memtui.vault.lease import lease, log_path, remove_files, restrict, vault_file
from memtui.vault.reader import VaultReader
from memtui.vault.rows import SCHEMA_VERSION, check_not_newer, migrate, stored_half_lives
from memtui.vault.writer import VaultWriter

if TYPE_CHECKING:
    import duckdb

PATIENCE_SECONDS = 10.0  # How long the command line and the app wait for the lease

LARGE_LOG_BYTES = 128 << 10
"""A write-ahead log above this is folded into the file at the end of a write.

Every open replays the log: 1.3 ms per small write in it (7 KB), against 15–70 ms for folding it in.
"""


class Vault:
    """A vault by its path. Threads may share it; every use opens and closes the file."""

    def __init__(
        self,
        path: Path,  # the file, or a folder that holds `vault.duckdb`
        *,
        # the kinds in force; they adopt the half-lives that are stored in the vault whenever it is opened
        kinds: Kinds | None = None,
        now: clock.Clock = clock.now,
        patience_seconds: float = PATIENCE_SECONDS,  # how long to wait for the lease
    ) -> None:
        # Lock, log, backups and swaps must all be beside the real file, whatever name it is reached by.
        self.path = Path(os.path.realpath(vault_file(path.expanduser())))
        self.kinds = kinds or Kinds()
        self.now = now
        self.patience_seconds = patience_seconds
        # The two tell of a session, not of one use: threads add to them alone, and what one change came to is said by
        # the writer of its `write()`.
        self.wrote = False  # Whether anything was committed through this object
        self.made: set[int] = set()  # Numbers of the changes of the journal that were

    @property
    def exists(self) -> bool:
        try:
            return self.path.exists()
        except OSError as error:
            raise MemtuiError(
                f"The vault cannot be accessed ({error.strerror})",
                where=str(self.path),
                remedy="Check the permissions of its folder, or choose another vault with --vault.",
            ) from error

    @contextmanager
    def read(self) -> Iterator[VaultReader]:
        """Open the vault for reading; a missing file reads as an empty vault and is not created.

        Raises:
            VaultBusyError: another process holds it for longer than the patience lasts.
            VaultDamagedError: the file cannot be read, or is gone while its log is there.
            VaultTooNewError: a newer memtui wrote it.
            VaultNotWritableError: it has an older schema, and its disk is full or read-only.
        """
        with self.connect(read_only=True) as connection:
            self.kinds.take_stored(stored_half_lives(connection))
            yield VaultReader(connection, self.kinds)

    @contextmanager
    def write(self, *, actor: str, action: str, summary: str = "", reason: str = "") -> Iterator[VaultWriter]:
        """Open the vault for one change; creates the file, commits at the end, rolls back on any error.

        Args:
            action: what is done in a word or two, for the journal.
            summary: one line for people; by default the action.
            reason: why, if the actor gave a reason.

        After it the writer says what was committed: `number`, `summary` and `revisions`.

        Raises:
            VaultNotWritableError: its disk is full or read-only.
            VaultBusyError, VaultDamagedError, VaultTooNewError: as `read`.
        """
        with self.connect(read_only=False) as connection:
            self.kinds.take_stored(stored_half_lives(connection))
            writer = VaultWriter(
                connection,
                self.kinds,
                actor=actor,
                now=self.now(),
                action=action,
                summary=summary or action,
                reason=reason,
            )
            with committing(connection) as running:
                yield writer
                running.is_kept = writer.finish()
            self.wrote |= running.is_kept
            if writer.number:
                self.made.add(writer.number)
            self.kinds.take_stored(stored_half_lives(connection))
            self._fold_log(connection)

    @contextmanager
    def transaction(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """Open the vault to write derived data in one transaction, without the journal; for code within `vault/`."""
        with self.connect(read_only=False) as connection:
            with committing(connection):
                yield connection
            self.wrote = True
            self._fold_log(connection)

    @contextmanager
    def connect(self, *, read_only: bool, private: bool = False) -> Iterator[duckdb.DuckDBPyConnection]:
        """Hold the lease and an open connection with the newest schema; for code within `vault/`.

        `read_only`: whether to open the file for reading. `private`: whether to use an engine of its own, because its
        settings are changed.
        """
        self._refuse_orphan_log()
        if read_only and not self.exists:
            with engine_errors(None):
                empty = open_connection(None, read_only=False)
            try:
                migrate(empty)
                yield empty
            finally:
                empty.close()
            return
        self._prepare_folder()
        if read_only:
            with self._leased(read_only=True, private=private) as connection, engine_errors(self.path):
                if check_not_newer(connection, str(self.path)) == SCHEMA_VERSION:
                    yield connection
                    return
        # A reader that finds an older schema continues as a writer, to migrate it.
        with self._leased(read_only=False, private=private) as connection, engine_errors(self.path):
            self._bring_up_to_date(connection)
            yield connection

    @contextmanager
    def _leased(self, *, read_only: bool, private: bool) -> Iterator[duckdb.DuckDBPyConnection]:
        if self.exists and not self.path.is_file():
            # Opening a pipe would wait for ever.
            raise MemtuiError(
                "The vault is not a regular file", where=str(self.path), remedy="Choose another with --vault."
            )
        with ExitStack() as stack:
            yield self._take(stack, read_only=read_only, private=private)

    def _take(self, stack: ExitStack, *, read_only: bool, private: bool) -> duckdb.DuckDBPyConnection:
        """Take the lease and open the file, both until the stack ends.

        Another program gets some time to release the file. The lease is released meanwhile, so that others who wait
        get to know of that program and not of this one.
        """
        opening = opened_alone if private else borrowed
        deadline = time.monotonic() + self.patience_seconds
        held: VaultBusyError | None = None
        while True:
            with ExitStack() as attempt:
                # The first time all of it, exactly, because the message states it.
                left = self.patience_seconds if held is None else max(0.0, deadline - time.monotonic())
                try:
                    attempt.enter_context(lease(self.path, exclusive=not read_only, wait_seconds=left))
                except VaultBusyError as error:
                    raise held or error from None
                if not read_only and not self.exists:
                    create_file(self.path)
                try:
                    with engine_errors(self.path):
                        connection = attempt.enter_context(opening(self.path, read_only=read_only))
                except VaultBusyError as error:
                    if time.monotonic() >= deadline:
                        raise
                    held = error
                else:
                    stack.push(attempt.pop_all())
                    return connection
            time.sleep(0.05)

    def _refuse_orphan_log(self) -> None:
        """Refuse to read as empty, or to create, a vault whose file is lost while its log exists.

        Raises `VaultDamagedError`: the file is gone and its log is not.
        """
        if not self.exists and self.log_bytes:
            raise VaultDamagedError(
                "The vault file is missing, but its log is still there",
                where=str(log_path(self.path)),
                remedy="Put the file back, or restore a backup with `memtui vault restore`."
                " To start over, move the log away first.",
            )

    def _bring_up_to_date(self, connection: duckdb.DuckDBPyConnection) -> None:
        """Prepare an open file for writing: check that it is a vault, restrict its permissions, migrate its schema."""
        version = check_not_newer(connection, str(self.path))
        if not version and connection.execute("SELECT 1 FROM duckdb_tables() WHERE NOT internal LIMIT 1").fetchone():
            raise MemtuiError(
                "This DuckDB file is not a memtui vault",
                where=str(self.path),
                remedy="It was not changed. Choose another file with --vault or MEMTUI_VAULT.",
            )
        _keep_private(self.path)
        if version == SCHEMA_VERSION:
            return
        if version:
            connection.execute("CHECKPOINT")
            copy_vault(self.path, self.now(), label=f"before-schema-{SCHEMA_VERSION}")
            # The checkpoint removed the log, and the migration writes a new one.
            _keep_private(self.path)
        migrate(connection)

    @property
    def log_bytes(self) -> int:
        """Size of the log beside the file, whose changes are not in the file yet."""
        try:
            return log_path(self.path).stat().st_size
        except OSError:
            return 0

    def fold_log_if_free(self) -> bool:
        """Fold the log into the file unless the vault is in use; returns whether it was done.

        A file that somebody copies by hand is then complete. 8 to 16 ms of processor time for a log of one change, at
        100 memories and at 11,637: too much for each of many changes, little for the end of a command or of the app.
        """
        if not self.exists or not self.log_bytes:
            return False
        try:
            with Vault(self.path, patience_seconds=0.0).connect(read_only=False) as connection:
                connection.execute("CHECKPOINT")
        except MemtuiError:
            # Whoever holds the vault folds the log, or leaves it; either way nothing is lost.
            return False
        return True

    def _fold_log(self, connection: duckdb.DuckDBPyConnection) -> None:
        """Fold a large log into the file, after the commit: a full disk leaves it for later, and the change stands."""
        if self.log_bytes > LARGE_LOG_BYTES:
            with suppress(VaultNotWritableError), engine_errors(self.path):
                connection.execute("CHECKPOINT")

    def _prepare_folder(self) -> None:
        folder = self.path.parent
        if folder.exists():
            return
        try:
            folder.mkdir(parents=True, mode=0o700, exist_ok=True)  # others may create it at the same moment
        except OSError as error:
            raise MemtuiError(
                f"The vault's folder cannot be created ({error.strerror})",
                where=str(folder),
                remedy="Choose another path with --vault or MEMTUI_VAULT.",
            ) from error
        restrict(folder, 0o700)


def create_file(path: Path) -> None:
    """Create an empty vault with the newest schema, atomically. The caller holds the lease."""
    partial = path.with_name(path.name + ".new")
    remove_files(partial)
    with engine_errors(path):
        connection = open_connection(partial, read_only=False)
        try:
            migrate(connection)
            connection.execute("CHECKPOINT")
        finally:
            connection.close()
    restrict(partial, 0o600)
    partial.replace(path)


def _keep_private(path: Path) -> None:
    """Restrict the file, and the log that is about to be written, to their owner, whatever the umask."""
    restrict(path, 0o600)
    if os.name == "posix":
        # DuckDB would create the log with the umask's mode, but uses an existing empty one.
        os.close(os.open(log_path(path), os.O_WRONLY | os.O_CREAT, 0o600))
        restrict(log_path(path), 0o600)
