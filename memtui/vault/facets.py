"""Facet counts and the ids that match a choice of facets, as SQL."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from memtui.clock import days_after
from memtui.domain.freshness import REVIEW_THRESHOLD
from memtui.domain.kinds import Kinds
from memtui.vault.filters import (
    EVERYTHING,
    TRIGGERED_IDS,
    USES_SQL,
    MemoryFilter,
    Scope,
    Sql,
    awake_sql,
    order_sql,
    sql_time,
    where_sql,
)
from memtui.vault.reader import VaultReader
from memtui.vault.rows import utc

FACETS = ("project", "kind", "tag", "status", "due", "pinned", "source", "health")
_FIXED_FACETS = ("due", "pinned", "health")

UNASSIGNED = ""  # Value of the project facet for memories without a project

BROWSE_SORTS = {"newest": "created", "stalest": "due", "title": "title", "kind": "kind", "use": "created"}
"""Orders of a list with the nearest one of `filters.SORTS`; `use` also sorts by uses."""

_SOON_DAYS = 30
_MOST_VALUES = 300  # Values counted per facet; the rarest beyond are left out

# Memories without a source were typed here.
_SOURCE = "coalesce(m.sources[1].format, 'memtui')"

_Fixed = Callable[["Browsing", Kinds, str], dict[str, Sql]]
"""Returns the values of a facet that are the same for all vaults, each with its condition."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Browsing:
    """What is browsed."""

    scope: Scope = EVERYTHING  # the projects in view while no project is chosen
    # values per facet; a facet without values selects everything, except that `status` then means active
    chosen: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    now: datetime
    threshold: float = REVIEW_THRESHOLD
    stale_only: bool = False  # only what is due at `now`
    kinds: tuple[str, ...] = ()  # only these kinds, whatever the facet says; empty for all
    text: str = ""  # only memories with this text in the title, or with an id in `hits`; empty for all
    hits: tuple[str, ...] = ()  # ids found by words
    # internal keys of the memories with a dead anchor, see `memtui.curate.dead_places.dead_keys`
    gone: tuple[int, ...] = ()


def listed_ids(reader: VaultReader, browsing: Browsing, *, sort: str) -> list[str]:
    """Return the matching ids, in one of the `BROWSE_SORTS`."""
    condition, parameters = _where(browsing, reader.kinds)
    order = order_sql(BROWSE_SORTS[sort], reader.kinds, browsing.now, browsing.threshold)
    uses = ""
    if sort == "use":
        uses = (
            " LEFT JOIN (SELECT memory_id, sum(weight) AS uses FROM signals"
            f" WHERE signal IN {USES_SQL} GROUP BY memory_id) u ON u.memory_id = m.id"
        )
        order = f"coalesce(u.uses, 0) DESC, {order}"
    found = reader.connection.execute(
        f"SELECT m.id FROM memories m{uses} WHERE {condition} ORDER BY {order}",
        parameters,
    ).fetchall()
    return [row[0] for row in found]


def lower_titles(reader: VaultReader, browsing: Browsing) -> dict[str, str]:
    """Return the titles of the matching memories in lower case, by id.

    One long text is transferred from DuckDB in 50 ms at 100,000 memories, as many rows in 100 ms.
    """
    condition, parameters = _where(browsing, reader.kinds)
    row = reader.connection.execute(
        "SELECT string_agg(m.id || chr(31) || translate(strip_accents(lower(m.title)), chr(10) || chr(31), '  '),"
        " chr(10))"
        f" FROM memories m WHERE {condition}",
        parameters,
    ).fetchone()
    text = str(row[0]) if row and row[0] is not None else ""
    return dict(line.split("\x1f", 1) for line in text.split("\n") if "\x1f" in line)


def count_facets(reader: VaultReader, browsing: Browsing) -> dict[str, list[tuple[str, int]]]:
    """Return (value, count) per facet: fixed values in their order, zeros included, others by count."""
    _gather(reader, browsing)
    return {name: _count(reader, browsing, name) for name in FACETS}


def scope_of(browsing: Browsing) -> Scope:
    """Return the projects that are listed: the chosen ones, else those in view."""
    values = browsing.chosen.get("project", ())
    if not values:
        return browsing.scope
    return Scope(tuple(value for value in values if value != UNASSIGNED), with_unassigned=UNASSIGNED in values)


# -- conditions -----------------------------------------------------------------------------------


def _where(browsing: Browsing, kinds: Kinds) -> Sql:
    """Return the condition on memory `m`."""
    facets = [_facet(browsing, kinds, name, _fixed, _SOURCE) for name in FACETS]
    return _all_of([*facets, *_common(browsing, kinds)])


def _common(browsing: Browsing, kinds: Kinds) -> list[Sql]:
    """Return the conditions on memory `m` that apply to the counts of every facet."""
    parts = [where_sql(MemoryFilter(statuses=None, kinds=browsing.kinds), kinds)]
    if browsing.stale_only:
        parts.append(_due(browsing, kinds, browsing.now))
    if browsing.text:
        found, ids = _listed("m.id", browsing.hits, "VARCHAR")
        parts.append((f"(contains(strip_accents(lower(m.title)), ?) OR {found})", [browsing.text, *ids]))
    return parts


def _listed(expression: str, values: Iterable[str] | Iterable[int], kind: str) -> Sql:
    # With one parameter for any number of values, so that the statement and its plan stay the same.
    return f"{expression} IN (SELECT unnest(from_json(?, '[\"{kind}\"]')))", [json.dumps(list(values))]


def _all_of(parts: Iterable[Sql]) -> Sql:
    kept = [part for part in parts if part[0] != "true"]
    return " AND ".join(sql for sql, _ in kept) or "true", [value for _, values in kept for value in values]


