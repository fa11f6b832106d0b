"""Capture: read what is new in the sessions of this machine, and put what they teach into the inbox as one change."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path

from memtui.capture.draft import Skipped
from memtui.capture.proposals.plan import Held, ProposalPlan, ProposalPlanner, held_for, settle
from memtui.capture.proposals.scan import FileRead, scan
from memtui.capture.skip_codes import SkipCode
from memtui.capture.transcripts.aider import ASSISTANT as AIDER
from memtui.capture.transcripts.cursors import Cursors, cursors_of
from memtui.capture.transcripts.discover import ALIASES, ASSISTANTS, Transcript, histories_in, transcripts
from memtui.curate.inbox_care import put_away, stale_candidates
from memtui.curate.projects import project_for_writing, view_of
from memtui.domain.identity import Actor, linked_folder
from memtui.progress import Cancelled, ProgressCallback
from memtui.text.words import counted, unknown
from memtui.vault.filters import EVERYTHING, MemoryFilter
from memtui.vault.projects import list_projects
from memtui.vault.proposals import put_proposals
from memtui.vault.vault import Vault
from memtui.vault.writer import VaultWriter
from memtui.workspace import find_workspace


@dataclass(frozen=True, slots=True, kw_only=True)
class CaptureRequest:
    """What to read and how."""

    home: Path
    """The user's home folder, where assistants keep their sessions."""

    folder: Path
    """The working directory; assistants that write beside the code are looked for in its repository too."""

    project: str | None = None
    """Only sessions of this project; of all by default."""

    assistants: Sequence[str] = ASSISTANTS
    since: datetime | None = None
    """Only what was said from then on."""

    noted: Sequence[tuple[str, Path]] = ()
    """Files that hooks noted at the end of sessions, with the names of their assistants; they may lie anywhere."""

    secret_patterns: Sequence[tuple[str, str]] = ()
    keep_days: int = 0
    """Days after which candidates are put away that nobody decided on; 0 for never."""

    @property
    def is_whole(self) -> bool:
        """Whether it is about all sessions of all assistants."""
        return self.since is None and self.project is None and len(self.assistants) == len(ASSISTANTS)


@dataclass(slots=True)
class CaptureReport:
    """What a capture read and found."""

    plan: ProposalPlan = field(default_factory=ProposalPlan)
    sessions: int = 0
    """Sessions with anything new."""

    read: int = 0
    """Files that were read."""

    unchanged: int = 0
    """Files that were read to their end before."""

    unknown_records: Counter[str] = field(default_factory=Counter)
    bad_lines: int = 0
    skipped: list[Skipped] = field(default_factory=list)
    put_away: int = 0
    """Candidates that waited too long, or whose files are all gone."""

    is_cancelled: bool = False
    """Whether the person stopped it; the next run goes on with what is left."""


def assistant_named(name: str) -> str:
    """Return an assistant by its name or a shorter one. Raises `UsageError`: there is none."""
    wanted = ALIASES.get(name.strip().lower(), name.strip().lower())
    if wanted in ASSISTANTS:
        return wanted
    raise unknown("assistant", name, ASSISTANTS, where=f"--assistant {name}")


def found_and_to_read(vault: Vault, request: CaptureRequest) -> tuple[list[Transcript], list[Transcript]]:
    """Return all transcripts there are, and those with anything that no run has read yet."""
    there, cursors = _all(vault, request), cursors_of(vault.path)
    return there, [one for one in there if not cursors.is_read(one)]


def capture(
    vault: Vault,
    request: CaptureRequest,
    *,
    actor: Actor,
    dry_run: bool = False,
    progress: ProgressCallback | None = None,
) -> CaptureReport:
    """Read what is new and propose what it teaches; where the person stops it, what was found by then is kept.

    Raises:
        MemtuiError: the vault cannot be written, or the state folder.
    """
    report = CaptureReport()
    cursors = cursors_of(vault.path)
    there = _all(vault, request)
    pending = [one for one in there if not cursors.is_read(one)]
    report.unchanged = len(there) - len(pending)
    reads = _read(pending, cursors, request, report, progress)
    if not report.is_cancelled:
        folders = (session.folder for read in reads for session in read.sessions if session.folder is not None)
        beside = _beside(there, folders, request)
        there += beside
        reads += _read([one for one in beside if not cursors.is_read(one)], cursors, request, report, progress)
    held = _plan(vault, request, reads, report)
    if dry_run:
        with vault.read() as reader:
            settle(reader, report.plan)
        return report
    _write(vault, report, actor)
    if request.keep_days and actor.is_person:
        report.put_away = _put_away(vault, request, actor)
    _keep(cursors, [read for read in reads if _is_done(read, held, request)], there, request)
    return report


