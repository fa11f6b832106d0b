"""`memtui sql`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator

from memtui.cli.output import plural, read_input, say, write, write_json, write_table
from memtui.cli.parsing import Parser
from memtui.cli.session import Session
from memtui.errors import EXIT_DONE, UsageError
from memtui.text.sanitize import one_line, reveal
from memtui.text.width import shorten
from memtui.vault.sql_query import STABLE_VIEWS, Table, as_text, jsonable, run_query

_EXAMPLE = "SELECT kind, count(*) FROM memories GROUP BY kind"

DESCRIPTIONS = {
    "sql": "Ask the vault a question in SQL, read-only and shut off from the file system. "
    f"Example: {_EXAMPLE}. A query that takes long runs on a copy, so that nobody waits for it. "
    "With --json, NaN and infinity are null; bytes are hexadecimal everywhere; a second column of one name gets a "
    "number. Views and their columns: "
    + "; ".join(f"{view} ({', '.join(columns)})" for view, columns in STABLE_VIEWS.items())
    + "."
}

MOST_SHOWN = 1_000
"""Characters of a cell in a table for people: more than any memory worth its tokens has."""

MOST_WRITTEN = 1_000_000
"""Characters of a cell in JSON and CSV: as long as the longest text that a memory may have."""


def configure(parser: Parser) -> None:
    """Add the options."""
    parser.add_argument("query", metavar="QUERY", help="one SELECT, or - to read it from standard input")
    parser.add_argument("--csv", action="store_true", help="write CSV: a heading, a line per row, nothing for NULL")


def run(arguments: argparse.Namespace, session: Session) -> int:
    """Run one query."""
    if arguments.csv and session.json:
        raise UsageError("--csv and --json exclude each other", remedy="Give one of them.")
    query = read_input() if arguments.query == "-" else arguments.query
    table = run_query(session.vault, query)
    cut = _Cutting(MOST_WRITTEN if session.json or arguments.csv else MOST_SHOWN)
    if session.json:
        cells = ([cut.value(jsonable(cell)) for cell in row] for row in table.rows)
        write_json([dict(zip(table.columns, row, strict=True)) for row in cells])
    elif arguments.csv:
        _write_csv(table, cut)
    else:
        rows = [[cut.text(one_line(as_text(cell))) for cell in row] for row in table.rows]
        write_table(rows, headings=table.columns)
        say(plural(len(table.rows), "row"))
    if cut.number:
        say(f"{plural(cut.number, 'cell')} cut to {cut.most:,} characters")
    return EXIT_DONE


class _Cutting:
    """Cuts long cells and counts them."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.number = 0

    def text(self, text: str) -> str:
        if len(text) <= self.most:
            return text
        self.number += 1
        return shorten(text, self.most)

    def value(self, value: object) -> object:
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, list | dict) and len(whole := as_text(value)) > self.most:
            # A part of a list is no list: what is too long becomes text.
            return self.text(whole)
        return value


def _write_csv(table: Table, cut: _Cutting) -> None:
    import csv

    shown = reveal if sys.stdout.isatty() else str
    writer = csv.writer(_Lines(), lineterminator="\n")
    for row in _csv_rows(table, cut):
        writer.writerow([shown(cell) for cell in row])


def _csv_rows(table: Table, cut: _Cutting) -> Iterator[list[str]]:
    yield list(table.columns)
    for row in table.rows:
        yield [cut.text(as_text(cell)) for cell in row]


class _Lines:
    """Standard output as `csv` takes it."""

    def write(self, text: str) -> int:
        write(text)
        return len(text)
