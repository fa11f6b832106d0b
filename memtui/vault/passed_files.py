"""Files that imports pass over because a person never wants to be offered from them again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from memtui.domain.record import Record, RecordError, format_time, parse_time
from memtui.vault.reader import VaultReader
from memtui.vault.rows import COLUMNS, utc
from memtui.vault.writer import VaultWriter

PASSED_FILE = "passed-file"  # The journal's entity for one, and the type of its line in exports


@dataclass(frozen=True, slots=True)
class PassedFile:
    """A file of a project, named as its memories name it; `project` is None for what is unassigned."""

    project: str | None
    path: str
    at: datetime
    actor: str

    @property
    def place(self) -> tuple[str | None, str]:
        """What identifies it."""
        return (self.project, self.path)


def passed_files(reader: VaultReader) -> list[PassedFile]:
    """Return every file that is passed over, by project and path."""
    found = reader.connection.execute(
        f"SELECT {', '.join(COLUMNS['passed_files'])} FROM passed_files ORDER BY project NULLS FIRST, path"
    ).fetchall()
    return [PassedFile(project, path, utc(at), actor) for project, path, at, actor in found]


def pass_files(writer: VaultWriter, files: Sequence[PassedFile]) -> None:
    """Pass over files from now on; those that are passed over already stay as they are."""
    known = {one.place for one in passed_files(writer)}
    fresh = {one.place: one for one in files if one.place not in known}
    rows = [{"project": one.project, "path": one.path, "made_at": one.at, "actor": one.actor} for one in fresh.values()]
    if rows:
        writer.insert_unjournaled("passed_files", rows)
    for one in fresh.values():
        writer.note(PASSED_FILE, one.path, None, passed_file_record(one))


def offer_again(writer: VaultWriter, file: PassedFile) -> None:
    """Pass over a file no longer."""
    writer.connection.execute(
        "DELETE FROM passed_files WHERE project IS NOT DISTINCT FROM ? AND path = ?", [file.project, file.path]
    )
    writer.note(PASSED_FILE, file.path, passed_file_record(file), None)


def passed_file_record(file: PassedFile) -> Record:
    """Return the typed line of one."""
    record: Record = {"type": PASSED_FILE, "project": file.project, "path": file.path, "actor": file.actor}
    return record | {"at": format_time(file.at)}


def passed_file_from_record(record: Record) -> PassedFile:
    """Return the file of a typed line. Raises `RecordError`: the line lacks a key or has a wrong value."""
    at, path, project = parse_time(record.get("at"), "at"), record.get("path"), record.get("project")
    if at is None or not isinstance(path, str) or not path or not isinstance(project, str | None):
        raise RecordError("a passed file needs a path and a time")
    return PassedFile(project, path, at, str(record.get("actor") or "person"))
