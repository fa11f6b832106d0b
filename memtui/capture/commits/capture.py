"""Propose what the commits of a repository teach, and mark the memories of commits that were taken back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path

from memtui.capture.commits.lesson import CommitLesson, lessons_of
from memtui.capture.commits.read import Commit, read_commits, reverted_by
from memtui.capture.lessons.proposal import COMMIT_FORMAT, LessonSignal, Proposal
from memtui.capture.proposals.plan import ProposalPlan, ProposalPlanner, held_for, settle
from memtui.capture.proposals.run import put_plan
from memtui.capture.proposals.scan import SessionRead
from memtui.capture.transcripts.session import Place
from memtui.curate.projects import view_of
from memtui.domain.identity import Actor
from memtui.domain.memory import Memory, Signal
from memtui.text.words import counted
from memtui.vault.filters import MemoryFilter
from memtui.vault.reader import VaultReader
from memtui.vault.vault import Vault
from memtui.vault.writer import VaultWriter
from memtui.workspace import find_workspace

GIT = "git"  # What proposals of commits have instead of an assistant
REVERTED = "reverted"  # The tag of a memory whose commit was taken back

_FROM_COMMITS = f"AND len([1 FOR held IN m.sources IF held.format = '{COMMIT_FORMAT}']) > 0"


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitRequest:
    """Which commits to read."""

    folder: Path  # a folder of the repository
    home: Path
    project: str | None = None
    since: datetime | None = None  # None: the last 2,000
    secret_patterns: Sequence[tuple[str, str]] = ()


@dataclass(slots=True)
class CommitReport:
    """What the commits taught."""

    commits: int
    plan: ProposalPlan
    reverted: dict[str, str] = field(default_factory=dict)  # the commit that took it back, by the id of each memory


def capture_commits(vault: Vault, request: CommitRequest, *, actor: Actor, dry_run: bool = False) -> CommitReport:
    """Read commits and put what they teach into the inbox, as one change.

    Memories of commits that were reverted get a tag, and those in use become due for review.

    Raises:
        UsageError: the folder lies in no repository.
        MemtuiError: the vault cannot be written.
    """
    commits = read_commits(request.folder, since=request.since)
    back = reverted_by(commits)
    lessons = [lesson for lesson in lessons_of(commits) if _reverting(lesson.commit.id, back) is None]
    root = find_workspace(request.folder).root
    session = SessionRead(GIT, root.name, root, "commits", tuple(_proposal(lesson, root) for lesson in lessons))
    with vault.read() as reader:
        held = held_for(reader, [session], vault.now())
    planner = ProposalPlanner(
        held, only=request.project, now=vault.now(), home=request.home, patterns=request.secret_patterns
    )
    plan = planner.plan([session])
    if dry_run:
        with vault.read() as reader:
            settle(reader, plan)
            marked = _marked(reader, root, request.project, back)
        return CommitReport(len(commits), plan, {memory.id: commit.id for memory, commit in marked})
    with vault.write(actor=actor.name, action="capture") as writer:
        put_plan(writer, plan)
        marked = _marked(writer, root, request.project, back)
        _mark(writer, marked, actor)
        said = [f"propose {counted(len(plan.new), 'lesson')} of {counted(len(commits), 'commit')}"] if plan.new else []
        said += [f"mark {counted(len(marked), 'memory')} of reverted commits"] if marked else []
        writer.summary = "; ".join(said) or "note what commits say again"
    return CommitReport(len(commits), plan, {memory.id: commit.id for memory, commit in marked})


def _mark(writer: VaultWriter, marked: Sequence[tuple[Memory, Commit]], actor: Actor) -> None:
    """Tag memories whose commit was taken back; those in use are due for review."""
    for memory, commit in marked:
        due = writer.now if memory.status == "active" else memory.due_at
        writer.put(replace(memory, tags=(*memory.tags, REVERTED), due_at=due))
        writer.add_signals([_contradicted(memory, commit, writer.now, actor)])


def _proposal(lesson: CommitLesson, root: Path) -> Proposal:
    commit = lesson.commit
    return Proposal(
        quote=lesson.quote,
        title=lesson.title,
        insight=lesson.insight,
        rationale="",
        kind=lesson.kind,
        signal=LessonSignal(f"commit-{lesson.sort}"),
        score=lesson.score,
        place=Place(root, row=commit.id),
        assistant=GIT,
        session=commit.id[:12],
        at=commit.at,
        files=lesson.files,
    )


def _marked(
    reader: VaultReader, root: Path, project: str | None, back: Mapping[str, Commit]
) -> list[tuple[Memory, Commit]]:
    """Return the memories of commits that were taken back and are not marked yet, each with what took it back."""
    if not back:
        return []
    scope = view_of(reader, root, project).scope
    wanted = MemoryFilter(scope=scope, statuses=("active", "candidate"))
    memories = reader.get_many([str(row[0]) for row in reader.rows_of("m.id", wanted, _FROM_COMMITS)])
    found = []
    for memory in memories.values():
        commit = next((one for id_ in _commits_of(memory) if (one := _reverting(id_, back)) is not None), None)
        if commit is not None and REVERTED not in memory.tags:
            found.append((memory, commit))
    return found


def _commits_of(memory: Memory) -> list[str]:
    return [source.native_id for source in memory.sources if source.format == COMMIT_FORMAT and source.native_id]


def _reverting(commit: str, back: Mapping[str, Commit]) -> Commit | None:
    return next((one for name, one in back.items() if commit.startswith(name)), None)


def _contradicted(memory: Memory, commit: Commit, now: datetime, actor: Actor) -> Signal:
    reason = f"its commit was reverted by {commit.id[:12]}"
    return Signal(memory_id=memory.id, signal="contradicted", at=now, actor=actor.name, reason=reason)
