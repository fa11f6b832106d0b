"""Which memories: a filter of plain values and query conditions, and the SQL for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from memtui.domain.freshness import REVIEW_THRESHOLD
from memtui.domain.kinds import Kinds
from memtui.domain.memory import GLOBAL_PROJECT
from memtui.vault.expressions import USES_SQL, awake_sql, due_sql, freshness_sql, sql_time

Sql = tuple[str, list[object]]
"""An SQL condition and its parameters."""


@dataclass(frozen=True, slots=True)
class Scope:
    """The projects in view.

    Attributes:
        projects: names, or None for every project and the unassigned.
        with_unassigned: whether memories without a project are in view as well.
    """

    projects: tuple[str, ...] | None = None
    with_unassigned: bool = False

    @classmethod
    def of_project(cls, name: str | None) -> Scope:
        """Return that project and `global`; `global` alone for None."""
        return cls((GLOBAL_PROJECT,) if name in (None, GLOBAL_PROJECT) else (str(name), GLOBAL_PROJECT))

    @property
    def is_everything(self) -> bool:
        """Whether no project is excluded."""
        return self.projects is None


EVERYTHING = Scope()


@dataclass(frozen=True, slots=True)
class Condition:
    """One condition of a query on memories.

    Attributes:
        field: a key of `_VALUES`, `_NUMBERS` or `_FLAGS`, or `due`.
        operator: `is` for one of the values, else a comparison with the one value.
        values: texts in lower case, numbers or moments.
        negated: whether memories must not match.
        at: the moment at which ages and freshness are computed.
    """

    field: str
    operator: str
    values: tuple[str | float | datetime, ...] = ()
    negated: bool = False
    at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryFilter:
    """What to list.

    Attributes:
        statuses: None for any.
        stale_at: only memories due for review at that moment.
        threshold: freshness below which a memory is due.
        conditions: further conditions that must all hold.
    """

    scope: Scope = EVERYTHING
    statuses: tuple[str, ...] | None = ("active",)
    kinds: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    pinned: bool | None = None
    stale_at: datetime | None = None
    threshold: float = REVIEW_THRESHOLD
    ids: tuple[str, ...] | None = None
    conditions: tuple[Condition, ...] = ()

    @property
    def is_plain(self) -> bool:
        """Whether it selects by scope and status alone."""
        return self == MemoryFilter(scope=self.scope, statuses=self.statuses)


def where_sql(wanted: MemoryFilter, kinds: Kinds) -> Sql:
    """Return a condition on memory `m` and its parameters."""
    parts: list[Sql] = []
    if wanted.scope.projects is not None:
        sql, projects = _one_of("m.project", wanted.scope.projects)
        parts.append((f"({sql} OR m.project IS NULL)" if wanted.scope.with_unassigned else sql, projects))
    chosen = {"m.status": wanted.statuses, "m.kind": wanted.kinds or None, "m.id": wanted.ids}
    parts += [_one_of(column, values) for column, values in chosen.items() if values is not None]
    parts += [("list_contains(m.tags, ?)", [tag]) for tag in wanted.tags]
    if wanted.pinned is not None:
        parts.append(("m.pinned" if wanted.pinned else "NOT m.pinned", []))
    if wanted.stale_at is not None:
        parts.append((due_sql(kinds, wanted.stale_at, wanted.threshold), []))
    parts += [_condition_sql(condition, kinds, wanted.threshold) for condition in wanted.conditions]
    return " AND ".join(sql for sql, _ in parts) or "true", [value for _, values in parts for value in values]


def _one_of(column: str, values: Sequence[str]) -> Sql:
    return (f"{column} IN ({', '.join('?' * len(values))})" if values else "false"), list(values)


_ORDERS: Mapping[str, str] = {
    "updated": "m.updated_at DESC",
    "created": "m.created_at DESC",
    "title": "lower(m.title)",
    "kind": "m.kind, m.updated_at DESC",
    "importance": "m.importance DESC, m.updated_at DESC",
    "freshness": "{fresh} DESC",
    "due": "coalesce(NOT ({due}), true), {fresh} ASC",
    "verified": "m.verified_at DESC NULLS LAST",
}
SORTS = tuple(_ORDERS)


def order_sql(sort: str, kinds: Kinds, now: datetime, threshold: float = REVIEW_THRESHOLD) -> str:
    """Return an ORDER BY list for memory `m`; every order ends in the internal key, so it is total.

    Args:
        sort: one of `SORTS`; `due` lists due memories first, for any reason, the stalest at the top.
        now: the moment at which freshness is computed.
        threshold: freshness below which a memory is due.
    """
    order = _ORDERS[sort].replace("{fresh}", freshness_sql(kinds, now))
    return f"{order.replace('{due}', due_sql(kinds, now, threshold))}, m.key"


# -- conditions of queries --------------------------------------------------------------------------

_COMPARISONS = frozenset({"<", "<=", ">", ">=", "="})

_TRUSTED = "coalesce(m.verified_at, m.observed_at, m.created_at)"
_TEXT = (
    "lower(concat_ws(chr(10), m.title, m.insight, m.rationale, m.snippet, array_to_string(m.tags, ' '),"
    " array_to_string([held.path FOR held IN m.anchors], chr(10))))"
)
_USED = f"(SELECT count(*) FROM signals used WHERE used.memory_id = m.id AND used.signal IN {USES_SQL})"
_NUMBERS: Mapping[str, str] = {
    "trusted": _TRUSTED,
    "fresh": "",
    "used": _USED,
    "importance": "m.importance",
    "confidence": "m.confidence",
}
_FLAGS: Mapping[str, str] = {
    "pinned": "m.pinned",
    "confirmed": "(m.confirmed_at IS NOT NULL)",
    "snoozed": f"(NOT {awake_sql('{now}')})",
}


def _condition_sql(condition: Condition, kinds: Kinds, threshold: float) -> Sql:
    sql, parameters = _plain_sql(condition, kinds, threshold)
    # A NULL, such as the project of an unassigned memory, matches no value and so every negation.
    return (f"NOT coalesce({sql}, false)" if condition.negated else f"coalesce({sql}, false)"), parameters


def _plain_sql(condition: Condition, kinds: Kinds, threshold: float) -> Sql:
    now = condition.at or datetime.now(UTC)
    if condition.field in _NUMBERS and condition.operator in _COMPARISONS:
        value = condition.values[0]
        expression = _NUMBERS[condition.field] or freshness_sql(kinds, now)
        number = sql_time(value) if isinstance(value, datetime) else repr(float(value))
        return f"{expression} {condition.operator} {number}", []
    if condition.field == "due" and condition.at is not None:
        return f"({due_sql(kinds, condition.at, threshold)})", []
    if condition.field in _FLAGS:
        return _FLAGS[condition.field].format(now=sql_time(now)), []
    if condition.field not in _VALUES or condition.operator != "is":
        raise ValueError(f"{condition.field} {condition.operator}")
    parts = [_VALUES[condition.field](str(value)) for value in condition.values]
    return f"({' OR '.join(sql for sql, _ in parts)})", [value for _, values in parts for value in values]


def _project(value: str) -> Sql:
    return ("m.project IS NULL", []) if value == "unassigned" else ("lower(m.project) = ?", [value])


def _file(value: str) -> Sql:
    """A path matches itself, what lies below it, and longer paths that end in it; a glob matches as in the shell."""
    plain = value.removeprefix("./").rstrip("/")
    path = "lower(split_part(held.path, '::', 1))"
    if any(sign in value for sign in "*?["):
        return f"len([1 FOR held IN m.anchors IF {path} GLOB ?]) > 0", [value]
    fits = f"({path} = ? OR starts_with({path}, ?) OR ends_with({path}, ?))"
    return f"len([1 FOR held IN m.anchors IF {fits}]) > 0", [plain, f"{plain}/", f"/{plain}"]


_VALUES: Mapping[str, Callable[[str], Sql]] = {
    "id": lambda value: ("starts_with(m.id, ?)", [value]),
    "kind": lambda value: ("lower(m.kind) = ?", [value]),
    "status": lambda value: ("m.status = ?", [value]),
    "project": _project,
    "tag": lambda value: ("list_contains([lower(held) FOR held IN m.tags], ?)", [value]),
    "file": _file,
    "source": lambda value: ("list_contains([held.format FOR held IN m.sources], ?)", [value]),
    "words": lambda value: (f"contains({_TEXT}, ?)", [value]),
}
