"""`memtui half-life`."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from memtui.cli.output import plural, say, write_json, write_table
from memtui.cli.parsing import Parser
from memtui.cli.session import Session
from memtui.errors import EXIT_DONE, UsageError

if TYPE_CHECKING:
    from memtui.curate.decay import Effect, KindNow, Snapshot

DESCRIPTIONS = {
    "half-life": "How fast trust in each kind fades. Without a KIND list the kinds, with what verdicts taught. "
    "KIND=30d gives a kind another half-life, KIND=learned takes what its verdicts speak for, KIND=default goes back. "
    "With --dry-run nothing is changed and the effect on the review queue is told.",
}

LEARNED, DEFAULT = "learned", "default"


def configure(parser: Parser) -> None:
    """Add the options."""
    parser.add_argument(
        "change", metavar="KIND=TIME", nargs="*", help="tooling=30d, note=2w, tooling=learned, =default"
    )
    parser.add_argument("--here", action="store_true", help="for the project in view alone")
    parser.add_argument("--dry-run", action="store_true", help="tell the effect; change nothing")


def run(arguments: argparse.Namespace, session: Session) -> int:
    """List the kinds, tell an effect, or apply half-lives as one change."""
    from memtui.curate.decay import Knobs, apply, check_half_lives, effect, take_snapshot
    from memtui.curate.fields import kinds_in_use

    if arguments.here and session.view.project is None:
        raise UsageError("No single project is in view", remedy="Name one with --project, or leave out --here.")
    project = session.view.project if arguments.here else None
    snapshot = take_snapshot(session.vault, session.view.scope, threshold=session.config.review.threshold)
    wanted = dict(_wanted(change, snapshot, project) for change in arguments.change)
    if not wanted:
        _list(snapshot, project, session)
        return EXIT_DONE
    check_half_lives(wanted, snapshot, used=kinds_in_use(session.vault))
    usual = _usual(wanted, snapshot)
    found = effect(snapshot, Knobs(half_lives=usual))
    if arguments.dry_run:
        _tell(found, session)
        return EXIT_DONE
    session.back_up_daily()
    said = apply(session.vault, wanted, actor=session.actor)
    if session.json:
        write_json({"changed": list(wanted), **_record(found)})
    say(f"{said}; `memtui undo` takes it back")
    return EXIT_DONE


def _wanted(change: str, snapshot: Snapshot, project: str | None) -> tuple[str, float | None]:
    """Return under what name a half-life is kept, and the days; None for the one without it.

    Raises:
        UsageError: it is not KIND=TIME, or no verdict taught anything.
    """
    from memtui.domain.kinds import in_project
    from memtui.text.quantities import parse_duration

    kind, sign, value = change.partition("=")
    kind = kind.strip().lower()
    if not sign or not kind or not value.strip():
        raise UsageError("A half-life is written KIND=TIME", where=change, remedy="As in tooling=30d.")
    name = in_project(kind, project) if project else kind
    if value == DEFAULT:
        return name, None
    if value != LEARNED:
        return name, parse_duration(value)
    lesson = next((one.lesson for one in snapshot.kinds if one.name == kind), None)
    if lesson is None:
        raise UsageError(f"No verdict says anything of {kind} yet", where=change)
    return name, round(lesson.half_life_days, 1)


def _usual(wanted: dict[str, float | None], snapshot: Snapshot) -> dict[str, float]:
    """Return the half-lives in days that would be in force."""
    from memtui.domain.kinds import split_project

    days: dict[str, float] = {}
    for name, value in wanted.items():
        kind, project = split_project(name)
        plain = snapshot.in_force.without_stored() if project is None else snapshot.in_force
        days[name] = plain.get(kind).half_life_days if value is None else value
    return days


def _list(snapshot: Snapshot, project: str | None, session: Session) -> None:
    from memtui.curate.decay import Knobs, days_text

    rows = [(kind, snapshot.kind_half_life(kind.name, project, Knobs())) for kind in snapshot.kinds]
    if session.json:
        write_json([_kind_record(kind, days) for kind, days in rows])
        return
    write_table(
        [
            [
                kind.name,
                days_text(days),
                kind.origin,
                plural(kind.memories, "memory"),
                f"learned {kind.lesson} ({kind.lesson.expired:,} outdated)" if kind.lesson else "",
            ]
            for kind, days in rows
        ]
    )


def _kind_record(kind: KindNow, days: float) -> dict[str, Any]:
    lesson = kind.lesson
    return {
        "kind": kind.name,
        "half_life_days": days,
        "set_by": kind.origin,
        "memories": kind.memories,
        "learned_days": round(lesson.half_life_days, 1) if lesson else None,
        "verdicts": lesson.verdicts if lesson else 0,
        "outdated": lesson.expired if lesson else 0,
    }


def _record(found: Effect) -> dict[str, Any]:
    return {
        "due_before": found.before,
        "due_after": found.after,
        "entering": [one.id for one in found.entering],
        "leaving": [one.id for one in found.leaving],
    }


def _tell(found: Effect, session: Session) -> None:
    if session.json:
        write_json(_record(found))
    else:
        rows = [("+", one) for one in found.entering] + [("-", one) for one in found.leaving]
        write_table([[sign, one.id, one.kind, f"{one.before:.2f} → {one.after:.2f}", one.title] for sign, one in rows])
    say(f"due for review: {found.before:,} → {found.after:,}. Nothing was changed.")
