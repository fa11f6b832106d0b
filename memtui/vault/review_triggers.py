"""Read what makes memories due for review other than their age, and what their freshness depends on."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

from memtui.domain.usefulness import LEAST_LOSS, MOST_USES, USES_TO_DOUBLE
from memtui.vault.expressions import TRIGGERED_IDS, TRIGGERS, USES_SQL, awake_sql, freshness_sql, sql_time
from memtui.vault.filters import MemoryFilter, Scope, where_sql
from memtui.vault.reader import VaultReader
from memtui.vault.rows import among, utc

Cause = Literal["changed", "moved", "gone", "contradicted", "hurt", "source", "import", "woken"]

_LONGEST_TITLE = 400


@dataclass(frozen=True, slots=True)
class Asked:
    """One reason other than age why a memory is due for review.

    Attributes:
        what: the path, the other memory's id, or the number of signals, depending on the cause.
    """

    cause: Cause
    what: str
    at: datetime


@dataclass(frozen=True, slots=True)
class AskedSince:
    """Since when a memory is due for reasons other than age.

    Attributes:
        asked_at: since the first of them.
        woken_at: since a file changed that a snooze waited for; None if none did.
    """

    asked_at: datetime
    woken_at: datetime | None = None


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
        f"SELECT asked.id, min(began), min(began) FILTER (WHERE cause = 'woken') FROM ({TRIGGERS}) asked"
        f" JOIN memories m ON m.id = asked.id WHERE {condition} GROUP BY asked.id",
        parameters,
    ).fetchall()
    return {identifier: AskedSince(utc(at), utc(woken) if woken else None) for identifier, at, woken in found}


def riskiest(reader: VaultReader, wanted: MemoryFilter, *, now: datetime, limit: int | None = None) -> list[str]:
    """Return the ids of a filter's memories by `memtui.domain.usefulness.review_risk`, the riskiest first.

    All in one statement, because reading 50,000 memories to show forty takes seconds.
    """
    condition, parameters = where_sql(wanted, reader.kinds)
    lost = f"greatest({LEAST_LOSS!r}, 1.0 - {freshness_sql(reader.kinds, now)})"
    found = reader.connection.execute(
        "WITH used AS (SELECT s.memory_id AS id,"
        f" count(*) FILTER (WHERE s.signal IN {USES_SQL}) AS uses,"
        " count(*) FILTER (WHERE s.signal = 'hurt' AND (h.verified_at IS NULL OR s.made_at > h.verified_at)) AS hurts"
        " FROM signals s JOIN memories h ON h.id = s.memory_id GROUP BY s.memory_id),"
        " asked AS (SELECT id, count(*) FILTER (WHERE cause IN ('changed', 'moved', 'gone')) AS files,"
        " count(*) FILTER (WHERE cause = 'woken') AS woken,"
        " count(DISTINCT what) FILTER (WHERE cause = 'contradicted') AS disputes,"
        f" count(*) FILTER (WHERE cause IN ('source', 'import')) AS imports FROM ({TRIGGERS}) GROUP BY id)"
        f" SELECT m.id FROM memories m LEFT JOIN used ON used.id = m.id LEFT JOIN asked ON asked.id = m.id"
        f" WHERE {condition}"
        f" ORDER BY round({lost} * (1.0 + least(coalesce(uses, 0), {MOST_USES}) / {USES_TO_DOUBLE!r})"
        " * (1 + CASE WHEN coalesce(files, 0) > 0 THEN files ELSE coalesce(woken, 0) END)"
        " * (1 + coalesce(disputes, 0)) * (1 + coalesce(hurts, 0)) * (1 + coalesce(imports, 0)), 9) DESC,"
        f" m.created_at, m.id{'' if limit is None else f' LIMIT {int(limit)}'}",
        parameters,
    ).fetchall()
    return [str(row[0]) for row in found]


@dataclass(frozen=True, slots=True)
class Fading:
    """What the freshness of an active memory depends on.

    Attributes:
        age_days: days since it was last verified, else observed, else created; never negative.
        held_days: days that it is known to have held, None if it was never verified.
        half_life_days: its own, None for that of its kind.
        due: whether it is due whatever its freshness: its own date has come, or there is a reason other than age.
        snoozed: whether it is snoozed.
    """

    id: str
    title: str
    kind: str
    pinned: bool
    age_days: float
    held_days: float | None
    half_life_days: float | None
    due: bool
    snoozed: bool
    project: str | None = None


def read_fading(reader: VaultReader, scope: Scope, now: datetime) -> list[Fading]:
    """Return the active memories of a scope in the order of their creation."""
    condition, parameters = where_sql(MemoryFilter(scope=scope), reader.kinds)
    moment, at = now.astimezone(UTC).replace(tzinfo=None), sql_time(now)
    first = "coalesce(m.observed_at, m.created_at)"
    found = reader.connection.execute(
        f"SELECT m.id, left(m.title, {_LONGEST_TITLE}), m.kind, m.pinned,"
        f" greatest(0, epoch(?::TIMESTAMP) - epoch(coalesce(m.verified_at, {first}))) / 86400.0,"
        f" CASE WHEN m.verified_at IS NOT NULL THEN greatest(0, epoch(m.verified_at) - epoch({first})) / 86400.0 END,"
        f" m.half_life_days, coalesce(m.due_at <= {at}, false) OR m.id IN ({TRIGGERED_IDS}), NOT {awake_sql(at)},"
        f" m.project FROM memories m WHERE {condition} ORDER BY m.key",
        [moment, *parameters],
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


def count_copies(reader: VaultReader, wanted: MemoryFilter) -> int:
    """Return how many memories of a filter repeat another one of the same project word for word."""
    condition, parameters = where_sql(wanted, reader.kinds)
    return reader.scalar(
        "SELECT coalesce(sum(number - 1), 0) FROM (SELECT count(*) AS number FROM memories m"
        f" WHERE {condition} GROUP BY m.project, m.content_hash)",
        parameters,
    )
