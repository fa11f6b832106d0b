"""One hook from its input to its answer. Whatever goes wrong, the assistant goes on: silence, and a line in the log."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from memtui import clock, locations
from memtui.assist.hooks.dialects import Dialect, dialect_of
from memtui.assist.hooks.events import Event, Kind, kind_of, read_event
from memtui.assist.spool import Spool, Transcript, append_line, before, make_folder
from memtui.errors import MemtuiError, UsageError
from memtui.text.sanitize import one_line


@dataclass(frozen=True, slots=True)
class Hook:
    """What the command line says of a hook."""

    event: str
    assistant: str | None = None
    vault: Path | None = None  # the vault that was named
    project: str | None = None  # the project that was named

    @property
    def label(self) -> str:
        return f"{self.assistant or 'unnamed'} {self.event}"


def answer(hook: Hook, data: bytes) -> str:
    """Return what is printed for an event. Never raises.

    `data`: what the assistant sent.
    """
    dialect = dialect_of(hook.assistant, Event(name=hook.event, kind=kind_of(hook.event)))
    try:
        event = read_event(hook.event, data)
        dialect = dialect_of(hook.assistant, event)
        return _answered(hook, event, dialect)
    except BaseException as error:  # noqa: BLE001 - nothing may reach the assistant
        note_failure(hook.label, error, moment())
        return dialect.silence


def moment() -> datetime:
    """Return the present moment, also where `MEMTUI_NOW` is wrong."""
    try:
        return clock.now()
    except UsageError:
        return datetime.now(UTC)


def _answered(hook: Hook, event: Event, dialect: Dialect) -> str:
    vault = hook.vault or locations.default_vault()
    folder = Path(event.folder or os.environ.get("CLAUDE_PROJECT_DIR") or Path.cwd())
    is_end = event.kind is Kind.END
    if not is_end and not _may_be_answered(event, dialect):
        return dialect.silence
    # Imported here: most events of most tools end above.
    from memtui.curate.off_switch import memory_off

    if memory_off(folder) is not None:
        return dialect.silence
    if is_end:
        _leave_pointer(vault, event, dialect, folder)
        return dialect.silence
    from memtui.assist.hooks.respond import Place, respond

    reply = respond(event, dialect, Place(vault, folder, hook.project))
    return dialect.denial(event, reply.denial) if reply.denial else dialect.context(event, reply.text)


def _may_be_answered(event: Event, dialect: Dialect) -> bool:
    """Return whether an event can have an answer at all; without the name of a session it would get one each time."""
    if event.is_command:
        return bool(event.command) and (dialect.deny is not None or dialect.takes_text(event))
    if not dialect.takes_text(event):
        return False
    if event.kind in {Kind.BEFORE_TOOL, Kind.AFTER_TOOL}:
        return bool(event.files and event.session)
    return event.kind is Kind.START or bool(event.session)


def _leave_pointer(vault: Path, event: Event, dialect: Dialect, folder: Path) -> None:
    """Leave word of a session for `memtui capture`; its transcript is not even looked at."""
    if event.subagent is None and (event.transcript or event.session):
        at = clock.now().isoformat()
        Spool(vault).transcript(Transcript(dialect.name, event.transcript, event.session, str(folder), at))


LARGEST_BYTES = 64 * 1024  # Size from which a log gives way to a new one; the one before it is read with it
LONGEST_LINE = 400
RECENT = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class Failure:
    """One hook that was answered with nothing because of an error."""

    at: datetime
    hook: str  # the assistant and its event
    what: str


def _path() -> Path:
    return locations.state_folder() / "assistants" / "hooks.log"


def note_failure(hook: str, error: BaseException, at: datetime) -> None:
    """Keep why a hook failed; where even that fails, nothing is kept."""
    with suppress(Exception):
        path = _path()
        make_folder(path.parent)
        line = "\t".join((at.isoformat(), _clean(hook), _clean(_words(error))))
        append_line(path, f"{line}\n".encode(), LARGEST_BYTES)


def recent_failures(now: datetime) -> list[Failure]:
    """Return the failures of the last days, the newest last."""
    lines: list[str] = []
    for path in (before(_path()), _path()):
        with suppress(OSError):
            lines += path.read_text(encoding="utf-8", errors="replace").splitlines()
    found = []
    for line in lines:
        parts = line.split("\t")
        with suppress(ValueError, TypeError):
            at, hook, what = parts
            failure = Failure(datetime.fromisoformat(at).astimezone(UTC), hook, what)
            if failure.at >= now - RECENT:
                found.append(failure)
    return found


def _words(error: BaseException) -> str:
    """Return an error in words; of others than ours the kind alone, because its words may quote a memory."""
    if isinstance(error, MemtuiError):
        return f"{error.what} ({error.where})" if error.where else error.what
    return f"internal error: {type(error).__name__}"


def _clean(text: str) -> str:
    return one_line(text).replace("\t", " ")[:LONGEST_LINE]
