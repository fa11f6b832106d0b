"""The portable plain-text vault and JSONL: export, and reading them back."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import blake2b
from itertools import chain
from pathlib import Path

from memtui.domain.kinds import split_project
from memtui.domain.memory import Memory
from memtui.domain.record import Record, RecordError, memory_from_record
from memtui.errors import ConflictError, SecretRefusedError, UnsafePathError, missing_file
from memtui.publish.files import Snapshot, jsonl_text, kin_lines, refuse_outside, write_atomically
from memtui.publish.memory_file import parse_memory, render_memory
from memtui.text.words import counted, some_of
from memtui.vault.filters import MemoryFilter, Scope
from memtui.vault.packs import RECIPE, read_recipes
from memtui.vault.passed_files import PASSED_FILE, passed_files
from memtui.vault.rows import HALF_LIFE
from memtui.vault.teams import past_states
from memtui.vault.text_search import MARK, Patterns, secrets_in, without_values
from memtui.vault.vault import Vault

TARGETS = ("vault", "jsonl", "okf")

_NAMED = 5  # Memories that a refusal names


def take_snapshot(vault: Vault, scope: Scope) -> Snapshot:
    """Read the memories of a scope, of any status, with everything attached to them."""
    with vault.read() as reader:
        memories = reader.select(MemoryFilter(scope=scope, statuses=None), sort="created", now=vault.now())
        ids = [memory.id for memory in memories]
        wanted = None if scope.is_everything else ids
        stones = reader.tombstones()
        known = set(ids)
        if scope.projects is not None:
            stones = [stone for stone in stones if stone.memory_id in known or stone.project in scope.projects]
        return Snapshot(
            memories,
            reader.links(wanted),
            reader.verdicts(wanted),
            reader.signals(wanted),
            stones,
            gone=frozenset(reader.ids_gone()),
            half_lives={
                name: days
                for name, days in reader.half_lives().items()
                if scope.is_everything or split_project(name)[1] in (scope.projects or ())
            },
            passed=[file for file in passed_files(reader) if _is_in(scope, file.project)],
            recipes=[recipe for recipe in read_recipes(reader) if _is_in(scope, recipe.project)],
        )


def _is_in(scope: Scope, project: str | None) -> bool:
    return scope.projects is None or (scope.with_unassigned if project is None else project in scope.projects)


def holding_secrets(snapshot: Snapshot, patterns: Patterns = ()) -> dict[str, list[str]]:
    """Return the fields that hold apparent secrets: of memories by id, with what is attached, and of recipes."""
    reasoned = (thing for things in (snapshot.verdicts, snapshot.signals, snapshot.tombstones) for thing in things)
    candidates: Iterator[tuple[str, object]] = chain(
        ((memory.id, memory) for memory in snapshot.memories),
        ((thing.memory_id, thing) for thing in reasoned if thing.reason),
        ((f"recipe {without_values(recipe.name, patterns)}", recipe) for recipe in snapshot.recipes),
    )
    found: dict[str, list[str]] = {}
    for key, thing in candidates:
        if fields := secrets_in(thing, patterns):
            found.setdefault(key, []).extend(fields)
    return found


def refuse_secrets(snapshot: Snapshot, patterns: Patterns = ()) -> None:
    """Refuse to export what looks like a secret: an export is made to be passed on.

    Raises `SecretRefusedError`: names the memories or recipes and the fields, never the value.
    """
    found = holding_secrets(snapshot, patterns)
    if found:
        named = [f"{key} ({', '.join(dict.fromkeys(fields))})" for key, fields in found.items()]
        raise SecretRefusedError(
            f"{len(found)} of the memories{' and recipes' if snapshot.recipes else ''} hold what looks like a secret",
            where=some_of(named, _NAMED),
            remedy="Nothing was written. Take it out with `memtui edit` or `memtui purge`, or say --allow-secret.",
        )


def export_jsonl(snapshot: Snapshot, path: Path) -> int:
    """Write a JSONL file atomically; returns its size in bytes.

    Raises:
        UnsafePathError: the path is a folder.
        UsageError: its folder does not exist.
    """
    if path.is_dir():
        raise UnsafePathError("The target is a folder", where=str(path), remedy="Name a file: --out memories.jsonl.")
    if not path.parent.is_dir():
        raise missing_file(path.parent)
    if path.is_symlink() or (path.exists() and not _is_jsonl(path)):
        raise UnsafePathError(
            "The file is not JSONL",
            where=str(path),
            remedy="Choose a new name, or move it away first.",
        )
    data = jsonl_text(snapshot).encode("utf-8")
    write_atomically(path, data)
    return len(data)


def _is_jsonl(path: Path) -> bool:
    """Return whether a file that an export would replace is empty or looks like JSONL."""
    if not path.is_file():
        return False
    with path.open("rb") as stream:
        return stream.read(1) in {b"", b"{"}


FORMAT = "memtui-vault"
VERSION = 1
MANIFEST = "memtui-vault.json"
MEMORIES = "memories"
RECORDS = "records.jsonl"
UNASSIGNED = "_unassigned"

_SLUG_LENGTH = 48
_SAFE_NAME = re.compile(r"[a-z0-9-]{1,40}")
_LONGEST_NAME = 80
_DEVICES = re.compile(r"con|prn|aux|nul|com\d|lpt\d")  # Names that Windows reserves for devices, with any extension

_KIN_TYPES = frozenset({"link", "verdict", "signal", "tombstone", HALF_LIFE, RECIPE, PASSED_FILE})


@dataclass(frozen=True, slots=True)
class WriteReport:
    """What writing a vault did; POSIX paths relative to its folder, sorted."""

    written: tuple[str, ...]
    unchanged: tuple[str, ...]
    removed: tuple[str, ...]


def file_name(memory: Memory) -> str:
    """Return the name of a memory's file: a slug of its title, its id, `.md`; safe on every system."""
    return f"{_slug(memory.title)}.{_encode(memory.id)}.md"


