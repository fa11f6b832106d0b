"""Read what can be read of a damaged vault file; runs as a process of its own, `python -m memtui.vault.salvage`.

Rows go to a file as JSON lines while they are read. A broken block of a column costs that column for its
rows, not the rows: what fails as a whole is read column by column, and what fails there in halves.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from memtui.vault.child import run_child, say
from memtui.vault.rows import COLUMNS

if TYPE_CHECKING:
    import duckdb

WINDOW_ROWS = 2_048
"""Rows per query."""

SMALLEST_ROWS = 32
"""A window that small and still unreadable, or deadly, is given up."""

MOST_CRASHES = 40
"""How often the reading process may die before the rest of the file is given up."""

SALVAGED = ("meta", *(table for table in COLUMNS if table != "documents"))
"""Tables worth reading; postings are made anew."""


@dataclass(slots=True)
class _Plan:
    """Where to begin, which windows to leave out, and where to cut windows smaller."""

    start: tuple[str, int] = (SALVAGED[0], 0)
    skipped: list[tuple[str, int, int]] = field(default_factory=list)
    cuts: list[tuple[str, int]] = field(default_factory=list)

    def learn_from(self, table: str, low: int, high: int) -> None:
        """Take in that reading these rows killed the process."""
        if high - low > SMALLEST_ROWS:
            self.cuts.append((table, (low + high) // 2))
            self.start = (table, low)
        else:
            self.skipped.append((table, low, high))
            self.start = (table, high)

    def windows(self, table: str, end: int) -> Iterator[tuple[int, int]]:
        """Yield windows of rows of a table, none of which is left out."""
        first = self.start[1] if table == self.start[0] else 0
        left_out = {(low, high) for name, low, high in self.skipped if name == table}
        edges = {first, *range(0, end, WINDOW_ROWS), end}
        edges.update(row for name, row in self.cuts if name == table)
        edges.update(edge for pair in left_out for edge in pair)
        for pair in pairwise(sorted(edge for edge in edges if first <= edge <= end)):
            if pair not in left_out:
                yield pair


@dataclass(slots=True)
class Salvaged:
    """How many rows of each table were read, and how many it says it has."""

    found: dict[str, int] = field(default_factory=dict)
    stated: dict[str, int] = field(default_factory=dict)


def salvage(path: Path, out: Path) -> Salvaged:
    """Read what can be read of a file, starting again after every crash.

    Args:
        path: a copy of the file; its log is read too if there is one.
        out: JSON lines `{"table", "row"}`; a value that could not be read is missing from its row.
    """
    plan = _Plan()
    result = Salvaged()
    out.write_bytes(b"")
    for _ in range(MOST_CRASHES):
        report = run_child("memtui.vault.salvage", str(path), str(out), json.dumps(asdict(plan)))
        for line in report.lines:
            if "rows" in line:
                result.found[line["table"]] = result.found.get(line["table"], 0) + line["rows"]
            elif "stated" in line:
                result.stated[line["table"]] = line["stated"]
        if not report.crashed:
            break
        begun = [line["window"] for line in report.lines if "window" in line]
        if not begun:
            break
        table, low, high = begun[-1]
        plan.learn_from(str(table), int(low), int(high))
    return result


def _read_file(path: Path, out: Path, plan: _Plan) -> None:
    from memtui.vault.connection import open_connection

    connection = open_connection(path, read_only=True)
    with out.open("a", encoding="utf-8") as file:
        for table in SALVAGED[SALVAGED.index(plan.start[0]) :]:
            _read_table(connection, table, plan, file)


def _read_table(connection: duckdb.DuckDBPyConnection, table: str, plan: _Plan, file: IO[str]) -> None:
    import duckdb

    try:
        row = connection.execute(f"SELECT count(*), max(rowid) FROM {table}").fetchone()  # noqa: S608 - names are ours
    except duckdb.Error:
        return
    stated, last = row or (0, None)
    say(table=table, stated=stated)
    end = 0 if last is None else int(last) + 1
    columns = ("key", "value") if table == "meta" else tuple(COLUMNS[table])
    for low, high in plan.windows(table, end):
        say(window=[table, low, high])
        rows = _read_window(connection, table, columns, low, high)
        for values in rows.values():
            file.write(json.dumps({"table": table, "row": values}, default=_plain) + "\n")
        file.flush()
        say(table=table, rows=len(rows))


def _read_window(
    connection: duckdb.DuckDBPyConnection, table: str, columns: tuple[str, ...], low: int, high: int
) -> dict[int, dict[str, Any]]:
    """Return the rows of a window by row number, each with the columns that could be read."""
    rows: dict[int, dict[str, Any]] = {}
    whole = _query(connection, table, columns, low, high)
    if whole is not None:
        return {int(number): dict(zip(columns, values, strict=True)) for number, *values in whole}
    for column in columns:
        for number, value in _read_column(connection, table, column, low, high):
            rows.setdefault(number, {})[column] = value
    return rows


def _read_column(
    connection: duckdb.DuckDBPyConnection, table: str, column: str, low: int, high: int
) -> Iterator[tuple[int, Any]]:
    found = _query(connection, table, (column,), low, high)
    if found is not None:
        yield from ((int(number), value) for number, value in found)
    elif high - low > SMALLEST_ROWS:
        middle = (low + high) // 2
        yield from _read_column(connection, table, column, low, middle)
        yield from _read_column(connection, table, column, middle, high)


def _query(
    connection: duckdb.DuckDBPyConnection, table: str, columns: tuple[str, ...], low: int, high: int
) -> list[tuple[Any, ...]] | None:
    import duckdb

    try:
        return connection.execute(
            f"SELECT rowid, {', '.join(columns)} FROM {table} WHERE rowid >= {low} AND rowid < {high}"  # noqa: S608 - names are ours, numbers
        ).fetchall()
    except (duckdb.Error, UnicodeDecodeError):
        return None


def _plain(value: object) -> object:
    return value.isoformat() if isinstance(value, datetime) else str(value)


def _plan_from(text: str) -> _Plan:
    """Return the plan that the parent passes as JSON, which knows no tuples."""
    stated = json.loads(text)
    return _Plan(
        (stated["start"][0], stated["start"][1]),
        [(table, low, high) for table, low, high in stated["skipped"]],
        [(table, row) for table, row in stated["cuts"]],
    )


if __name__ == "__main__":
    _read_file(Path(sys.argv[1]), Path(sys.argv[2]), _plan_from(sys.argv[3]))
