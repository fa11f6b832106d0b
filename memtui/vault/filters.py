"""Which memories: a filter of plain values, and the SQL for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from memtui.domain.freshness import GAMMA_SHAPE, REVIEW_THRESHOLD
from memtui.domain.kinds import Kinds
from memtui.domain.memory import GLOBAL_PROJECT

SORTS = ("updated", "created", "title", "kind", "importance", "freshness", "due", "verified")


@dataclass(frozen=True, slots=True)
class Scope:
    """The projects in view.

    Attributes:
        projects: names, or None for every project and the unassigned.
        with_unassigned: whether memories without a project are in view besides.
    """

    projects: tuple[str, ...] | None = None
    with_unassigned: bool = False

    @classmethod
    def of_project(cls, name: str | None) -> Scope:
        """Return that project and `global`; `global` alone for None."""
        return cls((GLOBAL_PROJECT,) if name in (None, GLOBAL_PROJECT) else (str(name), GLOBAL_PROJECT))

    @property
    def is_everything(self) -> bool:
        """Whether no project is shut out."""
        return self.projects is None


EVERYTHING = Scope()


@dataclass(frozen=True, slots=True)
class Condition:
    """One condition of a query on memories; `memtui.vault.query_fields` has the fields and their SQL.

    Attributes:
        field: what is looked at.
        operator: `is` for one of the values, else a comparison with the one value.
        values: texts in lower case, numbers or moments.
        negated: whether memories must not fit.
        at: the moment that ages and freshness are reckoned at.
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
        conditions: further conditions that all hold, as a query states them.
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


def _quoted(text: str) -> str:
    return f"'{text.replace(chr(39), chr(39) * 2)}'"


def _half_life_sql(kinds: Kinds) -> str:
    """Return SQL for the effective half-life of memory `m` in days, as `domain.freshness.half_life_days`."""
    cases = " ".join(f"WHEN {_quoted(name)} THEN {kinds.get(name).half_life_days!r}" for name in kinds.timed_names())
    default = f"(CASE m.kind {cases} ELSE {kinds.get('').half_life_days!r} END)"
    apart = " ".join(
        f"WHEN m.kind = {_quoted(name)} AND m.project = {_quoted(project)} THEN {days!r}"
        for (name, project), days in kinds.project_half_lives().items()
    )
    default = f"(CASE {apart} ELSE {default} END)" if apart else default
    held = "greatest(0, epoch(m.verified_at) - epoch(coalesce(m.observed_at, m.created_at))) / 86400.0"
    return (
        f"coalesce(m.half_life_days, CASE WHEN m.verified_at IS NULL THEN {default} "
        f"ELSE {default} + ln(2) * {held} / {GAMMA_SHAPE!r} END)"
    )


def sql_time(moment: datetime) -> str:
    """Return SQL for a moment."""
    return f"TIMESTAMP '{moment.astimezone(UTC).replace(tzinfo=None).isoformat(sep=' ')}'"


def freshness_sql(kinds: Kinds, now: datetime) -> str:
    """Return SQL for the freshness of memory `m`, as `domain.freshness.freshness`."""
    age = f"greatest(0, epoch({sql_time(now)}) - epoch(coalesce(m.verified_at, m.observed_at, m.created_at))) / 86400.0"
    floor, rest = kinds.floor, 1 - kinds.floor
    return f"(CASE WHEN m.pinned THEN 1.0 ELSE {floor!r} + {rest!r} * pow(2, -({age}) / {_half_life_sql(kinds)}) END)"


def where_sql(wanted: MemoryFilter, kinds: Kinds) -> tuple[str, list[object]]:
    """Return a condition on memory `m` and its parameters."""
    conditions: list[str] = []
    parameters: list[object] = []

    def any_of(expression: str, values: Sequence[str]) -> None:
        conditions.append(f"{expression} IN ({', '.join('?' * len(values))})" if values else "false")
        parameters.extend(values)

    if wanted.scope.projects is not None:
        any_of("m.project", wanted.scope.projects)
        if wanted.scope.with_unassigned:
            conditions[-1] = f"({conditions[-1]} OR m.project IS NULL)"
    if wanted.statuses is not None:
        any_of("m.status", wanted.statuses)
    if wanted.kinds:
        any_of("m.kind", wanted.kinds)
    if wanted.ids is not None:
        any_of("m.id", wanted.ids)
    for tag in wanted.tags:
        conditions.append("list_contains(m.tags, ?)")
        parameters.append(tag)
    if wanted.pinned is not None:
        conditions.append("m.pinned" if wanted.pinned else "NOT m.pinned")
    if wanted.stale_at is not None:
        conditions.append(due_sql(kinds, wanted.stale_at, wanted.threshold))
    conditions += _query_sql(wanted, kinds, parameters)
    return " AND ".join(conditions) or "true", parameters


def _query_sql(wanted: MemoryFilter, kinds: Kinds, parameters: list[object]) -> list[str]:
    """Return the conditions of a query; their values are added to the parameters."""
    if not wanted.conditions:
        return []
    # Imported here: only queries need them.
    from memtui.vault.query_fields import condition_sql

    found = [condition_sql(condition, kinds, wanted.threshold) for condition in wanted.conditions]
    parameters.extend(value for _, values in found for value in values)
    return [sql for sql, _ in found]


def due_sql(kinds: Kinds, now: datetime, threshold: float) -> str:
    """Return SQL for whether memory `m` is due for review at a moment, whatever the reason."""
    # Imported here: only questions after what is due need it.
    from memtui.vault.review_triggers import ASKED_IDS, awake_sql

    moment = sql_time(now)
    return (
        f"{awake_sql(moment)} AND (coalesce({freshness_sql(kinds, now)} < {threshold!r} OR m.due_at <= {moment}, false)"
        f" OR m.id IN ({ASKED_IDS}))"
    )


def order_sql(sort: str, kinds: Kinds, now: datetime, threshold: float = REVIEW_THRESHOLD) -> str:
    """Return an ORDER BY list for memory `m`; every sort ends in the internal key, so it is total.

    Args:
        sort: one of `SORTS`; `due` has what is due first, whatever the reason, the stalest of it at the top.
        kinds: the kinds in force.
        now: the moment that freshness is reckoned at.
        threshold: freshness below which a memory is due.
    """
    if sort == "due":
        is_due = due_sql(kinds, now, threshold)
        return f"coalesce(NOT ({is_due}), true), {freshness_sql(kinds, now)} ASC, m.key"
    orders = {
        "updated": "m.updated_at DESC",
        "created": "m.created_at DESC",
        "title": "lower(m.title)",
        "kind": "m.kind, m.updated_at DESC",
        "importance": "m.importance DESC, m.updated_at DESC",
        "freshness": f"{freshness_sql(kinds, now)} DESC",
        "verified": "m.verified_at DESC NULLS LAST",
    }
    return f"{orders[sort]}, m.key"
