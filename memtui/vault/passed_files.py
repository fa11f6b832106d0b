"""What imports leave in the vault beside memories: files to pass over, and settings without a place in memtui."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from memtui.domain.record import Record, RecordError, format_time, parse_time
from memtui.vault.reader import VaultReader
from memtui.vault.rows import COLUMNS, among, utc
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


def foreign_keys(reader: VaultReader, identifiers: Iterable[str], form: str) -> dict[str, dict[str, Any]]:
    """Return the settings that files of a format stated beside each memory, by id."""
    condition, parameters = among("memory_id", identifiers)
    found = reader.connection.execute(
        f"SELECT memory_id, keys FROM foreign_keys WHERE format = ? AND {condition}", [form, *parameters]
    ).fetchall()
    return {str(identifier): _loaded(keys) for identifier, keys in found}


def _loaded(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def put_foreign_keys(writer: VaultWriter, found: Mapping[str, Mapping[str, Any]], form: str) -> None:
    """Store the settings of memories' files in place of those known."""
    known = foreign_keys(writer, found, form)
    fresh = {identifier: keys for identifier, keys in found.items() if dict(keys) != known.get(identifier)}
    for identifier in sorted(fresh):
        writer.connection.execute("DELETE FROM foreign_keys WHERE memory_id = ? AND format = ?", [identifier, form])
    if fresh:
        writer.insert_unjournaled(
            "foreign_keys",
            (
                {"memory_id": identifier, "format": form, "keys": json.dumps(dict(keys), ensure_ascii=False)}
                for identifier, keys in fresh.items()
            ),
        )
