"""The memories that hold a query's terms, from postings in memory, with the answers that SQL gives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from memtui.text.tokens import query_terms, term_id
from memtui.vault.evidence import FOREIGN, ROUNDING, UNASSIGNED, TermCounts
from memtui.vault.filters import MemoryFilter, Scope
from memtui.vault.postings import K1, SCORE_DIGITS, B, LexicalHit
from memtui.vault.term_table import TermState

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class MatchedInMemory:
    """The postings of a query's terms: what `MatchedTerms` is by SQL, with the same answers.

    Attributes:
        counts: in how many memories, of any project and status, each term occurs.
    """

    def __init__(self, state: TermState, terms: Sequence[str]) -> None:
        self._state = state
        self._found = {term: state.find(term_id(term)) for term in dict.fromkeys(terms)}
        frequencies = {term: len(rows) for term, (rows, _) in self._found.items()}
        self.counts = TermCounts(state.columns.documents, frequencies)

    def search(self, query: str, wanted: MemoryFilter, *, limit: int) -> list[LexicalHit]:
        """Return the best memories of a filter by BM25; ties break by key.

        Args:
            query: the query whose terms were matched.
            wanted: which memories, by scope and status alone.
            limit: most hits to return.
        """
        import numpy as np

        columns = self._state.columns
        scores = np.zeros(len(columns.keys))
        points = {}
        for term in query_terms(query):
            rows, _ = self._found[term]
            points[term] = (rows, self._points(term))
            scores[rows] += points[term][1]
        scores[~self._state.mask(wanted)] = 0.0
        best = _best(scores, columns.keys, limit)
        parts: list[list[tuple[float, str]]] = [[] for _ in range(len(best))]
        ranks = np.full(len(scores), -1, np.int32)
        ranks[best] = np.arange(len(best), dtype=np.int32)
        for term, (rows, values) in points.items():
            among = ranks[rows]
            for rank, value in zip(among[among >= 0].tolist(), values[among >= 0].tolist(), strict=True):
                parts[rank].append((value, term))
        return [
            LexicalHit(key, score, {term: value for value, term in sorted(mine, key=lambda part: -part[0])})
            for key, score, mine in zip(columns.keys[best].tolist(), scores[best].tolist(), parts, strict=True)
        ]

    def _points(self, term: str) -> NDArray[np.float64]:
        """Return what a term adds to the score of each memory that holds it, see `postings`."""
        import numpy as np

        rows, frequencies = self._found[term]
        columns = self._state.columns
        documents, holding = columns.documents, len(rows)
        rarity = np.log(1 + (documents - holding + 0.5) / (holding + 0.5))
        often = frequencies.astype(np.float64)
        lengths = columns.lengths[rows] / columns.mean_length if columns.mean_length else 0.0
        points: NDArray[np.float64] = rarity * often * (K1 + 1) / (often + K1 * (1 - B + B * lengths))
        return points

    def survey(self, weights: Mapping[str, float], scope: Scope, *, floor: float) -> dict[tuple[str, bool], int]:
        """Return how many memories share these terms, per place and whether they reach the floor.

        Args:
            weights: weight of each term.
            scope: the projects in view.
            floor: sum of weights that a memory has to match.
        """
        import numpy as np

        if not weights:
            return {}
        columns = self._state.columns
        rows, mass = self._mass(weights)
        reached = mass >= floor - ROUNDING
        within, unassigned = columns.within(Scope(scope.projects))[rows], columns.projects[rows] < 0
        survey: dict[tuple[str, bool], int] = {}
        for code, status in enumerate(columns.status_names):
            mine = columns.statuses[rows] == code
            is_active = status == "active"
            places = [(UNASSIGNED if is_active else status, mine & unassigned), (status, mine & within & ~unassigned)]
            if is_active:
                places.append((FOREIGN, mine & ~within & ~unassigned))
            for place, chosen in places:
                for answer in (True, False):
                    count = int(np.count_nonzero(chosen & (reached == answer)))
                    if count:
                        survey[place, answer] = survey.get((place, answer), 0) + count
        return survey

    def barred(self, weights: Mapping[str, float], scope: Scope, *, floor: float, limit: int) -> list[LexicalHit]:
        """Return the best of the memories in view that may only be withheld, see `MatchedTerms.barred`.

        Args:
            weights: weight of each term.
            scope: the projects in view.
            floor: sum of weights that a memory has to match.
            limit: most memories.
        """
        import numpy as np

        if not weights:
            return []
        columns = self._state.columns
        rows, mass = self._mass(weights)
        unassigned = columns.projects[rows] < 0
        chosen = (mass >= floor - ROUNDING) & (unassigned | columns.within(Scope(scope.projects))[rows])
        chosen &= unassigned | ~columns.of_status(MemoryFilter())[rows]
        rows, mass = rows[chosen], mass[chosen]
        replaced = columns.of_status(MemoryFilter(statuses=("superseded",)))[rows]
        best = np.lexsort((columns.keys[rows], -mass, ~replaced))[:limit]
        strongest = sorted(weights, key=lambda term: (-weights[term], term))
        holding = {term: np.isin(rows[best], self._found[term][0]) for term in strongest}
        return [
            LexicalHit(
                int(columns.keys[rows[place]]),
                float(mass[place]),
                {term: weights[term] for term in strongest if holding[term][rank]},
            )
            for rank, place in enumerate(best.tolist())
        ]

    def _mass(self, weights: Mapping[str, float]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the places that match any of the terms, and the sum of the weights that each matches."""
        import numpy as np

        mass = np.zeros(len(self._state.columns.keys))
        touched = np.zeros(len(mass), np.bool_)
        for term, weight in weights.items():
            rows, _ = self._found[term]
            mass[rows] += weight
            touched[rows] = True
        places = np.flatnonzero(touched)
        return places, mass[places]


def _best(scores: NDArray[np.float64], keys: NDArray[np.int64], limit: int) -> NDArray[np.int64]:
    """Return the places of the highest scores above 0, the highest first; ties break by key."""
    import numpy as np

    found = np.flatnonzero(scores)
    scores = np.round(scores, SCORE_DIGITS)
    if len(found) > limit:
        lowest = np.partition(scores[found], len(found) - limit)[len(found) - limit]
        found = found[scores[found] >= lowest]
    best: NDArray[np.int64] = found[np.lexsort((keys[found], -scores[found]))][:limit]
    return best
