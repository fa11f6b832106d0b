"""Whether a text stands anywhere in a vault file: looked at before the file is written anew."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from memtui.vault import rows
from memtui.vault.connection import engine_errors, open_connection
from memtui.vault.erasing import MACHINE_KEYS, Eraser

if TYPE_CHECKING:
    import duckdb


def holds_text(path: Path, eraser: Eraser) -> bool:
    """Return whether an eraser would find its text in a file, which is only read; the caller holds the lease.

    Raises:
        MemtuiError: the file cannot be opened.
    """
    with engine_errors(path):
        connection = open_connection(path, read_only=True)
        try:
            return any(eraser.text(cell) != cell for cell in _cells(connection, eraser.hint))
        finally:
            connection.close()


def _cells(connection: duckdb.DuckDBPyConnection, hint: str) -> Iterator[str]:
    """Yield the cells of free text that may hold it, lists and structures as JSON; an older file has fewer columns."""
    found = connection.execute("SELECT table_name, column_name FROM duckdb_columns() WHERE NOT internal").fetchall()
    there = {(str(table), str(column)) for table, column in found}
    for table, columns in {**rows.COLUMNS, "meta": {"key": "VARCHAR", "value": "VARCHAR"}}.items():
        for name, kind in columns.items():
            is_text = kind == "VARCHAR"
            # A setting or a revision may be named by a text, such as a kind's or a recipe's.
            is_machine = name in MACHINE_KEYS - {"entity_key", "key"}
            if (table, name) not in there or is_machine or (isinstance(kind, str) and not is_text):
                continue
            cell = name if is_text else f"CAST(to_json({name}) AS VARCHAR)"
            matching = connection.execute(
                f"SELECT {cell} FROM {table} WHERE contains({cell}, ?)",  # noqa: S608 - names are ours
                [hint],
            )
            yield from (str(value) for (value,) in matching.fetchall())
