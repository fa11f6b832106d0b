"""Vectors for memories that have none, and all vectors of a vault in the memory of a long-lived process."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memtui.embedding.engine import Engine, ModelState, model_state
from memtui.vault import vectors
from memtui.vault.reading import VaultReader
from memtui.vault.vault import Vault
from memtui.vault.vectors import NewVector, Unembedded, VectorTable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

CHUNK = 128
"""Memories per lease: read in 50 ms and written in 130 ms at 11,637, embedded in one or two seconds in between. So much
is lost at most when the process is killed, and so soon a cancel is heard; half as many cost twice the leases."""

_ROWS_AT_ONCE = 1_024
"""Rows turned to float32 at a time: 1.5 MB, which stays in the cache of a core. Measured at 100,000 rows: 17 ms,
against 113 ms in steps of 4,096."""


@dataclass(frozen=True, slots=True)
class SemanticState:
    """Whether meaning plays a part in recall, and how far.

    Attributes:
        model: the model of the setting.
        embedded: memories with a current vector of it.
        missing: memories without one.
        others: stored vectors of other models.
    """

    model: ModelState
    embedded: int = 0
    missing: int = 0
    others: int = 0

    @property
    def words(self) -> str:
        """What to tell a person, one clause: `on`, `off` and why."""
        if self.model.state == "off":
            return 'off (embedding.model is "none")'
        if not self.model.usable:
            return f"off: {self.model.problem}"
        if not self.embedded:
            return (
                f"on ({self.model.name}), but no memory has a vector yet"
                if self.missing
                else (f"on ({self.model.name})")
            )
        waiting = f", {self.missing:,} without" if self.missing else ""
        return f"on ({self.model.name}), {self.embedded:,} memories with a vector{waiting}"


def semantic_state(vault: Vault, model: str) -> SemanticState:
    """Return the state of a setting for a vault, without loading the model.

    Raises:
        ConfigError: the setting is none that there is.
    """
    state = model_state(model)
    with vault.read() as reader:
        stored = vectors.counts(reader)
        others = sum(number for name, number in stored.items() if name != state.name)
        if not state.usable:
            return SemanticState(state, others=others)
        return SemanticState(
            state,
            embedded=vectors.count_current(reader, state.name),
            missing=vectors.count_missing(reader, state.name),
            others=others,
        )


def embed_missing(
    vault: Vault,
    engine: Engine,
    *,
    limit: int | None = None,
    progress: Callable[[int, int], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> int:
    """Embed memories without a current vector, active ones first; returns how many were stored.

    Texts are read and vectors written under short leases, the work in between holds none. What was stored
    stays stored when the process dies. A memory that is edited meanwhile is taken up again, one that is purged
    is not.

    Args:
        vault: the vault.
        engine: a loaded engine.
        limit: embed no more than so many; None for all.
        progress: is told (done, all).
        cancelled: is asked before each chunk.

    Raises:
        VaultBusyError: another process held the vault too long; what was stored stays.
    """
    if not vault.exists:
        return 0
    with vault.read() as reader:
        total = vectors.count_missing(reader, engine.name)
    total = total if limit is None else min(total, limit)
    done = stored = 0
    while done < total and not (cancelled and cancelled()):
        with vault.read() as reader:
            waiting = vectors.missing(reader, engine.name, limit=min(CHUNK, total - done))
        if not waiting:
            break
        stored += vectors.store(vault, engine.name, _embedded(engine, waiting))
        done += len(waiting)
        if progress:
            progress(done, total)
    return stored


def _embedded(engine: Engine, waiting: Sequence[Unembedded]) -> list[NewVector]:
    made = engine.embed_passages([each.text for each in waiting])
    return [NewVector(each.key, each.content_hash, vector) for each, vector in zip(waiting, made, strict=True)]


@dataclass(frozen=True, slots=True)
class Scores:
    """The cosine of every memory that has a current vector.

    Attributes:
        keys: internal keys, ascending, shape (n,).
        cosines: float32, shape (n,).
    """

    keys: NDArray[np.int64]
    cosines: NDArray[np.float32]


class ResidentVectors:
    """All current vectors of one model, kept in int8 with a scale each: 39 MB at 100,000.

    Cosines are within 0.003 of the stored vectors'. Not for several threads at once.

    Args:
        model: the engine's name.
    """

    def __init__(self, model: str) -> None:
        self.model = model
        self._stamp = ""
        self._keys: NDArray[np.int64] | None = None
        self._rows: NDArray[np.int8] | None = None
        self._scales: NDArray[np.float32] | None = None

    def __len__(self) -> int:
        """Return how many vectors are held."""
        return 0 if self._keys is None else len(self._keys)

    def refresh(self, reader: VaultReader) -> bool:
        """Read the vectors anew if the vault's moved; returns whether they had."""
        stamp = vectors.stamp(reader, self.model)
        if stamp == self._stamp:
            return False
        table = vectors.all_vectors(reader, self.model)
        self._keys = table.keys
        self._rows, self._scales = _packed(table.matrix)
        self._stamp = stamp
        return True

    def scores(self, query: NDArray[np.float32]) -> Scores:
        """Return the cosine of every memory to a query vector of length 1."""
        import numpy as np

        if self._keys is None or self._rows is None or self._scales is None or not len(self._keys):
            return Scores(np.empty(0, np.int64), np.empty(0, np.float32))
        cosines = np.empty(len(self._keys), np.float32)
        plain = np.empty((min(_ROWS_AT_ONCE, len(cosines)), self._rows.shape[1]), np.float32)
        for start in range(0, len(cosines), _ROWS_AT_ONCE):
            rows = self._rows[start : start + _ROWS_AT_ONCE]
            part = plain[: len(rows)]
            np.copyto(part, rows)
            np.dot(part, query, out=cosines[start : start + len(rows)])
        cosines *= self._scales
        return Scores(self._keys, cosines)

    def rows_of(self, keys: Iterable[int]) -> VectorTable:
        """Return the vectors of some memories, by ascending key; those that have none are left out."""
        import numpy as np

        if self._keys is None or self._rows is None or self._scales is None or not len(self._keys):
            return VectorTable(np.empty(0, np.int64), np.empty((0, 0), np.float32))
        wanted = np.array(sorted(keys), np.int64)
        places = np.minimum(np.searchsorted(self._keys, wanted), len(self._keys) - 1)
        places = places[self._keys[places] == wanted]
        return VectorTable(self._keys[places], self._rows[places] * self._scales[places, None])


def _packed(matrix: NDArray[np.float32]) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Return rows as int8 and the scale of each."""
    import numpy as np

    if not matrix.size:
        return matrix.astype(np.int8), np.empty(len(matrix), np.float32)
    scales = np.maximum(np.abs(matrix).max(axis=1) / 127, 1e-12).astype(np.float32)
    rows = np.empty(matrix.shape, np.int8)
    for start in range(0, len(matrix), _ROWS_AT_ONCE):
        end = start + _ROWS_AT_ONCE
        rows[start:end] = np.rint(matrix[start:end] / scales[start:end, None])
    return rows, scales
