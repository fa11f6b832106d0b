"""What a person says of memories: `memtui verify`, `pin`, `unpin`, `retire`, `restore`, `snooze` and `feedback`."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial

from memtui.cli import parsing
from memtui.cli.output import say
from memtui.cli.parsing import Parser, whole_number
from memtui.cli.session import UNDO_HINT, Commands, Session
from memtui.curate import lifecycle
from memtui.curate.outcomes import Outcome, require_changed
from memtui.errors import UsageError
from memtui.text.words import parse_day, parse_duration
from memtui.wording import outcomes


def _ids_and_version(parser: Parser) -> None:
    parsing.add_ids(parser)
    parsing.add_if_version(parser)


def _selection(parser: Parser) -> None:
    parsing.add_ids(parser, nargs="*")
    parsing.add_where(parser, "all memories of this project that a query selects")
    parsing.add_if_version(parser)


def _decide(arguments: argparse.Namespace, session: Session, verb: str, act: Callable[..., Outcome]) -> None:
    """Run an act (vault, ids, actor, versions) on the memories that were named or selected.

    Raises:
        UsageError: `--if-version` is given for several memories.
        ConflictError: the memory has another version than `--if-version`.
    """
    session.back_up_daily()
    if arguments.if_version is not None:
        if len(arguments.id) != 1 or getattr(arguments, "where", None):
            raise UsageError("--if-version takes one memory at a time", where=" ".join(arguments.id))
        versions = dict.fromkeys(session.resolve(arguments.id), arguments.if_version)
    else:
        versions = session.selected(arguments) if hasattr(arguments, "where") else {}
    outcome = act(session.vault, arguments.id or list(versions), actor=session.actor, versions=versions)
    if arguments.if_version is not None:
        require_changed(outcome, versions)
    session.put_outcome(outcome, verb)


def _verify(arguments: argparse.Namespace, session: Session) -> None:
    """Confirm that memories are still true: their freshness starts over."""
    _decide(arguments, session, "Verified", partial(lifecycle.verify, tree=session.view.tree))


def _pin(arguments: argparse.Namespace, session: Session) -> None:
    """Pin memories: they never go stale and come first in every payload of their project."""
    _decide(arguments, session, "Pinned", lifecycle.pin)


def _unpin(arguments: argparse.Namespace, session: Session) -> None:
    """Unpin memories."""
    _decide(arguments, session, "Unpinned", partial(lifecycle.pin, pinned=False))


def _retire_arguments(parser: Parser) -> None:
    _selection(parser)
    parsing.add_reason(parser)


def _retire(arguments: argparse.Namespace, session: Session) -> None:
    """Take memories out of use. They stay in the vault, and an import does not bring them back."""
    act = partial(
        lifecycle.retire,
        reason=arguments.why,
        allow_secret=arguments.allow_secret,
        secret_patterns=session.secret_patterns,
    )
    _decide(arguments, session, "Retired", act)


def _restore_arguments(parser: Parser) -> None:
    parsing.add_ids(parser)
    parser.add_value("--to", "VERSION", "bring back the text of this version (see show --history)", type=whole_number)


def _restore(arguments: argparse.Namespace, session: Session) -> None:
    """Bring memories back into use, or bring back an earlier version of one memory's text."""
    session.back_up_daily()
    if arguments.to is None:
        session.put_outcome(lifecycle.restore(session.vault, arguments.id, actor=session.actor), "Restored")
        return
    from memtui.curate.history import go_back

    if len(arguments.id) != 1:
        raise UsageError("--to takes one memory at a time", where=" ".join(arguments.id))
    memory = go_back(session.vault, arguments.id[0], arguments.to, actor=session.actor)
    session.put({"changed": [memory.id], "unchanged": []}, [memory.id])
    if not session.json:
        say(f"Version {memory.version} now has the text of version {arguments.to}: {memory.title}")


def _snooze_arguments(parser: Parser) -> None:
    parsing.add_ids(parser)
    parser.add_value("--for", "TIME", "1w, 30d, 3 months (default: 1w)", dest="duration")
    parser.add_value("--until", "DATE", "the day it comes back")
    parser.add_flag("--until-change", "it comes back once one of its files has changed")
    parsing.add_if_version(parser)


def _snooze(arguments: argparse.Namespace, session: Session) -> None:
    """Keep memories out of review for a while, or until a file changes."""
    if arguments.until_change:
        from memtui.curate.anchors import snooze_until_change

        if arguments.until or arguments.duration:
            raise UsageError("A snooze ends on a day or with a change, not both", where="--until-change")
        act: Callable[..., Outcome] = partial(snooze_until_change, tree=session.view.tree)
    else:
        from memtui.clock import days_after

        duration = parse_duration(arguments.duration or "1w")
        until = parse_day(arguments.until) if arguments.until else days_after(session.vault.now(), duration)
        act = partial(lifecycle.snooze, until=until)
    _decide(arguments, session, "Snoozed", act)


def _feedback_arguments(parser: Parser) -> None:
    from memtui.curate.packs import VERDICTS

    parser.add_value("id", "PACK|ID", "a pack's id, or a memory's")
    parser.add_value("verdict", "VERDICT", ", ".join(VERDICTS), choices=VERDICTS)
    parsing.add_repeatable(parser, "--only", "ID", "of a pack, only this memory")
    parsing.add_reason(parser)


def _feedback(arguments: argparse.Namespace, session: Session) -> None:
    """Record whether a pack, or one memory, helped. What helped rises in the ranking, what hurt falls."""
    from memtui.curate.packs import give_feedback

    effects = give_feedback(
        session.vault,
        arguments.id,
        arguments.verdict,
        actor=session.actor,
        reason=arguments.why,
        only=arguments.only,
        allow_secret=arguments.allow_secret,
        secret_patterns=session.secret_patterns,
    )
    session.put_rows(
        (
            {"id": e.memory_id, "before": round(e.before, 4), "after": round(e.after, 4), "due": e.is_due}
            for e in effects
        ),
        ([e.memory_id, f"{e.before:.2f} → {e.after:.2f}", e.title] for e in effects),
    )
    if session.json:
        return
    say(f"Usefulness updated ({arguments.verdict}). {UNDO_HINT}")
    if due := outcomes.due_after_feedback(effects):
        say(due)


COMMANDS: Commands = {
    "verify": (_selection, _verify),
    "pin": (_ids_and_version, _pin),
    "unpin": (_ids_and_version, _unpin),
    "retire": (_retire_arguments, _retire),
    "restore": (_restore_arguments, _restore),
    "snooze": (_snooze_arguments, _snooze),
    "feedback": (_feedback_arguments, _feedback),
}
