"""A snapshot of memories to analyse, and results of text analysis kept for the next pass."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any, Generic, TypeVar

from memtui.analysis.claims import Claim, Clause, claim_of, claims_of, clauses_of
from memtui.analysis.text_features import Wording, wording_of
from memtui.domain.memory import GLOBAL_PROJECT, Link, Memory, Verdict, content_hash
from memtui.text.normal_form import plain_form

Pair = tuple[str, str]
"""Two ids, the smaller first."""

NOT_DUPLICATE = "not-duplicate"
NOT_CONTRADICTION = "not-conflict"
NOT_RELATED = "not-related"
NOT_RIPE = "not-ripe"
"""Verdicts on a pair, as stored: one memory has the verdict; its reason holds the other's id and a fingerprint."""

PAIR_VERDICTS = frozenset({NOT_DUPLICATE, NOT_CONTRADICTION, NOT_RELATED, NOT_RIPE})


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Memories with links between any two, and verdicts on pairs.

    Attributes:
        keys: internal key of each memory, for its vector.
    """

    memories: list[Memory]
    links: list[Link] = field(default_factory=list)
    dismissals: list[Verdict] = field(default_factory=list)
    keys: dict[str, int] = field(default_factory=dict)

    def dismissed(self, *verdicts: str) -> set[Pair]:
        """Return the pairs that a person gave one of these verdicts, as long as both texts are unchanged."""
        known = {memory.id: memory for memory in self.memories}
        found = set()
        for verdict in self.dismissals:
            other, _, fingerprint = verdict.reason.partition(" ")
            if verdict.verdict not in verdicts or other not in known or verdict.memory_id not in known:
                continue
            if fingerprint == pair_fingerprint(known[verdict.memory_id], known[other]):
                found.add(pair_of(verdict.memory_id, other))
        return found


def pair_of(one: str, other: str) -> Pair:
    """Return two ids in order."""
    return (one, other) if one <= other else (other, one)


def pair_fingerprint(one: Memory, other: Memory) -> str:
    """Return a fingerprint of the texts of two memories: 16 hex characters of BLAKE2b over their content hashes."""
    hashes = sorted((content_hash(one), content_hash(other)))
    return blake2b("".join(hashes).encode(), digest_size=8).hexdigest()


def by_project(memories: Iterable[Memory]) -> dict[str | None, list[Memory]]:
    """Return memories by project, None for the unassigned."""
    found: dict[str | None, list[Memory]] = {}
    for memory in memories:
        found.setdefault(memory.project, []).append(memory)
    return found


def in_one_view(one: Memory, other: Memory) -> bool:
    """Return whether both may reach one payload: both of one project, or one of them global."""
    projects = {one.project, other.project}
    return len(projects) == 1 or (GLOBAL_PROJECT in projects and None not in projects)


def views(memories: Iterable[Memory]) -> list[list[Memory]]:
    """Return the memories that may reach one payload: each project with `global`, and the unassigned.

    `global` stands alone where there is no project.
    """
    parts = by_project(memories)
    shared = parts.pop(GLOBAL_PROJECT, [])
    if not any(project is not None for project in parts):
        parts[GLOBAL_PROJECT] = []
    return [[*(shared if project is not None else ()), *part] for project, part in parts.items()]


K = TypeVar("K")
V = TypeVar("V")

Text = tuple[str, str]
"""Title and insight of a memory: results depend on nothing else, so that an edit is a key of its own."""


class PassCache(dict[K, V], Generic[K, V]):
    """Key to what a function makes of it, until a whole pass did without it."""

    def __init__(self, make: Callable[[K], V]) -> None:
        super().__init__()
        self._make = make
        self._before: dict[K, V] = {}

    def __missing__(self, key: K) -> V:
        before = self._before
        self[key] = value = before[key] if key in before else self._make(key)
        return value

    def begin(self) -> None:
        """Begin a pass; a pass that never ends drops nothing."""
        self._before.update(self)
        self.clear()

    def end(self) -> None:
        """End a pass and drop what it did not ask for."""
        self._before = {}


class CacheGroup:
    """Caches that share their passes."""

    def __init__(self, caches: Iterable[PassCache[Any, Any] | CacheGroup]) -> None:
        self._caches = tuple(caches)

    def begin(self) -> None:
        """Begin a pass."""
        for cache in self._caches:
            cache.begin()

    def end(self) -> None:
        """End a pass and drop what it did not ask for."""
        for cache in self._caches:
            cache.end()


class TextCache(CacheGroup):
    """Analyses of texts by the text itself.

    Attributes:
        wordings: of memories, for duplicates.
        clauses: of memories, for contradictions.
        claims: of clauses in plain form.
        written: claims of memories as they are written, of those that may contradict another.
    """

    def __init__(self) -> None:
        self.wordings: PassCache[Text, Wording] = PassCache(lambda text: wording_of(*text))
        self.clauses: PassCache[Text, list[Clause]] = PassCache(lambda text: clauses_of(*map(plain_form, text)))
        self.claims: PassCache[Clause, Claim | None] = PassCache(claim_of)
        self.written: PassCache[Text, list[Claim]] = PassCache(lambda text: claims_of(*text))
        super().__init__((self.wordings, self.clauses, self.claims, self.written))
