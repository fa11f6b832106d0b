"""What a team sends that is looked at first: texts that may be planted, and purges, shown before they run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Future
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import chain

from memtui.children import child_pool
from memtui.domain.memory import Memory, content_hash, new_id, planted_reasons
from memtui.domain.record import Record
from memtui.sync.carrier import Page
from memtui.sync.local import hand_over, kin_of
from memtui.sync.wire import MEMORY, digest, memory_from_wire, memory_to_wire
from memtui.vault.purge import PurgeReport, purge_memories
from memtui.vault.reader import VaultReader
from memtui.vault.rows import SYNC
from memtui.vault.source_texts import ERASURE_PLACE, SourceText, Texts, put_source_texts, source_texts
from memtui.vault.teams import (
    Head,
    PurgeOrder,
    Share,
    Team,
    Thing,
    drop_orders,
    put_heads,
    put_share,
    read_heads,
    read_orders,
    read_shares,
)
from memtui.vault.text_search import MARK
from memtui.vault.vault import Vault
from memtui.vault.writer import VaultWriter

ERASED = Texts(MARK, MARK)


@dataclass(slots=True)
class Orders:
    """What becomes of the orders of a team."""

    waiting: list[PurgeOrder] = field(default_factory=list)  # may be run
    contested: list[PurgeOrder] = field(default_factory=list)  # wait for a decision on an edit
    kept: list[PurgeOrder] = field(default_factory=list)  # a person kept the memory
    done: list[PurgeOrder] = field(default_factory=list)  # nothing is left to erase


def sort_orders(reader: VaultReader, team: Team) -> Orders:
    """Return the orders of a team by what becomes of them."""
    found = Orders()
    orders = read_orders(reader, team.id)
    if not orders:
        return found
    shares = {share.project: share for share in read_shares(reader, team.id)}
    ids = [order.memory_id for order in orders]
    memories, journaled = reader.get_many(ids), reader.ids_in_journal(ids)
    asked = {text.memory_id for text in source_texts(reader, ids) if text.is_erasure}
    for order in orders:
        memory, share = memories.get(order.memory_id), shares.get(order.project)
        if memory is None:
            (found.waiting if order.memory_id in journaled else found.done).append(order)
        elif content_hash(memory) == ERASED.hash:
            found.waiting.append(order)
        elif order.memory_id in asked:
            decided = any(source.path == ERASURE_PLACE for source in memory.sources)
            (found.kept if decided else found.contested).append(order)
        elif share is not None and _is_edited(reader, share, memory, team.person):
            found.contested.append(order)
        else:
            found.waiting.append(order)
    return found


def _is_edited(reader: VaultReader, share: Share, memory: Memory, person: str) -> bool:
    """Return whether a memory says something that the team never had; its order came with the last known state."""
    head = read_heads(reader, share, [(MEMORY, memory.id)]).get((MEMORY, memory.id))
    return head is not None and head.hash not in {None, digest(memory_to_wire(memory, person))}


def settle_orders(writer: VaultWriter, team: Team, orders: Orders) -> None:
    """Ask about contested memories under `inbox conflicts`, state kept ones anew, and forget what is done."""
    texts = [
        SourceText(
            memory_id=order.memory_id,
            path=ERASURE_PLACE,
            native_id=order.memory_id,
            span=None,
            base=None,
            stated=ERASED,
            seen_hash=ERASED.hash,
            seen_at=writer.now,
        )
        for order in orders.contested
    ]
    put_source_texts(writer, texts)
    _state_anew(writer, team, [order.memory_id for order in orders.kept])
    drop_orders(writer, [order.memory_id for order in orders.done])


def _state_anew(writer: VaultWriter, team: Team, kept: Sequence[str]) -> None:
    """Give memories that a person kept a new id, which everybody takes: the erased one stays erased everywhere."""
    anew: dict[str | None, set[Thing]] = {}
    for old in writer.get_many(kept).values():
        sources = tuple(source for source in old.sources if source.path != ERASURE_PLACE)
        new = writer.put(replace(old, id=new_id(), sources=sources))
        hand_over(writer, old.id, new.id)
        anew.setdefault(new.project, set()).add((MEMORY, new.id))
    for share in read_shares(writer, team.id) if anew else ():
        things = anew.get(share.project, set())
        things |= kin_of(writer, share, team.person, [identifier for _, identifier in things])
        put_share(writer, replace(share, waiting=tuple(sorted({*share.waiting, *things}))))


def run_orders(vault: Vault, orders: Sequence[PurgeOrder]) -> PurgeReport:
    """Erase what a team ordered to be purged, with all its history. Raises as `purge_memories`."""
    report = purge_memories(vault, [order.memory_id for order in orders])
    with vault.write(actor="team", action=SYNC) as writer:
        drop_orders(writer, [order.memory_id for order in orders])
        for share in [share for team in {order.team for order in orders} for share in read_shares(writer, team)]:
            _note_erased(writer, share, orders)
    return report


def _note_erased(writer: VaultWriter, share: Share, orders: Sequence[PurgeOrder]) -> None:
    """Store that the team has no longer what it ordered to be purged."""
    things = [
        (MEMORY, order.memory_id) for order in orders if (order.team, order.project) == (share.team, share.project)
    ]
    known = read_heads(writer, share, things) if things else {}
    put_heads(writer, share, {thing: Head(head.seq, None) for thing, head in known.items()})


MANY_THINGS = 500
"""Things of the first page from which a child is worth its start, about a second; fewer are looked at as they come."""


def judged(pages: Iterable[Page], project: str | None, now: datetime) -> Iterator[Page]:
    """Yield pages with the ids of the memories in them that look planted, unless there is only little to look at."""
    coming = iter(pages)
    first = next(coming, None)
    if first is None:
        return
    pages = chain([first], coming)
    yield from _judged_ahead(pages, project, now) if len(first.things) >= MANY_THINGS else pages


def _judged_ahead(pages: Iterable[Page], project: str | None, now: datetime) -> Iterator[Page]:
    with child_pool(1) as child:
        before: Iterable[Page] = ()
        for page in pages:
            memories = [
                (one.thing[1], one.record) for one in page.things if one.thing[0] == MEMORY and one.record is not None
            ]
            asked: Future[frozenset[str]] | None = None
            with suppress(BrokenExecutor):  # without a child they are looked at as they are taken
                asked = child.submit(planted_among, memories, project, now)
            yield from before
            before = _with_answer(page, asked)
        yield from before


def _with_answer(page: Page, asked: Future[frozenset[str]] | None) -> Iterator[Page]:
    planted: frozenset[str] | None = None
    with suppress(BrokenExecutor):
        planted = asked.result() if asked is not None else None
    yield replace(page, planted=planted)


def planted_among(memories: Sequence[tuple[str, Record]], project: str | None, now: datetime) -> frozenset[str]:
    """Return the ids of those memories, as they are on the wire, that look planted; what makes none is left out."""
    found = set()
    for identifier, record in memories:
        with suppress(ValueError, TypeError):
            if planted_reasons(memory_from_wire(record, identifier, project, now)):
                found.add(identifier)
    return frozenset(found)
