"""Read snapshots of the vault for analysis, in short leases."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from memtui.analysis.snapshot import PAIR_VERDICTS, Gathered
from memtui.domain.memory import GLOBAL_PROJECT
from memtui.progress import ProgressCallback
from memtui.vault.filters import MemoryFilter
from memtui.vault.vault import Vault

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

LEAST_COSINE = 0.72
"""Below it no threshold of `memtui.analysis.duplicates` is reached, whatever the words."""

MOST_COMPARED = 30_000
"""Memories of one project that are compared pair by pair: 350 billion products, about ten seconds on two cores."""

BLOCK = 1_024
"""Rows compared at once: 1,024 × 30,000 cosines take 120 MB."""


def pairs_by_meaning(
    vault: Vault, gathered: Gathered, model: str | None, *, progress: ProgressCallback | None = None
) -> list[tuple[str, str, float]]:
    """Return pairs of ids of one project, or of it and `global`, with their cosine; empty without vectors.

    Projects of more than `MOST_COMPARED` memories are left to the words.

    Raises:
        Cancelled: raised by `progress`, and passed on.
    """
    if model is None or not gathered.keys:
        return []
    # Imported here: without vectors nothing needs numpy.
    from memtui.vault.search.vectors import all_vectors

    with vault.read() as reader:
        table = all_vectors(reader, model)
    if not len(table.keys):
        return []
    rows = {int(key): row for row, key in enumerate(table.keys)}
    by_project: dict[str | None, list[tuple[str, int]]] = {}
    for memory in gathered.memories:
        row = rows.get(gathered.keys[memory.id])
        if row is not None:
            by_project.setdefault(memory.project, []).append((memory.id, row))
    shared = by_project.pop(GLOBAL_PROJECT, [])
    if not any(name is not None for name in by_project):
        by_project[GLOBAL_PROJECT] = []
    parts = [[*(shared if name is not None else []), *held] for name, held in by_project.items()]
    found: dict[tuple[str, str], float] = {}
    total = sum(map(len, parts))
    done = 0
    for part in parts:
        if len(part) <= MOST_COMPARED:
            ids = [identifier for identifier, _ in part]
            for one, other, cosine in _near(table.matrix[[row for _, row in part]], done, total, progress):
                found[ids[one], ids[other]] = cosine
        done += len(part)
    return [(one, other, cosine) for (one, other), cosine in found.items()]


def _near(
    matrix: NDArray[np.float32], done: int, total: int, progress: ProgressCallback | None
) -> Iterator[tuple[int, int, float]]:
    import numpy as np

    for start in range(0, len(matrix), BLOCK):
        # Only what lies after the block's own rows: each pair once.
        cosines = matrix[start : start + BLOCK] @ matrix[start:].T
        ones, others = np.nonzero(np.triu(cosines, k=1) >= LEAST_COSINE)
        for one, other in zip(ones.tolist(), others.tolist(), strict=True):
            yield start + one, start + other, float(cosines[one, other])
        if progress:
            progress(min(done + start + BLOCK, total), total)


WINDOW = 1_500
"""Memories read under one lease: about 100 ms on two cores, well under the 250 ms that a lease may last."""


def gather(
    vault: Vault,
    wanted: MemoryFilter,
    *,
    before: Gathered | None = None,
    progress: ProgressCallback | None = None,
) -> Gathered:
    """Read memories window by window; a memory that changes meanwhile appears as it was or as it is.

    Whatever acts on what is found checks the versions again.

    Args:
        before: an earlier look, of which the memories that did not move since are taken over.
        progress: told how many memories are read.

    Raises:
        Cancelled: raised by `progress`, and passed on.
    """
    with vault.read() as reader:
        versions = reader.select_versions(wanted, sort="created", now=vault.now())
        links = reader.links()
        dismissals = [verdict for verdict in reader.verdicts() if verdict.verdict in PAIR_VERDICTS]
    ids = list(versions)[::-1]
    seen = before or Gathered([])
    known = {memory.id: memory for memory in seen.memories if versions.get(memory.id) == memory.version}
    keys = {identifier: seen.keys[identifier] for identifier in known}
    missing = [identifier for identifier in ids if identifier not in known]
    for start in range(0, len(missing), WINDOW):
        window = missing[start : start + WINDOW]
        with vault.read() as reader:
            found = reader.keyed(window)
        known.update((identifier, memory) for identifier, (_, memory) in found.items())
        keys.update((identifier, key) for identifier, (key, _) in found.items())
        if progress:
            progress(min(start + WINDOW, len(missing)), len(missing))
    return Gathered([known[identifier] for identifier in ids if identifier in known], links, dismissals, keys)
