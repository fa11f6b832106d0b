"""`memtui review`."""

from __future__ import annotations

import argparse

from memtui.cli.output import plural, say, write_json, write_table
from memtui.cli.parsing import Parser, whole_number
from memtui.cli.session import Session
from memtui.cli.streams import has_terminal
from memtui.curate.editing import check_kind
from memtui.curate.reviewing import review_queue
from memtui.errors import EXIT_DONE, UsageError

DESCRIPTIONS = {
    "review": "Go through the memories that are due, the riskiest first. Verdicts are commands: verify, edit, merge, "
    "link A supersedes B, retire, snooze, pin."
}


def configure(parser: Parser) -> None:
    """Add the options."""
    parser.add_argument("--list", action="store_true", help="print the queue instead of opening the app")
    parser.add_argument("--kind", metavar="KIND", action="append", default=[], help="only this kind; repeatable")
    parser.add_argument("--size", metavar="N", type=whole_number, help="at most this many")


def run(arguments: argparse.Namespace, session: Session) -> int:
    """Print the queue, or open the app at it."""
    if arguments.size is not None and arguments.size < 1:
        raise UsageError("--size is a number from 1", where=str(arguments.size))
    if not (arguments.list or session.json) and has_terminal():
        from memtui.cli.app import open_app

        return open_app(arguments, start="due")
    queue = review_queue(
        session.vault,
        session.view.scope,
        kinds=tuple(check_kind(session.kinds, kind) for kind in arguments.kind),
        threshold=session.config.review.threshold,
        limit=arguments.size,
    )
    if session.json:
        write_json(
            [
                {
                    "id": due.memory.id,
                    "title": due.memory.title,
                    "kind": due.memory.kind,
                    "project": due.memory.project,
                    "freshness": round(due.freshness, 4),
                    "risk": round(due.risk, 4),
                    "reasons": list(due.reasons),
                }
                for due in queue
            ]
        )
        return EXIT_DONE
    write_table(
        [
            [
                due.memory.id,
                due.memory.kind,
                f"{due.freshness:.2f}",
                f"{due.memory.title}  ({' · '.join(due.reasons)})",
            ]
            for due in queue
        ]
    )
    say(f"{plural(len(queue), 'memory')} due" if queue else "Nothing is due.")
    return EXIT_DONE
