"""A snapshot of memories to analyse, candidate pairs in it, and analyses kept for the next pass."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import chain, combinations
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from memtui.analysis.claims import Claim, Clause, claim_of, claims_of, clauses_of
from memtui.analysis.pair_facts import Facts
from memtui.analysis.pair_features import UNKNOWN_CROWD, Judgement, Nearness, judge
from memtui.analysis.repeated_text import Said, stands_in
from memtui.analysis.section_context import are_elsewhere, is_of_file
from memtui.analysis.sentence_contradiction import SentenceContradiction, sentence_contradiction
from memtui.analysis.text_features import Wording, wording_of
from memtui.domain.memory import GLOBAL_PROJECT, Link, Memory, Verdict, content_hash
from memtui.text.normal_form import plain_form

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.int64]

Pair = tuple[str, str]  # Two ids, the smaller first

NOT_DUPLICATE = "not-duplicate"
NOT_CONTRADICTION = "not-conflict"
NOT_RELATED = "not-related"
NOT_RIPE = "not-ripe"
"""Verdicts on a pair, as stored: one memory has the verdict; its reason holds the other's id and a fingerprint."""

NOT_OVERSIZED = "not-oversized"
NOT_VAGUE = "not-vague"
NOT_FRAGMENT = "not-fragment"
"""Verdicts on one memory, stored as one on a pair of it and itself."""

SINGLE_VERDICTS = frozenset({NOT_OVERSIZED, NOT_VAGUE, NOT_FRAGMENT})
PROPOSAL_VERDICTS = SINGLE_VERDICTS | {NOT_DUPLICATE, NOT_CONTRADICTION, NOT_RELATED, NOT_RIPE}

ALONE = "alone"
"""Ends the reason of a dismissal that holds for its own memories and teaches nothing about others."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Memories with links between any two, and verdicts on pairs."""

    memories: list[Memory]
    links: list[Link] = field(default_factory=list)
    dismissals: list[Verdict] = field(default_factory=list)
    keys: dict[str, int] = field(default_factory=dict)  # internal key of each memory, for its vector

    def dismissed(self, *verdicts: str) -> set[Pair]:
        """Return the pairs that a person gave one of these verdicts, as long as both texts are unchanged."""
        return {pair for pair, verdict in self.dismissals_in_force() if verdict.verdict in verdicts}

    def dismissals_in_force(self) -> Iterator[tuple[Pair, Verdict]]:
        """Yield the verdicts on pairs of which both texts are as they were."""
        known = {memory.id: memory for memory in self.memories} if self.dismissals else {}
        for verdict in self.dismissals:
            other, fingerprint, *_ = (*verdict.reason.split(" "), "", "")
            if other not in known or verdict.memory_id not in known:
                continue
            if fingerprint == pair_fingerprint(known[verdict.memory_id], known[other]):
                yield pair_of(verdict.memory_id, other), verdict


class Alike(NamedTuple):
    """Two memories whose vectors are near."""

    one: str
    other: str
    cosine: float
    crowd: float = UNKNOWN_CROWD  # mean cosine of each to its next neighbours


CROWD = 2  # Other memories in view from which the nearest of one is picked from many


def nearness(alike: Alike | None, others: int, *, is_noted: bool = False, elsewhere: bool | None = None) -> Nearness:
    """Return what is known of a pair besides its texts.

    Args:
        alike: how near their vectors are.
        others: memories in view of them.
        is_noted: whether both are notes, see `are_notes`; without vectors it makes no difference.
        elsewhere: whether two of files are of different ones, see `are_elsewhere`; as little.
    """
    crowded = others >= CROWD
    if alike is None:
        return Nearness(is_crowded=crowded)
    return Nearness(alike.cosine, alike.crowd, is_crowded=crowded, is_noted=crowded and is_noted, elsewhere=elsewhere)


def nearness_of(one: Memory, other: Memory, alike: Alike | None, others: int) -> Nearness:
    """Return what is known of two memories besides their texts."""
    if alike is None:
        return nearness(None, others)
    return nearness(alike, others, is_noted=are_notes(one, other), elsewhere=are_elsewhere(one, other))


LONGEST_NOTE = 80  # Words of a memory; a longer one shares something with everything on its subject


def is_short(memory: Memory) -> bool:
    return len(memory.insight.split()) <= LONGEST_NOTE


def are_notes(one: Memory, other: Memory) -> bool:
    """Return whether two memories are short, and neither was imported from a file."""
    return not (is_of_file(one) or is_of_file(other)) and is_short(one) and is_short(other)


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


