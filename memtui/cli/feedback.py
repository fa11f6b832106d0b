"""`memtui feedback`."""

from __future__ import annotations

import argparse

from memtui.cli.output import say, write_json, write_table
from memtui.cli.parsing import Parser, one_of
from memtui.cli.session import Session
from memtui.curate.packs import VERDICTS, give_feedback
from memtui.errors import EXIT_DONE

DESCRIPTIONS = {
    "feedback": "Say whether a pack, or one memory, helped. What helped rises in the ranking, what hurt falls; "
    "`memtui undo` takes it back."
}


def configure(parser: Parser) -> None:
    """Add the options."""
    parser.add_argument("id", metavar="PACK|ID", help="a pack's id, or a memory's")
    parser.add_argument("verdict", metavar="VERDICT", help=", ".join(VERDICTS))
    parser.add_argument(
        "--only", metavar="ID", action="append", default=[], help="of a pack, this memory alone; repeatable"
    )
    parser.add_argument("--why", metavar="TEXT", default="", help="the reason")
    parser.add_argument("--allow-secret", action="store_true", help="store the reason even if it looks like a secret")


def run(arguments: argparse.Namespace, session: Session) -> int:
    """Record the feedback and show its effect."""
    one_of(arguments.verdict, VERDICTS, what="verdict")
    effects = give_feedback(
        session.vault,
        arguments.id,
        arguments.verdict,
        actor=session.actor,
        reason=arguments.why,
        only=arguments.only,
        allow_secret=arguments.allow_secret,
        secret_patterns=session.config.secrets.patterns,
    )
    if session.json:
        write_json(
            [
                {"id": e.memory_id, "before": round(e.before, 4), "after": round(e.after, 4), "due": e.is_due}
                for e in effects
            ]
        )
        return EXIT_DONE
    write_table([[e.memory_id, f"{e.before:.2f} → {e.after:.2f}", e.title] for e in effects])
    say(f"usefulness after `{arguments.verdict}`; `memtui undo` takes it back")
    due = [e.memory_id for e in effects if e.is_due]
    if due:
        say(f"due for review, as it hurt more than once: {', '.join(due)}")
    return EXIT_DONE
