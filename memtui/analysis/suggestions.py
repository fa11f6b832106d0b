"""Suggested links, and groups of notes that may share a conclusion."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from functools import partial
from itertools import chain, combinations
from typing import Any

from memtui.analysis.contradictions import contradiction_between
from memtui.analysis.duplicates import compare
from memtui.analysis.pair_facts import Facts
from memtui.analysis.pair_features import Nearness, dice
from memtui.analysis.section_context import (
    are_in_one_list,
    are_in_one_section,
    are_in_row,
    headings_of,
    is_of_file,
    unheaded,
)
from memtui.analysis.snapshot import (
    NOT_CONTRADICTION,
    NOT_DUPLICATE,
    NOT_RELATED,
    NOT_RIPE,
    Alike,
    Pair,
    Places,
    Snapshot,
    TextCache,
    by_project,
    candidate_pairs,
    cliques,
    in_one_view,
    pair_of,
    views,
)
from memtui.analysis.text_features import Wording
from memtui.clock import days_after
from memtui.domain.kinds import Kinds
from memtui.domain.memory import LinkType, Memory, Signal
from memtui.progress import ProgressCallback

ALIKE = 0.72
"""Cosine from which two memories are about one thing, whatever their words; `LEAST_COSINE` in `snapshot_reader`."""

FEWEST_WORDS = 3
"""Words of meaning that two texts share before their words count: one word of three is half of a short text."""

_ADDRESS = re.compile(r"https?://\S+")

EVENT_TIERS = frozenset({"episodic", "working"})  # Tiers of what happened, from which the others are concluded


def _happened(memory: Memory) -> tuple[datetime, str]:
    return (memory.observed_at or memory.created_at, memory.id)


def _places(memories: Sequence[Memory], wording: Callable[[Memory], Wording], share: float) -> Iterator[Places]:
    return candidate_pairs([wording(memory).terms for memory in memories], share=share)


def _word_pairs(memories: Sequence[Memory], wording: Callable[[Memory], Wording], share: float) -> Iterator[Pair]:
    for first, second in _places(memories, wording, share):
        yield pair_of(memories[first].id, memories[second].id)


def _shared_words(one: Wording, other: Wording) -> tuple[int, float]:
    """Return how many words of meaning two texts share, and their Dice share."""
    both = len(one.terms & other.terms)
    return both, 2.0 * both / max(1, len(one.terms) + len(other.terms))


# -- links ---------------------------------------------------------------------------------------------

HELPED_TOGETHER = 2  # Packs that helped and held both: one may be chance, two tasks that needed both are a hint

MOSTLY_TOGETHER = 0.5
"""Part of the rarer one's helpful packs that held the other too; below it the other is merely in most packs."""

LARGEST_PACK = 40  # Memories of a pack whose pairs are counted; of a larger one hardly any two were needed together

LEAST_WORDS = 0.5
"""Likeness in words, those of their headings aside, from which two memories are related. At 0.36 a third of the
proposals in a real repository was silly: rules of one list share such words as `existing` and `application`."""

LEAST_WORDS_IN_FILES = 0.6
"""The same of two of files. At 0.5 half of the short rules of a repository that share three words like `test`, `unit`
and `function` were about other things."""

MANY_WORDS = 7  # Words of meaning that two longer texts share, of which half of their words is enough
HALF = 0.5
LEAST_MARGIN = 0.14  # How much nearer two are than each to its next neighbours, unless half of their words are the same
LEAST_WORDS_OF_EVENT = 0.36  # The same of an event and what was concluded from it, which say it in other words
LINKED_FROM = 0.75  # Cosine from which two memories are related; at 0.72 every fourth pair shared only its field
FEWEST_WORDS_MEANT = 2  # Words of meaning that two texts share whose vectors are near: one is what all of a file share
MOSTLY_CODE = 0.5  # Share of code in two memories from which they are alike as all code is

LINK_WORDS_SHARE = 0.35  # Part of the weight of rare terms that two memories share before their words are compared
MOST_OF_ONE = 3  # Proposals by likeness of one memory, the most alike: a neighbourhood, not a list of all that is near


@dataclass(frozen=True, slots=True)
class LinkProposal:
    """A link that might be made."""

    from_id: str  # of `derived-from` the newer conclusion, of `relates` the newer one
    type: LinkType
    to_id: str
    score: float  # 0–1 by likeness; from use 1 and more, one for each pack
    why: str  # the reason in words, none of them from a memory

    @property
    def ids(self) -> Pair:
        return (self.from_id, self.to_id)

    def other(self, identifier: str) -> str:
        """Return the end that is not this one."""
        return self.to_id if identifier == self.from_id else self.from_id


