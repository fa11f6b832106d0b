"""A table that works its values out as they are asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class Memo(dict[K, V], Generic[K, V]):
    """Key to what a function makes of it; looking up what is known costs no call into Python.

    Args:
        make: makes the value.
        most: entries at which the table is emptied.
    """

    def __init__(self, make: Callable[[K], V], *, most: int) -> None:
        super().__init__()
        self._make = make
        self._most = most

    def __missing__(self, key: K) -> V:
        if len(self) >= self._most:
            self.clear()
        self[key] = value = self._make(key)
        return value
