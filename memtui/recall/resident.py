"""Recall in a long-lived process: model, vectors and postings are held in memory, and kept up in the background."""

from __future__ import annotations

import threading
from collections.abc import Collection, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING

from memtui.embedding.engine import model_state
from memtui.errors import MemtuiError, VaultBusyError
from memtui.vault.term_index import TermIndex
from memtui.vault.vault import Vault

if TYPE_CHECKING:
    from memtui.recall.meaning import Likeness, Sense
    from memtui.recall.sensing import ModelMeaning
    from memtui.recall.vectoring import ResidentVectors
    from memtui.vault.filters import MemoryFilter
    from memtui.vault.reading import VaultReader


class ResidentMeaning:
    """Compares with all vectors held in memory. Until `load` is done every task is judged by words alone.

    Safe for several threads: one at a time compares, the others wait some milliseconds.

    Args:
        vault: the vault.
        model: the setting `embedding.model`.

    Attributes:
        terms: the postings of the vault in memory, with whatever model.
    """

    def __init__(self, vault: Vault, model: str) -> None:
        self._vault = vault
        self._model = model
        self._lock = threading.Lock()
        self._inner: ModelMeaning | None = None
        self._resident: ResidentVectors | None = None
        self.terms = TermIndex()
        self._cancelled = threading.Event()
        self._share: tuple[int, int] | None = None
        self.problem = ""
        """Why there is no meaning though the setting asks for it."""

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
        return "ready"

    @property
    def is_ready(self) -> bool:
        """Whether tasks are compared by meaning now."""
        return self._inner is not None

    def load(self) -> None:
        """Load model, vectors and postings, in a second or two: for a thread. A failure is told in `problem`."""
        self._load_meaning()
        self._hold_terms()

    def _load_meaning(self) -> None:
        from memtui.recall.sensing import ModelMeaning
        from memtui.recall.vectoring import ResidentVectors

        if model_state(self._model).state == "off" or self._inner is not None:
            return
        inner = ModelMeaning(self._vault, self._model, catches_up=False)
        engine = inner.engine()
        if engine is None:
            self.problem = inner.problem
            return
        # The first text is ten times as slow as the next ones: nobody shall wait for it while typing.
        engine.embed_queries(["warm up"])
        resident = ResidentVectors(engine.name)
        with suppress(MemtuiError):
            # Where the vault is busy or damaged, whoever looks at it next is told so.
            if self._vault.exists:
                resident.load(self._vault)
        self._resident = resident
        self._inner = ModelMeaning(
            self._vault, self._model, engine=engine, resident=resident, catches_up=False, terms=self.terms
        )

    def tend(self) -> int:
        """Embed what has no vector yet; returns how many were stored. For a thread; stops soon after `cancel`.

        What is held in memory is brought up to date on the way, so that nobody waits for that while typing.
        """
        from memtui.recall.vectoring import embed_missing

        self._hold_terms()
        engine = self._inner.engine() if self._inner is not None else None
        if engine is None or not self._vault.exists:
            return 0
        try:
            stored = embed_missing(self._vault, engine, progress=self._told, cancelled=self._cancelled.is_set)
            if self._resident is not None:
                with self._vault.read() as reader:
                    self._resident.refresh(reader)
        except VaultBusyError:
            return 0
        finally:
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
        inner = self._inner
        if inner is None:
            return None
        with self._lock:
            found = inner.sense(text)
        return None if found is None else _LockedSense(found, self._lock)

    def catch_up(self) -> bool:
        """Make up for nothing while somebody waits: `tend` does it in the background."""
        return False


class _LockedSense:
    """One task's meaning, compared by one thread at a time: the vectors are refreshed in place."""

    def __init__(self, inner: Sense, lock: threading.Lock) -> None:
        self._inner = inner
        self._lock = lock

    def look(self, reader: VaultReader, wanted: MemoryFilter, *, keys: Collection[int], limit: int) -> Likeness:
        """Return how like the task the nearest memories of a filter are, and those with the given keys."""
        with self._lock:
            return self._inner.look(reader, wanted, keys=keys, limit=limit)

    def kinship(self, reader: VaultReader, keys: Collection[int]) -> Mapping[tuple[int, int], float]:
        """Return the cosine of each two of some memories."""
        with self._lock:
            return self._inner.kinship(reader, keys)