def propose_links(
    snapshot: Snapshot,  # active memories
    signals: Iterable[Signal],  # of these memories; feedback on packs counts
    kinds: Kinds,
    *,
    alike: Iterable[Alike] = (),  # pairs with the cosine of their vectors
    apart: Iterable[Pair] = (),  # pairs that are proposed as duplicates
    about: str | None = None,  # only links of this memory, None for all
) -> list[LinkProposal]:
    """Return the links that are proposed among memories, the best first."""
    memories = {memory.id: memory for memory in snapshot.memories}
    linked = {pair_of(link.from_id, link.to_id) for link in snapshot.links}
    excluded = {*linked, *apart, *snapshot.dismissed(NOT_RELATED)}
    found: dict[Pair, LinkProposal] = {}
    for pair, number in _helped_together(signals, memories).items():
        one, other = memories[pair[0]], memories[pair[1]]
        if pair not in excluded and about in {None, *pair} and in_one_view(one, other):
            older, newer = sorted((one, other), key=_happened)
            why = f"together in {number} packs that helped"
            found[pair] = LinkProposal(newer.id, "relates", older.id, float(number), why)
    excluded |= snapshot.dismissed(NOT_DUPLICATE, NOT_CONTRADICTION) | found.keys()
    for proposal in _by_likeness(snapshot.memories, kinds, alike, excluded, about):
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
    alike: Iterable[Alike],
    excluded: AbstractSet[Pair],
    about: str | None,
) -> Iterator[LinkProposal]:
    """Yield the most alike that no end has enough of yet; only those are compared in full, which takes the time.

    What stands in one section is joined by it already. What two skills say, or two files of one row, is alike by the
    form that all of these have.
    """
    known = {memory.id: memory for memory in memories}
    cosines = _cosines_of(alike, known)
    texts = TextCache()
    facts = {memory.id: texts.facts[memory.title, memory.insight] for memory in memories}
    pairs = {*cosines, *_sharing_words(memories, facts)} if about is None else set(_pairs_with(about, known))
    terms = {memory.id: _own_terms(memory, facts[memory.id]) for memory in memories}
    is_event = {memory.id: kinds.get(memory.kind).tier in EVENT_TIERS for memory in memories}

    def alike_of(pair: Pair) -> tuple[float, str] | None:
        one, other = pair
        if min(facts[one].code_share, facts[other].code_share) > MOSTLY_CODE:
            return None
        both = known[one], known[other]
        least = _least_words(*both, mixed=is_event[one] != is_event[other])
        return _alike(terms[one], terms[other], cosines.get(pair), least, of_files=all(map(is_of_file, both)))

    visible = (pair for pair in pairs - excluded if in_one_view(known[pair[0]], known[pair[1]]))
    open_ = (pair for pair in visible if not _are_side_by_side(known[pair[0]], known[pair[1]]))
    near = [(*found, pair) for pair in open_ if (found := alike_of(pair)) is not None]
    taken: Counter[str] = Counter()
    for score, why, pair in sorted(near, key=lambda each: (-each[0], each[2])):
        if max(taken[end] for end in pair) >= MOST_OF_ONE:
            continue
        older, newer = sorted((known[pair[0]], known[pair[1]]), key=_happened)
        if _says_more_than_a_link(older, newer, texts, cosines.get(pair)):
            continue
        taken.update(pair)
        yield LinkProposal(newer.id, _link_type(older, newer, kinds), older.id, score, why)


def _are_side_by_side(one: Memory, other: Memory) -> bool:
    return are_in_one_section(one, other) or are_in_row(one, other)


def _least_words(one: Memory, other: Memory, *, mixed: bool) -> float:
    """Return the share of words that two have in common at least; `mixed`: one is an event, the other is none."""
    if mixed and not _are_at_once(one, other):
        return LEAST_WORDS_OF_EVENT
    return LEAST_WORDS_IN_FILES if is_of_file(one) and is_of_file(other) else LEAST_WORDS


def _says_more_than_a_link(older: Memory, newer: Memory, texts: TextCache, near: Alike | None) -> bool:
    """Return whether two say the same or contradict each other, which is proposed as that."""
    nearness = Nearness(near.cosine if near else None, is_crowded=True)
    return bool(compare(older, newer, texts, nearness) or contradiction_between(older, newer, texts, nearness))


def _own_terms(memory: Memory, facts: Facts) -> frozenset[str]:
    """Return the words of meaning of a memory without those that only its headings, or its addresses, say."""
    headings = Wording(" ".join(headings_of(memory))).terms - Wording(unheaded(memory)).terms
    addresses = Wording(" ".join(_ADDRESS.findall(memory.insight))).terms
    return facts.wording.terms - headings - addresses


