"""What recall reads beside the memories: term rarity, other matches, the most useful memories."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from memtui.domain.usefulness import HIGHEST, MULTIPLIERS
from memtui.text.tokens import term_id
from memtui.vault.filters import MemoryFilter, Scope, freshness_sql, where_sql
from memtui.vault.reader import VaultReader
from memtui.vault.search.postings_sql import LexicalHit, search_postings

ROUNDING = 1e-9
"""Slack of the floor, so that a sum in another order decides alike."""

UNASSIGNED = "unassigned"
FOREIGN = "foreign"
"""Places of a survey beside the statuses of memories in view."""


@dataclass(frozen=True, slots=True)
class TermCounts:
    """How common terms are in the whole vault.

    Attributes:
        frequencies: per term, how many of them hold it; unknown terms are 0.
    """

    documents: int
    frequencies: Mapping[str, int]


class MatchedTerms:
    """The postings of a query's terms, read once for several questions; good for the length of one lease.

    Attributes:
        counts: in how many memories, of any project and status, each term occurs.
    """

    def __init__(self, reader: VaultReader, terms: Sequence[str]) -> None:
        self._reader = reader
        self._connection = reader._connection  # noqa: SLF001 - the same package
        numbers = {term_id(term): term for term in terms}
        self._terms = numbers
        listed = ", ".join(str(number) for number in numbers) or "NULL"
        # A temporary table, because each scan of the postings costs more than all that follows.
        self._connection.execute(
            "CREATE OR REPLACE TEMP TABLE matched_terms AS"  # noqa: S608 - integers
            f" SELECT term, memory_key, frequency FROM postings WHERE term IN ({listed})"
        )
        row = self._connection.execute("SELECT count(*) FROM documents").fetchone()
        found = self._connection.execute("SELECT term, count(*) FROM matched_terms GROUP BY term").fetchall()
        known = {numbers[int(number)]: int(count) for number, count in found}
        self.counts = TermCounts(int(row[0]) if row else 0, {term: known.get(term, 0) for term in terms})

    def search(self, query: str, wanted: MemoryFilter, *, limit: int) -> list[LexicalHit]:
        """Return the best memories of a filter by BM25, as `VaultReader.search` does, without another scan.

        Args:
            query: the query whose terms were matched.
            limit: most hits to return.
        """
        condition, parameters = where_sql(wanted, self._reader.kinds)
        return search_postings(
            self._connection, query, where=condition, parameters=parameters, limit=limit, source="matched_terms"
        )

    def survey(self, weights: Mapping[str, float], scope: Scope, *, floor: float) -> dict[tuple[str, bool], int]:
        """Return how many memories share these terms, per place and whether they reach the floor.

        The place is the status of memories in scope, `unassigned` for active ones without a project, and
        `foreign` for active ones of other projects.

        Args:
            weights: weight of each term.
            scope: the projects in view.
            floor: sum of weights that a memory has to match.
        """
        if not weights:
            return {}
        within, parameters = _within(scope)
        found = self._connection.execute(
            f"{_mass_sql(weights)}, placed AS (SELECT CASE"  # noqa: S608 - integers and floats of ours
            f" WHEN m.project IS NULL THEN CASE m.status WHEN 'active' THEN '{UNASSIGNED}' ELSE m.status END"
            f" WHEN {within} THEN m.status WHEN m.status = 'active' THEN '{FOREIGN}' END AS place,"
            " mass >= ? AS reached FROM mass JOIN memories m ON m.key = memory_key)"
            " SELECT place, reached, count(*) FROM placed WHERE place IS NOT NULL GROUP BY ALL",
            [*parameters, floor - ROUNDING],
        ).fetchall()
        return {(str(place), bool(reached)): int(count) for place, reached, count in found}

    def barred(self, weights: Mapping[str, float], scope: Scope, *, floor: float, limit: int) -> list[LexicalHit]:
        """Return the best of the memories in view that may only be withheld: not active, or unassigned.

        Their score is the sum of the weights that they match. Superseded ones come first, because they lead
        to what replaces them.

        Args:
            weights: weight of each term.
            scope: the projects in view.
            floor: sum of weights that a memory has to match.
        """
        if not weights:
            return []
        within, parameters = _within(scope)
        found = self._connection.execute(
            f"{_mass_sql(weights)} SELECT memory_key, mass, terms FROM mass JOIN memories m ON m.key = memory_key"  # noqa: S608 - as above
            " WHERE mass >= ? AND (m.project IS NULL OR m.status <> 'active') AND"
            f" (m.project IS NULL OR {within})"
            " ORDER BY m.status <> 'superseded', mass DESC, memory_key LIMIT ?",
            [floor - ROUNDING, *parameters, limit],
        ).fetchall()
        return [
            LexicalHit(int(key), float(mass), self._strongest_first(numbers, weights)) for key, mass, numbers in found
        ]

    def _strongest_first(self, numbers: Sequence[int], weights: Mapping[str, float]) -> dict[str, float]:
        terms = [self._terms[int(number)] for number in numbers]
        return {term: weights[term] for term in sorted(terms, key=lambda term: (-weights[term], term))}


def _mass_sql(weights: Mapping[str, float]) -> str:
    """Return the start of a query: per memory the sum of the weights that it matches, and its terms."""
    pairs = ", ".join(f"({term_id(term)}, {weight!r})" for term, weight in weights.items())
    return (
        f"WITH weights(term, weight) AS (VALUES {pairs}), mass AS (SELECT memory_key, sum(weight) AS mass,"  # noqa: S608 - integers and floats of ours
        " list(term) AS terms FROM matched_terms JOIN weights USING (term) GROUP BY memory_key)"
    )


def standing(
    reader: VaultReader, wanted: MemoryFilter, *, at: datetime, now: datetime, weight: float, limit: int
) -> list[int]:
    """Return the internal keys among which the most useful memories of a filter are, best first by age.

    The best by freshness and importance, and besides every memory with signals whose usefulness could lift
    it among them; usefulness itself is the caller's to compute.

    Args:
        at: the day on which they must be valid.
        now: the moment freshness is measured at.
        limit: how many of each sort.
    """
    condition, parameters = where_sql(wanted, reader.kinds)
    steps = " ".join(f"WHEN {level} THEN {factor!r}" for level, factor in MULTIPLIERS.items())
    moment = at.astimezone(UTC).replace(tzinfo=None)
    found = reader._connection.execute(  # noqa: SLF001 - the same package
        "WITH base AS (SELECT m.key, m.id,"  # noqa: S608 - built from our own pieces
        f" pow({freshness_sql(reader.kinds, now)}, {weight!r}) * CASE m.importance {steps} ELSE 1.0 END AS worth"
        f" FROM memories m WHERE {condition} AND m.project IS NOT NULL"
        " AND (m.valid_from IS NULL OR m.valid_from <= ?) AND (m.valid_until IS NULL OR m.valid_until > ?)),"
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
        f"SELECT count(*) FROM memories m WHERE {condition} AND (m.valid_from > ? OR m.valid_until <= ?)",  # noqa: S608 - as above
        [*parameters, moment, moment],
    ).fetchone()
    return int(row[0]) if row else 0


def _within(scope: Scope) -> tuple[str, list[Any]]:
    if scope.projects is None:
        return "true", []
    if not scope.projects:
        return "false", []
    return f"m.project IN ({', '.join('?' * len(scope.projects))})", list(scope.projects)
