"""`memtui inbox`."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from memtui.cli import parsing
from memtui.cli.output import say, write_line, write_table
from memtui.cli.parsing import Parser
from memtui.cli.session import Commands, Session
from memtui.curate import lifecycle
from memtui.errors import UsageError
from memtui.text.sanitize import one_line
from memtui.text.words import counted
from memtui.wording import outcomes

if TYPE_CHECKING:
    from memtui.capture.source_conflicts import Side
    from memtui.vault.filters import MemoryFilter

SHOWN_CHARACTERS = 200


def _inbox_arguments(parser: Parser) -> None:
    add = parser.add_actions()
    add("list", "list what is waiting (default)", _list)
    accept = add("accept", "accept candidates", _accept)
    parsing.add_ids(accept, nargs="*")
    accept.add_flag("--all", "all of the project in view, except unassigned ones")
    accept.add_value("--kind", "KIND", "give them this kind")
    reject = add("reject", "reject candidates for good", _reject)
    parsing.add_ids(reject)
    parsing.add_reason(reject)
    add("conflicts", "list what was edited both here and in its source", list_conflicts)
    keep = add("keep", "settle conflicts: keep what the memory says", _keep)
    parsing.add_ids(keep)
    take = add("take", "settle conflicts: take what the source says", _take)
    parsing.add_ids(take)
    parsing.add_allow_secret(take)


def _list(arguments: argparse.Namespace, session: Session) -> None:
    """Accept or reject candidates: imported or proposed, and in no payload until a person accepts them.

    What an import found edited both here and in its source waits under `inbox conflicts`.
    """
    from memtui.curate.views import list_memories, view_record

    views = list_memories(session.vault, _waiting(session, with_unassigned=session.project is None), sort="created")
    rows = (
        [
            view.memory.id,
            view.memory.kind,
            view.memory.project or "unassigned",
            view.memory.source.format if view.memory.source else "",
            f"{view.memory.title}{'  [looks planted]' if lifecycle.planted_reasons(view.memory) else ''}",
        ]
        for view in views
    )
    session.put_rows((view_record(view, session.kinds) for view in views), rows)
    if not session.json:
        ways = "`memtui inbox accept ID…`, or --all, accepts them."
        say(f"{counted(len(views), 'candidate')}. {ways}" if views else "The inbox is empty.")


def _waiting(session: Session, *, with_unassigned: bool) -> MemoryFilter:
    from memtui.curate.lifecycle import waiting

    return waiting(session.view.scope, with_unassigned=with_unassigned)


def _accept(arguments: argparse.Namespace, session: Session) -> None:
    from memtui.curate.fields import check_kind
    from memtui.curate.links import resembling_each

    session.back_up_daily()
    outcome = lifecycle.accept(
        session.vault,
        _chosen(arguments, session),
        actor=session.actor,
        folder=session.folder,
        project=session.project,
        kind=check_kind(session.kinds, arguments.kind) if arguments.kind else None,
    )
    session.put_outcome(outcome, "Accepted")
    for memory, found in resembling_each(session.vault, outcome.changed):
        say(outcomes.resembles(memory, found))
    unassigned = sum(memory.project is None and memory.status == "active" for memory in outcome.changed)
    if unassigned:
        say(f"In no payload until it has a project: {counted(unassigned, 'memory')} (memtui edit ID --move-to PROJECT)")


def _chosen(arguments: argparse.Namespace, session: Session) -> list[str]:
    if not arguments.all:
        if not arguments.id:
            raise UsageError("Which candidates?", remedy="Name ids, or use --all.")
        return list(arguments.id)
    with session.vault.read() as reader:
        # Unassigned ones would go to the project in view: that is decided one by one.
        waiting = reader.select(_waiting(session, with_unassigned=False), sort="created", now=session.vault.now())
    planted = [memory.id for memory in waiting if lifecycle.planted_reasons(memory)]
    for identifier in planted:
        say(f"{identifier} skipped: its text looks planted; read it, then accept it by its id")
    return [memory.id for memory in waiting if memory.id not in planted]


def _reject(arguments: argparse.Namespace, session: Session) -> None:
    session.back_up_daily()
    outcome = lifecycle.reject(
        session.vault,
        arguments.id,
        actor=session.actor,
        reason=arguments.why,
        allow_secret=arguments.allow_secret,
        secret_patterns=session.secret_patterns,
    )
    session.put_outcome(outcome, "Rejected")


def list_conflicts(arguments: argparse.Namespace, session: Session) -> None:
    """Print what was edited both here and in its source."""
    from memtui.capture.source_conflicts import conflict_record, open_conflicts

    scope = _waiting(session, with_unassigned=session.project is None).scope
    with session.vault.read() as reader:
        found = open_conflicts(reader, scope)
    if session.json:
        session.put([conflict_record(conflict) for conflict in found])
        return
    for conflict in found:
        memory, text = conflict.memory, conflict.text
        place = f"{text.path}:{text.span[0]}" if text.span else text.path
        write_table([[memory.id, memory.kind, memory.project or "unassigned", place, memory.title]])
        for name, side in (("mine", memory.insight), ("source", text.stated.insight)):
            write_line(f"    {name:<7}{one_line(side)[:SHOWN_CHARACTERS]}")
    ways = "`memtui inbox keep ID…` or `memtui inbox take ID…` settles them."
    say(f"{counted(len(found), 'source conflict')}. {ways}" if found else "Every memory agrees with its source.")


def _keep(arguments: argparse.Namespace, session: Session) -> None:
    _settle_conflicts(arguments, session, "mine")


def _take(arguments: argparse.Namespace, session: Session) -> None:
    _settle_conflicts(arguments, session, "source")


def _settle_conflicts(arguments: argparse.Namespace, session: Session, side: Side) -> None:
    from memtui.capture.source_conflicts import resolve_conflicts

    session.back_up_daily()
    outcome = resolve_conflicts(
        session.vault,
        arguments.id,
        side,
        actor=session.actor,
        allow_secret=getattr(arguments, "allow_secret", False),
        secret_patterns=session.secret_patterns,
    )
    session.put_outcome(outcome, "Settled")


COMMANDS: Commands = {"inbox": (_inbox_arguments, _list)}