def _cosines_of(alike: Iterable[Alike], known: Mapping[str, Memory]) -> dict[Pair, Alike]:
    """Return how near known memories are that are alike enough to be linked."""
    return {
        pair_of(near.one, near.other): near
        for near in alike
        if near.cosine >= LINKED_FROM and {near.one, near.other} <= known.keys()
    }


def _pairs_with(about: str, others: Iterable[str]) -> Iterator[Pair]:
    return (pair_of(about, other) for other in others if other != about)


def _sharing_words(memories: Sequence[Memory], facts: Mapping[str, Facts]) -> Iterator[Pair]:
    def wording(memory: Memory) -> Wording:
        return facts[memory.id].wording

    return chain.from_iterable(_word_pairs(part, wording, LINK_WORDS_SHARE) for part in views(memories))


def _link_type(older: Memory, newer: Memory, kinds: Kinds) -> LinkType:
    """Return `derived-from` for a conclusion from what happened before it, else `relates`."""
    was_event, is_event = (kinds.get(memory.kind).tier in EVENT_TIERS for memory in (older, newer))
    return "derived-from" if was_event and not is_event and not _are_at_once(older, newer) else "relates"


def _are_at_once(one: Memory, other: Memory) -> bool:
    """Return whether two came from files that were written at once, so that neither happened before the other."""
    return is_of_file(one) and is_of_file(other) and _happened(one)[0] == _happened(other)[0]


def _are_listed_at_once(one: Memory, other: Memory) -> bool:
    """Return whether the day of two items of one list is only that on which their file was written."""
    is_said = _happened(one)[0].time() == time.min
    return not is_said and _are_at_once(one, other) and are_in_one_list(one, other)


def _alike(
    mine: AbstractSet[str], theirs: AbstractSet[str], near: Alike | None, least: float, *, of_files: bool
) -> tuple[float, str] | None:
    """Return how alike two texts are by their own words of meaning and why, None where they are not.

    What files say in passages that are near in meaning to all around them shares their subject, and no more.
    """
    both, words = len(mine & theirs), dice(mine, theirs)
    is_near = near is not None
    if near is not None and of_files:
        stands_out = near.cosine - near.crowd >= LEAST_MARGIN or words >= HALF
        is_near = stands_out and both >= FEWEST_WORDS_MEANT
    if near is not None and is_near and near.cosine >= words:
        return round(near.cosine, 4), f"{near.cosine:.0%} alike in meaning"
    enough = min(least, HALF) if both >= MANY_WORDS else least
    in_words = words >= enough and both >= FEWEST_WORDS
    return (round(words, 4), f"{words:.0%} shared words") if in_words or is_near else None


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


# -- conclusions ---------------------------------------------------------------------------------------

MOST_SOURCES = 20  # Sources of one conclusion; nobody reads more of them at one sitting
FEWEST_RIPE = 3  # Memories of a ripe group at least: two that are alike are a duplicate or a link

RIPE_WITHIN = timedelta(weeks=6)
"""Time from the first to the last of a ripe group: what happened half a year apart is seldom one story."""

TELLING_HOLDERS = 8  # A tag or file that more memories of these weeks hold does not tell them apart

RIPE_WORDS_SHARE = 0.3
"""Part of the weight of rare terms that two memories share before they are compared for their words alone."""

RIPE_EVIDENCE = 1.0
"""What two memories must share, see `_evidence`: two tags, a file and a tag, half of their words, or a mixture.
In the sample vault the notes of one incident reach 1.2–2.3 with each other, other pairs 0.9 at most."""


@dataclass(frozen=True, slots=True)
class RipeGroup:
    """Notes and lessons of a few weeks that may share a conclusion, the oldest first."""

    ids: tuple[str, ...]
    score: float  # what the two share that share least, see `RIPE_EVIDENCE`
    why: str  # what all of them have in common, in words; holds tags and paths of others

    @property
    def shape(self) -> tuple[str, ...]:
        """All of them are of one sort."""
        return ()


