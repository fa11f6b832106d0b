"""`memtui list`."""

from __future__ import annotations

import argparse

from memtui.cli.output import plural, say, write_json, write_table
from memtui.cli.parsing import Parser, one_of, whole_number
from memtui.cli.session import Session
from memtui.curate.views import MemoryView, list_memories, view_record
from memtui.domain.memory import STATUSES
from memtui.errors import EXIT_DONE, UsageError
from memtui.vault.filters import SORTS, MemoryFilter

PLENTY = 200
"""Rows listed for people unless --limit says otherwise."""


def configure(parser: Parser) -> None:
    """Add the options."""
    parser.add_argument("--kind", metavar="KIND", action="append", default=[], help="only this kind; repeatable")
    parser.add_argument(
        "--status", metavar="STATUS", default="active", help="candidate, active, retired, superseded, merged or any"
    )
    parser.add_argument("--tag", metavar="TAG", action="append", default=[], help="only with this tag; repeatable")
    parser.add_argument("--stale", action="store_true", help="only what is due for review")
    parser.add_argument("--pinned", action="store_true", help="only what is pinned")
    parser.add_argument(
        "--where", metavar="QUERY", help="""only what a query chooses: 'kind:tooling age>180d -pinned "exact words"'"""
    )
    parser.add_argument("--sort", metavar="BY", default="updated", help=f"{', '.join(SORTS)} (default: updated)")
    parser.add_argument(
        "--limit", metavar="N", type=whole_number, help=f"most rows (default: {PLENTY}, with --json all)"
    )
    parser.add_argument("--all-projects", action="store_true", help="every project, and the unassigned")


def run(arguments: argparse.Namespace, session: Session) -> int:
    """List memories."""
    wanted = _filter(arguments, session)
    limit = arguments.limit if arguments.limit is not None or session.json else PLENTY
    if limit is not None and limit < 0:
        raise UsageError("--limit is a number from 0", where=str(limit))
    views = list_memories(
        session.vault,
        wanted,
        sort=arguments.sort,
        limit=limit,
        threshold=session.config.review.threshold,
        tree=session.view.tree if session.json else None,
    )
    if session.json:
        write_json([view_record(view, session.kinds) for view in views])
        return EXIT_DONE
    write_table([_row(view) for view in views])
    if views and len(views) != limit:
        say(plural(len(views), "memory"))
    else:
        _tell(session, wanted, len(views))
    return EXIT_DONE


def _filter(arguments: argparse.Namespace, session: Session) -> MemoryFilter:
    one_of(arguments.status, (*STATUSES, "any"), what="status")
    one_of(arguments.sort, SORTS, what="order")
    from memtui.curate.fields import check_kind_in_use, named_tags
    from memtui.vault.filters import EVERYTHING

    base = MemoryFilter(
        scope=EVERYTHING if arguments.all_projects else session.view.listing_scope,
        statuses=None if arguments.status == "any" else (arguments.status,),
        kinds=tuple(check_kind_in_use(session.vault, kind) for kind in arguments.kind),
        tags=named_tags(arguments.tag),
        pinned=True if arguments.pinned else None,
        stale_at=session.vault.now() if arguments.stale else None,
        threshold=session.config.review.threshold,
    )
    if arguments.where is None:
        return base
    from memtui.curate.query import parse_choice

    return parse_choice(arguments.where, session.kinds, session.vault.now()).narrow(base)


def _row(view: MemoryView) -> list[str]:
    memory = view.memory
    mark = "●" if memory.pinned else " "
    state = memory.kind if memory.status == "active" else f"{memory.kind}, {memory.status}"
    return [memory.id, mark, state, memory.project or "unassigned", f"{view.freshness:.2f}", memory.title]


def _tell(session: Session, wanted: MemoryFilter, shown: int) -> None:
    """Say how many were left out by the limit, or where others might be."""
    with session.vault.read() as reader:
        total = reader.count(wanted)
        everywhere = total or reader.count(MemoryFilter(statuses=None))
    if total > shown:
        say(f"{shown:,} of {plural(total, 'memory')}; --limit shows more")
    elif total:
        say(plural(total, "memory"))
    elif session.is_vault_missing:
        return  # which is told at the end of every command
    elif not everywhere:
        say('The vault is empty. `memtui add "…"` or `memtui import .` fills it; `memtui demo` shows a full one.')
    else:
        where = f" in project {session.view.project}" if session.view.project else ""
        say(f"No such memories{where}; the vault holds {everywhere:,}: try --all-projects or --status any.")
