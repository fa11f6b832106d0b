"""Pairs of memories that contradict each other, with the reason."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import chain, combinations, product

from memtui.analysis.claims import LONGEST_CLAIM, READ_CHARACTERS, Claim, Clause, classes_of, says_non
from memtui.analysis.contradiction_rules import (
    ClaimContradiction,
    ContradictionType,
    claim_contradiction,
    explain,
    first_contradiction,
    may_contradict,
    replacing,
)
from memtui.analysis.pair_facts import Facts, gone_but_used
from memtui.analysis.pair_features import Nearness, dice
from memtui.analysis.section_context import are_in_one_list, is_of_file, unheaded
from memtui.analysis.sentence_contradiction import BY_DISTANCE, LEAST
from memtui.analysis.snapshot import (
    CROWD,
    NOT_CONTRADICTION,
    Alike,
    Pair,
    Snapshot,
    TextCache,
    by_project,
    candidate_pairs,
    nearness,
    nearness_of,
    pair_of,
)
from memtui.domain.memory import Memory, content_hash
from memtui.progress import ProgressCallback
from memtui.text.memo import Memo
from memtui.text.sanitize import one_line

CLAIM_SHARE = 0.5  # Part of the weight of rare terms that two claims share before they are compared
MOST_HOLDERS = 2  # Memories that stand for a clause that more of them repeat word for word
LONGEST_IN_CROWD = 60  # Words of a memory; a longer one says so much that something always differs
FEW = 12  # Memories of which every two are looked at
SLIGHT: frozenset[ContradictionType] = frozenset({"order", "statement"})
"""What is proposed of imported memories only where they are few: in real files none of it was real."""

ALIKE_IN_LIST = 0.5  # Dice share of the words of two under one heading below which they are about different things

ONE_IN = 40  # Memories for which one is proposed, at most, of those that came by themselves; `FEW_LONE` are in any case
FEW_LONE = 12
MOST_OF_ONE = 2  # Of these that name one memory
STEP = 200  # Memories between two checks for cancelling

DECIDED_BY = frozenset({"person", "import", "merge"})
"""Origins of links that decide a pair; what an agent linked is still a proposal."""


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Two memories that contradict each other."""

    ids: Pair  # the older memory first
    type: ContradictionType  # which kind of contradiction; `linked` where a link says so
    why: str  # one line for people
    words: tuple[str, str]  # the contradicting words of each, empty where they are not known
    claims: tuple[str, str]  # the contradicting clause of each, as written
    texts: tuple[str, str]  # content hash of each when they were compared
    winner: str = ""  # id of the one that replaced the other by what they say, or that is newer; empty if none is

    @property
    def shape(self) -> tuple[str, ...]:
        """What contradictions of one sort have in common."""
        return (self.type,)


def find_contradictions(
    snapshot: Snapshot,
    *,
    alike: Iterable[Alike] = (),  # pairs whose vectors are near
    is_crowded: bool = False,  # whether these memories were picked from many
    cache: TextCache | None = None,
    progress: ProgressCallback | None = None,
) -> list[Contradiction]:
    """Return the contradictions within each project and within `global`.

    A project's rule against a global one is no contradiction: the more specific one holds. Pairs that a person
    linked or dismissed, and facts of different times, are left out; `linked_contradictions` returns those that are
    linked as `contradicts`.
    """
    known = TextCache() if cache is None else cache
    decided = decided_pairs(snapshot)
    total = len(snapshot.memories)
    found: dict[Pair, Contradiction] = {}
    done = 0

    def step(part: int) -> None:
        if progress:
            progress(min(done + part, total), total)

    near = {pair_of(each.one, each.other): each for each in alike}
    nearest = _nearest_in_files(snapshot.memories, near.values())
    lone: list[tuple[float, Contradiction]] = []
    for project, memories in by_project(snapshot.memories).items():
        if project is None:
            continue
        others = CROWD if is_crowded else len(memories) - 1
        for first, second in chain(_places(memories, near), _listed(memories, known, step)):
            one, other = memories[first], memories[second]
            pair = pair_of(one.id, other.id)
            if pair in decided or pair in found or not _may_contradict(one, other, known):
                continue
            contradiction = contradiction_between(one, other, known, nearness_of(one, other, near.get(pair), others))
            if contradiction is not None and not _is_slight(contradiction, one, other, others):
                found[pair] = contradiction
            elif pair in near:
                most = max(nearest.get(one.id, -1.0), nearest.get(other.id, -1.0))
                lone += _against_file(one, other, known, nearness(near[pair], others), most)
            decided.add(pair)
        done += len(memories)
    step(0)
    found.update((contradiction.ids, contradiction) for contradiction in _surest(lone, found, total))
    return sorted(found.values(), key=lambda contradiction: contradiction.ids)


