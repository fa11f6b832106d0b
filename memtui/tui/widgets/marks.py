"""Which rows of a list are marked."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


class Marks:
    """Marks by id, so that they outlive sorting and filtering; nothing is kept per row."""

    def __init__(self) -> None:
        self._ids: set[str] = set()
        self._from: int | None = None
        self._to = 0

    def __len__(self) -> int:
        return len(self._ids)

    @property
    def drawing(self) -> bool:
        """Whether a range is being drawn."""
        return self._from is not None

    def __bool__(self) -> bool:
        """Whether anything is marked, by a range that is being drawn too."""
        return self.drawing or bool(self._ids)

    def holds(self, index: int, identifier: str) -> bool:
        """Return whether a row is marked, by itself or by the range."""
        if self._from is not None and min(self._from, self._to) <= index <= max(self._from, self._to):
            return True
        return identifier in self._ids

    def toggle(self, identifier: str) -> None:
        self._ids ^= {identifier}

    def start(self, index: int) -> None:
        self._from = self._to = index

    def stretch(self, index: int) -> None:
        """Let the range reach to a row."""
        self._to = index

    def keep_range(self, ids: Sequence[str]) -> None:
        """End the range; its rows stay marked."""
        if self._from is not None:
            first, last = sorted((self._from, self._to))
            self._ids.update(ids[first : last + 1])
            self._from = None

    def drop_range(self) -> None:
        """End the range; its rows are as before."""
        self._from = None

    def clear(self) -> None:
        self._ids = set()
        self._from = None

    def mark_all(self, ids: Iterable[str]) -> None:
        """Mark all of a list, or none where all of them are marked already."""
        self._from = None
        listed = set(ids)
        self._ids = self._ids - listed if listed <= self._ids else self._ids | listed

    def discard(self, identifiers: Iterable[str]) -> None:
        """Forget marks of rows that are gone."""
        self._ids.difference_update(identifiers)

    def kept(self, ids: Iterable[str]) -> list[str]:
        """Return which of these ids are marked, a range that is drawn aside."""
        return [identifier for identifier in ids if identifier in self._ids]

    def listed(self, ids: Sequence[str]) -> list[str]:
        """Return what is marked of a list, in its order."""
        if self._from is not None:
            first, last = sorted((self._from, self._to))
            reach = self._ids.union(ids[first : last + 1])
        else:
            reach = self._ids
        return [identifier for identifier in ids if identifier in reach] if reach else []
