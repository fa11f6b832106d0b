"""The fields of a query on memories, and the SQL of each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

from memtui.domain.kinds import Kinds
from memtui.vault.filters import Condition, due_sql, freshness_sql, sql_time
from memtui.vault.review_triggers import awake_sql

Sql = tuple[str, list[object]]

COMPARISONS = frozenset({"<", "<=", ">", ">=", "="})
UNASSIGNED = "unassigned"
"""The project of memories that have none, in a query."""

USES = ("injected", "copied", "referenced", "helped")
"""Signals that count as a use."""

_TRUSTED = "coalesce(m.verified_at, m.observed_at, m.created_at)"
_TEXT = (
    "lower(concat_ws(chr(10), m.title, m.insight, m.rationale, m.snippet, array_to_string(m.tags, ' '),"
    " array_to_string([held.path FOR held IN m.anchors], chr(10))))"
)
_USED = (
    "(SELECT count(*) FROM signals used WHERE used.memory_id = m.id AND used.signal IN"  # noqa: S608 - names are ours
    f" ({', '.join(repr(name) for name in USES)}))"
)


def condition_sql(condition: Condition, kinds: Kinds, threshold: float) -> Sql:
    """Return a condition on memory `m` and its parameters.

    Raises:
        ValueError: there is no such field or comparison.
    """
    sql, parameters = _plain(condition, kinds, threshold)
    # A NULL, such as the project of an unassigned memory, fits no value and so fits every negation.
    return (f"NOT coalesce({sql}, false)" if condition.negated else f"coalesce({sql}, false)"), parameters


def _plain(condition: Condition, kinds: Kinds, threshold: float) -> Sql:
    if condition.field in _NUMBERS and condition.operator in COMPARISONS:
        return _compared(condition, kinds)
    if condition.field == "due" and condition.at is not None:
        return f"({due_sql(kinds, condition.at, threshold)})", []
    if condition.field in _FLAGS:
        return _FLAGS[condition.field].format(now=sql_time(condition.at or datetime.now(UTC))), []
    build = _FIELDS.get(condition.field)
    if build is None or condition.operator != "is":
        raise ValueError(f"{condition.field} {condition.operator}")
    parts = [build(str(value)) for value in condition.values]
    return f"({' OR '.join(sql for sql, _ in parts)})", [value for _, values in parts for value in values]


def _compared(condition: Condition, kinds: Kinds) -> Sql:
    value: Any = condition.values[0]
    if condition.field == "trusted" and isinstance(value, datetime):
        return f"{_TRUSTED} {condition.operator} {sql_time(value)}", []
    expression = _NUMBERS[condition.field]
    if condition.field == "fresh":
        expression = freshness_sql(kinds, condition.at or datetime.now(UTC))
    return f"{expression} {condition.operator} {float(value)!r}", []


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


def _project(value: str) -> Sql:
    return ("m.project IS NULL", []) if value == UNASSIGNED else ("lower(m.project) = ?", [value])


def _file(value: str) -> Sql:
    """A path fits itself, what lies below it, and longer paths that end in it; a pattern fits as the shell has it."""
    plain = value.removeprefix("./").rstrip("/")
    path = "lower(split_part(held.path, '::', 1))"
    if any(sign in value for sign in "*?["):
        return f"len([1 FOR held IN m.anchors IF {path} GLOB ?]) > 0", [value]
    fits = f"({path} = ? OR starts_with({path}, ?) OR ends_with({path}, ?))"
    return f"len([1 FOR held IN m.anchors IF {fits}]) > 0", [plain, f"{plain}/", f"/{plain}"]


_FIELDS: Mapping[str, Callable[[str], Sql]] = {
    "id": lambda value: ("starts_with(m.id, ?)", [value]),
    "kind": lambda value: ("lower(m.kind) = ?", [value]),
    "status": lambda value: ("m.status = ?", [value]),
    "project": _project,
    "tag": lambda value: ("list_contains([lower(held) FOR held IN m.tags], ?)", [value]),
    "file": _file,
    "source": lambda value: ("list_contains([held.format FOR held IN m.sources], ?)", [value]),
    "words": lambda value: (f"contains({_TEXT}, ?)", [value]),
}
