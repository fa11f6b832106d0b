"""`memtui verify`, `pin`, `unpin`, `retire`, `restore`, `snooze`."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence

from memtui.cli.bulk import chosen, tell
from memtui.cli.output import say, write_json, write_line
from memtui.cli.parsing import Parser, whole_number
from memtui.cli.session import Session
from memtui.clock import days_after
from memtui.curate import lifecycle
from memtui.curate.anchors import snooze_until_change
from memtui.curate.history import go_back
from memtui.curate.outcomes import Outcome, require_changed
from memtui.errors import EXIT_DONE, UsageError
from memtui.text.quantities import parse_day, parse_duration

DESCRIPTIONS = {
    "verify": "Say that memories are still true: their freshness starts anew.",
    "pin": "Pin memories: they never go stale and come first in every payload of their project.",
    "unpin": "Unpin memories.",
    "retire": "Take memories out of use. They stay in the vault, and an import does not bring them back.",
    "restore": "Bring memories back into use, or bring the text of one back to an earlier version.",
    "snooze": "Keep memories out of the review for a while, or until a file changes.",
}

_DONE_WORDS = {
    "verify": "verified",
    "pin": "pinned",
    "unpin": "unpinned",
    "retire": "retired",
    "restore": "restored",
    "snooze": "snoozed",
}


BY_QUERY = frozenset({"verify", "retire"})
"""Commands that take a query in place of ids."""

SNOOZE = "1w"
"""How long a snooze lasts where nothing is said."""

VERSIONED = frozenset({"verify", "pin", "unpin", "retire", "snooze"})
"""Commands that may be told the version that the decision is based on."""


def configure(parser: Parser) -> None:
    """Add the options of whichever of these commands the parser is for."""
    name = parser.prog.rsplit(" ", 1)[-1]
    by_query = name in BY_QUERY
    parser.add_argument("id", metavar="ID", nargs="*" if by_query else "+", help="ids, or the beginnings of ids")
    if by_query:
        parser.add_argument(
            "--where", metavar="QUERY", help="all that a query chooses in this project: 'kind:note age>180d -pinned'"
        )
    if name == "retire":
        parser.add_argument("--why", metavar="TEXT", default="", help="the reason")
        parser.add_argument(
            "--allow-secret", action="store_true", help="store the reason even if it looks like a secret"
        )
    if name == "restore":
        parser.add_argument(
            "--to", metavar="VERSION", type=whole_number, help="the version whose text comes back (see show --history)"
        )
    if name == "snooze":
        parser.add_argument("--for", metavar="TIME", dest="duration", help=f"1w, 30d, 3 months (default: {SNOOZE})")
        parser.add_argument("--until", metavar="DATE", help="the day it comes back")
        parser.add_argument(
            "--until-change", action="store_true", help="it comes back once a file that it is tied to has changed"
        )
    if name in VERSIONED:
        parser.add_argument(
            "--if-version", metavar="N", type=whole_number, help="only if it still has this version, else exit 4"
        )


def run(arguments: argparse.Namespace, session: Session) -> int:
    """Run one of these commands."""
    session.back_up_daily()
    if arguments.command == "restore" and arguments.to is not None:
        return _go_back(arguments, session)
    outcome = _act(arguments, session)
    tell(session, outcome, _DONE_WORDS[arguments.command])
    return EXIT_DONE


def _act(arguments: argparse.Namespace, session: Session) -> Outcome:
    if arguments.command == "restore":
        return lifecycle.restore(session.vault, arguments.id, actor=session.actor)
    versions = _versions(arguments, session)
    outcome = _decide(arguments, session, arguments.id or list(versions), versions)
    if arguments.if_version is not None:
        require_changed(outcome, versions)
    return outcome


def _versions(arguments: argparse.Namespace, session: Session) -> dict[str, int]:
    """Return the versions that the decision is based on, where any were named or a query chose the memories.

    Raises:
        UsageError: `--if-version` speaks of one memory.
    """
    if arguments.if_version is None:
        return chosen(arguments, session) if arguments.command in BY_QUERY else {}
    if len(arguments.id) != 1 or getattr(arguments, "where", None):
        raise UsageError("--if-version takes one memory at a time", where=" ".join(arguments.id))
    with session.vault.read() as reader:
        return {reader.resolve(arguments.id[0]): arguments.if_version}


def _decide(
    arguments: argparse.Namespace, session: Session, ids: Sequence[str], versions: Mapping[str, int]
) -> Outcome:
    vault, actor, tree = session.vault, session.actor, session.view.tree
    if arguments.command == "verify":
        return lifecycle.verify(vault, ids, actor=actor, tree=tree, versions=versions)
    if arguments.command in {"pin", "unpin"}:
        return lifecycle.pin(vault, ids, actor=actor, pinned=arguments.command == "pin", versions=versions)
    if arguments.command == "retire":
        return lifecycle.retire(
            vault,
            ids,
            actor=actor,
            reason=arguments.why,
            versions=versions,
            allow_secret=arguments.allow_secret,
            secret_patterns=session.config.secrets.patterns,
        )
    if arguments.until_change:
        if arguments.until or arguments.duration:
            raise UsageError("A snooze ends on a day or by a change, not both", where="--until-change")
        return snooze_until_change(vault, ids, actor=actor, tree=tree, versions=versions)
    until = (
        parse_day(arguments.until)
        if arguments.until
        else days_after(vault.now(), parse_duration(arguments.duration or SNOOZE))
    )
    return lifecycle.snooze(vault, ids, until=until, actor=actor, versions=versions)


def _go_back(arguments: argparse.Namespace, session: Session) -> int:
    if len(arguments.id) != 1:
        raise UsageError("--to takes one memory at a time", where=" ".join(arguments.id))
    memory = go_back(session.vault, arguments.id[0], arguments.to, actor=session.actor)
    if session.json:
        write_json({"changed": [memory.id], "unchanged": []})
    else:
        write_line(memory.id)
        say(f"version {memory.version} holds what version {arguments.to} said: {memory.title}")
    return EXIT_DONE
