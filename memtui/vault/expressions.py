"""SQL about memory `m`: its freshness, whether it is snoozed, and what else makes it due for review."""

from __future__ import annotations

from datetime import UTC, datetime

from memtui.domain.freshness import GAMMA_SHAPE, UNTIL_CHANGE
from memtui.domain.kinds import Kinds
from memtui.domain.usefulness import USES

HURTS_TO_DUE = 2
"""A memory that hurt this often since it was verified is due whatever its age."""

WOKEN_PATH = ""
"""Path of the row of `anchor_states` that records a file change since a snooze; no anchor has this path."""

WOKEN = "woken"

USES_SQL = f"({', '.join(map(repr, sorted(USES)))})"
"""Signals that count as a use."""


def sql_time(moment: datetime) -> str:
    """Return SQL for a moment."""
    return f"TIMESTAMP '{moment.astimezone(UTC).replace(tzinfo=None).isoformat(sep=' ')}'"


_UNTIL_CHANGE = sql_time(UNTIL_CHANGE)
_WOKEN_IDS = f"SELECT memory_id FROM anchor_states WHERE state = '{WOKEN}' AND path = '{WOKEN_PATH}'"
_SINCE = "greatest(h.created_at, coalesce(h.confirmed_at, h.created_at), coalesce(h.verified_at, h.created_at))"
_UNVERIFIED = "(h.verified_at IS NULL OR {} > h.verified_at)"
_FILES = "list_sort([held.path FOR held IN {}.anchors])"
_ACTIVE = " JOIN memories h ON h.id = s.memory_id AND h.status = 'active'"

_CHANGED_FILES = (
    f"SELECT s.memory_id AS id, s.state AS cause, s.path AS what, s.checked_at AS began FROM anchor_states s{_ACTIVE}"
    f" WHERE s.state IN ('changed', 'moved', 'gone') AND {_UNVERIFIED.format('s.checked_at')}"
    " AND list_contains([held.path FOR held IN h.anchors], s.path)"
)
_CONTRADICTIONS = (
    "SELECT h.id, 'contradicted' AS cause, o.id AS what, pair.created_at AS began"
    " FROM (SELECT from_id AS one, to_id AS other, created_at FROM links WHERE type = 'contradicts'"
    " UNION ALL SELECT to_id, from_id, created_at FROM links WHERE type = 'contradicts') pair"
    " JOIN memories h ON h.id = pair.one AND h.status = 'active'"
    " JOIN memories o ON o.id = pair.other AND o.status = 'active'"
    f" WHERE {_UNVERIFIED.format('pair.created_at')}"
)
_HURTS = (
    "SELECT s.memory_id AS id, 'hurt' AS cause, count(*)::VARCHAR AS what,"
    f" list_sort(list(s.made_at))[{HURTS_TO_DUE}] AS began FROM signals s{_ACTIVE}"
    f" WHERE s.signal = 'hurt' AND {_UNVERIFIED.format('s.made_at')}"
    f" GROUP BY s.memory_id HAVING count(*) >= {HURTS_TO_DUE}"
)
_SOURCES = (
    f"SELECT h.id, 'source' AS cause, s.path AS what, s.seen_at AS began FROM source_states s{_ACTIVE}"
    f" WHERE s.seen_at > {_SINCE} AND list_contains([held.path FOR held IN h.sources], s.path)"
)
_IMPORTS = (
    "SELECT h.id, 'import' AS cause, c.id AS what, c.created_at AS began FROM memories c JOIN memories h"
    f" ON h.project = c.project AND {_FILES.format('h')} = {_FILES.format('c')}"
    " WHERE c.status = 'candidate' AND len([1 FOR held IN c.sources IF held.path IS NOT NULL]) > 0"
    " AND len(c.anchors) > 0 AND h.status = 'active' AND len(h.anchors) > 0"
    # A folder or a glob is where a whole rule file holds: every new line would touch everything in it.
    " AND len([1 FOR held IN c.anchors IF ends_with(held.path, '/') OR regexp_matches(held.path, '[*?\\[{]')]) = 0"
    f" AND c.created_at > {_SINCE}"
)
_AWOKEN = (
    f"SELECT s.memory_id AS id, 'woken' AS cause, s.path AS what, s.checked_at AS began FROM anchor_states s{_ACTIVE}"
    f" WHERE s.state = '{WOKEN}' AND s.path = '{WOKEN_PATH}' AND h.snoozed_until = {_UNTIL_CHANGE}"
)

TRIGGERS = " UNION ALL ".join(
    f"SELECT id, cause, what, began FROM ({part})"
    for part in (_CHANGED_FILES, _CONTRADICTIONS, _HURTS, _SOURCES, _IMPORTS, _AWOKEN)
)
"""Query for (id, cause, what, began): every reason other than age why a memory is due for review."""

TRIGGERED_IDS = f"SELECT id FROM ({TRIGGERS}) asked"


def awake_sql(moment: str) -> str:
    """Return SQL for whether memory `m` is not snoozed at a moment, which is SQL itself."""
    return (
        f"(m.snoozed_until IS NULL OR m.snoozed_until <= {moment}"
        f" OR (m.snoozed_until = {_UNTIL_CHANGE} AND m.id IN ({_WOKEN_IDS})))"
    )


def due_sql(kinds: Kinds, now: datetime, threshold: float) -> str:
    """Return SQL for whether memory `m` is due for review at a moment, for any reason."""
    moment = sql_time(now)
    return (
        f"{awake_sql(moment)} AND (coalesce({freshness_sql(kinds, now)} < {threshold!r} OR m.due_at <= {moment}, false)"
        f" OR m.id IN ({TRIGGERED_IDS}))"
    )


def freshness_sql(kinds: Kinds, now: datetime) -> str:
    """Return SQL for the freshness of memory `m`, as `domain.freshness.freshness`."""
    age = f"greatest(0, epoch({sql_time(now)}) - epoch(coalesce(m.verified_at, m.observed_at, m.created_at))) / 86400.0"
    floor, rest = kinds.floor, 1 - kinds.floor
    return f"(CASE WHEN m.pinned THEN 1.0 ELSE {floor!r} + {rest!r} * pow(2, -({age}) / {_half_life_sql(kinds)}) END)"


def _half_life_sql(kinds: Kinds) -> str:
    """Return SQL for the effective half-life of memory `m` in days, as `domain.freshness.half_life_days`."""
    cases = " ".join(f"WHEN {_quoted(name)} THEN {kinds.get(name).half_life_days!r}" for name in kinds.timed_names())
    default = f"(CASE m.kind {cases} ELSE {kinds.get('').half_life_days!r} END)"
    of_projects = " ".join(
        f"WHEN m.kind = {_quoted(name)} AND m.project = {_quoted(project)} THEN {days!r}"
        for (name, project), days in kinds.project_half_lives().items()
    )
    default = f"(CASE {of_projects} ELSE {default} END)" if of_projects else default
    held = "greatest(0, epoch(m.verified_at) - epoch(coalesce(m.observed_at, m.created_at))) / 86400.0"
    return (
        f"coalesce(m.half_life_days, CASE WHEN m.verified_at IS NULL THEN {default} "
        f"ELSE {default} + ln(2) * {held} / {GAMMA_SHAPE!r} END)"
    )


def _quoted(text: str) -> str:
    return f"'{text.replace(chr(39), chr(39) * 2)}'"
