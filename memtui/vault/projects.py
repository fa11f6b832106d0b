"""Projects in the vault: their identities, how new ones are registered, and links by hand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from memtui.domain.identity import seen_at, seen_folder, suggest_name
from memtui.domain.record import Record
from memtui.errors import UsageError
from memtui.vault.reader import VaultReader
from memtui.vault.rows import among
from memtui.vault.writer import VaultWriter

IDENTITY = "identity"  # The journal's entity for an identity that a person linked to a project


@dataclass(frozen=True, slots=True)
class Project:
    """A project of the vault."""

    name: str
    identities: tuple[str, ...]  # `remote:…`, `commit:…`, `path:…`
    memories: int  # how many memories it has, of any status


def list_projects(reader: VaultReader) -> list[Project]:
    """Return every project that is registered or has memories, by name."""
    # Three plain statements are planned in a fifth of the time of one with subqueries, and run as fast.
    connection = reader.connection
    identities: dict[str, list[str]] = {}
    for name, identity in connection.execute("SELECT project, identity FROM project_identities").fetchall():
        if seen_folder(identity) is None:
            identities.setdefault(name, []).append(identity)
    counts = _memories_by_project(reader)
    return [
        Project(name, tuple(sorted(identities.get(name, ()))), counts.get(name, 0)) for name in _names(reader, counts)
    ]


def project_names(reader: VaultReader) -> list[str]:
    return _names(reader, _memories_by_project(reader))


def _names(reader: VaultReader, counts: Mapping[str, int]) -> list[str]:
    registered = reader.connection.execute("SELECT name FROM projects").fetchall()
    return sorted({str(row[0]) for row in registered} | counts.keys())


def _memories_by_project(reader: VaultReader) -> dict[str, int]:
    found = reader.connection.execute(
        "SELECT project, count(*) FROM memories WHERE project IS NOT NULL GROUP BY project"
    ).fetchall()
    return {str(name): int(memories) for name, memories in found}


def find_project(reader: VaultReader, identities: list[str]) -> str | None:
    """Return the project of the first known one of these identities."""
    condition, parameters = among("identity", identities)
    found = reader.connection.execute(
        f"SELECT identity, project FROM project_identities WHERE {condition}", parameters
    ).fetchall()
    projects = dict(found)
    return next((str(projects[identity]) for identity in identities if identity in projects), None)


def owners(reader: VaultReader) -> dict[str, str]:
    """Return the project of every identity and of every folder where a repository was seen, the newest first."""
    query = "SELECT identity, project FROM project_identities ORDER BY seen_at DESC, identity"
    return {str(identity): str(project) for identity, project in reader.connection.execute(query).fetchall()}


def register_project(writer: VaultWriter, identities: list[str], suggestion: str) -> str:
    """Return the project of these identities, registered under a free name if it is new.

    Unknown identities become aliases, so that a repository keeps its project when it moves.
    """
    name = find_project(writer, identities)
    if name is None:
        # A project with memories (imported, or named by --project) and no identity is taken to be this one.
        known = {project.name: project for project in list_projects(writer)}
        base = suggest_name(suggestion, ())
        orphan = known.get(base)
        name = base if orphan and not orphan.identities else suggest_name(suggestion, known)
    add_identities(writer, name, identities)
    return name


def ensure_project(writer: VaultWriter, name: str) -> None:
    """Register a project that a person named and that has no repository."""
    if name not in project_names(writer):
        writer.insert_unjournaled("projects", [{"name": check_name(name), "created_at": writer.now}])


def add_identities(writer: VaultWriter, name: str, identities: list[str]) -> None:
    ensure_project(writer, name)
    known = {row[0] for row in writer.connection.execute("SELECT identity FROM project_identities").fetchall()}
    new = [identity for identity in identities if identity not in known]
    if new:
        rows = [{"identity": identity, "project": name, "seen_at": writer.now} for identity in new]
        writer.insert_unjournaled("project_identities", rows)


def note_folder(writer: VaultWriter, name: str, folder: str) -> None:
    """Note in which folder a project's repository was seen, where that is not known yet."""
    entry = seen_at(folder)
    if find_project(writer, [entry]) != name:
        writer.delete_unjournaled("project_identities", "identity", [entry])
        add_identities(writer, name, [entry])


def seen_folders(reader: VaultReader) -> dict[str, list[Path]]:
    """Return in which folders each project's repository was seen, the newest first; it may have gone from there."""
    return seen_among(owners(reader))


def seen_among(known: Mapping[str, str]) -> dict[str, list[Path]]:
    """Return what `seen_folders` does, from what `owners` returned."""
    found: dict[str, list[Path]] = {}
    for entry, name in known.items():
        if (folder := seen_folder(entry)) is not None:
            found.setdefault(name, []).append(folder)
    return found


def link_identity(writer: VaultWriter, name: str, identity: str) -> str | None:
    """Link an identity to a project; returns the project that it was linked to before."""
    before = find_project(writer, [identity])
    if before != name:
        made = {} if name in project_names(writer) else {"made": True}
        set_identity(writer, identity, {"identity": identity, "project": name} | made)
    return before


def set_identity(writer: VaultWriter, identity: str, record: Record | None) -> None:
    """Link an identity as a journal's record states; None unlinks it."""
    name = find_project(writer, [identity])
    writer.delete_unjournaled("project_identities", "identity", [identity])
    if record is not None:
        add_identities(writer, str(record["project"]), [identity])
    before = None if name is None else {"identity": identity, "project": name}
    if before != record:
        writer.note(IDENTITY, identity, before, record)


def drop_unused(writer: VaultWriter, name: str) -> None:
    """Delete a project without identities and memories."""
    left = next((project for project in list_projects(writer) if project.name == name), None)
    if left is not None and not left.identities and not left.memories:
        writer.delete_unjournaled("projects", "name", [name])


def check_name(name: str) -> str:
    """Return a valid project name. Raises `UsageError`: it is empty, too long, or contains control characters."""
    cleaned = name.strip()
    if not cleaned or len(cleaned) > 100 or not cleaned.isprintable():  # noqa: PLR2004 - a sane length for a list column
        raise UsageError(
            "A project's name is 1 to 100 printable characters", where=repr(name), remedy="Choose another."
        )
    return cleaned
