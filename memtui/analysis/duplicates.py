"""Memories that say the same, and what a new memory resembles."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations, starmap
from typing import Literal

from memtui.analysis.claims import difference_in_denials
from memtui.analysis.contradictions import contradiction_between
from memtui.analysis.imperative import is_imperative
from memtui.analysis.ordered_acts import order_of_other_acts
from memtui.analysis.pair_facts import Facts
from memtui.analysis.pair_features import Nearness, dice
from memtui.analysis.repeated_text import held_pairs, names_all, same_words
from memtui.analysis.snapshot import (
    CROWD,
    NOT_CONTRADICTION,
    NOT_DUPLICATE,
    Alike,
    Pair,
    Places,
    Snapshot,
    TextCache,
    are_elsewhere,
    are_in_row,
    are_parallel,
    candidate_pairs,
    cliques,
    in_one_view,
    is_of_file,
    nearness_of,
    others_in_view,
    pair_of,
    unheaded,
    views,
)
from memtui.analysis.text_features import Wording, wording_of
from memtui.domain.memory import GLOBAL_PROJECT, MOST_MERGED, LinkType, Memory, content_hash
from memtui.progress import ProgressCallback
from memtui.text.inline import plain_text

_VERSION = re.compile(r"\d+\.\d+")
_BEFORE_NUMBER = re.compile(
    r"\b(?:version|v|python|node|postgres|redis|java|go|ruby|php|django|react|vue|rust|kafka) ?$"
)
_ORDERS = re.compile(r"(?:always|never|only)\b|[^.:;!?\n]{1,80}\b(?:must|should always)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Difference:
    """Something that matters in which two memories differ."""

    label: str  # what differs, such as `numbers differ`
    # what only the first and only the second has, empty where the label says it all
    sides: tuple[str, str] | None = None

    @property
    def text(self) -> str:
        """It in words: `numbers differ: 8080 / 8081`, `numbers only in one: 8080`."""
        if not self.sides:
            return self.label
        if all(self.sides):
            return f"{self.label}: {' / '.join(self.sides)}"
        return f"{self.label.rpartition(' differ')[0]} only in one: {''.join(self.sides)}"


def text_differences(one: Wording, other: Wording) -> tuple[Difference, ...]:
    denials = difference_in_denials(one, other)
    apart = order_of_other_acts(one.plain, other.plain)
    found = [
        _numbers(one, other),
        _names(one, other),
        Difference(denials) if denials else None,
        _sides("environments differ", one.environments, other.environments),
        _sides("order or direction differs", one.directions - apart, other.directions - apart),
        Difference("one is a plan, the other is done") if _is_plan_of_other(one, other) else None,
        Difference("the same words in another order") if _is_reordered(one, other) else None,
    ]
    return tuple(difference for difference in found if difference is not None)


def _numbers(one: Wording, other: Wording) -> Difference | None:
    differing = one.told_numbers ^ other.told_numbers
    is_version = any(_VERSION.search(number) for number in differing) or any(
        _BEFORE_NUMBER.search(wording.normal.split(number)[0]) for wording in (one, other) for number in differing
    )
    return _sides("versions differ" if is_version else "numbers differ", one.told_numbers, other.told_numbers)


def _names(one: Wording, other: Wording) -> Difference | None:
    """Compare names of code that only one text holds; one that is in the other's prose counts as the same."""
    left = {name for name in one.told_names - other.told_names if not other.says(name)}
    right = {name for name in other.told_names - one.told_names if not one.says(name)}
    paths = any("/" in name for name in left) and any("/" in name for name in right)
    return _sides("paths differ" if paths else "names differ", left, right)


def _is_plan_of_other(one: Wording, other: Wording) -> bool:
    """Return whether one plans what the other tells as done; an order is neither, whatever it says will come of it."""
    return one.is_plan != other.is_plan and not _is_order(one) and not _is_order(other)


