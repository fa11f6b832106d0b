"""Suggested links, and groups of notes that may share a conclusion."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import combinations
from typing import Any

from memtui.analysis.cache import PassCache
from memtui.analysis.candidates import candidate_pairs
from memtui.analysis.contradictions import find_contradictions
from memtui.analysis.duplicates import compare
from memtui.analysis.snapshot import (
    NOT_CONTRADICTION,
    NOT_DUPLICATE,
    NOT_RELATED,
    NOT_RIPE,
    Gathered,
    Pair,
    by_project,
    pair_of,
)
from memtui.analysis.text_features import Wording, wording_of
from memtui.clock import days_after
from memtui.domain.kinds import Kinds
from memtui.domain.memory import GLOBAL_PROJECT, LinkType, Memory, Signal
from memtui.progress import ProgressCallback

MOST_SOURCES = 20
"""Sources of one conclusion; nobody reads more of them at one sitting."""

FEWEST_RIPE = 3
"""Memories of a ripe group at least: two that are alike are a duplicate or a link."""

RIPE_WITHIN = timedelta(weeks=6)
"""Time from the first to the last of a ripe group: what happened half a year apart is seldom one story."""

RIPENING_TIERS = frozenset({"episodic", "working"})
"""Tiers of what happened, as against what holds."""

TELLING_HOLDERS = 8
"""A tag or file that more memories of these weeks hold tells none of them apart."""

ALIKE = 0.72
"""Cosine from which two memories speak of one thing, as `memtui.curate.snapshot.LEAST_COSINE`."""

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
        gathered: memories in use, see `memtui.curate.snapshot.gather`.
        kinds: the kinds in force.
        alike: pairs with the cosine of their vectors, see `memtui.curate.snapshot.pairs_by_meaning`.
        apart: pairs that are another finding, such as duplicates and contradictions.
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


HELPED_TOGETHER = 2
"""Packs that helped and held both: one may be chance, two tasks that needed both are a hint."""

MOSTLY_TOGETHER = 0.5
"""Part of the rarer one's helpful packs that held the other too; below it the other is merely in most packs."""

LARGEST_PACK = 40
"""Memories of a pack whose pairs are looked at; of a larger one hardly any two were needed together."""

SOURCE_TIERS = frozenset({"episodic", "working"})
"""Tiers of what happened, from which the others are concluded."""

LEAST_WORDS = 0.36
"""Likeness in words from which two memories are related. Of the labelled pairs of different statements one in four
reaches it; they share their subject, which is what `relates` says."""


LEAST_COSINE = 0.72
"""Cosine from which two memories are related whatever their words, as `memtui.curate.snapshot.LEAST_COSINE`."""

LINK_SUGGESTIONS_WORDS_SHARE = 0.35
"""Part of the weight of rare terms that two memories share before their words are compared."""

MOST_OF_ONE = 3
"""Proposals by likeness of one memory, the most alike: a neighbourhood, not a list of all that is near."""


@dataclass(frozen=True, slots=True)
class LinkProposal:
    """A link that might be made.

    Attributes:
        from_id: of `derived-from` the newer conclusion, of `relates` the newer one.
        score: 0–1 by likeness; from use 1 and more, one for each pack.
        why: the reason in words, all of them ours.
    """

    from_id: str
    type: LinkType
    to_id: str
    score: float
    why: str

    @property
    def ids(self) -> Pair:
        """Both ends."""
        return (self.from_id, self.to_id)

    def other(self, identifier: str) -> str:
        """Return the end that is not this one."""
        return self.to_id if identifier == self.from_id else self.from_id


def propose_links(
    gathered: Gathered,
    signals: Iterable[Signal],
    kinds: Kinds,
    *,
    alike: Iterable[tuple[str, str, float]] = (),
    about: str | None = None,
) -> list[LinkProposal]:
    """Return the links that are proposed among gathered memories, the surest first; holds no lease.

    Args:
        gathered: memories in use with their links and dismissed pairs.
        signals: of these memories; feedback on packs counts.
        kinds: the kinds in force.
        alike: pairs with the cosine of their vectors.
        about: only links of this memory, None for all.
    """
    memories = {memory.id: memory for memory in gathered.memories}
    settled = {pair_of(link.from_id, link.to_id) for link in gathered.links}
    settled |= gathered.dismissed(NOT_RELATED)
    found: dict[Pair, LinkProposal] = {}
    for pair, number in _helped_together(signals, memories).items():
        if pair not in settled and about in {None, *pair} and _in_one_view(memories[pair[0]], memories[pair[1]]):
            why = f"together in {number} packs that helped"
            found[pair] = _proposal(memories[pair[0]], memories[pair[1]], kinds, float(number), why, by_use=True)
    settled |= gathered.dismissed(NOT_DUPLICATE) | gathered.dismissed(NOT_CONTRADICTION)
    for proposal in _by_likeness(gathered.memories, kinds, alike, settled | found.keys(), about):
        found[pair_of(*proposal.ids)] = proposal
    return sorted(found.values(), key=lambda proposal: (-proposal.score, proposal.ids))


