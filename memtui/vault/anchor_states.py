"""What checks of anchors need and find: which memories are anchored to what, and the stored states."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from memtui.domain.freshness import UNTIL_CHANGE
from memtui.domain.memory import Anchor, AnchorState
from memtui.vault.filters import MemoryFilter, sql_time, where_sql
from memtui.vault.reader import VaultReader
from memtui.vault.review_triggers import WOKEN, WOKEN_PATH
from memtui.vault.rows import known_time
from memtui.vault.sql_in import among
from memtui.vault.writer import VaultWriter

Place = tuple[str, str]
"""A memory's id and the path of one of its anchors."""


@dataclass(frozen=True, slots=True)
class Tied:
    """A memory as far as its files go.

    Attributes:
        waits: whether it is snoozed until a file changes.
    """

    id: str
    project: str | None
    anchors: tuple[Anchor, ...]
    waits: bool = False


def tied_memories(reader: VaultReader, wanted: MemoryFilter) -> list[Tied]:
    """Return the memories of a filter that are tied to something, the oldest first; their texts stay where they are."""
    condition, parameters = where_sql(wanted, reader.kinds)
    found = reader._connection.execute(  # noqa: SLF001 - the same package
        "SELECT m.id, m.project, m.anchors,"  # noqa: S608 - built from our own pieces
        f" coalesce(m.snoozed_until = {sql_time(UNTIL_CHANGE)}, false)"
        f" FROM memories m WHERE len(m.anchors) > 0 AND {condition} ORDER BY m.key",
        parameters,
    ).fetchall()
    return [
        Tied(identifier, project, tuple(Anchor(one["path"], one["content_hash"]) for one in anchors), bool(waits))
        for identifier, project, anchors, waits in found
    ]


def held_anchors(reader: VaultReader, wanted: MemoryFilter) -> list[tuple[str | None, Anchor, list[tuple[int, str]]]]:
    """Return each anchor of a filter's memories with its project, and key and id of those tied to it.

    Only a glob has its content hash, which says whether a file ever fitted it.
    """
    condition, parameters = where_sql(wanted, reader.kinds)
    found = reader._connection.execute(  # noqa: SLF001 - the same package
        "SELECT project, anchor.path, anchor.content_hash, list(key ORDER BY key), list(id ORDER BY key)"  # noqa: S608 - as above
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
    """Return the projects of a filter's memories that are tied to something; the unassigned have none."""
    condition, parameters = where_sql(wanted, reader.kinds)
    found = reader._connection.execute(  # noqa: SLF001 - as above
        "SELECT DISTINCT m.project FROM memories m"  # noqa: S608 - as above
        f" WHERE m.project IS NOT NULL AND len(m.anchors) > 0 AND {condition} ORDER BY 1",
        parameters,
    ).fetchall()
    return [str(project) for (project,) in found]


def missing_places(reader: VaultReader, wanted: MemoryFilter) -> dict[Place, AnchorState]:
    """Return the anchors of a filter's memories that the last check found moved or gone, answered or not."""
    condition, parameters = where_sql(wanted, reader.kinds)
    found = reader._connection.execute(  # noqa: SLF001 - as above
        "SELECT s.memory_id, s.path, s.state FROM anchor_states s JOIN memories m ON m.id = s.memory_id"  # noqa: S608 - as above
        f" WHERE s.state IN ('moved', 'gone') AND {condition}",
        parameters,
    ).fetchall()
    return {(identifier, path): state for identifier, path, state in found}


def unanswered_states(reader: VaultReader, wanted: MemoryFilter) -> dict[str, dict[str, AnchorState]]:
    """Return, per memory of a filter, its anchors that changed, moved or went, by path.

    A check from before the memory was verified is answered: whoever verified it looked at the files.
    """
    condition, parameters = where_sql(wanted, reader.kinds)
    found = reader._connection.execute(  # noqa: SLF001 - the same package
        "SELECT s.memory_id, s.path, s.state FROM anchor_states s JOIN memories m ON m.id = s.memory_id"  # noqa: S608 - names are ours
        " WHERE s.state IN ('changed', 'moved', 'gone') AND (m.verified_at IS NULL OR s.checked_at > m.verified_at)"
        " AND list_contains([anchor.path FOR anchor IN m.anchors], s.path)"
        f" AND {condition} ORDER BY s.memory_id, s.path",
        parameters,
    ).fetchall()
    states: dict[str, dict[str, AnchorState]] = {}
    for identifier, path, state in found:
        states.setdefault(identifier, {})[path] = state
    return states


def stored_states(reader: VaultReader, identifiers: Iterable[str]) -> dict[Place, tuple[str, datetime]]:
    """Return what is stored of these memories: per place its state and when that was found first."""
    condition, parameters = among("memory_id", list(identifiers))
    found = reader._connection.execute(  # noqa: SLF001 - as above
        f"SELECT memory_id, path, state, checked_at FROM anchor_states WHERE {condition}",  # noqa: S608 - names are ours
        parameters,
    ).fetchall()
    return {(identifier, path): (state, known_time(at)) for identifier, path, state, at in found}


def store_states(writer: VaultWriter, states: Mapping[Place, str], known: Mapping[Place, tuple[str, datetime]]) -> None:
    """Store the states of memories anew; one that stayed as it was keeps the moment it was found first."""
    ids = sorted({identifier for identifier, _ in [*states, *known]})
    there = set(writer.get_many(ids))
    writer.delete_unjournaled("anchor_states", "memory_id", ids)
    rows = []
    for (identifier, path), state in states.items():
        before, at = known.get((identifier, path), ("", writer.now))
        if identifier in there:
            found_at = at if before == state else writer.now
            rows.append({"memory_id": identifier, "path": path, "state": state, "checked_at": found_at})
    writer.insert_unjournaled("anchor_states", rows)


def forget_woken(writer: VaultWriter, identifiers: Iterable[str]) -> None:
    """Forget that files of these memories changed since an earlier snooze."""
    condition, parameters = among("memory_id", list(identifiers))
    writer._connection.execute(  # noqa: SLF001 - as above
        f"DELETE FROM anchor_states WHERE state = ? AND path = ? AND {condition}",  # noqa: S608 - names are ours
        [WOKEN, WOKEN_PATH, *parameters],
    )
    writer.mark_dirty()
