"""The constraints that changes are checked against: from the vault, or from a file that lies in the repository."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from memtui.curate.projects import view_of
from memtui.domain.memory import GLOBAL_PROJECT, Memory
from memtui.domain.record import Record, RecordError, memory_from_record
from memtui.domain.rules import Rule, readable_rules
from memtui.errors import MemtuiError, UsageError
from memtui.text.sanitize import one_line, sanitise
from memtui.vault.filters import MemoryFilter
from memtui.vault.vault import Vault
from memtui.wording import checks

LONGEST_WHY = 300  # Characters of a constraint's words that a finding quotes
KIND = "constraint"
_CHECKED = f"AND (len(m.rules) > 0 OR (m.kind = '{KIND}' AND len(m.anchors) > 0)) ORDER BY m.created_at, m.key"


@dataclass(frozen=True, slots=True)
class Constraint:
    """A memory that commits are held to."""

    id: str
    title: str
    why: str  # one line: what it says, and the reason where there is one
    rules: tuple[tuple[str, Rule], ...] = ()  # as they are written, and what they mean
    unread: tuple[tuple[str, str], ...] = ()  # rules that this memtui cannot read, with the reason
    anchors: tuple[str, ...] = ()  # its files; one that has words alone is a reminder where they change
    is_verified: bool = True  # whether a person verified it

    @property
    def told(self) -> tuple[str, str]:
        """Title and words as an assistant may read them: of what looks planted and nobody verified, the rules alone."""
        # Imported here: few constraints have anything to tell, and a commit waits.
        from memtui.text.injection import planted_instructions

        if not self.is_verified and planted_instructions(f"{self.title}\n{self.why}"):
            return "", checks.planted(self.id)
        return self.title, self.why


@dataclass(frozen=True, slots=True)
class Constraints:
    """All constraints of a project."""

    all: tuple[Constraint, ...]
    root: Path | None = None  # the folder that its globs are relative to; None for the top of the repository

    @property
    def rules(self) -> Iterator[tuple[Constraint, str, Rule]]:
        return ((one, text, rule) for one in self.all for text, rule in one.rules)


def of_memory(memory: Memory) -> Constraint:
    """Return a memory as a constraint."""
    found, unread = readable_rules(memory.rules)
    reason = one_line(memory.rationale or memory.insight)
    named = memory.title.rstrip(".… ")
    why = reason if reason.startswith(named) else f"{named}. {reason}"
    anchors = tuple(anchor.path for anchor in memory.anchors)
    is_verified = memory.verified_at is not None
    return Constraint(memory.id, memory.title, _short(why), tuple(found), tuple(unread), anchors, is_verified)


def _short(text: str) -> str:
    return text if len(text) <= LONGEST_WHY else f"{text[: LONGEST_WHY - 1].rstrip()}…"


def stored_constraints(vault: Vault, folder: Path, project: str | None) -> Constraints:
    """Return the constraints of the project in view, and those of all projects, under one lease.

    Raises `VaultBusyError, VaultDamagedError, VaultTooNewError`: as `Vault.read`.
    """
    with vault.read() as reader:
        view = view_of(reader, folder, project)
        wanted = MemoryFilter(scope=view.payload_scope)
        keys = [int(row[0]) for row in reader.rows_of("m.key", wanted, _CHECKED)]
        memories = reader.get_by_keys(keys)
    now = vault.now()
    return Constraints(tuple(of_memory(memories[key]) for key in keys if _holds(memories[key], now)), view.root)


def _holds(memory: Memory, now: datetime) -> bool:
    begun = memory.valid_from is None or memory.valid_from <= now
    over = memory.valid_until is not None and memory.valid_until <= now
    carries = bool(memory.rules) or memory.kind == KIND
    return memory.status == "active" and carries and begun and not over


def written_constraints(place: Path, now: datetime, project: str | None) -> Constraints:
    """Return the constraints that a portable vault or a JSONL file holds.

    `project`: the project in view; of a file with several projects only its memories and the global ones count.

    Raises:
        MemtuiError: there is no such file, or it holds no memory.
        UsageError: it holds several projects, and none of them is in view.
    """
    if not place.exists():
        raise MemtuiError("Portable vault not found", where=str(place), remedy="`memtui export --target vault`")
    if not place.is_dir() and not place.is_file():
        raise MemtuiError("This is not a regular file", where=str(place), remedy="Name a JSONL export.")
    memories = [memory for record in _records(place) if (memory := _memory(record, now)) is not None]
    if not memories:
        raise MemtuiError(
            "It contains no memories", where=str(place), remedy="Name a portable vault or a JSONL export."
        )
    projects = {memory.project for memory in memories} - {None, GLOBAL_PROJECT}
    if len(projects) > 1 and project not in projects:
        names = ", ".join(sorted(map(str, projects))[:5])
        raise UsageError("It contains several projects", where=names, remedy="Choose one with --project.")
    mine = {None, GLOBAL_PROJECT, project if len(projects) > 1 else next(iter(projects), None)}
    return Constraints(tuple(of_memory(one) for one in memories if one.project in mine and _holds(one, now)))


def _memory(record: Record, now: datetime) -> Memory | None:
    try:
        return memory_from_record(record, now=now, new_id="unnamed")
    except RecordError:
        return None


def _records(place: Path) -> Iterator[Record]:
    if place.is_dir():
        yield from _from_folder(place)
        return
    with place.open(encoding="utf-8", errors="replace") as file:
        yield from _from_lines(file)


def _from_lines(lines: Iterable[str]) -> Iterator[Record]:
    for line in lines:
        try:
            row = json.loads(line) if line.startswith("{") else None
        except (ValueError, RecursionError):
            continue
        if isinstance(row, dict) and row.get("type", "memory") == "memory":
            yield _clean(row)


def _from_folder(folder: Path) -> Iterator[Record]:
    from memtui.publish.memory_file import parse_memory

    for file in sorted(path for path in folder.rglob("*.md") if path.is_file()):
        text = file.read_text(encoding="utf-8-sig", errors="replace").replace("\r\n", "\n")
        if text.startswith("---\n"):
            yield _clean(parse_memory(text).record)


def _clean(record: Record) -> Record:
    return {key: sanitise(value).text if isinstance(value, str) else value for key, value in record.items()}
