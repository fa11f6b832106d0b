"""What recall reads beside the memories: how rare words are, what else matches, what is most useful."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from memtui.domain.importance import MULTIPLIERS
from memtui.domain.usefulness import HIGHEST
from memtui.text.tokens import term_id
from memtui.vault.filters import MemoryFilter, Scope, freshness_sql, where_sql
from memtui.vault.reading import VaultReader

ROUNDING = 1e-9
"""Slack of the floor, so that a sum in another order decides alike."""

UNASSIGNED = "unassigned"
FOREIGN = "foreign"
"""Places of `survey` beside the statuses of memories in view."""


@dataclass(frozen=True, slots=True)
class TermCounts:
    """How common terms are in the whole vault.

    Attributes:
        documents: memories with postings.
        frequencies: per term, how many of them hold it; unknown terms are 0.
    """

    documents: int
    frequencies: Mapping[str, int]


def term_counts(reader: VaultReader, terms: Sequence[str]) -> TermCounts:
    """Return in how many memories, of any project and status, each term occurs."""
    connection = reader._connection  # noqa: SLF001 - the same package
    row = connection.execute("SELECT count(*) FROM documents").fetchone()
    documents = int(row[0]) if row else 0
    if not terms:
        return TermCounts(documents, {})
    numbers = {term_id(term): term for term in terms}
    found = connection.execute(
        f"SELECT term, count(*) FROM postings WHERE term IN ({_listed(numbers)}) GROUP BY term"  # noqa: S608 - integers
    ).fetchall()
    known = {numbers[int(number)]: int(count) for number, count in found}
    return TermCounts(documents, {term: known.get(term, 0) for term in terms})


def survey(
    reader: VaultReader, weights: Mapping[str, float], scope: Scope, *, floor: float
) -> dict[tuple[str, bool], int]:
    """Return how many memories share terms with a query, per place and whether they reach the floor.

    The place is the status of memories in scope, `unassigned` for active ones without a project, and
    `foreign` for active ones of other projects.

    Args:
        reader: an open vault.
        weights: weight of each term of the query.
        scope: the projects in view.
        floor: sum of weights that a memory has to match.
    """
    if not weights:
        return {}
    pairs = ", ".join(f"({term_id(term)}, {weight!r})" for term, weight in weights.items())
    within, parameters = _within(scope)
    found = reader._connection.execute(  # noqa: SLF001 - the same package
        f"WITH weights(term, weight) AS (VALUES {pairs}),"  # noqa: S608 - integers and floats of ours
        " matched AS (SELECT p.memory_key, sum(w.weight) AS mass FROM postings p JOIN weights w USING (term)"
        " GROUP BY p.memory_key),"
        " placed AS (SELECT CASE"
        f" WHEN m.project IS NULL THEN CASE m.status WHEN 'active' THEN '{UNASSIGNED}' ELSE m.status END"
        f" WHEN {within} THEN m.status WHEN m.status = 'active' THEN '{FOREIGN}' END AS place,"
        " mass >= ? AS reached FROM matched JOIN memories m ON m.key = memory_key)"
        " SELECT place, reached, count(*) FROM placed WHERE place IS NOT NULL GROUP BY ALL",
        [*parameters, floor - ROUNDING],
    ).fetchall()
    return {(str(place), bool(reached)): int(count) for place, reached, count in found}


def standing(
    reader: VaultReader, wanted: MemoryFilter, *, at: datetime, now: datetime, weight: float, limit: int
) -> list[int]:
    """Return the internal keys among which the most useful memories of a filter are, best first by age.

    The best by freshness and importance, and besides every memory with signals whose usefulness could lift
    it among them; usefulness itself is the caller's to compute.

    Args:
        reader: an open vault.
        wanted: which memories.
        at: the day on which they must be valid.
        now: the moment freshness is measured at.
        weight: power of freshness.
        limit: how many of each sort.
    """
    condition, parameters = where_sql(wanted, reader.kinds)
    steps = " ".join(f"WHEN {level} THEN {factor!r}" for level, factor in MULTIPLIERS.items())
    moment = at.astimezone(UTC).replace(tzinfo=None)
    found = reader._connection.execute(  # noqa: SLF001 - the same package
        "WITH base AS (SELECT m.key, m.id,"  # noqa: S608 - built from our own pieces
        f" pow({freshness_sql(reader.kinds, now)}, {weight!r}) * CASE m.importance {steps} ELSE 1.0 END AS worth"
        f" FROM memories m WHERE {condition} AND m.project IS NOT NULL"
        " AND (m.valid_from IS NULL OR m.valid_from <= ?) AND (m.valid_until IS NULL OR m.valid_until >= ?)),"
        " best AS (SELECT key, worth FROM base ORDER BY worth DESC, key LIMIT ?),"
        " used AS (SELECT key, worth FROM base WHERE id IN (SELECT memory_id FROM signals)"
        f" AND worth >= (SELECT min(worth) FROM best) / {HIGHEST!r} ORDER BY worth DESC, key LIMIT ?)"
        " SELECT key FROM (SELECT * FROM best UNION SELECT * FROM used) ORDER BY worth DESC, key",
        [*parameters, moment, moment, limit, limit],
    ).fetchall()
    return [int(row[0]) for row in found]


def keys_by_name(reader: VaultReader, name: str, wanted: MemoryFilter, *, limit: int = 20) -> list[int]:
    """Return the internal keys of the memories of a filter whose id or title is exactly this, case aside."""
    condition, parameters = where_sql(wanted, reader.kinds)
    found = reader._connection.execute(  # noqa: SLF001 - the same package
        f"SELECT m.key FROM memories m WHERE (lower(m.id) = lower(?) OR lower(m.title) = lower(?)) AND {condition}"  # noqa: S608 - as above
        " ORDER BY lower(m.id) <> lower(?), m.key LIMIT ?",
        [name, name, *parameters, name, limit],
    ).fetchall()
    return [int(row[0]) for row in found]


def count_outside_valid_time(reader: VaultReader, wanted: MemoryFilter, at: datetime) -> int:
    """Return how many memories of a filter were not valid at a moment."""
    condition, parameters = where_sql(wanted, reader.kinds)
    moment = at.astimezone(UTC).replace(tzinfo=None)
    row = reader._connection.execute(  # noqa: SLF001 - the same package
        f"SELECT count(*) FROM memories m WHERE {condition} AND (m.valid_from > ? OR m.valid_until < ?)",  # noqa: S608 - as above
        [*parameters, moment, moment],
    ).fetchone()
    return int(row[0]) if row else 0


def _within(scope: Scope) -> tuple[str, list[Any]]:
    if scope.projects is None:
        return "true", []
    if not scope.projects:
        return "false", []
    return f"m.project IN ({', '.join('?' * len(scope.projects))})", list(scope.projects)


def _listed(numbers: Mapping[int, str]) -> str:
    return ", ".join(str(number) for number in numbers)