def _places(memories: Sequence[Memory], pairs: Iterable[Pair]) -> list[tuple[int, int]]:
    """Return the places of those pairs of which both are among these memories."""
    known = {memory.id: place for place, memory in enumerate(memories)}
    places = ((known.get(one, -1), known.get(other, -1)) for one, other in pairs)
    return [each for each in places if min(each) >= 0]


def _may_contradict(one: Memory, other: Memory, known: TextCache) -> bool:
    return _at_one_time(one, other) and not _are_next(one, other, known)


def _are_next(one: Memory, other: Memory, known: TextCache) -> bool:
    """Return whether two stand under one heading and say, beside it, different things: steps, or sorts of a thing."""
    if not are_in_one_list(one, other):
        return False
    mine, theirs = (known.said[unheaded(memory)].wording.parts for memory in (one, other))
    return dice(mine, theirs) < ALIKE_IN_LIST


def _is_slight(contradiction: Contradiction, one: Memory, other: Memory, others: int) -> bool:
    """Return whether only an order, or the sum of many hints, speaks for a contradiction among a crowd of imports."""
    return others >= CROWD and contradiction.type in SLIGHT and is_of_file(one) and is_of_file(other)


def _against_file(
    one: Memory, other: Memory, known: TextCache, near: Nearness, nearest: float
) -> Iterator[tuple[float, Contradiction]]:
    """Yield how sure it is that a memory which came by itself excludes one from a file, and the contradiction.

    `nearest`: cosine of the former to the nearest memory of a file.
    """
    if is_of_file(one) == is_of_file(other) or near.cosine is None:
        return
    typed, filed = (other, one) if is_of_file(one) else (one, other)
    found = known.sentences[(typed.title, typed.insight), (filed.title, filed.insight), near]
    score = found.score - BY_DISTANCE * (nearest - near.cosine) if found is not None else 0.0
    if found is None or score < LEAST:
        return
    first, second = _by_age(one, other)
    sentences = (found.first, found.second) if first is typed else (found.second, found.first)
    told = explain(*sentences, *(known.written["", facts.insight] for facts in sentences))
    texts = (content_hash(first), content_hash(second))
    winner = _winner(first, second, sentences)
    ids = (first.id, second.id)
    yield (
        score,
        Contradiction(ids, told.type, told.why, told.words, told.claims, texts, winner),
    )


def _nearest_in_files(memories: Sequence[Memory], near: Iterable[Alike]) -> dict[str, float]:
    """Return the cosine of each memory that came by itself to the nearest memory of a file."""
    of_file = {memory.id: is_of_file(memory) for memory in memories}
    found: dict[str, float] = {}
    for alike in near:
        for typed, filed in ((alike.one, alike.other), (alike.other, alike.one)):
            if of_file.get(typed) is False and of_file.get(filed):
                found[typed] = max(found.get(typed, -1.0), alike.cosine)
    return found


