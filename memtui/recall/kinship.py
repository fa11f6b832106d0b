"""How like each other some memories are: a square of cosines that reads as a mapping of pairs."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Generic, TypeVar

Name = TypeVar("Name", int, str)
Other = TypeVar("Other", int, str)


class Kinship(Mapping[tuple[Name, Name], float], Generic[Name]):
    """The cosine of each two memories by their names, the smaller first.

    Of sixty memories there are 1,770 pairs: the square is kept as it comes, and no pair is made that nobody asks for.

    Args:
        names: ids or internal keys.
        cosines: of each with each, in the order of the names.
    """

    def __init__(self, names: Sequence[Name], cosines: Sequence[Sequence[float]]) -> None:
        self._places: dict[Name, int] = {name: place for place, name in enumerate(names)}
        self._cosines = cosines

    def __getitem__(self, pair: tuple[Name, Name]) -> float:
        one, other = pair
        if not one < other:
            raise KeyError(pair)
        cosine: float = self._cosines[self._places[one]][self._places[other]]
        return cosine

    def __iter__(self) -> Iterator[tuple[Name, Name]]:
        names = sorted(self._places)
        return ((one, other) for place, one in enumerate(names) for other in names[place + 1 :])

    def __len__(self) -> int:
        count = len(self._places)
        return count * (count - 1) // 2

    def renamed(self, name: Callable[[Name], Other]) -> Kinship[Other]:
        """Return the same under other names."""
        return Kinship([name(one) for one in self._places], self._cosines)

    def nearest(self, among: Collection[Name], count: int) -> dict[Name, list[Name]]:
        """Return, for each of some memories, which of the others are most like it, the most like it first."""
        chosen = [(name, self._places[name]) for name in among if name in self._places]
        found = {}
        for name, place in chosen:
            row = self._cosines[place]
            ranked = sorted([(-row[at], other) for other, at in chosen if at != place])
            found[name] = [other for _, other in ranked[:count]]
        return found
