"""Why a memory needs review besides its age: changed files, contradictions, bad feedback, imports."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

from memtui.domain.freshness import UNTIL_CHANGE
from memtui.domain.usefulness import LEAST_LOSS, MOST_USES, USES, USES_TO_DOUBLE
from memtui.vault.filters import MemoryFilter, freshness_sql, sql_time, where_sql
from memtui.vault.reader import VaultReader
from memtui.vault.sql_in import among

HURTS_TO_DUE = 2
"""A memory that hurt this often since it was verified is due whatever its age."""

WOKEN_PATH = ""
"""Path of the row of `anchor_states` that tells that a file changed since a snooze; no anchor is named so."""

WOKEN = "woken"

Cause = Literal["changed", "moved", "gone", "contradicted", "hurt", "source", "import", "woken"]

_UNTIL_CHANGE_SQL = sql_time(UNTIL_CHANGE)
_WOKEN_IDS = f"SELECT memory_id FROM anchor_states WHERE state = '{WOKEN}' AND path = '{WOKEN_PATH}'"  # noqa: S608 - ours
_SINCE = "greatest(h.created_at, coalesce(h.confirmed_at, h.created_at), coalesce(h.verified_at, h.created_at))"
_FILES = "list_sort([held.path FOR held IN {of}.anchors])"

_ANCHORS = (
    "SELECT s.memory_id AS id, s.state AS cause, s.path AS what, s.checked_at AS began FROM anchor_states s"
    " JOIN memories h ON h.id = s.memory_id AND h.status = 'active' WHERE s.state IN ('changed', 'moved', 'gone')"
    " AND (h.verified_at IS NULL OR s.checked_at > h.verified_at)"
    " AND list_contains([held.path FOR held IN h.anchors], s.path)"
)
_CONTRADICTIONS = (
    "SELECT h.id, 'contradicted' AS cause, o.id AS what, pair.created_at AS began"
    " FROM (SELECT from_id AS one, to_id AS other, created_at FROM links WHERE type = 'contradicts'"
    " UNION ALL SELECT to_id, from_id, created_at FROM links WHERE type = 'contradicts') pair"
    " JOIN memories h ON h.id = pair.one AND h.status = 'active'"
    " JOIN memories o ON o.id = pair.other AND o.status = 'active'"
    " WHERE h.verified_at IS NULL OR pair.created_at > h.verified_at"
)
_HURTS = (
    "SELECT s.memory_id AS id, 'hurt' AS cause, count(*)::VARCHAR AS what,"  # noqa: S608 - a number of ours
    f" list_sort(list(s.made_at))[{HURTS_TO_DUE}] AS began FROM signals s"
    " JOIN memories h ON h.id = s.memory_id AND h.status = 'active'"
    " WHERE s.signal = 'hurt' AND (h.verified_at IS NULL OR s.made_at > h.verified_at)"
    f" GROUP BY s.memory_id HAVING count(*) >= {HURTS_TO_DUE}"
)
_SOURCES = (
    "SELECT h.id, 'source' AS cause, s.path AS what, s.seen_at AS began FROM source_states s"  # noqa: S608 - names are ours
    f" JOIN memories h ON h.id = s.memory_id AND h.status = 'active' WHERE s.seen_at > {_SINCE}"
    " AND list_contains([held.path FOR held IN h.sources], s.path)"
)
_IMPORTS = (
    "SELECT h.id, 'import' AS cause, c.id AS what, c.created_at AS began FROM memories c JOIN memories h"  # noqa: S608 - as above
    f" ON h.project = c.project AND {_FILES.format(of='h')} = {_FILES.format(of='c')}"
    " WHERE c.status = 'candidate' AND len([1 FOR held IN c.sources IF held.path IS NOT NULL]) > 0"
    " AND len(c.anchors) > 0 AND h.status = 'active' AND len(h.anchors) > 0"
    # A folder or a glob is where a whole rule file holds: everything in it would be touched by every new line.
    " AND len([1 FOR held IN c.anchors IF ends_with(held.path, '/') OR regexp_matches(held.path, '[*?\\[{]')]) = 0"
    f" AND c.created_at > {_SINCE}"
)
_WOKEN = (
    "SELECT s.memory_id AS id, 'woken' AS cause, s.path AS what, s.checked_at AS began FROM anchor_states s"  # noqa: S608 - as above
    " JOIN memories h ON h.id = s.memory_id AND h.status = 'active'"
    f" WHERE s.state = '{WOKEN}' AND s.path = '{WOKEN_PATH}' AND h.snoozed_until = {_UNTIL_CHANGE_SQL}"
)
_ASKED = " UNION ALL ".join(
    f"SELECT id, cause, what, began FROM ({part})"  # noqa: S608 - as above
    for part in (_ANCHORS, _CONTRADICTIONS, _HURTS, _SOURCES, _IMPORTS, _WOKEN)
)

ASKED_IDS = f"SELECT id FROM ({_ASKED}) asked"  # noqa: S608 - as above
"""SQL for the ids of memories that something else than age asks about."""


def awake_sql(moment: str) -> str:
    """Return SQL for whether memory `m` is not put off at a moment, itself given as SQL."""
    return (
        f"(m.snoozed_until IS NULL OR m.snoozed_until <= {moment}"
        f" OR (m.snoozed_until = {_UNTIL_CHANGE_SQL} AND m.id IN ({_WOKEN_IDS})))"
    )


@dataclass(frozen=True, slots=True)
class Asked:
    """One reason beside age why a memory asks for affirmation.

    Attributes:
        what: the path, the other memory's id, or how often, after the cause.
    """

    cause: Cause
    what: str
    at: datetime


@dataclass(frozen=True, slots=True)
class AskedSince:
    """Since when a memory asks for affirmation for reasons beside age.

    Attributes:
        asked_at: since the first of them.
        woken_at: since a file changed that a snooze waited for; None where none did.
    """

    asked_at: datetime
    woken_at: datetime | None = None


def asked_about(reader: VaultReader, identifiers: Iterable[str]) -> dict[str, list[Asked]]:
    """Return the reasons beside age of these memories, those without any left out."""
    condition, parameters = among("id", list(identifiers))
    found = reader._connection.execute(  # noqa: SLF001 - the same package
        f"SELECT id, cause, what, began FROM ({_ASKED}) asked"  # noqa: S608 - names are ours
        f" WHERE {condition} ORDER BY id, cause, what, began",
        parameters,
    ).fetchall()
    asked: dict[str, list[Asked]] = {}
    for identifier, cause, what, began in found:
        asked.setdefault(identifier, []).append(Asked(cause, what, began.replace(tzinfo=UTC)))
    return asked


def asked_since(
    reader: VaultReader, wanted: MemoryFilter | None = None, *, identifiers: Iterable[str] | None = None
) -> dict[str, AskedSince]:
    """Return, per memory of a filter or of these ids, since when it asks for affirmation beside its age."""
    condition, parameters = where_sql(wanted, reader.kinds) if wanted is not None else ("true", [])
    if identifiers is not None:
        chosen, ids = among("asked.id", list(identifiers))
        condition, parameters = f"{condition} AND {chosen}", [*parameters, *ids]
    found = reader._connection.execute(  # noqa: SLF001 - as above
        f"SELECT asked.id, min(began), min(began) FILTER (WHERE cause = 'woken') FROM ({_ASKED}) asked"  # noqa: S608 - as above
        f" JOIN memories m ON m.id = asked.id WHERE {condition} GROUP BY asked.id",
        parameters,
    ).fetchall()
    return {
        identifier: AskedSince(at.replace(tzinfo=UTC), woken.replace(tzinfo=UTC) if woken else None)
        for identifier, at, woken in found
    }


def riskiest(reader: VaultReader, wanted: MemoryFilter, *, now: datetime, limit: int | None = None) -> list[str]:
    """Return the ids of a filter's memories by `memtui.domain.usefulness.review_risk`, the riskiest first.

    All of it is one statement, because reading 50,000 memories to show forty takes seconds.
    """
    condition, parameters = where_sql(wanted, reader.kinds)
    lost = f"greatest({LEAST_LOSS!r}, 1.0 - {freshness_sql(reader.kinds, now)})"
    found = reader._connection.execute(  # noqa: SLF001 - as above
        "WITH used AS (SELECT s.memory_id AS id,"  # noqa: S608 - as above
        f" count(*) FILTER (WHERE s.signal IN ({', '.join(map(repr, sorted(USES)))})) AS uses,"
        " count(*) FILTER (WHERE s.signal = 'hurt' AND (h.verified_at IS NULL OR s.made_at > h.verified_at)) AS hurts"
        " FROM signals s JOIN memories h ON h.id = s.memory_id GROUP BY s.memory_id),"
        " asked AS (SELECT id, count(*) FILTER (WHERE cause IN ('changed', 'moved', 'gone')) AS files,"
        " count(*) FILTER (WHERE cause = 'woken') AS woken,"
        " count(DISTINCT what) FILTER (WHERE cause = 'contradicted') AS disputes,"
        f" count(*) FILTER (WHERE cause IN ('source', 'import')) AS imports FROM ({_ASKED}) GROUP BY id)"
        f" SELECT m.id FROM memories m LEFT JOIN used ON used.id = m.id LEFT JOIN asked ON asked.id = m.id"
        f" WHERE {condition}"
        f" ORDER BY round({lost} * (1.0 + least(coalesce(uses, 0), {MOST_USES}) / {USES_TO_DOUBLE!r})"
        " * (1 + CASE WHEN coalesce(files, 0) > 0 THEN files ELSE coalesce(woken, 0) END)"
        " * (1 + coalesce(disputes, 0)) * (1 + coalesce(hurts, 0)) * (1 + coalesce(imports, 0)), 9) DESC,"
        f" m.created_at, m.id{'' if limit is None else f' LIMIT {int(limit)}'}",
        parameters,
    ).fetchall()
    return [str(row[0]) for row in found]
