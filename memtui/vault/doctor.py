"""A look at the vault's health, told in checks, without harm to a damaged file; `repair` mends it."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from memtui.domain.project import linked_folder
from memtui.errors import VaultBusyError
from memtui.text.width import some_of
from memtui.vault import backup
from memtui.vault.backup import log_path
from memtui.vault.lease import lease
from memtui.vault.maintenance import backup_age
from memtui.vault.repair import Outcome, Repair, damaged_folder, repair
from memtui.vault.schema import SCHEMA_VERSION
from memtui.vault.subprocess_probe import Probe, probe
from memtui.vault.vault import Vault

__all__ = ["Check", "Diagnosis", "Outcome", "Repair", "damaged_folder", "diagnose", "repair"]

NETWORK_FILE_SYSTEMS = frozenset(
    {"nfs", "nfs4", "9p", "cifs", "smb3", "smbfs", "afs", "ceph", "fuse.sshfs", "fuse.rclone", "davfs", "drvfs"}
)
"""File systems on which DuckDB's lock cannot be relied on."""

_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Check:
    """One thing looked at.

    Attributes:
        name: what, in a word or three.
        ok: False when there is something to do.
        detail: what was found, one sentence without a full stop.
        remedy: what to do about it, empty if nothing.
        vital: False for hints, which do not make a vault unhealthy.
    """

    name: str
    ok: bool
    detail: str
    remedy: str = ""
    vital: bool = True


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """All checks, in the order in which people read them."""

    checks: tuple[Check, ...]

    @property
    def healthy(self) -> bool:
        """Whether every vital check is fine."""
        return all(check.ok for check in self.checks if check.vital)

    def check(self, name: str) -> Check:
        """Return the check of that name; KeyError if it was not made."""
        for check in self.checks:
            if check.name == name:
                return check
        raise KeyError(name)


def diagnose(vault: Vault) -> Diagnosis:
    """Look at everything about a vault; changes nothing and never fails because of what it finds."""
    checks = [_file_check(vault)]
    if vault.exists:
        checks.extend(_permission_checks(vault.path))
        lock = _lock_check(vault)
        checks.append(lock)
        if lock.ok:
            checks.extend(_content_checks(probe(vault.path, wait_seconds=vault.patience_seconds)))
        checks.append(_log_check(vault.path))
    checks.extend((_backup_check(vault), _drive_check(vault.path)))
    checks.extend(_damaged_checks(vault.path))
    checks.append(
        Check(
            "advice",
            ok=True,
            detail="memory is advice to an assistant, not a barrier: what must never happen belongs into"
            " permissions, hooks or CI",
            vital=False,
        )
    )
    return Diagnosis(tuple(checks))


def _file_check(vault: Vault) -> Check:
    if not vault.exists:
        return Check("file", ok=True, detail=f"there is no vault yet at {vault.path}; `memtui add` makes it")
    return Check("file", ok=True, detail=f"{vault.path}, {vault.path.stat().st_size:,} bytes")


def _permission_checks(path: Path) -> list[Check]:
    if os.name != "posix":
        return []
    open_files = [
        f"{file.name} {file.stat().st_mode & 0o777:04o}"
        for file in (path, log_path(path))
        if file.exists() and file.stat().st_mode & 0o077
    ]
    folder_mode = path.parent.stat().st_mode & 0o777
    return [
        Check(
            "file permissions",
            ok=not open_files,
            detail=f"others may read {', '.join(open_files)}" if open_files else "for you alone (0600)",
            remedy=f"chmod 600 '{path}'*" if open_files else "",
        ),
        Check(
            "folder permissions",
            ok=not folder_mode & 0o077,
            detail=f"others may look into {path.parent} ({folder_mode:04o})"
            if folder_mode & 0o077
            else "for you alone (0700)",
            remedy=f"chmod 700 '{path.parent}', if nobody else needs what is in it" if folder_mode & 0o077 else "",
            vital=False,
        ),
    ]


def _lock_check(vault: Vault) -> Check:
    try:
        with lease(vault.path, exclusive=False, wait_seconds=vault.patience_seconds):
            return Check("lock", ok=True, detail="free")
    except VaultBusyError as error:
        return Check("lock", ok=False, detail=error.what, remedy=error.remedy)


def _content_checks(found: Probe) -> list[Check]:
    if found.reason in {"busy", "too-new", "refused"}:
        return [Check("opens", ok=False, detail=found.error)]
    facts = found.facts
    checks = [
        Check(
            "opens",
            ok=found.readable,
            detail=f"every value was read: {found.memories} memories, {found.counts.get('revisions', 0)} revisions"
            if found.readable
            else found.error,
            remedy=""
            if found.readable
            else "`memtui doctor --repair` keeps a copy, then restores the newest backup or what can be read",
        )
    ]
    if "schema" in facts:
        checks.append(_schema_check(facts["schema"]))
    if "duckdb" in facts:
        checks.append(Check("duckdb", ok=True, detail=f"version {facts['duckdb']}", vital=False))
    if found.readable:
        checks.extend(_consistency_checks(found))
    return checks


def _schema_check(version: int) -> Check:
    if version == SCHEMA_VERSION:
        return Check("schema", ok=True, detail=f"version {version}")
    return Check("schema", ok=True, detail=f"version {version}, brought to {SCHEMA_VERSION} at the next use")