def _is_order(wording: Wording) -> bool:
    said = plain_text(wording.text.removeprefix(wording.title)).strip()
    return any(is_imperative(part) or _ORDERS.match(part) for part in (said, said.partition(": ")[2]))


def _is_reordered(one: Wording, other: Wording) -> bool:
    """Return whether two or more of the same words are out of order, which may reverse the meaning."""
    return sorted(one.stems) == sorted(other.stems) and one.stems != other.stems


def _sides(label: str, left: Collection[str], right: Collection[str]) -> Difference | None:
    mine, theirs = set(left) - set(right), set(right) - set(left)
    if not mine and not theirs:
        return None
    shown = [", ".join(sorted(side)[:3]) for side in (mine, theirs)]
    return Difference(label, (shown[0], shown[1]))


Pile = Literal["easy", "look"]

CANDIDATE_SHARE = 0.4  # Part of the weight of rare terms that candidates share where vectors do not tell them

SAME = 1.0  # Score of two that say the same word for word
WITHIN = 0.95  # Of two of which the one says all that the other does
MAIN = 0.6  # Share of a text that another one makes up which says the main thing of it
ALIKE_IN_WORDS = 0.5  # Dice share of the words below which words alone never make a duplicate of two in a crowd
ALIKE_IN_ONE_FILE = 0.3  # The same of two in one file, whose author would have seen that it says something twice
_HOPELESS = 0.4


@dataclass(frozen=True, slots=True)
class DuplicateGroup:
    """Memories that say the same."""

    ids: tuple[str, ...]  # the memory to keep first
    score: float  # likeness of the two that are least alike, 0–1
    pile: Pile  # `easy` where they differ in nothing that matters, else `look`
    warnings: tuple[str, ...]  # what differs from the memory to keep, in words
    copies: bool  # whether the texts are the same but for case, markup and spelling
    why: str  # what speaks for it, one line
    texts: Mapping[str, str] = field(default_factory=dict)  # content hash of each memory when it was compared

    @property
    def shape(self) -> tuple[str, ...]:
        """What duplicates of one sort have in common: the pile, and what sort of thing differs."""
        return (self.pile, *sorted({warning.partition(":")[0] for warning in self.warnings}))


@dataclass(frozen=True, slots=True)
class Likeness:
    """How alike two memories are, see `DuplicateGroup`."""

    score: float
    pile: Pile
    copies: bool = False
    why: str = "the same words"


def likeness(one: Wording, other: Wording) -> float:
    """Return how much two texts share, 0–1: the Dice share of their stems, or how alike the sorted stems are written.

    The stems are taken with names of code whole, or split where that is more alike. How they are written catches
    words that are written together or apart; it counts for nine tenths, as it also takes 8080 for 8081.
    """
    same = max(dice(one.terms, other.terms), dice(one.parts, other.parts))
    if same < _HOPELESS:
        return same
    from rapidfuzz import fuzz

    written = fuzz.ratio(one.sorted_stems, other.sorted_stems) / 100.0
    return max(same, 0.9 * written)


def compare(one: Memory, other: Memory, texts: TextCache, near: Nearness) -> Likeness | None:
    """Return how two memories are duplicates, None if they are not."""
    first, second = (texts.facts[memory.title, memory.insight] for memory in (one, other))
    found = texts.judged(one, other, near)
    if found is None or found.question != "duplicate":
        return None
    # Differences decide the pile only between equal words; of others they are looked up where they are shown.
    easy = first.wording.stems == second.wording.stems and not differences(one, other, texts)
    return Likeness(round(found.score, 4), "easy" if easy else "look", why=_why(first, second, near))


def _why(one: Facts, other: Facts, near: Nearness) -> str:
    """Return what speaks for a duplicate: `71% alike in meaning, 40% of the words, both name payment_id`."""
    mine, theirs = one.wording, other.wording
    said = [f"{near.cosine:.0%} alike in meaning"] if near.cosine is not None else []
    said.append(f"{dice(mine.parts, theirs.parts):.0%} of the words")
    shared = sorted((mine.told_names & theirs.told_names) | (mine.told_numbers & theirs.told_numbers))[:3]
    return ", ".join([*said, *([f"both name {', '.join(shared)}"] if shared else [])])


