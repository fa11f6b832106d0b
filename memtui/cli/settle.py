"""`memtui settle`."""

from __future__ import annotations

import argparse

from memtui.analysis.snapshot import NOT_CONTRADICTION, NOT_DUPLICATE
from memtui.cli.output import say, write_json, write_line
from memtui.cli.parsing import Parser
from memtui.cli.session import Session
from memtui.curate.resolutions import contradiction_of, dismiss, keep_both, keep_one, parse_validity
from memtui.errors import EXIT_DONE, UsageError

DESCRIPTIONS = {
    "settle": "Settle what `tidy` proposes: of two that contradict each other one holds (--keep), both do, each "
    "somewhere (--scope), or they do not contradict each other (--none). Memories that only look like duplicates are "
    "remembered as none (--no-duplicates). Each is one change that `undo` takes back.",
}

WAYS = "--keep ID, --scope ID=WHERE, --none or --no-duplicates"


def configure(parser: Parser) -> None:
    """Add the options."""
    parser.add_argument("id", metavar="ID", nargs="+", help="the memories: two, or several with --no-duplicates")
    parser.add_argument("--keep", metavar="ID", help="this one holds: it supersedes the other")
    parser.add_argument(
        "--scope",
        metavar="ID=WHERE",
        action="append",
        default=[],
        help="both hold, this one there: paths, phases or words between commas, as `legacy/**, release`. It is "
        "left out where a task names other files or another phase",
    )
    parser.add_argument("--none", action="store_true", help="they do not contradict each other: never propose it again")
    parser.add_argument("--no-duplicates", action="store_true", help="they are no duplicates: never propose it again")


def run(arguments: argparse.Namespace, session: Session) -> int:
    """Settle it, and print the ids that were changed."""
    ways = (arguments.keep is not None, bool(arguments.scope), arguments.none, arguments.no_duplicates)
    if sum(ways) != 1:
        raise UsageError("Say how it is settled", remedy=f"One of {WAYS}.")
    if not arguments.no_duplicates and len(arguments.id) != 2:  # noqa: PLR2004 - a pair
        raise UsageError("Name the two memories", where=" ".join(arguments.id))
    session.back_up_daily()
    changed, said = _settled(arguments, session)
    if session.json:
        write_json({"changed": changed})
    else:
        for identifier in changed:
            write_line(identifier)
    say(said)
    return EXIT_DONE


def _settled(arguments: argparse.Namespace, session: Session) -> tuple[list[str], str]:
    """Return the ids that were changed, and what was done in words."""
    vault, actor = session.vault, session.actor
    if arguments.no_duplicates:
        said = dismiss(vault, NOT_DUPLICATE, arguments.id, actor=actor)
        return [], "remembered: no duplicates" if said else "it is remembered already"
    if arguments.none:
        said = dismiss(vault, NOT_CONTRADICTION, arguments.id, actor=actor)
        return [], "remembered: no contradiction" if said else "it is remembered already"
    pair = contradiction_of(vault, *arguments.id)
    if arguments.keep is not None:
        with vault.read() as reader:
            kept = reader.resolve(arguments.keep)
        dropped = keep_one(vault, pair, kept, actor=actor)
        return [dropped.id], f"{kept} supersedes {dropped.id}; `memtui undo` takes it back"
    scopes = {}
    for given in arguments.scope:
        prefix, sign, where = given.partition("=")
        if not sign:
            raise UsageError("A scope is written ID=WHERE", where=given, remedy="As in --scope k3f9=legacy/**.")
        with vault.read() as reader:
            scopes[reader.resolve(prefix)] = parse_validity(where)
    patterns = session.config.secrets.patterns
    changed = keep_both(vault, pair, scopes, actor=actor, secret_patterns=patterns)
    places = "; ".join(f"{memory.id} for {scopes[memory.id].text}" for memory in changed if memory.id in scopes)
    return [memory.id for memory in changed if memory.id in scopes], f"both hold: {places}; `memtui undo` takes it back"
