"""Facet counts and the ids that match a filter, as SQL."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from memtui.clock import days_after
from memtui.domain.freshness import REVIEW_THRESHOLD
from memtui.domain.kinds import Kinds
from memtui.vault.filters import EVERYTHING, MemoryFilter, Scope, order_sql, sql_time, where_sql
from memtui.vault.review_triggers import ASKED_IDS, awake_sql

if TYPE_CHECKING:
    from memtui.vault.reader import VaultReader

FACETS = ("project", "kind", "tag", "status", "due", "pinned", "source", "health")

UNASSIGNED = ""
"""Value of the project facet for memories without a project."""

TYPED = "memtui"
"""Value of the source facet for memories that were typed here."""

BROWSE_SORTS = ("newest", "stalest", "title", "use")

SOON_DAYS = 30
"""How far ahead `soon` looks for what becomes due."""

MOST_VALUES = 300
"""Values of one facet that are counted singly; the rarest beyond are left out."""

_USED = "('injected', 'copied', 'referenced', 'helped')"
_LISTED = "(SELECT unnest(from_json(?, '[\"{kind}\"]')))"
_CONFLICTING = (
    "m.id IN (SELECT unnest([from_id, to_id]) FROM links WHERE type = 'contradicts')"  # both sides of a contradiction
)

_SOURCE = f"coalesce(m.sources[1].format, '{TYPED}')"

Condition = tuple[str, list[object]]

Fixed = Callable[["Browsing", Kinds, str], dict[str, Condition]]
"""Returns the values of a facet that has the same ones for all vaults, each with its condition."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Browsing:
    """What is browsed.

    Attributes:
        scope: the projects in view while no project is chosen.
        chosen: values per facet; a facet without values lets everything through, but `status` then means active.
        stale_only: only what is due at `now`.
        kinds: only these kinds, whatever the facet says; empty for all.
        text: only memories whose title holds this text, or whose id is in `hits`; empty for all.
        hits: ids found by words.
        gone: internal keys of the memories with a dead anchor, see `memtui.curate.anchors.dead_anchors`.
    """

    scope: Scope = EVERYTHING
    chosen: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    now: datetime
    threshold: float = REVIEW_THRESHOLD
    stale_only: bool = False
    kinds: tuple[str, ...] = ()
    text: str = ""
    hits: tuple[str, ...] = ()
    gone: tuple[int, ...] = ()


def listed_ids(reader: VaultReader, browsing: Browsing, *, sort: str) -> list[str]:
    """Return the ids that fit, in the order of one of `BROWSE_SORTS`."""
    condition, parameters = _where(browsing, reader.kinds)
    found = reader._connection.execute(  # noqa: SLF001 - the same package
        f"SELECT m.id FROM memories m{_joined(sort)} WHERE {condition}"  # noqa: S608 - built from our own pieces
        f" ORDER BY {_order(sort, reader.kinds, browsing)}",
        parameters,
    ).fetchall()
    return [row[0] for row in found]


def lower_titles(reader: VaultReader, browsing: Browsing) -> dict[str, str]:
    """Return the titles of what fits in lower case, by id.

    One long text crosses over from the engine: at 100,000 memories 50 ms, where as many rows take 100 ms.
    """
    condition, parameters = _where(browsing, reader.kinds)
    row = reader._connection.execute(  # noqa: SLF001 - as above
        "SELECT string_agg(m.id || chr(31) || translate(lower(m.title), chr(10) || chr(31), '  '), chr(10))"  # noqa: S608 - as above
        f" FROM memories m WHERE {condition}",
        parameters,
    ).fetchone()
    text = str(row[0]) if row and row[0] is not None else ""
    return dict(line.split("\x1f", 1) for line in text.split("\n") if "\x1f" in line)


def count_facets(reader: VaultReader, browsing: Browsing) -> dict[str, list[tuple[str, int]]]:
    """Return (value, count) per facet: fixed values in their order with their noughts, others by number."""
    _gather(reader, browsing)
    return {name: _count(reader, browsing, name) for name in FACETS}


