"""BM25 and the counts that recall bases its thresholds on, and the postings in the vault that it reads by SQL."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeVar

from memtui.domain.kinds import Kinds
from memtui.domain.memory import Memory
from memtui.vault.filters import MemoryFilter, Scope, where_sql
from memtui.vault.indexed import TOGETHER, posting_insertions

if TYPE_CHECKING:
    import duckdb
    import numpy as np
    from numpy.typing import NDArray

K1 = 0.9
B = 0.4  # Measured 5 points of recall@10 better than 1.5 and 0.75 on short texts

SCORE_DIGITS = 9
"""Scores that agree to this many decimals are equal, so that the order does not depend on the order of summation."""

ROUNDING = 1e-9  # Slack of a floor, for the same reason

UNASSIGNED = "unassigned"
FOREIGN = "foreign"  # Groups of a survey besides the statuses of the memories in scope

POINTS_SQL = f"w.weight * p.frequency * {K1 + 1} / (p.frequency + {K1} * (1 - {B} + {B} * d.length / ?))"
"""`points` in SQL, for posting `p`, idf `w.weight`, document `d` and the mean length as parameter."""

NumberT = TypeVar("NumberT", float, "NDArray[np.float64]")


def idf(documents: int, holders: int) -> float:
    """Return how rare a term is."""
    return math.log(1 + (documents - holders + 0.5) / (holders + 0.5))


def points(rarity: float, frequency: NumberT, length: NumberT, mean_length: float) -> NumberT:
    """Return what a term adds to the score of a memory, or of an array of memories; `POINTS_SQL` is the same."""
    return rarity * frequency * (K1 + 1) / (frequency + K1 * (1 - B + B * length / mean_length))


@dataclass(frozen=True, slots=True)
class LexicalHit:
    """A memory that shares terms with a query."""

    key: int  # the memory's internal key
    score: float  # BM25, unbounded; for a barred memory the sum of the weights that it matches
    terms: dict[str, float]  # contribution of each matched term to the score, the largest first


@dataclass(frozen=True, slots=True)
class TermCounts:
    """How common terms are in the whole vault, in memories of any project and status."""

    documents: int  # how many memories are indexed
    frequencies: Mapping[str, int]  # how many of them hold each term; 0 for unknown terms


class Postings(Protocol):
    """The postings of some terms: which memories hold them, and how often."""

    @property
    def counts(self) -> TermCounts:
        """How common the terms are."""

    def best(
        self, rarities: Mapping[str, float], wanted: MemoryFilter, limit: int
    ) -> Iterable[tuple[int, float, Mapping[str, float]]]:
        """Return key, sum of `points` and points per term of the best memories of a filter; ties break by key."""

    def tally(
        self, weights: Mapping[str, float], scope: Scope, floor: float
    ) -> Iterable[tuple[str, bool, bool, bool, int]]:
        """Count the memories that hold any of the terms.

        Yields status, whether unassigned, whether of a project in scope, whether the sum of the weights of its terms
        reaches the floor, and the number of such memories.
        """

    def barred(
        self, weights: Mapping[str, float], scope: Scope, floor: float, limit: int
    ) -> Iterable[tuple[int, float, Collection[str]]]:
        """Return key, sum of weights and terms of the memories that recall may only withhold, see `Matched.barred`."""


class Matched:
    """What the memories of a vault have in common with the terms of a query. Valid while the vault is leased."""

    def __init__(self, postings: Postings) -> None:
        self._postings = postings
        self.counts = postings.counts

    def search(self, wanted: MemoryFilter, *, limit: int) -> list[LexicalHit]:
        """Return the best memories of a filter by BM25; terms are OR-ed, ties break by key."""
        documents = self.counts.documents
        rarities = {term: idf(documents, holders) for term, holders in self.counts.frequencies.items()}
        if not rarities:
            return []
        order = {term: place for place, term in enumerate(rarities)}
        return [
            LexicalHit(key, score, dict(sorted(parts.items(), key=lambda part: (-part[1], order[part[0]]))))
            for key, score, parts in self._postings.best(rarities, wanted, limit)
        ]

    def survey(self, weights: Mapping[str, float], scope: Scope, *, floor: float) -> dict[tuple[str, bool], int]:
        """Return how many memories share these terms, per group and whether they reach the floor.

        The group is the status of memories in scope, `UNASSIGNED` for active ones without a project, and `FOREIGN` for
        active ones of other projects.

        `floor`: sum of weights that a memory has to match.
        """
        survey: dict[tuple[str, bool], int] = {}
        if not weights:
            return survey
        for status, unassigned, in_scope, reached, count in self._postings.tally(weights, scope, floor - ROUNDING):
            if status == "active":
                group = UNASSIGNED if unassigned else status if in_scope else FOREIGN
            elif unassigned or in_scope:
                group = status
            else:
                continue
            survey[group, reached] = survey.get((group, reached), 0) + count
        return survey

    def barred(self, weights: Mapping[str, float], scope: Scope, *, floor: float, limit: int) -> list[LexicalHit]:
        """Return the best of the memories in scope that may only be withheld: those not active, or unassigned.

        Their score is the sum of the weights that they match. Superseded ones come first, because they lead to
        their replacement.
        """
        if not weights:
            return []
        strongest = sorted(weights, key=lambda term: (-weights[term], term))
        return [
            LexicalHit(key, mass, {term: weights[term] for term in strongest if term in terms})
            for key, mass, terms in self._postings.barred(weights, scope, floor - ROUNDING, limit)
        ]


def write_postings(connection: duckdb.DuckDBPyConnection, memories: Sequence[tuple[int, Memory]]) -> None:
    """Write the postings of memories whose old ones are already deleted."""
    for start in range(0, len(memories), TOGETHER):
        for statement in posting_insertions(memories[start : start + TOGETHER]):
            connection.execute(*statement)


def delete_postings(connection: duckdb.DuckDBPyConnection, keys: Sequence[int]) -> None:
    if not keys:
        return
    listed = ", ".join(str(int(key)) for key in keys)
    connection.execute(f"DELETE FROM postings WHERE memory_key IN ({listed})")
    connection.execute(f"DELETE FROM documents WHERE memory_key IN ({listed})")


class SqlPostings:
    """The postings of some terms, copied to a temporary table: one scan of the postings costs more than all queries."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, kinds: Kinds, terms: Sequence[str]) -> None:
        from memtui.text.tokens import term_id

        self._connection = connection
        self._kinds = kinds
        self._numbers = {term: term_id(term) for term in terms}
        self._terms = {number: term for term, number in self._numbers.items()}
        listed = ", ".join(map(str, self._terms)) or "NULL"
        connection.execute(
            "CREATE OR REPLACE TEMP TABLE matched_terms AS"
            f" SELECT term, memory_key, frequency FROM postings WHERE term IN ({listed})"
        )
        row = connection.execute("SELECT count(*), coalesce(avg(length), 0) FROM documents").fetchone()
        documents, self._mean_length = row or (0, 0.0)
        found = connection.execute("SELECT term, count(*) FROM matched_terms GROUP BY term").fetchall()
        known = {self._terms[int(number)]: int(count) for number, count in found}
        self.counts = TermCounts(int(documents), {term: known.get(term, 0) for term in terms})

    def best(
        self, rarities: Mapping[str, float], wanted: MemoryFilter, limit: int
    ) -> Iterator[tuple[int, float, dict[str, float]]]:
        """Return the best memories of a filter, see `Postings`."""
        condition, parameters = where_sql(wanted, self._kinds)
        found = self._connection.execute(
            f"WITH {self._weights_sql(rarities)}, points AS (SELECT p.memory_key, p.term, {POINTS_SQL} AS points"
            " FROM matched_terms p JOIN w USING (term) JOIN documents d USING (memory_key))"
            " SELECT p.memory_key, sum(p.points) AS score, list({'term': p.term, 'points': p.points})"
            f" FROM points p JOIN memories m ON m.key = p.memory_key WHERE {condition} GROUP BY p.memory_key"
            f" ORDER BY round(score, {SCORE_DIGITS}) DESC, p.memory_key LIMIT ?",
            [self._mean_length, *parameters, limit],
        ).fetchall()
        for key, score, parts in found:
            yield int(key), float(score), {self._terms[part["term"]]: float(part["points"]) for part in parts}

    def tally(
        self, weights: Mapping[str, float], scope: Scope, floor: float
    ) -> Iterator[tuple[str, bool, bool, bool, int]]:
        """Count the memories that hold any of the terms, see `Postings`."""
        in_scope, parameters = where_sql(MemoryFilter(scope=Scope(scope.projects), statuses=None), self._kinds)
        found = self._connection.execute(
            f"{self._mass_sql(weights)} SELECT m.status, m.project IS NULL, coalesce({in_scope}, false), mass >= ?,"
            " count(*) FROM mass JOIN memories m ON m.key = memory_key GROUP BY ALL",
            [*parameters, floor],
        ).fetchall()
        yield from found

    def barred(
        self, weights: Mapping[str, float], scope: Scope, floor: float, limit: int
    ) -> Iterator[tuple[int, float, Collection[str]]]:
        """Return the memories that recall may only withhold, see `Postings`."""
        in_scope, parameters = where_sql(MemoryFilter(scope=Scope(scope.projects), statuses=None), self._kinds)
        found = self._connection.execute(
            f"{self._mass_sql(weights)} SELECT memory_key, mass, terms FROM mass JOIN memories m ON m.key = memory_key"
            f" WHERE mass >= ? AND (m.project IS NULL OR (m.status <> 'active' AND {in_scope}))"
            f" ORDER BY m.status <> 'superseded', round(mass, {SCORE_DIGITS}) DESC, memory_key LIMIT ?",
            [floor, *parameters, limit],
        ).fetchall()
        for key, mass, terms in found:
            yield int(key), float(mass), {self._terms[term] for term in terms}

    def _mass_sql(self, weights: Mapping[str, float]) -> str:
        """Return the start of a query: per memory the sum of the weights that it matches, and its terms."""
        return (
            f"WITH {self._weights_sql(weights)}, mass AS (SELECT memory_key, sum(weight) AS mass, list(term) AS terms"
            " FROM matched_terms JOIN w USING (term) GROUP BY memory_key)"
        )

    def _weights_sql(self, weights: Mapping[str, float]) -> str:
        # As text, because DuckDB reads a plain number with a point as a decimal.
        pairs = ", ".join(f"({self._numbers[term]}, '{weight!r}'::DOUBLE)" for term, weight in weights.items())
        return f"w(term, weight) AS (VALUES {pairs})"
