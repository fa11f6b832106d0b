"""Find what a team does not have yet: the net state of what was changed here, never the journal itself."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from memtui.domain.causes import PURGED
from memtui.domain.identity import PERSON
from memtui.domain.record import Record
from memtui.sync.carrier import Accepted, Held, Outgoing
from memtui.sync.local import Local, all_things, kin_of, read_local, touched_things
from memtui.sync.wire import MEMORY, TOMBSTONE, about, digest, memories_of, named, orders_purge
from memtui.vault.reader import VaultReader
from memtui.vault.rows import SYNC
from memtui.vault.teams import (
    Head,
    Share,
    Team,
    Thing,
    Touched,
    has_purged,
    head_keys,
    newest_change,
    put_heads,
    put_share,
    read_heads,
    read_orders,
    touched_since,
)
from memtui.vault.text_search import Patterns, secrets_in, without_values
from memtui.vault.writer import VaultWriter


@dataclass(slots=True)
class Batch:
    """What is to be pushed of one project."""

    items: list[Outgoing] = field(default_factory=list)
    held: list[Held] = field(default_factory=list)
    waiting: set[Thing] = field(default_factory=set)  # to be looked at again the next time
    kept_from: int = 0  # memories that were purged here, and that one may not purge there
    is_whole: bool = False  # whether everything was looked at, rather than what was changed lately
    upto: int = 0  # the change of the journal up to which was looked


def collect(reader: VaultReader, team: Team, share: Share, patterns: Patterns, *, may_purge: bool = True) -> Batch:
    """Return what the team does not have yet.

    `patterns`: the user's own patterns of secrets. `may_purge`: whether what was purged here is to be purged by
    everybody, or only here.
    """
    is_whole = share.pushed is None or has_purged(reader, share.pushed)
    batch = Batch(upto=newest_change(reader), is_whole=is_whole)
    touched = _looked_at(reader, team, share, is_whole=is_whole)
    local = read_local(reader, share, team.person, touched)
    heads = read_heads(reader, share, touched)
    ends = read_heads(reader, share, [(MEMORY, identifier) for identifier in about(touched)])
    erased = set() if may_purge else _erased(reader)
    ordered = {order.memory_id for order in read_orders(reader, team.id)}
    leaving = _Leaving(local, ends, frozenset(share.waiting), team.proposes)
    for thing in sorted(touched, key=lambda one: (one[0] != MEMORY, one)):
        record, head = local.records.get(thing), heads.get(thing)
        if _is_known(thing, record, head):
            continue
        if erased.intersection(memories_of(thing)):
            batch.kept_from += thing[0] == MEMORY
            continue
        if ordered.intersection(memories_of(thing)):
            batch.waiting.add(thing)
            continue
        if not leaving.holds(thing, record):
            continue
        fields = secrets_in(record, patterns) if record is not None else {}
        if fields:
            batch.held.append(_held(thing, fields))
            batch.waiting.add(thing)
            continue
        batch.items.append(_outgoing(thing, record, head, touched.get(thing), team, patterns))
    return batch


def _is_known(thing: Thing, record: Record | None, head: Head | None) -> bool:
    """Return whether the team has a thing as it is here, or a tombstone of the same text, made on another machine."""
    if digest(record) == (head.hash if head else None):
        return True
    return thing[0] == TOMBSTONE and record is not None and head is not None and head.hash is not None


def _held(thing: Thing, fields: Collection[str]) -> Held:
    return Held((memories_of(thing) or [thing[1]])[0], tuple(fields))


def _looked_at(reader: VaultReader, team: Team, share: Share, *, is_whole: bool) -> dict[Thing, Touched | None]:
    """Return the things that may differ from what the team has, with their last change where it is known."""
    found: dict[Thing, Touched | None] = dict.fromkeys(share.waiting)
    if is_whole:
        found |= dict.fromkeys(all_things(reader, share, team.person))
        found |= dict.fromkeys(head_keys(reader, share))
        found |= dict.fromkeys(purges(reader, share))
    if share.pushed is not None:
        touched = touched_things(touched_since(reader, share.pushed), share, team.person)
        found |= touched
        identifiers = {key for entity, key in touched if entity == MEMORY}
        found |= {thing: found.get(thing) for thing in kin_of(reader, share, team.person, identifiers)}
    return found


def _erased(reader: VaultReader) -> set[str]:
    """Return the ids of memories that were purged here."""
    return {stone.memory_id for stone in reader.tombstones() if stone.cause == PURGED}


def purges(reader: VaultReader, share: Share) -> set[Thing]:
    """Return the tombstones of what was purged here."""
    return {
        (TOMBSTONE, f"{stone.memory_id} {stone.content_hash}")
        for stone in reader.tombstones()
        if stone.cause == PURGED and stone.project == share.project
    }


@dataclass(frozen=True, slots=True)
class _Leaving:
    """Decides what may leave: no candidate, nothing that was never accepted, and nothing that hangs on these."""

    local: Local
    ends: Mapping[Thing, Head]  # what the team knows of the memories that things are about
    asked: frozenset[Thing]  # what the share has waiting
    proposes: bool

    def holds(self, thing: Thing, record: Record | None) -> bool:
        """Return whether a thing leaves this machine. `record`: as on the wire, None for what was removed here."""
        entity, key = thing
        if record is None:
            return True
        if entity == MEMORY:
            return self._memory_leaves(key)
        if entity == TOMBSTONE and orders_purge(record):
            return thing in self.asked or all((MEMORY, identifier) in self.ends for identifier in memories_of(thing))
        return all(self._is_shared(identifier) or self._memory_leaves(identifier) for identifier in memories_of(thing))

    def _is_shared(self, identifier: str) -> bool:
        head = self.ends.get((MEMORY, identifier))
        return head is not None and head.hash is not None

    def _memory_leaves(self, identifier: str) -> bool:
        memory = self.local.memories.get(identifier)
        if memory is None or (memory.status == "candidate" and not self.proposes):
            return False
        is_rejected = memory.status == "retired" and memory.confirmed_at is None
        return not is_rejected or self._is_shared(identifier)


def _outgoing(
    thing: Thing, record: Record | None, head: Head | None, touched: Touched | None, team: Team, patterns: Patterns
) -> Outgoing:
    summary = without_values(touched.summary, patterns) if touched else ""
    return Outgoing(
        thing=thing,
        base=head.seq if head else 0,
        record=record,
        actor=named(touched.actor if touched else PERSON, team.person),
        action=touched.action if touched else SYNC,
        summary=summary,
        at=touched.at if touched else None,
    )


def note_pushed(
    writer: VaultWriter, share: Share, items: Sequence[Outgoing], accepted: Accepted, *, batch: Batch | None = None
) -> Share:
    """Store that the team has these things now; returns the share as it is then.

    `batch`: what the items are the last part of, where nothing of it is left to be pushed.
    """
    heads = {item.thing: Head(accepted.seqs.get(item.thing, 0), digest(item.record)) for item in items}
    put_heads(writer, share, heads)
    pushed = share
    if accepted.cursor is not None:
        pushed = replace(pushed, cursor=accepted.cursor)
    if batch is not None:
        pushed = replace(pushed, pushed=batch.upto, waiting=tuple(sorted(batch.waiting)))
    if pushed != share:
        put_share(writer, pushed)
    return pushed
