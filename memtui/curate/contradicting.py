"""What a person should know of a payload before it is used: memories in it that contradict each other or steer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from memtui.curate.conflicts import Conflict, find_conflicts, linked_conflicts, settled_pairs
from memtui.curate.gathering import PAIR_VERDICTS, Gathered, pair_of
from memtui.curate.pass_cache import PassCache
from memtui.domain.memory import Memory
from memtui.pack.by_hand import PUT_IN
from memtui.pack.packing import Pack
from memtui.text.imperatives import ordering_line
from memtui.vault.vault import Vault

MOST_COMPARED = 60
"""Memories of a payload that are compared with each other: no usual payload holds more, and they take 10 ms."""

SHOWN_TITLE = 50
"""Characters of a title in a warning."""

SHOWN_PAIRS = 3
"""Contradictions that a warning names; the others are a number."""


_READ = PassCache()
"""Readings of texts: while a task is typed the same memories are compared again and again, 6 ms instead of 9 for 37."""

MOST_KEPT = 5_000
"""Texts whose readings are kept."""


@dataclass(frozen=True, slots=True)
class InPayload:
    """Two memories of one payload that contradict each other, as `memtui tidy` would propose them.

    Attributes:
        conflict: what clashes, the older memory first.
        titles: of both memories.
    """

    conflict: Conflict
    titles: tuple[str, str]

    @property
    def words(self) -> str:
        """Both memories with what clashes: `Lock refunds [k3x9abcd] 30 s against Lock key [o6j6sc7w] 60 s`."""
        sides = zip(self.titles, self.conflict.ids, self.conflict.words, strict=True)
        return " against ".join(f"{title[:SHOWN_TITLE]} [{one}] {word}".rstrip() for title, one, word in sides)

    @property
    def record(self) -> dict[str, Any]:
        """It for `context --json`."""
        return {"ids": list(self.conflict.ids), "type": self.conflict.type, "why": self.conflict.why}


def clashes_in(vault: Vault, pack: Pack) -> tuple[InPayload, ...]:
    """Return the contradictions among the memories of a payload that no person settled; the vault stays as it is.

    Args:
        vault: asked for links and verdicts, and only where something clashes or was put in by hand.
        pack: the payload.
    """
    # Of what is in the payload although it was replaced, the payload says so itself.
    included = [one for one in pack.included if not one.status][:MOST_COMPARED]
    memories = sorted((one.hit.memory for one in included), key=lambda memory: (memory.created_at, memory.id))
    if len(_READ.clauses) > MOST_KEPT:
        _READ.turn()
        _READ.end()
    # Texts alone decide most payloads, without a look at the vault: that takes 20 ms.
    clashing = find_conflicts(Gathered(memories), cache=_READ)
    put_in = {one.hit.memory.id for one in included if one.reason.startswith(PUT_IN)}
    ids = sorted({*put_in, *(identifier for conflict in clashing for identifier in conflict.ids)})
    if not ids:
        return ()
    with vault.read() as reader:
        links = reader.links(ids)
        verdicts = [one for one in reader.verdicts(ids) if one.verdict in PAIR_VERDICTS]
    gathered = Gathered(memories, links, verdicts)
    settled = settled_pairs(gathered)
    titles = {memory.id: memory.title for memory in memories}
    found = {one.ids: one for one in clashing if pair_of(*one.ids) not in settled}
    found |= {one.ids: one for one in linked_conflicts(gathered, cache=_READ)}
    return tuple(InPayload(conflict, (titles[ids[0]], titles[ids[1]])) for ids, conflict in sorted(found.items()))


def clashes_words(clashes: tuple[InPayload, ...]) -> str:
    """Return contradictions of a payload in one line with what settles them; empty where there are none."""
    if not clashes:
        return ""
    number = len(clashes)
    named = "; ".join(one.words for one in clashes[:SHOWN_PAIRS])
    more = f"; and {number - SHOWN_PAIRS} more" if number > SHOWN_PAIRS else ""
    settled = "it" if number == 1 else "them"
    return f"{clashes_count(clashes)} in this payload: {named}{more}; memtui tidy settles {settled}"


def clashes_count(clashes: tuple[InPayload, ...]) -> str:
    """Return how many contradictions there are, in words: `2 possible contradictions`."""
    return f"{len(clashes)} possible contradiction{'' if len(clashes) == 1 else 's'}"


def steering_in(pack: Pack) -> Mapping[str, str]:
    """Return why memories of a payload could steer an assistant, by id: of those that nobody lets in by themselves.

    These are what a person put in by hand and what waits in the inbox; an order is told of where the memory is not
    in use, since whoever confirmed one has read it.
    """
    found = {}
    for one in pack.included:
        if one.status or one.reason.startswith(PUT_IN):
            words = _steering(one.hit.memory)
            if words:
                found[one.memory.id] = words
    return found


def _steering(memory: Memory) -> str:
    from memtui.curate.lifecycle import planted_reasons

    planted = planted_reasons(memory)
    if planted:
        return f"looks planted: {planted[0]}"
    text = f"{memory.title}\n{memory.insight}"
    orders = memory.status != "active" and ordering_line(text) is not None
    return "holds orders to an assistant" if orders else ""
