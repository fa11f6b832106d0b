"""`memtui reindex`."""

from __future__ import annotations

import argparse
import sys

from memtui.cli.output import plural, say, write_json
from memtui.cli.parsing import Parser
from memtui.cli.session import Session
from memtui.errors import EXIT_DONE
from memtui.vault.maintenance import reindex

DESCRIPTIONS = {
    "reindex": "Rebuild the search index from the memories, in one transaction. Nothing else depends on it."
}


def configure(parser: Parser) -> None:
    """Add no options."""


def run(arguments: argparse.Namespace, session: Session) -> int:  # noqa: ARG001 - every command is called alike
    """Rebuild."""

    def show(done: int, total: int) -> None:
        print(f"\r{done:,} of {total:,}", end="\n" if done >= total else "", file=sys.stderr, flush=True)

    number = reindex(session.vault, progress=show if sys.stderr.isatty() else None)
    if session.json:
        write_json({"memories": number})
    say(f"{plural(number, 'memory')} indexed")
    return EXIT_DONE
