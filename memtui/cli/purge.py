"""`memtui purge`."""

from __future__ import annotations

import argparse
import sys

from memtui.cli.output import plural, say, write_json
from memtui.cli.parsing import Parser
from memtui.cli.session import Session
from memtui.errors import EXIT_DONE, EXIT_NOTHING, RefusedError, UsageError
from memtui.vault.purge import PurgeReport, purge_memories, purge_text

DESCRIPTIONS = {
    "purge": "Erase for good: the vault and its backups are rewritten without it. The only act that cannot be "
    "undone, and the only one that asks."
}

SHORTEST_TEXT = 4
"""A shorter text would tear holes into unrelated words."""


def configure(parser: Parser) -> None:
    """Add the options."""
    parser.add_argument("id", metavar="ID", nargs="*", help="memories to erase with all their history")
    parser.add_argument(
        "--text",
        metavar="STRING",
        help="a text to erase wherever it stands, e.g. a leaked key, whatever white space stands "
        "between its words; upper and lower case told apart",
    )
    parser.add_argument("--yes", action="store_true", help="do not ask")


def run(arguments: argparse.Namespace, session: Session) -> int:
    """Erase memories, or a text."""
    if bool(arguments.id) == (arguments.text is not None):
        raise UsageError("Erase what?", where="purge", remedy="Name ids, or --text STRING.")
    if not session.actor.is_person:
        raise RefusedError("Only a person can purge", where=f"actor {session.actor.name}")
    if arguments.text is not None:
        if len(arguments.text.strip()) < SHORTEST_TEXT:
            raise UsageError(f"The text is shorter than {SHORTEST_TEXT} characters", where="--text")
        _ask(arguments, "this text wherever it stands")
        report = purge_text(session.vault, arguments.text)
    else:
        with session.vault.read() as reader:
            memories = reader.get_many([reader.resolve(prefix) for prefix in arguments.id])
        for memory in memories.values():
            say(f"  {memory.id}  {memory.title}")
        _ask(arguments, plural(len(memories), "memory"))
        report = purge_memories(session.vault, list(memories))
    return _tell(report, session)


def _ask(arguments: argparse.Namespace, what: str) -> None:
    if arguments.yes:
        return
    if not sys.stdin.isatty():
        raise RefusedError(f"Erasing {what} cannot be undone", where="purge", remedy="Say --yes to go ahead.")
    say(f"Erase {what} from the vault and its backups for good? [y/N] ")
    if sys.stdin.readline().strip().lower() not in {"y", "yes"}:
        raise RefusedError("Nothing was erased", where="purge")


def _tell(report: PurgeReport, session: Session) -> int:
    if session.json:
        write_json(
            {
                "found": report.found,
                "memories": report.memories,
                "revisions": report.revisions,
                "backups": [str(path) for path in report.backups],
                "leftovers": [str(path) for path in report.leftovers],
                "variants": dict(report.variants),
            }
        )
    say(_erased(report) if report.found else "memtui: This text stands neither in the vault nor in a backup of it")
    for text, places in report.variants.items():
        say(f"written otherwise, and kept: {text!r} in {plural(places, 'place')}; purge that text too if it is meant")
    for path in report.leftovers:
        say(f"may still hold it, look at it yourself: {path}")
    return EXIT_DONE if report.found else EXIT_NOTHING


def _erased(report: PurgeReport) -> str:
    return (
        f"erased: {plural(report.memories, 'memory')}, {plural(report.revisions, 'revision')};"
        f" {plural(len(report.backups), 'backup')} rewritten"
    )
