"""Commands that act on all that a query chooses: what `--where` of `edit`, `verify` and `retire` shares."""

from __future__ import annotations

import argparse

from memtui.cli.output import plural, say, write_json, write_line
from memtui.cli.session import Session
from memtui.curate.outcomes import Outcome
from memtui.errors import NotFoundError, UsageError
from memtui.wording.outcomes import skip_reason

SINGLE_OPTIONS = (
    *("title", "text", "why", "snippet", "add_file", "remove_file", "confidence", "valid_until", "move_to"),
    "if_version",
)
"""Options of `edit` that speak of one memory."""


def chosen(arguments: argparse.Namespace, session: Session) -> dict[str, int]:
    """Return the ids and versions that `--where` chooses; empty where ids are given.

    Raises:
        UsageError: both are given, or neither, or the query says nothing.
        NotFoundError: the query chooses nothing.
    """
    query = getattr(arguments, "where", None)
    if bool(arguments.id) == (query is not None):
        raise UsageError("Give ids, or a query with --where", remedy=f"See `memtui {arguments.command} --help`.")
    if query is None:
        return {}
    from memtui.curate.query import chosen_by, parse_choice
    from memtui.vault.filters import MemoryFilter

    base = MemoryFilter(scope=session.view.listing_scope, threshold=session.config.review.threshold)
    found = chosen_by(session.vault, parse_choice(query, session.kinds, session.vault.now()), base)
    if not found:
        raise NotFoundError("No memory fits this query", where=query, remedy="`memtui list --where` shows what fits.")
    return found


def edit_many(arguments: argparse.Namespace, session: Session, half_life_days: float | None) -> None:
    """Change the tags, kind, half-life or importance of all that `--where` chooses, as one change.

    Args:
        half_life_days: the half-life that was asked for; None where `--half-life` says `kind`.

    Raises:
        UsageError: an option speaks of one memory, or none says what to change.
        NotFoundError: the query chooses nothing.
    """
    from memtui.curate.fields import named_tags
    from memtui.curate.lifecycle import KIND_HALF_LIFE, change_many

    single = next((name for name in SINGLE_OPTIONS if getattr(arguments, name)), None)
    if single is not None:
        option = f"--{single.replace('_', '-')}"
        raise UsageError("This option edits one memory at a time", where=option, remedy="Leave it out, or give an id.")
    versions = chosen(arguments, session)
    session.back_up_daily()
    outcome = change_many(
        session.vault,
        versions,
        actor=session.actor,
        add_tags=named_tags(arguments.add_tag),
        remove_tags=named_tags(arguments.remove_tag),
        kind=arguments.kind,
        half_life_days=None if arguments.half_life is None else half_life_days or KIND_HALF_LIFE,
        importance=arguments.importance,
    )
    tell(session, outcome, "edited")


def tell(session: Session, outcome: Outcome, done: str) -> None:
    """Print the ids that were changed, and say how many were and which were skipped."""
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
        back = "; `memtui undo` takes it back" if outcome.changed else ""
        say(f"{done}: {plural(len(outcome.changed), 'memory')}{back}")
    for each in outcome.skipped:
        say(f"{each.id} skipped: {skip_reason(each)}")
