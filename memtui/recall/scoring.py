"""Evidence to hits: what links add, and the parts of every score; no vault here."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from memtui.config import RecallSettings
from memtui.domain import freshness as importances
from memtui.domain.freshness import HURT_WEIGHT, first_trusted_at, freshness, usefulness
from memtui.domain.kinds import Kinds
from memtui.domain.memory import Link, Memory, Signal
from memtui.domain.reasons import Reason, ReasonCode
from memtui.recall import anchors, fusion, lexical
from memtui.recall.eligibility import holding_part, kind_part, place_part
from memtui.recall.result import Hit, Part, Signs, Sureness, combine
from memtui.recall.retrieve import MOST_BY_MEANING, SEED_RELEVANCE, Fetched
from memtui.text.normal_form import embedded_text
from memtui.text.tokens import query_terms

if TYPE_CHECKING:
    from memtui.embedding.tokens import Closeness
    from memtui.recall.semantic import Likeness

GONE_FACTOR = 0.3
"""Factor of a memory whose every file is gone: its subject has probably left the code. However fresh it is, it
stands below an equal match of two years whose file is there (0.33 for a lesson), and is still shown."""

NEIGHBOUR_SHARE = 0.3  # Share of a hit's relevance that passes along a link

SUCCESSION_SHARE = 0.6
"""Share that passes from a replaced memory to its replacement: the old wording leads to the new fact."""

NEVER_ABOVE = 0.9  # Share of a hit's relevance that a related memory reaches at most by the relation

_BOTH_WAYS = frozenset({"relates", "derived-from"})


@dataclass(frozen=True, slots=True)
class Neighbour:
    """What a memory gets from a linked hit."""

    share: float  # the addition to its relevance
    seed: str  # id of the hit
    type: str  # type of the link


def neighbour_shares(
    links: Iterable[Link], seeds: Mapping[str, float], own: Mapping[str, float] | None = None
) -> dict[str, Neighbour]:
    """Return the best share per memory id.

    Relations and derivations pass relevance both ways, a supersession from the replaced to its
    replacement alone, contradictions and duplicates not at all. Shares are not added up, so that a
    memory that everything is linked to does not rise by that; and a relation lifts nothing above the hit that it
    comes from (+0.03 nDCG@10 on questions over the sample).

    Args:
        links: the links of the seeds.
        seeds: relevance by id, of memories that are relevant by themselves; weak ones are left out here.
        own: relevance by id that memories have without any link.
    """
    best: dict[str, Neighbour] = {}
    known = own or {}
    for link in links:
        for seed, other, share in _directions(link):
            relevance = seeds.get(seed, 0.0)
            if relevance < SEED_RELEVANCE or seed == other:
                continue
            passed = share * link.weight * min(1.0, relevance)
            if link.type in _BOTH_WAYS:
                passed = min(passed, max(0.0, NEVER_ABOVE * relevance - known.get(other, 0.0)))
            offer = Neighbour(passed, seed, link.type)
            if other not in best or _order(offer) > _order(best[other]):
                best[other] = offer
    return {identifier: offer for identifier, offer in best.items() if offer.share > 0}


def neighbours_part(offer: Neighbour) -> Part:
    """Return the term that links add to the relevance."""
    return Part("neighbours", offer.share, Reason(ReasonCode.LINK, other=offer.seed, link=offer.type), "term")


def _directions(link: Link) -> list[tuple[str, str, float]]:
    if link.type in _BOTH_WAYS:
        return [
            (link.from_id, link.to_id, NEIGHBOUR_SHARE),
            (link.to_id, link.from_id, NEIGHBOUR_SHARE),
        ]
    return [(link.to_id, link.from_id, SUCCESSION_SHARE)] if link.type == "supersedes" else []


def _order(offer: Neighbour) -> tuple[float, str, str]:
    return (offer.share, offer.seed, offer.type)


CLOSE = 0.2
"""A search shows what is at least a fifth as far from the background as the nearest memory, though it share no word:
where that was half, answers of several parts were cut off."""

SHARPNESS = 3.0
"""Relevances by words and meaning lie close together, 0.7 beside 1.0 where words alone had 0.3, and freshness or the
kind would decide among them. So each is multiplied by this power of its share of the best: +0.06 recall@5 on tasks in
other words and +0.09 nDCG@10 on answerable ones, while what is current still stands before what is older."""

SHOWN = 0.0005  # Less than the table shows is no part of the score

FOLLOWING = 10
NEAR_FOLLOWING = 0.2
"""The ten best are relevant from a fifth of the best one's relevance, the others from `lexical.NEAR_BEST` of it: with
that bar for all, nDCG@10 falls by 0.03 on two sets."""

PIN_RELEVANCE = 1.0  # A pinned memory is as relevant as the best match by words, and what it matches comes on top


def freshness_part(memory: Memory, now: datetime, kinds: Kinds, weight: float) -> Part:
    share = freshness(memory, now, kinds)
    reason = Reason(ReasonCode.FRESHNESS, score=share, bar=weight, because=(trusted_since(memory),))
    return Part("freshness", share**weight, reason)


def trusted_since(memory: Memory) -> Reason:
    """Return since when a memory is trusted, as a date, so that it does not change from day to day."""
    if memory.pinned:
        return Reason(ReasonCode.PINNED)
    if memory.verified_at:
        return Reason(ReasonCode.VERIFIED, date=memory.verified_at)
    first = first_trusted_at(memory)
    if memory.confirmed_at:
        return Reason(ReasonCode.ACCEPTED, date=memory.confirmed_at, note=f"{first:%Y-%m-%d}")
    return Reason(ReasonCode.NEVER_VERIFIED, date=first)


def usefulness_part(signals: Sequence[Signal], now: datetime, hurt_weight: float = HURT_WEIGHT) -> Part:
    names = tuple(sorted(signal.signal for signal in signals))
    return Part("usefulness", usefulness(signals, now, hurt_weight), Reason(ReasonCode.USES, names=names))


def importance_part(memory: Memory) -> Part:
    return Part(
        "importance", importances.multiplier(memory.importance), Reason(ReasonCode.IMPORTANCE, number=memory.importance)
    )


def gone_part(memory: Memory, states: dict[str, str]) -> Part | None:
    """Return the factor of a memory whose every file is gone, or None.

    `states`: last known state per anchor path; what was never checked is not gone.
    """
    known = [states.get(anchor.path, "") for anchor in memory.anchors]
    checked = [state for state in known if state != "unverifiable"]
    if not checked or any(state != "gone" for state in checked):
        return None
    paths = tuple(anchor.path for anchor in memory.anchors)
    return Part("files gone", GONE_FACTOR, Reason(ReasonCode.FILES_GONE, names=paths))


@dataclass(slots=True)
class Scorer:
    """Scores memories for one task."""

    fetched: Fetched
    pool: Collection[str]  # ids of the memories that may be shown; the best of them is what others are measured by
    settings: RecallSettings
    kinds: Kinds  # the kinds in force
    now: datetime  # the moment freshness is measured at
    phase: str | None = None  # the phase of the work, or None
    phase_guessed: bool = True  # whether it was guessed
    is_standing: bool = False  # whether there is no task
    measures: bool = False  # whether hits get their signs
    # whether anything answers the task, None where nothing can be compared by meaning
    signals: fusion.Signals | None = None
    _terms: dict[str, list[Part]] = field(default_factory=dict)
    _coverages: dict[str, float] = field(default_factory=dict)
    _best_score: float = 0.0
    _best_coverage: float = 0.0
    _states: dict[str, dict[str, str]] = field(default_factory=dict)
    _fused: dict[str, fusion.Fused] = field(default_factory=dict)
    _best_fused: float = 0.0
    _margin: float = 0.0
    _nearest: float = 0.0
    _places: dict[str, int] = field(default_factory=dict)
    _ranks: dict[str, int] = field(default_factory=dict)
    _least_close: tuple[float, float] = (0.0, 0.0)

    def __post_init__(self) -> None:
        """Measure what the best memory by words and by meaning reaches."""
        ranked = [identifier for identifier in self.fetched.lexical if identifier not in self.fetched.barred]
        pool = [identifier for identifier in ranked if identifier in self.pool]
        self._best_score = max((self.fetched.lexical[identifier].score for identifier in pool), default=0.0)
        informed = (self.coverage(identifier) for identifier in pool if self.is_informed(identifier))
        self._best_coverage = max(informed, default=0.0)
        for (identifier, path), state in self.fetched.states.items():
            self._states.setdefault(identifier, {})[path] = state
        if self.fetched.likeness:
            self._fuse(pool, self.fetched.likeness)
        else:
            ranked = sorted(pool, key=lambda one: (-self.fetched.lexical[one].score, one))
            self._ranks = {one: rank for rank, one in enumerate(ranked, 1)}
        close = self.fetched.close.values()
        # What was not compared by its tokens lies no nearer than the last of those that were.
        least = (min((one.sentence for one in close), default=0.0), min((one.words for one in close), default=0.0))
        self._least_close = least

    def _fuse(self, by_words: Collection[str], likeness: Likeness) -> None:
        self._nearest = max(self.fetched.meanings.values(), default=0.0)
        cosines = {one: cosine for one, cosine in self.fetched.cosines.items() if one in self.pool}
        evidence = fusion.Evidence(
            words={one: self._share_by_words(one) for one in by_words},
            cosines={one: value for one, value in self.fetched.meanings.items() if one in self.pool},
            background=likeness.unrelated,
            coverage=self._best_coverage,
            kinship=self.fetched.kinship,
            foreign=self.fetched.foreign,
        )
        close = [found for one, found in self.fetched.close.items() if one in self.pool]
        self._fused = fusion.fuse(evidence)
        ranked = sorted(self._fused, key=lambda one: (-self._fused[one].total, one))
        self._ranks = {one: rank for rank, one in enumerate(ranked, 1)}
        self._best_fused = self._fused[ranked[0]].total if ranked else 0.0
        self.signals = fusion.Signals(
            close=fusion.closeness(cosines.values(), likeness.unrelated, likeness.within),
            coverage=self._best_coverage,
            same=fusion.sameness(cosines, evidence.like),
            near=max((one.words + one.sentence for one in close), default=None),
            count=likeness.within,
        )
        self._margin = fusion.margin(self.signals)
        if (close or not likeness.is_complete) and self._best_coverage >= lexical.ANSWER_COVERAGE:
            # Words may say alone that there may be an answer: a name that the model does not know, or what has no
            # vector yet.
            self._margin = max(self._margin, 0.0)
        meanings = evidence.cosines
        nearest = sorted(meanings, key=lambda one: -meanings[one])[:MOST_BY_MEANING]
        self._places = {one: place for place, one in enumerate(nearest, 1)}

    def place(self, identifier: str) -> int:
        """Return the place of a memory by words and meaning, from 1."""
        return self._ranks.get(identifier, len(self._ranks) + 1)

    def coverage(self, identifier: str) -> float:
        """Return the share of the task's weight that a memory matches by words, 0 to 1."""
        known = self._coverages.get(identifier)
        if known is None:
            hit = self.fetched.lexical.get(identifier)
            known = self._coverages[identifier] = self.fetched.weights.coverage(hit.terms) if hit else 0.0
        return known

    def is_informed(self, identifier: str) -> bool:
        """Return whether a memory shares a word that tells memories apart."""
        hit = self.fetched.lexical.get(identifier)
        return hit is not None and not self.fetched.weights.informative.isdisjoint(hit.terms)

    def answers(self, identifier: str) -> bool:
        """Return whether a memory alone matches enough of the task's weight by words to be an answer."""
        return self.coverage(identifier) >= lexical.ANSWER_COVERAGE - lexical.ROUNDING

    @property
    def sure(self) -> Sureness:
        """Whether anything answers the task by its words or meaning."""
        by_words = self._best_coverage >= lexical.ANSWER_COVERAGE - lexical.ROUNDING
        if self._margin >= fusion.LIKELY or (by_words and not self.fetched.close):
            return "unsure" if self._lacks_price() else "sure"
        return "unsure" if self._fused and self._margin >= 0 else "nothing"

    def _lacks_price(self) -> bool:
        """Return whether the task asks what something costs or where it is bought, and nothing near speaks of money."""
        if not lexical.asks_for_price(self.fetched.weights.idf):
            return False
        nearest = sorted(self._ranks, key=lambda one: self._ranks[one])[: lexical.NEAREST]
        return not any(lexical.speaks_of_money(self.fetched.memories[one]) for one in nearest)

    def reaches_floor(self, identifier: str) -> bool:
        """Return whether words or files alone make a memory relevant, judged on raw evidence."""
        match = self.fetched.files.get(identifier)
        if match and match.strength >= anchors.FLOOR_STRENGTH:
            return True
        if identifier in self._fused:
            return self._margin >= 0 and self._is_near(identifier)
        if not self.is_informed(identifier):
            return False
        return lexical.reaches_floor(
            self.coverage(identifier),
            self._share_by_words(identifier) * self._best_score,
            best_coverage=self._best_coverage,
            best_score=self._best_score,
        )

    def below_floor(self, identifier: str) -> Reason:
        """Return that a memory is below the floor, and how far where a figure tells."""
        code = ReasonCode.BELOW_FLOOR
        if identifier not in self._fused:
            least = lexical.least_coverage(self._best_coverage)
            return Reason(code, score=self.coverage(identifier), bar=least, unit="words")
        if self._margin < 0:
            return Reason(code, because=(Reason(ReasonCode.NOTHING_NEAR),))
        total, least = self._fused[identifier].total, self._least_fused(identifier)
        return Reason(code, score=total, bar=least) if total < least else Reason(code)

    def _is_near(self, identifier: str) -> bool:
        """Return whether words and meaning put a memory near the best one, or among the few that follow it."""
        return self._fused[identifier].total >= self._least_fused(identifier)

    def _least_fused(self, identifier: str) -> float:
        share = NEAR_FOLLOWING if self._ranks[identifier] <= FOLLOWING else lexical.NEAR_BEST
        return share * self._best_fused

    def is_close(self, identifier: str) -> bool:
        """Return whether a memory is among the nearest by meaning of a task that has an answer."""
        if self.fetched.likeness is None or self._margin < 0 or identifier not in self._places:
            return False
        value = self.fetched.meanings[identifier]
        return fusion.meaning_share(value, self.fetched.likeness.unrelated, self._nearest) >= CLOSE

    def _share_by_words(self, identifier: str) -> float:
        """Return how near a memory comes to the best one by words, 0 to 1."""
        if identifier in self.fetched.barred:
            best = max(self._best_coverage, self.coverage(identifier))
            return self.coverage(identifier) / best if best else 0.0
        return min(1.0, self.fetched.lexical[identifier].score / self._best_score) if self._best_score else 0.0

    def own_terms(self, identifier: str) -> list[Part]:
        """Return what a memory's own words and files add to its relevance."""
        if identifier not in self._terms:
            terms = self._text_terms(identifier)
            match = self.fetched.files.get(identifier)
            if match:
                terms.append(anchors.files_part(match))
            self._terms[identifier] = terms
        return self._terms[identifier]

    def _text_values(self, identifier: str) -> tuple[float, float, float]:
        """Return what a memory's words, its meaning and the memories most like it add to its relevance."""
        hit = self.fetched.lexical.get(identifier)
        fused = self._fused.get(identifier)
        if fused is None:
            if hit is None:
                return 0.0, 0.0, 0.0
            barred = identifier in self.fetched.barred
            trust = lexical.trust_in_words(self.coverage(identifier) if barred else self._best_coverage)
            return trust * self._share_by_words(identifier), 0.0, 0.0
        trust = fusion.trust(self._margin) * self._sharpened(fused.total)
        meaning, kin = trust * fused.meaning, trust * fused.kin
        return (
            trust * fused.words if hit else 0.0,
            meaning if meaning >= SHOWN else 0.0,
            kin if kin >= SHOWN else 0.0,
        )

    def _text_terms(self, identifier: str) -> list[Part]:
        """Return what a memory's words and meaning add to its relevance."""
        hit = self.fetched.lexical.get(identifier)
        words, meaning, kin = self._text_values(identifier)
        terms = [lexical.words_part(hit.terms, words, self.fetched.weights)] if hit else []
        if meaning:
            terms.append(self._meaning_part(identifier, meaning))
        if kin:
            terms.append(fusion.kin_part(kin, self._fused[identifier].kin_keys))
        return terms

    def _sharpened(self, total: float) -> float:
        """Return what a memory's words and meaning are multiplied by, so that the factors do not swamp them."""
        return math.pow(total / self._best_fused, SHARPNESS) if self._best_fused else 0.0

    def _meaning_part(self, identifier: str, value: float) -> Part:
        count = self.fetched.likeness.count if self.fetched.likeness else 0
        close = self.fetched.close.get(identifier)
        return fusion.meaning_part(
            self.fetched.cosines.get(identifier),
            value,
            place=self._places.get(identifier),
            among=count,
            sentence=_sentence(self.fetched.memories[identifier], close) if close else "",
            is_foreign=identifier in self.fetched.foreign,
        )

    def own_relevance(self, identifier: str) -> float:
        """Return the relevance of a memory by itself, links aside."""
        words, meaning, kin = self._text_values(identifier)
        match = self.fetched.files.get(identifier)
        return words + meaning + kin + (anchors.FILES_WEIGHT * match.strength if match else 0.0)

    def neighbours(self) -> dict[str, Neighbour]:
        """Return what links pass on, from seeds that reach the floor.

        Replaced memories are seeds too, because they lead to their replacement.
        """
        seeds = {
            identifier: self.own_relevance(identifier)
            for identifier in {*self.pool, *self._replaced()}
            if self.reaches_floor(identifier)
        }
        own = {end: self.own_relevance(end) for link in self.fetched.links for end in (link.from_id, link.to_id)}
        return neighbour_shares(self.fetched.links, seeds, own)

    def _replaced(self) -> set[str]:
        return {link.to_id for link in self.fetched.links if link.type == "supersedes"}

    def hit(self, memory: Memory, *, neighbour: Neighbour | None = None, extra: Part | None = None) -> Hit:
        """Return a memory with its score.

        `neighbour`: what links pass on to it. `extra`: a further term of the relevance: pinned, of the project.
        """
        terms = list(self.own_terms(memory.id))
        if neighbour:
            terms.append(neighbours_part(neighbour))
        if extra:
            terms.append(extra)
        parts = [*terms, *self._factors(memory)]
        relevance, total = combine(parts)
        signs = self._signs(memory) if self.measures else None
        return Hit(memory, total, relevance, tuple(parts), self._reasons(memory, terms), signs)

    def _signs(self, memory: Memory) -> Signs:
        """Return what was measured of a memory for the task."""
        own, fetched = memory.id, self.fetched
        cosine, close, fused = fetched.cosines.get(own), fetched.close.get(own), self._fused.get(own)
        match, places = fetched.files.get(own), anchors.places_of(memory, fetched.given, fetched.surroundings)
        by_words = self._share_by_words(own) if own in fetched.lexical else 0.0
        share = (fused.total / self._best_fused if self._best_fused else 0.0) if fused else by_words
        return Signs(
            cosine=cosine - fetched.likeness.unrelated if cosine is not None and fetched.likeness else 0.0,
            sentence=close.sentence if close else self._least_close[0],
            tokens=close.words if close else self._least_close[1],
            share=share,
            rank=self.place(own) - 1,
            coverage=self.coverage(own),
            by_words=by_words,
            title_coverage=fetched.weights.coverage(query_terms(memory.title)),
            tie=match.strength if match else 0.0,
            holds_for=places.holds_for,
            names=places.names,
            has_place=places.has_place,
            has_named=places.has_named,
            is_exact=places.is_exact or (match is not None and match.is_named),
        )

    def _factors(self, memory: Memory) -> list[Part]:
        factors = [
            freshness_part(memory, self.now, self.kinds, self.settings.freshness_weight),
            usefulness_part(self.fetched.signals.get(memory.id, ()), self.now, self.kinds.hurt_weight),
            importance_part(memory),
            kind_part(memory.kind, self.phase, guessed=self.phase_guessed, is_standing=self.is_standing),
        ]
        gone = gone_part(memory, self._states.get(memory.id, {}))
        place = place_part(memory) if self.is_standing and memory.id not in self.fetched.files else None
        rare = (gone, holding_part(memory, self.phase), place)
        return [*factors, *(part for part in rare if part)]

    def _reasons(self, memory: Memory, terms: list[Part]) -> tuple[Reason, ...]:
        hidden = {ReasonCode.KIN} if self.is_close(memory.id) else {ReasonCode.KIN, ReasonCode.MEANING}
        reasons = [part.reason for part in terms if part.reason.code not in hidden]
        if not reasons:
            reasons = [Reason(ReasonCode.WEAK)]
        verified = [trusted_since(memory)] if memory.verified_at and not memory.pinned else []
        return (*reasons, *verified)


