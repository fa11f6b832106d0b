"""Compare what sessions teach with what the vault holds: new, said again, dismissed before, or kept out."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from memtui.capture.lessons.known import Judged, Known, Novelty
from memtui.capture.lessons.proposal import LONGEST_QUOTE, Proposal
from memtui.capture.proposals.novelty import (
    READER,
    link_of,
    memories_in_view,
    rules_of,
    signal_of,
    signals_of_uses,
    use_of,
)
from memtui.capture.proposals.pool import Pool
from memtui.capture.proposals.scan import SessionRead
from memtui.curate.off_switch import memory_off
from memtui.curate.projects import view_of
from memtui.domain.memory import Anchor, Link, Memory, Signal, Source, content_hash, new_id
from memtui.domain.record import format_time
from memtui.text.injection import planted_instructions
from memtui.text.sanitize import one_line, sanitise, without_surrogates
from memtui.vault.proposals import ProposalOutcome, StoredProposal, proposal_outcomes
from memtui.vault.reader import VaultReader
from memtui.vault.text_search import Patterns, secrets_in, without_values
from memtui.workspace import find_workspace

TEMPORARY_TAG = "temporary"
_MOST_EVIDENCE = 20


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

    planted: int = 0
    """Lessons whose words try to steer an assistant: somebody else's text, pasted."""

    switched_off: int = 0
    """Sessions in folders whose memory is switched off."""

    folders: dict[str, Path] = field(default_factory=dict)
    """Of each project that something is proposed for, a folder in it."""

    def corrected_by(self, offered: Offered) -> str:
        """Return the id of the memory that a proposal corrects, empty if it corrects none."""
        return next((link.to_id for link in self.links if link.from_id == offered.memory.id), "")


@dataclass(slots=True)
class Held:
    """What the vault holds of the projects that sessions were in, read at once so that planning needs no lease."""

    places: dict[Path, tuple[str | None, bool]] = field(default_factory=dict)
    """Of each folder its project, and whether memories are switched off there."""

    told: dict[str | None, list[ProposalOutcome]] = field(default_factory=dict)
    memories: dict[str | None, list[Memory]] = field(default_factory=dict)
    noted: set[tuple[str, str, str]] = field(default_factory=set)
    """Signals that earlier runs noted: memory, type and reason."""

    def place_of(self, folder: Path | None) -> tuple[str | None, bool]:
        """Return the project of a folder, and whether memories are switched off there."""
        return (None, False) if folder is None else self.places[folder]


def held_for(reader: VaultReader, sessions: Sequence[SessionRead], now: datetime) -> Held:
    """Return what planning needs to know of a vault."""
    held = Held()
    for folder in dict.fromkeys(session.folder for session in sessions if session.folder is not None):
        is_off = memory_off(folder, reader) is not None
        held.places[folder] = (None, True) if is_off else (view_of(reader, folder, None).project, False)
    for told in proposal_outcomes(reader):
        held.told.setdefault(told.project, []).append(told)
    for session in sessions:
        project, is_off = held.place_of(session.folder)
        if project not in held.memories and not is_off:
            held.memories[project] = memories_in_view(reader, project, now)
    ids = {memory.id for memories in held.memories.values() for memory in memories}
    held.noted = {(one.memory_id, one.signal, one.reason) for one in reader.signals(ids) if one.actor == READER}
    return held


def settle(reader: VaultReader, plan: ProposalPlan) -> None:
    """Drop what the vault has in these words, or what a person deleted, by now."""
    stones = {(stone.content_hash, stone.project) for stone in reader.tombstones()}
    twins = reader.ids_by_content([content_hash(one.memory) for one in plan.new])
    kept = []
    for one in plan.new:
        content, project = content_hash(one.memory), one.memory.project
        if (content, project) in stones:
            plan.dismissed += 1
        elif any(owner == project for _, owner in twins.get(content, ())):
            plan.known += 1
        else:
            kept.append(one)
    taken = {one.memory.id for one in kept}
    plan.new = kept
    plan.links = [link for link in plan.links if link.from_id in taken]


