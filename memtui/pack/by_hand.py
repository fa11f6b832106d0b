"""What a person ticked: memories left out of a payload that rank for it, and memories put in that do not."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from memtui.domain.memory import Memory
from memtui.recall.result import Hit, Recall, Withheld
from memtui.recall.score import Part
from memtui.recall.withholding import Reason
from memtui.vault.vault import Vault

LEFT_OUT = Reason("left out by you", "left out by you")
PUT_IN = "put in by you"


def with_ticks(vault: Vault, found: Recall, *, without: Collection[str], with_ids: Collection[str]) -> Recall:
    """Return a recall with a person's ticks applied; without ticks it is the same object.

    An id that is in both collections is left out. What was put in keeps its score, and ids that the vault
    does not hold are passed over: the memory may be gone since the tick was made.

    Args:
        vault: asked only for memories to put in that were not recalled.
        found: the recall.
        without: ids that must not go into the payload.
        with_ids: ids that go in before anything else, whatever stood against them, as far as the budget goes.
    """
    if not without and not with_ids:
        return found
    left_out = tuple(hit for hit in (*found.pins, *found.hits) if hit.memory.id in without)
    wanted = sorted(set(with_ids) - set(without))
    recalled = {hit.memory.id: hit for hit in (*found.pins, *found.hits)}
    missing = [identifier for identifier in wanted if identifier not in recalled]
    withheld = {one.id: one for one in found.withheld}
    fetched = _fetched(vault, missing, withheld)
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
        withheld=(
            *(LEFT_OUT.of(hit.memory, hit.relevance) for hit in left_out),
            *(one for one in found.withheld if one.id not in moved),
        ),
    )


def _less(hits: Iterable[Hit], moved: Collection[str]) -> tuple[Hit, ...]:
    return tuple(hit for hit in hits if hit.memory.id not in moved)


def _marked(hit: Hit) -> Hit:
    return replace(hit, reason=f"{PUT_IN}; {hit.reason}")


def _fetched(vault: Vault, identifiers: Sequence[str], withheld: dict[str, Withheld]) -> list[Hit]:
    """Return hits for memories that were not recalled, with the relevance they would have had."""
    if not identifiers:
        return []
    with vault.read() as reader:
        memories = reader.get_many(identifiers)
    return [_unranked(memory, withheld.get(memory.id)) for memory in memories.values()]


def _unranked(memory: Memory, known: Withheld | None) -> Hit:
    nearness = known.nearness if known else 0.0
    reason = f"{PUT_IN}; else {known.reason}" if known else PUT_IN
    part = Part("nearness", nearness, known.reason if known else "nothing ties it to the task", "term")
    return Hit(memory, nearness, nearness, (part,), reason)
