"""Search: every memory that shares a telling word or a file with the query."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from memtui.config import RecallSettings
from memtui.domain.reasons import Reason, ReasonCode
from memtui.errors import AmbiguousIdError, NotFoundError
from memtui.recall.eligibility import guess_phase
from memtui.recall.lexical import LONGEST_QUERY
from memtui.recall.result import Hit, Part, order_key
from memtui.recall.retrieve import Fetched, fetch, fetch_for_search
from memtui.recall.scoring import Scorer
from memtui.recall.semantic import Meaning, terms_of
from memtui.vault.filters import MemoryFilter, Scope
from memtui.vault.vault import Vault
from memtui.workspace import Tree

FEWEST_READ = 100
"""Memories read for a search with a small limit: the best by words alone need not be the best in all."""

ID_PREFIX = re.compile(r"[a-z2-7]{4,8}")
"""A query that may be the start of an id."""

_NAMED = Part("name", 1.0, Reason(ReasonCode.NAMED), "term")


@dataclass(frozen=True, slots=True)
class Found:
    """What a search found.

    Attributes:
        is_sure: whether any of them answers the query by its own evidence, or they are merely the nearest.
    """

    hits: list[Hit]
    is_sure: bool


def search(
    vault: Vault,
    query: str,
    scope: Scope,
    *,
    files: tuple[str, ...] = (),
    limit: int,
    settings: RecallSettings,
    now: datetime,
    statuses: Sequence[str] | None = ("active",),
    tree: Tree | None = None,
    meaning: Meaning | None = None,
) -> Found:
    """Return the memories that share a telling word with a query, are close in meaning or tied to files, best first.

    There is no further floor; `Found.is_sure` says whether anything answers the query. A memory whose id or title
    matches the query comes first; a word that matches nothing is tried as the start of an id.

    Args:
        vault: the vault; read under one lease.
        query: words, an id or a title.
        scope: the projects in view, unassigned memories too if it says so.
        files: project-relative POSIX paths.
        now: the moment freshness is measured at.
        statuses: which memories, None for any.
        tree: the working tree to follow imports in before the lease, and to check anchors against after it.
        meaning: compares the query with memories by meaning, None for words alone.
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
        index=terms_of(meaning),
    )
    fetched = fetch(read, meaning, tree, files)
    if not fetched.memories and ID_PREFIX.fullmatch(query.strip().lower()):
        _take_prefix(vault, query.strip().lower(), wanted, fetched)
        fetched.check_anchors(tree)
    scorer = Scorer(fetched, fetched.memories, settings, vault.kinds, now, guess_phase(query))
    is_sure = bool(fetched.named or fetched.files) or scorer.is_answered
    return Found(ranked(scorer, limit=limit), is_sure)


def ranked(scorer: Scorer, *, limit: int | None = None) -> list[Hit]:
    """Return what a search shows of the memories that were read, best first; those that the query names come first."""
    fetched, named = scorer.fetched, set(scorer.fetched.named)
    found = [
        scorer.hit(memory, extra=_NAMED if identifier in named else None)
        for identifier, memory in fetched.memories.items()
        if identifier in named
        or scorer.is_informed(identifier)
        or scorer.is_close(identifier)
        or identifier in fetched.files
    ]
    return sorted(found, key=lambda hit: (hit.memory.id not in named, *order_key(hit)))[:limit]


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
