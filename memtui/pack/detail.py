"""How much of each memory a payload holds where not all fit whole."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath
from typing import Literal

from memtui.recall.result import Hit, Task, order_key
from memtui.text.tokens import query_terms

Detail = Literal["most", "much", "some", "little"]
"""How much of a memory is kept: of the nearest one, of the next, of what is near, of what is less so."""

BEST_FIRST = 3  # Hits taken by score before size counts, in more detail: the best must not lose to small ones
NEAR = 0.8  # Below this share of the second best score a memory is reduced to its rules

WHOLE, OPENING, LINES = "whole", "opening", "lines"
"""Other values of detail: the whole text, as much of a giant as fits, with a mark, or all but lines to look up."""

DETAIL_WORDS: Mapping[str, str] = {
    "most": "shortened",
    "much": "shortened",
    "some": "shortened",
    "little": "rules alone",
    OPENING: "its opening alone",
    LINES: "of its lists the lines that the task names",
}
"""How a shortened memory is described to a person."""


def details_of(hits: Sequence[Hit]) -> Mapping[str, Detail]:
    """Return how much of each hit is kept, by its score, which a recorded pack has too; pins count as near the task."""
    ranked = sorted((hit for hit in hits if not hit.memory.pinned), key=order_key)
    second_best = _score_at(1, ranked)
    details: dict[str, Detail] = {hit.memory.id: "some" for hit in hits}
    for place, hit in enumerate(ranked):
        if place < BEST_FIRST:
            details[hit.memory.id] = "much" if place else "most"
        elif hit.score < NEAR * second_best:
            details[hit.memory.id] = "little"
    return details


def _score_at(place: int, ranked: Sequence[Hit]) -> float:
    """Return the score of a hit by its place, of the last one where there are fewer."""
    scores = sorted((hit.score for hit in ranked), reverse=True)
    return scores[min(place, len(scores) - 1)] if scores else 0.0


_FILES_OF_TASK = 5  # Files whose names tell what the task is about
_READ_OF_TASK = 2_000  # Characters of a task that are looked at: what is to be done stands at the start

_DOING = frozenset(query_terms("make use get need want do"))
"""Words of nearly every task: that a memory holds them too is no evidence."""


def words_of(task: Task, *, with_folders: bool = False) -> frozenset[str]:
    """Return the words of a task and of the names of its files, stemmed.

    `with_folders`: whether the names of the folders that they lie in belong to them.
    """
    paths = [PurePosixPath(file) for file in task.files[:_FILES_OF_TASK]]
    names = [path.stem for path in paths] + [path.parent.name for path in paths if with_folders]
    return frozenset(query_terms(" ".join((task.text[:_READ_OF_TASK], *names)))) - _DOING
