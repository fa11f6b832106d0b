"""Read the readable rows of a damaged vault in a child process, and rebuild a vault from them."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from datetime import datetime
from itertools import islice, pairwise
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from memtui.domain.causes import cause_from_words, stone_cause_from_words
from memtui.domain.memory import hash_parts
from memtui.domain.record import Record, memory_from_record, parse_time
from memtui.vault import rows
from memtui.vault.committing import committing
from memtui.vault.connection import fold_log, open_connection
from memtui.vault.rows import COLUMNS, write_meta
from memtui.vault.subprocess_probe import run_child, say

if TYPE_CHECKING:
    import duckdb

_TITLE_LENGTH = 80

_MEMORY_DEFAULTS: rows.Row = {
    "version": 1,
    "kind": "lesson",
    "status": "candidate",
    "status_reason": "",
    "rationale": "",
    "snippet": "",
    "importance": 3,
    "confidence": 1.0,
    "pinned": False,
    "rules": [],
}
"""Defaults of columns that may be unreadable, and of later ones that an older file lacks.

A column without one becomes NULL: where its table forbids that, the repair fails. A memory with an unknown status goes
to the inbox, so that no retired one becomes active again.
"""


@dataclass(slots=True)
class Rebuilt:
    """What the new vault contains."""

    memories: int = 0  # their number
    # ids whose texts came partly or wholly from the journal's revisions
    from_journal: set[str] = field(default_factory=set)
    incomplete: set[str] = field(default_factory=set)  # ids with a value that could not be read anywhere
    newest_change: int = 0  # number of the newest change in its journal


def rebuild(salvaged: Path, new: Path, *, now: datetime, stated_revisions: int | None) -> Rebuilt:
    """Fill a new, empty vault file from salvaged rows; postings are left to a reindex.

    Args:
        salvaged: JSON lines, see `salvage`.
        new: a vault file with the newest schema and no memories.
        now: replaces times that could not be read.
        stated_revisions: their number in the damaged file; if some could not be read, no earlier change can be undone.
    """
    result = Rebuilt()
    newest = _newest_records(salvaged)
    connection = open_connection(new, read_only=False)
    try:
        with committing(connection):
            found = enumerate(_memory_rows(salvaged, newest, now, result), start=1)
            result.memories = _insert(connection, "memories", (row | {"key": key} for key, row in found))
            inserted = {
                table: _insert_plain(connection, table, salvaged)
                for table in rows.COLUMNS
                if table not in {"memories", "documents"}
            }
            if inserted["revisions"] != stated_revisions:
                connection.execute("UPDATE changes SET undoable = false")
            row = connection.execute("SELECT coalesce(max(number), 0) FROM changes").fetchone()
            result.newest_change = int(row[0]) if row else 0
            _copy_meta(connection, salvaged, result.newest_change)
    finally:
        connection.close()
    fold_log(new)
    return result


def _insert_plain(connection: duckdb.DuckDBPyConnection, table: str, salvaged: Path) -> int:
    later = dict.fromkeys(rows.LATER_COLUMNS.get(table, ()))
    whole = (later | row for row in _rows(salvaged, table) if _is_whole(table, later | row))
    return _insert(connection, table, map(_with_cause, whole) if table == "tombstones" else whole)


def _with_cause(stone: rows.Row) -> rows.Row:
    return stone | {"cause": stone["cause"] or stone_cause_from_words(stone["reason"])}


def _insert(connection: duckdb.DuckDBPyConnection, table: str, found: Iterator[rows.Row]) -> int:
    inserted = 0
    while chunk := list(islice(found, rows.CHUNK_ROWS)):
        rows.insert_rows(connection, table, chunk)
        inserted += len(chunk)
    return inserted


def _rows(salvaged: Path, table: str) -> Iterator[rows.Row]:
    with salvaged.open(encoding="utf-8") as file:
        for line in file:
            if not line.startswith(f'{{"table": "{table}"'):
                continue
            try:
                yield json.loads(line)["row"]
            except ValueError:
                # The line that was being written when the reading process died.
                continue


def _is_whole(table: str, row: rows.Row) -> bool:
    return all(column in row for column in rows.COLUMNS[table])


def _newest_records(salvaged: Path) -> dict[str, tuple[int, Record]]:
    """Return (version, portable record) of each memory's newest revision; empty records for removed memories."""
    newest: dict[str, tuple[tuple[int, int], int, Record]] = {}
    for row in _rows(salvaged, "revisions"):
        if row.get("entity") != "memory" or not _is_whole("revisions", row):
            continue
        place = (int(row["change_number"]), int(row["position"]))
        identifier = str(row["entity_key"])
        if identifier not in newest or newest[identifier][0] < place:
            newest[identifier] = (place, int(row["version"]), json.loads(row["after"]) if row["after"] else {})
    return {identifier: (version, record) for identifier, (_, version, record) in newest.items()}


def _memory_rows(
    salvaged: Path, newest: dict[str, tuple[int, Record]], now: datetime, result: Rebuilt
) -> Iterator[rows.Row]:
    seen: set[str] = set()
    for row in _rows(salvaged, "memories"):
        identifier = row.get("id")
        if identifier in seen:
            continue
        known = newest.get(str(identifier), (0, {}))[1]
        filled = None if identifier is None else _fill(row, known, now, result)
        if filled is not None:
            seen.add(str(identifier))
            yield filled
    for identifier, (version, record) in newest.items():
        if record and identifier not in seen:
            # Its row could not be read at all, but the journal has its text.
            result.from_journal.add(identifier)
            filled = _fill({"id": identifier, "version": version}, record, now, result)
            if filled is not None:
                yield filled