def differences(one: Memory, other: Memory, texts: TextCache) -> tuple[Difference, ...]:
    wordings = (texts.wordings[memory.title, memory.insight] for memory in (one, other))
    return (*text_differences(*wordings), *_kept_apart(one, other))


def _kept_apart(one: Memory, other: Memory) -> Iterator[Difference]:
    """Yield what tells two memories apart besides their texts."""
    if one.project != other.project:
        named = one.project if other.project == GLOBAL_PROJECT else other.project
        yield Difference(f"one holds everywhere, the other in {named}")
    mine, theirs = ({anchor.path for anchor in memory.anchors} for memory in (one, other))
    if mine and theirs and not mine & theirs:
        yield Difference("tied to different files")
    if (one.valid_from, one.valid_until) != (other.valid_from, other.valid_until):
        yield Difference("true at different times")


def find_duplicates(
    snapshot: Snapshot,
    *,
    alike: Iterable[Alike] = (),  # further candidates
    apart: Iterable[Pair] = (),  # pairs that are not duplicates whatever their words, such as contradictions
    with_near: bool = False,  # whether what a save would name comes after them, to be looked at
    cache: TextCache | None = None,
    progress: ProgressCallback | None = None,
) -> list[DuplicateGroup]:
    """Return the groups of duplicates, the most certain first."""
    finder = _Finder(snapshot, apart, TextCache() if cache is None else cache)
    groups = finder.groups(alike, progress)
    return [*groups, *finder.near_copies(groups)] if with_near else groups


