"""A bounded cache of a function's results, as cheap to ask as a dictionary."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class Memo(dict[K, V], Generic[K, V]):
    """A cache of a function's results by key; looking up a known key calls no Python code.

    `most`: entries at which the cache is emptied. `keeps`: whether the result of a key is kept; None for each.
    """

    def __init__(self, make: Callable[[K], V], *, most: int, keeps: Callable[[K], bool] | None = None) -> None:
        super().__init__()
        self._make = make
        self._most = most
        self._keeps = keeps

    def __missing__(self, key: K) -> V:
        value = self._make(key)
        if self._keeps is None or self._keeps(key):
            if len(self) >= self._most:
                self.clear()
            self[key] = value
        return value