def _fill(row: rows.Row, record: Record, now: datetime, result: Rebuilt) -> rows.Row | None:
    """Return a row with every column, from the row, else the journal's record, else a default; None without text."""
    known = _record_row(record) if record else {}
    filled: rows.Row = {**dict.fromkeys(rows.MEMORY_COLUMNS), **_MEMORY_DEFAULTS, **known, **row}
    if not filled["insight"]:
        return None
    if filled["cause"] is None and filled["status"] == "retired":
        filled["cause"] = cause_from_words(filled["status_reason"], was_in_use=filled["confirmed_at"] is not None)
    missing = set(rows.MEMORY_COLUMNS) - row.keys() - {"key", "version", "updated_at", "content_hash", "cause"}
    if missing & known.keys():
        result.from_journal.add(str(row["id"]))
    if missing - known.keys():
        result.incomplete.add(str(row["id"]))
    if filled["title"] is None:
        filled["title"] = str(filled["insight"]).strip().split("\n", 1)[0][:_TITLE_LENGTH]
    filled["cause"] = filled["cause"] or ""
    for column in ("created_at", "updated_at"):
        filled[column] = filled[column] or now
    filled["content_hash"] = hash_parts(*(filled[name] for name in ("title", "insight", "rationale", "snippet")))
    return filled


def _record_row(record: Record) -> rows.Row:
    """Return the columns of a portable record, including those that it omits as empty."""
    created = parse_time(record.get("created_at"))
    if created is None:
        return {}
    memory = memory_from_record(record, now=created, new_id=str(record["id"]))
    row = rows.memory_row(memory, 0)
    return {name: value for name, value in row.items() if name not in {"key", "version", "updated_at", "content_hash"}}


def _copy_meta(connection: duckdb.DuckDBPyConnection, salvaged: Path, newest_change: int) -> None:
    known = {row["key"]: row["value"] for row in _rows(salvaged, "meta") if row.get("key") and row.get("value")}
    counter = max(int(known.get("change_counter", 0)), newest_change) + 1
    for key, value in {**known, "change_counter": str(counter)}.items():
        if key not in {"schema_version", "written_by"}:
            write_meta(connection, key, value)


_WINDOW_ROWS = 2_048  # Rows per query
SMALLEST_ROWS = 32  # A window this small that is still unreadable, or crashes the process, is given up
_MOST_CRASHES = 40  # How often the reading process may crash before the rest of the file is given up
SALVAGED = ("meta", *(table for table in COLUMNS if table != "documents"))  # Tables to read; postings are rebuilt


@dataclass(slots=True)
class _Plan:
    """Where to start, which windows to skip, and where to split windows."""

    start: tuple[str, int] = (SALVAGED[0], 0)
    skipped: list[tuple[str, int, int]] = field(default_factory=list)
    cuts: list[tuple[str, int]] = field(default_factory=list)

    def learn_from(self, table: str, low: int, high: int) -> None:
        """Split or skip a window that crashed the process."""
        if high - low > SMALLEST_ROWS:
            self.cuts.append((table, (low + high) // 2))
            self.start = (table, low)
        else:
            self.skipped.append((table, low, high))
            self.start = (table, high)

    def windows(self, table: str, end: int) -> Iterator[tuple[int, int]]:
        """Yield the windows of rows of a table that are not skipped."""
        first = self.start[1] if table == self.start[0] else 0
        left_out = {(low, high) for name, low, high in self.skipped if name == table}
        edges = {first, *range(0, end, _WINDOW_ROWS), end}
        edges.update(row for name, row in self.cuts if name == table)
        edges.update(edge for pair in left_out for edge in pair)
        for pair in pairwise(sorted(edge for edge in edges if first <= edge <= end)):
            if pair not in left_out:
                yield pair


@dataclass(slots=True)
class Salvaged:
    """How many rows of each table were read, and how many it has."""

    found: dict[str, int] = field(default_factory=dict)
    stated: dict[str, int] = field(default_factory=dict)


def salvage(path: Path, out: Path) -> Salvaged:
    """Read what can be read of a file, restarting after every crash.

    `path`: a copy of the file; its log is read too if there is one. `out`: JSON lines `{"table", "row"}`; values that
    could not be read are missing.
    """
    plan = _Plan()
    result = Salvaged()
    out.write_bytes(b"")
    for _ in range(_MOST_CRASHES):
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
    connection = open_connection(path, read_only=True)
    with out.open("a", encoding="utf-8") as file:
        for table in SALVAGED[SALVAGED.index(plan.start[0]) :]:
            _read_table(connection, table, plan, file)


def _read_table(connection: duckdb.DuckDBPyConnection, table: str, plan: _Plan, file: IO[str]) -> None:
    import duckdb

    try:
        row = connection.execute(f"SELECT count(*), max(rowid) FROM {table}").fetchone()
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
            f"SELECT rowid, {', '.join(columns)} FROM {table} WHERE rowid >= {low} AND rowid < {high}"
        ).fetchall()
    except (duckdb.Error, UnicodeDecodeError):
        return None


def _plain(value: object) -> object:
    return value.isoformat() if isinstance(value, datetime) else str(value)


def _plan_from(text: str) -> _Plan:
    """Return the plan that the parent passes as JSON, which has no tuples."""
    stated = json.loads(text)
    return _Plan(
        (stated["start"][0], stated["start"][1]),
        [(table, low, high) for table, low, high in stated["skipped"]],
        [(table, row) for table, row in stated["cuts"]],
    )


if __name__ == "__main__":
    _read_file(Path(sys.argv[1]), Path(sys.argv[2]), _plan_from(sys.argv[3]))
