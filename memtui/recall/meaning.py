"""How recall compares a task with memories by meaning, whatever embeds them and wherever the vectors lie."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from memtui.vault.filters import MemoryFilter
from memtui.vault.reading import VaultReader

if TYPE_CHECKING:
    from memtui.vault.term_index import TermIndex

UNRELATED = 3
"""Memories with a cosine of 0, as unrelated texts have, that are counted into the background: in a vault of three the
mean of all is that of the answers, and none of them would stand out from it."""

MOST_MISSING = 0.1
"""Share of memories without a vector up to which meaning speaks for the whole vault."""


@dataclass(frozen=True, slots=True)
class Likeness:
    """How like a task some memories are, beside all others.

    Attributes:
        cosines: cosine with the task per internal key: the nearest of a filter, and those asked for, as far as they
            have a vector.
        background: mean cosine of the task with every memory that has a vector.
        count: how many memories have a vector.
        missing: how many have none.
        within: how many memories the filter holds; those of other projects say nothing about what is near here.
    """

    cosines: Mapping[int, float] = field(default_factory=dict)
    background: float = 0.0
    count: int = 0
    missing: int = 0
    within: int = 0

    @property
    def unrelated(self) -> float:
        """The cosine that a memory has which has nothing to do with the task: the mean of all, and of a few at 0."""
        return self.background * self.count / (self.count + UNRELATED) if self.count else 0.0

    @property
    def is_complete(self) -> bool:
        """Whether so many memories have a vector that meaning alone may say that none answers."""
        return self.missing <= self.count * MOST_MISSING


class Sense(Protocol):
    """The meaning of one task, ready to be compared."""

    def look(self, reader: VaultReader, wanted: MemoryFilter, *, keys: Collection[int], limit: int) -> Likeness:
        """Return how like the task the nearest memories of a filter are, and those with the given keys.

        Args:
            reader: an open vault.
            wanted: which memories the nearest are looked for among.
            keys: internal keys to compare besides.
            limit: how many of the nearest.
        """

    def kinship(self, reader: VaultReader, keys: Collection[int]) -> Mapping[tuple[int, int], float]:
        """Return the cosine of each two of some memories, the smaller key first; those without a vector are left out.

        Args:
            reader: an open vault.
            keys: their internal keys.
        """


@runtime_checkable
class KeepsTerms(Protocol):
    """Whatever holds the postings in memory besides, for a process that asks more than once."""

    @property
    def terms(self) -> TermIndex | None:
        """The postings, None where the vault is to be asked."""


class Meaning(Protocol):
    """Whatever turns tasks into something that can be compared with memories."""

    def sense(self, text: str) -> Sense | None:
        """Return the meaning of a text, None if there is nothing to compare with; may load a model.

        Called outside any lease, because loading takes longer than one may last.
        """

    def catch_up(self) -> bool:
        """Make up for what the last comparison found missing, a little of it; returns whether anything changed."""


def terms_of(meaning: object) -> TermIndex | None:
    """Return the postings that are held in memory, None if there are none."""
    return meaning.terms if isinstance(meaning, KeepsTerms) else None
