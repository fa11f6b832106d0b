"""Results of text analysis, kept for the next pass over the same memories."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar

from memtui.analysis.claims import Claim, Clause, claim_of, claims_of, clauses_of
from memtui.analysis.text_features import Wording, wording_of
from memtui.text.normal_form import plain_form

K = TypeVar("K")
V = TypeVar("V")

Text = tuple[str, str]
"""Title and insight of a memory: what is worked out hangs on nothing else, so that an edit is a key of its own."""


class Kept(dict[K, V], Generic[K, V]):
    """Key to what a function makes of it, until a whole pass did without it."""

    def __init__(self, make: Callable[[K], V]) -> None:
        super().__init__()
        self._make = make
        self._before: dict[K, V] = {}

    def __missing__(self, key: K) -> V:
        before = self._before
        self[key] = value = before[key] if key in before else self._make(key)
        return value

    def turn(self) -> None:
        """Begin another pass: what it does not ask for is let go at its end; one that was stopped lets nothing go."""
        self._before.update(self)
        self.clear()

    def end(self) -> None:
        """End a pass."""
        self._before = {}


class PassCache:
    """Readings of texts by the text itself.

    Attributes:
        wordings: of memories, for duplicates.
        clauses: of memories, for contradictions.
        claims: of clauses in plain form.
        written: claims of memories as they are written, of those that may contradict another.
    """

    def __init__(self) -> None:
        self.wordings: Kept[Text, Wording] = Kept(lambda text: wording_of(*text))
        self.clauses: Kept[Text, list[Clause]] = Kept(lambda text: clauses_of(*map(plain_form, text)))
        self.claims: Kept[Clause, Claim | None] = Kept(claim_of)
        self.written: Kept[Text, list[Claim]] = Kept(lambda text: claims_of(*text))
        self._all: tuple[Kept[Any, Any], ...] = (self.wordings, self.clauses, self.claims, self.written)

    def turn(self) -> None:
        """Begin another pass."""
        for kept in self._all:
            kept.turn()

    def end(self) -> None:
        """End a pass."""
        for kept in self._all:
            kept.end()
