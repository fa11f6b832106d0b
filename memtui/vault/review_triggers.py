"""Why a memory needs review besides its age, and the stored states of its anchors."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from memtui.domain.freshness import (
    AGE_SHARE,
    LEFT_BY,
    MOST_USES,
    MULTIPLIERS,
    UNTIL_CHANGE,
    USES_TO_DOUBLE,
    vouched_at,
)
from memtui.domain.lessons import MAY_BE_GONE
from memtui.domain.memory import MATCHED, Anchor, AnchorState
from memtui.vault.filters import (
    PACE,
    TRIGGERS,
    TRUSTED,
    USES_SQL,
    VOUCHED,
    WOKEN,
    WOKEN_PATH,
    MemoryFilter,
    Scope,
    awake_sql,
    freshness_sql,
    sql_time,
    triggered_ids,
    unanswered,
    where_sql,
)
from memtui.vault.reader import VaultReader
from memtui.vault.rows import among, utc
from memtui.vault.writer import VaultWriter

Place = tuple[str, str]  # A memory's id and the path of one of its anchors


@dataclass(frozen=True, slots=True)
class Tied:
    """A memory with its anchors."""

    id: str
    project: str | None
    anchors: tuple[Anchor, ...]
    waits: bool = False  # whether it is snoozed until a file changes


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

    Instead of a content hash each has whether a file was there when a memory was verified.
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
        anchor = Anchor(path, MATCHED if content else None)
        held.setdefault((project, anchor), []).extend(zip(keys, ids, strict=True))
    return [(project, anchor, owners) for (project, anchor), owners in held.items()]


def anchored_projects(reader: VaultReader, wanted: MemoryFilter) -> list[str]:
    tail = "AND m.project IS NOT NULL AND len(m.anchors) > 0 ORDER BY 1"
    return [str(project) for (project,) in reader.rows_of("DISTINCT m.project", wanted, tail)]


def missing_places(reader: VaultReader, wanted: MemoryFilter) -> dict[Place, AnchorState]:
    """Return the anchors of a filter's memories that the last check found moved or gone, reviewed or not."""
    return _states(reader, wanted, "s.state IN ('moved', 'gone')")


def kept_places(reader: VaultReader) -> set[Place]:
    """Return the anchors whose files may be gone, as a person said."""
    found = reader.connection.execute("SELECT memory_id, reason FROM verdicts WHERE verdict = ?", [MAY_BE_GONE])
    return {(identifier, path) for identifier, path in found.fetchall()}