def _helped_together(signals: Iterable[Signal], memories: Mapping[str, Memory]) -> dict[Pair, int]:
    """Return, per pair, how many packs helped that held both, of those that mostly helped together.

    A pinned memory is in every pack, which says nothing of the others.
    """
    packs: dict[str, set[str]] = {}
    for signal in signals:
        memory = memories.get(signal.memory_id)
        if signal.signal == "helped" and signal.pack_id is not None and memory is not None and not memory.pinned:
            packs.setdefault(signal.pack_id, set()).add(memory.id)
    alone = Counter(name for members in packs.values() for name in members)
    together = Counter(
        pair for members in packs.values() if len(members) <= LARGEST_PACK for pair in combinations(sorted(members), 2)
    )
    return {
        pair: number
        for pair, number in together.items()
        if number >= HELPED_TOGETHER and number >= MOSTLY_TOGETHER * min(alone[pair[0]], alone[pair[1]])
    }


def _by_likeness(
    memories: Sequence[Memory],
    kinds: Kinds,
    alike: Iterable[tuple[str, str, float]],
    settled: AbstractSet[Pair],
    about: str | None,
) -> Iterator[LinkProposal]:
    """Yield the most alike that no end has enough of yet; only those are compared in full, which takes the time."""
    known = {memory.id: memory for memory in memories}
    cosines = {pair_of(one, other): cosine for one, other, cosine in alike if one in known and other in known}
    wordings = {memory.id: wording_of(memory.title, memory.insight) for memory in memories}
    pairs = {
        *cosines,
        *(_link_suggestions_pairs_by_words(memories, wordings) if about is None else _pairs_of(about, known)),
    }
    near = [
        (*found, pair)
        for pair in pairs - settled
        if about in {None, *pair}
        and _in_one_view(known[pair[0]], known[pair[1]])
        and (found := _alike(wordings[pair[0]], wordings[pair[1]], cosines.get(pair))) is not None
    ]
    taken: Counter[str] = Counter()
    for score, why, pair in sorted(near, key=lambda each: (-each[0], each[2])):
        one, other = known[pair[0]], known[pair[1]]
        if any(taken[end] >= MOST_OF_ONE for end in pair) or _is_another_finding(
            one, other, wordings, cosines.get(pair)
        ):
            continue
        taken.update(pair)
        yield _proposal(one, other, kinds, score, why)


def _link_suggestions_pairs_by_words(memories: Sequence[Memory], wordings: Mapping[str, Wording]) -> Iterator[Pair]:
    parts = by_project(memories)
    shared = parts.pop(GLOBAL_PROJECT, [])
    for project, members in [*parts.items(), (GLOBAL_PROJECT, [])]:
        near = [*members, *(shared if project is not None else [])]
        for first, second in candidate_pairs(
            [wordings[memory.id].terms for memory in near], share=LINK_SUGGESTIONS_WORDS_SHARE
        ):
            yield pair_of(near[first].id, near[second].id)


def _pairs_of(about: str, known: Mapping[str, Memory]) -> set[Pair]:
    return {pair_of(about, other) for other in known if other != about}


def _alike(one: Wording, other: Wording, cosine: float | None) -> tuple[float, str] | None:
    """Return how alike two texts are and why, None where they are not."""
    both = len(one.terms & other.terms)
    words = 2.0 * both / max(1, len(one.terms) + len(other.terms))
    in_words = words >= LEAST_WORDS and both >= FEWEST_WORDS
    in_meaning = cosine is not None and cosine >= LEAST_COSINE
    if not (in_words or in_meaning):
        return None
    if in_meaning and cosine is not None and cosine >= words:
        return round(cosine, 4), f"{cosine:.0%} alike in meaning"
    return round(words, 4), f"{words:.0%} shared words"


def _is_another_finding(one: Memory, other: Memory, wordings: Mapping[str, Wording], cosine: float | None) -> bool:
    """Return whether two memories are duplicates, or clash."""
    return compare(one, other, wordings, cosine) is not None or bool(find_contradictions(Gathered([one, other])))


def _proposal(
    one: Memory, other: Memory, kinds: Kinds, score: float, why: str, *, by_use: bool = False
) -> LinkProposal:
    """Return the link from the newer to the older; a conclusion is derived from what happened before it."""
    older, newer = sorted((one, other), key=_happened)
    concluded = kinds.get(older.kind).tier in SOURCE_TIERS and kinds.get(newer.kind).tier not in SOURCE_TIERS
    return LinkProposal(newer.id, "derived-from" if concluded and not by_use else "relates", older.id, score, why)


def _in_one_view(one: Memory, other: Memory) -> bool:
    """Return whether both may reach one payload: of one project, or one of them global."""
    return one.project == other.project or (
        GLOBAL_PROJECT in {one.project, other.project} and None not in {one.project, other.project}
    )


# -- one memory -----------------------------------------------------------------------------------


# -- deciding -------------------------------------------------------------------------------------


def proposal_records(proposals: Iterable[LinkProposal], titles: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return the `--json` form of proposals, with the titles of both ends."""
    return [
        {
            "from": proposal.from_id,
            "type": proposal.type,
            "to": proposal.to_id,
            "score": proposal.score,
            "why": proposal.why,
            "titles": [titles.get(end, "") for end in proposal.ids],
        }
        for proposal in proposals
    ]
