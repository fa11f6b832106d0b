"""What Browse keeps in memory: a long list to filter without the vault, and which files are gone."""

from __future__ import annotations

import threading
from array import array
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import TYPE_CHECKING

from memtui.tui.values import Base
from memtui.tui.vault_access import VaultAccess
from memtui.vault.filters import MemoryFilter

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from memtui.domain.memory import Memory
    from memtui.recall.resident import HeldWords
    from memtui.recall.result import Hit

_SHORT = 2  # A part so short is in most titles: looking at each is quicker than finding every place


class Titles:
    """Lower-case titles by their place in a list. `titles`: each without line ends."""

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


@dataclass(frozen=True, slots=True)
class ListAtHand:
    """A list with the words of its vault."""

    base: Base
    words: HeldWords  # what was read of the vault in the state that the list shows
    places: npt.NDArray[np.int32]  # per memory of the vault, its place in the list; -1 where it is not listed

    @classmethod
    def of(cls, base: Base, words: HeldWords) -> ListAtHand:
        """Return a list with its places looked up: 50 ms of processor time at 100,000 memories, so for a thread."""
        import numpy as np

        numbers = words.catalogue.numbers(base.ids)
        places = np.full(len(words.catalogue), -1, dtype=np.int32)
        listed = np.flatnonzero(numbers >= 0)
        places[numbers[listed]] = listed
        return cls(base, words, places)

    def fitting(self, part: str, hits: Iterable[str], *, best: bool) -> tuple[str, ...]:
        """Return the listed ids among hits, and those whose title holds a part.

        `hits`: ids found by words, the best first. `best`: whether the hits come first, in their order; else all are in
        the order of the list.
        """
        import numpy as np

        catalogue = self.words.catalogue
        numbers = [number for one in hits if (number := catalogue.number(one)) is not None]
        by_title = self.places[catalogue.lower_titles.holding(part)]
        by_words = self.places[np.array(numbers, dtype=np.intp)]
        by_title, by_words = by_title[by_title >= 0], by_words[by_words >= 0]
        listed = np.zeros(len(self.base.ids), dtype=np.bool_)
        listed[by_title] = True
        listed[by_words] = not best
        first = self._ids(by_words) if best else ()
        return (*first, *self._ids(np.flatnonzero(listed)))

    def memories(self, identifiers: Sequence[str]) -> list[Memory]:
        """Return memories without their texts, missing ones left out."""
        catalogue = self.words.catalogue
        numbers = [catalogue.number(identifier) for identifier in identifiers]
        return [catalogue.memory(number) for number in numbers if number is not None]

    def _ids(self, places: npt.NDArray[np.int32] | npt.NDArray[np.intp]) -> tuple[str, ...]:
        chosen = places.tolist()
        if len(chosen) < 2:  # noqa: PLR2004 - of one, itemgetter returns no tuple
            return tuple(self.base.ids[place] for place in chosen)
        return tuple(itemgetter(*chosen)(self.base.ids))


_MOST_SEARCHES = 4  # The one that is listed, and those that ended while it was read


class RecentHits:
    """The hits of the last searches by their text: another one may end before what one found is asked about."""

    def __init__(self) -> None:
        # Replaced as a whole, so that threads need no lock.
        self._by_text: Mapping[str, Mapping[str, Hit]] = {}

    def keep(self, text: str, hits: Mapping[str, Hit]) -> None:
        """Keep what a search found; the oldest of several is dropped."""
        others = [(one, found) for one, found in self._by_text.items() if one != text]
        self._by_text = {**dict(others[1 - _MOST_SEARCHES :]), text: hits}

    def of(self, text: str) -> Mapping[str, Hit] | None:
        """Return the hits by id of a search for a text, None if it is not among the last ones."""
        return self._by_text.get(text)


class GoneFiles:
    """Which memories are tied to files that are no longer there.

    Attributes:
        keys: their internal keys as of the last look.
    """

    def __init__(self, access: VaultAccess) -> None:
        self._access = access
        self._counter = -1  # The vault's change counter at the last look
        self._looking = threading.Lock()
        self.keys: tuple[int, ...] = ()

    def look(self, counter: int) -> None:
        """Look once per state of the vault; one at a time, so that a slow look never replaces what a newer one found.

        `counter`: the change counter of what is listed.
        """
        from memtui.curate.dead_places import dead_keys

        with self._looking:
            if self._counter >= counter:
                return
            with self._access.read_vault.read() as reader:
                view = self._access.view_of(reader)
            wanted = MemoryFilter(scope=view.scope, statuses=None)
            self.keys = dead_keys(self._access.read_vault, wanted, view.tree)
            self._counter = counter

    def forget(self) -> None:
        """Have the next count look again: files come and go while the vault stays as it is."""
        self._counter = -1
