"""A snapshot of the vault for long passes: read in short leases, analysed outside them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from hashlib import blake2b

from memtui.domain.memory import Link, Memory, Verdict, content_hash

Pair = tuple[str, str]
"""Two ids, the smaller first."""

NOT_DUPLICATE = "not-duplicate"
NOT_CONTRADICTION = "not-conflict"
NOT_RELATED = "not-related"
NOT_RIPE = "not-ripe"
"""Verdicts on a pair: the one memory has the verdict, its reason names the other and the texts that were compared."""

PAIR_VERDICTS = frozenset({NOT_DUPLICATE, NOT_CONTRADICTION, NOT_RELATED, NOT_RIPE})
"""All verdicts on pairs."""


@dataclass(frozen=True, slots=True)
class Gathered:
    """Memories with what was already said of pairs of them.

    Attributes:
        links: links between any two.
        keys: internal key of each memory, for its vector.
    """

    memories: list[Memory]
    links: list[Link] = field(default_factory=list)
    dismissals: list[Verdict] = field(default_factory=list)
    keys: dict[str, int] = field(default_factory=dict)

    def dismissed(self, kind: str) -> set[Pair]:
        """Return the pairs that a person gave this verdict, as long as both texts are unchanged."""
        known = {memory.id: memory for memory in self.memories}
        found = set()
        for verdict in self.dismissals:
            other, _, fingerprint = verdict.reason.partition(" ")
            pair = pair_of(verdict.memory_id, other)
            here = verdict.verdict == kind and pair[0] in known and pair[1] in known
            if here and fingerprint == pair_fingerprint(known[pair[0]], known[pair[1]]):
                found.add(pair)
        return found


def pair_of(one: str, other: str) -> Pair:
    """Return two ids in order."""
    return (one, other) if one <= other else (other, one)


def pair_fingerprint(one: Memory, other: Memory) -> str:
    """Return what stands for the texts of two memories: 16 hex characters of BLAKE2b over their content hashes."""
    hashes = sorted((content_hash(one), content_hash(other)))
    return blake2b("".join(hashes).encode(), digest_size=8).hexdigest()


def by_project(memories: Iterable[Memory]) -> dict[str | None, list[Memory]]:
    """Return memories by project, None for the unassigned."""
    found: dict[str | None, list[Memory]] = {}
    for memory in memories:
        found.setdefault(memory.project, []).append(memory)
    return found