def unanswered_states(reader: VaultReader, wanted: MemoryFilter) -> dict[str, dict[str, AnchorState]]:
    """Return, per memory of a filter, its anchors that changed, moved or disappeared, by path.

    A check from before the memory was verified or accepted does not count: whoever did so could look at the files.
    """
    found = _states(
        reader,
        wanted,
        f"s.state IN ('changed', 'moved', 'gone') AND {unanswered('s.checked_at', 'm')}"
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
    existing = writer.get_many(ids)
    writer.delete_unjournaled("anchor_states", "memory_id", ids)
    rows = []
    for (identifier, path), state in states.items():
        before, at = known.get((identifier, path), ("", writer.now))
        if identifier in existing:
            # What was missing when its files were looked at for the first time, a person accepted as it was.
            memory = existing[identifier]
            hashed = {anchor.path for anchor in memory.anchors if anchor.content_hash}
            is_news = bool(before) or state not in {"gone", "moved"} or path in hashed
            found_at = at if before == state else writer.now if is_news else vouched_at(memory)
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


Cause = Literal["changed", "moved", "gone", "contradicted", "hurt", "source", "dropped", "import", "woken"]

_LONGEST_TITLE = 400


@dataclass(frozen=True, slots=True)
class Asked:
    """One reason other than age why a memory is due for review."""

    cause: Cause
    what: str  # the path, the other memory's id, or the number of signals, depending on the cause
    at: datetime


@dataclass(frozen=True, slots=True)
class AskedSince:
    """Since when a memory is due for reasons other than age."""

    asked_at: datetime  # since the first of them
    woken_at: datetime | None = None  # since a file changed that a snooze waited for; None if none did


def asked_about(reader: VaultReader, identifiers: Iterable[str]) -> dict[str, list[Asked]]:
    """Return the reasons other than age of these memories; those without any are left out."""
    condition, parameters = among("id", identifiers)
    found = reader.connection.execute(
        f"SELECT id, cause, what, began FROM ({TRIGGERS}) asked WHERE {condition} ORDER BY id, cause, what, began",
        parameters,
    ).fetchall()
    asked: dict[str, list[Asked]] = {}
    for identifier, cause, what, began in found:
        asked.setdefault(identifier, []).append(Asked(cause, what, utc(began)))
    return asked


def asked_since(
    reader: VaultReader, wanted: MemoryFilter | None = None, *, identifiers: Iterable[str] | None = None
) -> dict[str, AskedSince]:
    """Return, per memory of a filter or of these ids, since when it is due for reasons other than age."""
    condition, parameters = where_sql(wanted, reader.kinds) if wanted is not None else ("true", [])
    if identifiers is not None:
        chosen, ids = among("asked.id", identifiers)
        condition, parameters = f"{condition} AND {chosen}", [*parameters, *ids]
    found = reader.connection.execute(
        f"SELECT asked.id, min(began), min(began) FILTER (WHERE asked.cause = 'woken') FROM ({TRIGGERS}) asked"
        f" JOIN memories m ON m.id = asked.id WHERE {condition} GROUP BY asked.id",
        parameters,
    ).fetchall()
    return {identifier: AskedSince(utc(at), utc(woken) if woken else None) for identifier, at, woken in found}


def riskiest(reader: VaultReader, wanted: MemoryFilter, *, now: datetime, limit: int | None = None) -> list[str]:
    """Return the ids of a filter's memories by `memtui.domain.freshness.review_risk`, the riskiest first.

    All in one statement, because reading 50,000 memories to show forty takes seconds.
    """
    condition, parameters = where_sql(wanted, reader.kinds)
    held = freshness_sql(reader.kinds, now, pace=PACE, floor=0.0)
    steps = " ".join(f"WHEN {step} THEN {factor!r}" for step, factor in MULTIPLIERS.items())
    files = "CASE WHEN coalesce(files, 0) > 0 THEN files ELSE coalesce(woken, 0) END"
    numbers = {"changed_anchors": files, "contradictions": "disputes", "hurts": "hurts", "imports": "imports"}
    left = " * ".join(f"pow({LEFT_BY[name]!r}, coalesce({number}, 0))" for name, number in numbers.items())
    found = reader.connection.execute(
        "WITH used AS (SELECT s.memory_id AS id,"
        f" count(*) FILTER (WHERE s.signal IN {USES_SQL}) AS uses,"
        f" count(*) FILTER (WHERE s.signal = 'hurt' AND {unanswered('s.made_at')}) AS hurts"
        " FROM signals s JOIN memories h ON h.id = s.memory_id GROUP BY s.memory_id),"
        " asked AS (SELECT id, count(*) FILTER (WHERE cause IN ('changed', 'moved', 'gone')) AS files,"
        " count(*) FILTER (WHERE cause = 'woken') AS woken,"
        " count(DISTINCT what) FILTER (WHERE cause = 'contradicted') AS disputes,"
        f" count(*) FILTER (WHERE cause IN ('source', 'dropped', 'import')) AS imports FROM ({TRIGGERS}) GROUP BY id)"
        f" SELECT m.id FROM memories m LEFT JOIN used ON used.id = m.id LEFT JOIN asked ON asked.id = m.id"
        f" WHERE {condition}"
        f" ORDER BY round((1.0 - (1.0 - {AGE_SHARE!r} * (1.0 - {held})) * {left})"
        f" * CASE m.importance {steps} ELSE 1.0 END"
        f" * (1.0 + least(coalesce(uses, 0), {MOST_USES}) / {USES_TO_DOUBLE!r}), 9) DESC,"
        f" m.created_at, m.id{'' if limit is None else f' LIMIT {int(limit)}'}",
        parameters,
    ).fetchall()
    return [str(row[0]) for row in found]


@dataclass(frozen=True, slots=True)
class Fading:
    """What the freshness of an active memory depends on."""

    id: str
    title: str
    kind: str
    pinned: bool
    age_days: float  # days since it was last verified, else observed, else created; never negative
    waited_days: float  # days towards its next review: as its age, but since it was accepted where that was later
    held_days: float | None  # days that it is known to have held, None if it was never verified
    half_life_days: float | None  # its own, None for that of its kind
    pace: float  # share of the usual time after which it is due, see `memtui.domain.freshness.review_pace`
    due: bool  # whether it is due whatever its freshness: its own date has come, or there is a reason other than age
    asleep_days: float  # days until its snooze ends; 0 if it is not snoozed, infinity until a file changes
    own_due_days: float | None = None  # days until the date that a person set, None without one
    project: str | None = None


def read_fading(reader: VaultReader, scope: Scope, now: datetime) -> list[Fading]:
    """Return the active memories of a scope in the order of their creation; in a holiday what is due as it began."""
    condition, parameters = where_sql(MemoryFilter(scope=scope), reader.kinds)
    judged = reader.kinds.review_moment(now)
    at = sql_time(judged)
    first = "coalesce(m.observed_at, m.created_at)"
    found = reader.connection.execute(
        f"SELECT m.id, left(m.title, {_LONGEST_TITLE}), m.kind, m.pinned,"
        f" greatest(0, epoch({sql_time(now)}) - epoch({TRUSTED})) / 86400.0,"
        f" greatest(0, epoch({at}) - epoch({VOUCHED})) / 86400.0,"
        f" CASE WHEN m.verified_at IS NOT NULL THEN greatest(0, epoch(m.verified_at) - epoch({first})) / 86400.0 END,"
        f" m.half_life_days, {PACE}, coalesce(m.due_at <= {at}, false) OR m.id IN ({triggered_ids(reader.kinds, now)}),"
        f" CASE WHEN {awake_sql(at)} THEN 0::DOUBLE WHEN m.snoozed_until = {sql_time(UNTIL_CHANGE)}"
        f" THEN 'inf'::DOUBLE ELSE (epoch(m.snoozed_until) - epoch({at})) / 86400.0 END,"
        f" (epoch(m.due_at) - epoch({at})) / 86400.0, m.project"
        f" FROM memories m WHERE {condition} ORDER BY m.key",
        parameters,
    ).fetchall()
    return [Fading(*row) for row in found]


def read_kinds(reader: VaultReader, scope: Scope) -> dict[str, str]:
    """Return the kind of every memory of a scope by its id, whatever its status."""
    condition, parameters = where_sql(MemoryFilter(scope=scope, statuses=None), reader.kinds)
    found = reader.connection.execute(
        f"SELECT m.id, m.kind FROM memories m WHERE {condition}",
        parameters,
    ).fetchall()
    return {str(identifier): str(kind) for identifier, kind in found}


def count_by_month(reader: VaultReader, wanted: MemoryFilter, now: datetime, months: int) -> dict[str, list[int]]:
    """Return how many memories of a filter are of each kind and month, the current month last.

    The month is that in which a memory was observed, else added.
    """
    condition, parameters = where_sql(wanted, reader.kinds)
    at = "coalesce(m.observed_at, m.created_at)"
    found = reader.connection.execute(
        f"SELECT m.kind, {now.year * 12 + now.month} - (year({at}) * 12 + month({at})) AS age, count(*)"
        f" FROM memories m WHERE {condition} GROUP BY ALL HAVING age BETWEEN 0 AND {months - 1}",
        parameters,
    ).fetchall()
    counts: dict[str, list[int]] = {}
    for kind, age, number in found:
        counts.setdefault(str(kind), [0] * months)[months - 1 - int(age)] = int(number)
    return counts


def count_copies(reader: VaultReader, wanted: MemoryFilter) -> int:
    """Return how many memories of a filter repeat another one of the same project word for word."""
    condition, parameters = where_sql(wanted, reader.kinds)
    return reader.scalar(
        "SELECT coalesce(sum(number - 1), 0) FROM (SELECT count(*) AS number FROM memories m"
        f" WHERE {condition} GROUP BY m.project, m.content_hash)",
        parameters,
    )
