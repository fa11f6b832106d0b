"""Keep the inbox small: what folds away, what has waited too long or lost its files, and how it comes back."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from itertools import groupby

from memtui.curate.anchors import dead_anchors
from memtui.curate.bulk_changes import Batch, Outcome, Skipped, SkipReason, apply_to_each
from memtui.curate.inbox import Offer
from memtui.curate.views import by_memory
from memtui.domain.causes import WAITED_TOO_LONG
from memtui.domain.identity import Actor, require_person
from memtui.domain.memory import Memory
from memtui.text.words import counted
from memtui.tree import Tree
from memtui.vault.filters import MemoryFilter, Scope
from memtui.vault.reader import SourceState, VaultReader
from memtui.vault.source_texts import is_unstated
from memtui.vault.vault import Vault


class StaleCause(StrEnum):
    """Why a candidate is put away."""

    AGE = "age"
    """Nobody decided on it for so long; `Stale.detail` holds the days."""

    FILES = "files"
    """None of the files that it is tied to exists any more; `Stale.detail` names the first."""

    SOURCE = "source"
    """None of its sources states it any more; `Stale.detail` names the first."""


@dataclass(frozen=True, slots=True)
class Stale:
    """A candidate that is not worth a decision any more."""

    id: str
    version: int
    title: str
    cause: StaleCause
    detail: str


def folded_offers(offers: Iterable[Offer], most: int) -> dict[str, list[Offer]]:
    """Return, by source, the proposals beyond the surest so many of that source; none where `most` is 0.

    What was imported from a file of rules is one text that a person chose to read, and never folds.
    """
    found: dict[str, list[Offer]] = {}
    proposed = sorted((offer for offer in offers if offer.is_proposed), key=_source)
    for source, members in groupby(proposed, key=_source):
        rest = sorted(members, key=lambda offer: -offer.score)[most:]
        if most and rest:
            found[source] = rest
    return found


def _source(offer: Offer) -> str:
    """Return what proposals of one session, or of one proposer, share."""
    return offer.path or offer.origin


def stale_candidates(
    vault: Vault, wanted: MemoryFilter, days: int, here: Tree | None = None, *, unstated: bool = False
) -> list[Stale]:
    """Return the candidates that waited longer than so many days, or whose files are all gone from the tree.

    Args:
        wanted: candidates.
        days: 0 for any age.
        here: the working tree of the current folder.
        unstated: whether those count that their sources no longer state, as may be so on a branch alone.
    """
    now = vault.now()
    gone: defaultdict[str, set[str]] = defaultdict(set)
    for identifier, path in dead_anchors(vault, wanted, here):
        gone[identifier].add(path)
    with vault.read() as reader:
        waiting = reader.select(wanted, sort="created", now=now)
        seen = by_memory(reader.source_states([memory.id for memory in waiting])) if unstated else {}
    found = (_stale(memory, days, now, gone[memory.id], seen.get(memory.id, ())) for memory in waiting)
    return [stale for stale in found if stale is not None]


def _stale(memory: Memory, days: int, now: datetime, gone: set[str], seen: Iterable[SourceState]) -> Stale | None:
    paths = [anchor.path for anchor in memory.anchors]
    if paths and gone.issuperset(paths):
        return Stale(memory.id, memory.version, memory.title, StaleCause.FILES, paths[0])
    if is_unstated(memory, seen):
        place = next(source.path for source in memory.sources if source.path)
        return Stale(memory.id, memory.version, memory.title, StaleCause.SOURCE, place)
    waited = now - memory.updated_at
    if days and waited > timedelta(days=days):
        return Stale(memory.id, memory.version, memory.title, StaleCause.AGE, str(waited.days))
    return None


def put_away(vault: Vault, found: Sequence[Stale], *, actor: Actor) -> Outcome:
    """Take stale candidates out of the inbox as one change; they are not rejected and may be proposed again.

    What changed since it was found is left alone.
    """
    if not found:
        return Outcome()

    def step(_batch: Batch, memory: Memory) -> Memory | Skipped:
        if memory.status != "candidate":
            return Skipped(memory.id, SkipReason.NOT_CANDIDATE, memory.standing)
        return memory.put_out(WAITED_TOO_LONG)

    versions: Mapping[str, int] = {stale.id: stale.version for stale in found}
    return apply_to_each(
        vault,
        list(versions),
        actor,
        "expire",
        step,
        versions=versions,
        summary=lambda changed: (
            f"expire {counted(len(changed), 'candidate')} that waited too long or whose files are missing"
        ),
    )


def put_away_in(reader: VaultReader, scope: Scope, now: datetime) -> list[Memory]:
    """Return what was put away, the latest first."""
    retired = reader.select(MemoryFilter(scope=scope, statuses=("retired",)), sort="updated", now=now)
    return [memory for memory in retired if memory.put_out_by == WAITED_TOO_LONG]


def bring_back(vault: Vault, prefixes: Sequence[str], *, actor: Actor) -> Outcome:
    """Bring what was put away back into the inbox, where it waits anew.

    Raises:
        RefusedError: an agent cannot decide that.
        NotFoundError: an id is unknown.
    """
    require_person(actor, "bring candidates back")

    def step(_batch: Batch, memory: Memory) -> Memory | Skipped:
        if memory.put_out_by != WAITED_TOO_LONG:
            return Skipped(memory.id, SkipReason.HAS_STATUS, memory.standing)
        return memory.taken_up("candidate")

    return apply_to_each(vault, prefixes, actor, "bring back", step)