def scope_of(browsing: Browsing) -> Scope:
    """Return the projects that are listed: the chosen ones, else those in view."""
    values = browsing.chosen.get("project", ())
    if not values:
        return browsing.scope
    return Scope(tuple(value for value in values if value != UNASSIGNED), with_unassigned=UNASSIGNED in values)


# -- conditions -----------------------------------------------------------------------------------


def _where(browsing: Browsing, kinds: Kinds) -> Condition:
    """Return the condition on memory `m`."""
    facets = [_facet(browsing, kinds, name, _fixed, _SOURCE) for name in FACETS]
    return _all_of([*facets, *_common(browsing, kinds)])


def _common(browsing: Browsing, kinds: Kinds) -> list[Condition]:
    """Return what every facet's count asks of memory `m` alike."""
    parts = [where_sql(MemoryFilter(statuses=None, kinds=browsing.kinds), kinds)]
    if browsing.stale_only:
        parts.append(_stale(browsing, kinds, browsing.now))
    if browsing.text:
        listed = _LISTED.format(kind="VARCHAR")
        parts.append(
            (f"(contains(lower(m.title), ?) OR m.id IN {listed})", [browsing.text, json.dumps(list(browsing.hits))])
        )
    return parts


def _all_of(parts: Iterable[Condition]) -> Condition:
    kept = [part for part in parts if part[0] != "true"]
    return " AND ".join(sql for sql, _ in kept) or "true", [value for _, values in kept for value in values]


def _facet(browsing: Browsing, kinds: Kinds, name: str, fixed: Fixed, source: str) -> Condition:
    """Return what the choice in one facet asks of memory `m`."""
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
        return f"{source} IN {_LISTED.format(kind='VARCHAR')}", [json.dumps(values)]
    known = fixed(browsing, kinds, name)
    chosen = [known[value] for value in values if value in known]
    if not chosen:
        return "true", []
    return "(" + " OR ".join(sql for sql, _ in chosen) + ")", [value for _, found in chosen for value in found]


def _fixed(browsing: Browsing, kinds: Kinds, name: str) -> dict[str, Condition]:
    """Return the values of a facet that has the same ones for all vaults, each with its condition."""
    if name == "pinned":
        return {"pinned": ("m.pinned", []), "not pinned": ("NOT m.pinned", [])}
    now = browsing.now.replace(tzinfo=None)
    if name == "due":
        due, parameters = _stale(browsing, kinds, browsing.now)
        soon, more = _stale(browsing, kinds, days_after(browsing.now, SOON_DAYS))
        return {
            "now": (f"({due})", parameters),
            "within 30 days": (f"(({soon}) AND NOT coalesce(({due}), false))", [*more, *parameters]),
            "snoozed": (f"NOT {awake_sql(sql_time(browsing.now))}", []),
        }
    keys = _LISTED.format(kind="BIGINT")
    return {
        "contradicted": (_CONFLICTING, []),
        "dead anchors": (f"m.key IN {keys}", [json.dumps(list(browsing.gone))]),
        "unconfirmed": ("m.confirmed_at IS NULL", []),
        "expired": ("m.valid_until <= ?", [now]),
    }


def _stale(browsing: Browsing, kinds: Kinds, moment: datetime) -> Condition:
    return where_sql(MemoryFilter(statuses=None, stale_at=moment, threshold=browsing.threshold), kinds)


# -- counting and ordering ------------------------------------------------------------------------

_FIXED_FACETS = ("due", "pinned", "health")


