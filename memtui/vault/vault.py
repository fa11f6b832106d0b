"""The vault: one DuckDB file that nobody holds. Take the lease, open, act in one transaction, close."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from memtui import clock
from memtui.domain.kinds import Kinds
from memtui.errors import MemtuiError, VaultBusyError, VaultDamagedError
from memtui.vault import backup
from memtui.vault.backup import log_path
from memtui.vault.connection import borrowed, engine_errors, open_connection, opened_alone
from memtui.vault.lease import lease
from memtui.vault.reader import VaultReader
from memtui.vault.schema import SCHEMA_VERSION, check_not_newer, migrate, stored_half_lives
from memtui.vault.writer import VaultWriter

if TYPE_CHECKING:
    import duckdb

FILE_NAME = "vault.duckdb"
PATIENCE_SECONDS = 10.0
"""How long the command line and the app wait for the lease."""

HOOK_PATIENCE_SECONDS = 0.15
"""How long a hook waits before it answers with nothing."""

LARGE_LOG_BYTES = 128 << 10
"""A write-ahead log above this is folded into the file at the end of a write.

Every open replays the log: measured 1.3 ms per small write in it (7 KB), against 15–70 ms for folding it in.
"""


def vault_file(path: Path) -> Path:
    """Return the vault file that a path means: itself, or `vault.duckdb` in it when it is a folder."""
    return path / FILE_NAME if path.is_dir() else path


@dataclass(frozen=True, slots=True)
class Committed:
    """A change of the journal that stands in the vault: its number, its line for people, the memories it touched."""

    number: int
    summary: str
    ids: tuple[str, ...]


class Vault:
    """A vault by its path. It may be shared by threads; every use opens and closes the file.

    Args:
        path: the file, or a folder that holds `vault.duckdb`.
        kinds: the kinds in force; they take over the half-lives that are stored in the vault whenever it is opened.
        patience_seconds: how long to wait for the lease.
    """

    def __init__(
        self,
        path: Path,
        *,
        kinds: Kinds | None = None,
        now: clock.Clock = clock.now,
        patience_seconds: float = PATIENCE_SECONDS,
    ) -> None:
        # Lock, log, backups and swaps must all stand beside the real file, whatever name it is reached by.
        self.path = Path(os.path.realpath(vault_file(path.expanduser())))
        self.kinds = kinds or Kinds()
        self.now = now
        self.patience_seconds = patience_seconds
        self.wrote = False
        """Whether anything was committed through this object."""
        self.last_change: Committed | None = None
        """The last change of the journal that was committed through this object."""

    @property
    def exists(self) -> bool:
        """Whether the file is there."""
        try:
            return self.path.exists()
        except OSError as error:
            raise MemtuiError(
                f"The vault cannot be looked at ({error.strerror})",
                where=str(self.path),
                remedy="Check the permissions of its folder, or choose another vault with --vault.",
            ) from error

    @contextmanager
    def read(self) -> Iterator[VaultReader]:
        """Open the vault for reading; a missing file reads as an empty vault and is not created.

        Raises:
            VaultBusyError, VaultDamagedError, VaultTooNewError: see their texts.
        """
        with self.connect(read_only=True) as connection:
            self.kinds.take_stored(stored_half_lives(connection))
            yield VaultReader(connection, self.kinds)

    @contextmanager
    def write(self, *, actor: str, action: str, summary: str = "", reason: str = "") -> Iterator[VaultWriter]:
        """Open the vault for one change; creates the file, commits at the end, rolls back on any error.

        Args:
            actor: a person or an agent's name.
            action: what is done in a word or two, for the journal.
            summary: one line for people; by default the action.
            reason: why, if the actor said so.
        """
        with self.connect(read_only=False) as connection:
            self.kinds.take_stored(stored_half_lives(connection))
            writer = VaultWriter(
                connection, self.kinds, actor=actor, now=self.now(), action=action, summary=summary or action
            )
            writer.reason = reason
            connection.execute("BEGIN")
            try:
                yield writer
                done = writer.finish()
            except BaseException:
                _roll_back(connection)
                raise
            connection.execute("COMMIT" if done else "ROLLBACK")
            self.wrote |= done
            if done and writer.number:
                ids = dict.fromkeys(one.entity_key for one in writer.revisions if one.entity == "memory")
                self.last_change = Committed(writer.number, writer.summary, tuple(ids))
            self.kinds.take_stored(stored_half_lives(connection))
            self._fold_log(connection)

    @contextmanager
    def transaction(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """Open the vault to write what is derived, in one transaction, past the journal; for code within `vault/`."""
        with self.connect(read_only=False) as connection:
            connection.execute("BEGIN")
            try:
                yield connection
            except BaseException:
                _roll_back(connection)
                raise
            connection.execute("COMMIT")
            self.wrote = True
            self._fold_log(connection)

    @contextmanager
    def connect(self, *, read_only: bool, private: bool = False) -> Iterator[duckdb.DuckDBPyConnection]:
        """Hold the lease and an open connection with the newest schema; for code within `vault/`.

        Args:
            read_only: whether to open the file for reading.
            private: whether the engine is used this once, because its settings are changed.
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
        # A reader that meets an older schema goes on as a writer, to bring it up to date.
        with self._leased(read_only=False, private=private) as connection, engine_errors(self.path):
            self._bring_up_to_date(connection)
            yield connection

    @contextmanager
    def _leased(self, *, read_only: bool, private: bool) -> Iterator[duckdb.DuckDBPyConnection]:
        if self.exists and not self.path.is_file():
            # Opening a pipe would wait for ever.
            raise MemtuiError(
                "The vault is no regular file", where=str(self.path), remedy="Choose another with --vault."
            )
        with ExitStack() as stack:
            yield self._take(stack, read_only=read_only, private=private)

    def _take(self, stack: ExitStack, *, read_only: bool, private: bool) -> duckdb.DuckDBPyConnection:
        """Take the lease and open the file, both until the stack ends.

        A foreign program gets some time to let go of the file. The lease is let go meanwhile, so that whoever
        waits beside us hears of that program and not of us.
        """
        opening = opened_alone if private else borrowed
        deadline = time.monotonic() + self.patience_seconds
        held: VaultBusyError | None = None
        while True:
            with ExitStack() as attempt:
                # The first time all of it, to the digit: the message tells how long it was.
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
        """Never take a vault for empty, or make a new one, where the log of a lost one is.

        Raises:
            VaultDamagedError: the file is gone and its log is not.
        """
        log = log_path(self.path)
        if not self.exists and log.exists() and log.stat().st_size:
            raise VaultDamagedError(
                "The vault file is gone, but its log is still here",
                where=str(log),
                remedy="Put the file back, or bring back a backup with `memtui vault restore`."
                " To begin anew, move the log away first.",
            )

    def _bring_up_to_date(self, connection: duckdb.DuckDBPyConnection) -> None:
        """Make an open file ready for writing: one of ours, private, with the newest schema."""
        version = check_not_newer(connection, str(self.path))
        if not version and connection.execute("SELECT 1 FROM duckdb_tables() WHERE NOT internal LIMIT 1").fetchone():
            raise MemtuiError(
                "This DuckDB file is no vault of memtui",
                where=str(self.path),
                remedy="It was not touched. Choose another file with --vault or MEMTUI_VAULT.",
            )
        _keep_private(self.path)
        if version == SCHEMA_VERSION:
            return
        if version:
            connection.execute("CHECKPOINT")
            backup.copy_vault(self.path, self.now(), label=f"before-schema-{SCHEMA_VERSION}")
            # The checkpoint took the log away, and the migration writes another one.
            _keep_private(self.path)
        try:
            migrate(connection)
        except BaseException:
            _roll_back(connection)
            raise

    def _fold_log(self, connection: duckdb.DuckDBPyConnection) -> None:
        log = log_path(self.path)
        if log.exists() and log.stat().st_size > LARGE_LOG_BYTES:
            connection.execute("CHECKPOINT")

    def _prepare_folder(self) -> None:
        folder = self.path.parent
        if folder.exists():
            return
        try:
            folder.mkdir(parents=True, mode=0o700, exist_ok=True)  # others may make it at the same moment
        except OSError as error:
            raise MemtuiError(
                f"The vault's folder cannot be made ({error.strerror})",
                where=str(folder),
                remedy="Choose another place with --vault or MEMTUI_VAULT.",
            ) from error
        restrict(folder, 0o700)


def create_file(path: Path) -> None:
    """Make an empty vault with the newest schema; a crash leaves no half of one. The caller holds the lease."""
    partial = path.with_name(path.name + ".new")
    for left_over in (partial, log_path(partial)):
        left_over.unlink(missing_ok=True)
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
    """Give the file and the log that is about to be written to their owner alone, whatever the umask."""
    restrict(path, 0o600)
    if os.name == "posix":
        # DuckDB would make the log with the umask's mode, but takes an empty one that is there.
        os.close(os.open(log_path(path), os.O_WRONLY | os.O_CREAT, 0o600))
        restrict(log_path(path), 0o600)


def restrict(path: Path, mode: int) -> None:
    """Give a file or folder of ours to its owner alone, where the platform knows modes."""
    if os.name == "posix" and path.exists() and path.stat().st_mode & 0o777 != mode:
        path.chmod(mode)


def _roll_back(connection: duckdb.DuckDBPyConnection) -> None:
    from memtui.vault.engine import duckdb

    try:
        connection.execute("ROLLBACK")
    except duckdb.Error:
        # No transaction is open, or the engine gave up: closing the connection rolls back too.
        return
