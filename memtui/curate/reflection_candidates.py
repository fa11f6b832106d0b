"""Groups of notes and lessons on one subject that may have one conclusion."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import combinations

from memtui.analysis.cache import PassCache
from memtui.analysis.candidates import candidate_pairs
from memtui.analysis.snapshot import NOT_RIPE, Gathered, Pair, by_project, pair_of
from memtui.clock import days_after
from memtui.curate.reflect import MOST_SOURCES
from memtui.curate.resolutions import dismiss
from memtui.domain.actor import Actor
from memtui.domain.kinds import Kinds
from memtui.domain.memory import Memory, Verdict
from memtui.progress import ProgressCallback
from memtui.vault.vault import Vault

FEWEST_RIPE = 3
"""Memories of a ripe group at least: two that are alike are a duplicate or a link."""

RIPE_WITHIN = timedelta(weeks=6)
"""Time from the first to the last of a ripe group: what happened half a year apart is seldom one story."""

RIPENING_TIERS = frozenset({"episodic", "working"})
"""Tiers of what happened, as against what holds."""

TELLING_HOLDERS = 8
"""A tag or file that more memories of these weeks hold tells none of them apart."""

ALIKE = 0.72
"""Cosine from which two memories speak of one thing, as `memtui.curate.meaning.LEAST_COSINE`."""

RIPE_EVIDENCE = 1.0
"""What two memories must share, see `_evidence`: two tags, a file and a tag, half of their words, or a mixture.
In the sample vault the notes of one incident reach 1.2–2.3 with each other, other pairs 0.9 at most."""


@dataclass(frozen=True, slots=True)
class RipeGroup:
    """Notes and lessons of a few weeks that may have one conclusion.

    Attributes:
        score: what the two share that share least, see `RIPE_EVIDENCE`.
        why: what all of them have in common, in words; holds tags and paths of others.
    """

    ids: tuple[str, ...]
    score: float
    why: str


def ripe_groups(
    gathered: Gathered,
    kinds: Kinds,
    *,
    alike: Iterable[tuple[str, str, float]] = (),
    apart: Iterable[Pair] = (),
    cache: PassCache | None = None,
    progress: ProgressCallback | None = None,
) -> list[RipeGroup]:
    """Return groups that are ripe for a conclusion, the surest first; holds no lease and changes nothing.

    Three or more active memories of an episodic or working kind, of one project and of six weeks, of which every
    two share enough; none of them is a source already, and no two were dismissed, say the same or clash.

    Args:
        gathered: memories in use, see `memtui.analysis.snapshot.gather`.
        kinds: the kinds in force.
        alike: pairs with the cosine of their vectors, see `memtui.curate.meaning.pairs_by_meaning`.
        apart: pairs that are another finding, such as duplicates and conflicts.
        cache: what an earlier pass worked out of the same texts.
        progress: told (done, total) of projects; may raise `Cancelled`.

    Raises:
        Cancelled: raised by `progress`, and passed on.
    """
    used = {link.to_id for link in gathered.links if link.type == "derived-from"}
    pool = [
        memory
        for memory in gathered.memories
        if memory.status == "active" and memory.id not in used and kinds.get(memory.kind).tier in RIPENING_TIERS
    ]
    excluded = {*apart, *gathered.dismissed(NOT_RIPE)}
    cosines = {pair_of(one, other): cosine for one, other, cosine in alike if cosine >= ALIKE}
    projects = by_project(pool)
    texts = PassCache() if cache is None else cache
    found: list[RipeGroup] = []
    for done, members in enumerate(projects.values()):
        if progress:
            progress(done, len(projects))
        if len(members) >= FEWEST_RIPE:
            found += _ripe_in(sorted(members, key=_happened), cosines, excluded, texts)
    return sorted(found, key=lambda group: (-len(group.ids), -group.score, group.ids))


def not_ripe(vault: Vault, prefixes: Sequence[str], *, actor: Actor) -> list[Verdict]:
    """Remember that memories have no common conclusion, until a text changes; one undoable change.

    Raises:
        RefusedError: an agent cannot decide.
    """
    return dismiss(vault, NOT_RIPE, prefixes, actor)


def _happened(memory: Memory) -> tuple[datetime, str]:
    return (memory.observed_at or memory.created_at, memory.id)


def _ripe_in(
    members: Sequence[Memory], cosines: Mapping[Pair, float], excluded: AbstractSet[Pair], texts: PassCache
) -> Iterator[RipeGroup]:
    """Yield the ripe groups of one project's memories, in the order in which they happened."""
    known = {memory.id: memory for memory in members}
    shared = _shared(members)
    near = {pair for pair in cosines if pair[0] in known and pair[1] in known}
    edges: dict[Pair, float] = {}
    for pair in {*shared, *near, *_pairs_by_words(members, texts)} - excluded:
        one, other = known[pair[0]], known[pair[1]]
        if abs(_happened(one)[0] - _happened(other)[0]) > RIPE_WITHIN:
            continue
        evidence = _evidence(one, other, shared.get(pair, 0.0), cosines.get(pair, 0.0), texts)
        if evidence >= RIPE_EVIDENCE:
            edges[pair] = evidence
    for cluster in _cliques(edges):
        inner = [edges[pair_of(*pair)] for pair in combinations(cluster, 2)]
        group = sorted((known[name] for name in cluster), key=_happened)
        yield RipeGroup(tuple(memory.id for memory in group), round(min(inner), 3), _in_common(group))