class _Finder:
    """One search: pairs that are duplicates are collected as edges, then grouped."""

    def __init__(self, snapshot: Snapshot, apart: Iterable[Pair], cache: TextCache) -> None:
        self._memories = {memory.id: memory for memory in snapshot.memories}
        self._texts = cache
        self._wordings = {memory.id: cache.wordings[memory.title, memory.insight] for memory in snapshot.memories}
        self._others = others_in_view(snapshot.memories)
        # Whoever says that two do not contradict each other says that both hold, so they are no duplicates either.
        self._excluded = {*apart, *_linked_apart(snapshot), *snapshot.dismissed(NOT_DUPLICATE, NOT_CONTRADICTION)}
        self._edges: dict[Pair, Likeness] = {}
        self._held: dict[str, list[str]] = {}  # by the id of a memory, those whose text stands in its own
        self._holders: dict[str, list[str]] = {}  # by the id of a memory, those that say little more than it
        self._near: dict[Pair, float] = {}  # how alike two are that a save would name, though they may not say the same
        self._siblings: set[Pair] = set()  # pairs that stand in the same one, or say little more than the same one

    def groups(self, alike: Iterable[Alike], progress: ProgressCallback | None) -> list[DuplicateGroup]:
        copies = self._copies()
        for first, *twins in copies:
            for twin in twins:
                self._note_copy(self._memories[first], self._memories[twin])
        self._note_held([self._memories[first] for first, *_ in copies])
        for near in alike:
            if near.one in self._memories and near.other in self._memories:
                self._note(self._memories[near.one], self._memories[near.other], near)
        for one, other in self._pairs([self._memories[first] for first, *_ in copies], progress):
            self._note(one, other)
        same = list(self._groups_of_copies(copies))
        groups = [*same, *self._groups_alike({twin for group in same for twin in group.ids[1:]})]
        return sorted(groups, key=lambda group: (group.pile != "easy", not group.copies, -group.score, group.ids))

    def _copies(self) -> list[list[str]]:
        """Return the ids of memories that say the same whatever case, markup and spelling; the one to keep first."""
        alike: dict[tuple[str | None, tuple[str, ...]], list[Memory]] = {}
        for memory in sorted(self._memories.values(), key=_worth_keeping):
            alike.setdefault((memory.project, self._wordings[memory.id].stems), []).append(memory)
        found: list[list[str]] = []
        for twins in alike.values():
            same: dict[tuple[object, ...], list[str]] = {}
            for twin in twins:
                texts = (Wording(twin.rationale).words, Wording(twin.snippet).words) if len(twins) > 1 else ()
                same.setdefault((self._wordings[twin.id].words if texts else (), *texts), []).append(twin.id)
            found += same.values()
        return found

    def _pairs(self, memories: list[Memory], progress: ProgressCallback | None) -> Iterator[tuple[Memory, Memory]]:
        """Yield pairs that may reach one payload and share rare words, and enough of all words where there are many."""
        parts = views(memories)
        total = sum(map(len, parts))
        done = 0

        def step(position: int) -> None:
            if progress:
                progress(min(done + position, total), total)

        for part in parts:
            for first, second in self._texts.pairs("duplicates", part, partial(self._places, part, step)):
                yield part[first], part[second]
            done += len(part)
        step(0)

    def _places(self, part: Sequence[Memory], step: Callable[[int], None]) -> Iterator[Places]:
        wordings = [self._wordings[memory.id] for memory in part]
        terms = [wording.terms | wording.parts for wording in wordings]
        crowd = {place for place, memory in enumerate(part) if self._others[memory.project] >= CROWD}
        for first, second in candidate_pairs(terms, share=CANDIDATE_SHARE, step=step):
            if first not in crowd or dice(wordings[first].parts, wordings[second].parts) >= ALIKE_IN_WORDS:
                yield first, second

    def _is_open(self, one: Memory, other: Memory) -> bool:
        pair = pair_of(one.id, other.id)
        return pair not in self._excluded and pair not in self._edges and in_one_view(one, other)

    def _note_copy(self, one: Memory, other: Memory) -> None:
        if self._is_open(one, other):
            apart = any(_kept_apart(one, other))
            self._edges[pair_of(one.id, other.id)] = Likeness(1.0, "look" if apart else "easy", copies=not apart)

    def _note(self, one: Memory, other: Memory, alike: Alike | None = None) -> None:
        if not self._is_open(one, other):
            return
        near = nearness_of(one, other, alike, self._others[one.project])
        is_apart = self._only_shares_a_subject(one, other, near) or are_in_row(one, other)
        found = None if is_apart else compare(one, other, self._texts, near)
        if found:
            self._edges[pair_of(one.id, other.id)] = found
            return
        if not is_apart and not (is_of_file(one) and is_of_file(other)):
            mine, theirs = self._wordings[one.id], self._wordings[other.id]
            if (shared := dice(mine.parts, theirs.parts)) >= RESEMBLES_FROM:
                self._near[pair_of(one.id, other.id)] = shared
        if alike is not None:
            # What meaning tells apart is not looked at again for its words.
            self._excluded.add(pair_of(one.id, other.id))

    def near_copies(self, groups: Iterable[DuplicateGroup]) -> Iterator[DuplicateGroup]:
        """Yield the pairs of which a save would have named one beside the other, but for those in these groups."""
        grouped = {pair_of(*pair) for group in groups for pair in combinations(group.ids, 2)}
        for pair in sorted(self._near.keys() - grouped, key=lambda pair: (-self._near[pair], pair)):
            kept, other = sorted((self._memories[name] for name in pair), key=_worth_keeping)
            differ = tuple(each.text for each in differences(kept, other, self._texts))
            ids, score = (kept.id, other.id), round(self._near[pair], 4)
            why = f"{self._near[pair]:.0%} of the words"
            yield DuplicateGroup(ids, score, "look", differ, copies=False, why=why, texts=self._hashes(ids))

    def _note_held(self, memories: Sequence[Memory]) -> None:
        """Note the memories whose whole text stands in another one, word for word or nearly so, whatever their size."""
        for part in views(memories):
            runs = [self._texts.said[unheaded(memory)].runs for memory in part]
            found = self._texts.pairs("held", part, partial(held_pairs, runs))
            for inner, outer in ((part[first], part[second]) for first, second in found):
                self._note_within(inner, outer)
        for inners in self._held.values():
            self._siblings |= {pair_of(*pair) for pair in combinations(inners[: MOST_MERGED - 1], 2)}
        for outers in self._holders.values():
            self._siblings |= {pair_of(*pair) for pair in combinations(outers[: MOST_MERGED - 1], 2)}
        self._siblings -= {*self._edges, *self._excluded}

    def _note_within(self, inner: Memory, outer: Memory) -> None:
        said, text = unheaded(inner), unheaded(outer)
        if not self._is_open(inner, outer) or are_parallel(inner, outer) or not self._texts.held[said, text]:
            return
        subject = inner.title.partition(": ")[0] if ": " in inner.title else ""
        if not names_all(f"{outer.title}\n{outer.insight}", subject):
            return
        same = same_words(said, text)
        easy = same and not differences(inner, outer, self._texts)
        why = "the same text" if same else "what the one says stands in the other"
        self._edges[pair_of(inner.id, outer.id)] = Likeness(
            SAME if same else WITHIN, "easy" if easy else "look", why=why
        )
        self._held.setdefault(outer.id, []).append(inner.id)
        if len(said) >= MAIN * len(text):
            self._holders.setdefault(inner.id, []).append(outer.id)

    def _only_shares_a_subject(self, one: Memory, other: Memory, near: Nearness) -> bool:
        """Return whether two that came by themselves, or stand in one file, have few words in common."""
        if not near.is_crowded or near.is_noted or is_of_file(one) != is_of_file(other) or are_elsewhere(one, other):
            return False
        least = ALIKE_IN_ONE_FILE if is_of_file(one) else ALIKE_IN_WORDS
        return dice(self._wordings[one.id].parts, self._wordings[other.id].parts) < least

    def _groups_of_copies(self, copies: Iterable[list[str]]) -> Iterator[DuplicateGroup]:
        """Yield exact copies together, whatever their number."""
        for first, *twins in copies:
            same = [twin for twin in twins if (edge := self._edges.get(pair_of(first, twin))) and edge.copies]
            if same:
                ids = (first, *same)
                yield DuplicateGroup(ids, 1.0, "easy", (), copies=True, why="the same text", texts=self._hashes(ids))

    def _groups_alike(self, copies: AbstractSet[str]) -> Iterator[DuplicateGroup]:
        """Yield groups that one merge can take, in which every pair is an edge, the most alike joined first.

        `copies` stand in a group of their own, with the one that is left of them: that one speaks for them here.
        """
        edges = self._edges
        rest = [pair for pair, edge in edges.items() if not edge.copies and copies.isdisjoint(pair)]
        rest.sort(key=lambda pair: (edges[pair].pile != "easy", -edges[pair].score, pair))
        for cluster in cliques(rest, edges.keys() | self._siblings, MOST_MERGED):
            ids = tuple(sorted(cluster, key=lambda name: self._first_in(cluster, name)))
            inner = [edges[pair] for pair in starmap(pair_of, combinations(ids, 2)) if pair in edges]
            kept, *others = (self._memories[name] for name in ids)
            differ = [each for other in others for each in differences(kept, other, self._texts)]
            # Of several memories only what differs is shown, not how each does.
            found = dict.fromkeys(each.label if len(others) > 1 else each.text for each in differ)
            pile: Pile = "easy" if all(edge.pile == "easy" for edge in inner) else "look"
            least = min(inner, key=lambda edge: edge.score)
            yield DuplicateGroup(
                ids, least.score, pile, tuple(found), copies=False, why=least.why, texts=self._hashes(ids)
            )

    def _first_in(self, cluster: AbstractSet[str], name: str) -> tuple[object, ...]:
        """Return a sort key that puts first what is pinned or vouched for, then what holds the others."""
        *vouched, created_at, identifier = _worth_keeping(self._memories[name])
        held = len(cluster & set(self._held.get(name, ())))
        return (*vouched, -held, -len(self._memories[name].insight) if held else 0, created_at, identifier)

    def _hashes(self, ids: Iterable[str]) -> dict[str, str]:
        return {name: content_hash(self._memories[name]) for name in ids}


