"""Results of text analysis, kept for the next pass over the same memories."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Generic, TypeVar

from memtui.analysis.claims import Claim, Clause, claim_of, claims_of, clauses_of
from memtui.analysis.text_features import Wording, wording_of
from memtui.text.normal_form import plain_form

K = TypeVar("K")
V = TypeVar("V")

Text = tuple[str, str]
"""Title and insight of a memory: results depend on nothing else, so that an edit is a key of its own."""


class PassCache(dict[K, V], Generic[K, V]):
    """Key to what a function makes of it, until a whole pass did without it."""

    def __init__(self, make: Callable[[K], V]) -> None:
        super().__init__()
        self._make = make
        self._before: dict[K, V] = {}

    def __missing__(self, key: K) -> V:
        before = self._before
        self[key] = value = before[key] if key in before else self._make(key)
        return value

    def begin(self) -> None:
        """Begin a pass; a pass that never ends drops nothing."""
        self._before.update(self)
        self.clear()

    def end(self) -> None:
        """End a pass and drop what it did not ask for."""
        self._before = {}


class CacheGroup:
    """Caches that share their passes."""

    def __init__(self, caches: Iterable[PassCache[Any, Any] | CacheGroup]) -> None:
        self._caches = tuple(caches)

    def begin(self) -> None:
        """Begin a pass."""
        for cache in self._caches:
            cache.begin()

    def end(self) -> None:
        """End a pass and drop what it did not ask for."""
        for cache in self._caches:
            cache.end()


class TextCache(CacheGroup):
    """Analyses of texts by the text itself.

    Attributes:
        wordings: of memories, for duplicates.
        clauses: of memories, for contradictions.
        claims: of clauses in plain form.
        written: claims of memories as they are written, of those that may contradict another.
    """

    def __init__(self) -> None:
        self.wordings: PassCache[Text, Wording] = PassCache(lambda text: wording_of(*text))
        self.clauses: PassCache[Text, list[Clause]] = PassCache(lambda text: clauses_of(*map(plain_form, text)))
        self.claims: PassCache[Clause, Claim | None] = PassCache(claim_of)
        self.written: PassCache[Text, list[Claim]] = PassCache(lambda text: claims_of(*text))
        super().__init__((self.wordings, self.clauses, self.claims, self.written))