def folder_name(project: str | None) -> str:
    """Return the name of a project's folder; different projects never share one."""
    return UNASSIGNED if project is None else _encode(project)


def project_of_folder(name: str) -> str | None:
    """Return the project whose folder has that name, as far as the name tells; None for unassigned."""
    if name == UNASSIGNED:
        return None
    encoded = re.sub(r"((?:_[0-9a-f]{2})+)", lambda run: _decode(run[1]), name)
    return encoded if folder_name(encoded) == name else name


def _slug(title: str) -> str:
    plain = unicodedata.normalize("NFKD", title[: _SLUG_LENGTH * 4]).encode("ascii", "ignore").decode().lower()
    slug = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:_SLUG_LENGTH].rstrip("-")
    if not slug or _DEVICES.fullmatch(slug):
        return f"memory-{slug}".rstrip("-")
    return slug


def _encode(name: str) -> str:
    """Return a name in lower-case letters, digits, `-` and `_xx` for any other byte, so that no two collide.

    A long one ends in a hash instead of its rest; `_h` never begins an encoded byte.
    """
    if _SAFE_NAME.fullmatch(name) and not _DEVICES.fullmatch(name):
        return name
    raw = name.encode("utf-8", "surrogatepass")
    if _DEVICES.fullmatch(name):
        return f"_{raw[0]:02x}{name[1:]}"
    safe = b"abcdefghijklmnopqrstuvwxyz0123456789-"
    encoded = "".join(chr(byte) if byte in safe else f"_{byte:02x}" for byte in raw[: _LONGEST_NAME + 1])
    if len(encoded) <= _LONGEST_NAME and len(raw) <= _LONGEST_NAME:
        return encoded
    return f"{encoded[:40].rpartition('_')[0] or encoded[:40]}_h{blake2b(raw, digest_size=12).hexdigest()}"


