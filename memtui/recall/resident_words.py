"""Search by words in a long-lived process: postings and catalogue are held in memory and the vault is not opened.

It finds what `memtui.recall.searching.search` finds without a meaning, in a tenth of its time, because the scan of the
postings, the search for names and the reading of a hundred memories fall away: 5 to 20 ms at 100,000 memories.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from memtui.vault.filters import MemoryFilter, Scope

if TYPE_CHECKING:
    from memtui.config import RecallSettings
    from memtui.recall.fetching import Fetched
    from memtui.recall.result import Hit
    from memtui.vault.catalogue import Catalogue, Mask
    from memtui.vault.term_index import TermIndex
    from memtui.vault.term_table import TermState
    from memtui.vault.vault import Vault
    from memtui.workspace import Tree

_Words = dict[str, dict[str, int]]


@dataclass(slots=True)
class HeldWords:
    """What was read of a vault at one moment; nothing in it changes but what is worked out when first asked for.

    Attributes:
        vault: where the words of titles are read when a query has a typing error.
        counter: the vault's change counter.
        catalogue: all memories without their texts.
        postings: their postings.
    """

    vault: Vault
    counter: int
    catalogue: Catalogue
    postings: TermState
    _allowed: dict[MemoryFilter, Mask] = field(default_factory=dict)
    _words: dict[MemoryFilter, _Words] = field(default_factory=dict)

    def search(
        self,
        query: str,
        scope: Scope,
        *,
        limit: int,
        settings: RecallSettings,
        now: datetime,
        statuses: Sequence[str] | None = ("active",),
        tree: Tree | None = None,
    ) -> list[Hit]:
        """Return what `memtui.recall.searching.search` returns for the same arguments; the memories lack their texts.

        Raises:
            MemtuiError: the query has a typing error and the vault cannot be read.
        """
        from memtui.recall.phase import guess_phase
        from memtui.recall.scoring import Scorer
        from memtui.recall.searching import ranked

        wanted = MemoryFilter(scope=scope, statuses=None if statuses is None else tuple(statuses))
        fetched, named = self._fetch(query, wanted, limit=limit)
        fetched.check_anchors(tree)
        scorer = Scorer(fetched, fetched.memories, settings, self.vault.kinds, now, guess_phase(query))
        return ranked(scorer, named, limit=limit)

    def learn_words(self, wanted: MemoryFilter) -> None:
        """Read the words of the titles of a filter, unless that was done: for a thread, before a typing error."""
        if wanted not in self._words:
            from memtui.vault.vocabulary import title_words

            with self.vault.read() as reader:
                found = title_words(reader, wanted)
            known: _Words = {}
            for word, times in found.items():
                known.setdefault(word[0], {})[word] = times
            self._words[wanted] = known

    def _fetch(self, query: str, wanted: MemoryFilter, *, limit: int) -> tuple[Fetched, list[str]]:
        """Return what a search needs, and the ids that the query names by id or title."""
        from memtui.recall.fetching import Fetched
        from memtui.recall.lexical import lookup_text
        from memtui.recall.searching import FEWEST_READ, ID_PREFIX
        from memtui.recall.spelling import mend_query
        from memtui.vault.term_matching import MatchedInMemory

        text, matched, weights = mend_query(
            lookup_text(query),
            match=lambda terms: MatchedInMemory(self.postings, terms),
            nearest=lambda words, reach: self._nearest(words, reach, wanted),
        )
        allowed, name = self._mask(wanted), query.strip()
        hits = matched.search(text, wanted, limit=max(limit, FEWEST_READ))
        numbers = self.catalogue.numbers_of_keys([hit.key for hit in hits])
        named = self.catalogue.named(name, allowed) if name else []
        fetched = Fetched(weights=weights)
        for number in dict.fromkeys([*numbers, *named]):
            self._take(fetched, number, only_active=True)
        if not fetched.memories and ID_PREFIX.fullmatch(name.lower()):
            found = self.catalogue.resolve(name.lower())
            if found is not None and allowed[found]:
                named = [found]
                self._take(fetched, found, only_active=False)
        fetched.lexical = {self.catalogue.ids[number]: hit for number, hit in zip(numbers, hits, strict=True)}
        return fetched, [self.catalogue.ids[number] for number in named]

    def _take(self, fetched: Fetched, number: int, *, only_active: bool) -> None:
        """Put a memory among what was fetched; what hangs on it is looked at where the search of the vault does."""
        memory = self.catalogue.memory(number)
        fetched.memories[memory.id] = memory
        if memory.status == "active" or not only_active:
            fetched.signals[memory.id] = self.catalogue.signals_of(number)
            fetched.states = {**fetched.states, **self.catalogue.anchor_states(number)}

    def _nearest(self, words: Mapping[str, str], reach: Mapping[str, int], wanted: MemoryFilter) -> dict[str, str]:
        from memtui.vault.vocabulary import nearest_of

        self.learn_words(wanted)
        return nearest_of(words, reach, self._words[wanted])

    def _mask(self, wanted: MemoryFilter) -> Mask:
        if wanted not in self._allowed:
            self._allowed[wanted] = self.catalogue.allowed(wanted)
        return self._allowed[wanted]


def read_words(vault: Vault, terms: TermIndex, *, wanted: Callable[[], bool] = lambda: True) -> HeldWords | None:
    """Read what a search by words needs, in short leases; a second of processor time at 100,000 memories.

    Args:
        vault: the vault.
        terms: its postings in memory; brought up to date.
        wanted: whether to go on; asked between the leases.

    Returns:
        What was read, or None where the vault changed meanwhile or nobody wants it any more.
    """
    from memtui.vault.catalogue import Catalogue, read_columns, read_texts

    terms.load(vault)
    if not wanted():
        return None
    with vault.read() as reader:
        counter = reader.change_counter()
        postings = terms.at(reader, MemoryFilter())
        held = terms.last()
        columns = read_columns(reader)
    if postings is None or held is None or not wanted():
        return None
    with vault.read() as reader:
        texts = read_texts(reader)
        if reader.change_counter() != counter:
            return None
    return HeldWords(vault, counter, Catalogue.of(columns, texts), held)
