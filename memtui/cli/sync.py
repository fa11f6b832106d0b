"""`memtui sync` and `memtui team`: many machines, one memory."""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from memtui.cli.output import say
from memtui.cli.parsing import Parser
from memtui.cli.session import Commands, Session
from memtui.domain.record import format_time
from memtui.errors import EXIT_DONE, MemtuiError, UsageError
from memtui.wording import syncing

if TYPE_CHECKING:
    from memtui.sync.report import SyncReport
    from memtui.sync.service import SyncRequest, TeamState

WATCH_SECONDS = 30  # How long `--watch` waits where nothing tells it of changes


def _sync_arguments(parser: Parser) -> None:
    parser.add_value("--git", "REMOTE", "a git remote: a URL, a path, or a remote's name in this repository")
    parser.add_value("--branch", "NAME", "the branch that holds the memories (default: memory)", default="memory")
    parser.add_value("--share", "NAME", "share this project from now on, also global or unassigned", action="append")
    parser.add_value(
        "--candidates", "WHAT", "keep candidates here, the default, or send them", choices=("keep", "send")
    )
    parser.add_flag("--purge", "erase here what the team ordered to be erased")
    parser.add_flag("--yes", "with --purge: do not ask")
    parser.add_flag("--watch", "go on syncing until interrupted")


def _sync(arguments: argparse.Namespace, session: Session) -> int:
    """Exchange changes with a git remote or a team's database, and merge them field by field.

    The first time share the project in view: memtui sync --git REMOTE.
    """
    if arguments.git or arguments.share or arguments.purge or arguments.candidates:
        session.only_a_person("share memories")
    if arguments.purge:
        return _purge(arguments, session)
    session.back_up_daily()
    request = _request(arguments, session)
    while True:
        code = _sync_once(request, session, may_fail=arguments.watch)
        if not arguments.watch:
            return code
        time.sleep(WATCH_SECONDS)


def _sync_once(request: SyncRequest, session: Session, *, may_fail: bool) -> int:
    from memtui.sync.service import sync

    try:
        report = sync(session.vault, request)
    except MemtuiError as error:
        if not may_fail:
            raise
        say(f"memtui: {error}")
        return error.exit_code
    session.put(_record(report))
    _tell(report)
    return report.exit_code


def _request(arguments: argparse.Namespace, session: Session) -> SyncRequest:
    from memtui.sync.service import SyncRequest

    return SyncRequest(
        folder=session.folder,
        git=arguments.git,
        branch=arguments.branch,
        share=tuple(arguments.share or ()),
        in_view=session.view.project,
        proposes=None if arguments.candidates is None else arguments.candidates == "send",
        patterns=session.secret_patterns,
    )


def _record(report: SyncReport) -> dict[str, Any]:
    return {
        "pushed": report.pushed,
        "pulled": report.pulled,
        "merged": report.merged,
        "conflicts": [{"id": one.id, "title": one.title, "fields": list(one.fields)} for one in report.conflicts],
        "overruled": [{"id": one.id, "fields": list(one.fields)} for one in report.overruled],
        "held": [{"id": one.id, "fields": list(one.fields)} for one in report.held],
        "planted": report.planted,
        "skipped": report.skipped,
        "not_shared": report.not_shared,
        "purges": [
            {"id": one.memory_id, "author": one.author, "at": format_time(one.made_at)} for one in report.orders
        ],
    }


def _tell(report: SyncReport) -> None:
    if report.conflicts:
        say(syncing.in_conflict([(one.id, one.title) for one in report.conflicts]))
    if report.overruled:
        say(syncing.overruled([(one.id, one.fields) for one in report.overruled]))
    if report.held:
        say(syncing.held_back([(one.id, one.fields) for one in report.held]))
    if report.planted:
        say(syncing.planted(report.planted))
    if report.skipped:
        say(syncing.unread(report.skipped))
    if report.not_shared:
        say(syncing.not_shared(report.not_shared))
    for line in syncing.ordered(report.orders) if report.orders else ():
        say(line)
    say(syncing.exchanged(report.pushed, report.pulled, report.merged))


def _purge(arguments: argparse.Namespace, session: Session) -> int:
    from memtui.cli.vault import confirm_purge, put_purged
    from memtui.sync.service import orders_of, purge_ordered
    from memtui.text.words import counted

    orders = orders_of(session.vault)
    for line in syncing.ordered(orders) if orders else ():
        say(line)
    if orders:
        confirm_purge(counted(len(orders), "memory"), is_agreed=arguments.yes)
    report = purge_ordered(session.vault)
    if report is None:
        session.put({"purged": 0})
        say("No purge is waiting.")
        return EXIT_DONE
    put_purged(report, session)
    return EXIT_DONE


def _team_arguments(parser: Parser) -> None:
    add = parser.add_actions()
    add("status", "list the teams, what is shared with them, and what waits", _status)
    leaving = add("leave", "stop sharing; the memories stay", _leave)
    leaving.add_value("place", "PLACE", "the remote or the database, where there are several", nargs="?")


def _team(arguments: argparse.Namespace, session: Session) -> None:
    """Share memories with a team: who takes part, what is shared, what waits."""
    raise UsageError("Which action?", remedy="Choose from status and leave.")


def _status(arguments: argparse.Namespace, session: Session) -> None:
    from memtui.sync.service import team_states

    states = team_states(session.vault)
    if session.json:
        session.put(
            [
                {
                    "place": state.team.place,
                    "carrier": state.team.carrier,
                    "branch": state.team.branch or None,
                    "person": state.team.person,
                    "proposes": state.team.proposes,
                    "synced_at": format_time(state.team.synced_at),
                    "projects": [share.project or "unassigned" for share in state.shares],
                    "waiting": state.waiting,
                    "conflicts": state.conflicts,
                    "purges": len(state.orders),
                }
                for state in states
            ]
        )
        return
    session.put(None, [line for state in states for line in _state_lines(state)])
    if not states:
        say("This vault shares its memories with nobody. `memtui sync --git REMOTE` begins.")


def _state_lines(state: TeamState) -> Iterator[str]:
    return syncing.state_lines(state.team, state.shares, state.waiting, state.conflicts, len(state.orders))


def _leave(arguments: argparse.Namespace, session: Session) -> None:
    from memtui.sync.service import leave

    session.only_a_person("leave a team")
    team = leave(session.vault, arguments.place)
    session.put({"left": team.place})
    say(f"Left {team.name}. The memories stay here, and what was sent stays there.")


COMMANDS: Commands = {"sync": (_sync_arguments, _sync), "team": (_team_arguments, _team)}
