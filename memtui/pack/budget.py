"""Sizes of texts in a budget's unit, the limits of targets, and how much of each memory a payload holds."""

from __future__ import annotations

import math
import re
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Literal, cast

from memtui.errors import UsageError
from memtui.recall.result import Hit, order_key
from memtui.text.token_count import ESTIMATE, TokenCounter, get_counter
from memtui.text.words import Budget, parse_budget


def counter_for(encoding: str, *, fast: bool = False) -> TokenCounter:
    """Return the counter of an encoding, or the estimate where no tokenizer may be loaded.

    The estimate stays above the exact count of ordinary text, so that a budget holds either way.

    `encoding`: `o200k_base`, `cl100k_base` or `estimate`. `fast`: whether to spare the start of a tokenizer.

    Raises `UsageError`: the encoding is unknown.
    """
    return get_counter(ESTIMATE if fast else encoding)


LimitUnit = Literal["tokens", "chars", "bytes", "lines"]

UNLIMITED = "none"  # What people write for no limit

_LINES = re.compile(r"(?P<number>[0-9]{1,3}(?:[,_][0-9]{3})+|[0-9]{1,9})\s*lines?", re.IGNORECASE)
_BETWEEN = re.compile(r"\s+and\s+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Limit:
    """The most that fits: a budget's unit, or lines."""

    amount: int
    unit: LimitUnit

    @classmethod
    def of_budget(cls, budget: Budget) -> Limit:
        return cls(budget.amount, budget.unit)

    def __str__(self) -> str:
        """Return it as people write it, e.g. `10,000 chars`."""
        return f"{self.amount:,} {self.unit}"


def parse_limits(text: str) -> tuple[Limit, ...]:
    """Return limits from `10000 chars`, `32 KiB` or `200 lines and 25000 bytes`; none from `none` and nothing.

    Raises `UsageError`: it is no such limit.
    """
    if text.strip().lower() in {"", UNLIMITED}:
        return ()
    return tuple(_limit(part) for part in _BETWEEN.split(text.strip()))


def _limit(text: str) -> Limit:
    lines = _LINES.fullmatch(text)
    if lines:
        return Limit(int(lines["number"].replace(",", "").replace("_", "")), "lines")
    try:
        return Limit.of_budget(parse_budget(text))
    except UsageError as error:
        raise UsageError(
            "no limit of a target",
            where=text[:60],
            remedy="Write it like `10000 chars`, `32 KiB`, `200 lines and 25000 bytes`, or none.",
        ) from error


MOST_CHARACTERS_PER_TOKEN = 20
"""Longer per token than any prose or code: text above this multiple of a limit exceeds it without counting."""

ESTIMATE_SURPLUS = 0.15
"""Part of a margin that the estimate without a tokenizer covers itself: it comes out at least so much high."""

CHARACTERS_PER_EXTRA_TOKEN = 2
"""Another vocabulary may take a token more for so many characters beyond ASCII: up to 1.2 for one of Chinese,
where o200k_base takes 0.7."""


PIECE_CHARACTERS = 4_000
"""Texts up to this length are pieces of a payload, and counted once while a person changes budget or target."""


@lru_cache(maxsize=2048)
def _counted(counter: Hashable, text: str) -> int:
    return cast("TokenCounter", counter).count(text)


@dataclass(frozen=True)
class Measure:
    """Measures texts against a budget and against the limits of a target."""

    budget: Budget
    counter: TokenCounter
    limits: tuple[Limit, ...] = ()  # what the target takes at most
    margin: float = 0.0  # share by which the assistant's own tokenizer, which is not public, may exceed the count
    _counts: dict[str, int] = field(default_factory=dict, compare=False, repr=False)

    @cached_property
    def bounds(self) -> tuple[Limit, ...]:
        """The budget, then the limits."""
        return (Limit.of_budget(self.budget), *self.limits)

    def sizes(self, text: str) -> tuple[int, ...]:
        return tuple(self._in(bound.unit, text) for bound in self.bounds)

    def size(self, text: str) -> int:
        """Return the size of a text in the budget's unit.

        Characters are UTF-16 units, in which an emoji is two: the limits that are stated in characters are
        those of assistants written in JavaScript. Tokens include the margin.
        """
        return self._in(self.budget.unit, text)

    def tokens(self, text: str) -> int:
        """Return the number of tokens whatever the unit of the budget, without the margin."""
        # The pieces of the finished payload are mostly those that the selection measured.
        count = self._counts.get(text)
        if count is None:
            is_piece = len(text) <= PIECE_CHARACTERS
            count = _counted(cast("Hashable", self.counter), text) if is_piece else self.counter.count(text)
            self._counts[text] = count
        return count

    def tokens_at_most(self, text: str) -> int:
        """Return the number of tokens with the margin."""
        count = self.tokens(text)
        if not self.margin:
            return count
        margin = self.margin if self.counter.exact else max(0.0, self.margin - ESTIMATE_SURPLUS)
        beyond_ascii = 0 if text.isascii() else sum(character > "\x7f" for character in text)
        return math.ceil(count * (1 + margin)) + math.ceil(beyond_ascii / CHARACTERS_PER_EXTRA_TOKEN)

    def exceeded(self, text: str) -> Limit | None:
        """Return the first bound that a text exceeds, or None if it fits."""
        for bound in self.bounds:
            if self._is_above(len(text), bound) or self._in(bound.unit, text) > bound.amount:
                return bound
        return None

    def fits(self, text: str) -> bool:
        """Return whether a text is within the budget and the limits."""
        return self.exceeded(text) is None

    def is_far_above(self, characters: int) -> bool:
        """Return whether so many characters exceed a bound, without counting tokens."""
        return any(self._is_above(characters, bound) for bound in self.bounds if bound.unit != "lines")

    def _is_above(self, characters: int, bound: Limit) -> bool:
        if bound.unit == "lines":
            return False
        factor = MOST_CHARACTERS_PER_TOKEN if bound.unit == "tokens" else 1
        return characters > factor * bound.amount

    def _in(self, unit: str, text: str) -> int:
        if unit == "tokens":
            return self.tokens_at_most(text)
        if unit == "bytes":
            return len(text.encode("utf-8", "replace"))
        if unit == "lines":
            return text.count("\n")
        return len(text.encode("utf-16-le", "replace")) // 2


Detail = Literal["most", "much", "some", "little"]
"""How much of a memory is kept: of the nearest one, of the next, of what is near, of what is less so."""

BEST_FIRST = 3  # Hits taken by score before size counts, in more detail: the best must not lose to small ones
NEAR = 0.8  # Below this share of the second best score a memory is reduced to its rules

WHOLE, OPENING, LINES = "whole", "opening", "lines"
"""Other values of detail: the whole text, as much of a giant as fits, with a mark, or all but lines to look up."""

DETAIL_WORDS: Mapping[str, str] = {
    "most": "shortened",
    "much": "shortened",
    "some": "shortened",
    "little": "rules alone",
    OPENING: "its opening alone",
    LINES: "of its lists the lines that the task names",
}
"""How a shortened memory is described to a person."""


def details_of(hits: Sequence[Hit]) -> Mapping[str, Detail]:
    """Return how much of each hit is kept, by its score, which a recorded pack has too; pins count as near the task."""
    ranked = sorted((hit for hit in hits if not hit.memory.pinned), key=order_key)
    second_best = _score_at(1, ranked)
    details: dict[str, Detail] = {hit.memory.id: "some" for hit in hits}
    for place, hit in enumerate(ranked):
        if place < BEST_FIRST:
            details[hit.memory.id] = "much" if place else "most"
        elif hit.score < NEAR * second_best:
            details[hit.memory.id] = "little"
    return details


def _score_at(place: int, ranked: Sequence[Hit]) -> float:
    """Return the score of a hit by its place, of the last one where there are fewer."""
    scores = sorted((hit.score for hit in ranked), reverse=True)
    return scores[min(place, len(scores) - 1)] if scores else 0.0
