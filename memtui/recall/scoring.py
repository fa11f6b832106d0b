"""Fetched evidence to hits: the parts of every score, and the reason in words. No vault here."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import datetime

from memtui.config import RecallSettings
from memtui.domain.kinds import Kinds
from memtui.domain.memory import Memory
from memtui.recall import anchors, lexical, neighbours, score
from memtui.recall.fetching import Fetched
from memtui.recall.neighbours import Neighbour
from memtui.recall.phase import kind_part
from memtui.recall.result import Hit
from memtui.recall.score import Part

PIN_RELEVANCE = 1.0
"""A pinned memory is as relevant as the best match by words, and what it matches comes on top."""


@dataclass(slots=True)
class Scorer:
    """Scores memories for one task.

    Attributes:
        fetched: the evidence.
        pool: ids of the memories that may be shown; the best of them is what others are measured by.
        settings: the weights.
        kinds: the kinds in force.
        now: the moment freshness is measured at.
        phase: the phase of the work, or None.
        phase_guessed: whether it was guessed.
    """

    fetched: Fetched
    pool: Collection[str]
    settings: RecallSettings
    kinds: Kinds
    now: datetime
    phase: str | None = None
    phase_guessed: bool = True
    _terms: dict[str, list[Part]] = field(default_factory=dict)
    _best_score: float = 0.0
    _best_coverage: float = 0.0
    _states: dict[str, dict[str, str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Measure what the best memory by words reaches."""
        ranked = [identifier for identifier in self.fetched.lexical if identifier not in self.fetched.barred]
        pool = [identifier for identifier in ranked if identifier in self.pool]
        self._best_score = max((self.fetched.lexical[identifier].score for identifier in pool), default=0.0)
        informed = (self.coverage(identifier) for identifier in pool if self.is_informed(identifier))
        self._best_coverage = max(informed, default=0.0)
        for (identifier, path), state in self.fetched.states.items():
            self._states.setdefault(identifier, {})[path] = state

    def coverage(self, identifier: str) -> float:
        """Return the share of the task's weight that a memory matches by words, 0 to 1."""
        hit = self.fetched.lexical.get(identifier)
        return self.fetched.weights.coverage(hit.terms) if hit else 0.0

    def is_informed(self, identifier: str) -> bool:
        """Return whether a memory shares a word that tells memories apart."""
        hit = self.fetched.lexical.get(identifier)
        return hit is not None and not self.fetched.weights.informative.isdisjoint(hit.terms)

    def answers(self, identifier: str) -> bool:
        """Return whether a memory alone matches enough of the task's weight by words to be an answer."""
        return self.coverage(identifier) >= lexical.ANSWER_COVERAGE - lexical.ROUNDING

    def reaches_floor(self, identifier: str) -> bool:
        """Return whether words or files alone make a memory relevant, judged on raw evidence."""
        match = self.fetched.files.get(identifier)
        if match and match.strength >= anchors.FLOOR_STRENGTH:
            return True
        if not self.is_informed(identifier):
            return False
        return lexical.reaches_floor(
            self.coverage(identifier),
            self._share_by_words(identifier) * self._best_score,
            best_coverage=self._best_coverage,
            best_score=self._best_score,
        )

    def _share_by_words(self, identifier: str) -> float:
        """Return how near a memory comes to the best one by words, 0 to 1."""
        if identifier in self.fetched.barred:
            best = max(self._best_coverage, self.coverage(identifier))
            return self.coverage(identifier) / best if best else 0.0
        return min(1.0, self.fetched.lexical[identifier].score / self._best_score) if self._best_score else 0.0

    def own_terms(self, identifier: str) -> list[Part]:
        """Return what a memory's own words and files add to its relevance."""
        if identifier not in self._terms:
            terms = []
            hit = self.fetched.lexical.get(identifier)
            if hit:
                barred = identifier in self.fetched.barred
                trust = lexical.trust_in_words(self.coverage(identifier) if barred else self._best_coverage)
                value = trust * self._share_by_words(identifier)
                terms.append(lexical.words_part(hit.terms, value, self.fetched.weights))
            match = self.fetched.files.get(identifier)
            if match:
                terms.append(anchors.files_part(match))
            self._terms[identifier] = terms
        return self._terms[identifier]

    def own_relevance(self, identifier: str) -> float:
        """Return the relevance of a memory by itself, links aside."""
        return sum(part.value for part in self.own_terms(identifier))

    def neighbours(self) -> dict[str, Neighbour]:
        """Return what links pass on, from seeds that reach the floor.

        Replaced memories are seeds too: whoever asks for them needs their replacement.
        """
        seeds = {
            identifier: self.own_relevance(identifier)
            for identifier in {*self.pool, *self._replaced()}
            if self.reaches_floor(identifier)
        }
        return neighbours.neighbour_shares(self.fetched.links, seeds)

    def _replaced(self) -> set[str]:
        return {link.to_id for link in self.fetched.links if link.type == "supersedes"}

    def hit(self, memory: Memory, *, neighbour: Neighbour | None = None, extra: Part | None = None) -> Hit:
        """Return a memory with its score.

        Args:
            memory: the memory.
            neighbour: what links pass on to it.
            extra: a further term of the relevance: pinned, of the project.
        """
        terms = list(self.own_terms(memory.id))
        if neighbour:
            terms.append(neighbours.neighbours_part(neighbour))
        if extra:
            terms.append(extra)
        parts = [*terms, *self._factors(memory)]
        relevance, total = score.combine(parts)
        return Hit(memory, total, relevance, tuple(parts), self._reason(memory, terms))

    def _factors(self, memory: Memory) -> list[Part]:
        factors = [
            score.freshness_part(memory, self.now, self.kinds, self.settings.freshness_weight),
            score.usefulness_part(self.fetched.signals.get(memory.id, ()), self.now),
            score.importance_part(memory),
            kind_part(memory.kind, self.phase, guessed=self.phase_guessed),
        ]
        gone = score.gone_part(memory, self._states.get(memory.id, {}))
        return [*factors, gone] if gone else factors

    def _reason(self, memory: Memory, terms: list[Part]) -> str:
        words = []
        for part in terms:
            if part.name == "words":
                matched = lexical.matched_words(self.fetched.lexical[memory.id].terms, self.fetched.weights)
                words.append(f"shares {matched}")
            else:
                words.append(part.detail)
        return "; ".join([*words, score.trust_words(memory)] if memory.verified_at and not memory.pinned else words)


def pin_part() -> Part:
    """Return the term that pinning adds to the relevance."""
    return Part("pinned", PIN_RELEVANCE, "pinned", "term")