def ripe_groups(
    snapshot: Snapshot,
    kinds: Kinds,
    *,
    # pairs with the cosine of their vectors, see `memtui.curate.snapshot_reader.pairs_by_meaning`
    alike: Iterable[Alike] = (),
    apart: Iterable[Pair] = (),  # pairs that are another finding, such as duplicates and contradictions
    cache: TextCache | None = None,
    progress: ProgressCallback | None = None,
) -> list[RipeGroup]:
    """Return groups that are ripe for a conclusion, the largest first.

    Three or more active memories of an episodic or working kind, of one project and of six weeks, of which every
    two share enough; none of them is a source already, and no two were dismissed, say the same or contradict each
    other.
    """
    used = {link.to_id for link in snapshot.links if link.type == "derived-from"}
    projects = by_project(
        memory
        for memory in snapshot.memories
        if memory.status == "active" and memory.id not in used and kinds.get(memory.kind).tier in EVENT_TIERS
    )
    excluded = {*apart, *snapshot.dismissed(NOT_RIPE)}
    cosines = {pair_of(one, other): cosine for one, other, cosine, _ in alike if cosine >= ALIKE}
    texts = TextCache() if cache is None else cache
    found: list[RipeGroup] = []
    for done, members in enumerate(projects.values()):
        if progress:
            progress(done, len(projects))
        if len(members) >= FEWEST_RIPE:
            found += _ripe_in(sorted(members, key=_happened), cosines, excluded, texts)
    return sorted(found, key=lambda group: (-len(group.ids), -group.score, group.ids))


def _ripe_in(
    members: Sequence[Memory], cosines: Mapping[Pair, float], excluded: AbstractSet[Pair], texts: TextCache
) -> Iterator[RipeGroup]:
    """Yield the ripe groups of one project's memories, which are in the order in which they happened."""

    def wording(memory: Memory) -> Wording:
        return texts.wordings[memory.title, memory.insight]

    known = {memory.id: memory for memory in members}
    shared = _shared_places(members)
    near = {pair for pair in cosines if pair[0] in known and pair[1] in known}
    edges: dict[Pair, float] = {}
    alike = texts.pairs("ripe", members, partial(_places, members, wording, RIPE_WORDS_SHARE))
    worded = {pair_of(members[first].id, members[second].id) for first, second in alike}
    for pair in {*shared, *near, *worded} - excluded:
        one, other = known[pair[0]], known[pair[1]]
        if abs(_happened(one)[0] - _happened(other)[0]) > RIPE_WITHIN or _are_listed_at_once(one, other):
            continue
        evidence = shared.get(pair, 0.0) + _evidence(wording(one), wording(other), meant=pair in cosines)
        if evidence >= RIPE_EVIDENCE:
            edges[pair] = evidence
    ordered = sorted(edges, key=lambda pair: (-edges[pair], pair))
    for cluster in cliques(ordered, edges, MOST_SOURCES):
        if len(cluster) >= FEWEST_RIPE:
            least = min(edges[pair_of(*pair)] for pair in combinations(cluster, 2))
            group = sorted((known[name] for name in cluster), key=_happened)
            yield RipeGroup(tuple(memory.id for memory in group), round(least, 3), _in_common(group))


def _shared_places(members: Sequence[Memory]) -> dict[Pair, float]:
    """Return what pairs share in telling files (0.7 each) and tags (0.5 each)."""
    holders: dict[tuple[float, str], list[Memory]] = {}
    for memory in members:
        for anchor in memory.anchors:
            holders.setdefault((0.7, anchor.path), []).append(memory)
        for tag in memory.tags:
            holders.setdefault((0.5, tag.casefold()), []).append(memory)
    found: dict[Pair, float] = {}
    for (weight, _), having in holders.items():
        moments = [_happened(memory)[0] for memory in having]
        for place, memory in enumerate(having):
            first = bisect_left(moments, days_after(moments[place], -RIPE_WITHIN.days))
            end = bisect_right(moments, days_after(moments[place], RIPE_WITHIN.days))
            if end - first > TELLING_HOLDERS:
                continue
            for other in having[place + 1 : end]:
                pair = pair_of(memory.id, other.id)
                found[pair] = found.get(pair, 0.0) + weight
    return found


def _evidence(one: Wording, other: Wording, *, meant: bool) -> float:
    """Return what two memories share in words, which count twice where there are enough of them, and in meaning."""
    both, words = _shared_words(one, other)
    return (2.0 if both >= FEWEST_WORDS else 1.0) * words + (1.0 if meant else 0.0)


def _in_common(group: Collection[Memory]) -> str:
    """Return `4 lessons of 12 days: pay/lock.py, #refunds`; what only some share is not named."""
    moments = [_happened(memory)[0] for memory in group]
    kinds = {memory.kind for memory in group}
    what = f"{kinds.pop()}s" if len(kinds) == 1 else "memories"
    span = (max(moments) - min(moments)).days
    paths = set.intersection(*({anchor.path for anchor in memory.anchors} for memory in group))
    tags = set.intersection(*({tag.casefold() for tag in memory.tags} for memory in group))
    shared = [*sorted(paths), *(f"#{tag}" for tag in sorted(tags))]
    days = "one day" if span == 0 else f"{span} days" if span > 1 else "two days"
    return f"{len(group)} {what} of {days}: {', '.join(shared) or 'alike in what they say'}"
