"""`memtui review`."""

from __future__ import annotations

import argparse

from memtui.cli.output import plural, say, write, write_json, write_table
from memtui.cli.parsing import Parser, whole_number
from memtui.cli.session import Session
from memtui.cli.streams import has_terminal
from memtui.curate import review_sessions
from memtui.curate.anchors import CheckedAnchor, check_trees, re_anchor
from memtui.curate.fields import check_kind_in_use
from memtui.curate.packs import packs_awaiting_feedback
from memtui.curate.projects import known_trees
from memtui.curate.review_queue import review_queue
from memtui.curate.review_sessions import receipt_of, receipt_text
from memtui.domain.record import format_time
from memtui.errors import EXIT_DONE, NotFoundError, UsageError, VaultBusyError

PACKS_NAMED = 5
"""Packs that are named; the rest is counted."""

DESCRIPTIONS = {
    "review": "Go through the memories that are due, the riskiest first. Verdicts are commands: verify, edit, merge, "
    "link A supersedes B, retire, snooze, pin."
}


def configure(parser: Parser) -> None:
    """Add the options."""
    parser.add_argument("--list", action="store_true", help="print the queue instead of opening the app")
    parser.add_argument("--receipt", action="store_true", help="print what the last review session came to")
    parser.add_argument(
        "--undo", action="store_true", help="undo every verdict of the last session, the last one first"
    )
    parser.add_argument(
        "--re-anchor", action="store_true", help="tie memories to where their files moved, as one undoable change"
    )
    parser.add_argument("--dry-run", action="store_true", help="with --re-anchor: only print what would change")
    parser.add_argument("--kind", metavar="KIND", action="append", default=[], help="only this kind; repeatable")
    parser.add_argument("--size", metavar="N", type=whole_number, help="at most this many")


def run(arguments: argparse.Namespace, session: Session) -> int:
    """Print the queue or the last session's receipt, or open the app at the queue."""
    if arguments.size is not None and arguments.size < 1:
        raise UsageError("--size is a number from 1", where=str(arguments.size))
    if arguments.dry_run and not arguments.re_anchor:
        raise UsageError("--dry-run goes with --re-anchor", where="--dry-run")
    if arguments.receipt:
        return _print_receipt(session)
    if arguments.undo:
        return _undo(session)
    if arguments.re_anchor:
        return _re_anchor(session, dry_run=arguments.dry_run)
    if not (arguments.list or session.json) and has_terminal():
        from memtui.cli.app import open_app

        return open_app(arguments, start="due")
    kinds = tuple(check_kind_in_use(session.vault, kind) for kind in arguments.kind)
    _look_after_files(session)
    queue = review_queue(
        session.vault,
        session.view.scope,
        kinds=kinds,
        threshold=session.config.review.threshold,
        limit=arguments.size,
    )
    _tell_of_packs(session)
    if session.json:
        write_json(
            [
                {
                    "id": due.memory.id,
                    "title": due.memory.title,
                    "kind": due.memory.kind,
                    "project": due.memory.project,
                    "freshness": round(due.freshness, 4),
                    "risk": round(due.risk, 4),
                    "why": due.why,
                    "reasons": list(due.reasons),
                }
                for due in queue
            ]
        )
        return EXIT_DONE
    write_table(
        [
            [
                due.memory.id,
                due.memory.kind,
                f"{due.freshness:.2f}",
                f"{due.memory.title}  ({' · '.join(due.reasons)})",
            ]
            for due in queue
        ]
    )
    say(f"{plural(len(queue), 'memory')} due" if queue else "Nothing is due.")
    return EXIT_DONE


def _look_after_files(session: Session) -> list[CheckedAnchor]:
    """Check the files of every project whose folder is known, so that all commands tell the same of them."""
    if not session.vault.exists:
        return []
    with session.vault.read() as reader:
        trees = known_trees(reader, session.view.tree)
    wanted = session.view.scope.projects
    chosen = [tree for name, tree in trees.items() if wanted is None or name in wanted]
    try:
        found = check_trees(session.vault, chosen)
    except VaultBusyError:
        say("Files were not checked: another process holds the vault. What the last check found counts.")
        return []
    return [check for checks in found.values() for check in checks]


