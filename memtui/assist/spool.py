"""What assistants did, kept outside the vault until a command or the app folds it in: signals, servings, transcripts.

Hooks and servers must not wait for the vault, and most of them only read it. So they append a line to a file of the
state folder. It holds ids, names, times and hashes, and of texts none: purging a memory leaves nothing behind here.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memtui import locations
from memtui.domain.identity import Actor
from memtui.domain.memory import Signal
from memtui.errors import MemtuiError
from memtui.progress import ProgressCallback
from memtui.vault.lease import lease, restrict, vault_file
from memtui.vault.packs import Serving, add_servings
from memtui.vault.vault import Vault

if TYPE_CHECKING:
    from memtui.capture.proposals.run import CaptureReport, CaptureRequest


WAIT_SECONDS = 0.2  # How long a line waits for another process that writes one
LARGEST_BYTES = 2 << 20
"""Size from which a file gives way to a new one; the one before it is read with it, what is older is lost. Some 10,000
servings, months of work without one look at memtui."""

MOST_TRANSCRIPTS = 500  # Pointers to transcripts that are kept, the newest


@dataclass(frozen=True, slots=True)
class Transcript:
    """A session that ended and may hold something worth learning."""

    assistant: str
    path: str
    session: str
    folder: str  # its working directory
    at: str  # ISO 8601


def folder_of(vault: Path) -> Path:
    """Return the folder that holds what assistants did with a vault."""
    name = blake2b(os.path.realpath(vault_file(vault)).encode("utf-8", "surrogateescape"), digest_size=8).hexdigest()
    return locations.state_folder() / "assistants" / name


def make_folder(folder: Path) -> Path:
    """Create a folder of the state folder for its owner alone; returns it."""
    if not folder.is_dir():
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        restrict(folder, 0o700)
    return folder


def before(path: Path) -> Path:
    """Return the file that gave way to one of the state folder when it had become too large."""
    return path.with_suffix(".old")


def append_line(path: Path, line: bytes, largest: int) -> None:
    """Add a line to a file that its owner alone can read; one of more than so many bytes gives way to a new one."""
    with suppress(FileNotFoundError):
        if path.stat().st_size > largest:
            path.replace(before(path))
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        os.write(descriptor, line)
    finally:
        os.close(descriptor)


class Spool:
    """The lines that wait to be folded into one vault."""

    def __init__(self, vault: Path) -> None:
        self.folder = folder_of(vault)
        self._lines = self.folder / "spool.jsonl"
        self._folding = self.folder / "folding.jsonl"
        self._transcripts = self.folder / "transcripts.jsonl"

    @property
    def is_empty(self) -> bool:
        """Whether nothing waits; costs three looks at the folder."""
        return not any(path.exists() for path in (self._lines, self._folding, before(self._lines)))

    def signal(self, signals: Iterable[Signal], *, session: str = "") -> None:
        """Keep signals of memories; a reason must hold no text of a memory."""
        for one in signals:
            record = {name: value for name, value in asdict(one).items() if value is not None}
            self.append({"kind": "signal", **record, "at": one.at.isoformat(), "session": session})

    def append(self, record: Mapping[str, Any]) -> None:
        """Keep one record. Raises `MemtuiError` or `OSError`: it could not be kept."""
        self._append(self._lines, record)

    def transcript(self, one: Transcript) -> None:
        """Keep a pointer to the transcript of a session that ended."""
        self._append(self._transcripts, asdict(one))

    def transcripts(self) -> list[Transcript]:
        """Return the sessions that ended and were not taken yet, the newest last, each once."""
        found: dict[tuple[str, str], Transcript] = {}
        for record in (*_records(before(self._transcripts)), *_records(self._transcripts)):
            with suppress(KeyError):
                one = Transcript(*(str(record[name]) for name in Transcript.__slots__))
                place = one.assistant, one.path or one.session
                found.pop(place, None)
                found[place] = one
        return list(found.values())[-MOST_TRANSCRIPTS:]

    def take_transcripts(self, done: Iterable[Transcript]) -> None:
        """Forget transcripts that were read."""
        gone = set(done)
        if not gone or not self.transcripts():
            return
        from memtui.publish.files import write_atomically

        with self._locked():
            kept = [one for one in self.transcripts() if one not in gone]
            lines = "".join(json.dumps(asdict(one)) + "\n" for one in kept)
            write_atomically(self._transcripts, lines.encode(), mode=0o600, durable=False)
            before(self._transcripts).unlink(missing_ok=True)

    def fold_into(self, vault: Vault) -> int:
        """Write what waits into the vault, as one change that no undo takes back; returns how many signals it was.

        Nothing is lost or counted twice by a crash in between: lines stay until the vault has them, and it takes no
        signal that it has already.

        Raises `MemtuiError`: the vault is busy or damaged; everything waits on.
        """
        if self.is_empty or not vault.exists:
            return 0
        with lease(self.folder / "fold", exclusive=True, wait_seconds=0.0):
            # What was being folded when a process ended comes first, then the older lines.
            number = self._fold(vault)
            for waiting in (before(self._lines), self._lines):
                with self._locked(), suppress(FileNotFoundError):
                    waiting.replace(self._folding)
                number += self._fold(vault)
        return number

    def _fold(self, vault: Vault) -> int:
        if not self._folding.exists():
            return 0
        number = _store(vault, list(_records(self._folding)))
        self._folding.unlink()
        return number

    def _append(self, path: Path, record: Mapping[str, Any]) -> None:
        make_folder(self.folder)
        # The line end before it keeps half a line of a process that was killed to itself.
        line = f"\n{json.dumps(record, separators=(',', ':'))}\n".encode()
        with self._locked():
            append_line(path, line, LARGEST_BYTES)

    def _locked(self) -> Any:
        return lease(self.folder / "spool", exclusive=True, wait_seconds=WAIT_SECONDS)


def fold_quietly(vault: Vault) -> None:
    """Fold in what waits, unless the vault is in use: it then waits for the next command."""
    with suppress(MemtuiError, OSError):
        spool = Spool(vault.path)
        if not spool.is_empty:
            spool.fold_into(Vault(vault.path, kinds=vault.kinds, now=vault.now, patience_seconds=0.0))


def _records(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the whole lines of a file; half a line is passed over."""
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return
    for line in text.splitlines():
        with suppress(ValueError, RecursionError):
            record = json.loads(line)
            if isinstance(record, dict):
                yield record


