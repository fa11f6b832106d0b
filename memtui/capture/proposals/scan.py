"""Read what is new in transcripts and find lessons in it; large amounts in child processes."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from memtui.capture.lessons.detect import propose
from memtui.capture.lessons.proposal import Proposal
from memtui.capture.lessons.traces import Traces, traces_of
from memtui.capture.transcripts.cursors import Cursor, cursor_after, resume_of
from memtui.capture.transcripts.discover import Transcript
from memtui.capture.transcripts.session import Place, Session
from memtui.children import child_pool
from memtui.progress import ProgressCallback
from memtui.text.sanitize import one_line
from memtui.text.words import shorten

LARGE_BYTES = 16_000_000
"""From so many bytes on, children read: the keys of the app stay quick, and two cores share the work."""

_BATCH_BYTES = 8_000_000
_MOST_CHILDREN = 2
_TASK_CHARACTERS = 80


@dataclass(frozen=True, slots=True)
class SessionRead:
    """A session of which something was news."""

    assistant: str
    id: str
    folder: Path | None
    task: str
    """The first words that a person typed in it."""

    proposals: tuple[Proposal, ...] = ()
    traces: Traces | None = None
    """What it shows of the use of memories that it was served."""


@dataclass(frozen=True, slots=True)
class FileRead:
    """What one file yielded."""

    identity: str
    file: Path
    size: int
    sessions: tuple[SessionRead, ...] = ()
    cursor: Cursor | None = None
    """How far it is read; None where it could not be."""

    unknown_records: Mapping[str, int] = field(default_factory=dict)
    bad_lines: int = 0
    is_complete: bool = True
    """Whether all that is new was looked at; older than `since` is left for a later run."""

    problem: str = ""
    """Why it could not be read; empty if it could."""


def scan(
    transcripts: Sequence[Transcript],
    cursors: Mapping[str, Cursor],
    *,
    since: datetime | None = None,
    progress: ProgressCallback | None = None,
) -> Iterator[FileRead]:
    """Yield what each file yielded, as it is read.

    Args:
        transcripts: what to read.
        cursors: how far earlier runs have read, by identity.
        since: what was said before is no news.
        progress: called with the bytes read and to be read.

    Raises:
        Cancelled: the person stopped it; what was yielded is whole.
    """
    total = sum(transcript.size for transcript in transcripts)
    done = 0
    found = _in_children if total >= LARGE_BYTES else _here
    if progress:
        progress(0, total)
    for read in found(transcripts, cursors, since):
        yield read
        done += read.size
        if progress:
            progress(done, total)


def read_one(transcript: Transcript, cursor: Cursor | None, since: datetime | None) -> FileRead:
    """Read what is new in one file and find lessons in it."""
    size = transcript.size
    try:
        resume = resume_of(transcript, cursor)
        sessions = transcript.read(transcript.file, resume)
        after = cursor_after(transcript, sessions, cursor)
    except (OSError, sqlite3.Error) as error:
        return FileRead(transcript.identity, transcript.file, size, problem=str(error))
    unknown: Counter[str] = Counter()
    for session in sessions:
        unknown.update(session.unknown_records)
    return FileRead(
        transcript.identity,
        transcript.file,
        size,
        tuple(_read(session, since) for session in sessions if _has_news(session, since)),
        after,
        dict(unknown),
        sum(len(session.bad_lines) for session in sessions),
        since is None or not any(_is_older(session, since) for session in sessions),
    )


def _has_news(session: Session, since: datetime | None) -> bool:
    news = () if session.subagent else session.turns[session.seen :]
    return bool(news) and (since is None or any(turn.at is None or turn.at >= since for turn in news))


def _is_older(session: Session, since: datetime) -> bool:
    return any(turn.at is not None and turn.at < since for turn in session.turns[session.seen :])


def _read(session: Session, since: datetime | None) -> SessionRead:
    task = next((one_line(turn.text) for turn in session.typed() if turn.text), "")
    old = _old_places(session)
    fresh = [
        proposal
        for proposal in propose(session)
        if not {proposal.place, *(each.place for each in proposal.evidence)} <= old
        and (since is None or proposal.at is None or proposal.at >= since)
    ]
    shown = shorten(task, _TASK_CHARACTERS)
    return SessionRead(session.assistant, session.id, session.folder, shown, tuple(fresh), traces_of(session))


def _old_places(session: Session) -> set[Place]:
    """Return the places that an earlier run has read; a reason that came later than its call is news."""
    turns = session.turns[: session.seen]
    last = max((turn.place.line or 0 for turn in turns), default=0)
    old = {turn.place for turn in turns}
    for turn in turns:
        for call in turn.calls:
            old.add(call.place)
            if call.reason_place is not None and (call.reason_place.line or 0) <= last:
                old.add(call.reason_place)
    return old


def _here(
    transcripts: Sequence[Transcript], cursors: Mapping[str, Cursor], since: datetime | None
) -> Iterator[FileRead]:
    for transcript in transcripts:
        yield read_one(transcript, cursors.get(transcript.identity), since)


def _in_children(
    transcripts: Sequence[Transcript], cursors: Mapping[str, Cursor], since: datetime | None
) -> Iterator[FileRead]:
    pool = child_pool(_MOST_CHILDREN)
    try:
        waiting: set[Future[list[FileRead]]] = {
            pool.submit(_read_batch, [(one, cursors.get(one.identity)) for one in batch], since)
            for batch in _batches(transcripts)
        }
        while waiting:
            done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
            for future in done:
                yield from future.result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _batches(transcripts: Iterable[Transcript]) -> Iterator[list[Transcript]]:
    batch: list[Transcript] = []
    size = 0
    for transcript in transcripts:
        batch.append(transcript)
        size += transcript.size
        if size >= _BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _read_batch(batch: Sequence[tuple[Transcript, Cursor | None]], since: datetime | None) -> list[FileRead]:
    return [read_one(transcript, cursor, since) for transcript, cursor in batch]
