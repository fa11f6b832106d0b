"""Why hooks had nothing to say although something was wrong: a line each, for `memtui doctor`."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from memtui import locations
from memtui.assist.spool import make_folder
from memtui.errors import MemtuiError
from memtui.text.sanitize import one_line

LARGEST_BYTES = 64 * 1024  # Size from which a log gives way to a new one; the one before it is kept
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
        with suppress(FileNotFoundError):
            if path.stat().st_size > LARGEST_BYTES:
                path.replace(path.with_suffix(".old"))
        line = "\t".join((at.isoformat(), _clean(hook), _clean(_words(error))))
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            os.write(descriptor, f"{line}\n".encode())
        finally:
            os.close(descriptor)


def recent_failures(now: datetime) -> list[Failure]:
    """Return the failures of the last days, the newest last."""
    try:
        lines = _path().read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []
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