def _store(vault: Vault, records: list[dict[str, Any]]) -> int:
    signals = [signal for record in records for signal in _signals(record)]
    served = [serving for record in records for serving in _servings(record)]
    if not signals and not served:
        return 0
    fresh: dict[tuple[str, str, datetime, str], Signal] = {}
    with vault.write(actor=signals[-1].actor if signals else "agent", action="injected") as writer:
        writer.undoable = False
        if signals:
            ids = {signal.memory_id for signal in signals}
            known = set(writer.get_many(ids))
            there = {_place(signal) for signal in writer.signals(ids)}
            fresh = {_place(one): one for one in signals if one.memory_id in known and _place(one) not in there}
        writer.add_signals(fresh.values())
        add_servings(writer, served)
        writer.summary = f"what assistants were served: {len(fresh)} signals"
    return len(fresh)


def _place(signal: Signal) -> tuple[str, str, datetime, str]:
    return (signal.memory_id, signal.signal, signal.at, signal.actor)


def _servings(record: Mapping[str, Any]) -> Iterator[Serving]:
    """Yield what a line says of a session; what was changed by hand or by a newer memtui is passed over."""
    if record.get("kind") != "served":
        return
    with suppress(KeyError, TypeError, ValueError):
        project = record.get("project")
        yield Serving(
            session=str(record["session"]),
            assistant=str(record["assistant"]),
            project=project if isinstance(project, str) else None,
            event=str(record["event"]),
            made_at=datetime.fromisoformat(record["at"]),
            tokens=int(record.get("tokens") or 0),
            memories=len(record["memories"]),
            repeats=int(record.get("repeats") or 0),
        )


def _signals(record: Mapping[str, Any]) -> Iterator[Signal]:
    """Yield the signals of a line; what was changed by hand or by a newer memtui is passed over."""
    with suppress(KeyError, TypeError, ValueError):
        at, actor = datetime.fromisoformat(record["at"]), str(record.get("actor") or record.get("assistant") or "agent")
        if record["kind"] == "signal":
            yield Signal(
                memory_id=str(record["memory_id"]),
                signal=str(record["signal"]),
                at=at,
                actor=actor,
                pack_id=record.get("pack_id"),
                weight=float(record.get("weight", 1.0)),
                reason=str(record.get("reason", "")),
            )
        elif record["kind"] == "served":
            for identifier in record["memories"]:
                yield Signal(memory_id=str(identifier), signal="injected", at=at, actor=actor)


def with_noted(vault: Vault, request: CaptureRequest) -> CaptureRequest:
    """Return a request that reads what hooks noted too."""
    # Copilot CLI and OpenCode name no file: their sessions are found where they usually lie.
    noted = [(one.assistant, Path(one.path)) for one in Spool(vault.path).transcripts() if "\0" not in one.path]
    return replace(request, noted=[(name, path) for name, path in noted if path.is_absolute() and path.name])


def capture_noted(
    vault: Vault,
    request: CaptureRequest,
    *,
    actor: Actor,
    dry_run: bool = False,
    progress: ProgressCallback | None = None,
) -> CaptureReport:
    """Capture, and forget what hooks noted once all of it was read; parameters and errors as for `capture`."""
    from memtui.capture.proposals.run import capture

    spool = Spool(vault.path)
    noted = spool.transcripts()
    report = capture(vault, with_noted(vault, request), actor=actor, dry_run=dry_run, progress=progress)
    if request.is_whole and not dry_run and not report.is_cancelled:
        spool.take_transcripts(noted)
    return report