def _consistency_checks(found: Probe) -> list[Check]:
    facts = found.facts
    unposted, stray = int(facts.get("unposted") or 0), int(facts.get("stray_postings") or 0)
    broken, doubles = int(facts.get("bad_revisions") or 0), int(facts.get("double_ids") or 0)
    dangling = facts.get("dangling_links") or []
    vectors = int(facts.get("vectors") or 0)
    return [
        Check(
            "search index",
            ok=not unposted and not stray,
            detail=f"{unposted} memories are not indexed rightly, {stray} entries belong to none"
            if unposted or stray
            else "every memory is indexed",
            remedy="`memtui reindex` rebuilds it; nothing else is touched" if unposted or stray else "",
        ),
        Check("ids", ok=not doubles, detail=f"{doubles} ids stand twice" if doubles else "every id stands once"),
        Check(
            "journal",
            ok=not broken,
            detail=f"{broken} revisions cannot be read" if broken else "every revision can be read",
        ),
        Check(
            "links",
            ok=not dangling,
            detail=f"{len(dangling)} point to memories that are not here: {_named(dangling)}"
            if dangling
            else "every link has both ends",
            remedy="`memtui unlink` takes one out, an import of the missing memories mends it" if dangling else "",
            vital=False,
        ),
        _projects_check(facts.get("projects") or []),
        Check(
            "vectors",
            ok=True,
            detail=f"{vectors:,} are stored" if vectors else "none are stored",
            vital=False,
        ),
    ]


def _named(links: list[list[str]]) -> str:
    return some_of([f"{start} {kind} {end}" for start, kind, end in links], _SHOWN)


def _projects_check(projects: list[list[object]]) -> Check:
    """Find projects known by folders alone, all of which are gone: they were moved or renamed."""
    orphans = []
    for name, identities in projects:
        known = [str(identity) for identity in identities] if isinstance(identities, list) else []
        folders = [str(folder) for identity in known if (folder := linked_folder(identity))]
        if folders and len(folders) == len(known) and not any(os.path.isdir(folder) for folder in folders):  # noqa: PTH112 - False, not an error, for what may not be looked at
            orphans.append(f"{name} ({folders[-1]})")
    if not orphans:
        return Check("projects", ok=True, detail="no project has lost its folder", vital=False)
    return Check(
        "projects",
        ok=False,
        detail=f"the folder is gone of {', '.join(sorted(orphans))}",
        remedy="if it was moved or renamed, run `memtui project link NAME` in the new place",
        vital=False,
    )


def _log_check(path: Path) -> Check:
    log = log_path(path)
    size = log.stat().st_size if log.exists() else 0
    return Check("log", ok=True, detail=f"{size:,} bytes wait to be folded into the file", vital=False)


def _backup_check(vault: Vault) -> Check:
    age = backup_age(vault, vault.now())
    if age is None:
        return Check("backup", ok=True, detail="there is none yet", vital=False)
    newest = backup.list_backups(vault.path)[0]
    return Check("backup", ok=True, detail=f"the newest is {newest.name}, {_words_for(age)} old", vital=False)


def _words_for(age: timedelta) -> str:
    hours = max(0.0, age.total_seconds()) / 3_600
    if hours < 48:  # noqa: PLR2004 - two days read better as hours
        return f"{hours:.0f} hours"
    return f"{hours / 24:.0f} days"


def _damaged_checks(path: Path) -> list[Check]:
    folder = damaged_folder(path)
    kept = sorted(file.name for file in folder.glob(f"{path.stem}-*.duckdb")) if folder.is_dir() else []
    if not kept:
        return []
    return [
        Check(
            "damaged copies",
            ok=True,
            detail=f"{folder} keeps {', '.join(kept)}",
            remedy="delete them once you are sure that nothing is missing",
            vital=False,
        )
    ]


def _drive_check(path: Path) -> Check:
    kind = file_system(path)
    if kind not in NETWORK_FILE_SYSTEMS:
        return Check("drive", ok=True, detail=kind or "unknown file system", vital=False)
    return Check(
        "drive",
        ok=False,
        detail=f"the vault lies on a network drive ({kind}), where locks cannot be relied on",
        remedy="Keep it on a local disk: --vault or MEMTUI_VAULT",
        vital=False,
    )


def file_system(path: Path, mounts: str | None = None) -> str:
    """Return the type of the file system that holds a path, e.g. `ext4`; empty where it cannot be told.

    Args:
        path: a file or folder that need not exist.
        mounts: the text of `/proc/mounts`; read from the system by default.
    """
    if mounts is None:
        try:
            mounts = Path("/proc/mounts").read_text(encoding="utf-8", errors="surrogateescape")
        except OSError:
            return ""
    real = Path(os.path.realpath(path))
    best, kind = -1, ""
    for line in mounts.splitlines():
        fields = line.split(" ")
        if len(fields) < 3:  # noqa: PLR2004 - device, place, type
            continue
        place = Path(re.sub(r"\\([0-7]{3})", lambda found: chr(int(found[1], 8)), fields[1]))
        # Of mounts over one another the last counts.
        if (real == place or place in real.parents) and len(place.parts) >= best:
            best, kind = len(place.parts), fields[2]
    return kind
