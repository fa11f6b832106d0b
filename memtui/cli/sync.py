"""`memtui sync` and `memtui team`: many machines, one memory."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from memtui.cli.output import say, write, write_line, write_table
from memtui.cli.parsing import Parser
from memtui.cli.session import Commands, Session
from memtui.domain.record import format_time
from memtui.errors import EXIT_DONE, MemtuiError, UsageError
from memtui.wording import syncing

if TYPE_CHECKING:
    from memtui.sync.carrier import SyncReport
    from memtui.sync.service import TeamState
    from memtui.sync.sharing import SyncRequest


def _sync_arguments(parser: Parser) -> None:
    parser.add_value("--git", "REMOTE", "a git remote: a URL, a path, or a remote's name in this repository")
    parser.add_value("--branch", "NAME", "the branch that holds the memories (default: memory)", default="memory")
    parser.add_value(
        "--share", "NAME", "share this project from now on; global and unassigned work, too", action="append"
    )
    parser.add_value("--candidates", "WHAT", "keep candidates here (default), or send them", choices=("keep", "send"))
    parser.add_flag("--purge", "erase here what the team has purged")
    parser.add_flag("--yes", "with --purge: do not ask")
    parser.add_flag("--accept-deletions", "accept the team's deletions, however many")
    parser.add_flag("--watch", "keep syncing until interrupted")


def _sync(arguments: argparse.Namespace, session: Session) -> int:
    """Exchange changes with a git remote or a team's database, and merge them field by field.

    The first time share the project in view: memtui sync --git REMOTE.
    """
    from memtui.sync.service import sync

    wishes = (arguments.git, arguments.share, arguments.purge, arguments.candidates, arguments.accept_deletions)
    if any(wishes):
        session.only_a_person("share memories")
    if arguments.purge:
        return _purge(arguments, session)
    session.back_up_daily()
    request = _request(arguments, session)
    if arguments.watch:
        return _watch(request, session)
    return _put_report(sync(session.vault, request), session)


def _put_report(report: SyncReport, session: Session) -> int:
    session.put(_record(report))
    _tell(report)
    return report.exit_code


def _watch(request: SyncRequest, session: Session) -> int:
    """Sync until interrupted; failures are told, and overcome."""
    from memtui.sync.service import Watch

    for found in Watch(session.vault, request).reports():
        if isinstance(found, MemtuiError):
            say(f"memtui: {found}")
        elif found.is_news:
            _put_report(found, session)
    return EXIT_DONE


def _request(arguments: argparse.Namespace, session: Session) -> SyncRequest:
    from memtui.sync.sharing import SyncRequest

    return SyncRequest(
        folder=session.folder,
        git=arguments.git,
        branch=arguments.branch,
        share=tuple(arguments.share or ()),
        in_view=session.view.project,
        proposes=None if arguments.candidates is None else arguments.candidates == "send",
        patterns=session.secret_patterns,
        accepts_deletions=arguments.accept_deletions,
    )


def _record(report: SyncReport) -> dict[str, Any]:
    return {
        "pushed": report.pushed,
        "pulled": report.pulled,
        "merged": report.merged,
        "deleted": report.deleted,
        "removals": report.removals,
        "conflicts": [
            {"id": one.id, "title": one.title, "fields": list(one.fields), "purge": one.is_purge}
            for one in report.conflicts
        ],
        "overruled": [{"id": one.id, "fields": list(one.fields)} for one in report.overruled],
        "held": [{"id": one.id, "fields": list(one.fields)} for one in report.held],
        "planted": report.planted,
        "skipped": report.skipped,
        "refused": [{"project": project, "changes": number} for project, number in report.refused],
        "hidden": report.hidden,
        "not_shared": report.not_shared,
        "purges": [
            {"id": one.memory_id, "author": one.author, "at": format_time(one.made_at)} for one in report.orders
        ],
        "deletions": [
            {
                "project": one.project,
                "memories" if one.is_of_memories else "links": one.deleted,
                "shared": one.shared,
            }
            for one in report.wipes
        ],
    }


_LISTED = {
    "planted": syncing.planted,
    "hidden": syncing.hidden,
    "skipped": syncing.unread,
    "not_shared": syncing.not_shared,
}
"""What is told of a report's lists, by their names."""


def _tell(report: SyncReport) -> None:
    for is_purge, told in ((False, syncing.in_conflict), (True, syncing.purge_in_conflict)):
        clashes = [(one.id, one.title) for one in report.conflicts if one.is_purge == is_purge]
        if clashes:
            say(told(clashes))
    if report.overruled:
        say(syncing.overruled([(one.id, one.fields) for one in report.overruled]))
    if report.held:
        say(syncing.held_back([(one.id, one.fields) for one in report.held]))
    for project, number in report.refused:
        say(syncing.refused(project, number))
    for name, told_of in _LISTED.items():
        if getattr(report, name):
            say(told_of(getattr(report, name)))
    for line in syncing.ordered(report.orders) if report.orders else ():
        say(line)
    _tell_deletions(report)
    say(syncing.exchanged(report.pushed, report.pulled, report.merged))