def _linked_apart(snapshot: Snapshot) -> Iterator[Pair]:
    for link in snapshot.links:
        if link.type in {"supersedes", "contradicts", "derived-from"} or (
            link.type == "relates" and link.origin == "person"
        ):
            yield pair_of(link.from_id, link.to_id)


def _worth_keeping(memory: Memory) -> tuple[object, ...]:
    """Return a sort key that puts first the memory into which the others would be merged."""
    return (not memory.pinned, memory.verified_at is None, memory.confirmed_at is None, memory.created_at, memory.id)


CHANGED_BELOW = 0.7  # Likeness of a text with its former self below which an edit made another statement of it

CONTRADICTS_FROM = 0.5
"""Likeness from which a contradiction is reported at a save: of the labelled contradictions two in 100 share less, and
among 490 memories of one project most that share less only use the same words."""

RESEMBLES_FROM = 0.65  # Dice share of the words from which a near miss is reported at a save

LIKELY_FROM = 0.9
"""How sure it must be that two texts with differences say the same before a save asks about them. Of 125 rules of one
repository that were accepted one by one, 4 are asked about, 3 of them repetitions; from 0.5 on it would be 39."""

Sort = Literal["same", "differs", "clashes", "replaces"]  # `replaces` is proposed, not found by comparing


