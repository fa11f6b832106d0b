"""`memtui inbox`."""

from __future__ import annotations

import argparse

from memtui.cli.output import plural, say, write_json, write_line, write_table
from memtui.cli.parsing import Parser, global_options
from memtui.cli.session import Session
from memtui.curate import lifecycle
from memtui.curate.fields import check_kind
from memtui.curate.links import resembling_each
from memtui.curate.outcomes import Outcome
from memtui.curate.views import list_memories, view_record
from memtui.errors import EXIT_DONE, UsageError
from memtui.text.sanitize import one_line
from memtui.wording.outcomes import resembles, skip_reason

DESCRIPTIONS = {
    "inbox": "The inbox holds candidates: imported or proposed, and injected nowhere until a person accepts them. "
    "What an import found edited both in its source and here waits under `inbox conflicts`."
}


_SHOWN_CHARACTERS = 200


def configure(parser: Parser) -> None:
    """Add the subcommands."""
    parent = global_options()
    actions = parser.add_subparsers(dest="action", metavar="ACTION")
    actions.add_parser("list", parents=[parent], help="list what waits (default)")
    accept = actions.add_parser("accept", parents=[parent], help="take candidates into use")
    accept.add_argument("id", metavar="ID", nargs="*", help="ids, or the beginnings of ids")
    accept.add_argument("--all", action="store_true", help="all that wait in the project in view, not the unassigned")
    accept.add_argument("--kind", metavar="KIND", help="give them this kind")
    reject = actions.add_parser("reject", parents=[parent], help="turn candidates down for good")
    reject.add_argument("id", metavar="ID", nargs="+", help="ids, or the beginnings of ids")
    reject.add_argument("--why", metavar="TEXT", default="", help="the reason")
    reject.add_argument("--allow-secret", action="store_true", help="store the reason even if it looks like a secret")
    actions.add_parser("conflicts", parents=[parent], help="list what was edited both in its source and here")
    keep = actions.add_parser("keep", parents=[parent], help="settle conflicts: what the memory says stays")
    keep.add_argument("id", metavar="ID", nargs="+", help="ids, or the beginnings of ids")
    take = actions.add_parser("take", parents=[parent], help="settle conflicts: what the source says replaces it")
    take.add_argument("id", metavar="ID", nargs="+", help="ids, or the beginnings of ids")
    take.add_argument("--allow-secret", action="store_true", help="also texts that look like secrets")


def run(arguments: argparse.Namespace, session: Session) -> int:
    """List, accept or reject; list conflicts with sources, or settle them."""
    if arguments.action in {None, "list"}:
        return _list(session)
    if arguments.action == "conflicts":
        return list_conflicts(session)
    session.back_up_daily()
    outcome, done = _decided(arguments, session)
    if session.json:
        write_json(
            {
                "changed": [memory.id for memory in outcome.changed],
                "unchanged": [{"id": each.id, "reason": skip_reason(each)} for each in outcome.skipped],
            }
        )
    else:
        for memory in outcome.changed:
            write_line(memory.id)
    for each in outcome.skipped:
        say(f"{each.id} skipped: {skip_reason(each)}")
    back = "; `memtui undo` takes it back" if outcome.changed else ""
    say(f"{done}: {plural(len(outcome.changed), 'memory')}{back}")
    if arguments.action == "accept":
        for memory, found in resembling_each(session.vault, outcome.changed):
            say(resembles(memory, found))
    unassigned = sum(1 for memory in outcome.changed if memory.project is None and memory.status == "active")
    if unassigned and arguments.action == "accept":
        say(f"without a project, so in no payload: {plural(unassigned, 'memory')} (`memtui edit ID --move-to PROJECT`)")
    return EXIT_DONE


def _decided(arguments: argparse.Namespace, session: Session) -> tuple[Outcome, str]:
    """Accept, reject, or settle; returns what it came to, and the word for it."""
    if arguments.action == "accept":
        outcome = lifecycle.accept(
            session.vault,
            _chosen(arguments, session),
            actor=session.actor,
            folder=session.folder,
            project=session.project,
            kind=check_kind(session.kinds, arguments.kind) if arguments.kind else None,
        )
        return outcome, "accepted"
    if arguments.action == "reject":
        outcome = lifecycle.reject(
            session.vault,
            arguments.id,
            actor=session.actor,
            reason=arguments.why,
            allow_secret=arguments.allow_secret,
            secret_patterns=session.config.secrets.patterns,
        )
        return outcome, "rejected"
    from memtui.capture.source_conflicts import decide

    outcome = decide(
        session.vault,
        arguments.id,
        "mine" if arguments.action == "keep" else "source",
        actor=session.actor,
        allow_secret=getattr(arguments, "allow_secret", False),
        secret_patterns=session.config.secrets.patterns,
    )
    return outcome, "settled"


def list_conflicts(session: Session) -> int:
    """Print what was edited both in its source and here."""
    from memtui.capture.source_conflicts import conflict_record, conflicts

    scope = lifecycle.waiting(session.view.scope, with_unassigned=session.project is None).scope
    with session.vault.read() as reader:
        found = conflicts(reader, scope)
    if session.json:
        write_json([conflict_record(conflict) for conflict in found])
        return EXIT_DONE
    for conflict in found:
        memory, text = conflict.memory, conflict.text
        place = f"{text.path}:{text.span[0]}" if text.span else text.path
        write_table([[memory.id, memory.kind, memory.project or "unassigned", place, memory.title]])
        for name, side in (("mine", memory.insight), ("source", text.stated.insight)):
            write_line(f"    {name:<7}{one_line(side)[:_SHOWN_CHARACTERS]}")
    say(
        f"{plural(len(found), 'conflict')}; `memtui inbox keep ID…` or `memtui inbox take ID…` settles them"
        if found
        else "No source says anything else than its memory."
    )
    return EXIT_DONE


def _chosen(arguments: argparse.Namespace, session: Session) -> list[str]:
    if arguments.all:
        with session.vault.read() as reader:
            # The unassigned would go to the project in view: that is decided one by one.
            wanted = lifecycle.waiting(session.view.scope, with_unassigned=False)
            waiting = reader.select(wanted, sort="created", now=session.vault.now())
        planted = [memory.id for memory in waiting if lifecycle.planted_reasons(memory)]
        for identifier in planted:
            say(f"{identifier} left alone: its text looks planted; read it, then accept it by its id")
        return [memory.id for memory in waiting if memory.id not in planted]
    if not arguments.id:
        raise UsageError("Which candidates?", remedy="Name ids, or say --all.")
    return list(arguments.id)


def _list(session: Session) -> int:
    wanted = lifecycle.waiting(session.view.scope, with_unassigned=session.project is None)
    views = list_memories(session.vault, wanted, sort="created")
    if session.json:
        write_json([view_record(view, session.kinds) for view in views])
        return EXIT_DONE
    write_table(
        [
            [
                view.memory.id,
                view.memory.kind,
                view.memory.project or "unassigned",
                view.memory.source.format if view.memory.source else "",
                f"{view.memory.title}{'  [looks planted]' if lifecycle.planted_reasons(view.memory) else ''}",
            ]
            for view in views
        ]
    )
    say(f"{plural(len(views), 'candidate')}; `memtui inbox accept ID…` or --all" if views else "The inbox is empty.")
    return EXIT_DONE
