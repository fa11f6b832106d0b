"""A snapshot of the vault for long passes: read in short leases, analysed outside them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import TYPE_CHECKING

from memtui.domain.memory import Link, Memory, Verdict, content_hash
from memtui.vault.filters import MemoryFilter
from memtui.vault.vault import Vault

if TYPE_CHECKING:
    from memtui.progress import ProgressCallback

WINDOW = 1_500
"""Memories read under one lease: about 100 ms on two cores, well under the 250 ms that a lease may last."""

Pair = tuple[str, str]
"""Two ids, the smaller first."""

NOT_DUPLICATE = "not-duplicate"
NOT_CONFLICT = "not-conflict"
NOT_RELATED = "not-related"
NOT_RIPE = "not-ripe"
"""Verdicts on a pair: the one memory has the verdict, its reason names the other and the texts that were compared."""

PAIR_VERDICTS = frozenset({NOT_DUPLICATE, NOT_CONFLICT, NOT_RELATED, NOT_RIPE})
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
        """Return the pairs of which a person said they are no duplicate, or no conflict, while both texts stand."""
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


def gather(
    vault: Vault,
    wanted: MemoryFilter,
    *,
    before: Gathered | None = None,
    progress: ProgressCallback | None = None,
) -> Gathered:
    """Read memories window by window; a memory that changes meanwhile appears as it was or as it is.

    Whatever acts on what is found checks the versions again.

    Args:
        before: an earlier look, of which the memories that did not move since are taken over.
        progress: told how many memories are read.

    Raises:
        Cancelled: raised by `progress`, and passed on.
    """
    with vault.read() as reader:
        versions = reader.select_versions(wanted, sort="created", now=vault.now())
        links = reader.links()
        dismissals = [verdict for verdict in reader.verdicts() if verdict.verdict in PAIR_VERDICTS]
    ids = list(versions)[::-1]
    seen = before or Gathered([])
    known = {memory.id: memory for memory in seen.memories if versions.get(memory.id) == memory.version}
    keys = {identifier: seen.keys[identifier] for identifier in known}
    missing = [identifier for identifier in ids if identifier not in known]
    for start in range(0, len(missing), WINDOW):
        window = missing[start : start + WINDOW]
        with vault.read() as reader:
            found = reader.keyed(window)
        known.update((identifier, memory) for identifier, (_, memory) in found.items())
        keys.update((identifier, key) for identifier, (key, _) in found.items())
        if progress:
            progress(min(start + WINDOW, len(missing)), len(missing))
    return Gathered([known[identifier] for identifier in ids if identifier in known], links, dismissals, keys)


def by_project(memories: Iterable[Memory]) -> dict[str | None, list[Memory]]:
    """Return memories by project, None for the unassigned."""
    found: dict[str | None, list[Memory]] = {}
    for memory in memories:
        found.setdefault(memory.project, []).append(memory)
    return found
