"""One transaction of an open connection."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import duckdb


@dataclass(slots=True)
class Transaction:
    """A running transaction."""

    is_kept: bool = True  # whether its end commits it; set it to false where there is nothing to commit


@contextmanager
def committing(connection: duckdb.DuckDBPyConnection) -> Iterator[Transaction]:
    """Run a transaction that is committed at the end, and rolled back on any error, one of the commit included."""
    running = Transaction()
    connection.execute("BEGIN")
    try:
        yield running
        connection.execute("COMMIT" if running.is_kept else "ROLLBACK")
    except BaseException:
        _roll_back(connection)
        raise


def _roll_back(connection: duckdb.DuckDBPyConnection) -> None:
    from memtui.vault.engine import duckdb

    try:
        connection.execute("ROLLBACK")
    except duckdb.Error:
        # No transaction is open, or the engine failed: closing the connection rolls back too.
        return
