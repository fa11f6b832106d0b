"""Relevance by meaning: a task's embedding compared with the memories' vectors."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from functools import partial
from heapq import nlargest
from itertools import islice
from threading import Thread
from typing import TYPE_CHECKING, Protocol

from memtui.embedding.engine import Engine, TokenEngine, can_read, model_state, open_engine
from memtui.errors import MemtuiError, VaultBusyError, VaultNotWritableError
from memtui.recall.fusion import Kinship
from memtui.vault.filters import MemoryFilter
from memtui.vault.reader import VaultReader
from memtui.vault.search import vectors
from memtui.vault.search.vectors import ScoredVectors
from memtui.vault.vault import Vault

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor

    import numpy as np
    from numpy.typing import NDArray

    from memtui.embedding.tokens import Closeness, QueryTokens
    from memtui.recall.embedding_cache import HeldVectors, ResidentVectors
    from memtui.vault.search.postings_memory import TermIndex

UNRELATED = 3
"""Memories with a cosine of 0, as unrelated texts have, that are counted into the background: in a vault of three the
mean of all is that of the answers, and none of them would stand out from it."""

COMPARED = 30  # Memories that are compared token by token: so many of the nearest, and of the best by words

MOST_MISSING = 0.1  # Share of memories without a vector up to which meaning is taken to cover the whole vault


@dataclass(frozen=True, slots=True)
class Likeness:
    """How like a task some memories are, beside all others."""

    # cosine with the task per internal key: the nearest of a filter, and those asked for, as far as they have a vector
    cosines: Mapping[int, float] = field(default_factory=dict)
    background: float = 0.0  # mean cosine of the task with every memory that has a vector
    count: int = 0  # how many memories have a vector
    missing: int = 0  # how many have none
    within: int = 0  # how many memories the filter holds; those of other projects say nothing about what is near here
    close: Mapping[int, Closeness] = field(default_factory=dict)  # of those that were compared token by token

    @property
    def unrelated(self) -> float:
        """The cosine that a memory has which has nothing to do with the task: the mean of all, and of a few at 0."""
        return self.background * self.count / (self.count + UNRELATED) if self.count else 0.0

    @property
    def is_complete(self) -> bool:
        """Whether so many memories have a vector that meaning alone may say that none answers."""
        return self.missing <= self.count * MOST_MISSING


class Sense(Protocol):
    """The meaning of one task, ready to be compared."""

    def look(self, reader: VaultReader, wanted: MemoryFilter, *, keys: Collection[int], limit: int) -> Likeness:
        """Return how like the task the nearest memories of a filter are, and those with the given keys.

        The nearest `COMPARED`, and as many of the first of the keys, are compared token by token as well.

        Args:
            wanted: which memories the nearest are looked for among.
            keys: internal keys to compare as well.
            limit: how many of the nearest.
        """

    def kinship(self, reader: VaultReader, keys: Collection[int]) -> Mapping[tuple[int, int], float]:
        """Return the cosine of each pair of memories that have vectors, the smaller key first."""


class Meaning(Protocol):
    """Whatever turns tasks into something that can be compared with memories."""

    @property
    def terms(self) -> TermIndex | None:
        """The postings in memory, of a process that searches repeatedly; None where the vault is to be asked."""

    def sense(self, text: str) -> Sense | None:
        """Return the meaning of a text, None if there is nothing to compare with; may load a model.

        Called outside any lease, because loading takes longer than one may last.
        """

    def catch_up(self) -> bool:
        """Make up for what the last comparison found missing, a little of it; returns whether anything changed."""


MOST_CAUGHT_UP = 32  # Missing vectors that a search or a payload makes up for: about a quarter of a second
_FIRST_LOOK = 8  # So many times the wanted number of nearest memories are first looked at, before a filter drops some


class ModelMeaning:
    """Compares by a model's vectors, opening the model when it is first needed.

    Attributes:
        problem: why the configured model cannot be used; empty if it can.
    """

    def __init__(
        self,
        vault: Vault,  # the vault; missing vectors are written to it, a few at a time
        model: str,
        *,
        engine: Engine | None = None,  # a loaded engine instead
        # all vectors in memory, for a process that asks more than once; None to ask the vault each time
        resident: ResidentVectors | None = None,
        catches_up: bool = True,  # whether missing vectors are made up for
        terms: TermIndex | None = None,  # all postings in memory
    ) -> None:
        self._vault = vault
        self._model = model
        self._engine = engine
        self._resident = resident
        self._catches_up = catches_up
        self.terms = terms
        self._missing = 0
        self._loading: Thread | None = None
        self._pool: ThreadPoolExecutor | None = None
        self.problem = ""

    def preload(self) -> None:
        """Load the model in a thread, while the vault is opened and searched by words; `engine` waits for it."""
        if self._engine is None and self._loading is None and self._vault.exists:
            self._loading = Thread(target=self._load, name="model")
            self._loading.start()

    def _load(self) -> None:
        if not self.problem and model_state(self._model).state != "off":
            try:
                self._engine = open_engine(self._model)
            except MemtuiError as error:
                self.problem = str(error)

    def sense(self, text: str) -> Sense | None:
        """Return the meaning of a text; None without a usable model, or where the model cannot read it."""
        # A vault that does not exist yet is not worth a model's load.
        engine = self.engine() if self._vault.exists else None
        if engine is None or not can_read(engine, text):
            return None
        if self._resident is not None:
            return _ResidentSense(self._compared(engine, text, self._resident), self._resident, self._note_missing)
        return _StoredSense(_asked(engine, text), engine.name, self._note_missing)

    def _compared(self, engine: Engine, text: str, resident: ResidentVectors) -> Future[Compared]:
        """Begin to embed a text and compare it with what is held, while the vault is opened and searched by words."""

        def compare() -> Compared:
            asked, held = _asked(engine, text), resident.held
            return Compared(asked, held, held.cosines(asked.vector))

        if self._pool is None:
            from concurrent.futures import ThreadPoolExecutor

            self._pool = ThreadPoolExecutor(1, thread_name_prefix="meaning")
        return self._pool.submit(compare)

    def catch_up(self) -> bool:
        """Embed a few of the memories that the last comparison found without a vector; returns whether it did."""
        missing, self._missing = self._missing, 0
        if not missing or not self._catches_up or self._engine is None:
            return False
        from memtui.recall.embedding_cache import embed_missing

        try:
            return embed_missing(self._vault, self._engine, limit=MOST_CAUGHT_UP) > 0
        except (VaultBusyError, VaultNotWritableError):
            # Whoever holds the vault is not to be waited for twice: the words have answered already.
            return False

    def engine(self) -> Engine | None:
        """Return the loaded engine; None if semantic search is off or the model is missing."""
        if self._loading is not None:
            self._loading.join()
            self._loading = None
        if self._engine is None:
            self._load()
        return self._engine

    def _note_missing(self, missing: int) -> None:
        self._missing = missing


def has_model(model: str) -> bool:
    """Return whether the setting names a model at all, without loading or checking it."""
    return model_state(model).state != "off"


@dataclass(frozen=True, slots=True)
class Compared:
    """A task as the model sees it, and its cosine with everything that was held when it was made."""

    asked: QueryTokens | Plain
    held: HeldVectors
    cosines: NDArray[np.float32]


class _StoredSense:
    """The meaning of one task, compared by SQL: for a process that asks once."""

    def __init__(self, asked: QueryTokens | Plain, model: str, note_missing: Callable[[int], None]) -> None:
        self._asked = asked
        self._model = model
        self._note_missing = note_missing

    def look(self, reader: VaultReader, wanted: MemoryFilter, *, keys: Collection[int], limit: int) -> Likeness:
        """Return how like the task the nearest memories of a filter are, and those with the given keys."""
        scored = ScoredVectors(reader, self._model, self._asked.vector)
        self._note_missing(scored.missing)
        if not scored.count:
            return Likeness(missing=scored.missing)
        cosines = _readable({**scored.nearest(wanted, limit), **scored.of(keys)})
        close = _closeness(reader, self._model, self._asked, cosines, keys)
        return Likeness(cosines, scored.mean, scored.count, scored.missing, reader.count(wanted), close)

    def kinship(self, reader: VaultReader, keys: Collection[int]) -> Mapping[tuple[int, int], float]:
        """Return the cosine of each two of some memories."""
        table = vectors.vectors_of(reader, self._model, keys)
        return _pairs(table.keys, table.matrix)


class _ResidentSense:
    """The meaning of one task, compared in memory: for a process that asks more than once."""

    def __init__(
        self,
        compared: Future[Compared],
        resident: ResidentVectors,
        note_missing: Callable[[int], None],
    ) -> None:
        self._compared = compared
        self._resident = resident
        self._note_missing = note_missing

    def look(self, reader: VaultReader, wanted: MemoryFilter, *, keys: Collection[int], limit: int) -> Likeness:
        """Return how like the task the nearest memories of a filter are, and those with the given keys."""
        held, compared = self._resident.refresh(reader), self._compared.result()
        cosines = compared.cosines if compared.held.keys is held.keys else held.cosines(compared.asked.vector)
        count = len(held.keys)
        missing = max(0, reader.count(MemoryFilter(statuses=None)) - count)
        self._note_missing(missing)
        if not count:
            return Likeness(missing=missing)
        found = _nearest(partial(reader.keys_within, wanted), held.keys, cosines, limit)
        places = held.places(keys)
        found |= zip(held.keys[places].tolist(), cosines[places].tolist(), strict=True)
        found = _readable(found)
        close = _closeness(reader, self._resident.model, compared.asked, found, keys)
        return Likeness(found, float(cosines.mean()), count, missing, reader.count(wanted), close)

    def kinship(
        self,
        reader: VaultReader,  # noqa: ARG002 - as the protocol has it
        keys: Collection[int],
    ) -> Mapping[tuple[int, int], float]:
        """Return the cosine of each two of some memories."""
        held = self._resident.held
        places = held.places(keys)
        return _pairs(held.keys[places], held.matrix(places))


@dataclass(frozen=True, slots=True)
class Plain:
    """A task of which a model gives the vector alone."""

    vector: NDArray[np.float32]


def _asked(engine: Engine, text: str) -> QueryTokens | Plain:
    return engine.embed_query(text) if isinstance(engine, TokenEngine) else Plain(engine.embed_queries([text])[0])


def _readable(cosines: Mapping[int, float]) -> dict[int, float]:
    """Return the cosines without those of texts that the model cannot read, which are judged by their words."""
    return {key: cosine for key, cosine in cosines.items() if cosine}


def _closeness(
    reader: VaultReader, model: str, asked: QueryTokens | Plain, cosines: Mapping[int, float], keys: Collection[int]
) -> dict[int, Closeness]:
    """Return how close the nearest memories come to a task token by token, and the first of some keys."""
    if isinstance(asked, Plain):
        return {}
    chosen = [
        *nlargest(COMPARED, cosines, key=lambda key: (cosines[key], -key)),
        *islice((key for key in keys if key in cosines), COMPARED),
    ]
    texts = vectors.tokens_of(reader, model, dict.fromkeys(chosen))
    found = asked.compare([*texts.values()])
    return {key: close for key, close in zip(texts, found, strict=True) if close is not None}


def _nearest(
    within: Callable[[list[int]], set[int]], keys: NDArray[np.int64], cosines: NDArray[np.float32], limit: int
) -> dict[int, float]:
    """Return the nearest memories of a filter: the nearest of all are asked first whether they are in it."""
    import numpy as np

    looked = _FIRST_LOOK * limit
    while True:
        looked = min(looked, len(keys))
        best = np.argpartition(-cosines, looked - 1)[:looked]
        best = best[np.lexsort((keys[best], -cosines[best]))]
        inside = within(keys[best].tolist())
        chosen = [place for place in best.tolist() if int(keys[place]) in inside][:limit]
        if len(chosen) == limit or looked == len(keys):
            return {int(keys[place]): float(cosines[place]) for place in chosen}
        looked *= 8


_ROWS_AT_ONCE = 8  # Products so small stay on one core: 0.3 ms for sixty memories, where two cores take 4 in turns


def _pairs(keys: NDArray[np.int64], matrix: NDArray[np.float32]) -> Kinship[int]:
    parts = (matrix[start : start + _ROWS_AT_ONCE] @ matrix.T for start in range(0, len(matrix), _ROWS_AT_ONCE))
    return Kinship(keys.tolist(), [row for part in parts for row in part.tolist()])
