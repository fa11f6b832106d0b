"""`memtui undo`, `redo`, `log` and `purge`."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from memtui.cli.output import say
from memtui.cli.parsing import Parser, whole_number
from memtui.cli.session import Commands, Session, no_arguments
from memtui.domain.record import format_time
from memtui.errors import EXIT_DONE, EXIT_NOTHING, RefusedError, UsageError
from memtui.text.words import counted
from memtui.wording import outcomes

if TYPE_CHECKING:
    from memtui.domain.memory import Change


def _undo(arguments: argparse.Namespace, session: Session) -> None:
    """Undo the last change, whoever made it: an edit, a bulk change, an import, a merge."""
    from memtui.curate.history import undo

    change = undo(session.vault, actor=session.actor)
    session.put(_record(change) | {"state": "undone"})
    say(outcomes.undone(change))


def _redo(arguments: argparse.Namespace, session: Session) -> None:
    """Redo the change that was undone last."""
    from memtui.curate.history import redo

    change = redo(session.vault, actor=session.actor)
    session.put(_record(change) | {"state": "done"})
    say(outcomes.redone(change))


def _log_arguments(parser: Parser) -> None:
    parser.add_value("--limit", "N", "maximum number of rows (default: 50)", type=whole_number, default=50)


def _log(arguments: argparse.Namespace, session: Session) -> None:
    """Show the newest changes: who, when, what."""
    from memtui.curate.history import log

    changes = log(session.vault, limit=max(0, arguments.limit))
    session.put_rows((_record(change) | {"ids": list(change.memory_ids)} for change in changes), map(_row, changes))
    if not changes and not session.json:
        say("Nothing has been changed yet.")


def _row(change: Change) -> list[str]:
    state = "" if change.state == "done" else change.state
    summary = change.summary + (f" ({change.reason})" if change.reason else "")
    return [str(change.number), f"{change.at:%Y-%m-%d %H:%M}", change.actor, state, summary]


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


SHORTEST_PURGED_TEXT = 4  # A shorter text would tear holes into unrelated words


def _purge_arguments(parser: Parser) -> None:
    parser.add_value("id", "ID", "memories to erase with all their history", nargs="*")
    parser.add_value(
        "--text",
        "STRING",
        "a text to erase wherever it occurs, e.g. a leaked key, with any white space between its words; case-sensitive",
    )
    parser.add_flag("--yes", "do not ask")


def _purge(arguments: argparse.Namespace, session: Session) -> int:
    """Erase for good: the vault and its backups are rewritten without it.

    The only command that cannot be undone, and the only one that asks.
    """
    from memtui.vault.purge import purge_memories, purge_text

    if bool(arguments.id) == (arguments.text is not None):
        raise UsageError("Erase what?", remedy="Name ids, or --text STRING.")
    session.only_a_person("purge")
    if arguments.text is not None:
        if len(arguments.text.strip()) < SHORTEST_PURGED_TEXT:
            raise UsageError(f"The text is shorter than {SHORTEST_PURGED_TEXT} characters", where="--text")
        _ask(arguments, "this text wherever it occurs")
        report = purge_text(session.vault, arguments.text)
    else:
        with session.vault.read() as reader:
            memories = reader.get_many([reader.resolve(prefix) for prefix in arguments.id])
        for memory in memories.values():
            say(f"  {memory.id}  {memory.title}")
        _ask(arguments, counted(len(memories), "memory"))
        report = purge_memories(session.vault, list(memories))
    session.put(
        {
            "found": report.found,
            "memories": report.memories,
            "revisions": report.revisions,
            "backups": [str(path) for path in report.backups],
            "leftovers": [str(path) for path in report.leftovers],
            "variants": dict(report.variants),
        }
    )
    say(outcomes.purged(report) if report.found else "memtui: This text is neither in the vault nor in a backup of it")
    for text, places in report.variants.items():
        say(f"Kept, as it is spelled differently: {text!r} in {counted(places, 'place')}; purge it too if you mean it")
    for path in report.leftovers:
        say(f"This file may still contain it, check it yourself: {path}")
    return EXIT_DONE if report.found else EXIT_NOTHING


def _ask(arguments: argparse.Namespace, what: str) -> None:
    """Ask whether to erase something. Raises `RefusedError`: nobody can answer, or the answer is no."""
    if arguments.yes:
        return
    if not sys.stdin.isatty():
        raise RefusedError(f"Erasing {what} cannot be undone", where="purge", remedy="Add --yes to go ahead.")
    say(f"Erase {what} from the vault and its backups for good? [y/N] ")
    if sys.stdin.readline().strip().lower() not in {"y", "yes"}:
        raise RefusedError("Nothing was erased", where="purge")


COMMANDS: Commands = {
    "undo": (no_arguments, _undo),
    "redo": (no_arguments, _redo),
    "log": (_log_arguments, _log),
    "purge": (_purge_arguments, _purge),
}
