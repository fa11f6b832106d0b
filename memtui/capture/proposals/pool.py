"""The lessons of one project, those of earlier runs among them, what is said twice once."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

from memtui.capture.lessons.exchange import stems
from memtui.capture.lessons.proposal import Evidence, LessonSignal, Proposal
from memtui.capture.lessons.same import joined, same_lesson
from memtui.capture.lessons.traces import Traces
from memtui.capture.transcripts.session import Place
from memtui.domain.record import parse_time
from memtui.vault.proposals import ProposalOutcome, StoredProposal

_LEAST = 3
"""One stem in so many of the shorter lesson is shared by lessons that are the same."""


class Pool:
    """The lessons of one project: those of earlier runs, and the new ones, found by the stems that they share."""

    def __init__(self, told: Sequence[ProposalOutcome], folder: Path | None) -> None:
        self.dismissed = 0
        self.folder = folder
        self._lessons: list[Proposal] = []
        self._told: list[ProposalOutcome | None] = []
        self._tasks: list[str] = []
        self.traces: list[Traces] = []
        self._changed: set[int] = set()
        self._sizes: list[int] = []
        self._by_stem: dict[str, list[int]] = defaultdict(list)
        for one in told:
            self._add(proposal_of(one), one, one.proposal.task)

    def take(self, proposal: Proposal, task: str) -> None:
        """Add a lesson, or its place to the one that says the same."""
        at = self._alike(proposal)
        if at is None:
            self._add(proposal, None, task)
            return
        old, told = self._lessons[at], self._told[at]
        if told is not None and told.status == "retired":
            self.dismissed += 1
        elif not _is_copy(proposal, old):
            self._lessons[at] = joined(old, proposal)
            self._changed.add(at)

    def new(self) -> list[tuple[Proposal, str]]:
        """Return the lessons that are in no vault, with the tasks of their sessions."""
        rows = zip(self._lessons, self._told, self._tasks, strict=True)
        return [(lesson, task) for lesson, told, task in rows if told is None]

    def again(self) -> list[tuple[StoredProposal, Proposal]]:
        """Return the proposals of earlier runs that were said again."""
        found = ((self._told[at], self._lessons[at]) for at in sorted(self._changed))
        return [(told.proposal, lesson) for told, lesson in found if told is not None]

    def _add(self, proposal: Proposal, told: ProposalOutcome | None, task: str) -> None:
        terms = stems(proposal.quote)
        for stem in terms:
            self._by_stem[stem].append(len(self._lessons))
        self._sizes.append(len(terms))
        self._lessons.append(proposal)
        self._told.append(told)
        self._tasks.append(task)

    def _alike(self, proposal: Proposal) -> int | None:
        """Return the lesson that says the same; compared are those that share enough stems to be the same at all."""
        terms = stems(proposal.quote)
        shared = Counter(at for stem in terms for at in self._by_stem[stem])
        near = (at for at, number in shared.most_common() if number * _LEAST >= min(len(terms), self._sizes[at]))
        return next((at for at in near if same_lesson(self._lessons[at], proposal)), None)


def _is_copy(proposal: Proposal, old: Proposal) -> bool:
    """Return whether a lesson is read again, from the same place or from a session that was resumed or forked."""
    if proposal.place in {old.place, *(one.place for one in old.evidence)}:
        return True
    moments = {old.at, *(one.at for one in old.evidence)} - {None}
    return proposal.quote == old.quote and proposal.at in moments


def proposal_of(told: ProposalOutcome) -> Proposal:
    """Return a stored proposal as lesson detection knows it."""
    stored = told.proposal
    return Proposal(
        quote=stored.quote,
        title=told.title,
        insight=told.insight,
        rationale="",
        kind="",
        signal=LessonSignal(stored.signal),
        score=stored.score,
        place=Place(Path(stored.file), stored.line, stored.place),
        evidence=tuple(_evidence_in(stored.evidence)),
        assistant=stored.assistant,
        session=stored.session,
        at=stored.said_at,
    )


def _evidence_in(text: str) -> Iterable[Evidence]:
    for one in json.loads(text):
        place = Place(Path(one["file"]), one["line"], one["place"])
        yield Evidence(place, one["quote"], parse_time(one["at"], "at") if one["at"] else None)
