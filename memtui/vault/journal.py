"""The journal: undo, redo, the log of changes, and the history of one memory."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import groupby
from typing import TYPE_CHECKING, Any

from memtui.domain.memory import Change, Link, Memory, Signal, Tombstone, Verdict
from memtui.domain.record import Record, memory_from_record, parse_time
from memtui.errors import NotFoundError, NothingToUndoError
from memtui.vault import rows
from memtui.vault.half_lives import HALF_LIFE
from memtui.vault.packs import RECIPE, bring_recipe
from memtui.vault.projects import IDENTITY, bring_identity, drop_unused
from memtui.vault.reader import VaultReader
from memtui.vault.sql_in import among
from memtui.vault.writer import VaultWriter

if TYPE_CHECKING:
    import duckdb

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


@dataclass(frozen=True, slots=True)
class MemoryRevision:
    """One step in the life of a memory.

    Attributes:
        version: version after the step.
        before: portable record before, None if it was made here.
        after: portable record after, None if it was taken out (undo of its creation).
    """

    change: Change
    version: int
    before: Record | None
    after: Record | None


@dataclass(frozen=True, slots=True)
class _Step:
    entity: str
    before: Record | None
    after: Record | None


def nothing_to_undo() -> NothingToUndoError:
    """Return the error of an undo that finds no change."""
    return NothingToUndoError("There is nothing to undo", remedy="`memtui log` shows what was done.")


def nothing_to_redo() -> NothingToUndoError:
    """Return the error of a redo that finds no undone change."""
    return NothingToUndoError(
        "There is nothing to redo", remedy="A new change after an undo ends what could be redone."
    )


def undo(writer: VaultWriter) -> Change:
    """Undo the last change that stands; returns it.

    Raises:
        NothingToUndoError: no change is left to undo.
    """
    change = _one_change(
        writer, "SELECT {columns} FROM changes WHERE undoable AND state = 'done' ORDER BY number DESC LIMIT 1"
    )
    if change is None:
        raise nothing_to_undo()
    steps = _steps(writer, change.number)
    _apply(writer, [_Step(step.entity, step.after, step.before) for step in reversed(steps)])
    _close(writer, change, "undone", f"undo: {change.summary}")
    return change


def redo(writer: VaultWriter) -> Change:
    """Do again the change that was undone last; returns it.

    Raises:
        NothingToUndoError: nothing was undone, or a new change came after.
    """
    change = _one_change(
        writer, "SELECT {columns} FROM changes WHERE undoable AND state = 'undone' ORDER BY number LIMIT 1"
    )
    if change is None:
        raise nothing_to_redo()
    _apply(writer, _steps(writer, change.number))
    _close(writer, change, "done", f"redo: {change.summary}")
    return change


def last_undoable(reader: VaultReader) -> Change | None:
    """Return the change that an undo would take back, with the memories that it touched; None if none is left."""
    change = _one_change(
        reader, "SELECT {columns} FROM changes WHERE undoable AND state = 'done' ORDER BY number DESC LIMIT 1"
    )
    if change is None:
        return None
    found = reader._connection.execute(  # noqa: SLF001 - as above
        "SELECT DISTINCT entity_key FROM revisions WHERE change_number = ? AND entity = 'memory' ORDER BY 1",
        [change.number],
    ).fetchall()
    return replace(change, memory_ids=tuple(str(row[0]) for row in found))


def half_lives_at(reader: VaultReader, identifiers: Iterable[str], moment: datetime) -> dict[str, float | None]:
    """Return the half-lives in days that memories had at a moment, for those that changed since; None for none."""
    condition, parameters = among("r.entity_key", list(identifiers))
    found = reader._connection.execute(  # noqa: SLF001 - the same package
        "SELECT r.entity_key, arg_min(coalesce(json_extract_string(r.before, '$.half_life_days'), ''), r.change_number)"  # noqa: S608 - names are ours
        " FROM revisions r JOIN changes c ON c.number = r.change_number"
        " WHERE r.entity = 'memory' AND r.before IS NOT NULL AND c.made_at >= ?"
        f" AND {condition} GROUP BY 1",
        [moment.replace(tzinfo=None), *parameters],
    ).fetchall()
    return {str(identifier): float(days) if days else None for identifier, days in found}


def seal(writer: VaultWriter) -> None:
    """Let no undo go behind this point, e.g. behind the filling of a demo vault; this change stays too."""
    writer.undoable = False
    writer._connection.execute("UPDATE changes SET undoable = false")  # noqa: SLF001 - the journal is the writer's other half
    writer.mark_dirty()


def _close(writer: VaultWriter, change: Change, state: str, summary: str) -> None:
    writer._connection.execute("UPDATE changes SET state = ? WHERE number = ?", [state, change.number])  # noqa: SLF001 - the journal is the writer's other half
    writer.undoable = False
    writer.summary = summary
    writer.mark_dirty()


def _one_change(reader: VaultReader, query: str) -> Change | None:
    row = reader._connection.execute(query.format(columns=", ".join(rows.COLUMNS["changes"]))).fetchone()  # noqa: SLF001 - as above
    return None if row is None else rows.change_from_row(row)


def _steps(reader: VaultReader, number: int) -> list[_Step]:
    found = reader._connection.execute(  # noqa: SLF001 - as above
        "SELECT entity, before, after FROM revisions WHERE change_number = ? ORDER BY position", [number]
    ).fetchall()
    return [_Step(entity, _load(before), _load(after)) for entity, before, after in found]


def _apply(writer: VaultWriter, steps: list[_Step]) -> None:
    """Bring every thing from its `before` to its `after`."""
    memories: dict[str, Record | None] = {}
    for step in steps:
        if step.entity == "memory":
            known = step.after or step.before or {}
            memories[known["id"]] = step.after
        elif step.entity == HALF_LIFE:
            known = step.after or step.before or {}
            writer.set_half_life(known["kind"], step.after["half_life_days"] if step.after else None)
        elif step.entity == RECIPE:
            bring_recipe(writer, (step.after or step.before or {})["name"], step.after)
        elif step.entity == IDENTITY:
            _bring_identity(writer, step)
    kin = [step for step in steps if step.entity not in {"memory", HALF_LIFE, RECIPE, IDENTITY}]
    # In their order, but as many at once as may be: a bulk act leaves hundreds of one sort.
    for is_gone, group in groupby(kin, key=lambda step: step.after is None):
        things = [_thing(step.entity, (step.before if is_gone else step.after) or {}) for step in group]
        writer.drop(things) if is_gone else _put_things(writer, things)
    writer.remove([identifier for identifier, record in memories.items() if record is None])
    writer.put_many([_memory(record, writer.now) for record in memories.values() if record is not None])


def _bring_identity(writer: VaultWriter, step: _Step) -> None:
    bring_identity(writer, (step.after or step.before or {})["identity"], step.after)
    if step.before is not None and step.before.get("made"):
        # The project came with the identity that now goes.
        drop_unused(writer, step.before["project"])


def _memory(record: Record, now: datetime) -> Memory:
    return memory_from_record(record, now=now, new_id=record["id"])


def _put_things(writer: VaultWriter, things: list[Link | Verdict | Signal | Tombstone]) -> None:
    writer.add_links([thing for thing in things if isinstance(thing, Link)])
    writer.add_verdicts([thing for thing in things if isinstance(thing, Verdict)])
    writer.add_signals([thing for thing in things if isinstance(thing, Signal)])
    writer.add_tombstones([thing for thing in things if isinstance(thing, Tombstone)])


def _thing(entity: str, record: Record) -> Link | Verdict | Signal | Tombstone:
    return thing_from_record({**record, "type": entity})


def thing_from_record(record: Record) -> Link | Verdict | Signal | Tombstone:
    """Return the link, verdict, signal or tombstone that a typed line states.

    Raises:
        KeyError, RecordError: the line lacks a key or holds a wrong value.
    """
    kind = record["type"]
    if kind == "link":
        return Link(
            from_id=record["from"],
            type=record["link"],
            to_id=record["to"],
            weight=float(record.get("weight", 1.0)),
            origin=record.get("origin", "person"),
            created_at=_time(record, "created_at"),
        )
    shared: dict[str, Any] = {
        "memory_id": record["memory"],
        "at": _time(record, "at"),
        "actor": record.get("actor", "person"),
        "reason": record.get("reason", ""),
    }
    if kind == "verdict":
        return Verdict(verdict=record["verdict"], exposure_days=float(record.get("exposure_days", 0.0)), **shared)
    if kind == "signal":
        return Signal(
            signal=record["signal"], pack_id=record.get("pack"), weight=float(record.get("weight", 1.0)), **shared
        )
    return Tombstone(content_hash=record["content_hash"], project=record.get("project"), **shared)


def _time(record: Record, key: str) -> datetime:
    moment = parse_time(record.get(key), key)
    if moment is None:
        raise KeyError(key)
    return moment


def log(reader: VaultReader, *, limit: int = 50) -> list[Change]:
    """Return the newest changes with the memories that each touched, the newest first."""
    columns = ", ".join(f"c.{name}" for name in rows.COLUMNS["changes"])
    found = reader._connection.execute(  # noqa: SLF001 - as above
        f"SELECT {columns}, (SELECT list(DISTINCT r.entity_key) FROM revisions r"  # noqa: S608 - names are ours
        " WHERE r.change_number = c.number AND r.entity = 'memory')"
        " FROM changes c ORDER BY c.number DESC LIMIT ?",
        [limit],
    ).fetchall()
    return [replace(rows.change_from_row(row[:-1]), memory_ids=tuple(sorted(row[-1] or ()))) for row in found]


def history(reader: VaultReader, identifier: str) -> list[MemoryRevision]:
    """Return every step of one memory, the newest first; also for a memory that an undo took out.

    Raises:
        NotFoundError: the journal never heard of it.
    """
    found = list(_revisions_of(reader._connection, identifier))  # noqa: SLF001 - as above
    if not found:
        raise NotFoundError("The journal knows no memory with this id", where=identifier)
    return found


def memory_revisions(reader: VaultReader, number: int) -> list[MemoryRevision]:
    """Return what a change did to memories, in order."""
    columns = ", ".join(f"c.{name}" for name in rows.COLUMNS["changes"])
    found = reader._connection.execute(  # noqa: SLF001 - as above
        f"SELECT {columns}, r.version, r.before, r.after FROM revisions r JOIN changes c ON c.number = r.change_number"  # noqa: S608 - names are ours
        " WHERE r.entity = 'memory' AND r.change_number = ? ORDER BY r.position",
        [number],
    ).fetchall()
    return [MemoryRevision(rows.change_from_row(row[:8]), int(row[8]), _load(row[9]), _load(row[10])) for row in found]


def _revisions_of(connection: duckdb.DuckDBPyConnection, identifier: str) -> Iterator[MemoryRevision]:
    columns = ", ".join(f"c.{name}" for name in rows.COLUMNS["changes"])
    cursor = connection.execute(
        f"SELECT {columns}, r.version, r.before, r.after FROM revisions r JOIN changes c ON c.number = r.change_number"  # noqa: S608 - names are ours
        " WHERE r.entity = 'memory' AND r.entity_key = ? ORDER BY r.change_number DESC, r.position DESC",
        [identifier],
    )
    for row in cursor.fetchall():
        yield MemoryRevision(rows.change_from_row(row[:8]), int(row[8]), _load(row[9]), _load(row[10]))