def _sentence(memory: Memory, close: Closeness) -> str:
    """Return the sentence of a memory that comes closest to the task; nothing for its title, which is shown anyway."""
    from memtui.embedding.tokens import sentences

    parts = sentences(embedded_text(memory.title, memory.insight, memory.rationale, memory.snippet))
    return parts[close.place] if 0 < close.place < len(parts) else ""


def pin_part() -> Part:
    """Return the term that pinning adds to the relevance."""
    return Part("pinned", PIN_RELEVANCE, Reason(ReasonCode.PINNED), "term")


_NO_TASK = Reason(ReasonCode.NO_TASK)


def standing_hit(
    memory: Memory,
    signals: Sequence[Signal],  # what happened to it in use
    states: dict[str, str],  # last known state per anchor path
    *,
    settings: RecallSettings,
    kinds: Kinds,  # the kinds in force
    now: datetime,  # the moment freshness is measured at
) -> Hit:
    """Return a memory with its baseline score, which treats every memory as equally relevant."""
    parts = [
        Part("no task", 1.0, _NO_TASK, "term"),
        freshness_part(memory, now, kinds, settings.freshness_weight),
        usefulness_part(signals, now, kinds.hurt_weight),
        importance_part(memory),
    ]
    gone = gone_part(memory, states)
    if gone is not None:
        parts.append(gone)
    relevance, total = combine(parts)
    return Hit(memory, total, relevance, tuple(parts), (_NO_TASK,))
