"""What freshness depends on: half-lives of kinds, and dates of the active memories, read in one query."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from memtui.vault.filters import MemoryFilter, Scope, sql_time, where_sql
from memtui.vault.reader import VaultReader
from memtui.vault.review_triggers import ASKED_IDS, awake_sql

_LONGEST_TITLE = 400


@dataclass(frozen=True, slots=True)
class Fading:
    """One memory in use, as far as its freshness goes.

    Attributes:
        age_days: days since it was last verified, else observed, else created; never negative.
        held_days: days that it was verified to have held, None if it never was verified.
        half_life_days: its own, None for that of its kind.
        due: whether it is due whatever its freshness: its own day has come, or something else than age asks.
        snoozed: whether it is put off.
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
    """Return the memories in use of a scope, in the order they came."""
    condition, parameters = where_sql(MemoryFilter(scope=scope), reader.kinds)
    moment, at = now.astimezone(UTC).replace(tzinfo=None), sql_time(now)
    first = "coalesce(m.observed_at, m.created_at)"
    found = reader._connection.execute(  # noqa: SLF001 - the same package
        f"SELECT m.id, left(m.title, {_LONGEST_TITLE}), m.kind, m.pinned,"  # noqa: S608 - built from our own pieces
        f" greatest(0, epoch(?::TIMESTAMP) - epoch(coalesce(m.verified_at, {first}))) / 86400.0,"
        f" CASE WHEN m.verified_at IS NOT NULL THEN greatest(0, epoch(m.verified_at) - epoch({first})) / 86400.0 END,"
        f" m.half_life_days, coalesce(m.due_at <= {at}, false) OR m.id IN ({ASKED_IDS}), NOT {awake_sql(at)}, m.project"
        f" FROM memories m WHERE {condition} ORDER BY m.key",
        [moment, *parameters],
    ).fetchall()
    return [Fading(*row) for row in found]


def read_kinds(reader: VaultReader, scope: Scope) -> dict[str, str]:
    """Return the kind of every memory of a scope by its id, whatever its status."""
    condition, parameters = where_sql(MemoryFilter(scope=scope, statuses=None), reader.kinds)
    found = reader._connection.execute(  # noqa: SLF001 - the same package
        f"SELECT m.id, m.kind FROM memories m WHERE {condition}",  # noqa: S608 - as above
        parameters,
    ).fetchall()
    return {str(identifier): str(kind) for identifier, kind in found}


def count_copies(reader: VaultReader, wanted: MemoryFilter) -> int:
    """Return how many memories of a filter say word for word what another of the same project says."""
    condition, parameters = where_sql(wanted, reader.kinds)
    row = reader._connection.execute(  # noqa: SLF001 - the same package
        "SELECT coalesce(sum(number - 1), 0) FROM (SELECT count(*) AS number FROM memories m"  # noqa: S608 - as above
        f" WHERE {condition} GROUP BY m.project, m.content_hash)",
        parameters,
    ).fetchone()
    return int(row[0]) if row else 0
