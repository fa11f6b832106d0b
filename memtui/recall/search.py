"""Search a vault for a query: words, an id or a title."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING

from memtui.config import RecallSettings
from memtui.domain.memory import ID_ALPHABET, ID_LENGTH
from memtui.domain.reasons import Reason, ReasonCode
from memtui.errors import AmbiguousIdError, NotFoundError
from memtui.recall import eligibility
from memtui.recall.eligibility import guess_phase
from memtui.recall.lexical import LONGEST_QUERY
from memtui.recall.result import Hit, Part, Sureness, order_key
from memtui.recall.retrieve import Fetched, fetch, fetch_for_search
from memtui.recall.scoring import Scorer
from memtui.tree import Tree
from memtui.vault.filters import MemoryFilter, Scope
from memtui.vault.vault import Vault

if TYPE_CHECKING:
    from memtui.recall.semantic import Meaning

FEWEST_READ = 100  # Memories read for a search with a small limit: the best by words alone need not be the best in all
ID_PREFIX = re.compile(rf"[{ID_ALPHABET}]{{4,{ID_LENGTH}}}")  # A query that may be the start of an id

_NAMED = Part("name", 1.0, Reason(ReasonCode.NAMED), "term")
_BEGUN = Part("letters", 0.5, Reason(ReasonCode.BEGUN), "term")


@dataclass(frozen=True, slots=True)
class Found:
    """What a search found."""

    hits: list[Hit]
    sure: Sureness  # whether they answer the query, may do so, or are merely the nearest
    outdated: int = 0  # how many more match and were replaced, or do not hold at this time
    without_vector: int = 0  # memories that could not be compared by meaning because they have no vector yet

    @classmethod
    def of(cls, scorer: Scorer, hits: list[Hit], outdated: int = 0) -> Found:
        """Return what was found, with what the scorer makes of it."""
        fetched, sure = scorer.fetched, scorer.sure
        if hits and (fetched.named or fetched.begun or fetched.files):
            sure = "sure"
        elif sure == "nothing" and any(scorer.is_informed(hit.memory.id) for hit in hits):
            sure = "unsure"
        return cls(hits, sure if hits else "nothing", outdated, fetched.without_vector)


def search(
    vault: Vault,  # the vault; read under one lease
    query: str,  # words, an id or a title
    scope: Scope,  # the projects in view, unassigned memories too if it says so
    *,
    files: tuple[str, ...] = (),  # project-relative POSIX paths
    limit: int,
    settings: RecallSettings,
    now: datetime,  # the moment freshness is measured at
    statuses: Sequence[str] | None = ("active",),  # which memories, None for any
    only_current: bool = False,  # whether what was replaced or does not hold at this time is left out, and counted
    # the working tree to follow imports in before the lease, and to check anchors against after it
    tree: Tree | None = None,
    meaning: Meaning | None = None,  # compares the query with memories by meaning, None for words alone
) -> Found:
    """Return the memories that share a telling word with a query, are close in meaning or tied to files, best first.

    There is no further floor; `Found.sure` says whether anything answers the query. A memory whose id or title
    matches the query comes first; a word that matches nothing is tried as the start of an id.
    """
    wanted = MemoryFilter(scope=scope, statuses=None if statuses is None else tuple(statuses))
    read = partial(
        fetch_for_search,
        vault,
        query,
        wanted,
        files,
        limit=max(limit, FEWEST_READ),
        sense=meaning.sense(query[:LONGEST_QUERY]) if meaning and query.strip() else None,
        index=meaning.terms if meaning else None,
    )
    fetched = fetch(read, meaning, tree, files)
    if not fetched.memories and ID_PREFIX.fullmatch(query.strip().lower()):
        _take_prefix(vault, query.strip().lower(), wanted, fetched)
        fetched.check_anchors(tree)
    outdated = _outdated(fetched, scope, now) if only_current else frozenset()
    pool = fetched.memories.keys() - outdated
    scorer = Scorer(fetched, pool, settings, vault.kinds, now, guess_phase(query))
    hits = ranked(scorer)
    current = [hit for hit in hits if hit.memory.id in pool]
    return Found.of(scorer, current[:limit], len(hits) - len(current))


def _outdated(fetched: Fetched, scope: Scope, now: datetime) -> frozenset[str]:
    """Return the ids of memories that were replaced or do not hold now, unless the query names them."""
    replaced = eligibility.successors(fetched.links, fetched.memories, scope, now).keys()
    untimely = {one.id for one in fetched.memories.values() if eligibility.outside_valid_time(one, now)}
    return frozenset((replaced | untimely) - set(fetched.named))


def ranked(scorer: Scorer, *, limit: int | None = None) -> list[Hit]:
    """Return what a search shows of the memories that were read, best first; those that the query names come first."""
    fetched, named, begun = scorer.fetched, set(scorer.fetched.named), set(scorer.fetched.begun)
    found = [
        scorer.hit(memory, extra=_NAMED if identifier in named else _BEGUN if identifier in begun else None)
        for identifier, memory in fetched.memories.items()
        if identifier in named
        or identifier in begun
        or scorer.is_informed(identifier)
        or scorer.is_close(identifier)
        or identifier in fetched.files
    ]
    return sorted(found, key=lambda hit: (hit.memory.id not in named, hit.memory.id not in begun, *order_key(hit)))[
        :limit
    ]


def _take_prefix(vault: Vault, prefix: str, wanted: MemoryFilter, fetched: Fetched) -> None:
    """Read the memory whose id starts so, if there is exactly one and the search may show it."""
    with vault.read() as reader:
        try:
            memory = reader.get(reader.resolve(prefix))
        except (NotFoundError, AmbiguousIdError):
            return
        if reader.count(MemoryFilter(scope=wanted.scope, statuses=wanted.statuses, ids=(memory.id,))) == 0:
            return
        fetched.signals = {memory.id: reader.signals([memory.id])}
        fetched.states = reader.anchor_states([memory.id])
    fetched.memories, fetched.named = {memory.id: memory}, [memory.id]
