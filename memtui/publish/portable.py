"""The portable plain-text vault: one Markdown file per memory, made for `git diff` and hand-offs.

    <folder>/memtui-vault.json                        what this folder is
    <folder>/memories/<project>/<title>.<id>.md       one memory each
    <folder>/records.jsonl                            links, verdicts, signals, tombstones, half-lives, recipes, if any

The same vault gives the same bytes, and only files that differ are written.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

from memtui.domain.memory import Memory
from memtui.errors import UnsafePathError
from memtui.publish.files import refuse_outside, write_atomically
from memtui.publish.jsonl import Snapshot, kin_lines
from memtui.publish.memory_file import parse_memory, render_memory
from memtui.vault.packs import RECIPE
from memtui.vault.schema import HALF_LIFE

FORMAT = "memtui-vault"
VERSION = 1
MANIFEST = "memtui-vault.json"
MEMORIES = "memories"
RECORDS = "records.jsonl"
UNASSIGNED = "_unassigned"

_SLUG_LENGTH = 48
_SAFE_NAME = re.compile(r"[a-z0-9-]{1,40}")
_LONGEST_NAME = 80
_DEVICES = re.compile(r"con|prn|aux|nul|com\d|lpt\d")
"""Names that Windows reserves for devices, with any extension."""

_KIN_TYPES = frozenset({"link", "verdict", "signal", "tombstone", HALF_LIFE, RECIPE})


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
    files = {
        f"{MEMORIES}/{folder_name(memory.project)}/{file_name(memory)}": render_memory(memory).encode()
        for memory in snapshot.memories
    }
    plan.update(sorted(files.items()))
    if kin := "".join(f"{line}\n" for line in kin_lines(snapshot)):
        plan[RECORDS] = kin.encode()
    return plan


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
            f"The manifest is not that of a portable vault of version {VERSION}",
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
        text = path.read_bytes().decode("utf-8-sig", "replace").replace("\r\n", "\n")
        identity = parse_memory(text).record.get("id")
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