def _re_anchor(session: Session, *, dry_run: bool) -> int:
    """Tie memories to where their files moved, or print what that would change.

    Raises:
        NotFoundError: no file is known to have moved.
    """
    moved = [check for check in _look_after_files(session) if check.state == "moved" and check.suggestion]
    if not moved:
        raise NotFoundError("No file is known to have moved", remedy="`memtui tidy --dry-run` lists dead anchors.")
    moves: dict[str, dict[str, str]] = {}
    for check in moved:
        moves.setdefault(check.id, {})[check.path] = str(check.suggestion)
    if not dry_run:
        session.back_up_daily()
        re_anchor(session.vault, moves, actor=session.actor)
    if session.json:
        write_json([{"id": check.id, "path": check.path, "to": check.suggestion} for check in moved])
    else:
        write_table([[check.id, f"{check.path} → {check.suggestion}"] for check in moved])
        done = "would be re-anchored" if dry_run else "re-anchored; `memtui undo` takes it back"
        say(f"{plural(len(moves), 'memory')} {done}")
    return EXIT_DONE


def _undo(session: Session) -> int:
    """Undo every verdict of the last session of the project in view.

    Raises:
        NotFoundError: there never was one, or nothing of it is left to undo.
    """
    last = review_sessions.last(session.vault, project=session.view.project)
    if last is None:
        raise NotFoundError("There is no review session to undo", remedy="`memtui review` begins one.")
    session.only_a_person("undo a review")
    session.back_up_daily()
    undone, stopped_by = review_sessions.undo_all(session.vault, last, actor=session.actor)
    if stopped_by:
        say(f"It stopped at a change that is not the session's: {stopped_by}")
    if not undone:
        raise NotFoundError("Nothing of the last review session is left to undo")
    if session.json:
        write_json({"undone": undone, "stopped_by": stopped_by or None})
    else:
        say(f"undid {plural(undone, 'verdict')}; `memtui redo` does them again, one by one")
    return EXIT_DONE


def _tell_of_packs(session: Session) -> None:
    """Say on stderr which packs were copied a while ago without a word since."""
    awaiting = packs_awaiting_feedback(session.vault, project=session.view.project)
    if awaiting:
        ids = ", ".join(pack.id for pack in awaiting[:PACKS_NAMED])
        more = f" and {len(awaiting) - PACKS_NAMED:,} more" if len(awaiting) > PACKS_NAMED else ""
        say(f"{plural(len(awaiting), 'pack')} copied over a week ago without feedback: {ids}{more}")
        say("`memtui feedback PACK helped|hurt|unused` says whether it helped.")


def _print_receipt(session: Session) -> int:
    """Print what the last session of the project in view in which anything was decided came to.

    Raises:
        NotFoundError: there never was one.
    """
    last = review_sessions.last_told(session.vault, project=session.view.project)
    if last is None:
        raise NotFoundError("There is no review session to tell of", remedy="`memtui review` begins one.")
    awaiting = review_sessions.awaiting_feedback(session.vault, last)
    found = receipt_of(session.vault, last, standing=_standing(session) if last.standing is not None else None)
    if not session.json:
        write(receipt_text(found))
        return EXIT_DONE
    write_json(
        {
            "started_at": format_time(found.started_at),
            "project": session.view.project,
            "total": found.total,
            "left": found.total - sum(found.counts.values()),
            "counts": dict(found.counts),
            "tokens_out": found.tokens_out,
            "standing": None if found.standing is None else {"before": found.standing[0], "now": found.standing[1]},
            "half_lives": [{"id": key, "title": title, "days": days} for key, title, days in found.half_lives],
            "still_said": [{"id": key, "title": title, "path": path} for key, title, path in found.still_said],
            "packs_awaiting_feedback": [pack.id for pack in awaiting],
        }
    )
    return EXIT_DONE


def _standing(session: Session) -> int:
    """Return the tokens of the standing payload now."""
    from memtui.curate.health import HealthOptions, standing_payload

    config = session.config
    options = HealthOptions(
        view=session.view,
        threshold=config.review.threshold,
        context=config.context,
        recall=config.recall,
        secret_patterns=config.secrets.patterns,
        targets=config.targets,
    )
    return standing_payload(session.vault, options).tokens
