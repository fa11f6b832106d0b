"""What keeps the inbox small: `memtui inbox expire`, `expired` and `back`, and what its list folds."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from memtui.cli.output import say
from memtui.cli.session import Session
from memtui.text.words import counted
from memtui.vault.filters import MemoryFilter
from memtui.wording import outcomes

if TYPE_CHECKING:
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
    """Put away candidates that nobody decided on for `inbox.days`, and those whose files are all gone.

    They are not rejected: `inbox expired` lists them, `inbox back ID` and `undo` bring them back.
    """
    from memtui.curate.inbox_care import put_away, stale_candidates

    wanted = waiting_in(session, with_unassigned=session.project is None)
    found = stale_candidates(session.vault, wanted, session.config.inbox.days, session.view.tree)
    if arguments.dry_run:
        rows = ([stale.id, outcomes.stale_words(stale), stale.title] for stale in found)
        records = ({"id": one.id, "cause": one.cause.value, "detail": one.detail, "title": one.title} for one in found)
        session.put_rows(records, rows)
        if not session.json:
            say(f"Dry run: would put away {counted(len(found), 'candidate')}. Nothing was changed.")
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
        say(f"{counted(len(found), 'candidate')} put away. `memtui inbox back ID…` brings them back.")


def back(arguments: argparse.Namespace, session: Session) -> None:
    """Bring what was put away back into the inbox."""
    from memtui.curate.inbox_care import bring_back

    session.back_up_daily()
    session.put_outcome(bring_back(session.vault, arguments.id, actor=session.actor), "Back in the inbox")