def _shared(members: Sequence[Memory]) -> dict[Pair, float]:
    """Return what pairs share in telling files (0.7 each) and tags (0.5 each)."""
    holders: dict[tuple[str, str], list[Memory]] = {}
    for memory in members:
        for anchor in memory.anchors:
            holders.setdefault(("file", anchor.path), []).append(memory)
        for tag in memory.tags:
            holders.setdefault(("tag", tag.casefold()), []).append(memory)
    found: dict[Pair, float] = {}
    for (sort, _), having in holders.items():
        moments = [_happened(memory)[0] for memory in having]
        for place, memory in enumerate(having):
            first = bisect_left(moments, days_after(moments[place], -RIPE_WITHIN.days))
            end = bisect_right(moments, days_after(moments[place], RIPE_WITHIN.days))
            if end - first > TELLING_HOLDERS:
                continue
            for other in having[place + 1 : end]:
                pair = pair_of(memory.id, other.id)
                found[pair] = found.get(pair, 0.0) + (0.7 if sort == "file" else 0.5)
    return found


WORDS_SHARE = 0.3
"""Part of the weight of rare terms that two memories share before they are looked at for their words alone."""


def _pairs_by_words(members: Sequence[Memory], texts: PassCache) -> Iterator[Pair]:
    terms = [texts.wordings[memory.title, memory.insight].terms for memory in members]
    for first, second in candidate_pairs(terms, share=WORDS_SHARE):
        yield pair_of(members[first].id, members[second].id)


def _evidence(one: Memory, other: Memory, shared: float, cosine: float, texts: PassCache) -> float:
    """Return what two memories share: files and tags, their words twice over, their meaning."""
    words, others = (texts.wordings[memory.title, memory.insight].terms for memory in (one, other))
    both = len(words & others)
    likeness = 2.0 * both / max(1, len(words) + len(others))
    # One word of three is half of a short text and yet says little.
    return shared + (2.0 if both >= FEWEST_WORDS else 1.0) * likeness + (1.0 if cosine >= ALIKE else 0.0)


FEWEST_WORDS = 3
"""Words of meaning that two texts share before they count twice."""


def _cliques(edges: Mapping[Pair, float]) -> list[list[str]]:
    """Return groups in which every pair is an edge, the surest joined first."""
    clusters = {end: [end] for pair in edges for end in pair}
    for one, other in sorted(edges, key=lambda pair: (-edges[pair], pair)):
        left, right = clusters[one], clusters[other]
        if left is right or len(left) + len(right) > MOST_SOURCES:
            continue
        if all(pair_of(first, second) in edges for first in left for second in right):
            left += right
            clusters.update(dict.fromkeys(right, left))
    return [
        cluster for cluster in {id(held): held for held in clusters.values()}.values() if len(cluster) >= FEWEST_RIPE
    ]


def _in_common(group: Sequence[Memory]) -> str:
    """Return `4 lessons of 12 days: pay/lock.py, #refunds`; what only some share is not named."""
    names = {memory.kind for memory in group}
    what = f"{names.pop()}s" if len(names) == 1 else "memories"
    span = (_happened(group[-1])[0] - _happened(group[0])[0]).days
    paths = set.intersection(*({anchor.path for anchor in memory.anchors} for memory in group))
    tags = set.intersection(*({tag.casefold() for tag in memory.tags} for memory in group))
    shared = [*sorted(paths), *(f"#{tag}" for tag in sorted(tags))]
    days = "one day" if span == 0 else f"{span} days" if span > 1 else "two days"
    return f"{len(group)} {what} of {days}: {', '.join(shared) or 'alike in what they say'}"
