"""Memories that say the same."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import combinations, product, starmap
from typing import Literal

from memtui.analysis.pair_differences import Difference, differences, kept_apart
from memtui.analysis.pair_facts import Facts
from memtui.analysis.pair_features import Nearness, dice
from memtui.analysis.repeated_text import (
    READ_CHARACTERS,
    held_pairs,
    is_one_code,
    is_step_of,
    is_version_of,
    lacks_code_of,
    names_all,
    opening_of,
    same_words,
    stands_word_for_word,
)
from memtui.analysis.section_context import (
    are_elsewhere,
    are_in_one_list,
    are_in_one_section,
    are_in_row,
    are_parallel,
    hold_elsewhere,
    is_of_file,
    is_record,
    unheaded,
)
from memtui.analysis.snapshot import (
    CROWD,
    NOT_CONTRADICTION,
    NOT_DUPLICATE,
    Alike,
    Pair,
    Places,
    Snapshot,
    TextCache,
    candidate_pairs,
    cliques,
    in_one_view,
    nearness_of,
    others_in_view,
    pair_of,
    views,
)
from memtui.analysis.text_features import Wording
from memtui.domain.memory import MOST_MERGED, Memory, content_hash
from memtui.domain.scope import holds_within
from memtui.progress import ProgressCallback

Pile = Literal["easy", "look"]

CANDIDATE_SHARE = 0.4  # Part of the weight of rare terms that candidates share where vectors do not tell them

SAME = 1.0  # Score of two that say the same word for word
WITHIN = 0.95  # Of two of which the one says all that the other does
SAME_TEXT = "the same text"
SAID_THERE = "the longer one says it all"
HELD_THERE = "one contains what the other says"
MOST_TWINS = 40  # Memories with one text that are compared with each other
FEWEST_SAME = 4  # Words of a text; a shorter one stands under two headings by chance
MAIN = 0.6  # Share of a text that another one makes up which says the main thing of it
ALIKE_IN_WORDS = 0.5  # Dice share of the words below which words alone never make a duplicate of two in a crowd
ALIKE_IN_ONE_FILE = 0.3  # The same of two in one file, whose author would have seen that it says something twice
ALIKE_IN_ONE_LIST = 0.8  # The same of two under one heading, that one aside: neighbours that say nearly the same
RESEMBLES_FROM = 0.65  # Dice share of the words from which a near miss is reported at a save
_HOPELESS = 0.4


@dataclass(frozen=True, slots=True)
class DuplicateGroup:
    """Memories that say the same."""

    ids: tuple[str, ...]  # the memory to keep first
    score: float  # likeness of the two that are least alike, 0–1
    pile: Pile  # `easy` where they differ in nothing that matters, else `look`
    differ: tuple[Difference, ...]  # what differs from the memory to keep
    copies: bool  # whether the texts are the same but for case, markup and spelling
    why: str  # what speaks for it, one line
    texts: Mapping[str, str] = field(default_factory=dict)  # content hash of each memory when it was compared

    @property
    def shape(self) -> tuple[str, ...]:
        """What duplicates of one sort have in common: the pile, and what sort of thing differs."""
        return (self.pile, *sorted({f"{each.code} {each.project}".strip() for each in self.differ}))

    @property
    def warnings(self) -> tuple[str, ...]:
        """What differs from the memory to keep, in words."""
        return tuple(each.text for each in self.differ)


@dataclass(frozen=True, slots=True)
class Likeness:
    """How alike two memories are, see `DuplicateGroup`."""

    score: float
    pile: Pile
    copies: bool = False
    why: str = "the same words"
    is_same_text: bool = False  # whether they are the same word for word below their headings


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


def find_duplicates(
    snapshot: Snapshot,
    *,
    alike: Iterable[Alike] = (),  # further candidates
    apart: Iterable[Pair] = (),  # pairs that are not duplicates whatever their words, such as contradictions
    cache: TextCache | None = None,
    progress: ProgressCallback | None = None,
) -> list[DuplicateGroup]:
    """Return the groups of duplicates, the most certain first."""
    return _Finder(snapshot, apart, TextCache() if cache is None else cache).groups(alike, progress)


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
        self._siblings: set[Pair] = set()  # pairs that stand in the same one, or say little more than the same one

    def groups(self, alike: Iterable[Alike], progress: ProgressCallback | None) -> list[DuplicateGroup]:
        copies = self._copies()
        for first, *twins in copies:
            for twin in twins:
                self._note_copy(self._memories[first], self._memories[twin])
        self._note_same([self._memories[first] for first, *_ in copies])
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
            apart = any(kept_apart(one, other))
            self._edges[pair_of(one.id, other.id)] = Likeness(1.0, "look" if apart else "easy", copies=not apart)

    def _note(self, one: Memory, other: Memory, alike: Alike | None = None) -> None:
        if not self._is_open(one, other):
            return
        near = nearness_of(one, other, alike, self._others[one.project])
        is_apart = self._only_shares_a_subject(one, other, near) or self._are_of_other_sorts(one, other)
        found = None if is_apart else compare(one, other, self._texts, near)
        if found:
            self._edges[pair_of(one.id, other.id)] = found
            return
        if alike is not None:
            # What meaning tells apart is not looked at again for its words.
            self._excluded.add(pair_of(one.id, other.id))

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

    def _note_same(self, memories: Sequence[Memory]) -> None:
        """Note what is the same word for word below its headings, and what is the opening statement of another."""
        for part in views(memories):
            same: dict[tuple[str, ...], list[Memory]] = {}
            opened: dict[tuple[str, ...], list[Memory]] = {}
            for memory in part:
                said = unheaded(memory)
                words = self._texts.said[said].tokens
                opening = self._texts.said[opening_of(said)].tokens
                if len(said) <= READ_CHARACTERS and len(words) >= FEWEST_SAME:
                    same.setdefault(words, []).append(memory)
                if len(words) > len(opening) >= FEWEST_SAME:
                    opened.setdefault(opening, []).append(memory)
            for words, twins in same.items():
                for one, other in combinations(twins[:MOST_TWINS], 2):
                    self._note_twins(one, other)
                for inner, outer in product(twins[:MOST_TWINS], opened.get(words, ())[:MOST_TWINS]):
                    if self._is_open(inner, outer) and not self._is_about_another(inner, outer):
                        self._hold(inner, outer)

    def _note_twins(self, one: Memory, other: Memory) -> None:
        if not self._is_open(one, other) or self._is_about_another(one, other) or self._is_about_another(other, one):
            return
        more = ((one.rationale, other.rationale), (one.snippet, other.snippet))
        easy = not any(kept_apart(one, other)) and all(starmap(same_words, more))
        self._edges[pair_of(one.id, other.id)] = Likeness(
            SAME, "easy" if easy else "look", why=SAME_TEXT, is_same_text=True
        )

    def _is_about_another(self, inner: Memory, outer: Memory) -> bool:
        """Return whether headings say that what two memories say alike is about different things."""
        if are_parallel(inner, outer) or hold_elsewhere(inner, outer):
            return True
        subject = inner.title.partition(": ")[0] if ": " in inner.title else ""
        return not names_all(f"{outer.title}\n{outer.insight}", subject)

    def _note_within(self, inner: Memory, outer: Memory) -> None:
        said, text = unheaded(inner), unheaded(outer)
        if not self._is_open(inner, outer) or self._is_about_another(inner, outer):
            return
        if is_version_of(said, text):
            self._hold(inner, outer, "code or a table with much the same lines")
        if self._is_open(inner, outer) and stands_word_for_word(self._texts.said[said], self._texts.said[text]):
            self._hold(inner, outer, SAID_THERE)
        if not self._is_open(inner, outer) or not self._texts.held[said, text]:
            return
        mostly = len(said) >= MAIN * len(text)
        if not mostly and (is_step_of(said, text) or lacks_code_of(text, said)):
            return
        self._hold(inner, outer)
        if mostly:
            self._holders.setdefault(inner.id, []).append(outer.id)

    def _hold(self, inner: Memory, outer: Memory, why: str = HELD_THERE) -> None:
        if not holds_within(inner, outer) and len(unheaded(inner)) < MAIN * len(unheaded(outer)):
            # Merged, all that the longer one says would hold wherever the shorter one does.
            self._excluded.add(pair_of(inner.id, outer.id))
            return
        self._edges[pair_of(inner.id, outer.id)] = Likeness(WITHIN, "look", why=why)
        self._held.setdefault(outer.id, []).append(inner.id)

    def _are_of_other_sorts(self, one: Memory, other: Memory) -> bool:
        """Return whether each of two says something of its own: in a section, in a row of files, or as what it is."""
        if are_in_row(one, other):
            return True
        if not (is_of_file(one) and is_of_file(other)):
            return False
        texts = unheaded(one), unheaded(other)
        if are_in_one_section(one, other):
            mine, theirs = (self._texts.said[text].wording.parts for text in texts)
            least = ALIKE_IN_ONE_LIST if are_in_one_list(one, other) else ALIKE_IN_WORDS
            return dice(mine, theirs) < least
        return is_record(one) != is_record(other) or is_one_code(*texts)

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
                yield DuplicateGroup(ids, 1.0, "easy", (), copies=True, why=SAME_TEXT, texts=self._hashes(ids))

    def _groups_alike(self, copies: AbstractSet[str]) -> Iterator[DuplicateGroup]:
        """Yield groups that one merge can take, in which every pair is an edge, the most alike joined first.

        `copies` stand in a group of their own, with the one that is left of them: that one speaks for them here. So
        does the first of those that differ in nothing.
        """
        edges = {pair: edge for pair, edge in self._edges.items() if not edge.copies and copies.isdisjoint(pair)}
        easy = {pair for pair, edge in edges.items() if edge.pile == "easy"}
        spoken: set[str] = set()
        for group in self._joined(easy, easy):
            spoken.update(group.ids[1:])
            yield group
        yield from self._joined(
            {pair for pair in edges if spoken.isdisjoint(pair)}, self._edges.keys() | self._siblings
        )

    def _joined(self, pairs: Iterable[Pair], known: AbstractSet[Pair]) -> Iterator[DuplicateGroup]:
        """Yield groups along pairs, of which every two are known to be alike."""
        edges = self._edges
        rest = sorted(pairs, key=lambda pair: (edges[pair].pile != "easy", -edges[pair].score, pair))
        for cluster in cliques(rest, known, MOST_MERGED):
            ids = tuple(sorted(cluster, key=lambda name: self._first_in(cluster, name)))
            inner = [edges[pair] for pair in starmap(pair_of, combinations(ids, 2)) if pair in edges]
            kept, *others = (self._memories[name] for name in ids)
            differ = [each for other in others for each in self._differences(kept, other)]
            # Of several memories only what differs is shown, not how each does.
            found = dict.fromkeys(replace(each, sides=None) if len(others) > 1 else each for each in differ)
            pile: Pile = "easy" if all(edge.pile == "easy" for edge in inner) else "look"
            least = min(inner, key=lambda edge: (edge.score, edge.why == SAID_THERE))
            yield DuplicateGroup(
                ids, least.score, pile, tuple(found), copies=False, why=least.why, texts=self._hashes(ids)
            )

    def _differences(self, one: Memory, other: Memory) -> Iterable[Difference]:
        """Return in what two differ; the headings above the same text are no difference."""
        edge = self._edges.get(pair_of(one.id, other.id))
        return kept_apart(one, other) if edge and edge.is_same_text else differences(one, other, self._texts)

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
