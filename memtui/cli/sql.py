"""`memtui sql`."""

from __future__ import annotations

import argparse

from memtui.cli.output import plural, read_input, say, write_json, write_table
from memtui.cli.parsing import Parser
from memtui.cli.session import Session
from memtui.errors import EXIT_DONE
from memtui.text.sanitising import one_line
from memtui.vault.sqlquery import STABLE_VIEWS, jsonable, run_query

_EXAMPLE = "SELECT kind, count(*) FROM memory GROUP BY kind"

DESCRIPTIONS = {
    "sql": "Ask the vault a question in SQL, read-only and shut off from the file system. "
    f"Views: {', '.join(STABLE_VIEWS)}. Example: {_EXAMPLE}"
}


def configure(parser: Parser) -> None:
    """Add the options."""
    parser.add_argument("query", metavar="QUERY", help="one SELECT, or - to read it from standard input")


def run(arguments: argparse.Namespace, session: Session) -> int:
    """Run one query."""
    query = read_input() if arguments.query == "-" else arguments.query
    table = run_query(session.vault, query)
    if session.json:
        write_json([dict(zip(table.columns, map(jsonable, row), strict=True)) for row in table.rows])
        return EXIT_DONE
    write_table(
        [[one_line(str("" if cell is None else cell)) for cell in row] for row in table.rows],
        headings=table.columns,
    )
    say(plural(len(table.rows), "row"))
    return EXIT_DONE