def _keep(cursors: Cursors, reads: Iterable[FileRead], there: Iterable[Transcript], request: CaptureRequest) -> None:
    """Keep how far transcripts were read, and forget those that a run over all of them no longer found."""
    if done := {read.identity: read.cursor for read in reads if read.cursor is not None}:
        there_now = {one.identity for one in there}
        cursors.save(done, gone=lambda name: request.is_whole and name not in there_now)


def _read(
    pending: Sequence[Transcript],
    cursors: Cursors,
    request: CaptureRequest,
    report: CaptureReport,
    progress: ProgressCallback | None,
) -> list[FileRead]:
    """Return what was read until the person stopped it, if they did."""
    reads: list[FileRead] = []
    try:
        for read in scan(pending, cursors.held, since=request.since, progress=progress):
            reads.append(read)
            _count(report, read)
    except (Cancelled, KeyboardInterrupt):
        report.is_cancelled = True
    return reads


def _beside(there: Sequence[Transcript], folders: Iterable[Path], request: CaptureRequest) -> list[Transcript]:
    """Return what assistants that write beside the code left where sessions were, without what is there already."""
    if AIDER not in request.assistants:
        return []
    known = {one.identity for one in there}
    return [
        one for one in histories_in(folders, request.home) if one.identity not in known and _is_recent(one, request)
    ]


def _is_recent(transcript: Transcript, request: CaptureRequest) -> bool:
    return request.since is None or transcript.changed_ns >= request.since.timestamp() * 1e9


def _plan(vault: Vault, request: CaptureRequest, reads: Sequence[FileRead], report: CaptureReport) -> Held:
    """Plan what is proposed, without a lease on the vault; returns what the vault held before."""
    sessions = [session for read in reads for session in read.sessions]
    with vault.read() as reader:
        held = held_for(reader, sessions, vault.now())
    planner = ProposalPlanner(
        held, only=request.project, now=vault.now(), home=request.home, patterns=request.secret_patterns
    )
    report.plan = planner.plan(sessions)
    return held


def _is_done(read: FileRead, held: Held, request: CaptureRequest) -> bool:
    """Return whether nothing of a file is left for a later run: sessions of projects not asked for are."""
    places = (held.place_of(session.folder)[0] for session in read.sessions)
    return read.is_complete and (request.project is None or all(project == request.project for project in places))


def _put_away(vault: Vault, request: CaptureRequest, actor: Actor) -> int:
    if not vault.exists:
        return 0
    with vault.read() as reader:
        view = view_of(reader, request.folder, request.project)
    wanted = MemoryFilter(scope=EVERYTHING, statuses=("candidate",))
    found = stale_candidates(vault, wanted, request.keep_days, view.tree)
    return len(put_away(vault, found, actor=actor).changed)


def _all(vault: Vault, request: CaptureRequest) -> list[Transcript]:
    roots = _roots(vault, request.folder)
    found = transcripts(request.home, assistants=request.assistants, roots=roots, noted=request.noted)
    folders = (Path(cursor.folder) for cursor in cursors_of(vault.path).held.values() if cursor.folder)
    return [one for one in found if _is_recent(one, request)] + _beside(found, folders, request)


def _roots(vault: Vault, folder: Path) -> list[Path]:
    workspace = find_workspace(folder)
    roots = [workspace.root] if workspace.is_repository else [folder]
    if vault.exists:
        with vault.read() as reader:
            identities = [identity for project in list_projects(reader) for identity in project.identities]
        roots += [Path(linked) for linked in map(linked_folder, identities) if linked]
    return roots


def _count(report: CaptureReport, read: FileRead) -> None:
    report.read += not read.problem
    report.sessions += len(read.sessions)
    report.unknown_records.update(read.unknown_records)
    report.bad_lines += read.bad_lines
    if read.problem:
        report.skipped.append(Skipped(read.file.as_posix(), None, read.problem, code=SkipCode.UNREADABLE))


def put_plan(writer: VaultWriter, plan: ProposalPlan) -> None:
    """Write a plan within a running change; what the vault has by then is dropped from it."""
    names = {project: project_for_writing(writer, folder, None) for project, folder in plan.folders.items()}
    plan.new = [
        replace(one, memory=replace(one.memory, project=names.get(one.memory.project or "", one.memory.project)))
        for one in plan.new
    ]
    settle(writer, plan)
    writer.put_many(one.memory for one in plan.new)
    writer.add_links(plan.links)
    writer.add_signals(plan.signals)
    put_proposals(writer, (*(one.stored for one in plan.new), *plan.again))


def _write(vault: Vault, report: CaptureReport, actor: Actor) -> None:
    """Write a plan as one change."""
    plan = report.plan
    if not (plan.new or plan.again or plan.signals):
        return
    with vault.write(actor=actor.name, action="capture") as writer:
        put_plan(writer, plan)
        writer.summary = (
            f"propose {counted(len(plan.new), 'lesson')} of {counted(report.sessions, 'session')}"
            if plan.new
            else "note what was said again, followed or contradicted in sessions"
        )
