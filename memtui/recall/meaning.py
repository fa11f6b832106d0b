"""How recall compares a task with memories by meaning, whatever embeds them and wherever the vectors lie."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from memtui.vault.filters import MemoryFilter
from memtui.vault.reading import VaultReader

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
    """

    cosines: Mapping[int, float] = field(default_factory=dict)
    background: float = 0.0
    count: int = 0
    missing: int = 0

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


class Meaning(Protocol):
    """Whatever turns tasks into something that can be compared with memories."""

    def sense(self, text: str) -> Sense | None:
        """Return the meaning of a text, None if there is nothing to compare with; may load a model.

        Called outside any lease, because loading takes longer than one may last.
        """

    def catch_up(self) -> bool:
        """Make up for what the last comparison found missing, a little of it; returns whether anything changed."""
