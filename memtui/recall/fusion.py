"""Relevance by words and by meaning in one, and whether anything answers the task at all."""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Generic, TypeVar

from memtui.domain.reasons import FOREIGN, Reason, ReasonCode
from memtui.recall.result import Part

if TYPE_CHECKING:
    from memtui.embedding.tokens import Closeness

Name = TypeVar("Name", int, str)
Other = TypeVar("Other", int, str)


class Kinship(Mapping[tuple[Name, Name], float], Generic[Name]):
    """The cosine of each two memories by their names, the smaller first.

    Sixty memories make 1,770 pairs, so the matrix is kept and pairs are built on demand.

    `names`: ids or internal keys. `cosines`: of each with each, in the order of the names.
    """

    def __init__(self, names: Sequence[Name], cosines: Sequence[Sequence[float]]) -> None:
        self._places: dict[Name, int] = {name: place for place, name in enumerate(names)}
        self._cosines = cosines

    def __getitem__(self, pair: tuple[Name, Name]) -> float:
        one, other = pair
        if not one < other:
            raise KeyError(pair)
        cosine: float = self._cosines[self._places[one]][self._places[other]]
        return cosine

    def __iter__(self) -> Iterator[tuple[Name, Name]]:
        names = sorted(self._places)
        return ((one, other) for place, one in enumerate(names) for other in names[place + 1 :])

    def __len__(self) -> int:
        count = len(self._places)
        return count * (count - 1) // 2

    def renamed(self, name: Callable[[Name], Other]) -> Kinship[Other]:
        """Return the same under other names."""
        return Kinship([name(one) for one in self._places], self._cosines)

    def nearest(self, among: Collection[Name], count: int) -> dict[Name, list[Name]]:
        """Return, for each of some memories, which of the others are most like it, the most like it first."""
        chosen = [(name, self._places[name]) for name in among if name in self._places]
        found = {}
        for name, place in chosen:
            row = self._cosines[place]
            ranked = sorted([(-row[at], other) for other, at in chosen if at != place])
            found[name] = [other for _, other in ranked[:count]]
        return found


CLOSENESS = 25.0
COVERAGE = 2.0
SAMENESS = 3.5
LEAST = 1.65
"""Coefficients of the three signals, and what they must come to. Keeps all of the answerable questions in words of the
vault and 94% of those in other words, and refuses 0.56 of the foreign ones; 0.68 within one project."""

REACH = 0.05
"""Cosine by which a memory has to be nearer to weigh e times as much; with 0.04 and 0.06 the same is refused within
0.03. The nearest memory alone, with a term for their number, refuses 0.05 to 0.2 less in vaults of other sizes."""

NEAREST = 60  # Memories that count by their own cosine; the others count as the average of the vault

FEWEST = 5
"""A vault of fewer is filled up with memories at the background. Against one memory alone 25% of the foreign questions
are near enough without that, 10% with it, and of the questions in other words 99% and 91%."""

MOST = 700
"""Among more memories than this more of them raise the bar no further: without a bound 0.89 of the sample's questions
are kept among 1,351 memories, with it 0.94."""

WITNESSES = 5  # Nearest memories that are compared with each other

WORDS_ALONE = 0.8
"""Coverage that is an answer whatever the meaning: identifiers, error codes, and scripts that the model cannot read."""

CONFIDENT = 2.0
"""Margin from which the text of a task counts in full beside its files; a vague one counts proportionally less."""

LIKELY = 1.0
"""Margin from which a search is taken to have an answer, where words alone do not say so. A query without one word of
the vault comes to 0.3 and 0.8 by chance (`zzzqqq`, `qwerty`). Of the sample's questions that find anything it keeps
all in words of the vault, 100 of 115 in other words, and 18 of 45 that nothing answers; with 0.5 it keeps 110 and 21
of the last two."""

NEAR_NOTHING, NEAR_SURE = 0.36, 0.56
"""Sums of the cosines of the best sentence and of the tokens below which nothing answers, and from which something
does; halfway between, nobody can tell. Raw cosines, since those hardly differ between vaults: a tenth of the answerable
questions lies below .58, .57 and .58 on three strangers' sets, 3% below .52, .56 and .43; of what their projects do not
know three of four lie below."""

PER_DOUBLING, FROM_MEMORIES = 0.01, 32
"""The nearest of many is nearer by chance: what is foreign comes to .49 among 30 memories, .54 among 120 and .60 among
1,076, and the paraphrases among many do not. So each doubling in view raises both bars by half of that."""

LEAST_TRUST = 0.25


@dataclass(frozen=True, slots=True)
class Signals:
    """Evidence for and against an answer."""

    close: float  # how closely the memories surround the task, a cosine
    coverage: float  # share of the query's weight that the best memory matches, 0–1
    same: float  # how much the nearest memories say the same, a cosine
    # sum of the cosines of the best sentence and of the tokens, None where the model gives no tokens
    near: float | None = None
    count: int = 0  # memories in view


