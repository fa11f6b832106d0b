"""What the vault and a project's rules files say already of what sessions teach."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from pathlib import Path

from memtui.capture.lessons.known import Judged, Novelty
from memtui.capture.lessons.traces import Traces, Use, UseSignal, uses
from memtui.capture.places import sources_of
from memtui.domain.memory import Link, Memory, Signal
from memtui.errors import MemtuiError
from memtui.text.sanitize import one_line
from memtui.text.words import shorten
from memtui.vault.filters import MemoryFilter, Scope
from memtui.vault.reader import VaultReader
from memtui.workspace import find_workspace

READER = "capture"
"""Who notes what was found in transcripts."""

_MOST_FILES = 40
_LARGEST_FILE = 200_000
_REASON_CHARS = 200


def memories_in_view(reader: VaultReader, project: str | None, now: datetime) -> list[Memory]:
    """Return the memories of a project and the global ones, with those that were turned down."""
    scope = Scope((), with_unassigned=True) if project is None else Scope.of_project(project)
    wanted = MemoryFilter(scope=scope, statuses=("active", "candidate", "retired"))
    return reader.select(wanted, sort="created", now=now)


def rules_of(folder: Path | None, home: Path) -> dict[str, str]:
    """Return the rules files of the repository around a folder by name; none where it is gone or is no repository."""
    if folder is None or not folder.is_dir() or not find_workspace(folder).is_repository:
        return {}
    try:
        found = sources_of(find_workspace(folder).root, home).sources
    except MemtuiError:
        return {}
    texts: dict[str, str] = {}
    for source in found[:_MOST_FILES]:
        if source.reader is not None and len(source.file.raw) <= _LARGEST_FILE:
            texts[source.file.name] = source.file.text
    return texts


def signals_of_uses(traces: Iterable[Traces], memories: Sequence[Memory], now: datetime) -> Iterator[Signal]:
    """Yield the automatic signals of memories that sessions were served."""
    active = [memory for memory in memories if memory.status == "active"]
    for one in traces:
        for use in uses(one, active):
            yield signal_of(use, now)


def signal_of(use: Use, now: datetime) -> Signal:
    """Return a use as a signal; its reason names the place and quotes the words."""
    place = f"{use.place.file.as_posix()}:{use.place.line or use.place.row}"
    reason = f"{place} {shorten(one_line(use.words), _REASON_CHARS)}".strip()
    return Signal(memory_id=use.memory_id, signal=use.signal, at=min(use.at or now, now), actor=READER, reason=reason)


def use_of(judged: Judged) -> Use | None:
    """Return the signal that a lesson gives a memory which says it, or that it contradicts."""
    proposal = judged.proposal
    if not judged.memory_id or judged.novelty not in {Novelty.SAID_AGAIN, Novelty.CORRECTS}:
        return None
    signal: UseSignal = "restated" if judged.novelty is Novelty.SAID_AGAIN else "contradicted"
    return Use(judged.memory_id, signal, proposal.place, proposal.at, proposal.quote)


def link_of(judged: Judged, memory_id: str, now: datetime) -> Link | None:
    """Return the link of a proposal to the memory that it corrects: accepting it supersedes that one."""
    if judged.link is None:
        return None
    return Link(from_id=memory_id, type=judged.link, to_id=judged.memory_id, origin=READER, created_at=now)
