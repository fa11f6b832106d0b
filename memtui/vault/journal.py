"""The journal: the log of changes, what each did, and the history of one memory."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from memtui.domain.combine import LINE_TEXTS
from memtui.domain.memory import Change, Link, Memory, Signal, Tombstone, Verdict
from memtui.domain.record import Record, memory_from_record, parse_time, stone_cause
from memtui.errors import NotFoundError
from memtui.vault import rows
from memtui.vault.reader import VaultReader
from memtui.vault.rows import CHANGE

if TYPE_CHECKING:
    import duckdb

UNDO_ONE = "undo one"  # The action of undoing a change by its number, rather than the last

_COLUMNS = ", ".join(f"c.{name}" for name in rows.COLUMNS["changes"])


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
class Step:
    """One thing of a change: what it was before and after; None where it did not exist."""

    entity: str
    key: str
    before: Record | None
    after: Record | None

    @property
    def known(self) -> Record:
        """The record on whichever side there is one."""
        return self.after or self.before or {}


# -- reading ----------------------------------------------------------------------------------------


def change_numbers(
    reader: VaultReader, *, words: Sequence[str] = (), memory_id: str | None = None, with_reversals: bool = True
) -> list[int]:
    """Return the numbers of changes, the newest first.

    `words`: each must occur in number, actor, action, summary, reason or state, ignoring case. `memory_id`: only
    changes that touched this memory. `with_reversals`: whether what took another back or made it again is listed too.
    """
    conditions = ["contains(lower(concat_ws(' ', number, actor, action, summary, reason, state)), ?)" for _ in words]
    parameters: list[object] = [word.lower().replace("\0", "") for word in words]
    if memory_id is not None:
        conditions.append("number IN (SELECT change_number FROM revisions WHERE entity = 'memory' AND entity_key = ?)")
        parameters.append(memory_id)
    if not with_reversals:
        conditions.append("number NOT IN (SELECT change_number FROM revisions WHERE entity = ?)")
        parameters.append(CHANGE)
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
        " WHERE change_number = ? AND entity NOT IN ('memory', ?) GROUP BY entity ORDER BY entity",
        [number, CHANGE],
    ).fetchall()
    return {str(row[0]): (int(row[1]), int(row[2])) for row in found}


def last_undoable(reader: VaultReader, *, actor: str | None = None) -> Change | None:
    """Return the last change in force that an undo can revert, with its memories; None if there is none.

    `actor`: who made it; None for anybody.
    """
    change = _one_change(
        reader,
        "WHERE undoable AND state = 'done' AND coalesce(actor = ?, true) ORDER BY number DESC LIMIT 1",
        actor,
    )
    return None if change is None else replace(change, memory_ids=touched_by(reader, change.number))


def touched_by(reader: VaultReader, number: int) -> tuple[str, ...]:
    """Return the ids of the memories that a change touched, sorted."""
    found = reader.connection.execute(
        "SELECT DISTINCT entity_key FROM revisions WHERE change_number = ? AND entity = 'memory' ORDER BY 1", [number]
    ).fetchall()
    return tuple(str(row[0]) for row in found)


_UNDONE_BY = (
    "(SELECT r.entity_key, max(u.number) AS undone_at, arg_max(u.actor, u.number) AS undone_by FROM revisions r"
    f" JOIN changes u ON u.number = r.change_number WHERE r.entity = '{CHANGE}' GROUP BY 1)"
)


def last_redoable(reader: VaultReader, *, actor: str | None = None) -> Change | None:
    """Return the change that was undone last, without its memories; None if there is none.

    `actor`: who undid it; None for anybody.
    """
    return _one_change(
        reader,
        f"LEFT JOIN {_UNDONE_BY} u ON u.entity_key = c.number::VARCHAR"
        " WHERE undoable AND state = 'undone' AND coalesce(coalesce(undone_by, actor) = ?, true)"
        " ORDER BY undone_at DESC NULLS LAST, number LIMIT 1",
        actor,
    )


def last_picked(reader: VaultReader, actor: str) -> Change | None:
    """Return the change that an actor undid by its number, if that is the last thing that they did."""
    last = _one_change(reader, "WHERE actor = ? ORDER BY number DESC LIMIT 1", actor)
    if last is None or last.action != UNDO_ONE:
        return None
    number = reversed_by(reader, last.number)
    change = None if number is None else change_at(reader, number)
    return change if change is not None and change.state == "undone" else None


def reversed_by(reader: VaultReader, number: int) -> int | None:
    """Return the change that another took back or made again; None where that did neither."""
    return next((int(step.key) for step in steps_of(reader, number) if step.entity == CHANGE), None)


def last_reversal(reader: VaultReader, number: int) -> Change | None:
    """Return what took a change back or made it again last; None where nothing did."""
    return _one_change(
        reader,
        "WHERE number = (SELECT max(change_number) FROM revisions WHERE entity = ? AND entity_key = ?)",
        CHANGE,
        str(number),
    )


def abandon_undone(connection: duckdb.DuckDBPyConnection, actor: str) -> None:
    """Let nothing be redone that an actor has undone, because they have made a new change."""
    if connection.execute("SELECT 1 FROM changes WHERE state = 'undone' LIMIT 1").fetchone():
        connection.execute(
            "UPDATE changes SET state = 'abandoned' WHERE state = 'undone' AND number::VARCHAR NOT IN"
            f" (SELECT entity_key FROM {_UNDONE_BY} WHERE undone_by <> ?)",
            [actor],
        )


def last_number(reader: VaultReader) -> int:
    """Return the number of the last change, 0 where there is none."""
    return reader.scalar("SELECT coalesce(max(number), 0) FROM changes")


def made_since(reader: VaultReader, number: int) -> set[int]:
    """Return the numbers of the changes after one."""
    found = reader.connection.execute("SELECT number FROM changes WHERE number > ?", [number]).fetchall()
    return {int(row[0]) for row in found}


def change_at(reader: VaultReader, number: int) -> Change | None:
    """Return the change with this number, without its memories."""
    return _one_change(reader, "WHERE number = ?", number)


def is_undoable(reader: VaultReader, number: int) -> bool:
    """Return whether a change is of a sort that can be undone; an undo itself is not."""
    found = reader.connection.execute("SELECT undoable FROM changes WHERE number = ?", [number]).fetchone()
    return bool(found and found[0])


def steps_of(reader: VaultReader, number: int) -> list[Step]:
    """Return everything that a change did, in order."""
    found = reader.connection.execute(
        "SELECT entity, entity_key, before, after FROM revisions WHERE change_number = ? ORDER BY position", [number]
    ).fetchall()
    return [Step(entity, key, _load(before), _load(after)) for entity, key, before, after in found]


def last_noted(reader: VaultReader, entity: str, key: str) -> Record | None:
    """Return what the last change of a thing made it, as it is now if every change of it is in the journal."""
    found = reader.connection.execute(
        "SELECT after FROM revisions WHERE entity = ? AND entity_key = ? ORDER BY change_number DESC, position DESC"
        " LIMIT 1",
        [entity, key],
    ).fetchone()
    return None if found is None else _load(found[0])


def gone_with_words_of(reader: VaultReader, identifiers: Iterable[str]) -> set[str]:
    """Return the ids of memories that only the journal has and that never said anything but the words of these.

    So an import that was undone and run again leaves them, and a memory that a team knows under another id. One of
    another project, or with words of its own, is another memory.
    """
    condition, parameters = rows.among("id", identifiers)
    found = reader.connection.execute(
        "WITH records AS (SELECT entity_key AS id, unnest([before, after]) AS record FROM revisions"
        " WHERE entity = 'memory'),"
        " told AS (SELECT id, json_extract_string(record, '$.insight') AS insight,"
        " coalesce(json_extract_string(record, '$.project'), '') AS project FROM records WHERE record IS NOT NULL),"
        f" words AS (SELECT insight, project FROM told WHERE {condition}"
        f" UNION SELECT insight, coalesce(project, '') FROM memories WHERE {condition})"
        " SELECT id FROM told WHERE id NOT IN (SELECT id FROM memories)"
        " EXCEPT SELECT id FROM told ANTI JOIN words USING (insight, project)",
        [*parameters, *parameters],
    ).fetchall()
    return {str(row[0]) for row in found}


def words_of(reader: VaultReader, identifiers: Iterable[str]) -> set[str]:
    """Return what memories say and ever said: the lines of their texts, without white space at the ends."""
    condition, parameters = rows.among("entity_key", identifiers)
    found = reader.connection.execute(
        f"SELECT unnest([before, after]) FROM revisions WHERE entity = 'memory' AND {condition}", parameters
    ).fetchall()
    records = [record for (text,) in found if (record := _load(text)) is not None]
    texts = [str(record.get(name) or "") for record in records for name in (*LINE_TEXTS, "title")]
    return {line.strip() for text in texts for line in text.splitlines()}


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
        raise NotFoundError(
            "The journal has no memory with this id",
            where=identifier,
            remedy="`memtui list --status any` lists all ids.",
        )
    return found


def memory_as_of(reader: VaultReader, identifier: str, version: int) -> Memory | None:
    """Return a memory as it was in a version, None where that is gone."""
    current = reader.get_many([identifier]).get(identifier)
    if current is not None and current.version == version:
        return current
    try:
        steps = history(reader, identifier)
    except NotFoundError:
        return None
    record = next((step.after for step in steps if step.version == version and step.after), None)
    if record is None:
        return None
    return memory_from_record(record, now=steps[0].change.at, new_id=identifier, version=version)


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


def _one_change(reader: VaultReader, which: str, *parameters: object) -> Change | None:
    row = reader.connection.execute(f"SELECT {_COLUMNS} FROM changes c {which}", list(parameters)).fetchone()
    return None if row is None else _change(row)


def _load(text: str | None) -> Record | None:
    return None if text is None else json.loads(text)


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
    return Tombstone(
        content_hash=record["content_hash"], project=record.get("project"), cause=stone_cause(record), **shared
    )


def _time(record: Record, key: str) -> datetime:
    moment = parse_time(record.get(key), key)
    if moment is None:
        raise KeyError(key)
    return moment