def closeness(cosines: Collection[float], background: float, count: int) -> float:
    """Return how closely memories surround a task: a mean of their cosines in which the nearest weigh most.

    It is the logarithm of the density that a kernel of von Mises and Fisher with concentration 1 / `REACH` estimates at
    the task, in units of a cosine.

    Args:
        cosines: of memories that may be shown with the task, the nearest of all among them.
        background: mean cosine of the task with every memory.
        count: how many memories are in view.
    """
    near = heapq.nlargest(NEAREST, cosines)
    if not near:
        return background
    among = max(FEWEST, len(near), min(MOST, count))
    whole = math.fsum(math.exp(cosine / REACH) for cosine in near)
    whole += (among - len(near)) * math.exp(background / REACH)
    return REACH * math.log(whole / among)


def sameness(cosines: Mapping[str, float], like: Callable[[str, str], float]) -> float:
    """Return the mean cosine of each two of the nearest memories; 0 if there is but one.

    `cosines`: with the task, by id. `like`: returns the cosine of two memories.
    """
    near = heapq.nsmallest(WITNESSES, cosines, key=lambda one: (-cosines[one], one))
    pairs = [like(one, other) for place, one in enumerate(near) for other in near[place + 1 :]]
    return math.fsum(pairs) / len(pairs) if pairs else 0.0


def margin(signals: Signals) -> float:
    """Return how clearly the vault answers a task: below 0 nothing is relevant, from `LIKELY` something answers."""
    if signals.coverage >= WORDS_ALONE:
        return CONFIDENT
    if signals.near is not None:
        crowd = PER_DOUBLING * math.log2(max(1.0, signals.count / FROM_MEMORIES))
        return LIKELY * (signals.near - crowd - NEAR_NOTHING) / (NEAR_SURE - NEAR_NOTHING)
    return CLOSENESS * signals.close + COVERAGE * signals.coverage - SAMENESS * signals.same - LEAST


def trust(found: float) -> float:
    """Return how much the text counts beside files, 0–1, from the margin."""
    return min(1.0, max(LEAST_TRUST, found / CONFIDENT))


WORDS_WEIGHT = 0.6
"""Weight of the words where they cover the query; 0.5 to 0.7 are within 0.01 nDCG@10 of each other on two sets."""

FULL_COVERAGE = 1.0
TRUST_POWER = 1.5
"""Coverage of the query's weight by the best memory at which words have their full weight; below it the weight falls
with this power of the share. With the square strangers' questions lose .01 recall@5, with the plain share the
paraphrases of the sample lose .04; a fixed weight loses .24 there."""

BY_SENTENCE, BY_TOKENS = 0.4, 0.2
"""Shares of the nearest sentence and of the tokens in what a memory means, the rest being its one vector. Strangers'
paraphrases +.03 recall@5, those of the sample +.03, seamonkey-title +.008 nDCG@10; with more by tokens two of devmem's
questions leave the first five."""

FEEDBACK = 0.4  # Share of the best answers' own meaning that is added to the task's: +0.02 nDCG@10, +0.02 recall@10
FEEDBACK_FROM = 3  # Answers that feed back

KIN_WEIGHT = 0.3
"""Share of a memory's relevance that comes from the two memories most like it: +0.02 and +0.01 nDCG@10 on two sets."""

KIN = 2  # Memories most like it that vouch for one
POOL = 60  # Best memories by both that are compared with each other; with 100 nothing changes


@dataclass(frozen=True, slots=True)
class Fused:
    """What words and meaning add to the relevance of one memory."""

    words: float = 0.0  # by its own words
    meaning: float = 0.0  # by its own meaning
    kin: float = 0.0  # by the memories most like it
    kin_keys: tuple[str, ...] = ()  # which those are, the most like it first

    @property
    def total(self) -> float:
        """What they add together, 0 to 1."""
        return self.words + self.meaning + self.kin


@dataclass(frozen=True, slots=True)
class Evidence:
    """What is known of the memories that may be shown, by id."""

    words: Mapping[str, float]  # share of the best score by words, 0–1
    cosines: Mapping[str, float]  # cosine with the task; memories without a vector are missing
    background: float  # mean cosine of the task with the whole vault
    coverage: float  # share of the query's weight that the best memory matches
    # cosine of two memories, the smaller id first
    kinship: Mapping[tuple[str, str], float] = field(default_factory=dict)
    foreign: Collection[str] = ()  # memories in another language than the task

    def like(self, one: str, other: str) -> float:
        """Return the cosine of two memories, 0 if it is not known."""
        return max(0.0, self.kinship.get((min(one, other), max(one, other)), 0.0))


def trust_in_words(coverage: float) -> float:
    """Return how much of their full weight words have, 0–1, by the coverage of the best memory."""
    share: float = min(1.0, coverage / FULL_COVERAGE) ** TRUST_POWER
    return share


