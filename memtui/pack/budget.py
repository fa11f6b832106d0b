"""Sizes of texts in the unit of a budget, and of the limits of the target beside it."""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import cast

from memtui.pack.limits import Limit
from memtui.text.quantities import Budget
from memtui.text.token_count import TokenCounter

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
    """Measures texts against a budget and against the limits of a target.

    Attributes:
        budget: amount and unit.
        counter: counts tokens.
        limits: what the target takes at most.
        margin: share by which the assistant's own tokenizer, which is not public, may exceed the count.
    """

    budget: Budget
    counter: TokenCounter
    limits: tuple[Limit, ...] = ()
    margin: float = 0.0
    _counts: dict[str, int] = field(default_factory=dict, compare=False, repr=False)

    @cached_property
    def bounds(self) -> tuple[Limit, ...]:
        """The budget, then the limits."""
        return (Limit.of_budget(self.budget), *self.limits)

    def sizes(self, text: str) -> tuple[int, ...]:
        """Return the size of a text in the unit of each bound."""
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
