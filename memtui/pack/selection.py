"""Which memories go into a payload: pins, the best, then the most score per token, within the budget."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from memtui.domain.memory import AnchorState, Memory
from memtui.pack.budget import MOST_CHARACTERS_PER_TOKEN, Measure
from memtui.pack.likeness import Gist, gist, overlap, say_the_same
from memtui.pack.shortening import shortened
from memtui.pack.targets.base import PackItem, PayloadInfo, Target
from memtui.recall.result import Hit, Recall, Withheld
from memtui.recall.withholding import Reason, settle

BEST_FIRST = 3
"""So many hits are taken by score before size counts: the best answer must not lose to small ones."""

SHARE_OF_ONE = 0.4
"""Most of the budget that one memory may take while others have to give way."""

NO_GIANT = {"tokens": 150, "chars": 600, "bytes": 600}
"""Up to this size no memory counts as a giant, however small the budget."""

REDUNDANCY = 0.7
"""Part of a score that repeating another memory's words in full costs."""

JOINT = 1
"""What joining a text to the next one may cost: a comma or an empty line."""

OVER_BUDGET = Reason("over budget", "over budget")
PIN_OVER_BUDGET = Reason("over budget (pinned)", "over budget (pinned)")


@dataclass(frozen=True, slots=True)
class Choice:
    """A memory of the payload.

    Attributes:
        hit: as recalled.
        item: as it goes into the payload.
    """

    hit: Hit
    item: PackItem


@dataclass(slots=True)
class Selection:
    """What was chosen, in the order of choice, and what was withheld."""

    chosen: list[Choice] = field(default_factory=list)
    withheld: list[Withheld] = field(default_factory=list)


def select(recall: Recall, *, target: Target, measure: Measure, max_memories: int, info: PayloadInfo) -> Selection:
    """Return the memories of a payload.

    The same recall and options give the same selection. What the parts cost is added up; the caller
    measures the finished payload.

    Args:
        recall: hits and pins with their links.
        target: the form, for what a memory costs in it.
        measure: budget and counter.
        max_memories: most memories.
        info: what the payload says of itself.
    """
    kept, dropped = settle([*recall.pins, *recall.hits], recall.links)
    selector = _Selector(recall.states, target, measure, max_memories, info)
    selector.selection.withheld += [reason.of(hit.memory, hit.relevance) for hit, reason in dropped]
    selector.prepare(kept)
    pins = [hit for hit in kept if hit.memory.pinned]
    hits = [hit for hit in kept if not hit.memory.pinned]
    for hit in pins:
        selector.offer(hit, over_budget=PIN_OVER_BUDGET)
    for hit in hits[:BEST_FIRST]:
        selector.offer(hit)
    selector.fill(hits[BEST_FIRST:])
    return selector.selection


@dataclass(frozen=True, slots=True)
class _Offer:
    """An item with what it costs.

    Attributes:
        cost: size of its own text.
        frames: the headings around it, with the size of each.
    """

    item: PackItem
    cost: int
    frames: Mapping[str, int]