def with_tokens(cosines: Mapping[str, float], close: Mapping[str, Closeness]) -> dict[str, float]:
    """Return the cosines, and of the memories that were compared token by token what that says as well.

    Tokens and sentences lie nearer to any task than whole texts do, so each measure is moved by its mean distance from
    the cosine over all that were compared, and stays comparable with the background and with what was not.
    """
    compared = [one for one in close if one in cosines]
    if not compared:
        return dict(cosines)
    mean = math.fsum(cosines[one] for one in compared) / len(compared)
    by_words = mean - math.fsum(close[one].words for one in compared) / len(compared)
    by_sentence = mean - math.fsum(close[one].sentence for one in compared) / len(compared)
    return dict(cosines) | {
        one: (1.0 - BY_SENTENCE - BY_TOKENS) * cosines[one]
        + BY_SENTENCE * (close[one].sentence + by_sentence)
        + BY_TOKENS * (close[one].words + by_words)
        for one in compared
    }


def fuse(evidence: Evidence) -> dict[str, Fused]:
    """Return the relevance by words and meaning of every memory with evidence."""
    trust = trust_in_words(evidence.coverage)
    weight = WORDS_WEIGHT * trust
    first = _weighted(evidence, evidence.cosines, evidence.background, weight)
    best = sorted(first, key=lambda one: (-first[one].total, one))[:POOL]
    if not evidence.kinship or not trust:
        return first
    fed, background = _with_feedback(evidence, first, best, trust)
    second = first | _weighted(evidence, fed, background, weight, only=best)
    return second | _with_kin(evidence, second, best, KIN_WEIGHT * trust)


def meaning_share(cosine: float, background: float, nearest: float) -> float:
    """Return how far a cosine reaches from the background to the nearest memory, 0–1."""
    return max(0.0, (cosine - background) / (nearest - background)) if nearest > background else 0.0


def _weighted(
    evidence: Evidence,
    cosines: Mapping[str, float],
    background: float,
    weight: float,
    only: list[str] | None = None,
) -> dict[str, Fused]:
    nearest = max(cosines.values(), default=0.0)
    fused = {}
    for one in only if only is not None else {**evidence.words, **evidence.cosines}:
        words = evidence.words.get(one, 0.0)
        cosine = cosines.get(one)
        # What has no vector yet is taken to mean what its words say, so that it stands neither above nor below.
        meaning = words if cosine is None else meaning_share(cosine, background, nearest)
        # Of a text in another language the model sees little, so its words say at least as much.
        meaning = max(meaning, words) if one in evidence.foreign else meaning
        fused[one] = Fused(weight * words, (1.0 - weight) * meaning)
    return fused


def _with_feedback(
    evidence: Evidence, first: Mapping[str, Fused], best: list[str], trust: float
) -> tuple[dict[str, float], float]:
    """Return the cosines with the task to which the best answers' meaning was added, and the background with it."""
    leaders = [one for one in best if one in evidence.cosines][:FEEDBACK_FROM]
    whole = math.fsum(first[one].total for one in leaders)
    share = FEEDBACK * trust if whole else 0.0
    fed = {}
    for one in best:
        if one in evidence.cosines:
            pull = math.fsum(
                first[leader].total * (1.0 if leader == one else evidence.like(one, leader)) for leader in leaders
            )
            fed[one] = evidence.cosines[one] + (share * pull / whole if whole else 0.0)
    return fed, evidence.background * (1.0 + share)


def _with_kin(evidence: Evidence, fused: Mapping[str, Fused], best: list[str], share: float) -> dict[str, Fused]:
    result = {}
    for one, kin in _nearest(evidence.kinship, [one for one in best if one in evidence.cosines]).items():
        own = fused[one]
        vouched = math.fsum(evidence.like(one, other) * fused[other].total for other in kin) / KIN
        result[one] = Fused((1.0 - share) * own.words, (1.0 - share) * own.meaning, share * vouched, tuple(kin))
    return result


def _nearest(kinship: Mapping[tuple[str, str], float], among: list[str]) -> dict[str, list[str]]:
    """Return, for each of some memories, the few of the others that are most like it."""
    if isinstance(kinship, Kinship):
        nearest: dict[str, list[str]] = {one: [] for one in among}
        return nearest | kinship.nearest(among, KIN)
    likenesses: dict[str, list[tuple[float, str]]] = {one: [] for one in among}
    for (one, other), cosine in kinship.items():
        if one in likenesses and other in likenesses:
            likenesses[one].append((-cosine, other))
            likenesses[other].append((-cosine, one))
    return {one: [other for _, other in heapq.nsmallest(KIN, others)] for one, others in likenesses.items()}


def meaning_part(
    cosine: float | None,
    value: float,
    *,
    place: int | None,
    among: int,
    sentence: str = "",
    is_foreign: bool = False,
) -> Part:
    """Return the term that meaning adds to the relevance.

    Args:
        cosine: the cosine with the task, None for a memory without a vector.
        place: 1 for the nearest memory in view; None beyond the nearest few.
        among: how many memories have a vector.
        sentence: the sentence of the memory that comes closest to the task.
        is_foreign: whether it is in another language than the task.
    """
    unit = FOREIGN if is_foreign else ""
    reason = Reason(ReasonCode.MEANING, score=cosine, number=place or 0, among=among, note=sentence, unit=unit)
    return Part("meaning", value, reason, "term")


def kin_part(value: float, kin: tuple[str, ...]) -> Part:
    """Return the term that the memories most like it add to the relevance."""
    return Part("kin", value, Reason(ReasonCode.KIN, names=kin), "term")
