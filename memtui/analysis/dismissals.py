"""What a person's dismissals teach: proposals like those that were dismissed are not made again.

A lesson is narrow: it holds for one finding and one shape of it, in the same files, under the same heading or in one
project, and for nothing that is more alike than what was dismissed. It is no record of its own: it follows from the
dismissals, so that it goes where they go, and ends with them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import combinations
from typing import Literal

from memtui.analysis.contradictions import sort_of
from memtui.analysis.duplicates import likeness
from memtui.analysis.pair_differences import differences
from memtui.analysis.snapshot import (
    ALONE,
    NOT_CONTRADICTION,
    NOT_DUPLICATE,
    NOT_FRAGMENT,
    NOT_OVERSIZED,
    NOT_RELATED,
    NOT_RIPE,
    NOT_VAGUE,
    Pair,
    Snapshot,
    TextCache,
)
from memtui.domain.memory import Memory, Verdict

PlaceSort = Literal["files", "heading", "project"]

FEWEST: Mapping[PlaceSort, int] = {"files": 3, "heading": 3, "project": 12}
"""Dismissals from which a place teaches: in a whole project a shape says little of the next one."""

ROOM = 0.02  # How much more alike than what was dismissed a proposal may be for a lesson to cover it

FINDING_OF = {
    NOT_DUPLICATE: "duplicates",
    NOT_CONTRADICTION: "contradictions",
    NOT_RIPE: "ripe",
    NOT_RELATED: "links",
    NOT_OVERSIZED: "oversized",
    NOT_VAGUE: "vague",
    NOT_FRAGMENT: "fragments",
}
"""The finding that a verdict dismisses."""

VERDICT_OF = {finding: verdict for verdict, finding in FINDING_OF.items()}

BY_PAIR = frozenset({"contradictions", "links"})
"""Findings of which each pair is a decision of its own; of others a group is, however many pairs it has."""

Key = tuple[str, tuple[str, ...], PlaceSort, str]  # Finding, shape, sort of place, its name


@dataclass(frozen=True, slots=True)
class Lesson:
    """Proposals of one shape in one place that are not made, since enough like them were dismissed."""

    finding: str
    shape: tuple[str, ...]
    sort: PlaceSort
    place: str  # the files, joined with ` + `, the heading, or the project
    number: int  # dismissals that teach it
    most: float  # likeness of those of them that are most alike, 0–1
    verdicts: tuple[Verdict, ...] = field(compare=False)  # the dismissals

    @property
    def name(self) -> str:
        """Six characters that stay the same as long as finding, shape and place do."""
        return _name(self.finding, self.shape, self.sort, self.place)


def _name(finding: str, shape: tuple[str, ...], sort: PlaceSort, place: str) -> str:
    return blake2b("\0".join((finding, *shape, sort, place)).encode(), digest_size=3).hexdigest()


@dataclass(frozen=True, slots=True)
class Hidden:
    """A proposal that is not made because of a lesson."""

    ids: tuple[str, ...]
    lesson: Lesson


class Lessons:
    """What the dismissals in a snapshot teach."""

    def __init__(self, snapshot: Snapshot, cache: TextCache, flaws: Mapping[str, tuple[str, str]]) -> None:
        """Learn from a snapshot. `flaws`: for each memory by itself, the finding and its reason."""
        self._memories = {memory.id: memory for memory in snapshot.memories}
        self._texts = cache
        self._flaws = flaws
        self._learned = self._learn(snapshot)

    def __iter__(self) -> Iterator[Lesson]:
        return iter(self._learned.values())

    def hiding(self, finding: str, ids: Sequence[str]) -> Lesson | None:
        """Return the lesson by which a proposal is not made, the narrowest first; None if it is made."""
        if not self._learned:
            return None
        memories = [self._memories[identifier] for identifier in ids]
        shapes = {self._shape(finding, *pair) for pair in _ends(memories)}
        shape = shapes.pop()
        if shapes:
            return None
        alike = min(self._likeness(*pair) for pair in _ends(memories))
        for sort, place in places_of(memories):
            lesson = self._learned.get((finding, shape, sort, place))
            if lesson is not None and alike <= lesson.most + ROOM:
                return lesson
        return None

    def part(self, finding: str, groups: Iterable[tuple[str, ...]]) -> tuple[set[tuple[str, ...]], list[Hidden]]:
        """Return the ids of the proposals that are made, and those that are not."""
        shown: set[tuple[str, ...]] = set()
        hidden: list[Hidden] = []
        for ids in groups:
            lesson = self.hiding(finding, ids)
            if lesson is None:
                shown.add(ids)
            else:
                hidden.append(Hidden(ids, lesson))
        return shown, hidden

    def _learn(self, snapshot: Snapshot) -> dict[Key, Lesson]:
        taught: dict[Key, dict[Pair, Verdict]] = {}
        for pair, verdict in snapshot.dismissals_in_force():
            finding = FINDING_OF.get(verdict.verdict)
            if finding is None or ALONE in verdict.reason.split():
                continue
            members = [self._memories[identifier] for identifier in dict.fromkeys(pair)]
            shape = self._shape(finding, members[0], members[-1])
            for sort, place in places_of(members):
                taught.setdefault((finding, shape, sort, place), {})[pair] = verdict
        return {key: self._lesson(key, found) for key, found in taught.items() if _number(key, found) >= FEWEST[key[2]]}

    def _lesson(self, key: Key, found: Mapping[Pair, Verdict]) -> Lesson:
        most = max(self._likeness(self._memories[one], self._memories[other]) for one, other in found)
        return Lesson(*key, _number(key, found), most, tuple(found.values()))

    def _shape(self, finding: str, one: Memory, other: Memory) -> tuple[str, ...]:
        """Return what a proposal of two memories has in common with others, by their texts alone."""
        if finding == "contradictions":
            return (sort_of(one, other, self._texts),)
        if finding == "duplicates":
            return tuple(sorted({difference.label for difference in differences(one, other, self._texts)}))
        _, reason = self._flaws.get(one.id, ("", "")) if one is other else ("", "")
        return (reason,) if reason else ()

    def _likeness(self, one: Memory, other: Memory) -> float:
        return likeness(*(self._texts.wordings[memory.title, memory.insight] for memory in (one, other)))


def _ends(memories: Sequence[Memory]) -> list[tuple[Memory, Memory]]:
    """Return the pairs of a group, or a memory with itself."""
    return list(combinations(memories, 2)) or [(memories[0], memories[0])]


def places_of(memories: Sequence[Memory]) -> list[tuple[PlaceSort, str]]:
    """Return where memories stand, the narrowest first: their files, their common heading, their project."""
    found: list[tuple[PlaceSort, str]] = []
    paths = [memory.source.path if memory.source else None for memory in memories]
    if all(paths):
        found.append(("files", " + ".join(sorted({str(path) for path in paths}))))
    headings = {heading_of(memory) for memory in memories}
    if len(headings) == 1 and "" not in headings:
        found.append(("heading", headings.pop()))
    projects = {memory.project for memory in memories}
    if len(projects) == 1 and None not in projects:
        found.append(("project", str(projects.pop())))
    return found


def heading_of(memory: Memory) -> str:
    """Return the heading that a memory stood under in its source, without case; empty if none is known."""
    native = (memory.source.native_id if memory.source else None) or ""
    return native.rpartition("#")[0].rpartition(" > ")[2].strip().casefold()


def _number(key: Key, pairs: Collection[Pair]) -> int:
    """Return how many dismissals these pairs are."""
    joins, heads = 0, {end: end for pair in pairs for end in pair}

    def head(end: str) -> str:
        while heads[end] != end:
            end = heads[end]
        return end

    for one, other in pairs:
        left, right = head(one), head(other)
        if left != right:
            heads[left] = right
            joins += 1
    return joins if key[0] in BY_PAIR else sum(1 for end in heads if heads[end] == end)
