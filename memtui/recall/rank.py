"""Rank a vault's memories for a task."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING

from memtui.config import RecallSettings
from memtui.domain.kinds import Kinds
from memtui.domain.memory import Link, Memory
from memtui.domain.reasons import Reason, ReasonCode
from memtui.recall import eligibility
from memtui.recall.anchors import FLOOR_STRENGTH
from memtui.recall.eligibility import CODE_OF_PLACE, check_phase, elsewhere, guess_phase
from memtui.recall.lexical import LONGEST_QUERY, Query
from memtui.recall.result import Hit, Part, Recall, Sureness, Task, Withheld, listed_and_counted, order_key
from memtui.recall.retrieve import MOST_STANDING, Fetched, fetch, fetch_for_task
from memtui.recall.scoring import Scorer, pin_part
from memtui.tree import Tree
from memtui.vault.bm25 import UNASSIGNED
from memtui.vault.filters import Scope
from memtui.vault.vault import Vault

if TYPE_CHECKING:
    from memtui.recall.semantic import Meaning


BEYOND_LIMIT = Reason(ReasonCode.BEYOND_LIMIT)

MOST_HITS = 60
MOST_NEAR = 80  # Memories below the floor that are measured for a payload, the nearest

STANDING_ALONE = 1.0  # Relevance of every memory of the project if the task has neither text nor files
STANDING_BESIDE_FILES = 0.1  # Relevance of memories without a tie to the given files; they fill the space that is left


def recall(
    vault: Vault,  # the vault; read under one lease, which is over before anything is ranked
    task: Task,
    scope: Scope,  # the projects in view; unassigned memories are never recalled
    *,
    settings: RecallSettings,
    now: datetime,  # the moment freshness is measured at, and at which memories must be valid without `task.as_of`
    limit: int = MOST_HITS,  # most hits, pins aside
    # the working tree to follow imports in before the lease, and to check anchors against after it
    tree: Tree | None = None,
    meaning: Meaning | None = None,  # compares the task with memories by meaning, None for words, files and links alone
    standing_limit: int = MOST_STANDING,  # most memories that are read for a task without text because they are useful
) -> Recall:
    """Return the memories that are relevant to a task, the best first.

    With files and no text, memories tied to the files come first and the most useful of the project after
    them; with neither, the most useful of the project.

    Raises `UsageError`: unknown phase.
    """
    found = gather(
        vault, task, scope, settings=settings, now=now, tree=tree, meaning=meaning, standing_limit=standing_limit
    )
    return found.rank(vault.kinds, limit)


@dataclass(frozen=True, slots=True)
class Evidence:
    """What was read for a task; it can be ranked again under other half-lives without the vault."""

    fetched: Fetched
    task: Task
    scope: Scope
    settings: RecallSettings
    now: datetime

    def rank(self, kinds: Kinds, limit: int = MOST_HITS) -> Recall:
        """Return the memories that are relevant to the task, the best first.

        A task without words was read in the order of freshness, so gather it again for other kinds.
        """
        task = self.task
        phase = check_phase(task.phase) if task.phase else guess_phase(task.text)
        at = task.as_of or self.now
        successor = eligibility.successors(self.fetched.links, self.fetched.memories, self.scope, at)
        reasons = {
            memory.id: reason
            for memory in self.fetched.memories.values()
            if (
                reason := eligibility.ineligible(memory, self.scope, at, successor.get(memory.id))
                or elsewhere(memory, task.files, task.phase)
            )
        }
        pool = {identifier for identifier in self.fetched.memories if identifier not in reasons}
        scorer = Scorer(
            self.fetched,
            pool,
            self.settings,
            kinds,
            self.now,
            phase,
            phase_guessed=task.phase is None,
            is_standing=not task.has_words,
            measures=task.has_words,
        )
        ranking = _Ranking(self.fetched, scorer, self.scope, reasons, task.has_words, bool(task.files))
        return ranking.result(limit)


def gather(
    vault: Vault,
    task: Task,
    scope: Scope,
    *,
    settings: RecallSettings,
    now: datetime,
    tree: Tree | None = None,
    meaning: Meaning | None = None,
    standing_limit: int = MOST_STANDING,
) -> Evidence:
    """Return what a recall ranks, read under one lease; the arguments are those of `recall`."""
    read = partial(
        fetch_for_task,
        vault,
        Query.of(task.text) if task.has_words else None,
        task.files,
        scope,
        at=task.as_of or now,
        now=now,
        freshness_weight=settings.freshness_weight,
        sense=meaning.sense(task.text[:LONGEST_QUERY]) if meaning and task.has_words else None,
        index=meaning.terms if meaning else None,
        standing_limit=standing_limit,
    )
    fetched = fetch(read, meaning, tree, task.files)
    return Evidence(fetched, task, scope, settings, now)


@dataclass(frozen=True, slots=True)
class _Ranking:
    """What was read for a task, with the scores of what may be recalled."""

    fetched: Fetched
    scorer: Scorer
    scope: Scope
    reasons: Mapping[str, Reason]  # why memories may not be recalled, by id
    has_words: bool  # whether the task has any
    has_files: bool

    def result(self, limit: int) -> Recall:
        pins, hits = self._hits()
        ids = {hit.memory.id for hit in (*pins, *hits)}
        links = list(_among(self.fetched.links, ids))
        kept, dropped = eligibility.settle([*pins, *hits], links)
        pins = [hit for hit in kept if hit.memory.pinned]
        hits = [hit for hit in kept if not hit.memory.pinned]
        withheld, counts = self._withheld(dropped, hits[limit:], ids)
        hits = hits[:limit]
        relevant = frozenset(hit.memory.id for hit in pins if self._is_relevant(hit))
        shown = {hit.memory.id for hit in (*pins, *hits)}
        return Recall(
            hits=tuple(hits),
            pins=tuple(pins),
            withheld=withheld,
            withheld_counts=counts,
            other_projects=self.fetched.other_projects,
            abstained=None if hits or relevant else self._abstained(withheld),
            sure=self._sure(hits, relevant),
            without_vector=self.fetched.without_vector,
            kinship=self.fetched.kinship,
            relevant_pins=relevant,
            phase=self.scorer.phase,
            links=tuple(_among(links, shown)),
            states={place: state for place, state in self.fetched.states.items() if place[0] in shown},
            published={identifier: at for identifier, at in self.fetched.published.items() if identifier in shown},
            in_hand=self.fetched.surroundings.words,
            near=tuple(self._near(ids)),
        )

    def _near(self, ranked: Collection[str]) -> list[Hit]:
        """Return what was measured for a task in words and is no hit, the nearest first.

        Without files nothing but words and meaning ties a memory of a large vault to the task, and those say enough.
        """
        if not self.scorer.measures or not (self.has_files or self.fetched.is_whole):
            return []
        below = sorted(
            (one for one in self.scorer.pool if one not in ranked), key=lambda one: (self.scorer.place(one), one)
        )
        found = (self.scorer.hit(self.fetched.memories[one]) for one in below[:MOST_NEAR])
        return [replace(hit, signs=replace(hit.signs, is_below=True)) for hit in found if hit.signs]

    def _hits(self) -> tuple[list[Hit], list[Hit]]:
        """Return pins and other hits, each in order."""
        shares = self.scorer.neighbours()
        standing = set() if self.has_words else set(self.fetched.standing)
        tied: list[Hit] = []
        pins: list[Hit] = []
        rest: list[Hit] = []
        for identifier in self.scorer.pool:
            memory = self.fetched.memories[identifier]
            share = shares.get(identifier)
            if memory.pinned:
                pins.append(self.scorer.hit(memory, neighbour=share, extra=pin_part()))
            elif share or self.scorer.reaches_floor(identifier):
                tied.append(self.scorer.hit(memory, neighbour=share))
            elif identifier in standing:
                rest.append(self.scorer.hit(memory, extra=self._standing_part()))
        # Memories with evidence precede those that merely belong to the project, whatever the scores.
        return sorted(pins, key=order_key), [*sorted(tied, key=order_key), *sorted(rest, key=order_key)]

    def _is_relevant(self, pin: Hit) -> bool:
        return not self.has_words or self.scorer.reaches_floor(pin.memory.id)

    def _sure(self, hits: Sequence[Hit], relevant: Collection[str]) -> Sureness:
        """Return whether the hits answer the task; what a file is tied to does, whatever the words say."""
        if not hits and not relevant:
            return "nothing"
        tied = (self.fetched.files.get(hit.memory.id) for hit in hits)
        if not self.has_words or any(match and match.strength >= FLOOR_STRENGTH for match in tied):
            return "sure"
        # Single letters are no task, however many memories hold one.
        says = any(len(term) > 1 or not term.isascii() for term in self.fetched.weights.idf)
        return "sure" if says and self.scorer.sure == "sure" else "unsure"

    def _standing_part(self) -> Part:
        if self.has_files:
            return Part("project", STANDING_BESIDE_FILES, Reason(ReasonCode.SAME_PROJECT), "term")
        return Part("project", STANDING_ALONE, Reason(ReasonCode.USEFUL), "term")

    def _abstained(self, withheld: Iterable[Withheld]) -> Reason:
        weights = self.fetched.weights
        if not self.has_words:
            return Reason(ReasonCode.NO_ACTIVE_MEMORY)
        if not weights.idf:
            return Reason(ReasonCode.NO_TELLING_WORD)
        nearest = max(self.fetched.cosines.values(), default=None)
        if len(weights.unknown) == len(weights.idf):
            return Reason(ReasonCode.NO_KNOWN_WORD, score=nearest)
        reached = {one.reason.group for one in withheld if one.reason.code is not ReasonCode.BELOW_FLOOR}
        if reached:
            return Reason(ReasonCode.ALL_WITHHELD, because=tuple(reached))
        if not self.fetched.survey.keys() & {("active", True), ("active", False)}:
            return Reason(ReasonCode.NO_SHARED_WORD, score=nearest)
        return Reason(ReasonCode.TOO_LITTLE_SHARED, score=nearest)

    def _withheld(
        self, dropped: Sequence[tuple[Hit, Reason]], beyond: Sequence[Hit], ranked: set[str]
    ) -> tuple[tuple[Withheld, ...], dict[Reason, int]]:
        """Return at most fifty withheld memories, the nearest first, and counts of the rest.

        Args:
            dropped: hits that gave way to others.
            beyond: hits after the last one shown.
            ranked: ids of all hits, shown or not.
        """
        memories, own = self.fetched.memories, self.scorer.own_relevance
        withheld = [Withheld.of(hit.memory, reason, hit.relevance) for hit, reason in dropped]
        withheld += [Withheld.of(hit.memory, BEYOND_LIMIT, hit.relevance) for hit in beyond]
        withheld += [
            Withheld.of(memories[identifier], reason, own(identifier))
            for identifier, reason in self.reasons.items()
            if reason.code is not ReasonCode.OTHER_PROJECT and self._is_near(identifier)
        ]
        withheld += [
            Withheld.of(memory, self.scorer.below_floor(identifier), own(identifier))
            for identifier, memory in memories.items()
            if identifier not in ranked and identifier not in self.reasons and self.scorer.own_terms(identifier)
        ]
        named = {*ranked, *(one.id for one in withheld)}
        return listed_and_counted(withheld, self._unseen(named))

    def _is_near(self, identifier: str) -> bool:
        return self.scorer.reaches_floor(identifier) or self.fetched.memories[identifier].pinned

    def _unseen(self, named: set[str]) -> dict[Reason, int]:
        """Return counts per group of the memories that match and are not named."""
        unseen = dict(self.fetched.unseen)
        seen = self._seen(named)
        for (place, reached), number in self.fetched.survey.items():
            code = CODE_OF_PLACE.get(place) if reached else None
            if place == "active":
                code = ReasonCode.BEYOND_LIMIT if reached else ReasonCode.BELOW_FLOOR
            if code:
                group = Reason(code)
                unseen[group] = unseen.get(group, 0) + number - seen.get((place, reached), 0)
        if not self.has_words:
            expired = self.fetched.unseen.get(Reason(ReasonCode.OUTSIDE_VALID_TIME), 0)
            unseen[BEYOND_LIMIT] = unseen.get(BEYOND_LIMIT, 0) - expired
        return unseen

    def _seen(self, named: set[str]) -> dict[tuple[str, bool], int]:
        """Return how many of the memories that the survey counted are named, in the survey's own terms."""
        seen: dict[tuple[str, bool], int] = {}
        for identifier in named:
            memory = self.fetched.memories[identifier]
            if (identifier in self.fetched.lexical or not self.has_words) and self._in_view(memory):
                place = UNASSIGNED if memory.project is None and memory.status == "active" else memory.status
                reached = self.scorer.answers(identifier) if self.has_words else True
                seen[place, reached] = seen.get((place, reached), 0) + 1
        return seen

    def _in_view(self, memory: Memory) -> bool:
        inside = self.scope.projects
        return memory.project is None or inside is None or memory.project in inside


def _among(links: Iterable[Link], shown: set[str]) -> Iterable[Link]:
    return (link for link in links if link.from_id in shown and link.to_id in shown)
