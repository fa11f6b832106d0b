"""`memtui review`."""

from __future__ import annotations

import argparse

from memtui.cli.output import plural, say, write, write_json, write_table
from memtui.cli.parsing import Parser, whole_number
from memtui.cli.session import Session
from memtui.cli.streams import has_terminal
from memtui.curate import sessions
from memtui.curate.editing import check_kind
from memtui.curate.reviewing import review_queue
from memtui.domain.record import format_time
from memtui.errors import EXIT_DONE, NotFoundError, UsageError

DESCRIPTIONS = {
    "review": "Go through the memories that are due, the riskiest first. Verdicts are commands: verify, edit, merge, "
    "link A supersedes B, retire, snooze, pin."
}


def configure(parser: Parser) -> None:
    """Add the options."""
    parser.add_argument("--list", action="store_true", help="print the queue instead of opening the app")
    parser.add_argument("--receipt", action="store_true", help="print what the last review session came to")
    parser.add_argument("--kind", metavar="KIND", action="append", default=[], help="only this kind; repeatable")
    parser.add_argument("--size", metavar="N", type=whole_number, help="at most this many")


def run(arguments: argparse.Namespace, session: Session) -> int:
    """Print the queue or the last session's receipt, or open the app at the queue."""
    if arguments.size is not None and arguments.size < 1:
        raise UsageError("--size is a number from 1", where=str(arguments.size))
    if arguments.receipt:
        return _print_receipt(session)
    if not (arguments.list or session.json) and has_terminal():
        from memtui.cli.app import open_app

        return open_app(arguments, start="due")
    queue = review_queue(
        session.vault,
        session.view.scope,
        kinds=tuple(check_kind(session.kinds, kind) for kind in arguments.kind),
        threshold=session.config.review.threshold,
        limit=arguments.size,
        tree=session.view.tree,
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
                    "why": due.why,
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


def _print_receipt(session: Session) -> int:
    """Print what the last session of the project in view came to.

    Raises:
        NotFoundError: there never was one.
    """
    last = sessions.last(session.vault, project=session.view.project)
    if last is None:
        raise NotFoundError("There is no review session to tell of", remedy="`memtui review` begins one.")
    found = sessions.receipt(session.vault, last)
    if not session.json:
        write(sessions.receipt_text(found))
        return EXIT_DONE
    write_json(
        {
            "started_at": format_time(found.started_at),
            "project": session.view.project,
            "total": found.total,
            "left": found.total - sum(found.counts.values()),
            "counts": dict(found.counts),
            "tokens_out": found.tokens_out,
            "half_lives": [{"id": key, "title": title, "days": days} for key, title, days in found.half_lives],
            "still_said": [{"id": key, "title": title, "path": path} for key, title, path in found.still_said],
        }
    )
    return EXIT_DONE