@dataclass(slots=True)
class _Selector:
    states: Mapping[tuple[str, str], AnchorState]
    target: Target
    measure: Measure
    max_memories: int
    info: PayloadInfo
    selection: Selection = field(default_factory=Selection)
    _used: int = 0
    _paid: set[str] = field(default_factory=set)
    _gists: dict[str, Gist] = field(default_factory=dict)
    _offers: dict[str, _Offer | None] = field(default_factory=dict)

    def prepare(self, hits: Sequence[Hit]) -> None:
        """Measure the hits, and shorten the giants if not everything fits as it is."""
        self._gists = {hit.memory.id: gist(hit.memory) for hit in hits}
        self._offers = {hit.memory.id: self._priced(hit.memory) for hit in hits}
        amount = self.measure.budget.amount
        offers = [offer for offer in self._offers.values() if offer]
        frames = {text: size for offer in offers for text, size in offer.frames.items()}
        total = sum(offer.cost for offer in offers) + sum(frames.values())
        if len(offers) == len(hits) and total <= amount and len(hits) <= self.max_memories:
            return
        cap = min(amount, max(int(SHARE_OF_ONE * amount), NO_GIANT[self.measure.budget.unit]))
        for hit in hits:
            offer = self._offers[hit.memory.id]
            if offer is None or offer.cost > cap:
                self._offers[hit.memory.id] = self._shortened(hit.memory, cap)

    def offer(self, hit: Hit, *, over_budget: Reason = OVER_BUDGET) -> None:
        """Take a hit, or withhold it with the reason."""
        reason = self._obstacle(hit)
        offer = self._offers[hit.memory.id]
        if reason is None and offer is not None and self._used + self._price(offer) <= self.measure.budget.amount:
            self._used += self._price(offer)
            self._paid |= offer.frames.keys()
            self.selection.chosen.append(Choice(hit, offer.item))
            return
        self.selection.withheld.append((reason or over_budget).of(hit.memory, hit.relevance))

    def fill(self, hits: Sequence[Hit]) -> None:
        """Take hits by score per size, less what they repeat, as long as any fits."""
        waiting = list(hits)
        likest = {hit.memory.id: self._likest(hit, self.selection.chosen) for hit in waiting}
        while waiting:
            best = max(range(len(waiting)), key=lambda place: (self._density(waiting[place], likest), -place))
            hit = waiting.pop(best)
            before = len(self.selection.chosen)
            self.offer(hit)
            for choice in self.selection.chosen[before:]:
                for other in waiting:
                    likest[other.memory.id] = max(likest[other.memory.id], self._likest(other, [choice]))

    def _density(self, hit: Hit, likest: Mapping[str, float]) -> float:
        offer = self._offers[hit.memory.id]
        value = hit.score * (1 - REDUNDANCY * likest[hit.memory.id])
        return value / max(1, offer.cost) if offer else 0.0

    def _likest(self, hit: Hit, chosen: Sequence[Choice]) -> float:
        own = self._gists[hit.memory.id]
        return max((overlap(own, self._gists[choice.hit.memory.id]) for choice in chosen), default=0.0)

    def _obstacle(self, hit: Hit) -> Reason | None:
        own = self._gists[hit.memory.id]
        for choice in self.selection.chosen:
            if say_the_same(own, self._gists[choice.hit.memory.id]):
                return Reason(f"duplicate of {choice.hit.memory.id}", "duplicate")
        if len(self.selection.chosen) >= self.max_memories:
            words = f"beyond the limit of {self.max_memories} memories"
            return Reason(words, words)
        return None

    def _price(self, offer: _Offer) -> int:
        """Return what an offer adds to the payload, headings that are new with it included."""
        return offer.cost + sum(size for text, size in offer.frames.items() if text not in self._paid)

    def _priced(self, memory: Memory) -> _Offer | None:
        """Return a memory with its cost, or None if it is above the budget without counting."""
        if self.measure.is_far_above(_length(memory), self.measure.budget.amount):
            return None
        item = self._item(memory)
        pieces = self.target.pieces([item], self.info)
        own = sum(self.measure.size(piece.text) + JOINT for piece in pieces if piece.memory_id)
        frames = {piece.text: self.measure.size(piece.text) for piece in pieces if piece.memory_id is None}
        return _Offer(item, own, frames)

    def _item(self, memory: Memory) -> PackItem:
        return PackItem(memory, {path: state for (owner, path), state in self.states.items() if owner == memory.id})

    def _shortened(self, memory: Memory, cap: int) -> _Offer | None:
        def fits(tried: Memory) -> bool:
            offer = self._priced(tried)
            return offer is not None and offer.cost <= cap

        if cap < 1:
            return None
        short = shortened(memory, fits=fits, longest=cap * MOST_CHARACTERS_PER_TOKEN)
        return self._priced(short) if short else None


def _length(memory: Memory) -> int:
    return len(memory.title) + len(memory.insight) + len(memory.rationale) + len(memory.snippet)
