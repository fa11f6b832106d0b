"""Titles of a long list in one text, so that parts of them are found without a look at the vault."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Sequence

_SHORT = 2
"""A part so short is in most titles: looking at each is quicker than finding every place."""


class Titles:
    """Lower-case titles by their place in a list.

    Args:
        titles: each without line ends.
    """

    def __init__(self, titles: Sequence[str]) -> None:
        self._text = "\n".join(titles)
        # Where each title starts: 4 bytes each, where as many strings would take 100.
        self._starts = array("L", [0])
        place = -1
        for _ in range(len(titles) - 1):
            place = self._text.index("\n", place + 1)
            self._starts.append(place + 1)
        self._count = len(titles)

    def holding(self, part: str) -> list[int]:
        """Return the places of the titles that hold a part, in order."""
        if not self._count or "\n" in part:
            return []
        if len(part) <= _SHORT:
            return [place for place, title in enumerate(self._text.split("\n")) if part in title]
        found: list[int] = []
        at = self._text.find(part)
        while at >= 0:
            place = bisect_right(self._starts, at) - 1
            found.append(place)
            if place + 1 >= self._count:
                break
            at = self._text.find(part, self._starts[place + 1])
        return found