def _gather(reader: VaultReader, browsing: Browsing) -> None:
    """Put what the facets ask about into a temporary table, so that each question is worked out once per memory."""
    columns = ["m.project", "m.kind", "m.status", "m.tags", f"{_SOURCE} AS source"]
    values: list[object] = []
    for name in _FIXED_FACETS:
        for place, (sql, found) in enumerate(_fixed(browsing, reader.kinds, name).values()):
            columns.append(f"coalesce({sql}, false) AS {name}_{place}")
            values += found
    condition, parameters = _all_of(_common(browsing, reader.kinds))
    # What is due is asked thrice, and what else than age asks is the same each time.
    reader._connection.execute(f"CREATE OR REPLACE TEMP TABLE asked_ids AS {ASKED_IDS}")  # noqa: SLF001 - as above
    query = f"CREATE OR REPLACE TEMP TABLE browsed AS SELECT {', '.join(columns)} FROM memories m WHERE {condition}"  # noqa: S608 - as above
    reader._connection.execute(  # noqa: SLF001 - as above
        query.replace(ASKED_IDS, "SELECT id FROM asked_ids"), [*values, *parameters]
    )


def _gathered(browsing: Browsing, kinds: Kinds, name: str) -> dict[str, Condition]:
    """Return the fixed values of a facet with their columns in the gathered table."""
    return {value: (f"m.{name}_{place}", []) for place, value in enumerate(_fixed(browsing, kinds, name))}


def _count(reader: VaultReader, browsing: Browsing, name: str) -> list[tuple[str, int]]:
    others = [_facet(browsing, reader.kinds, other, _gathered, "m.source") for other in FACETS if other != name]
    condition, parameters = _all_of(others)
    connection = reader._connection  # noqa: SLF001 - as above
    if name in _FIXED_FACETS:
        fixed = _gathered(browsing, reader.kinds, name)
        counts = ", ".join(f"count(*) FILTER (WHERE {sql})" for sql, _ in fixed.values())
        row = connection.execute(f"SELECT {counts} FROM browsed m WHERE {condition}", parameters).fetchone()  # noqa: S608 - as above
        return list(zip(fixed, (int(number) for number in row or ()), strict=False))
    expression = {"project": f"coalesce(m.project, '{UNASSIGNED}')", "tag": "unnest(m.tags)"}
    found = connection.execute(
        f"SELECT value, count(*) AS number FROM (SELECT {expression.get(name, 'm.' + name)} AS value"  # noqa: S608 - as above
        f" FROM browsed m WHERE {condition}) GROUP BY value ORDER BY number DESC, value LIMIT {MOST_VALUES}",
        parameters,
    ).fetchall()
    return [(str(value), int(number)) for value, number in found]


def _joined(sort: str) -> str:
    if sort != "use":
        return ""
    return (
        " LEFT JOIN (SELECT memory_id, sum(weight) AS uses FROM signals"  # noqa: S608 - our own names
        f" WHERE signal IN {_USED} GROUP BY memory_id) u ON u.memory_id = m.id"
    )


def _order(sort: str, kinds: Kinds, browsing: Browsing) -> str:
    """Return an ORDER BY list; every sort ends in the internal key, so it is total."""
    if sort == "use":
        return "coalesce(u.uses, 0) DESC, m.created_at DESC, m.key"
    order = {"newest": "created", "stalest": "due", "title": "title"}[sort]
    return order_sql(order, kinds, browsing.now, browsing.threshold)


# -- the little history of one memory -------------------------------------------------------------


def last_changes(reader: VaultReader, identifier: str, *, limit: int) -> list[tuple[datetime, str, str]]:
    """Return (time, actor, summary) of the last changes of one memory, the newest first."""
    found = reader._connection.execute(  # noqa: SLF001 - as above
        "SELECT c.made_at, c.actor, c.summary FROM changes c WHERE c.number IN (SELECT change_number FROM revisions"
        " WHERE entity = 'memory' AND entity_key = ?) ORDER BY c.number DESC LIMIT ?",
        [identifier, limit],
    ).fetchall()
    return [(made_at.replace(tzinfo=UTC), actor, summary) for made_at, actor, summary in found]
