"""Recall in a long-lived process, with model, vectors and postings held in memory."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from memtui.embedding.engine import give_way, model_state
from memtui.errors import MemtuiError, VaultBusyError
from memtui.vault.bm25 import Matched
from memtui.vault.filters import MemoryFilter, Scope
from memtui.vault.search.postings_memory import MemoryPostings, TermIndex
from memtui.vault.search.postings_table import TermState
from memtui.vault.vault import Vault

if TYPE_CHECKING:
    from memtui.config import RecallSettings
    from memtui.recall.embedding_cache import ResidentVectors
    from memtui.recall.retrieve import Fetched
    from memtui.recall.search import Found
    from memtui.recall.semantic import ModelMeaning, Sense
    from memtui.tree import Tree
    from memtui.vault.reader import VaultReader
    from memtui.vault.search.catalogue import Catalogue, Mask

MOST_TENDED = 8  # Vectors made while somebody waits, in a tenth of a second: those of what was just saved

_Words = dict[str, dict[str, int]]


@dataclass(slots=True)
class HeldWords:
    """What was read of a vault at one moment; nothing in it changes but what is worked out when first asked for."""

    vault: Vault  # where the words of titles are read when a query has a typing error
    counter: int  # the vault's change counter
    catalogue: Catalogue  # all memories without their texts
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
    ) -> Found:
        """Return what `memtui.recall.search.search` returns for the same arguments; the memories lack their texts.

        Raises `MemtuiError`: the query has a typing error and the vault cannot be read.
        """
        from memtui.recall.eligibility import guess_phase
        from memtui.recall.scoring import Scorer
        from memtui.recall.search import Found, ranked

        wanted = MemoryFilter(scope=scope, statuses=None if statuses is None else tuple(statuses))
        fetched = self._fetch(query, wanted, limit=limit)
        fetched.check_anchors(tree)
        scorer = Scorer(fetched, fetched.memories, settings, self.vault.kinds, now, guess_phase(query))
        return Found.of(scorer, ranked(scorer, limit=limit))

    def learn_words(self, wanted: MemoryFilter) -> None:
        """Read the words of the titles of a filter, unless that was done: for a thread, before a typing error."""
        if wanted not in self._words:
            from memtui.text.words import plain_letters
            from memtui.vault.search.spelling import title_words

            with self.vault.read() as reader:
                found = title_words(reader, wanted)
            known: _Words = {}
            for word, times in found.items():
                known.setdefault(plain_letters(word)[0], {})[word] = times
            self._words[wanted] = known

    def _fetch(self, query: str, wanted: MemoryFilter, *, limit: int) -> Fetched:
        from memtui.recall.lexical import Query, match_query
        from memtui.recall.retrieve import Fetched, is_begun
        from memtui.recall.search import FEWEST_READ, ID_PREFIX

        matched, weights = match_query(
            Query.of(query),
            match=lambda terms: Matched(MemoryPostings(self.postings, terms)),
            nearest=lambda words, reach: self._nearest(words, reach, wanted),
        )
        allowed, name = self._mask(wanted), query.strip()
        hits = matched.search(wanted, limit=max(limit, FEWEST_READ))
        numbers = self.catalogue.numbers_of_keys([hit.key for hit in hits])
        named = self.catalogue.named(name, allowed) if name else []
        begun = [] if named or not is_begun(query, weights) else self.catalogue.begun(query.split(), allowed)
        fetched = Fetched(weights=weights)
        for number in dict.fromkeys([*numbers, *named, *begun]):
            self._take(fetched, number, only_active=True)
        if not fetched.memories and ID_PREFIX.fullmatch(name.lower()):
            found = self.catalogue.resolve(name.lower())
            if found is not None and allowed[found]:
                named = [found]
                self._take(fetched, found, only_active=False)
        fetched.lexical = {self.catalogue.ids[number]: hit for number, hit in zip(numbers, hits, strict=True)}
        fetched.named = [self.catalogue.ids[number] for number in named]
        fetched.begun = [self.catalogue.ids[number] for number in begun]
        return fetched

    def _take(self, fetched: Fetched, number: int, *, only_active: bool) -> None:
        """Put a memory among what was fetched; what hangs on it is looked at where the search of the vault does."""
        memory = self.catalogue.memory(number)
        fetched.memories[memory.id] = memory
        if memory.status == "active" or not only_active:
            fetched.signals[memory.id] = self.catalogue.signals_of(number)
            fetched.states = {**fetched.states, **self.catalogue.anchor_states(number)}

    def _nearest(self, words: Mapping[str, str], reach: Mapping[str, int], wanted: MemoryFilter) -> dict[str, str]:
        from memtui.vault.search.spelling import nearest_of

        self.learn_words(wanted)
        return nearest_of(words, reach, self._words[wanted])

    def _mask(self, wanted: MemoryFilter) -> Mask:
        if wanted not in self._allowed:
            self._allowed[wanted] = self.postings.mask_by_key(wanted)
        return self._allowed[wanted]


def read_words(vault: Vault, terms: TermIndex, *, wanted: Callable[[], bool] = lambda: True) -> HeldWords | None:
    """Read what a search by words needs, in short leases; a second of processor time at 100,000 memories.

    `terms`: its postings in memory; brought up to date. `wanted`: whether to go on; asked between the leases.

    Returns:
        What was read; None if the vault changed meanwhile or `wanted` says no.
    """
    from memtui.vault.search.catalogue import Catalogue, read_columns, read_texts

    terms.load(vault)
    if not wanted():
        return None
    with vault.read() as reader:
        counter = reader.change_counter()
        postings = terms.state_at(reader)
        columns = read_columns(reader)
    if postings is None or not wanted():
        return None
    with vault.read() as reader:
        texts = read_texts(reader)
        if reader.change_counter() != counter:
            return None
    return HeldWords(vault, counter, Catalogue.of(columns, texts), postings)


class ResidentMeaning:
    """Compares with all vectors held in memory. Until `load` is done every task is judged by words alone.

    Safe for several threads.

    Attributes:
        terms: the postings of the vault in memory, with whatever model.
    """

    def __init__(self, vault: Vault, model: str) -> None:
        self._vault = vault
        self._model = model
        self._inner: ModelMeaning | None = None
        self._resident: ResidentVectors | None = None
        self.terms = TermIndex()
        self._cancelled = threading.Event()
        self._share: tuple[int, int] | None = None
        self._missing: int | None = None  # Memories without a vector, None before they were counted
        self._counted = -1  # The vault's change counter when they were
        self._counting = threading.Lock()
        self._tending = threading.Lock()  # Held by the thread that embeds all that is missing
        self.problem = ""  # Why there is no meaning though the setting asks for it

    @property
    def words(self) -> str:
        """How it stands, in a word or two for a status line."""
        if model_state(self._model).state == "off":
            return "off"
        if self.problem:
            return "off: see memtui model status"
        if self._inner is None:
            return "loading"
        if self._share is not None and self._share[1]:
            return f"{100 * self._share[0] // self._share[1]} %"
        if self._missing is None:
            return "loading"
        return "0 %" if self._missing else "ready"

    @property
    def is_ready(self) -> bool:
        """Whether tasks are compared by meaning now."""
        return self._inner is not None

    @property
    def is_loading(self) -> bool:
        """Whether tasks are judged by words alone for now: the model is still to come."""
        return self._inner is None and not self.problem and model_state(self._model).usable

    def load(self) -> None:
        """Load model, vectors and postings in one or two seconds, for a thread; `problem` says why it failed."""
        self._load_meaning()
        self._hold_terms()

    def _load_meaning(self) -> None:
        from memtui.recall.embedding_cache import ResidentVectors
        from memtui.recall.semantic import ModelMeaning

        if model_state(self._model).state == "off" or self._inner is not None:
            return
        inner = ModelMeaning(self._vault, self._model, catches_up=False)
        engine = inner.engine()
        if engine is None:
            self.problem = inner.problem
            return
        give_way(engine)
        # The first text takes ten times as long as the next ones, so embed it before anyone types.
        engine.embed_queries(["warm up"])
        resident = ResidentVectors(engine.name)
        with suppress(MemtuiError):
            # The next read reports a busy or damaged vault.
            if self._vault.exists:
                resident.load(self._vault)
        self._resident = resident
        self._inner = ModelMeaning(
            self._vault, self._model, engine=engine, resident=resident, catches_up=False, terms=self.terms
        )

    def count(self, reader: VaultReader, *, again: bool = False) -> None:
        """Count what has no vector yet, once for each state of the vault. `again`: also where nothing else changed."""
        from memtui.vault.search.vectors import count_missing

        engine = self._inner.engine() if self._inner is not None else None
        if engine is None:
            return
        with self._counting:
            counter = reader.change_counter()
            if again or counter != self._counted:
                self._missing, self._counted = count_missing(reader, engine.name), counter

    def tend(self, limit: int | None = None) -> int:
        """Embed what has no vector yet; returns how many were stored. For a thread; stops soon after `cancel`.

        `limit`: embed no more than so many. Without it nothing is done while another thread embeds all there is: the
        two would embed the same texts, and each occupy a thread that reads wait for.

        The caches are refreshed as well, so that typing does not wait for them.
        """
        if limit is not None:
            return self._embed(limit)
        if not self._tending.acquire(blocking=False):
            return 0
        try:
            return self._embed(None)
        finally:
            self._tending.release()

    def tend_newest(self) -> None:
        """Embed what was just saved, for a read that compares it by meaning; that read reports what is wrong."""
        with suppress(MemtuiError):
            self._embed(MOST_TENDED)

    def _embed(self, limit: int | None) -> int:
        from memtui.recall.embedding_cache import embed_missing

        self._hold_terms()
        engine = self._inner.engine() if self._inner is not None else None
        if engine is None or not self._vault.exists:
            return 0
        try:
            stored = embed_missing(
                self._vault, engine, limit=limit, progress=self._told, cancelled=self._cancelled.is_set
            )
            with self._vault.read() as reader:
                if self._resident is not None:
                    self._resident.refresh(reader)
                self.count(reader, again=True)
        except VaultBusyError:
            return 0  # How far it got still holds.
        self._share = None
        return stored

    def _hold_terms(self) -> None:
        with suppress(MemtuiError):
            self.terms.load(self._vault)

    def cancel(self) -> None:
        """Let the work in the background end."""
        self._cancelled.set()

    def _told(self, done: int, total: int) -> None:
        self._share = (done, total) if done < total else None

    # -- what recall asks -------------------------------------------------------------------------

    def sense(self, text: str) -> Sense | None:
        """Return the meaning of a text; None while the model is not there."""
        inner = self._inner  # set by another thread
        return inner.sense(text) if inner is not None else None

    def catch_up(self) -> bool:
        """Make up for nothing while somebody waits: `tend` does it in the background."""
        return False