def _surest(
    lone: Sequence[tuple[float, Contradiction]], found: Mapping[Pair, Contradiction], memories: int
) -> Iterator[Contradiction]:
    """Yield the surest, so few that they are worth a look, and of one memory hardly any.

    A memory of a file may say several things, each of which is taken back by another statement.
    """
    taken = Counter(identifier for pair in found for identifier in pair)
    most = max(FEW_LONE, memories // ONE_IN)
    for _, contradiction in sorted(lone, key=lambda each: (-each[0], each[1].ids)):
        if most and all(taken[identifier] < MOST_OF_ONE for identifier in contradiction.ids):
            taken.update(contradiction.ids)
            most -= 1
            yield contradiction


def linked_contradictions(snapshot: Snapshot, *, cache: TextCache | None = None) -> list[Contradiction]:
    """Return the pairs that are linked as `contradicts`, whoever linked them."""
    memories = {memory.id: memory for memory in snapshot.memories}
    pairs = {pair_of(link.from_id, link.to_id) for link in snapshot.links if link.type == "contradicts"}
    found = [_linked(memories[one], memories[other], cache) for one, other in pairs if {one, other} <= memories.keys()]
    return sorted(found, key=lambda contradiction: contradiction.ids)


def _linked(one: Memory, other: Memory, cache: TextCache | None) -> Contradiction:
    known = TextCache() if cache is None else cache
    first, second = _by_age(one, other)
    found = first_contradiction(*(known.written[memory.title, memory.insight] for memory in (first, second)))
    texts = (content_hash(first), content_hash(second))
    if found is not None:
        return Contradiction((first.id, second.id), "linked", found.why, found.words, found.claims, texts)
    claims = (one_line(first.insight), one_line(second.insight))
    why = f"a link says so: “{first.title}” / “{second.title}”"
    return Contradiction((first.id, second.id), "linked", why, ("", ""), claims, texts)


def contradiction_between(
    one: Memory, other: Memory, cache: TextCache | None = None, near: Nearness | None = None
) -> Contradiction | None:
    """Return how two memories contradict each other, None if they do not. `near`: unless only their texts are known."""
    known = TextCache() if cache is None else cache
    near = near or Nearness()
    first, second = _by_age(one, other)
    facts = (known.facts[first.title, first.insight], known.facts[second.title, second.insight])
    if near.is_crowded and max(len(each.insight.split()) for each in facts) > LONGEST_IN_CROWD:
        return None
    found = known.judged(first, second, near)
    if found is None or found.question != "contradiction":
        return None
    told = explain(*facts, *(known.written[memory.title, memory.insight] for memory in (first, second)))
    if _only_says_non(told.type, facts) or _are_other_settings(told.words, first.insight, second.insight):
        return None
    if is_of_file(first) and is_of_file(second) and _agree_after_all(told, first, second, known):
        return None
    texts = (content_hash(first), content_hash(second))
    winner = _winner(first, second, facts)
    return Contradiction((first.id, second.id), told.type, told.why, told.words, told.claims, texts, winner)


def _winner(first: Memory, second: Memory, facts: tuple[Facts, Facts]) -> str:
    """Return the id of the one that replaced the other by what they say, else of the newer; empty if neither is."""
    place = replacing(*facts)
    winner = _newer(first, second) if place is None else (first, second)[place]
    return "" if winner is None else winner.id


def _only_says_non(type_: ContradictionType, facts: tuple[Facts, Facts]) -> bool:
    """Return whether what looks like a denial is a word with a negative prefix that both agree on."""
    one, other = (each.wording.plain for each in facts)
    return type_ in {"negation", "always-never"} and (says_non(one, other) or says_non(other, one))


_SWITCH = re.compile(r"([\w.-]{1,100})[\"'`]?\s*[:=]\s*[\"'`]?(true|false|on|off|yes|no)\b", re.IGNORECASE)


def _are_other_settings(words: tuple[str, str], one: str, other: str) -> bool:
    """Return whether the words that exclude each other are what different settings are set to."""
    mine, theirs = (
        {key.lower() for key, value in _SWITCH.findall(text) if value.lower() == word}
        for text, word in zip((one, other), words, strict=True)
    )
    return bool(mine and theirs) and not mine & theirs


def _agree_after_all(told: ClaimContradiction, first: Memory, second: Memory, known: TextCache) -> bool:
    """Return whether nothing excludes but a word of a heading that is said to be no more, or one that both texts have.

    A heading names what a section is about; what its text says to be gone is something in it. Of two words that
    exclude each other one text may speak of both, as in `absolute-URL redirects fail, relative ones do not`.
    """
    if told.type == "replaced":
        one, other = (known.facts["", unheaded(memory)] for memory in (first, second))
        return not (gone_but_used(one, other) or gone_but_used(other, one))
    words, texts = told.words, (second.insight, first.insight)
    return told.type == "value" and any(
        word and _speaks_of(text, word) for word, text in zip(words, texts, strict=True)
    )


_TAKES_BACK = re.compile(
    r"\b(?:not?|never|instead of|rather than|over|from|convert|replace|drop|remove|avoid|ban|old|former|unlike)\w*\W+"
    r"(?:\w+\W+)?$",
    re.IGNORECASE,
)
_LOOKED_BACK = 40  # characters before a word that may take it back


def _speaks_of(text: str, word: str) -> bool:
    """Return whether a text has a word, and does not name it only to take it back."""
    found = re.finditer(rf"(?<!\w){re.escape(word)}(?!\w)", text, re.IGNORECASE)
    return any(not _TAKES_BACK.search(text[max(0, one.start() - _LOOKED_BACK) : one.start()]) for one in found)


def sort_of(one: Memory, other: Memory, cache: TextCache) -> ContradictionType:
    """Return the kind of contradiction that two memories would be."""
    texts = [(memory.title, memory.insight) for memory in _by_age(one, other)]
    facts, written = [cache.facts[text] for text in texts], [cache.written[text] for text in texts]
    return explain(facts[0], facts[1], written[0], written[1]).type


def _newer(first: Memory, second: Memory) -> Memory | None:
    """Return the memory that is newer by days: what came in together has one age."""
    start, end = (memory.observed_at or memory.created_at for memory in (first, second))
    return second if end - start >= timedelta(days=1) else first if start - end >= timedelta(days=1) else None


def _by_age(one: Memory, other: Memory) -> tuple[Memory, Memory]:
    return (one, other) if (one.created_at, one.id) <= (other.created_at, other.id) else (other, one)


def decided_pairs(snapshot: Snapshot) -> set[Pair]:
    """Return the pairs that are no open contradiction: a person dismissed them as their texts stand, or linked them."""
    return snapshot.dismissed(NOT_CONTRADICTION) | {
        pair_of(link.from_id, link.to_id)
        for link in snapshot.links
        if link.type in {"supersedes", "contradicts"} or link.origin in DECIDED_BY
    }


def _at_one_time(one: Memory, other: Memory) -> bool:
    starts = [moment for moment in (one.valid_from, other.valid_from) if moment is not None]
    ends = [moment for moment in (one.valid_until, other.valid_until) if moment is not None]
    latest: datetime | None = max(starts, default=None)
    earliest: datetime | None = min(ends, default=None)
    return latest is None or earliest is None or latest < earliest


def _listed(memories: Sequence[Memory], known: TextCache, step: Callable[[int], None]) -> Iterable[tuple[int, int]]:
    """Return the candidates; those of an unchanged project as the last pass found them, with what it analysed."""
    found = known.pairs("contradictions", memories, lambda: _candidates(memories, known, step))
    for memory in memories:
        for clause in known.clauses.keep((memory.title, memory.insight[:READ_CHARACTERS])) or ():
            known.claims.keep(clause)
    return found


def _candidates(memories: Sequence[Memory], known: TextCache, step: Callable[[int], None]) -> Iterator[tuple[int, int]]:
    """Yield positions of memories of which two clauses may contradict each other.

    A clause that many memories repeat is compared once, and its newest memories stand for all: mostly the others
    are their duplicates, which is another finding.
    """
    if len(memories) <= FEW:
        yield from combinations(range(len(memories)), 2)
        return
    holders: dict[str, list[int]] = {}
    written: dict[str, Clause] = {}
    for position, memory in enumerate(memories):
        for clause in known.clauses[memory.title, memory.insight[:READ_CHARACTERS]]:
            written.setdefault(clause.text, clause)
            holders.setdefault(clause.text, []).append(position)
        if position % STEP == 0:
            step(position // 2)
    clauses = list(written.values())
    if not clauses:
        return
    terms = [clause.terms for clause in clauses]
    keys = [_keys(clause, held) for clause, held in zip(clauses, terms, strict=True)]
    half = len(memories) // 2

    def halfway(position: int) -> None:
        step(half + position * half // len(clauses))

    claims: Memo[int, Claim | None] = Memo(lambda at: known.claims[clauses[at]], most=len(clauses) + 1)
    for first, second in candidate_pairs(keys, share=CLAIM_SHARE, step=halfway):
        if not may_contradict(terms[first], terms[second]):
            continue
        claim, rival = claims[first], claims[second]
        if claim and rival and claim_contradiction(claim, rival):
            yield from _pairs_of(*(holders[clauses[at].text][-MOST_HOLDERS:] for at in (first, second)))


def _pairs_of(holders: Sequence[int], others: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield the pairs of those that hold one clause and of those that hold another; one may hold both."""
    return ((one, other) for one, other in product(holders, others) if one != other)


def _keys(clause: Clause, terms: frozenset[str]) -> frozenset[str]:
    """Return what a clause is found by: its terms, and the classes of the tools that it names."""
    if len(terms) > LONGEST_CLAIM:
        return frozenset()
    return terms.union(*map(_classes.__getitem__, clause.text.split()))


_classes: Memo[str, frozenset[str]] = Memo(
    lambda word: frozenset(f"class {number}" for number in classes_of(word.strip(".,;:()"))), most=100_000
)
