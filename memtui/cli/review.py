"""`memtui review` and `half-life`."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from memtui.cli import parsing
from memtui.cli.output import has_terminal, say, write, write_json, write_table
from memtui.cli.parsing import Parser, at_least, number
from memtui.cli.session import UNDO_HINT, Commands, Session
from memtui.curate.anchors import DEAD, CheckedAnchor, check_trees
from memtui.curate.fields import check_kind_in_use, kinds_in_use
from memtui.curate.moved_paths import that_name_old_paths
from memtui.curate.projects import known_trees, read_places
from memtui.domain.freshness import HIGHEST_THRESHOLD, LOWEST_THRESHOLD
from memtui.domain.kinds import in_project, split_project
from memtui.domain.record import format_time
from memtui.errors import EXIT_DONE, NotFoundError, UsageError, VaultBusyError
from memtui.text.words import counted, parse_duration
from memtui.vault.filters import MemoryFilter
from memtui.vault.review_triggers import anchored_projects
from memtui.wording import outcomes

if TYPE_CHECKING:
    from memtui.curate.decay import Effect, KindNow, Snapshot
    from memtui.domain.lessons import Lesson

WEEKS = 8  # Weeks of a forecast unless told otherwise
PACKS_NAMED = 5  # Packs that are named; the rest are counted


def _review_arguments(parser: Parser) -> None:
    parser.add_flag("--list", "print the queue instead of opening the app")
    parser.add_flag("--forecast", "print how many memories become due in the coming weeks")
    parser.add_value("--weeks", "N", "with --forecast: how many weeks (default 8)", type=at_least(1), default=WEEKS)
    parser.add_value("--daily", "N", "with --forecast: reviews a day, 0 for all", type=at_least(0))
    parser.add_value("--threshold", "SHARE", "with --forecast: the freshness at which a memory is due", type=_threshold)
    parser.add_flag("--receipt", "print the result of the last review session")
    parser.add_flag("--undo", "undo every verdict of the last session, latest first")
    parser.add_flag("--re-anchor", "update the paths of moved files, as one change that can be undone")
    parser.add_flag("--maybe", "with --re-anchor: also to where a file may be, `maybe` in `memtui tidy`")
    parser.add_flag("--dry-run", "with --re-anchor: only print what would change")
    parsing.add_kinds(parser)
    parser.add_value("--size", "N", "at most this many", type=at_least(1))


def _threshold(text: str) -> float:
    share = number(text)
    if not LOWEST_THRESHOLD <= share <= HIGHEST_THRESHOLD:
        raise argparse.ArgumentTypeError(f"must be from {LOWEST_THRESHOLD:g} to {HIGHEST_THRESHOLD:g}, not {text}")
    return share


def _review(arguments: argparse.Namespace, session: Session) -> int:
    """Review the memories that are due, the riskiest first.

    Verdicts are commands: verify, edit, merge, link A supersedes B, retire, snooze, pin.
    """
    for flag, given in (("--dry-run", arguments.dry_run), ("--maybe", arguments.maybe)):
        if given and not arguments.re_anchor:
            raise UsageError(f"{flag} goes with --re-anchor", where=flag, remedy="Add --re-anchor, or leave it out.")
    if arguments.receipt:
        _print_receipt(session)
    elif arguments.forecast:
        _print_forecast(arguments, session)
    elif arguments.undo:
        _undo_session(session)
    elif arguments.re_anchor:
        _re_anchor(session, dry_run=arguments.dry_run, maybe=arguments.maybe)
    elif arguments.list or session.json or not has_terminal():
        _print_queue(arguments, session)
    else:
        from memtui.cli.app import open_app

        return open_app(arguments, start="due")
    return EXIT_DONE


def _print_queue(arguments: argparse.Namespace, session: Session) -> None:
    from memtui.curate.packs import packs_awaiting_feedback
    from memtui.curate.review_queue import review_queue

    kinds = tuple(check_kind_in_use(session.vault, kind) for kind in arguments.kind)
    _check_files(session)
    queue = review_queue(
        session.vault,
        session.view.scope,
        kinds=kinds,
        threshold=session.config.review.threshold,
        limit=arguments.size,
    )
    awaiting = packs_awaiting_feedback(session.vault, project=session.view.project)
    if awaiting:
        ids = ", ".join(pack.id for pack in awaiting[:PACKS_NAMED])
        more = f" and {len(awaiting) - PACKS_NAMED:,} more" if len(awaiting) > PACKS_NAMED else ""
        say(f"{counted(len(awaiting), 'pack')} copied over a week ago without feedback: {ids}{more}")
        say("`memtui feedback PACK helped|hurt|unused` records whether it helped.")
    session.put_rows(
        (
            {
                "id": due.memory.id,
                "title": due.memory.title,
                "kind": due.memory.kind,
                "project": due.memory.project,
                "freshness": round(due.freshness, 4),
                "risk": round(due.risk, 4),
                "why": due.why,
                "reasons": list(due.reasons),
                "reason_codes": list(due.reason_codes),
                "snoozes": due.snoozes,
                "offer": "retire" if due.offers_retiring else None,
            }
            for due in queue
        ),
        (
            [due.memory.id, due.memory.kind, f"{due.freshness:.2f}", f"{due.memory.title}  ({' · '.join(due.said)})"]
            for due in queue
        ),
    )
    if not session.json:
        say(f"{counted(len(queue), 'memory')} due" if queue else "Nothing is due.")
        _say_holiday(session)


def _say_holiday(session: Session) -> None:
    holiday, now = session.kinds.holiday, session.vault.now()
    if holiday is not None and session.kinds.is_holiday(now):
        say(f"Nothing more becomes due until {holiday[1]:%Y-%m-%d} ([review] holiday).")


def _print_forecast(arguments: argparse.Namespace, session: Session) -> None:
    """Print how many reviews the coming weeks bring."""
    from memtui.curate.decay import Knobs, take_snapshot
    from memtui.curate.workload import workload

    config = session.config.review
    _check_files(session)
    snapshot = take_snapshot(session.vault, session.view.scope, threshold=config.threshold)
    daily = config.daily if arguments.daily is None else arguments.daily
    found = workload(snapshot, Knobs(threshold=arguments.threshold), daily=daily, weeks=arguments.weeks)
    session.put_rows(
        (
            {"week": format_time(week.begins), "due": week.due, "reviewed": week.reviewed, "left": week.left}
            for week in found
        ),
        (
            [f"{week.begins:%Y-%m-%d}", f"{week.due:,} due", f"{week.reviewed:,} reviewed", f"{week.left:,} left"]
            for week in found
        ),
    )
    if not session.json:
        pace = f"at {daily:,} a day" if daily else "with all that is due reviewed each week"
        say(f"The coming {counted(len(found), 'week')} {pace}; [review] daily and holiday spread them.")


def _check_files(session: Session) -> list[CheckedAnchor]:
    """Check the files of every project whose folder is known, so that all commands report the same."""
    if not session.vault.exists:
        return []
    with session.vault.read() as reader:
        checked = MemoryFilter(scope=session.view.scope, statuses=("active", "candidate"))
        places = read_places(reader, anchored_projects(reader, checked))
    trees = known_trees(places, session.view.tree)
    wanted = session.view.scope.projects
    try:
        found = check_trees(session.vault, [t for name, t in trees.items() if wanted is None or name in wanted])
    except VaultBusyError:
        say("Files were not checked, as another process is using the vault; the results of the last check are used.")
        return []
    return [check for checks in found.values() for check in checks]


def _re_anchor(session: Session, *, dry_run: bool, maybe: bool) -> None:
    """Point memories to where their files moved, or print what that would change.

    `maybe`: also to where a file may be, as far as names tell.

    Raises `NotFoundError`: no file is known to have moved.
    """
    found = [check for check in _check_files(session) if check.suggestion and check.state in DEAD]
    moved = [check for check in found if maybe or check.state == "moved"]
    if not moved:
        by_name = f"`memtui review --re-anchor --maybe` follows {counted(len(found), 'path')} by its name; "
        remedy = f"{by_name if found else ''}`memtui tidy --dry-run` lists dead anchors."
        raise NotFoundError("No file is known to have moved", remedy=remedy)
    moves: dict[str, dict[str, str]] = {}
    for check in moved:
        moves.setdefault(check.id, {})[check.path] = str(check.suggestion)
    if not dry_run:
        from memtui.curate.anchors import re_anchor

        session.back_up_daily()
        re_anchor(session.vault, moves, actor=session.actor)
    session.put_rows(
        ({"id": check.id, "path": check.path, "to": check.suggestion} for check in moved),
        ([check.id, f"{check.path} → {check.suggestion}"] for check in moved),
    )
    if not session.json:
        number = counted(len(moves), "memory")
        say(f"{number} would be re-anchored" if dry_run else f"Re-anchored {number}. {UNDO_HINT}")
        with session.vault.read() as reader:
            left = that_name_old_paths(reader.get_many(moves).values(), moves)
        if left:
            named = ", ".join(one.id for one in left)
            say(f"note: {named}: {outcomes.names_old_path(len(left))}; `memtui edit ID` changes it")


def _undo_session(session: Session) -> None:
    """Undo every verdict of the last session of the project in view.

    Raises `NotFoundError`: there never was one, or nothing of it is left to undo.
    """
    from memtui.curate import review_sessions

    last = review_sessions.last(session.vault, project=session.view.project)
    if last is None:
        raise NotFoundError("No review session to undo", remedy="`memtui review` starts one.")
    session.only_a_person("undo a review")
    session.back_up_daily()
    undone, stopped_by = review_sessions.undo_all(session.vault, last, actor=session.actor)
    if not undone:
        raise NotFoundError(outcomes.verdicts_undone(undone, stopped_by), remedy="`memtui log` lists the changes.")
    session.put({"undone": undone, "stopped_by": stopped_by or None})
    say(f"{outcomes.verdicts_undone(undone, stopped_by)}. `memtui redo` redoes them, one by one.")


def _print_receipt(session: Session) -> None:
    """Print the result of the last session of the project in view in which anything was decided.

    Raises `NotFoundError`: there never was one.
    """
    from memtui.curate import review_sessions

    last = review_sessions.last_decided(session.vault, project=session.view.project)
    if last is None:
        raise NotFoundError("No review session to report", remedy="`memtui review` starts one.")
    awaiting = review_sessions.awaiting_feedback(session.vault, last)
    standing = None
    if last.standing is not None:
        from memtui.curate.health import standing_payload

        standing = standing_payload(session.vault, session.health_options).tokens
    threshold = session.config.review.threshold
    found = review_sessions.receipt_of(session.vault, last, standing=standing, threshold=threshold)
    if not session.json:
        from memtui.wording.reviewing import receipt_text

        write(receipt_text(found))
        return
    write_json(
        {
            "started_at": format_time(found.started_at),
            "project": session.view.project,
            "total": found.total,
            "left": found.total - sum(found.counts.values()),
            "counts": dict(found.counts),
            "tokens_out": found.tokens_out,
            "due": found.due,
            "put_off": len(found.put_off),
            "standing": None if found.standing is None else {"before": found.standing[0], "now": found.standing[1]},
            "half_lives": [{"id": key, "title": title, "days": days} for key, title, days in found.half_lives],
            "still_said": [{"id": key, "title": title, "path": path} for key, title, path in found.still_said],
            "packs_awaiting_feedback": [pack.id for pack in awaiting],
        }
    )


def _half_life_arguments(parser: Parser) -> None:
    parser.add_value("change", "KIND=TIME", "tooling=30d, note=2w, tooling=learned, tooling=default", nargs="*")
    parser.add_flag("--here", "only for the current project")
    parser.add_flag("--dry-run", "show the effect; change nothing")


def _half_life(arguments: argparse.Namespace, session: Session) -> None:
    """Show or change how fast trust in each kind fades.

    Without arguments, list the kinds and what verdicts have taught. KIND=30d sets a kind's half-life, KIND=learned
    uses the one learned from verdicts, KIND=default resets it. With --dry-run only the effect on the review queue is
    reported.
    """
    from memtui.curate.decay import Knobs, apply, check_half_lives, effect, take_snapshot

    if arguments.here and session.view.project is None:
        raise UsageError("No single project is selected", remedy="Name one with --project, or leave out --here.")
    project = session.view.project if arguments.here else None
    snapshot = take_snapshot(session.vault, session.view.scope, threshold=session.config.review.threshold)
    wanted = dict(_wanted(change, snapshot, project) for change in arguments.change)
    if not wanted:
        _print_kinds(snapshot, project, session)
        return
    check_half_lives(wanted, snapshot, used=kinds_in_use(session.vault))
    found = effect(snapshot, Knobs(half_lives=_resulting(wanted, snapshot)))
    record = {
        "due_before": found.before,
        "due_after": found.after,
        "entering": [one.id for one in found.entering],
        "leaving": [one.id for one in found.leaving],
    }
    if arguments.dry_run:
        _print_effect(found, record, session)
        return
    session.back_up_daily()
    summary = apply(session.vault, wanted, actor=session.actor)
    session.put({"changed": list(wanted), **record})
    say(f"Changed: {summary}. {UNDO_HINT}")


def _wanted(change: str, snapshot: Snapshot, project: str | None) -> tuple[str, float | None]:
    """Return the name that a half-life is stored under, and the days; None to reset it.

    Raises `UsageError`: it is not KIND=TIME, or there are no verdicts to learn from.
    """
    kind, _, value = change.partition("=")
    kind = kind.strip().lower()
    if not kind or not value.strip():
        raise UsageError("Write a half-life as KIND=TIME", where=change, remedy="For example tooling=30d.")
    name = in_project(kind, project) if project else kind
    if value == "default":
        return name, None
    if value != "learned":
        return name, parse_duration(value)
    lesson = next((one.lesson for one in snapshot.kinds if one.name == kind), None)
    if lesson is None:
        raise UsageError(
            f"No verdicts on {kind} to learn from yet",
            where=change,
            remedy="Review memories of this kind first, or give a number of days.",
        )
    return name, round(lesson.half_life_days, 1)


def _resulting(wanted: dict[str, float | None], snapshot: Snapshot) -> dict[str, float]:
    """Return the half-lives in days that would be in force."""
    days: dict[str, float] = {}
    for name, value in wanted.items():
        kind, project = split_project(name)
        plain = snapshot.in_force.without_stored() if project is None else snapshot.in_force
        days[name] = plain.get(kind).half_life_days if value is None else value
    return days


def _print_kinds(snapshot: Snapshot, project: str | None, session: Session) -> None:
    from memtui.curate.decay import Knobs, days_text

    kinds = [(kind, snapshot.kind_half_life(kind.name, project, Knobs())) for kind in snapshot.kinds]
    rows = (
        [
            kind.name,
            days_text(days),
            kind.origin,
            counted(kind.memories, "memory"),
            _lesson_words(kind.lesson) if kind.lesson else "",
        ]
        for kind, days in kinds
    )
    session.put_rows((_kind_record(kind, days, snapshot.threshold) for kind, days in kinds), rows)


def _lesson_words(lesson: Lesson) -> str:
    low, high = lesson.rate.range_days
    quick = f", {lesson.quick:,} too quick to count in full" if lesson.quick else ""
    return f"learned {lesson} ({lesson.expired:,} outdated{quick}), most likely {low:,.0f} to {high:,.0f} d"


def _kind_record(kind: KindNow, days: float, threshold: float) -> dict[str, Any]:
    lesson = kind.lesson
    spread = [round(each, 1) for each in lesson.rate.range_days] if lesson else [None, None]
    return {
        "kind": kind.name,
        "half_life_days": days,
        "set_by": kind.origin,
        "memories": kind.memories,
        "learned_days": round(lesson.half_life_days, 1) if lesson else None,
        "learned_low": spread[0],
        "learned_high": spread[1],
        "ask_after_days": round(lesson.rate.ask_after(threshold), 1) if lesson else None,
        "verdicts": lesson.verdicts if lesson else 0,
        "outdated": lesson.expired if lesson else 0,
        "quick": lesson.quick if lesson else 0,
    }


def _print_effect(found: Effect, record: dict[str, Any], session: Session) -> None:
    if session.json:
        write_json(record)
    else:
        rows = [("+", one) for one in found.entering] + [("-", one) for one in found.leaving]
        write_table([sign, one.id, one.kind, f"{one.before:.2f} → {one.after:.2f}", one.title] for sign, one in rows)
    say(f"Due for review: {found.before:,} → {found.after:,}. Nothing was changed.")


COMMANDS: Commands = {
    "review": (_review_arguments, _review),
    "half-life": (_half_life_arguments, _half_life),
}
