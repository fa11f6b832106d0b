"""`memtui link` and `unlink`."""

from __future__ import annotations

import argparse

from memtui.cli.output import say, write_json
from memtui.cli.parsing import Parser, one_of
from memtui.cli.session import Session
from memtui.curate.linking import link, unlink
from memtui.domain.memory import LINK_TYPES
from memtui.errors import EXIT_DONE

DESCRIPTIONS = {
    "link": "Link two memories. `A supersedes B` also takes B out of use.",
    "unlink": "Take a link away. A memory that nothing supersedes any more is active again.",
}


def configure(parser: Parser) -> None:
    """Add the options."""
    parser.add_argument("id", metavar="ID", help="the memory that the link starts from")
    parser.add_argument("type", metavar="TYPE", help=", ".join(LINK_TYPES))
    parser.add_argument("other", metavar="ID", help="the memory that it points to")


def run(arguments: argparse.Namespace, session: Session) -> int:
    """Link or unlink."""
    one_of(arguments.type, LINK_TYPES, what="link type")
    act = link if arguments.command == "link" else unlink
    found = act(session.vault, arguments.id, arguments.type, arguments.other, actor=session.actor)
    if session.json:
        write_json({"changed": found is not None})
    if found is None:
        say("they are linked so already")
    else:
        say(f"{arguments.command}ed: {found.from_id} {found.type} {found.to_id}")
    return EXIT_DONE
