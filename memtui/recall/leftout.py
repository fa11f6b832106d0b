"""What a recall leaves out: the nearest by name with the reason, the rest as counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from memtui.domain.memory import Memory
from memtui.recall import withholding
from memtui.recall.fetching import OUTSIDE_VALID_TIME, Fetched
from memtui.recall.result import BELOW_FLOOR, Hit, Withheld, listed_and_counted
from memtui.recall.scoring import Scorer
from memtui.recall.task import Task
from memtui.recall.withholding import Reason
from memtui.vault.evidence import UNASSIGNED
from memtui.vault.filters import Scope


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Tells what one recall leaves out."""

    fetched: Fetched
    scorer: Scorer
    task: Task
    scope: Scope

    def tell(
        self,
        *,
        reasons: Mapping[str, Reason],
        dropped: Sequence[tuple[Hit, Reason]],
        beyond: Sequence[Hit],
        ranked: set[str],
    ) -> tuple[tuple[Withheld, ...], dict[str, int]]:
        """Return at most fifty withheld memories, the nearest first, and counts of the rest.

        Args:
            reasons: why memories may not be recalled, by id.
            dropped: hits that gave way to others.
            beyond: hits after the last one shown.
            ranked: ids of all hits, shown or not.
        """
        limit, floor = _plain(withholding.BEYOND_LIMIT), _plain(BELOW_FLOOR)
        memories, own = self.fetched.memories, self.scorer.own_relevance
        withheld = [reason.of(hit.memory, hit.relevance) for hit, reason in dropped]
        withheld += [limit.of(hit.memory, hit.relevance) for hit in beyond]
        withheld += [
            reason.of(memories[identifier], own(identifier))
            for identifier, reason in reasons.items()
            if reason.group != withholding.OTHER_PROJECT and self._is_near(identifier)
        ]
        withheld += [
            replace(floor, detail=self.scorer.below_floor(identifier)).of(memory, own(identifier))
            for identifier, memory in memories.items()
            if identifier not in ranked and identifier not in reasons and self.scorer.own_terms(identifier)
        ]
        named = {*ranked, *(one.id for one in withheld)}
        return listed_and_counted(withheld, self._unseen(named))

    def _is_near(self, identifier: str) -> bool:
        return self.scorer.reaches_floor(identifier) or self.fetched.memories[identifier].pinned

    def _unseen(self, named: set[str]) -> dict[str, int]:
        """Return counts per group of the memories that match and are not named."""
        unseen = dict(self.fetched.unseen)
        seen = self._seen(named)
        for (place, reached), number in self.fetched.survey.items():
            group = withholding.GROUP_OF_PLACE.get(place) if reached else None
            if place == "active":
                group = withholding.BEYOND_LIMIT if reached else BELOW_FLOOR
            if group:
                unseen[group] = unseen.get(group, 0) + number - seen.get((place, reached), 0)
        if not self.task.has_words:
            expired = self.fetched.unseen.get(OUTSIDE_VALID_TIME, 0)
            unseen[withholding.BEYOND_LIMIT] = unseen.get(withholding.BEYOND_LIMIT, 0) - expired
        return unseen

    def _seen(self, named: set[str]) -> dict[tuple[str, bool], int]:
        """Return how many of the memories that the survey counted are named, in the survey's own terms."""
        seen: dict[tuple[str, bool], int] = {}
        for identifier in named:
            memory = self.fetched.memories[identifier]
            if (identifier in self.fetched.lexical or not self.task.has_words) and self._in_view(memory):
                place = UNASSIGNED if memory.project is None and memory.status == "active" else memory.status
                reached = self.scorer.answers(identifier) if self.task.has_words else True
                seen[place, reached] = seen.get((place, reached), 0) + 1
        return seen

    def _in_view(self, memory: Memory) -> bool:
        inside = self.scope.projects
        return memory.project is None or inside is None or memory.project in inside


def _plain(words: str) -> Reason:
    return Reason(words, words)