def others_in_view(memories: Collection[Memory]) -> dict[str | None, int]:
    """Return, for each project, how many other memories may reach a payload with one of it."""
    counts = Counter(memory.project for memory in memories)
    shared = counts[GLOBAL_PROJECT]
    return {
        project: len(memories) - 1 if project == GLOBAL_PROJECT else count - 1 + (shared if project is not None else 0)
        for project, count in counts.items()
    }


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

    def keep(self, key: K) -> V | None:
        """Keep what is known of a key for the next pass, without making it; returns it, None if nothing is known."""
        if key not in self and key in self._before:
            self[key] = self._before[key]
        return self.get(key)

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
        for cache in self._caches:
            cache.begin()

    def end(self) -> None:
        """End a pass and drop what it did not ask for."""
        for cache in self._caches:
            cache.end()


Places = tuple[int, int]  # Positions of two memories in a list

MOST_LISTED = 300_000  # Pairs of a list that are kept for the next pass: 30 MB


class TextCache(CacheGroup):
    """Analyses of texts by the text itself.

    Attributes:
        wordings: of memories, for duplicates.
        facts: of memories, by which two are judged.
        judgements: of two memories, as `judged` asks for them.
        sentences: by which two memories of different origin exclude each other.
        clauses: of memories, for contradictions.
        claims: of clauses in plain form.
        said: what memories say, as it is looked for in others.
        held: whether the first of two of these stands in the second.
        written: claims of memories as they are written, of those that may contradict another.
        listed: pairs of positions in a list of texts, by what they were looked for; None before that.
    """

    def __init__(self) -> None:
        self.wordings: PassCache[Text, Wording] = PassCache(lambda text: wording_of(*text))
        self.facts: PassCache[Text, Facts] = PassCache(lambda text: Facts(self.wordings[text], text[1]))
        self.judgements: PassCache[tuple[Text, Text, Nearness], Judgement | None] = PassCache(
            lambda pair: judge(self.facts[pair[0]], self.facts[pair[1]], pair[2])
        )
        self.sentences: PassCache[tuple[Text, Text, Nearness], SentenceContradiction | None] = PassCache(
            lambda pair: sentence_contradiction(self.facts[pair[0]], self.facts[pair[1]], pair[2])
        )
        self.said: PassCache[str, Said] = PassCache(Said)
        self.held: PassCache[tuple[str, str], bool] = PassCache(
            lambda pair: stands_in(*map(self.said.__getitem__, pair))
        )
        self.clauses: PassCache[Text, list[Clause]] = PassCache(lambda text: clauses_of(*map(plain_form, text)))
        self.claims: PassCache[Clause, Claim | None] = PassCache(claim_of)
        self.written: PassCache[Text, list[Claim]] = PassCache(lambda text: claims_of(*text))
        self.listed: PassCache[tuple[str, tuple[Text, ...]], list[Places] | None] = PassCache(lambda _: None)
        judged = (self.wordings, self.facts, self.judgements, self.sentences)
        super().__init__((*judged, self.said, self.held, self.clauses, self.claims, self.written, self.listed))

    def pairs(self, sought: str, memories: Iterable[Memory], find: Callable[[], Iterable[Places]]) -> Iterable[Places]:
        """Return what `find` returns, which follows from the texts alone; it is not asked again while they stay."""
        key = (sought, tuple((memory.title, memory.insight) for memory in memories))
        known = self.listed[key]
        if known is None:
            known = list(find())
            if len(known) <= MOST_LISTED:
                self.listed[key] = known
        return known

    def judged(self, one: Memory, other: Memory, near: Nearness) -> Judgement | None:
        """Return what two memories are to each other, in whatever order they are given."""
        first, second = sorted(((one.title, one.insight), (other.title, other.insight)))
        return self.judgements[first, second, near]


MOST_TERMS = 12
"""Terms of one text that are looked up, the rarest first: two texts alike in most terms share several of them."""

MOST_COMMON = 100
"""Texts that may share a term for it to be looked up: at 100,000 texts this bounds the work to some 60 steps a term."""

COMMON_PAIRED = 5  # More common terms of one text that are looked up in pairs, which are far rarer
MOST_CANDIDATES = 30  # Candidates of one text that are compared in full

STEPS_AT_ONCE = 400_000
"""Steps through the postings that are summed together: 30 MB, and some 30 ms between two checks for cancelling."""

_UNIT = 1 << 20  # Weights are multiples of one over this, so that a sum does not depend on its order


def cliques(edges: Collection[Pair], known: Container[Pair], most: int) -> list[set[str]]:
    """Return groups of at most so many ids, joined along edges in their order, of which every two are a known pair."""
    clusters = {end: {end} for edge in edges for end in edge}
    for one, other in edges:
        left, right = clusters[one], clusters[other]
        if left is right or len(left) + len(right) > most:
            continue
        if all(pair_of(first, second) in known for first in left for second in right):
            left |= right
            clusters.update(dict.fromkeys(right, left))
    return [cluster for cluster in {id(each): each for each in clusters.values()}.values() if len(cluster) > 1]


