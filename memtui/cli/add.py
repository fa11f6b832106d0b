"""`memtui add`."""

from __future__ import annotations

import argparse

from memtui.cli.output import plural, read_input, say, write_json, write_line
from memtui.cli.parsing import Parser, number, whole_number
from memtui.cli.session import Session
from memtui.curate.links import resembling_each
from memtui.curate.memories import NewMemory, add_memory
from memtui.errors import EXIT_DONE
from memtui.text.injection import ordering_line
from memtui.text.quantities import parse_day
from memtui.wording.outcomes import resembles


def configure(parser: Parser) -> None:
    """Add the options."""
    parser.add_argument("text", metavar="TEXT", nargs="+", help="what to remember, or - to read it from standard input")
    parser.add_argument(
        "--kind", metavar="KIND", help="constraint, decision, bug-pattern … (default: guessed, and said)"
    )
    parser.add_argument("--title", metavar="TEXT", default="", help="one line (default: made from the text)")
    parser.add_argument("--why", metavar="TEXT", default="", help="why it holds, and when it applies")
    parser.add_argument("--snippet", metavar="TEXT", default="", help="a piece of code")
    parser.add_argument(
        "--file", metavar="PATH", action="append", default=[], help="a file or glob it is tied to; repeatable"
    )
    parser.add_argument("--tag", metavar="TAG", action="append", default=[], help="a tag; repeatable")
    parser.add_argument("--pin", action="store_true", help="pin it")
    parser.add_argument("--importance", metavar="N", type=whole_number, default=3, help="1 to 5 (default: 3)")
    parser.add_argument("--confidence", metavar="X", type=number, default=1.0, help="0 to 1 (default: 1)")
    parser.add_argument(
        "--supersedes", metavar="ID", action="append", default=[], help="a memory that it replaces; repeatable"
    )
    parser.add_argument("--valid-until", metavar="DATE", help="the day from which it is no longer true")
    parser.add_argument("--allow-secret", action="store_true", help="store it even if it looks like a secret")


def run(arguments: argparse.Namespace, session: Session) -> int:
    """Add one memory and print its id."""
    words = arguments.text
    text = read_input() if words == ["-"] else " ".join(words)
    new = NewMemory(
        text=text,
        title=arguments.title,
        kind=arguments.kind,
        why=arguments.why,
        snippet=arguments.snippet,
        files=arguments.file,
        tags=arguments.tag,
        project=session.project,
        pinned=arguments.pin,
        importance=arguments.importance,
        confidence=arguments.confidence,
        supersedes=arguments.supersedes,
        valid_until=parse_day(arguments.valid_until) if arguments.valid_until else None,
        allow_secret=arguments.allow_secret,
    )
    session.back_up_daily()
    added = add_memory(
        session.vault,
        new,
        actor=session.actor,
        folder=session.folder,
        secret_patterns=session.config.secrets.patterns,
    )
    memory = added.memory
    found = resembling_each(session.vault, [memory]) if added.is_new else []
    if session.json:
        from memtui.analysis.resemblance import resemblance_record

        record = {"resembles": [resemblance_record(one) for _, one in found]} if found else {}
        write_json({"id": memory.id} | record)
    else:
        write_line(memory.id)
    if not added.is_new:
        say(f"already there: {memory.id} ({memory.status})")
    else:
        place = (
            f"project {memory.project}"
            if memory.project
            else "unassigned: it reaches no payload until it has a project"
        )
        guess = " (guessed; --kind sets it)" if added.guessed_kind else ""
        waiting = "; it waits in the inbox" if memory.status == "candidate" else ""
        say(f"{memory.kind}{guess}, {place}{waiting}: {memory.title}")
    for _, one in found:
        say(resembles(memory, one))
    if added.removed:
        say(f"{plural(added.removed, 'control character')} stripped")
    if ordering_line(f"{memory.title}\n{memory.insight}") is not None:
        say("it reads like an order: memories are read as background facts, so tell what is so and why (memtui edit)")
    return EXIT_DONE
