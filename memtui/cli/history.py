"""`memtui undo`, `redo` and `log`."""

from __future__ import annotations

import argparse

from memtui.cli.output import say, write_json, write_table
from memtui.cli.parsing import Parser, whole_number
from memtui.cli.session import Session
from memtui.curate import history
from memtui.domain.memory import Change
from memtui.domain.record import format_time
from memtui.errors import EXIT_DONE

DESCRIPTIONS = {
    "undo": "Undo the last change, whoever made it: an edit, a bulk act, an import, a merge.",
    "redo": "Do the change again that was undone last.",
    "log": "Show the newest changes: who, when, what.",
}


def configure(parser: Parser) -> None:
    """Add the options of whichever of these commands the parser is for."""
    if parser.prog.endswith(" log"):
        parser.add_argument("--limit", metavar="N", type=whole_number, default=50, help="most rows (default: 50)")


def run(arguments: argparse.Namespace, session: Session) -> int:
    """Undo, redo, or show the log."""
    if arguments.command == "log":
        return _log(arguments, session)
    act = history.undo if arguments.command == "undo" else history.redo
    change = act(session.vault, actor=session.actor)
    if session.json:
        write_json({**_record(change), "state": "undone" if arguments.command == "undo" else "done"})
    say(f"{'undid' if arguments.command == 'undo' else 'did again'}: {change.summary}")
    return EXIT_DONE


def _log(arguments: argparse.Namespace, session: Session) -> int:
    changes = history.log(session.vault, limit=max(0, arguments.limit))
    if session.json:
        write_json([{**_record(change), "ids": list(change.memory_ids)} for change in changes])
        return EXIT_DONE
    if not changes:
        say("nothing was changed yet")
    write_table(
        [
            [
                str(change.number),
                f"{change.at:%Y-%m-%d %H:%M}",
                change.actor,
                "" if change.state == "done" else change.state,
                change.summary + (f" ({change.reason})" if change.reason else ""),
            ]
            for change in changes
        ]
    )
    return EXIT_DONE


def _record(change: Change) -> dict[str, object]:
    return {
        "number": change.number,
        "at": format_time(change.at),
        "actor": change.actor,
        "action": change.action,
        "summary": change.summary,
        "reason": change.reason,
        "state": change.state,
    }
