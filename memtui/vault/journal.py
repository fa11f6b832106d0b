"""The journal: undo, redo, the log of changes, and the history of one memory."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import groupby
from typing import Any

from memtui.domain.memory import Change, Link, Signal, Tombstone, Verdict
from memtui.domain.record import Record, memory_from_record, parse_time
from memtui.errors import NotFoundError, NothingToUndoError
from memtui.vault import rows
from memtui.vault.packs import RECIPE, set_recipe
from memtui.vault.passed_files import PASSED_FILE, offer_again, pass_files, passed_file_from_record
from memtui.vault.projects import IDENTITY, drop_unused, set_identity
from memtui.vault.reader import VaultReader
from memtui.vault.rows import HALF_LIFE
from memtui.vault.writer import VaultWriter

_COLUMNS = ", ".join(f"c.{name}" for name in rows.COLUMNS["changes"])
_UNDOABLE = f"SELECT {_COLUMNS} FROM changes c WHERE undoable AND state = 'done' ORDER BY number DESC LIMIT 1"
_REDOABLE = f"SELECT {_COLUMNS} FROM changes c WHERE undoable AND state = 'undone' ORDER BY number LIMIT 1"


@dataclass(frozen=True, slots=True)
class ChangeRow:
    """A change with the number of memories that it touched."""

    change: Change
    memories: int


@dataclass(frozen=True, slots=True)
class MemoryStep:
    """What one change did to one memory in total."""

    id: str
    version: int
    before: Record | None  # portable record before, None if the change created the memory
    after: Record | None  # portable record after, None if the change removed it


@dataclass(frozen=True, slots=True)
class MemoryRevision:
    """One revision of a memory; `before` and `after` as in `MemoryStep`, `version` is that after it."""

    change: Change
    version: int
    before: Record | None
    after: Record | None


@dataclass(frozen=True, slots=True)
class _Step:
    entity: str
    before: Record | None
    after: Record | None

    @property
    def known(self) -> Record:
        """The record on whichever side there is one."""
        return self.after or self.before or {}


# -- reading ----------------------------------------------------------------------------------------


def change_numbers(reader: VaultReader, *, words: Sequence[str] = (), memory_id: str | None = None) -> list[int]:
    """Return the numbers of changes, the newest first.

    `words`: each must occur in number, actor, action, summary, reason or state, ignoring case. `memory_id`: only
    changes that touched this memory.
    """
    conditions = ["contains(lower(concat_ws(' ', number, actor, action, summary, reason, state)), ?)" for _ in words]
    parameters: list[object] = [word.lower().replace("\0", "") for word in words]
    if memory_id is not None:
        conditions.append("number IN (SELECT change_number FROM revisions WHERE entity = 'memory' AND entity_key = ?)")
        parameters.append(memory_id)
    found = reader.connection.execute(
        # One list instead of a row each: at 100,000 changes that is 15 ms instead of 100.
        "SELECT coalesce(list(number ORDER BY number DESC), []) FROM changes"
        f" WHERE {' AND '.join(conditions) or 'true'}",
        parameters,
    ).fetchone()
    return list(found[0]) if found else []


def change_rows(reader: VaultReader, numbers: Iterable[int]) -> dict[int, ChangeRow]:
    """Return changes by their numbers; missing ones are left out."""
    wanted = list(numbers)
    found = reader.connection.execute(
        f"SELECT {_COLUMNS}, coalesce(r.memories, 0) FROM changes c LEFT JOIN"
        " (SELECT change_number, count(DISTINCT entity_key) AS memories FROM revisions"
        "  WHERE entity = 'memory' AND change_number IN (SELECT unnest(?::BIGINT[])) GROUP BY change_number) r"
        " ON r.change_number = c.number WHERE c.number IN (SELECT unnest(?::BIGINT[]))",
        [wanted, wanted],
    ).fetchall()
    result = [ChangeRow(_change(row[:-1]), int(row[-1])) for row in found]
    return {row.change.number: row for row in result}


def memory_steps(reader: VaultReader, number: int, *, first: str | None = None, most: int) -> list[MemoryStep]:
    """Return what a change did to each memory, in order. `first`: a memory to list before the others."""
    found = reader.connection.execute(
        "SELECT entity_key, max(version), first(before ORDER BY position), last(after ORDER BY position)"
        " FROM revisions WHERE change_number = ? AND entity = 'memory' GROUP BY entity_key"
        " ORDER BY entity_key IS DISTINCT FROM ?, min(position) LIMIT ?",
        [number, first, most],
    ).fetchall()
    return [MemoryStep(str(row[0]), int(row[1]), _load(row[2]), _load(row[3])) for row in found]


def kin_counts(reader: VaultReader, number: int) -> dict[str, tuple[int, int]]:
    """Return how many links, verdicts, signals and tombstones a change added and removed, by entity."""
    found = reader.connection.execute(
        "SELECT entity, count(*) FILTER (before IS NULL), count(*) FILTER (after IS NULL) FROM revisions"
        " WHERE change_number = ? AND entity <> 'memory' GROUP BY entity ORDER BY entity",
        [number],
    ).fetchall()
    return {str(row[0]): (int(row[1]), int(row[2])) for row in found}


def last_undoable(reader: VaultReader) -> Change | None:
    """Return the change that an undo would revert, with the memories that it touched; None if there is none."""
    change = _one_change(reader, _UNDOABLE)
    if change is None:
        return None
    found = reader.connection.execute(
        "SELECT DISTINCT entity_key FROM revisions WHERE change_number = ? AND entity = 'memory' ORDER BY 1",
        [change.number],
    ).fetchall()
    return replace(change, memory_ids=tuple(str(row[0]) for row in found))


def half_lives_at(reader: VaultReader, identifiers: Iterable[str], moment: datetime) -> dict[str, float | None]:
    """Return the half-lives in days that memories had at a moment, for those that changed since; None for none."""
    condition, parameters = rows.among("r.entity_key", identifiers)
    found = reader.connection.execute(
        "SELECT r.entity_key, arg_min(coalesce(json_extract_string(r.before, '$.half_life_days'), ''), r.change_number)"
        " FROM revisions r JOIN changes c ON c.number = r.change_number"
        " WHERE r.entity = 'memory' AND r.before IS NOT NULL AND c.made_at >= ?"
        f" AND {condition} GROUP BY 1",
        [moment.replace(tzinfo=None), *parameters],
    ).fetchall()
    return {str(identifier): float(days) if days else None for identifier, days in found}


def log(reader: VaultReader, *, limit: int = 50) -> list[Change]:
    """Return the newest changes with the memories that each touched, the newest first."""
    found = reader.connection.execute(
        f"SELECT {_COLUMNS}, (SELECT list(DISTINCT r.entity_key) FROM revisions r"
        " WHERE r.change_number = c.number AND r.entity = 'memory')"
        " FROM changes c ORDER BY c.number DESC LIMIT ?",
        [limit],
    ).fetchall()
    return [replace(_change(row[:-1]), memory_ids=tuple(sorted(row[-1] or ()))) for row in found]


def history(reader: VaultReader, identifier: str) -> list[MemoryRevision]:
    """Return every revision of one memory, the newest first; also for a memory that an undo removed.

    Raises `NotFoundError`: the journal does not contain it.
    """
    found = _revisions(reader, "r.entity_key = ? ORDER BY r.change_number DESC, r.position DESC", identifier)
    if not found:
        raise NotFoundError("The journal has no memory with this id", where=identifier)
    return found


def memory_revisions(reader: VaultReader, number: int) -> list[MemoryRevision]:
    """Return what a change did to memories, in order."""
    return _revisions(reader, "r.change_number = ? ORDER BY r.position", number)


def _revisions(reader: VaultReader, condition: str, parameter: object) -> list[MemoryRevision]:
    found = reader.connection.execute(
        f"SELECT {_COLUMNS}, r.version, r.before, r.after FROM revisions r JOIN changes c ON c.number = r.change_number"
        f" WHERE r.entity = 'memory' AND {condition}",
        [parameter],
    ).fetchall()
    return [MemoryRevision(_change(row[:-3]), int(row[-3]), _load(row[-2]), _load(row[-1])) for row in found]


def _change(row: Sequence[Any]) -> Change:
    return rows.thing_from_row(Change, "changes", row)


def _one_change(reader: VaultReader, query: str) -> Change | None:
    row = reader.connection.execute(query).fetchone()
    return None if row is None else _change(row)


def _steps(reader: VaultReader, number: int) -> list[_Step]:
    found = reader.connection.execute(
        "SELECT entity, before, after FROM revisions WHERE change_number = ? ORDER BY position", [number]
    ).fetchall()
    return [_Step(entity, _load(before), _load(after)) for entity, before, after in found]


def _load(text: str | None) -> Record | None:
    return None if text is None else json.loads(text)


# -- undo and redo ----------------------------------------------------------------------------------


def nothing_to_undo() -> NothingToUndoError:
    """Return the error of an undo that finds no change."""
    return NothingToUndoError("There is nothing to undo", remedy="`memtui log` lists the changes.")


def nothing_to_redo() -> NothingToUndoError:
    """Return the error of a redo that finds no undone change."""
    return NothingToUndoError(
        "There is nothing to redo", remedy="A new change after an undo discards what could be redone."
    )


def undo(writer: VaultWriter) -> Change:
    """Undo the last change that is in force; returns it. Raises `NothingToUndoError`: no change is left to undo."""
    change = _one_change(writer, _UNDOABLE)
    if change is None:
        raise nothing_to_undo()
    steps = _steps(writer, change.number)
    _apply(writer, [_Step(step.entity, step.after, step.before) for step in reversed(steps)])
    _close(writer, change, "undone", f"undo: {change.summary}")
    return change


def redo(writer: VaultWriter) -> Change:
    """Redo the change that was undone last; returns it.

    Raises `NothingToUndoError`: nothing was undone, or a new change came after.
    """
    change = _one_change(writer, _REDOABLE)
    if change is None:
        raise nothing_to_redo()
    _apply(writer, _steps(writer, change.number))
    _close(writer, change, "done", f"redo: {change.summary}")
    return change


def seal(writer: VaultWriter) -> None:
    """Let no undo revert this change or an earlier one, e.g. the filling of a demo vault."""
    writer.undoable = False
    writer.connection.execute("UPDATE changes SET undoable = false")
    writer.mark_dirty()


def _close(writer: VaultWriter, change: Change, state: str, summary: str) -> None:
    writer.connection.execute("UPDATE changes SET state = ? WHERE number = ?", [state, change.number])
    writer.undoable = False
    writer.summary = summary
    writer.mark_dirty()


def _apply(writer: VaultWriter, steps: list[_Step]) -> None:
    """Bring every thing from its `before` to its `after`."""
    for step in steps:
        if step.entity in _SETTINGS:
            _SETTINGS[step.entity](writer, step)
    _apply_kin(writer, [step for step in steps if step.entity not in {"memory", *_SETTINGS}])
    memories = {step.known["id"]: step.after for step in steps if step.entity == "memory"}
    writer.remove([identifier for identifier, record in memories.items() if record is None])
    stated = filter(None, memories.values())
    writer.put_many([memory_from_record(record, now=writer.now, new_id=record["id"]) for record in stated])


def _apply_kin(writer: VaultWriter, steps: list[_Step]) -> None:
    """Add or remove links, verdicts, signals and tombstones in order, but as many at a time as possible."""
    for is_removed, group in groupby(steps, key=lambda step: step.after is None):
        things = [thing_from_record({**step.known, "type": step.entity}) for step in group]
        if is_removed:
            writer.drop(things)
            continue
        writer.add_links([thing for thing in things if isinstance(thing, Link)])
        writer.add_verdicts([thing for thing in things if isinstance(thing, Verdict)])
        writer.add_signals([thing for thing in things if isinstance(thing, Signal)])
        writer.add_tombstones([thing for thing in things if isinstance(thing, Tombstone)])


def _apply_half_life(writer: VaultWriter, step: _Step) -> None:
    writer.set_half_life(step.known["kind"], step.after["half_life_days"] if step.after else None)


def _apply_recipe(writer: VaultWriter, step: _Step) -> None:
    set_recipe(writer, step.known["name"], step.after)


def _apply_identity(writer: VaultWriter, step: _Step) -> None:
    set_identity(writer, step.known["identity"], step.after)
    if step.before is not None and step.before.get("made"):
        # The project came with the identity that is removed now.
        drop_unused(writer, step.before["project"])


def _apply_passed_file(writer: VaultWriter, step: _Step) -> None:
    file = passed_file_from_record(step.known)
    if step.after is None:
        offer_again(writer, file)
    else:
        pass_files(writer, [file])


_SETTINGS: Mapping[str, Callable[[VaultWriter, _Step], None]] = {
    HALF_LIFE: _apply_half_life,
    RECIPE: _apply_recipe,
    IDENTITY: _apply_identity,
    PASSED_FILE: _apply_passed_file,
}


def thing_from_record(record: Record) -> Link | Verdict | Signal | Tombstone:
    """Return the link, verdict, signal or tombstone of a typed line.

    Raises `KeyError` or `RecordError`: the line lacks a key or has a wrong value.
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