def _tell_deletions(report: SyncReport) -> None:
    for wipe in report.wipes:
        say(syncing.many_deleted(wipe.project, wipe.deleted, wipe.shared, is_of_memories=wipe.is_of_memories))
    if report.deleted:
        say(syncing.deleted(report.deleted, report.removals))


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
    init = add("init", "set up a PostgreSQL database for a team, and join it", _init)
    init.add_value("url", "URL", "postgresql://ROLE@HOST/DATABASE, without a password", nargs="?")
    init.add_flag("--print-sql", "print the statements for an administrator instead")
    join = add("join", "join a team", _join)
    join.add_value("url", "URL", "postgresql://ROLE@HOST/DATABASE, without a password")
    join.add_value(
        "--share", "NAME", "share this project; global and unassigned work, too; repeatable", action="append"
    )
    adding = add("add", "add a database role as a member", _add)
    adding.add_value("name", "NAME", "the role; it is created without a password if it is missing")
    adding.add_value("--may", "RIGHT", "read, propose, write or admin", required=True)
    adding.add_value("--only", "PROJECT", "only in this project of the team (default: in every one)")
    removing = add("remove", "remove a member", _remove)
    removing.add_value("name", "NAME", "the role; it stays in the database")
    for parser_of in (adding, removing):
        parser_of.add_value("--place", "PLACE", "which team, if there are several")
        parser_of.add_flag("--print-sql", "print the statements for an administrator instead")
    status = add("status", "list the teams, what is shared and what is pending", _status)
    status.add_flag("--members", "ask the database for the members")
    leaving = add("leave", "stop sharing; the memories stay here", _leave)
    leaving.add_value("place", "PLACE", "the remote or the database, if there are several", nargs="?")


def _team(arguments: argparse.Namespace, session: Session) -> None:
    """Share memories with a team over its own PostgreSQL: who takes part, what is shared, what waits."""
    raise UsageError("Which action?", remedy="Choose from init, join, add, remove, status and leave.")


def _init(arguments: argparse.Namespace, session: Session) -> int:
    from memtui.sync.database import init_statements, init_team

    if arguments.print_sql:
        write(init_statements())
        return EXIT_DONE
    session.only_a_person("set up a team")
    if arguments.url is None:
        raise UsageError("Which database?", remedy="memtui team init postgresql://ROLE@HOST/DATABASE")
    init_team(arguments.url)
    say("The database is set up for a team. `memtui team add NAME --may RIGHT` adds members.")
    return _take_part(arguments.url, (), session)


def _join(arguments: argparse.Namespace, session: Session) -> int:
    session.only_a_person("join a team")
    return _take_part(arguments.url, tuple(arguments.share or ()), session)


def _take_part(url: str, share: tuple[str, ...], session: Session) -> int:
    from memtui.sync.service import sync
    from memtui.sync.sharing import SyncRequest

    session.back_up_daily()
    request = SyncRequest(folder=session.folder, database=url, share=share, patterns=session.secret_patterns)
    code = _put_report(sync(session.vault, request), session)
    if not share:
        say("`memtui sync --share PROJECT` shares a project of yours; the team's memories are here.")
    return code


def _add(arguments: argparse.Namespace, session: Session) -> None:
    from memtui.sync.database import add_member, add_statements

    if arguments.print_sql:
        _print_statements(add_statements(arguments.name, arguments.may, arguments.only))
        return
    session.only_a_person("change the members of a team")
    is_new = add_member(_database(arguments, session), arguments.name, arguments.may, arguments.only)
    session.put({"member": arguments.name, "may": arguments.may, "project": arguments.only, "created": is_new})
    say(syncing.member_added(arguments.name, arguments.may, arguments.only, is_new=is_new))


def _remove(arguments: argparse.Namespace, session: Session) -> None:
    from memtui.sync.database import remove_member, remove_statements

    if arguments.print_sql:
        _print_statements(remove_statements(arguments.name))
        return
    session.only_a_person("change the members of a team")
    removed = remove_member(_database(arguments, session), arguments.name)
    session.put({"member": arguments.name, "removed": removed})
    say(
        f"{arguments.name} is no longer a member. The role stays in the database, and so do the copies on its machines."
    )


def _print_statements(statements: Sequence[str]) -> None:
    for statement in statements:
        write_line(f"{statement};")


def _database(arguments: argparse.Namespace, session: Session) -> str:
    """Return the URL of the team's database. Raises `UsageError`: it has none."""
    from memtui.sync.service import POSTGRES, chosen_team

    with session.vault.read() as reader:
        team = chosen_team(reader, arguments.place)
    if team.carrier != POSTGRES:
        raise UsageError("A git remote has no members", where=team.place, remedy="Anyone with push access is a member.")
    return team.place


def _status(arguments: argparse.Namespace, session: Session) -> None:
    from memtui.sync.service import team_states

    states = team_states(session.vault)
    members = {state.team.id: _members(state) for state in states} if arguments.members else {}
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
                | ({"members": members[state.team.id]} if members else {})
                for state in states
            ]
        )
        return
    for state in states:
        session.put(None, _state_lines(state))
        write_table(
            [row["role"], row["may"], row["project"] or "every project"] for row in members.get(state.team.id, ())
        )
    if not states:
        say("This vault does not share memories yet. Start with `memtui sync --git REMOTE`.")


def _members(state: TeamState) -> list[dict[str, Any]]:
    from memtui.sync.database import list_members
    from memtui.sync.service import POSTGRES

    if state.team.carrier != POSTGRES:
        return []
    return [{"role": one.role, "project": one.project, "may": one.may} for one in list_members(state.team.place)]


def _state_lines(state: TeamState) -> Iterator[str]:
    return syncing.state_lines(state.team, state.shares, state.waiting, state.conflicts, len(state.orders))


def _leave(arguments: argparse.Namespace, session: Session) -> None:
    from memtui.sync.service import leave

    session.only_a_person("leave a team")
    team = leave(session.vault, arguments.place)
    session.put({"left": team.place})
    say(f"Left {team.name}. The memories stay here, and what was sent stays there.")


COMMANDS: Commands = {"sync": (_sync_arguments, _sync), "team": (_team_arguments, _team)}