def candidate_pairs(
    texts: Sequence[AbstractSet[str]], *, share: float, step: Callable[[int], None] | None = None
) -> Iterator[tuple[int, int]]:
    """Yield pairs of positions whose looked-up terms overlap enough, the earlier position first.

    `share`: part of the smaller one's weight of looked-up terms that both must have, 0–1. `step`: called now and then
    with the positions done; may raise to stop.
    """
    # Imported here: the first paint and the hooks need no numpy.
    import numpy as np

    postings = _Postings(texts)
    if step is not None:
        step(0)
    needed = postings.masses * share
    for start, end, others, positions, weights in postings.blocks():
        pairs = positions * len(texts) + others
        order = np.argsort(pairs, kind="stable")
        pairs = pairs[order]
        firsts = np.flatnonzero(np.diff(pairs, prepend=-1))
        held = np.add.reduceat(weights[order], firsts) if len(firsts) else weights
        later, earlier = np.divmod(pairs[firsts], len(texts))
        enough = (held >= needed[later]) | (held >= needed[earlier])
        yield from _best(earlier[enough], later[enough], held[enough], start)
        if step is not None:
            step(end)


def _best(earlier: Numbers, later: Numbers, held: Numbers, start: int) -> Iterator[tuple[int, int]]:
    """Yield the candidates of a block of texts, for each text those that share most."""
    import numpy as np

    if not len(later):
        return
    order = np.lexsort((earlier, -held, later))
    earlier, later = earlier[order], later[order]
    begins = np.searchsorted(later, np.arange(start, int(later[-1]) + 1))
    kept = np.arange(len(later)) - begins[later - start] < MOST_CANDIDATES
    yield from zip(earlier[kept].tolist(), later[kept].tolist(), strict=True)


class _Postings:
    """Which texts hold which key, in arrays.

    Attributes:
        masses: weight of all keys of each text.
    """

    def __init__(self, texts: Sequence[AbstractSet[str]]) -> None:
        import numpy as np

        keys, counts, weights = _keys_of(texts)
        owners = np.repeat(np.arange(len(texts)), counts)
        order = np.argsort(keys, kind="stable")
        # The holders of each key, one key after the other, in the order of the texts.
        self._holders = owners[order]
        begins = np.searchsorted(keys[order], np.arange(len(weights)))
        places = np.empty_like(order)
        places[order] = np.arange(len(order))
        self._begins = begins[keys]
        # A key that too many texts hold leads to the first of them only.
        self._known = np.minimum(places - self._begins, MOST_COMMON)
        self._weights = weights[keys]
        self._ends = np.cumsum(counts)
        self._owners = owners
        sums = np.concatenate(([0], np.cumsum(self._weights)))
        self.masses: Numbers = sums[self._ends] - sums[self._ends - counts]

    def blocks(self) -> Iterator[tuple[int, int, Numbers, Numbers, Numbers]]:
        """Yield for blocks of texts: first and last position, and (other, position, weight) of each shared key."""
        import numpy as np

        work = np.concatenate(([0], np.cumsum(self._known)))[np.concatenate(([0], self._ends))]
        first, total = 0, len(self._ends)
        while first < total:
            last = max(first + 1, int(np.searchsorted(work, work[first] + STEPS_AT_ONCE, side="right")) - 1)
            span = slice(int(self._ends[first - 1]) if first else 0, int(self._ends[last - 1]))
            known = self._known[span]
            within = np.arange(int(known.sum())) - np.repeat(np.cumsum(known) - known, known)
            others = self._holders[np.repeat(self._begins[span], known) + within]
            yield first, last, others, np.repeat(self._owners[span], known), np.repeat(self._weights[span], known)
            first = last


def _keys_of(texts: Sequence[AbstractSet[str]]) -> tuple[Numbers, Numbers, Numbers]:
    """Return what texts are looked up by: the keys of all texts in a row, how many each has, and each key's weight.

    Keys are a text's rare terms, and pairs of terms that are too common alone.
    """
    import numpy as np

    frequencies = Counter(chain.from_iterable(texts))
    known = sorted((frequency, term) for term, frequency in frequencies.items() if frequency > 1)
    ranks = {term: rank for rank, (_, term) in enumerate(known)}
    common = bisect_left(known, (MOST_COMMON + 1, ""))
    pairs: dict[tuple[int, int], int] = {}
    keys: list[int] = []
    counts: list[int] = []
    for terms in texts:
        found = sorted([ranks[term] for term in terms if term in ranks])
        split = bisect_left(found, common)
        mine = found[: min(split, MOST_TERMS)]
        if len(mine) < MOST_TERMS // 2:
            paired = combinations(found[split : split + COMMON_PAIRED], 2)
            mine += [pairs.setdefault(pair, len(known) + len(pairs)) for pair in paired]
        keys += mine
        counts.append(len(mine))
    frequency = np.array([number for number, _ in known] + [MOST_COMMON] * len(pairs), dtype=np.float64)
    weights = np.rint(_UNIT * np.log1p(len(texts) / frequency)).astype(np.int64)
    return np.array(keys, dtype=np.int64), np.array(counts, dtype=np.int64), weights