@dataclass(frozen=True, slots=True)
class Resemblance:
    """A memory that a new one resembles."""

    id: str  # the existing memory
    title: str
    sort: Sort  # it says the same, much the same with a difference that matters, the contrary, or is to be replaced
    score: float  # likeness, 0–1
    why: str  # the difference in words; may hold words of others
    is_likely: bool = True  # whether a person would merge or settle the pair, so that asking is worth it

    @property
    def link(self) -> LinkType:
        """The link that is offered first."""
        return "relates" if self.sort == "differs" else "supersedes"


def compared(memory: Memory, other: Memory, cosine: float | None = None) -> Resemblance | None:
    """Return how a memory resembles another that was found for it, None if it does not."""
    texts, near = TextCache(), Nearness(cosine, is_crowded=True)
    wordings = [texts.wordings[each.title, each.insight] for each in (other, memory)]
    score = likeness(*wordings)
    found = contradiction_between(other, memory, texts, near) if score >= CONTRADICTS_FROM else None
    if found is not None:
        return Resemblance(other.id, other.title, "clashes", score, found.why)
    alike = compare(other, memory, texts, near)
    if alike is None and dice(wordings[0].parts, wordings[1].parts) < RESEMBLES_FROM:
        return None
    differ = differences(other, memory, texts)
    score = alike.score if alike else score
    if not differ:
        return Resemblance(other.id, other.title, "same", score, "says the same", alike is not None)
    why = "; ".join(difference.text for difference in differ)
    return Resemblance(other.id, other.title, "differs", score, why, alike is not None and score >= LIKELY_FROM)


def changed_much(before: Memory, after: Memory) -> bool:
    """Return whether an edit made another statement of a memory, so that it may resemble others now."""
    if (before.title, before.insight) == (after.title, after.insight):
        return False
    return likeness(wording_of(before.title, before.insight), wording_of(after.title, after.insight)) < CHANGED_BELOW


def resemblance_record(found: Resemblance) -> dict[str, object]:
    """Return the `--json` form."""
    return {"id": found.id, "title": found.title, "sort": found.sort, "score": round(found.score, 4), "why": found.why}