class ProposalPlanner:
    """Plans what sessions put into one vault; reads the rules files of their projects, and no vault.

    `home`: the user's home folder; without it no rules files are read.
    """

    def __init__(
        self,
        held: Held,
        *,
        only: str | None = None,
        now: datetime,
        home: Path | None = None,
        patterns: Patterns = (),
    ) -> None:
        self._held, self._only, self._home = held, only, home
        self._now, self._patterns = now, patterns
        self._plan = ProposalPlan()
        self._pools: dict[str | None, Pool] = {}

    def plan(self, sessions: Iterable[SessionRead]) -> ProposalPlan:
        """Return the plan; what two sessions say is one proposal with both places."""
        for session in sorted(sessions, key=_start):
            project, is_off = self._held.place_of(session.folder)
            if is_off:
                self._plan.switched_off += 1
            elif self._only is None or project == self._only:
                if project not in self._pools:
                    self._pools[project] = Pool(self._held.told.get(project, ()), session.folder)
                pool = self._pools[project]
                if session.traces is not None:
                    pool.traces.append(session.traces)
                for proposal in session.proposals:
                    if proposal.until is None or proposal.until > self._now:
                        pool.take(proposal, session.task)
        for project, pool in self._pools.items():
            self._finish(project, pool)
        return self._plan

    def _finish(self, project: str | None, pool: Pool) -> None:
        plan = self._plan
        plan.dismissed += pool.dismissed
        for stored, proposal in pool.again():
            plan.again.append(self._stored(proposal, stored.memory_id, stored.task, stored.digest))
        root = _root_of(pool.folder)
        for judged, task in self._unknown(project, pool):
            if planted_instructions(judged.proposal.quote):
                plan.planted += 1
                continue
            offered = self._offered(judged.proposal, task, project, root)
            if offered is None:
                plan.secret += 1
                continue
            plan.new.append(offered)
            if project is not None and pool.folder is not None:
                plan.folders[project] = pool.folder
            link = link_of(judged, offered.memory.id, self._now)
            plan.links.extend([link] if link is not None else [])

    def _unknown(self, project: str | None, pool: Pool) -> list[tuple[Judged, str]]:
        """Return the lessons that nothing says yet; what is said already, or was followed, counts for its memory."""
        lessons = pool.new()
        if not lessons and not pool.traces:
            return []
        memories = self._held.memories.get(project, [])
        rules = rules_of(pool.folder, self._home) if lessons and self._home is not None else {}
        known = Known(memories, rules)
        judged = [(known.judge(proposal), task) for proposal, task in lessons]
        self._plan.dismissed += sum(one.novelty is Novelty.DISMISSED for one, _ in judged)
        self._plan.known += sum(one.novelty in {Novelty.SAID_AGAIN, Novelty.STATED} for one, _ in judged)
        self._note([one for one, _ in judged], pool, memories)
        return [(one, task) for one, task in judged if one.novelty in {Novelty.NEW, Novelty.CORRECTS}]

    def _note(self, judged: Sequence[Judged], pool: Pool, memories: Sequence[Memory]) -> None:
        """Note for memories in use that they were said again, contradicted, named or followed."""
        active = {memory.id for memory in memories if memory.status == "active"}
        found = [use for one in judged if (use := use_of(one)) is not None and use.memory_id in active]
        signals = [*(signal_of(use, self._now) for use in found), *signals_of_uses(pool.traces, memories, self._now)]
        fresh = [replace(one, reason=self._clean(one.reason)) for one in signals]
        noted = self._held.noted
        self._plan.signals += [one for one in fresh if (one.memory_id, one.signal, one.reason) not in noted]

    def _offered(self, proposal: Proposal, task: str, project: str | None, root: Path | None) -> Offered | None:
        """Return what a proposal would become; None if it still holds a secret once its value is taken out.

        It is tied to the files it names as far as they exist: what is gone already says nothing of its age.
        """
        place, line = proposal.place, proposal.place.line
        memory = Memory(
            id=new_id(),
            title=one_line(self._clean(proposal.title)),
            insight=self._clean(proposal.insight),
            rationale=self._clean(proposal.rationale),
            kind=proposal.kind,
            project=project,
            status="candidate",
            anchors=tuple(Anchor(self._clean(path)) for path in proposal.files if root is None or _is_in(root, path)),
            tags=(TEMPORARY_TAG,) if proposal.until is not None else (),
            valid_until=proposal.until,
            confidence=round(min(1.0, max(0.0, proposal.score)), 2),
            created_at=self._now,
            updated_at=self._now,
            observed_at=min(proposal.at, self._now) if proposal.at else None,
            sources=(
                Source(
                    format=proposal.signal.source_format,
                    path=without_surrogates(place.file.as_posix()),
                    span=(line, line) if line else None,
                    native_id=without_surrogates(place.row or proposal.session) or None,
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
                "file": without_surrogates(one.place.file.as_posix()),
                "line": one.place.line,
                "place": without_surrogates(one.place.row),
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
            session=without_surrogates(proposal.session),
            task=one_line(self._clean(task)),
            file=without_surrogates(proposal.place.file.as_posix()),
            line=proposal.place.line,
            place=without_surrogates(proposal.place.row),
            said_at=proposal.at,
            evidence=json.dumps(evidence, ensure_ascii=False),
        )

    def _clean(self, text: str) -> str:
        return without_values(without_surrogates(sanitise(text).text), self._patterns)


def _root_of(folder: Path | None) -> Path | None:
    """Return the root of the repository around a folder; None where the folder is not on this machine."""
    return find_workspace(folder).root if folder is not None and folder.is_dir() else None


def _is_in(root: Path, path: str) -> bool:
    try:
        return (root / path).exists()
    except (OSError, ValueError):
        return False


def evidence_records(stored: StoredProposal) -> list[dict[str, Any]]:
    """Return the further places of a proposal as JSON."""
    try:
        found = json.loads(stored.evidence)
    except ValueError:
        return []
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def _start(session: SessionRead) -> tuple[bool, float]:
    at = next((proposal.at for proposal in session.proposals if proposal.at is not None), None)
    return (at is None, at.timestamp() if at else 0.0)