def _decode(run: str) -> str:
    return bytes.fromhex(run.replace("_", "")).decode("utf-8", "replace")


def plan_vault(snapshot: Snapshot) -> dict[str, bytes]:
    """Return every file of the portable vault: POSIX path relative to its folder, content."""
    manifest = json.dumps({"format": FORMAT, "version": VERSION}) + "\n"
    plan = {MANIFEST: manifest.encode()}
    files = {_place_of(memory): render_memory(memory).encode() for memory in snapshot.memories}
    plan.update(sorted(files.items()))
    if kin := "".join(f"{line}\n" for line in kin_lines(snapshot)):
        plan[RECORDS] = kin.encode()
    return plan


def _place_of(memory: Memory) -> str:
    return f"{MEMORIES}/{folder_name(memory.project)}/{file_name(memory)}"


def write_vault(folder: Path, snapshot: Snapshot, *, prune: bool = False, dry_run: bool = False) -> WriteReport:
    """Write the portable vault into a folder, touching only our own files that differ.

    Files of memories that were renamed, or are gone from the vault, are removed; every other file stays.

    Args:
        folder: a portable vault, or a folder without files of these names; created if missing.
        prune: whether files of memories that are not exported are removed, even if the vault never knew them.
        dry_run: report, but write nothing.

    Raises:
        UnsafePathError: the folder holds something else under our names, or memories that are neither exported nor
            gone, or leads outside by a link.
        MemtuiError: the system refuses a write; files written before it stay.
    """
    _check_folder(folder)
    plan = plan_vault(snapshot)
    for parent in sorted({(folder / path).parent for path in plan}):
        refuse_outside(parent, folder)
    outdated = _ours(folder, plan)
    if not prune:
        _refuse_loss(folder, outdated, snapshot)
    unchanged = [path for path, data in plan.items() if _holds(folder / path, data)]
    written = sorted(plan.keys() - set(unchanged))
    for path in sorted(written, key=lambda path: (path != MANIFEST, path)):
        if (folder / path).is_symlink():
            refuse_outside(folder / path, folder)
        if not dry_run:
            # Waiting for the disk costs 5 times as much; the next export mends what a power cut took.
            write_atomically(folder / path, plan[path], durable=False)
    if not dry_run:
        for path in outdated:
            _remove(folder / path)
    return WriteReport(tuple(written), tuple(sorted(unchanged)), tuple(sorted(outdated)))


def refuse_edited(vault: Vault, folder: Path, snapshot: Snapshot) -> None:
    """Refuse to write over files of memories that say what this vault never said of them.

    Raises `ConflictError`: a person, or another vault, edited one since it was written or read.
    """
    plan = plan_vault(snapshot) if vault_version(folder) == VERSION else {}
    # What is to be written over is this memory's file, whatever became of the id in it.
    planned = {_place_of(memory): memory.id for memory in snapshot.memories}
    stated: dict[str, tuple[str, Record]] = {}
    for path in sorted((folder / MEMORIES).glob("*/*.md")) if plan else ():
        relative = path.relative_to(folder).as_posix()
        if path.is_file() and not path.is_symlink() and not _holds(path, plan.get(relative, b"")):
            record = _record_in(path)
            identifier = planned.get(relative, record.get("id"))
            if isinstance(identifier, str):
                stated[relative] = identifier, record
    with vault.read() as reader:
        past = past_states(reader, sorted({identifier for identifier, _ in stated.values()}))
    now = vault.now()
    edited = [path for path, (key, record) in stated.items() if not _was_said(record, past.get(key, ()), key, now)]
    if edited:
        raise ConflictError(
            f"{counted(len(edited), 'file')} in the folder {'was' if len(edited) == 1 else 'were'} edited",
            where=some_of([str(folder / path) for path in edited], _NAMED),
            remedy="Nothing was written. `memtui import` with --replace takes the edits, --force writes over them.",
        )


