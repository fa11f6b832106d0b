"""Memories that a person put into or left out of a payload."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from datetime import datetime

from memtui.domain.memory import Memory
from memtui.domain.reasons import Reason, ReasonCode
from memtui.pack.options import PackOptions
from memtui.recall.eligibility import outside_valid_time
from memtui.recall.result import Hit, Recall, Withheld
from memtui.recall.score import Part
from memtui.vault.vault import Vault

LEFT_OUT, PUT_IN = Reason(ReasonCode.LEFT_OUT), Reason(ReasonCode.PUT_IN)


def with_ticks(vault: Vault, found: Recall, options: PackOptions, *, at: datetime | None = None) -> Recall:
    """Return a recall with a person's ticks applied; without ticks it is the same object.

    An id that is in both collections is left out. What was put in keeps its score, and ids that the vault
    does not hold are passed over: the memory may be gone since the tick was made.

    Args:
        vault: asked only for memories to put in that were not recalled.
        options: the ids that must not go in, and those that go in before anything else whatever stood against them.
        at: the moment at which they must be valid, None for now.
    """
    without, with_ids = options.without, options.with_ids
    if not without and not with_ids:
        return found
    left_out = tuple(hit for hit in (*found.pins, *found.hits) if hit.memory.id in without)
    wanted = sorted(set(with_ids) - set(without))
    recalled = {hit.memory.id: hit for hit in (*found.pins, *found.hits)}
    missing = [identifier for identifier in wanted if identifier not in recalled]
    withheld = {one.id: one for one in found.withheld}
    fetched, statuses = _fetched(vault, missing, withheld, at or vault.now())
    put_in = sorted(
        [*(_marked(recalled[identifier]) for identifier in wanted if identifier in recalled), *fetched],
        key=lambda hit: (-hit.score, hit.memory.created_at, hit.memory.id),
    )
    moved = {*without, *(hit.memory.id for hit in put_in)}
    return replace(
        found,
        pins=_less(found.pins, moved),
        hits=_less(found.hits, moved),
        put_in=tuple(put_in),
        left_out=left_out,
        statuses={**found.statuses, **statuses},
        withheld=(
            *(Withheld.of(hit.memory, LEFT_OUT, hit.relevance) for hit in left_out),
            *(one for one in found.withheld if one.id not in moved),
        ),
    )


def _less(hits: Iterable[Hit], moved: Collection[str]) -> tuple[Hit, ...]:
    return tuple(hit for hit in hits if hit.memory.id not in moved)


def _marked(hit: Hit) -> Hit:
    return replace(hit, reasons=(PUT_IN, *hit.reasons))


def _fetched(
    vault: Vault, identifiers: Sequence[str], withheld: dict[str, Withheld], at: datetime
) -> tuple[list[Hit], dict[str, Reason]]:
    """Return hits for memories that were not recalled, with the relevance they would have had, and their statuses."""
    if not identifiers:
        return [], {}
    with vault.read() as reader:
        memories = reader.get_many(identifiers)
        links = [link for link in reader.links(memories) if link.type == "supersedes" and link.to_id in memories]
        replacing = reader.get_many({link.from_id for link in links})
    # Whoever comes last replaced it last. One that is still in use is replaced by such alone.
    successors = {
        link.to_id: link.from_id
        for link in links
        if memories[link.to_id].status != "active" or _is_in_use(replacing.get(link.from_id))
    }
    statuses = {one.id: reason for one in memories.values() if (reason := _status(one, successors.get(one.id), at))}
    return [_unranked(memory, withheld.get(memory.id)) for memory in memories.values()], statuses


def _is_in_use(memory: Memory | None) -> bool:
    return memory is not None and memory.status == "active"


def _status(memory: Memory, successor: str | None, at: datetime) -> Reason | None:
    """Return why a memory is not in use; None where it is, or where its own status says all."""
    if memory.status in {"active", "superseded"} and successor:
        return Reason(ReasonCode.SUPERSEDED, other=successor)
    if memory.status == "merged" and successor:
        return Reason(ReasonCode.MERGED, other=successor)
    return outside_valid_time(memory, at) if memory.status == "active" else None


def _unranked(memory: Memory, known: Withheld | None) -> Hit:
    nearness = known.nearness if known else 0.0
    reason = known.reason if known else Reason(ReasonCode.UNRELATED)
    part = Part("nearness", nearness, reason, "term")
    put_in = replace(PUT_IN, because=(reason,)) if known else PUT_IN
    return Hit(memory, nearness, nearness, (part,), (put_in,))
