"""What keeps the inbox small: `memtui inbox expire`, `expired`, `back`, `conflicts`, `keep` and `take`."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from memtui.cli.output import say, write_line, write_table
from memtui.cli.session import Session
from memtui.text.sanitize import one_line
from memtui.text.words import counted, some_of
from memtui.vault.filters import MemoryFilter
from memtui.wording import outcomes, syncing

if TYPE_CHECKING:
    from memtui.capture.source_conflicts import Side, SourceConflict
    from memtui.curate.inbox import Offer


def waiting_in(session: Session, *, with_unassigned: bool) -> MemoryFilter:
    """Return the filter of the candidates in view."""
    from memtui.curate.lifecycle import waiting

    return waiting(session.view.scope, with_unassigned=with_unassigned)


def folded(session: Session, offers: Sequence[Offer]) -> dict[str, list[Offer]]:
    """Return the proposals that a list leaves out, by source."""
    from memtui.curate.inbox_care import folded_offers

    return folded_offers(offers, session.config.inbox.most)


def expire(arguments: argparse.Namespace, session: Session) -> None:
    """Put away candidates that nobody decided on for `inbox.days`, and those whose files or source text are gone.

    They are not rejected: `inbox expired` lists them, `inbox back ID` and `undo` bring them back.
    """
    from memtui.curate.inbox_care import put_away, stale_candidates

    wanted = waiting_in(session, with_unassigned=session.project is None)
    found = stale_candidates(session.vault, wanted, session.config.inbox.days, session.view.tree, unstated=True)
    if arguments.dry_run:
        rows = ([stale.id, outcomes.stale_words(stale), stale.title] for stale in found)
        records = ({"id": one.id, "cause": one.cause.value, "detail": one.detail, "title": one.title} for one in found)
        session.put_rows(records, rows)
        if not session.json:
            say(f"Dry run: would expire {counted(len(found), 'candidate')}. Nothing was changed.")
        return
    if found:
        session.back_up_daily()
    session.put_outcome(put_away(session.vault, found, actor=session.actor), "Put away")


def expired(_arguments: argparse.Namespace, session: Session) -> None:
    """List what was put away, the latest first."""
    from memtui.curate.inbox_care import put_away_in
    from memtui.vault.filters import Scope

    scope = Scope(session.view.scope.projects, with_unassigned=True)
    with session.vault.read() as reader:
        found = put_away_in(reader, scope, session.vault.now())
    rows = ([memory.id, memory.kind, memory.project or "unassigned", memory.title] for memory in found)
    records = ({"id": one.id, "kind": one.kind, "project": one.project, "title": one.title} for one in found)
    session.put_rows(records, rows)
    if not session.json:
        say(f"{counted(len(found), 'candidate')} expired. `memtui inbox back ID…` restores them.")


def back(arguments: argparse.Namespace, session: Session) -> None:
    """Bring what was put away back into the inbox."""
    from memtui.curate.inbox_care import bring_back

    session.back_up_daily()
    session.put_outcome(bring_back(session.vault, arguments.id, actor=session.actor), "Back in the inbox")


SHOWN_CHARACTERS = 200
SHOWN_PROJECTS = 4

_CONFLICT_FIELDS = {"insight": "", "title": "title: ", "rationale": "why: ", "snippet": "snippet: "}


def list_conflicts(arguments: argparse.Namespace, session: Session) -> None:
    """Print what was edited both here and in its source."""
    from memtui.capture.source_conflicts import conflict_record, open_conflicts

    scope = waiting_in(session, with_unassigned=session.project is None).scope
    with session.vault.read() as reader:
        everywhere = open_conflicts(reader)
        found = [conflict for conflict in everywhere if scope.holds(conflict.memory.project)]
    if session.json:
        session.put([conflict_record(conflict) for conflict in found])
        return
    for conflict in found:
        _write_conflict(conflict)
    elsewhere = Counter(one.memory.project for one in everywhere if one not in found)
    more = [f"{number} {_in_project(project)}" for project, number in elsewhere.most_common()]
    if found or not more:
        say(
            f"{syncing.conflicts_with(len(found), sum(one.text.is_team for one in found))}. {_ways(found)}"
            if found
            else "No source conflicts."
        )
    if more:
        say(f"Source conflicts elsewhere: {some_of(more, SHOWN_PROJECTS, ', ')}")


def _write_conflict(conflict: SourceConflict) -> None:
    memory, text = conflict.memory, conflict.text
    place = f"{text.path}:{text.span[0]}" if text.span else text.path
    write_table([[memory.id, memory.kind, memory.project or "unassigned", place, memory.title]])
    names = _sides(conflict)
    for field, label in _CONFLICT_FIELDS.items():
        here, there = getattr(memory, field), getattr(text.stated, field)
        if here == there:
            continue
        for name, side in zip(names, (here, there), strict=True):
            write_line(f"    {name:<7}{label}{one_line(side)[:SHOWN_CHARACTERS] or '(empty)'}")


def _sides(conflict: SourceConflict) -> tuple[str, str]:
    """Return whose texts a conflict is between: what `keep` leaves, and what `take` takes."""
    if conflict.text.is_erasure:
        return ("yours", "team")
    return ("team", "yours") if conflict.text.is_team else ("mine", "source")


def _ways(found: Sequence[SourceConflict]) -> str:
    """Return how conflicts are settled, and whose text each way leaves."""
    sides = {_sides(conflict) for conflict in found}
    upper, lower = ("the upper text", "the lower text") if len(sides) > 1 else (_WHOSE[side] for side in sides.pop())
    return f"`memtui inbox keep ID…` leaves {upper}, `memtui inbox take ID…` takes {lower}."


_WHOSE = {
    "team": "the team's text",
    "yours": "your text",
    "mine": "what the memory says",
    "source": "what its source says",
}


def _in_project(project: str | None) -> str:
    return f"in project {project} (--project {project})" if project else "without a project (--all-projects)"


def keep_mine(arguments: argparse.Namespace, session: Session) -> None:
    """Settle conflicts with what the memory says, or the team's text."""
    _settle_conflicts(arguments, session, "mine")


def take_theirs(arguments: argparse.Namespace, session: Session) -> None:
    """Settle conflicts with what the source says, or one's own text beside the team's."""
    _settle_conflicts(arguments, session, "source")


def _settle_conflicts(arguments: argparse.Namespace, session: Session, side: Side) -> None:
    from memtui.capture.source_conflicts import open_conflicts, resolve_conflicts

    session.back_up_daily()
    with session.vault.read() as reader:
        chosen = [*map(reader.resolve, arguments.id)]
        whose = {
            conflict.memory.id: _sides(conflict)[side == "source"]
            for conflict in open_conflicts(reader, identifiers=chosen)
        }
    outcome = resolve_conflicts(
        session.vault,
        arguments.id,
        side,
        actor=session.actor,
        allow_secret=getattr(arguments, "allow_secret", False),
        secret_patterns=session.secret_patterns,
    )
    session.put_outcome(outcome, "Settled")
    for name in dict.fromkeys(whose[memory.id] for memory in outcome.changed if memory.id in whose):
        say(f"What stays: {_WHOSE[name]}.")
