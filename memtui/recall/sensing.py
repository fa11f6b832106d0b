"""Meaning by a model: the task is embedded, and compared with the stored vectors or with a matrix of them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from threading import Thread
from typing import TYPE_CHECKING

from memtui.embedding.engine import Engine, model_state, open_engine
from memtui.errors import MemtuiError, VaultBusyError
from memtui.recall.meaning import Likeness, Sense
from memtui.vault import vectors
from memtui.vault.filters import MemoryFilter
from memtui.vault.likeness import ScoredVectors, count_memories, keys_within
from memtui.vault.reading import VaultReader
from memtui.vault.vault import Vault

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from memtui.recall.vectoring import ResidentVectors

MOST_CAUGHT_UP = 32
"""Missing vectors that a search or a payload makes up for: about a quarter of a second."""

_FIRST_LOOK = 8
"""So many times the wanted number of nearest memories are first looked at, before a filter drops some."""


class ModelMeaning:
    """Compares by a model's vectors, opening the model when it is first needed.

    Args:
        vault: the vault; missing vectors are written to it, a few at a time.
        model: the setting `embedding.model`.
        engine: a loaded engine instead.
        resident: all vectors in memory, for a process that asks more than once; None to ask the vault each time.
        catches_up: whether missing vectors are made up for.

    Attributes:
        problem: why there is no meaning though the setting asks for it, empty if there is none.
    """

    def __init__(
        self,
        vault: Vault,
        model: str,
        *,
        engine: Engine | None = None,
        resident: ResidentVectors | None = None,
        catches_up: bool = True,
    ) -> None:
        self._vault = vault
        self._model = model
        self._engine = engine
        self._resident = resident
        self._catches_up = catches_up
        self._missing = 0
        self._loading: Thread | None = None
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
        """Return the meaning of a text; None without a usable model."""
        # A vault that does not exist yet is not worth a model's load.
        engine = self.engine() if self._vault.exists else None
        if engine is None:
            return None
        vector = engine.embed_queries([text])[0]
        if self._resident is not None:
            return _ResidentSense(vector, self._resident, self._note_missing)
        return _StoredSense(vector, engine.name, self._note_missing)

    def catch_up(self) -> bool:
        """Embed a few of the memories that the last comparison found without a vector; returns whether it did."""
        missing, self._missing = self._missing, 0
        if not missing or not self._catches_up or self._engine is None:
            return False
        from memtui.recall.vectoring import embed_missing

        try:
            return embed_missing(self._vault, self._engine, limit=MOST_CAUGHT_UP) > 0
        except VaultBusyError:
            # Whoever holds the vault is not to be waited for twice: the words have answered already.
            return False

    def engine(self) -> Engine | None:
        """Return the loaded engine; None if the setting is none or the model is missing."""
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


class _StoredSense:
    """The meaning of one task, compared by SQL: for a process that asks once."""

    def __init__(self, vector: NDArray[np.float32], model: str, note_missing: Callable[[int], None]) -> None:
        self._vector = vector
        self._model = model
        self._note_missing = note_missing

    def look(self, reader: VaultReader, wanted: MemoryFilter, *, keys: Collection[int], limit: int) -> Likeness:
        """Return how like the task the nearest memories of a filter are, and those with the given keys."""
        scored = ScoredVectors(reader, self._model, self._vector)
        self._note_missing(scored.missing)
        if not scored.count:
            return Likeness(missing=scored.missing)
        cosines = {**scored.nearest(wanted, limit), **scored.of(keys)}
        return Likeness(cosines, scored.mean, scored.count, scored.missing)

    def kinship(self, reader: VaultReader, keys: Collection[int]) -> Mapping[tuple[int, int], float]:
        """Return the cosine of each two of some memories."""
        table = vectors.vectors_of(reader, self._model, keys)
        return _pairs(table.keys, table.matrix)


class _ResidentSense:
    """The meaning of one task, compared in memory: for a process that asks more than once."""

    def __init__(
        self, vector: NDArray[np.float32], resident: ResidentVectors, note_missing: Callable[[int], None]
    ) -> None:
        self._vector = vector
        self._resident = resident
        self._note_missing = note_missing

    def look(self, reader: VaultReader, wanted: MemoryFilter, *, keys: Collection[int], limit: int) -> Likeness:
        """Return how like the task the nearest memories of a filter are, and those with the given keys."""
        self._resident.refresh(reader)
        scores = self._resident.scores(self._vector)
        count = len(scores.keys)
        missing = max(0, count_memories(reader) - count)
        self._note_missing(missing)
        if not count:
            return Likeness(missing=missing)
        cosines = _nearest(reader, wanted, scores.keys, scores.cosines, limit)
        cosines.update(_of(scores.keys, scores.cosines, keys))
        return Likeness(cosines, float(scores.cosines.mean()), count, missing)

    def kinship(
        self,
        reader: VaultReader,  # noqa: ARG002 - as the protocol has it
        keys: Collection[int],
    ) -> Mapping[tuple[int, int], float]:
        """Return the cosine of each two of some memories."""
        table = self._resident.rows_of(keys)
        return _pairs(table.keys, table.matrix)


def _nearest(
    reader: VaultReader, wanted: MemoryFilter, keys: NDArray[np.int64], cosines: NDArray[np.float32], limit: int
) -> dict[int, float]:
    """Return the nearest memories of a filter: the nearest of all are asked first whether they are in it."""
    import numpy as np

    looked = _FIRST_LOOK * limit
    while True:
        looked = min(looked, len(keys))
        best = np.argpartition(-cosines, looked - 1)[:looked]
        best = best[np.lexsort((keys[best], -cosines[best]))]
        inside = keys_within(reader, wanted, keys[best].tolist())
        chosen = [place for place in best.tolist() if int(keys[place]) in inside][:limit]
        if len(chosen) == limit or looked == len(keys):
            return {int(keys[place]): float(cosines[place]) for place in chosen}
        looked *= 8


def _of(keys: NDArray[np.int64], cosines: NDArray[np.float32], wanted: Iterable[int]) -> dict[int, float]:
    import numpy as np

    asked = np.array(sorted(wanted), np.int64)
    places = np.minimum(np.searchsorted(keys, asked), len(keys) - 1)
    return {
        int(key): float(cosines[place])
        for key, place in zip(asked.tolist(), places.tolist(), strict=True)
        if keys[place] == key
    }


def _pairs(keys: NDArray[np.int64], matrix: NDArray[np.float32]) -> dict[tuple[int, int], float]:
    products = (matrix @ matrix.T).tolist()
    named = keys.tolist()
    return {
        (named[one], named[other]): products[one][other]
        for one in range(len(named))
        for other in range(one + 1, len(named))
    }
