"""Select memories for a payload: pins, the best, then the highest score per token."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import TYPE_CHECKING

from memtui.domain.memory import AnchorState, Memory
from memtui.domain.reasons import Reason, ReasonCode
from memtui.pack.budget import (
    BEST_FIRST,
    LINES,
    MOST_CHARACTERS_PER_TOKEN,
    OPENING,
    WHOLE,
    Detail,
    Limit,
    Measure,
    details_of,
)
from memtui.pack.filters import PUT_IN
from memtui.pack.openings import mark, more_lines, near_lines, shortened
from memtui.pack.repeats import Likenesses, Said, gist, is_said_by, without_repeats
from memtui.pack.targets.base import PackItem, PayloadInfo, Target
from memtui.recall.eligibility import settle
from memtui.recall.result import Hit, Recall, Withheld, age_key

if TYPE_CHECKING:
    from memtui.pack.compile import Compiler

MOST_LOOKED_AT = 14
"""Candidates on either side, in pairs too: greedy choices that are not optimal differ in a few at the edge alone."""

LEAST_GAIN = 1e-9

Sizes = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Candidate:
    """Something that is in or out."""

    key: str  # what it is known by
    value: float  # what it is worth
    sizes: Sizes  # what it takes of each bound


def best_swap(
    inside: Sequence[Candidate], outside: Sequence[Candidate], free: Sizes
) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """Return what should go out and what should come in, at most two each, for the largest gain; None for no gain.

    Args:
        inside: what may give way.
        outside: what did not fit.
        free: what is left of each bound.
    """
    weak = sorted(inside, key=lambda one: (one.value / max(1, one.sizes[0]), one.key))[:MOST_LOOKED_AT]
    strong = sorted(outside, key=lambda one: (-one.value / max(1, one.sizes[0]), one.key))[:MOST_LOOKED_AT]
    incoming = list(_groups(strong))
    best: tuple[float, tuple[str, ...], tuple[str, ...]] | None = None
    for out_keys, out_value, out_sizes in [((), 0.0, (0,) * len(free)), *_groups(weak)]:
        room = tuple(left + size for left, size in zip(free, out_sizes, strict=True))
        for in_keys, in_value, in_sizes in incoming:
            gain = in_value - out_value
            if gain <= (best[0] if best else LEAST_GAIN) or in_sizes[0] > room[0]:
                continue
            if all(size <= most for size, most in zip(in_sizes, room, strict=True)):
                best = (gain, out_keys, in_keys)
    return (best[1], best[2]) if best else None


def _groups(candidates: Sequence[Candidate]) -> Iterator[tuple[tuple[str, ...], float, Sizes]]:
    """Yield (keys, value, sizes) of each candidate and of each pair."""
    for one in candidates:
        yield (one.key,), one.value, one.sizes
    for one, other in combinations(candidates, 2):
        sizes = tuple(map(sum, zip(one.sizes, other.sizes, strict=True)))
        yield (one.key, other.key), one.value + other.value, sizes


SHARE_OF_ONE = 0.4
"""Most of the budget that one memory may take while others have to give way; what is larger is a giant."""

SHARE_OF_OPENING = 0.15
"""Part of the budget that the opening of a giant gets where the others need the rest: they fit whole, it does not."""

SHARE_OF_LISTS = 0.2
"""Part of the budget that a memory may take with trees, commands and tables that the task names few lines of."""

NO_GIANT = {"tokens": 150, "chars": 600, "bytes": 600, "lines": 10}
"""Up to this size no memory counts as a giant, however small the budget."""

MOST_COMPILED = 200_000  # Characters above which a memory is not compiled: it is a pasted file, and shortened instead
MOST_SWAPS = 12  # Rounds of bettering; each gains, and few cases need more than four
REDUNDANCY = 0.7  # Part of a score that repeating another memory's words in full costs
JOINT = 1  # What joining a text to the next one may cost: a comma, or the characters of an empty line

PINNED = Reason(ReasonCode.PINNED)


def over_bound(bound: Limit, measure: Measure, target: Target, whose: Reason | None = None, *, over: int = 0) -> Reason:
    """Return the reason of what exceeds the budget, or else a limit of the target.

    `whose`: that a person pinned the memory or put it in. `over`: by how much the bound is exceeded, 0 if unknown.
    """
    because = (whose,) if whose else ()
    if bound == measure.bounds[0]:
        return Reason(ReasonCode.OVER_BUDGET, over=over, unit=bound.unit, because=because)
    return Reason(
        ReasonCode.OVER_LIMIT, number=bound.amount, over=over, unit=bound.unit, target=target.name, because=because
    )


@dataclass(frozen=True, slots=True)
class Choice:
    """A memory of the payload."""

    hit: Hit
    item: PackItem  # as it goes into the payload


@dataclass(slots=True)
class Selection:
    """What was chosen, in the order of choice, and what was withheld."""

    chosen: list[Choice] = field(default_factory=list)
    withheld: list[Withheld] = field(default_factory=list)


def select(
    recall: Recall,  # hits and pins with their links
    values: Mapping[str, float],  # what each is worth, by id
    *,
    target: Target,  # the form, for what a memory costs in it
    measure: Measure,  # budget, limits and counter
    max_memories: int,
    info: PayloadInfo,  # what the payload says of itself
    compiler: Compiler | None = None,  # shortens memories for the task, None for the full style
) -> Selection:
    """Return the memories of a payload.

    The same recall and options give the same selection. What the parts cost is added up; the caller
    measures the finished payload.
    """
    put_in = {hit.memory.id for hit in recall.put_in}
    kept, dropped = settle([*recall.put_in, *recall.pins, *recall.hits], recall.links)
    kept.sort(key=lambda hit: (-values[hit.memory.id], *age_key(hit.memory)))
    kept, repeated = without_repeats(kept, recall.apart)
    dropped += repeated
    selector = _Selector(
        recall.states, target, measure, max_memories, info, compiler, values, recall.statuses, recall.apart, put_in
    )
    selector.selection.withheld += [Withheld.of(hit.memory, reason, hit.relevance) for hit, reason in dropped]
    by_hand, rest = _parted(kept, lambda hit: hit.memory.id in put_in)
    pins, hits = _parted(rest, lambda hit: hit.memory.pinned)
    selector.prepare(kept, hits[:BEST_FIRST])
    for group, whose in ((by_hand, PUT_IN), (pins, PINNED)):
        for hit in group:
            selector.offer(hit, whose=whose, at_any_length=True)
    if info.is_public:
        for part in by_gravity(hits):
            selector.fill(part)
    else:
        for hit in hits[:BEST_FIRST]:
            selector.offer(hit, at_any_length=True)
        selector.fill(hits[BEST_FIRST:])
    _leave_out_orphans(selector.selection, recall.meant)
    return selector.selection


def _leave_out_orphans(selection: Selection, meant: Mapping[str, str]) -> None:
    """Withhold what refers to a memory that was not chosen."""
    chosen = {choice.hit.memory.id for choice in selection.chosen}
    for choice in list(selection.chosen):
        needed = meant.get(choice.hit.memory.id)
        if needed is not None and needed not in chosen:
            selection.chosen.remove(choice)
            reason = Reason(ReasonCode.NEEDS_ANOTHER, other=needed)
            selection.withheld.append(Withheld.of(choice.hit.memory, reason, choice.hit.relevance))


def by_gravity(hits: Sequence[Hit]) -> tuple[list[Hit], ...]:
    """Return the constraints that forbid, the other ones, and what is no constraint, each in the order it came in."""
    # Imported here: it reads sentences by grammar, and hooks never publish.
    from memtui.analysis.classify import forbids

    constraints, rest = _parted(hits, lambda hit: hit.memory.kind == "constraint")
    bans, others = _parted(constraints, lambda hit: forbids(f"{hit.memory.title}\n{hit.memory.insight}"))
    return bans, others, rest


def _parted(hits: Sequence[Hit], test: Callable[[Hit], bool]) -> tuple[list[Hit], list[Hit]]:
    return [hit for hit in hits if test(hit)], [hit for hit in hits if not test(hit)]


@dataclass(frozen=True, slots=True)
class _Offer:
    """An item with what it costs."""

    item: PackItem
    sizes: Sizes  # of its own text, in the unit of each bound
    frames: Mapping[str, Sizes]  # the headings around it, with their sizes


@dataclass(slots=True)
class _Selector:
    states: Mapping[tuple[str, str], AnchorState]
    target: Target
    measure: Measure
    max_memories: int
    info: PayloadInfo
    compiler: Compiler | None
    values: Mapping[str, float]
    statuses: Mapping[str, Reason]
    apart: Collection[tuple[str, str]]
    put_in: Collection[str]
    selection: Selection = field(default_factory=Selection)
    _details: Mapping[str, Detail] = field(default_factory=dict)
    _used: list[int] = field(default_factory=list)
    _paid: set[str] = field(default_factory=set)
    _alike: Likenesses = field(default_factory=lambda: Likenesses({}))
    _told_by: dict[tuple[str, str], bool] = field(default_factory=dict)
    _offers: dict[str, _Offer | None] = field(default_factory=dict)
    _texts: Mapping[str, Memory] = field(default_factory=dict)

    def prepare(self, hits: Sequence[Hit], best: Sequence[Hit]) -> None:
        """Measure the hits, and shorten the giants if not everything fits, the best ones least."""
        bounds = self.measure.bounds
        self._used = [0] * len(bounds)
        self._alike = Likenesses({hit.memory.id: gist(hit.memory) for hit in hits}, self.apart)
        self._details = details_of(hits)
        self._texts = texts = {hit.memory.id: self._text(hit.memory) for hit in hits}
        self._offers = {identifier: self._priced(memory) for identifier, memory in texts.items()}
        frames = {text: sizes for offer in self._offers.values() if offer for text, sizes in offer.frames.items()}
        if not self.info.is_public and (len(hits) > self.max_memories or not self._all_fit(frames)):
            self._shorten_giants(texts, frames, {hit.memory.id for hit in best})

    def _all_fit(self, frames: Mapping[str, Sizes]) -> bool:
        """Return whether everything fits unshortened, headings included."""
        sizes = [offer.sizes for offer in self._offers.values() if offer]
        total = [sum(each) for each in zip(*sizes, *frames.values(), strict=True)]
        fits = not any(size > bound.amount for size, bound in zip(total, self.measure.bounds, strict=False))
        return fits and len(sizes) == len(self._offers)

    def _shorten_giants(self, texts: Mapping[str, Memory], frames: Mapping[str, Sizes], best: Collection[str]) -> None:
        """Offer the beginning of each memory that would take too much: what the others leave, or a fixed share."""
        cap = self._cap(SHARE_OF_ONE)
        others = {name: offer for name, offer in self._offers.items() if offer and not self._exceeds(offer.sizes, cap)}
        giants = [memory for name, memory in texts.items() if name not in others]
        empty = [self._priced(replace(giant, title="", insight="x", rationale="", snippet="")) for giant in giants]
        frames = dict(frames) | {text: sizes for offer in empty if offer for text, sizes in offer.frames.items()}
        room = self._left_for_each(len(giants), [offer.sizes for offer in others.values()], frames)
        opening = tuple(map(max, self._cap(SHARE_OF_OPENING), room))
        for giant in giants:
            least = tuple(map(max, opening, cap)) if giant.id in best else opening
            self._offers[giant.id] = self._shortened(giant, least) or self._shortened(giant, cap)

    def _left_for_each(self, number: int, sizes: Sequence[Sizes], frames: Mapping[str, Sizes]) -> Iterator[int]:
        """Yield, per bound, what other offers and the frames leave for each of so many memories."""
        rest = [sum(each) for each in zip(*sizes, *frames.values(), self._used, strict=True)]
        for bound, size in zip(self.measure.bounds, rest, strict=True):
            yield (bound.amount - size) // max(1, number)

    def _text(self, memory: Memory) -> Memory:
        """Return a memory in the style of the payload; of a pasted file the opening has to do."""
        memory = self._without_far_lines(memory)
        if self.compiler is None:
            return memory
        status = self.statuses.get(memory.id)
        if _length(memory) > MOST_COMPILED:
            from memtui.pack.compile import marked

            text = marked(f"{memory.title}\n{memory.insight}", memory, status)
            return replace(memory, insight=text, rationale="", snippet="")
        return self.compiler.compiled(memory, detail=self._details[memory.id], status=status)

    def _without_far_lines(self, memory: Memory) -> Memory:
        """Return a memory without lines to look up that the task does not name, if it is large and no one chose it."""
        if not self.info.wanted or memory.pinned or memory.id in self.put_in:
            return memory
        cap = self._cap(SHARE_OF_LISTS)

        def fits(tried: Memory) -> bool:
            offer = self._priced(tried)
            return offer is not None and not self._exceeds(offer.sizes, cap)

        return near_lines(memory, self.info.wanted, fits=fits) or memory

    def _told(self, memory: Memory, item: PackItem) -> str:
        """Return how much of a memory an item tells."""
        if item.memory.insight.endswith(mark(memory)):
            return OPENING
        if more_lines(memory) in f"{item.memory.insight}\n{item.memory.snippet}":
            return LINES
        if self.compiler is None:
            return WHOLE
        from memtui.pack.compile import is_told_whole

        return WHOLE if is_told_whole(memory, item.memory) else self._details[memory.id]

    def _cap(self, share: float) -> Sizes:
        """Return a share of each bound, as long as that is no mere line."""
        return tuple(
            min(bound.amount, max(int(share * bound.amount), int(share / SHARE_OF_ONE * NO_GIANT[bound.unit])))
            for bound in self.measure.bounds
        )

    def offer(self, hit: Hit, *, whose: Reason | None = None, at_any_length: bool = False) -> None:
        """Take a hit if it fits, or as much of it as does; otherwise say why not."""
        reason = self._obstacle(hit)
        offer = self._offers[hit.memory.id]
        exceeded = None if reason else self._bound_exceeded(offer)
        if exceeded is not None and at_any_length and not self.info.is_public:
            short = self._cut_to_fit(self._texts[hit.memory.id])
            offer, exceeded = (short, None) if short else (offer, exceeded)
        if reason is None and exceeded is None and offer is not None:
            self._used = [used + size for used, size in zip(self._used, self._price(offer), strict=True)]
            self._paid |= offer.frames.keys()
            self.selection.chosen.append(Choice(hit, replace(offer.item, detail=self._told(hit.memory, offer.item))))
            return
        bound = exceeded or self.measure.bounds[0]
        why = reason or over_bound(bound, self.measure, self.target, whose, over=self._excess(offer, bound))
        self.selection.withheld.append(Withheld.of(hit.memory, why, hit.relevance))

    def _cut_to_fit(self, memory: Memory) -> _Offer | None:
        """Return as much of a memory as there is room for, None where that is a mere line or nothing."""
        heading = self._priced(replace(memory, title="", insight="x", rationale="", snippet=""))
        frames = [sizes for text, sizes in heading.frames.items() if text not in self._paid] if heading else []
        taken = tuple(map(sum, zip(self._used, *frames, strict=True)))
        room = tuple(bound.amount - size for bound, size in zip(self.measure.bounds, taken, strict=True))
        if any(left < least for left, least in zip(room, self._cap(SHARE_OF_OPENING), strict=True)):
            return None
        return self._shortened(memory, room)

    def _bound_exceeded(self, offer: _Offer | None) -> Limit | None:
        """Return the first bound that the payload would exceed with an offer."""
        if offer is None:
            return self.measure.bounds[0]
        for used, size, bound in zip(self._used, self._price(offer), self.measure.bounds, strict=True):
            if used + size > bound.amount:
                return bound
        return None

    def _excess(self, offer: _Offer | None, bound: Limit) -> int:
        """Return by how much the payload would exceed a bound with an offer; 0 where its size was not counted."""
        if offer is None:
            return 0
        place = self.measure.bounds.index(bound)
        return self._used[place] + self._price(offer)[place] - bound.amount

    def fill(self, hits: Sequence[Hit]) -> None:
        """Take hits by score per size, less what they repeat, as long as any fits; then better the choice."""
        waiting = list(hits)
        likest = {hit.memory.id: self._likest(hit, self.selection.chosen) for hit in waiting}
        worth = {hit.memory.id: self._worth(hit) for hit in waiting}
        missed: list[Hit] = []
        while waiting:
            densities = [worth[hit.memory.id] * (1 - REDUNDANCY * likest[hit.memory.id]) for hit in waiting]
            hit = waiting.pop(densities.index(max(densities)))
            before = len(self.selection.chosen)
            if self._obstacle(hit) is None and self._bound_exceeded(self._offers[hit.memory.id]) is not None:
                missed.append(hit)
                continue
            self.offer(hit)
            for choice in self.selection.chosen[before:]:
                for other in waiting:
                    likest[other.memory.id] = max(likest[other.memory.id], self._likest(other, [choice]))
        self._better(hits, missed)

    def _better(self, hits: Sequence[Hit], missed: list[Hit]) -> None:
        """Let chosen hits give way to missed ones as long as the payload gains; then withhold what is still missed."""
        known = {hit.memory.id: hit for hit in hits}
        for _ in range(MOST_SWAPS):
            chosen = {choice.hit.memory.id: choice for choice in self.selection.chosen}
            inside = [self._candidate(known[identifier], chosen) for identifier in chosen if identifier in known]
            outside = [self._candidate(hit, chosen) for hit in missed if self._obstacle(hit) is None]
            left = [bound.amount - used for bound, used in zip(self.measure.bounds, self._used, strict=True)]
            free = (*left, self.max_memories - len(chosen))
            swap = best_swap(inside, outside, free) if outside else None
            if swap is None:
                break
            self._swap([known[key] for key in swap[0]], [known[key] for key in swap[1]], missed)
        for hit in missed:
            self.offer(hit)

    def _candidate(self, hit: Hit, chosen: Mapping[str, Choice]) -> Candidate:
        """Return a hit with its value beside the other chosen ones, and what it takes or would take."""
        others = [choice for identifier, choice in chosen.items() if identifier != hit.memory.id]
        value = self.values[hit.memory.id] * (1 - REDUNDANCY * self._likest(hit, others))
        offer = self._offers[hit.memory.id]
        if offer is None:
            return Candidate(hit.memory.id, 0.0, (*(bound.amount + 1 for bound in self.measure.bounds), 1))
        # The headings that one who gives way leaves behind stay paid for: a surer bound, and seldom a word.
        sizes = offer.sizes if hit.memory.id in chosen else self._price(offer)
        return Candidate(hit.memory.id, value, (*sizes, 1))

    def _swap(self, out: Sequence[Hit], into: Sequence[Hit], missed: list[Hit]) -> None:
        gone = {hit.memory.id for hit in out}
        for hit in out:
            offer = self._offers[hit.memory.id]
            self._used = [used - size for used, size in zip(self._used, offer.sizes if offer else (), strict=True)]
            missed.append(hit)
        self.selection.chosen = [choice for choice in self.selection.chosen if choice.hit.memory.id not in gone]
        for hit in into:
            missed.remove(hit)
            self.offer(hit)

    def _worth(self, hit: Hit) -> float:
        """Return the value of a hit for its size, what it repeats aside."""
        offer = self._offers[hit.memory.id]
        if offer is None:
            return 0.0
        # The scarcest bound sets the price, and the number of memories is one.
        shares = [size / max(1, bound.amount) for size, bound in zip(offer.sizes, self.measure.bounds, strict=True)]
        return self.values[hit.memory.id] / max(*shares, 1 / max(1, self.max_memories))

    def _likest(self, hit: Hit, chosen: Sequence[Choice]) -> float:
        own, alike = hit.memory.id, self._alike
        return max((alike.overlap(own, choice.hit.memory.id) for choice in chosen), default=0.0)

    def _obstacle(self, hit: Hit) -> Reason | None:
        own, alike = hit.memory.id, self._alike
        for choice in self.selection.chosen:
            other = choice.hit.memory.id
            if alike.say_the_same(own, other) or self._is_told_by(hit, choice):
                return Reason(ReasonCode.DUPLICATE, other=choice.hit.memory.id)
        if len(self.selection.chosen) >= self.max_memories:
            return Reason(ReasonCode.TOO_MANY, number=self.max_memories)
        return None

    def _is_told_by(self, hit: Hit, choice: Choice) -> bool:
        """Return whether what was chosen tells all that a hit says, in as much of it as went in."""
        own, other = hit.memory.id, choice.hit.memory.id
        if hit.memory.pinned or hit.is_put_in or (min(own, other), max(own, other)) in self.apart:
            return False
        key = (own, other)
        if key not in self._told_by:
            self._told_by[key] = is_said_by(Said.by(hit.memory), Said.by(choice.item.memory), at_any_length=True)
        return self._told_by[key]

    def _price(self, offer: _Offer) -> Sizes:
        """Return what an offer adds to the payload, headings that are new with it included."""
        fresh = [sizes for text, sizes in offer.frames.items() if text not in self._paid]
        return tuple(map(sum, zip(offer.sizes, *fresh, strict=True)))

    def _priced(self, memory: Memory) -> _Offer | None:
        """Return a memory with its cost, or None if it is above the budget without counting."""
        if self.measure.is_far_above(_length(memory)):
            return None
        item = self._item(memory)
        pieces = self.target.pieces([item], self.info)
        own = [self._with_joint(self.measure.sizes(piece.text)) for piece in pieces if piece.memory_id]
        frames = {piece.text: self.measure.sizes(piece.text) for piece in pieces if piece.memory_id is None}
        return _Offer(item, tuple(map(sum, zip(*own, strict=True))), frames)

    def _with_joint(self, sizes: Sizes) -> Sizes:
        """Return sizes with what joining may cost: an empty line is no token of its own, a comma is."""
        is_list = self.target.media == "application/json"
        return tuple(
            size + JOINT if is_list or bound.unit != "tokens" else size
            for size, bound in zip(sizes, self.measure.bounds, strict=True)
        )

    def _item(self, memory: Memory) -> PackItem:
        states = {path: state for (owner, path), state in self.states.items() if owner == memory.id}
        return PackItem(memory, states, self.statuses.get(memory.id))

    def _shortened(self, memory: Memory, cap: Sizes) -> _Offer | None:
        def fits(tried: Memory) -> bool:
            offer = self._priced(tried)
            return offer is not None and not self._exceeds(offer.sizes, cap)

        if min(cap) < 1:
            return None
        short = shortened(memory, fits=fits, longest=cap[0] * MOST_CHARACTERS_PER_TOKEN)
        return self._priced(short) if short else None

    @staticmethod
    def _exceeds(sizes: Sizes, cap: Sizes) -> bool:
        return any(size > most for size, most in zip(sizes, cap, strict=True))


def _length(memory: Memory) -> int:
    return len(memory.title) + len(memory.insight) + len(memory.rationale) + len(memory.snippet)
