"""How far each transcript was read: kept in the state folder, without a word of any transcript."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from hashlib import blake2b
from pathlib import Path

from memtui.capture.transcripts.discover import Transcript
from memtui.capture.transcripts.session import WHOLE, Position, Resume, Session
from memtui.locations import state_folder

_TAIL_BYTES = 4096
_VERSION = 1


@dataclass(frozen=True, slots=True)
class Cursor:
    """How far one file was read."""

    size: int
    changed_ns: int
    offset: int = 0
    lines: int = 0
    context_offset: int = 0
    context_lines: int = 0
    tail: str = ""
    """Hash of the bytes before `offset`: a file that was rewritten has others."""

    seen_until: str = ""
    """The time of the last turn, ISO 8601."""

    id: str = ""
    folder: str = ""
    version: str = ""


@dataclass(slots=True)
class Cursors:
    """The cursors of one vault, by the identity of the file."""

    path: Path
    held: dict[str, Cursor] = field(default_factory=dict)

    def is_read(self, transcript: Transcript) -> bool:
        """Return whether a file is as it was when it was read to its end."""
        cursor = self.held.get(transcript.identity)
        return cursor is not None and (cursor.size, cursor.changed_ns) == (transcript.size, transcript.changed_ns)

    def save(self, read: Mapping[str, Cursor], *, gone: Callable[[str], bool] = lambda _: False) -> None:
        """Note what was read; what another run noted meanwhile stays.

        Args:
            read: cursors by identity.
            gone: whether the file of an identity is no longer there.

        Raises:
            MemtuiError: the file cannot be written.
        """
        from memtui.publish.files import write_atomically  # imports all that is exported; only what was read needs it

        noted = {name: cursor for name, cursor in cursors_in(self.path).held.items() if not gone(name)}
        self.held = noted | dict(read)
        state = {"version": _VERSION, "files": {name: asdict(cursor) for name, cursor in self.held.items()}}
        write_atomically(self.path, json.dumps(state, separators=(",", ":")).encode(), mode=0o600, durable=False)


def cursors_of(vault: Path) -> Cursors:
    """Return the cursors that go with a vault; another vault has taken in nothing of what this one has."""
    name = blake2b(str(vault.absolute()).encode("utf-8", "surrogateescape"), digest_size=8).hexdigest()
    return cursors_in(state_folder() / "capture" / f"{name}.json")


def cursors_in(path: Path) -> Cursors:
    """Return the cursors of a file; none where it is missing, damaged or of another version."""
    try:
        state = json.loads(path.read_bytes())
        files = state["files"] if state["version"] == _VERSION else {}
        return Cursors(path, {name: Cursor(**cursor) for name, cursor in files.items()})
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return Cursors(path)


def resume_of(transcript: Transcript, cursor: Cursor | None) -> Resume:
    """Return where to go on in a file: from the start where it shrank or was rewritten."""
    if cursor is None:
        return WHOLE
    until = datetime.fromisoformat(cursor.seen_until) if cursor.seen_until else None
    if not cursor.offset:
        return Resume(seen_until=until)
    if transcript.size < cursor.offset or _tail(transcript.file, cursor.offset) != cursor.tail:
        return WHOLE
    return Resume(
        start=Position(cursor.context_offset, cursor.context_lines),
        seen_to=cursor.offset,
        id=cursor.id,
        folder=Path(cursor.folder) if cursor.folder else None,
        version=cursor.version,
    )


def cursor_after(transcript: Transcript, sessions: Sequence[Session], before: Cursor | None) -> Cursor:
    """Return how far a file is read now."""
    cursor = Cursor(transcript.size, transcript.changed_ns, seen_until=before.seen_until if before else "")
    last_at = max((session.last_at for session in sessions if session.last_at is not None), default=None)
    if last_at is not None:
        cursor = replace(cursor, seen_until=max(cursor.seen_until, last_at.isoformat()))
    if len(sessions) == 1:
        (one,) = sessions
        cursor = replace(cursor, id=one.id, folder=str(one.folder or ""), version=one.version)
    last = next((session for session in reversed(sessions) if session.end is not None), None)
    if last is None or last.end is None:
        return cursor
    context = last.context or Position()
    return replace(
        cursor,
        offset=last.end.offset,
        lines=last.end.lines,
        context_offset=context.offset,
        context_lines=context.lines,
        tail=_tail(transcript.file, last.end.offset),
    )


def _tail(file: Path, offset: int) -> str:
    try:
        with file.open("rb") as stream:
            stream.seek(max(0, offset - _TAIL_BYTES))
            return blake2b(stream.read(min(offset, _TAIL_BYTES)), digest_size=12).hexdigest()
    except OSError:
        return ""
