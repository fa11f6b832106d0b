"""What a pass over the vault compares: memories read window by window, and pairs whose vectors are near."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from memtui.analysis.pair_features import UNKNOWN_CROWD
from memtui.analysis.section_context import is_of_file
from memtui.analysis.snapshot import PROPOSAL_VERDICTS, Alike, Snapshot, views
from memtui.domain.memory import Memory
from memtui.progress import ProgressCallback
from memtui.vault.filters import MemoryFilter
from memtui.vault.vault import Vault

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

WINDOW = 1_500  # Memories read under one lease: about 100 ms on two cores, well under the 250 ms that a lease may last
LEAST_COSINE = 0.72  # Cosine from which all pairs are looked at, not only the nearest

MOST_COMPARED = 30_000
"""Memories of one project that are compared pair by pair: 350 billion products, about ten seconds on two cores."""

BLOCK = 1_024  # Rows compared at once: 1,024 × 30,000 cosines take 120 MB


def read_snapshot(
    vault: Vault, wanted: MemoryFilter, *, before: Snapshot | None = None, progress: ProgressCallback | None = None
) -> Snapshot:
    """Read memories window by window; one that changes meanwhile appears as it was or as it is.

    Whatever acts on the results checks the versions again.

    `before`: an earlier snapshot, from which unchanged memories are taken.
    """
    with vault.read() as reader:
        versions = reader.select_versions(wanted, sort="created", now=vault.now())
        links = reader.links()
        dismissals = [verdict for verdict in reader.verdicts() if verdict.verdict in PROPOSAL_VERDICTS]
    ids = list(versions)[::-1]
    earlier = before or Snapshot([])
    known = {memory.id: memory for memory in earlier.memories if versions.get(memory.id) == memory.version}
    keys = {identifier: earlier.keys[identifier] for identifier in known}
    missing = [identifier for identifier in ids if identifier not in known]
    for start in range(0, len(missing), WINDOW):
        with vault.read() as reader:
            found = reader.keyed(missing[start : start + WINDOW])
        known.update((identifier, memory) for identifier, (_, memory) in found.items())
        keys.update((identifier, key) for identifier, (key, _) in found.items())
        if progress:
            progress(min(start + WINDOW, len(missing)), len(missing))
    return Snapshot([known[identifier] for identifier in ids if identifier in known], links, dismissals, keys)


def pairs_by_meaning(
    vault: Vault, snapshot: Snapshot, model: str | None, *, progress: ProgressCallback | None = None
) -> list[Alike]:
    """Return pairs of one project, or of it and `global`, whose vectors are near; empty without vectors.

    Projects of more than `MOST_COMPARED` memories are compared by words alone.
    """
    if model is None or not snapshot.keys:
        return []
    # Imported here: without vectors nothing needs numpy.
    from memtui.vault.search.vectors import all_vectors

    with vault.read() as reader:
        table = all_vectors(reader, model)
    rows = {int(key): row for row, key in enumerate(table.keys)}
    parts = views(memory for memory in snapshot.memories if snapshot.keys[memory.id] in rows)
    found: dict[tuple[str, str], Alike] = {}
    total = sum(map(len, parts))
    done = 0
    for part in parts:
        if 1 < len(part) <= MOST_COMPARED:
            matrix = table.matrix[[rows[snapshot.keys[memory.id]] for memory in part]]
            of_file = [is_of_file(memory) for memory in part]

            def told(rows_done: int, before: int = done) -> None:
                if progress:
                    progress(min(before + rows_done, total), total)

            for one, other, cosine, crowd in _near(_cosines(matrix), len(matrix), of_file, told):
                found[part[one].id, part[other].id] = Alike(part[one].id, part[other].id, cosine, crowd)
        done += len(part)
    return list(found.values())


def _cosines(matrix: NDArray[np.float32]) -> Callable[[int, int], NDArray[np.float32]]:
    return lambda start, end: matrix[start:end] @ matrix.T


def pairs_by_kinship(memories: Sequence[Memory], kinship: Mapping[tuple[str, str], float]) -> list[Alike]:
    """Return the pairs of memories whose vectors are near, as `pairs_by_meaning` does, of what a recall has compared.

    `kinship`: the cosine of each two memories, also of others beside these, by their ids, the smaller first.
    """
    if not kinship:
        return []
    import numpy as np

    known = {memory.id: memory for memory in memories}
    names = sorted({name for pair in kinship for name in pair})
    places = {name: place for place, name in enumerate(names)}
    matrix = np.ones((len(names), len(names)), np.float32)
    for (one, other), cosine in kinship.items():
        matrix[places[one], places[other]] = matrix[places[other], places[one]] = cosine
    of_file = [name in known and is_of_file(known[name]) for name in names]
    near = _near(lambda start, end: matrix[start:end].copy(), len(names), of_file, lambda _: None)
    return [
        Alike(names[one], names[other], cosine, crowd)
        for one, other, cosine, crowd in near
        if names[one] in known and names[other] in known
    ]


def without_vector(vault: Vault, wanted: MemoryFilter, model: str | None) -> int:
    """Return how many memories could not be compared by meaning because they have no vector yet."""
    if model is None:
        return 0
    from memtui.vault.search.vectors import lacking_keys

    with vault.read() as reader:
        lacking = lacking_keys(reader, model)
        return len(reader.keys_within(wanted, lacking)) if lacking else 0


NEAREST = 3  # Neighbours of each memory that are looked at where they are nearer than `FAINT`
FAINT = 0.42  # Cosine below which two memories have hardly a subject in common; of 81 strangers' duplicates 5 are below
NEAREST_IN_FILES, FAINT_IN_FILES = 8, 0.2
"""The same of what came by itself among what was imported from files, which it may take back in few words: of 76
statements that contradict a file 62 are found by the former, 71 by these."""

NEXT = slice(2, 8)  # Neighbours, by rank, that make the crowd around a memory: its own copies come before them


def _near(
    cosines_of: Callable[[int, int], NDArray[np.float32]],  # those of some rows, from one to another, with all
    number: int,  # of rows
    of_file: Sequence[bool],
    told: Callable[[int], None],  # called with the rows that are done
) -> Iterator[tuple[int, int, float, float]]:
    """Yield positions of rows that are near, each pair once, with their cosine and the crowd around them."""
    import numpy as np

    most = min(NEXT.stop, number - 1)
    crowds = np.full(number, UNKNOWN_CROWD, np.float32)
    pairs: dict[tuple[int, int], float] = {}
    filed = np.flatnonzero(of_file)
    for start in range(0, number, BLOCK):
        cosines = cosines_of(start, start + BLOCK)
        own = np.arange(start, start + len(cosines))
        cosines[own - start, own] = -1.0
        order = np.argpartition(-cosines, most - 1, axis=1)[:, :most]
        nearest = np.take_along_axis(cosines, order, axis=1)
        rank = np.argsort(-nearest, axis=1)
        order, nearest = np.take_along_axis(order, rank, axis=1), np.take_along_axis(nearest, rank, axis=1)
        if most == NEXT.stop:
            crowds[own] = nearest[:, NEXT].mean(axis=1)
        ones, others = np.nonzero(cosines >= LEAST_COSINE)
        close, places = np.nonzero(nearest[:, :NEAREST] >= FAINT)
        ones, others = np.concatenate((ones, close)), np.concatenate((others, order[close, places]))
        alone = np.flatnonzero(~np.asarray(of_file[start : start + len(cosines)]))
        if len(alone) and len(filed):
            among = cosines[np.ix_(alone, filed)]
            first = np.argpartition(-among, min(NEAREST_IN_FILES, len(filed)) - 1, axis=1)[:, :NEAREST_IN_FILES]
            mine, theirs = np.nonzero(np.take_along_axis(among, first, axis=1) >= FAINT_IN_FILES)
            ones, others = np.concatenate((ones, alone[mine])), np.concatenate((others, filed[first[mine, theirs]]))
        for one, other in zip(ones.tolist(), others.tolist(), strict=True):
            pairs[min(start + one, other), max(start + one, other)] = float(cosines[one, other])
        told(start + BLOCK)
    for (one, other), cosine in pairs.items():
        yield one, other, cosine, float(crowds[one] + crowds[other]) / 2
