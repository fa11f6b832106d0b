"""Which memories are anchored to what, and the stored states of their anchors."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from memtui.domain.freshness import UNTIL_CHANGE
from memtui.domain.memory import Anchor, AnchorState
from memtui.vault.expressions import WOKEN, WOKEN_PATH, sql_time
from memtui.vault.filters import MemoryFilter, where_sql
from memtui.vault.reader import VaultReader
from memtui.vault.rows import among, utc
from memtui.vault.writer import VaultWriter

Place = tuple[str, str]
"""A memory's id and the path of one of its anchors."""


@dataclass(frozen=True, slots=True)
class Tied:
    """A memory with its anchors.

    Attributes:
        waits: whether it is snoozed until a file changes.
    """

    id: str
    project: str | None
    anchors: tuple[Anchor, ...]
    waits: bool = False


def tied_memories(reader: VaultReader, wanted: MemoryFilter) -> list[Tied]:
    """Return the memories of a filter that have anchors, the oldest first, without reading their texts."""
    found = reader.rows_of(
        f"m.id, m.project, m.anchors, coalesce(m.snoozed_until = {sql_time(UNTIL_CHANGE)}, false)",
        wanted,
        "AND len(m.anchors) > 0 ORDER BY m.key",
    )
    return [
        Tied(identifier, project, tuple(Anchor(one["path"], one["content_hash"]) for one in anchors), bool(waits))
        for identifier, project, anchors, waits in found
    ]


def held_anchors(reader: VaultReader, wanted: MemoryFilter) -> list[tuple[str | None, Anchor, list[tuple[int, str]]]]:
    """Return each anchor of a filter's memories with its project, and key and id of the memories that have it.

    Only a glob has its content hash, which tells whether a file ever matched it.
    """
    condition, parameters = where_sql(wanted, reader.kinds)
    found = reader.connection.execute(
        "SELECT project, anchor.path, anchor.content_hash, list(key ORDER BY key), list(id ORDER BY key)"
        " FROM (SELECT m.project, m.key, m.id, unnest(m.anchors) AS anchor"
        f" FROM memories m WHERE len(m.anchors) > 0 AND {condition}) GROUP BY ALL ORDER BY ALL",
        parameters,
    ).fetchall()
    held: dict[tuple[str | None, Anchor], list[tuple[int, str]]] = {}
    for project, path, content, keys, ids in found:
        anchor = Anchor(path)
        anchor = Anchor(path, content) if anchor.is_glob else anchor
        held.setdefault((project, anchor), []).extend(zip(keys, ids, strict=True))
    return [(project, anchor, owners) for (project, anchor), owners in held.items()]


def anchored_projects(reader: VaultReader, wanted: MemoryFilter) -> list[str]:
    """Return the projects of a filter's memories that have anchors."""
    tail = "AND m.project IS NOT NULL AND len(m.anchors) > 0 ORDER BY 1"
    return [str(project) for (project,) in reader.rows_of("DISTINCT m.project", wanted, tail)]


def missing_places(reader: VaultReader, wanted: MemoryFilter) -> dict[Place, AnchorState]:
    """Return the anchors of a filter's memories that the last check found moved or gone, reviewed or not."""
    return _states(reader, wanted, "s.state IN ('moved', 'gone')")


def unanswered_states(reader: VaultReader, wanted: MemoryFilter) -> dict[str, dict[str, AnchorState]]:
    """Return, per memory of a filter, its anchors that changed, moved or disappeared, by path.

    A check from before the memory was verified does not count: whoever verified it looked at the files.
    """
    found = _states(
        reader,
        wanted,
        "s.state IN ('changed', 'moved', 'gone') AND (m.verified_at IS NULL OR s.checked_at > m.verified_at)"
        " AND list_contains([anchor.path FOR anchor IN m.anchors], s.path)",
    )
    states: dict[str, dict[str, AnchorState]] = {}
    for (identifier, path), state in found.items():
        states.setdefault(identifier, {})[path] = state
    return states


def _states(reader: VaultReader, wanted: MemoryFilter, condition: str) -> dict[Place, AnchorState]:
    of_memories, parameters = where_sql(wanted, reader.kinds)
    found = reader.connection.execute(
        "SELECT s.memory_id, s.path, s.state FROM anchor_states s JOIN memories m ON m.id = s.memory_id"
        f" WHERE {condition} AND {of_memories} ORDER BY s.memory_id, s.path",
        parameters,
    ).fetchall()
    return {(identifier, path): state for identifier, path, state in found}


def stored_states(reader: VaultReader, identifiers: Iterable[str]) -> dict[Place, tuple[str, datetime]]:
    """Return what is stored about these memories: per place its state and when it was first found."""
    condition, parameters = among("memory_id", identifiers)
    found = reader.connection.execute(
        f"SELECT memory_id, path, state, checked_at FROM anchor_states WHERE {condition}",
        parameters,
    ).fetchall()
    return {(identifier, path): (state, utc(at)) for identifier, path, state, at in found}


def store_states(writer: VaultWriter, states: Mapping[Place, str], known: Mapping[Place, tuple[str, datetime]]) -> None:
    """Replace the stored states of memories; an unchanged one keeps the moment at which it was first found."""
    ids = sorted({identifier for identifier, _ in [*states, *known]})
    existing = set(writer.get_many(ids))
    writer.delete_unjournaled("anchor_states", "memory_id", ids)
    rows = []
    for (identifier, path), state in states.items():
        before, at = known.get((identifier, path), ("", writer.now))
        if identifier in existing:
            found_at = at if before == state else writer.now
            rows.append({"memory_id": identifier, "path": path, "state": state, "checked_at": found_at})
    writer.insert_unjournaled("anchor_states", rows)


def forget_woken(writer: VaultWriter, identifiers: Iterable[str]) -> None:
    """Forget that files of these memories changed since an earlier snooze."""
    condition, parameters = among("memory_id", identifiers)
    writer.connection.execute(
        f"DELETE FROM anchor_states WHERE state = ? AND path = ? AND {condition}",
        [WOKEN, WOKEN_PATH, *parameters],
    )
    writer.mark_dirty()
