"""Sizes of texts in the unit of a budget."""

from __future__ import annotations

from dataclasses import dataclass

from memtui.text.quantities import Budget
from memtui.text.token_count import TokenCounter

MOST_CHARACTERS_PER_TOKEN = 20
"""Longer per token than any prose or code: text above this multiple of a limit exceeds it without counting."""


@dataclass(frozen=True, slots=True)
class Measure:
    """Measures texts against a budget.

    Attributes:
        budget: amount and unit.
        counter: counts tokens.
    """

    budget: Budget
    counter: TokenCounter

    def size(self, text: str) -> int:
        """Return the size of a text in the budget's unit.

        Characters are UTF-16 units, in which an emoji is two: the limits that are stated in characters are
        those of assistants written in JavaScript.
        """
        if self.budget.unit == "tokens":
            return self.counter.count(text)
        if self.budget.unit == "bytes":
            return len(text.encode("utf-8", "replace"))
        return len(text.encode("utf-16-le", "replace")) // 2

    def tokens(self, text: str) -> int:
        """Return the number of tokens whatever the unit of the budget."""
        return self.counter.count(text)

    def fits(self, text: str) -> bool:
        """Return whether a text is within the budget."""
        return not self.is_far_above(len(text), self.budget.amount) and self.size(text) <= self.budget.amount

    def is_far_above(self, characters: int, limit: int) -> bool:
        """Return whether so many characters exceed a limit in the budget's unit, without counting tokens."""
        factor = MOST_CHARACTERS_PER_TOKEN if self.budget.unit == "tokens" else 1
        return characters > factor * limit