def _was_said(record: Record, past: Sequence[Record], identifier: str, now: datetime) -> bool:
    """Return whether one of a memory's past states is that of a file; of a memory that was purged nothing is known."""
    if not past or any(MARK in str(state) for state in past):
        return True
    memory = _read(record, identifier, now)
    return memory is not None and any(memory == _read(state, identifier, now) for state in past)


def _read(record: Record, identifier: str, now: datetime) -> Memory | None:
    try:
        return memory_from_record(record, now=now, new_id=identifier)
    except RecordError:
        return None


def _record_in(path: Path) -> Record:
    return parse_memory(path.read_bytes().decode("utf-8-sig", "replace").replace("\r\n", "\n")).record


def _refuse_loss(folder: Path, outdated: Mapping[str, str | None], snapshot: Snapshot) -> None:
    """Refuse to remove the files of memories that are neither exported nor known to be gone."""
    known = snapshot.gone | {memory.id for memory in snapshot.memories}
    foreign = [path for path, identifier in outdated.items() if identifier is not None and identifier not in known]
    if foreign:
        raise UnsafePathError(
            f"The folder holds {len(foreign)} memories that this export does not contain, {min(foreign)} among them",
            where=str(folder),
            remedy="Nothing was written. Import them first, export all projects, name another folder, or say --prune.",
        )


def vault_version(folder: Path) -> int | None:
    """Return the version of the portable vault in a folder: None if there is none, 0 if it is broken."""
    try:
        manifest = json.loads((folder / MANIFEST).read_bytes())
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError, RecursionError):
        return 0
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        return 0
    version = manifest.get("version")
    return version if isinstance(version, int) else 0


def _check_folder(folder: Path) -> None:
    if folder.exists() and not folder.is_dir():
        raise UnsafePathError(
            "A portable vault needs a folder, and this is a file",
            where=str(folder),
            remedy="Name another folder.",
        )
    version = vault_version(folder)
    if version is None:
        taken = [name for name in (MEMORIES, RECORDS) if (folder / name).exists()]
        if taken:
            raise UnsafePathError(
                f"The folder is not a portable vault, but holds {' and '.join(taken)} already",
                where=str(folder),
                remedy="Name an empty folder, or one that memtui wrote.",
            )
    elif version != VERSION:
        raise UnsafePathError(
            f"The manifest is not from a portable vault of version {VERSION}",
            where=str(folder / MANIFEST),
            remedy="Name another folder, or update memtui if a newer one wrote it.",
        )


def _holds(path: Path, data: bytes) -> bool:
    try:
        return path.stat().st_size == len(data) and path.read_bytes() == data
    except OSError:
        return False


def _ours(folder: Path, plan: Mapping[str, bytes]) -> dict[str, str | None]:
    """Return the files outside the plan that only memtui can have written, with the memory's id."""
    found: dict[str, str | None] = {}
    for path in (folder / MEMORIES).glob("*/*.md"):
        relative = path.relative_to(folder).as_posix()
        if relative in plan or path.is_symlink() or path.parent.is_symlink() or not path.is_file():
            continue
        identity = _record_in(path).get("id")
        if isinstance(identity, str) and path.name.endswith(f".{_encode(identity)}.md"):
            found[relative] = identity
    records = folder / RECORDS
    if RECORDS not in plan and records.is_file() and not records.is_symlink():
        lines = [line for line in records.read_bytes().split(b"\n") if line.strip()]
        if all(map(_is_kin, lines)):
            found[RECORDS] = None
    return found


def _is_kin(line: bytes) -> bool:
    try:
        loaded = json.loads(line)
    except (ValueError, RecursionError):
        return False
    return isinstance(loaded, dict) and loaded.get("type") in _KIN_TYPES


def _remove(path: Path) -> None:
    """Remove a file, and its folder if that is then empty."""
    path.unlink(missing_ok=True)
    if path.parent.parent.name == MEMORIES:
        try:
            path.parent.rmdir()
        except OSError:
            return
