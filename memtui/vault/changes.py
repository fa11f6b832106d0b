"""Windows over the journal: which changes there are, their rows, and what one did to memories, a page at a time."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from memtui.domain.memory import Change
from memtui.domain.record import Record
from memtui.vault import rows
from memtui.vault.reading import VaultReader

_COLUMNS = ", ".join(f"c.{name}" for name in rows.COLUMNS["changes"])


@dataclass(frozen=True, slots=True)
class ChangeRow:
    """A change with the number of memories that it touched."""

    change: Change
    memories: int


@dataclass(frozen=True, slots=True)
class MemoryStep:
    """What one change did to one memory in all.

    Attributes:
        version: version after it.
        before: portable record before, None if the memory was made by it.
        after: portable record after, None if it was taken out.
    """

    id: str
    version: int
    before: Record | None
    after: Record | None


def change_numbers(reader: VaultReader, *, words: Sequence[str] = (), memory_id: str | None = None) -> list[int]:
    """Return the numbers of changes, the newest first.

    Args:
        reader: an open vault.
        words: each must occur in what was done, by whom, or why; letter case does not count.
        memory_id: only changes that touched this memory.
    """
    conditions = ["contains(lower(concat_ws(' ', number, actor, action, summary, reason, state)), ?)" for _ in words]
    parameters: list[object] = [word.lower().replace("\0", "") for word in words]
    if memory_id is not None:
        conditions.append("number IN (SELECT change_number FROM revisions WHERE entity = 'memory' AND entity_key = ?)")
        parameters.append(memory_id)
    condition = f" WHERE {' AND '.join(conditions)}" if conditions else ""
    found = reader._connection.execute(  # noqa: SLF001 - this module is the reader's other half
        # One list instead of a row each: at 100,000 changes that is 15 ms instead of 100.
        f"SELECT list(number ORDER BY number DESC) FROM changes{condition}",  # noqa: S608 - the conditions are ours
        parameters,
    ).fetchone()
    return list(found[0]) if found is not None and found[0] is not None else []


def change_rows(reader: VaultReader, numbers: Iterable[int]) -> dict[int, ChangeRow]:
    """Return changes by their numbers, missing ones left out."""
    wanted = list(numbers)
    found = reader._connection.execute(  # noqa: SLF001 - as above
        f"SELECT {_COLUMNS}, coalesce(r.memories, 0) FROM changes c LEFT JOIN"  # noqa: S608 - names are ours
        " (SELECT change_number, count(DISTINCT entity_key) AS memories FROM revisions"
        "  WHERE entity = 'memory' AND change_number IN (SELECT unnest(?::BIGINT[])) GROUP BY change_number) r"
        " ON r.change_number = c.number WHERE c.number IN (SELECT unnest(?::BIGINT[]))",
        [wanted, wanted],
    ).fetchall()
    result = [ChangeRow(rows.change_from_row(row[:-1]), int(row[-1])) for row in found]
    return {row.change.number: row for row in result}


def memory_steps(
    reader: VaultReader, number: int, *, first: str | None = None, most: int, skip: int = 0
) -> list[MemoryStep]:
    """Return what a change did to each memory, in order.

    Args:
        reader: an open vault.
        number: of the change.
        first: a memory that comes before the others.
        most: at most so many.
        skip: so many are passed over.
    """
    found = reader._connection.execute(  # noqa: SLF001 - as above
        "SELECT entity_key, max(version), first(before ORDER BY position), last(after ORDER BY position)"
        " FROM revisions WHERE change_number = ? AND entity = 'memory' GROUP BY entity_key"
        " ORDER BY entity_key IS DISTINCT FROM ?, min(position) LIMIT ? OFFSET ?",
        [number, first, most, skip],
    ).fetchall()
    return [MemoryStep(str(row[0]), int(row[1]), _load(row[2]), _load(row[3])) for row in found]


def kin_counts(reader: VaultReader, number: int) -> dict[str, tuple[int, int]]:
    """Return how many links, verdicts, signals and tombstones a change added and took away, by name."""
    found = reader._connection.execute(  # noqa: SLF001 - as above
        "SELECT entity, count(*) FILTER (before IS NULL), count(*) FILTER (after IS NULL) FROM revisions"
        " WHERE change_number = ? AND entity <> 'memory' GROUP BY entity ORDER BY entity",
        [number],
    ).fetchall()
    return {str(row[0]): (int(row[1]), int(row[2])) for row in found}


def _load(text: str | None) -> Record | None:
    return None if text is None else json.loads(text)
