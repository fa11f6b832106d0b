"""Read snapshots of the vault for analysis, in short leases, and pairs that are alike by their vectors."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from memtui.analysis.snapshot import PAIR_VERDICTS, Snapshot, views
from memtui.progress import ProgressCallback
from memtui.vault.filters import MemoryFilter
from memtui.vault.vault import Vault

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

WINDOW = 1_500
"""Memories read under one lease: about 100 ms on two cores, well under the 250 ms that a lease may last."""

LEAST_COSINE = 0.72
"""Below it no threshold of `memtui.analysis.duplicates` is reached, whatever the words."""

MOST_COMPARED = 30_000
"""Memories of one project that are compared pair by pair: 350 billion products, about ten seconds on two cores."""

BLOCK = 1_024
"""Rows compared at once: 1,024 × 30,000 cosines take 120 MB."""


def read_snapshot(
    vault: Vault, wanted: MemoryFilter, *, before: Snapshot | None = None, progress: ProgressCallback | None = None
) -> Snapshot:
    """Read memories window by window; one that changes meanwhile appears as it was or as it is.

    Whatever acts on the results checks the versions again.

    Args:
        before: an earlier snapshot, from which unchanged memories are taken.
    """
    with vault.read() as reader:
        versions = reader.select_versions(wanted, sort="created", now=vault.now())
        links = reader.links()
        dismissals = [verdict for verdict in reader.verdicts() if verdict.verdict in PAIR_VERDICTS]
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
) -> list[tuple[str, str, float]]:
    """Return pairs of ids of one project, or of it and `global`, with their cosine; empty without vectors.

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
    found: dict[tuple[str, str], float] = {}
    total = sum(map(len, parts))
    done = 0
    for part in parts:
        if 1 < len(part) <= MOST_COMPARED:
            matrix = table.matrix[[rows[snapshot.keys[memory.id]] for memory in part]]
            for one, other, cosine in _near(matrix, done, total, progress):
                found[part[one].id, part[other].id] = cosine
        done += len(part)
    return [(one, other, cosine) for (one, other), cosine in found.items()]


def _near(
    matrix: NDArray[np.float32], done: int, total: int, progress: ProgressCallback | None
) -> Iterator[tuple[int, int, float]]:
    """Yield positions of rows that are alike, each pair once."""
    import numpy as np

    for start in range(0, len(matrix), BLOCK):
        cosines = matrix[start : start + BLOCK] @ matrix[start:].T
        ones, others = np.nonzero(np.triu(cosines, k=1) >= LEAST_COSINE)
        for one, other in zip(ones.tolist(), others.tolist(), strict=True):
            yield start + one, start + other, float(cosines[one, other])
        if progress:
            progress(min(done + start + BLOCK, total), total)
