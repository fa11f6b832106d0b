"""Compare what sessions teach with what the vault holds: new, said again, dismissed before, or kept out."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from memtui.capture.lessons.exchange import stems
from memtui.capture.lessons.known import Judged, Known, Novelty
from memtui.capture.lessons.proposal import LONGEST_QUOTE, Evidence, LessonSignal, Proposal, Scope
from memtui.capture.lessons.same import joined, same_lesson
from memtui.capture.lessons.traces import Traces
from memtui.capture.proposals.novelty import link_of, memories_in_view, rules_of, signal_of, signals_of_uses, use_of
from memtui.capture.proposals.scan import SessionRead
from memtui.capture.transcripts.session import Place
from memtui.curate.projects import view_of
from memtui.curate.switch import memory_off
from memtui.domain.memory import Anchor, Link, Memory, Signal, Source, content_hash, new_id
from memtui.domain.record import format_time, parse_time
from memtui.text.sanitize import one_line, sanitise
from memtui.vault.proposals import StoredProposal, Told, proposals_told
from memtui.vault.reader import VaultReader
from memtui.vault.text_search import Patterns, secrets_in, without_values

SOURCE_FORMAT = "transcript"
TEMPORARY_TAG = "temporary"
_MOST_EVIDENCE = 20

ProjectOf = Callable[[Path], str | None]


@dataclass(frozen=True, slots=True)
class Offered:
    """A proposal with the memory and the row that it would become."""

    memory: Memory
    stored: StoredProposal


@dataclass(slots=True)
class ProposalPlan:
    """What a capture puts into the vault."""

    new: list[Offered] = field(default_factory=list)
    again: list[StoredProposal] = field(default_factory=list)
    """Proposals of earlier runs that were said again, with the new places."""

    dismissed: int = 0
    """Lessons that a person turned down before."""

    known: int = 0
    """Lessons that a memory or a rules file says already."""

    links: list[Link] = field(default_factory=list)
    """From proposals to the memories that they correct."""

    signals: list[Signal] = field(default_factory=list)
    """Of memories that were said again, contradicted, named or followed."""

    secret: int = 0
    """Lessons that would show a secret even with its value taken out."""

    switched_off: int = 0
    """Sessions in folders whose memory is switched off."""


class ProposalPlanner:
    """Plans what sessions put into one vault.

    `register`: makes the folder of a session a project, where it is none yet and something is proposed for it.
    `home`: the user's home folder; without it no rules files are read.
    """

    def __init__(
        self,
        reader: VaultReader,
        register: ProjectOf | None = None,
        *,
        only: str | None = None,
        now: datetime,
        home: Path | None = None,
        patterns: Patterns = (),
    ) -> None:
        self._reader, self._register, self._only, self._home = reader, register, only, home
        self._now, self._patterns = now, patterns
        self._plan = ProposalPlan()
        self._names: dict[Path, tuple[str | None, bool]] = {}
        self._pools: dict[str | None, _Pool] = {}
        self._told: dict[str | None, list[Told]] = defaultdict(list)
        for told in proposals_told(reader):
            self._told[told.project].append(told)
        self._stones = {(stone.content_hash, stone.project) for stone in reader.tombstones()}

    def plan(self, sessions: Iterable[SessionRead]) -> ProposalPlan:
        """Return the plan; what two sessions say is one proposal with both places."""
        for session in sorted(sessions, key=_start):
            project, is_off = self._place_of(session.folder)
            if is_off:
                self._plan.switched_off += 1
            elif self._only is None or project == self._only:
                pool = self._pool(project, session.folder)
                if session.traces is not None:
                    pool.traces.append(session.traces)
                for proposal in session.proposals:
                    pool.take(proposal, session.task)
        for project, pool in self._pools.items():
            self._finish(project, pool)
        return self._plan

    def belongs(self, session: SessionRead) -> bool:
        """Return whether a session is one of those that were asked for."""
        return self._only is None or self._place_of(session.folder)[0] == self._only

    def _place_of(self, folder: Path | None) -> tuple[str | None, bool]:
        if folder is None:
            return None, False
        if folder not in self._names:
            is_off = memory_off(folder, self._reader) is not None
            self._names[folder] = (None, True) if is_off else (view_of(self._reader, folder, None).project, False)
        return self._names[folder]

    def _pool(self, project: str | None, folder: Path | None) -> _Pool:
        if project not in self._pools:
            self._pools[project] = _Pool(self._told[project], folder)
        return self._pools[project]

    def _finish(self, project: str | None, pool: _Pool) -> None:
        self._plan.dismissed += pool.dismissed
        for stored, proposal in pool.again():
            self._plan.again.append(self._stored(proposal, stored.memory_id, stored.task, stored.digest))
        lessons = self._unknown(project, pool)
        if lessons and project is not None and pool.folder is not None and self._register is not None:
            project = self._register(pool.folder)
        offered = [(self._offered(judged.proposal, task, project), judged) for judged, task in lessons]
        offers = [one for one, _ in offered if one is not None]
        twins = self._reader.ids_by_content([content_hash(one.memory) for one in offers])
        for one in offers:
            content = content_hash(one.memory)
            if (content, project) in self._stones:
                self._plan.dismissed += 1
            elif any(owner == project for _, owner in twins.get(content, ())):
                self._plan.known += 1
            else:
                self._plan.new.append(one)
        self._plan.secret += sum(one is None for one, _ in offered)
        taken = {one.memory.id for one in self._plan.new}
        links = (link_of(judged, one.memory.id, self._now) for one, judged in offered if one and one.memory.id in taken)
        self._plan.links.extend(link for link in links if link is not None)

    def _unknown(self, project: str | None, pool: _Pool) -> list[tuple[Judged, str]]:
        """Return the lessons that nothing says yet; what is said already, or was followed, counts for its memory."""
        lessons = pool.new()
        if not lessons and not pool.traces:
            return []
        memories = memories_in_view(self._reader, project, self._now)
        rules = rules_of(pool.folder, self._home) if lessons and self._home is not None else {}
        known = Known(memories, rules)
        judged = [(known.judge(proposal), task) for proposal, task in lessons]
        self._plan.dismissed += sum(one.novelty is Novelty.DISMISSED for one, _ in judged)
        self._plan.known += sum(one.novelty in {Novelty.SAID_AGAIN, Novelty.STATED} for one, _ in judged)
        active = {memory.id for memory in memories if memory.status == "active"}
        found = [use for one, _ in judged if (use := use_of(one)) is not None and use.memory_id in active]
        signals = [*(signal_of(use, self._now) for use in found), *signals_of_uses(pool.traces, memories, self._now)]
        noted = {
            (one.memory_id, one.signal, one.reason) for one in self._reader.signals({one.memory_id for one in signals})
        }
        fresh = [one for one in signals if (one.memory_id, one.signal, one.reason) not in noted]
        self._plan.signals.extend(replace(one, reason=self._clean(one.reason)) for one in fresh)
        return [(one, task) for one, task in judged if one.novelty in {Novelty.NEW, Novelty.CORRECTS}]

    def _offered(self, proposal: Proposal, task: str, project: str | None) -> Offered | None:
        """Return what a proposal would become; None if it still holds a secret once its value is taken out."""
        place, line = proposal.place, proposal.place.line
        memory = Memory(
            id=new_id(),
            title=one_line(self._clean(proposal.title)),
            insight=self._clean(proposal.insight),
            rationale=self._clean(proposal.rationale),
            kind=proposal.kind,
            project=project,
            status="candidate",
            anchors=tuple(Anchor(self._clean(path)) for path in proposal.files),
            tags=(TEMPORARY_TAG,) if proposal.scope is Scope.TEMPORARY else (),
            confidence=round(min(1.0, max(0.0, proposal.score)), 2),
            created_at=self._now,
            updated_at=self._now,
            observed_at=min(proposal.at, self._now) if proposal.at else None,
            sources=(
                Source(
                    format=SOURCE_FORMAT,
                    path=place.file.as_posix(),
                    span=(line, line) if line else None,
                    native_id=place.row or proposal.session or None,
                    agent=proposal.assistant or None,
                ),
            ),
        )
        if not memory.insight.strip() or secrets_in(memory, self._patterns):
            return None
        memory = replace(
            memory,
            sources=tuple(replace(source, imported_hash=content_hash(memory)) for source in memory.sources),
        )
        return Offered(memory, self._stored(proposal, memory.id, task, proposal.digest))

    def _stored(self, proposal: Proposal, memory_id: str, task: str, digest: str) -> StoredProposal:
        evidence = [
            {
                "quote": self._clean(one.quote)[:LONGEST_QUOTE],
                "file": one.place.file.as_posix(),
                "line": one.place.line,
                "place": one.place.row,
                "at": format_time(one.at),
            }
            for one in proposal.evidence[:_MOST_EVIDENCE]
        ]
        return StoredProposal(
            memory_id=memory_id,
            digest=digest,
            signal=proposal.signal.value,
            score=round(proposal.score, 3),
            quote=self._clean(proposal.quote)[:LONGEST_QUOTE],
            assistant=proposal.assistant,
            session=proposal.session,
            task=one_line(self._clean(task)),
            file=proposal.place.file.as_posix(),
            line=proposal.place.line,
            place=proposal.place.row,
            said_at=proposal.at,
            evidence=json.dumps(evidence, ensure_ascii=False),
        )

    def _clean(self, text: str) -> str:
        return without_values(sanitise(text).text, self._patterns)


class _Pool:
    """The lessons of one project: those of earlier runs, and the new ones, found by the stems that they share."""

    def __init__(self, told: Sequence[Told], folder: Path | None) -> None:
        self.dismissed = 0
        self.folder = folder
        self._lessons: list[Proposal] = []
        self._told: list[Told | None] = []
        self._tasks: list[str] = []
        self.traces: list[Traces] = []
        self._changed: set[int] = set()
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
        elif proposal.place not in {old.place, *(one.place for one in old.evidence)}:
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

    def _add(self, proposal: Proposal, told: Told | None, task: str) -> None:
        for stem in stems(proposal.quote):
            self._by_stem[stem].append(len(self._lessons))
        self._lessons.append(proposal)
        self._told.append(told)
        self._tasks.append(task)

    def _alike(self, proposal: Proposal) -> int | None:
        shared = Counter(at for stem in stems(proposal.quote) for at in self._by_stem[stem])
        return next((at for at, _ in shared.most_common() if same_lesson(self._lessons[at], proposal)), None)


def proposal_of(told: Told) -> Proposal:
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


def evidence_records(stored: StoredProposal) -> list[dict[str, Any]]:
    """Return the further places of a proposal as JSON."""
    try:
        found = json.loads(stored.evidence)
    except ValueError:
        return []
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def _evidence_in(text: str) -> Iterable[Evidence]:
    for one in json.loads(text):
        place = Place(Path(one["file"]), one["line"], one["place"])
        yield Evidence(place, one["quote"], parse_time(one["at"], "at") if one["at"] else None)


def _start(session: SessionRead) -> tuple[bool, float]:
    at = next((proposal.at for proposal in session.proposals if proposal.at is not None), None)
    return (at is None, at.timestamp() if at else 0.0)
