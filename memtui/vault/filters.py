"""Filters on memories as plain values, and the SQL for them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from memtui.domain.freshness import (
    CHECKABLE,
    DESCRIPTION_PACE,
    DESCRIPTIVE,
    GAMMA_SHAPE,
    MOST_GROWTH,
    NO_VERSIONS,
    PERISHABLE,
    PERISHABLE_PACE,
    POINTER,
    PRINCIPLE_PACE,
    PRINCIPLED,
    REVIEW_THRESHOLD,
    STEADY_PACE,
    UNTIL_CHANGE,
    USES,
)
from memtui.domain.kinds import Kinds
from memtui.domain.lessons import MAY_BE_GONE
from memtui.domain.memory import GLOBAL_PROJECT, MATCHED

HURTS_TO_DUE = 2  # A memory that hurt this often since it was verified or accepted is due whatever its age
WOKEN_PATH = ""  # Path of the row of `anchor_states` that records a file change since a snooze; no anchor has this path

WOKEN = "woken"


def _listed(names: Iterable[str]) -> str:
    return f"({', '.join(map(repr, sorted(names)))})"


USES_SQL = _listed(USES)  # Signals that count as a use


def sql_time(moment: datetime) -> str:
    return f"TIMESTAMP '{moment.astimezone(UTC).replace(tzinfo=None).isoformat(sep=' ')}'"


def unanswered(moment: str, memory: str = "h") -> str:
    """Return SQL for whether a moment is after a person last verified or accepted a memory."""
    # `greatest` passes over NULLs.
    return f"coalesce({moment} > greatest({memory}.verified_at, {memory}.confirmed_at), true)"


_UNTIL_CHANGE = sql_time(UNTIL_CHANGE)
_WOKEN_IDS = f"SELECT memory_id FROM anchor_states WHERE state = '{WOKEN}' AND path = '{WOKEN_PATH}'"
_SINCE = "greatest(h.created_at, coalesce(h.confirmed_at, h.created_at), coalesce(h.verified_at, h.created_at))"
_FILES = "list_sort([held.path FOR held IN {}.anchors])"
_ACTIVE = " JOIN memories h ON h.id = s.memory_id AND h.status = 'active'"

_CHANGED_FILES = (
    f"SELECT s.memory_id AS id, s.state AS cause, s.path AS what, s.checked_at AS began FROM anchor_states s{_ACTIVE}"
    f" WHERE s.state IN ('changed', 'moved', 'gone') AND {unanswered('s.checked_at')}"
    " AND list_contains([held.path FOR held IN h.anchors], s.path)"
    " AND (s.state = 'changed' OR NOT EXISTS (SELECT 1 FROM verdicts kept"
    f" WHERE kept.memory_id = s.memory_id AND kept.reason = s.path AND kept.verdict = '{MAY_BE_GONE}'))"
)
_CONTRADICTIONS = (
    "SELECT h.id, 'contradicted' AS cause, o.id AS what, pair.created_at AS began"
    " FROM (SELECT from_id AS one, to_id AS other, created_at FROM links WHERE type = 'contradicts'"
    " UNION ALL SELECT to_id, from_id, created_at FROM links WHERE type = 'contradicts') pair"
    " JOIN memories h ON h.id = pair.one AND h.status = 'active'"
    " JOIN memories o ON o.id = pair.other AND o.status = 'active'"
    f" WHERE {unanswered('pair.created_at')}"
)
_HURTS = (
    "SELECT s.memory_id AS id, 'hurt' AS cause, count(*)::VARCHAR AS what,"
    f" list_sort(list(s.made_at))[{HURTS_TO_DUE}] AS began FROM signals s{_ACTIVE}"
    f" WHERE s.signal = 'hurt' AND {unanswered('s.made_at')}"
    f" GROUP BY s.memory_id HAVING count(*) >= {HURTS_TO_DUE}"
)
_SOURCES = (
    "SELECT h.id, CASE WHEN s.seen_hash = '' THEN 'dropped' ELSE 'source' END AS cause, s.path AS what,"
    f" s.seen_at AS began FROM source_states s{_ACTIVE}"
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


def triggered_ids(kinds: Kinds, now: datetime) -> str:
    """Return `TRIGGERED_IDS`, in a holiday of what was asked before it."""
    return (
        f"{TRIGGERED_IDS} WHERE began <= {sql_time(kinds.review_moment(now))}"
        if kinds.is_holiday(now)
        else TRIGGERED_IDS
    )


def awake_sql(moment: str) -> str:
    """Return SQL for whether memory `m` is not snoozed at a moment, which is SQL itself."""
    return (
        f"(m.snoozed_until IS NULL OR m.snoozed_until <= {moment}"
        f" OR (m.snoozed_until = {_UNTIL_CHANGE} AND m.id IN ({_WOKEN_IDS})))"
    )


def due_sql(kinds: Kinds, now: datetime, threshold: float) -> str:
    """Return SQL for whether memory `m` is due for review at a moment, for any reason, as `domain.freshness.due_at`."""
    now = kinds.review_moment(now)
    moment = sql_time(now)
    soonest, faded = (freshness_sql(kinds, now, since=VOUCHED, pace=pace) for pace in (repr(PERISHABLE_PACE), PACE))
    # Texts are only read of what is due at the soonest pace.
    is_faded = f"CASE WHEN {soonest} < {threshold!r} THEN {faded} < {threshold!r} ELSE false END"
    asked = f"m.id IN ({triggered_ids(kinds, now)})"
    return f"{awake_sql(moment)} AND (coalesce({is_faded} OR m.due_at <= {moment}, false) OR {asked})"


TRUSTED = "coalesce(m.verified_at, m.observed_at, m.created_at)"
"""When memory `m` was last trusted, as `domain.freshness.last_trusted_at`."""

VOUCHED = f"greatest({TRUSTED}, m.confirmed_at)"
"""From when its next review is counted, as `domain.freshness.vouched_at`."""


_JUDGED = "m.title || chr(10) || m.insight"  # What `domain.freshness.review_pace` reads of a memory
_OF_FILE = "len([1 FOR held IN m.sources IF held.path <> '']) > 0"
_AS_TOLD = f"regexp_replace({_JUDGED}, '{NO_VERSIONS}', ' ', 'g')"
PACE = (
    f"(CASE WHEN {_OF_FILE} AND regexp_matches({_JUDGED}, '{POINTER}') THEN {PRINCIPLE_PACE!r}::DOUBLE"
    f" WHEN regexp_matches({_AS_TOLD}, '{PERISHABLE}') THEN {PERISHABLE_PACE!r}::DOUBLE"
    f" WHEN {_OF_FILE} AND m.kind IN {_listed(PRINCIPLED)} AND NOT regexp_matches({_JUDGED}, '{CHECKABLE}')"
    f" THEN {PRINCIPLE_PACE!r}::DOUBLE"
    f" WHEN len([1 FOR held IN m.anchors IF held.content_hash <> '{MATCHED}']) > 0 THEN {STEADY_PACE!r}::DOUBLE"
    f" WHEN m.kind IN {_listed(DESCRIPTIVE)} AND regexp_matches({_JUDGED}, '{CHECKABLE}')"
    f" THEN {DESCRIPTION_PACE!r}::DOUBLE ELSE 1::DOUBLE END)"
)
"""After what share of the usual time memory `m` is due by age, as `domain.freshness.review_pace`."""


def freshness_sql(
    kinds: Kinds, now: datetime, *, since: str = TRUSTED, pace: str = "1.0", floor: float | None = None
) -> str:
    """Return SQL for the freshness of memory `m`, as `domain.freshness.freshness`.

    `since`: SQL for the moment from which it fades. `pace`: SQL by which its age is divided. `floor`: another one than
    that in force.
    """
    age = f"greatest(0, epoch({sql_time(now)}) - epoch({since})) / 86400.0 / {pace}"
    floor = kinds.floor if floor is None else floor
    return (
        f"(CASE WHEN m.pinned THEN 1.0 ELSE {floor!r} + {1 - floor!r} * pow(2, -({age}) / {_half_life_sql(kinds)}) END)"
    )


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
        f"ELSE least({MOST_GROWTH!r} * {default}, {default} + ln(2) * {held} / {GAMMA_SHAPE!r}) END)"
    )


def _quoted(text: str) -> str:
    return f"'{text.replace(chr(39), chr(39) * 2)}'"


Sql = tuple[str, list[object]]  # An SQL condition and its parameters


@dataclass(frozen=True, slots=True)
class Scope:
    """The projects in view."""

    projects: tuple[str, ...] | None = None  # names, or None for every project and the unassigned
    with_unassigned: bool = False  # whether memories without a project are in view as well

    @classmethod
    def of_project(cls, name: str | None) -> Scope:
        """Return that project and `global`; `global` alone for None."""
        return cls((GLOBAL_PROJECT,) if name in (None, GLOBAL_PROJECT) else (str(name), GLOBAL_PROJECT))

    @property
    def is_everything(self) -> bool:
        """Whether no project is excluded."""
        return self.projects is None

    def holds(self, project: str | None) -> bool:
        """Return whether memories of a project, or the unassigned for None, are in view."""
        if self.projects is None:
            return True
        return self.with_unassigned if project is None else project in self.projects


EVERYTHING = Scope()


@dataclass(frozen=True, slots=True)
class Condition:
    """One condition of a query on memories."""

    field: str  # a key of `_VALUES`, `_NUMBERS` or `_FLAGS`, or `due`
    operator: str  # `is` for one of the values, else a comparison with the one value
    values: tuple[str | float | datetime, ...] = ()  # texts in lower case, numbers or moments
    negated: bool = False  # whether memories must not match
    at: datetime | None = None  # the moment at which ages and freshness are computed


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryFilter:
    """What to list."""

    scope: Scope = EVERYTHING
    statuses: tuple[str, ...] | None = ("active",)  # None for any
    kinds: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    pinned: bool | None = None
    stale_at: datetime | None = None  # only memories due for review at that moment
    threshold: float = REVIEW_THRESHOLD  # freshness below which a memory is due
    ids: tuple[str, ...] | None = None
    conditions: tuple[Condition, ...] = ()  # further conditions that must all hold

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

_SEARCHED = (
    "lower(concat_ws(chr(10), m.title, m.insight, m.rationale, m.snippet, array_to_string(m.tags, ' '),"
    " array_to_string([held.path FOR held IN m.anchors], chr(10))))"
)
_USED = f"(SELECT count(*) FROM signals used WHERE used.memory_id = m.id AND used.signal IN {USES_SQL})"
_NUMBERS: Mapping[str, str] = {
    "trusted": TRUSTED,
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
    """A path matches where it is a part of what a memory is tied to, and where that holds for it.

    The first are itself, what lies below it, and longer paths that it is in; the second the folders above it, and
    patterns that it fits. A glob matches as in the shell.
    """
    plain = value.removeprefix("./").strip("/")
    path = "lower(split_part(held.path, '::', 1))"
    if any(sign in value for sign in "*?["):
        return f"len([1 FOR held IN m.anchors IF {path} GLOB ?]) > 0", [value]
    is_in = f"contains('/' || {path} || '/', ?)"
    is_above = f"starts_with(?, rtrim({path}, '/') || '/')"
    is_pattern = f"contains({path}, '*') AND coalesce(TRY(regexp_full_match(?, {_PATTERN.format(path)})), false)"
    fits = f"({is_in} OR {is_above} OR {is_pattern})"
    return f"len([1 FOR held IN m.anchors IF {fits}]) > 0", [f"/{plain}/", plain, plain]


def _replacing(sql: str, *pairs: tuple[str, str]) -> str:
    """Return SQL that replaces texts, one after the other."""
    for old, new in pairs:
        sql = f"replace({sql}, {old}, {new})"
    return sql


_PATTERN = _replacing(
    "regexp_escape({})",
    (r"'\*\*\/'", "chr(1)"),
    (r"'\*\*'", "chr(2)"),
    (r"'\*'", "'[^/]*'"),
    (r"'\?'", "'[^/]'"),
    (r"'\{{'", "'('"),
    (r"'\}}'", "')'"),
    (r"'\,'", "'|'"),
    ("chr(1)", "'(.*/)?'"),
    ("chr(2)", "'.*'"),
)
"""SQL of the regular expression of a path pattern, as `domain.scope.matches` reads it, but for sets in brackets."""


_VALUES: Mapping[str, Callable[[str], Sql]] = {
    "id": lambda value: ("starts_with(m.id, ?)", [value]),
    "kind": lambda value: ("lower(m.kind) = ?", [value]),
    "status": lambda value: ("m.status = ?", [value]),
    "project": _project,
    "tag": lambda value: ("list_contains([lower(held) FOR held IN m.tags], ?)", [value]),
    "file": _file,
    "source": lambda value: ("list_contains([held.format FOR held IN m.sources], ?)", [value]),
    "words": lambda value: (f"contains({_SEARCHED}, ?)", [value]),
}