def _facet(browsing: Browsing, kinds: Kinds, name: str, fixed: _Fixed, source: str) -> Sql:
    """Return the condition on memory `m` for the choice in one facet."""
    values = browsing.chosen.get(name, ())
    if name == "project":
        return where_sql(MemoryFilter(statuses=None, scope=scope_of(browsing)), kinds)
    if name == "status":
        return where_sql(MemoryFilter(statuses=values or ("active",)), kinds)
    if not values:
        return "true", []
    if name == "kind":
        return where_sql(MemoryFilter(statuses=None, kinds=values), kinds)
    if name == "tag":
        return "list_has_any(m.tags, from_json(?, '[\"VARCHAR\"]'))", [json.dumps(values)]
    if name == "source":
        return _listed(source, values, "VARCHAR")
    known = fixed(browsing, kinds, name)
    chosen = [known[value] for value in values if value in known]
    alternatives = " OR ".join(sql for sql, _ in chosen)
    return (f"({alternatives})" if chosen else "true"), [value for _, found in chosen for value in found]


def _fixed(browsing: Browsing, kinds: Kinds, name: str) -> dict[str, Sql]:
    """Return the values of a facet that are the same for all vaults, each with its condition."""
    if name == "pinned":
        return {"pinned": ("m.pinned", []), "not pinned": ("NOT m.pinned", [])}
    if name == "due":
        due, _ = _due(browsing, kinds, browsing.now)
        soon, _ = _due(browsing, kinds, days_after(browsing.now, _SOON_DAYS))
        return {
            # What is out of use is due for nothing.
            "now": (f"(m.status = 'active' AND ({due}))", []),
            "within 30 days": (f"(m.status = 'active' AND ({soon}) AND NOT coalesce(({due}), false))", []),
            "snoozed": (f"NOT {awake_sql(sql_time(browsing.now))}", []),
        }
    contradicted = "m.id IN (SELECT unnest([from_id, to_id]) FROM links WHERE type = 'contradicts')"
    return {
        "contradicted": (contradicted, []),
        "dead anchors": _listed("m.key", browsing.gone, "BIGINT"),
        "unconfirmed": ("m.confirmed_at IS NULL", []),
        "expired": ("m.valid_until <= ?", [browsing.now.replace(tzinfo=None)]),
    }


def _due(browsing: Browsing, kinds: Kinds, moment: datetime) -> Sql:
    return where_sql(MemoryFilter(statuses=None, stale_at=moment, threshold=browsing.threshold), kinds)


# -- counting ---------------------------------------------------------------------------------------


def _gather(reader: VaultReader, browsing: Browsing) -> None:
    """Put what the facets depend on into a temporary table, so that it is computed once per memory."""
    columns = ["m.project", "m.kind", "m.status", "m.tags", f"{_SOURCE} AS source"]
    values: list[object] = []
    for name in _FIXED_FACETS:
        for place, (sql, found) in enumerate(_fixed(browsing, reader.kinds, name).values()):
            columns.append(f"coalesce({sql}, false) AS {name}_{place}")
            values += found
    condition, parameters = _all_of(_common(browsing, reader.kinds))
    # Three of the columns depend on the same triggers of review.
    reader.connection.execute(f"CREATE OR REPLACE TEMP TABLE asked_ids AS {TRIGGERED_IDS}")
    query = f"CREATE OR REPLACE TEMP TABLE browsed AS SELECT {', '.join(columns)} FROM memories m WHERE {condition}"
    reader.connection.execute(query.replace(TRIGGERED_IDS, "SELECT id FROM asked_ids"), [*values, *parameters])


def _gathered(browsing: Browsing, kinds: Kinds, name: str) -> dict[str, Sql]:
    """Return the fixed values of a facet with their columns in the temporary table."""
    return {value: (f"m.{name}_{place}", []) for place, value in enumerate(_fixed(browsing, kinds, name))}


def _count(reader: VaultReader, browsing: Browsing, name: str) -> list[tuple[str, int]]:
    others = [_facet(browsing, reader.kinds, other, _gathered, "m.source") for other in FACETS if other != name]
    condition, parameters = _all_of(others)
    if name in _FIXED_FACETS:
        fixed = _gathered(browsing, reader.kinds, name)
        counts = ", ".join(f"count(*) FILTER (WHERE {sql})" for sql, _ in fixed.values())
        row = reader.connection.execute(f"SELECT {counts} FROM browsed m WHERE {condition}", parameters).fetchone()
        return list(zip(fixed, (int(number) for number in row or ()), strict=False))
    expression = {"project": f"coalesce(m.project, '{UNASSIGNED}')", "tag": "unnest(m.tags)"}.get(name, f"m.{name}")
    found = reader.connection.execute(
        f"SELECT value, count(*) AS number FROM (SELECT {expression} AS value FROM browsed m WHERE {condition})"
        f" GROUP BY value ORDER BY number DESC, value LIMIT {_MOST_VALUES}",
        parameters,
    ).fetchall()
    return [(str(value), int(number)) for value, number in found]


# -- the recent history of one memory ---------------------------------------------------------------


def last_changes(reader: VaultReader, identifier: str, *, limit: int) -> list[tuple[datetime, str, str]]:
    """Return (time, actor, summary) of the last changes of one memory, the newest first."""
    found = reader.connection.execute(
        "SELECT c.made_at, c.actor, c.summary FROM changes c WHERE c.number IN (SELECT change_number FROM revisions"
        " WHERE entity = 'memory' AND entity_key = ?) ORDER BY c.number DESC LIMIT ?",
        [identifier, limit],
    ).fetchall()
    return [(utc(made_at), actor, summary) for made_at, actor, summary in found]
