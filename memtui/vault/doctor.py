"""Diagnose a vault without harming a damaged file; `repair` repairs it."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from memtui.domain.identity import linked_folder
from memtui.errors import VaultBusyError
from memtui.text.words import counted, some_of
from memtui.vault.backups import damaged_copies, list_backups, made_at
from memtui.vault.lease import drafts_files, lease, log_path
from memtui.vault.rows import SCHEMA_VERSION
from memtui.vault.subprocess_probe import Probe, probe
from memtui.vault.vault import Vault

_NETWORK_FILE_SYSTEMS = frozenset(
    {"nfs", "nfs4", "9p", "cifs", "smb3", "smbfs", "afs", "ceph", "fuse.sshfs", "fuse.rclone", "davfs", "drvfs"}
)
"""File systems on which DuckDB's lock is unreliable."""

_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Check:
    """The result of one check."""

    name: str  # what was checked, in a word or three
    ok: bool  # False when there is something to do
    detail: str  # what was found, one sentence without a full stop
    remedy: str = ""  # what to do about it, empty if nothing
    vital: bool = True  # False for hints, which do not make a vault unhealthy


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """All checks, in the order in which people read them."""

    checks: tuple[Check, ...]

    @property
    def healthy(self) -> bool:
        """Whether every vital check is fine."""
        return all(check.ok for check in self.checks if check.vital)

    def check(self, name: str) -> Check:
        """Return the check of that name; KeyError if there is none."""
        for check in self.checks:
            if check.name == name:
                return check
        raise KeyError(name)


def diagnose(vault: Vault) -> Diagnosis:
    """Check everything about a vault; changes nothing and never fails because of what it finds."""
    checks = [_file_check(vault)]
    if vault.exists:
        checks += _permission_checks(vault.path)
        lock = _lock_check(vault)
        checks.append(lock)
        if lock.ok:
            checks += _content_checks(probe(vault.path, wait_seconds=vault.patience_seconds))
        waiting = vault.log_bytes
        log = f"{waiting:,} bytes will be folded into the file" if waiting else "the write-ahead log is empty"
        checks.append(_hint("log", log))
    checks += [_backup_check(vault), _drive_check(vault.path)]
    checks += _damaged_checks(vault.path)
    advice = (
        "A memory is advice to an assistant, not a safeguard. What must never happen belongs in permissions, hooks and "
        "tests."
    )
    return Diagnosis((*checks, _hint("advice", advice)))


def _hint(name: str, detail: str) -> Check:
    return Check(name, ok=True, detail=detail, vital=False)


def _found(name: str, problem: str, fine: str, remedy: str = "", *, vital: bool = True) -> Check:
    """Return a check that failed if there is a problem."""
    return Check(name, ok=not problem, detail=problem or fine, remedy=remedy if problem else "", vital=vital)


def _file_check(vault: Vault) -> Check:
    if not vault.exists:
        return Check("file", ok=True, detail=f"no vault yet at {vault.path}; `memtui add` creates it")
    return Check("file", ok=True, detail=f"{vault.path}, {vault.path.stat().st_size:,} bytes")


def _permission_checks(path: Path) -> list[Check]:
    if os.name != "posix":
        return []
    modes = {file.name: file.stat().st_mode & 0o777 for file in (path, log_path(path)) if file.exists()}
    readable = ", ".join(f"{name} {mode:04o}" for name, mode in modes.items() if mode & 0o077)
    folder_mode = path.parent.stat().st_mode & 0o777
    return [
        _found(
            "file permissions",
            f"others can read {readable}" if readable else "",
            "only you have access (0600)",
            f"chmod 600 '{path}'*",
        ),
        _found(
            "folder permissions",
            f"others can list {path.parent} ({folder_mode:04o})" if folder_mode & 0o077 else "",
            "only you have access (0700)",
            f"chmod 700 '{path.parent}', if nobody else needs its contents",
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
        _found(
            "opens",
            found.error,
            f"every value was read: {found.memories} memories, {found.counts.get('revisions', 0)} revisions",
            "`memtui doctor --repair` keeps a copy, then restores the newest backup or what can be read",
        )
    ]
    if "schema" in facts:
        version = facts["schema"]
        migrated = "" if version == SCHEMA_VERSION else f", will be migrated to {SCHEMA_VERSION} at the next use"
        checks.append(Check("schema", ok=True, detail=f"version {version}{migrated}"))
    if "duckdb" in facts:
        checks.append(_hint("duckdb", f"version {facts['duckdb']}"))
    return checks if found.error else checks + _consistency_checks(found)


def _consistency_checks(found: Probe) -> list[Check]:
    counts = {
        name: int(found.facts.get(name) or 0)
        for name in ("unposted", "stray_postings", "double_ids", "bad_revisions", "vectors")
    }
    unposted, stray, doubles, broken, vectors = counts.values()
    dangling = found.facts.get("dangling_links") or []
    shown = some_of([f"{start} {kind} {end}" for start, kind, end in dangling], _SHOWN)
    return [
        _found(
            "search index",
            f"{unposted} memories are not indexed correctly, {stray} entries belong to no memory"
            if unposted or stray
            else "",
            "every memory is indexed",
            "`memtui reindex` rebuilds it; nothing else is changed",
        ),
        _found("ids", f"{doubles} ids are not unique" if doubles else "", "every id is unique"),
        _found("journal", f"{broken} revisions cannot be read" if broken else "", "every revision can be read"),
        _found(
            "links",
            f"{len(dangling)} point to missing memories: {shown}" if dangling else "",
            "every link has both ends",
            "`memtui unlink` removes one, an import of the missing memories completes it",
            vital=False,
        ),
        _projects_check(found.facts.get("projects") or []),
        _hint("vectors", f"{vectors:,} are stored" if vectors else "none are stored"),
    ]


def _projects_check(projects: list[list[object]]) -> Check:
    """Find projects that are known only by folders, all of which are gone: they were moved or renamed."""
    orphans = []
    for name, identities in projects:
        known = [str(identity) for identity in identities] if isinstance(identities, list) else []
        folders = [folder for identity in known if (folder := linked_folder(identity))]
        if folders and len(folders) == len(known) and not any(os.path.isdir(folder) for folder in folders):  # noqa: PTH112 - False, not an error, for what may not be accessed
            orphans.append(f"{name} ({folders[-1]})")
    return _found(
        "projects",
        f"the folder is missing of {', '.join(sorted(orphans))}" if orphans else "",
        "no project has lost its folder",
        "if it was moved or renamed, run `memtui project link NAME` in the new place",
        vital=False,
    )


def _backup_check(vault: Vault) -> Check:
    backups = list_backups(vault.path)
    if not backups:
        return _hint("backup", "none yet")
    age = vault.now() - made_at(backups[0])
    return _hint("backup", f"the newest is {backups[0].name}, {_age_words(age)} old")


def _age_words(age: timedelta) -> str:
    hours = max(0.0, age.total_seconds()) / 3_600
    # Two days read better as hours.
    return counted(round(hours), "hour") if hours < 48 else counted(round(hours / 24), "day")  # noqa: PLR2004 - see above


def _damaged_checks(path: Path) -> list[Check]:
    """Return what lies beside the vault and waits for somebody."""
    kept, drafts = damaged_copies(path), drafts_files(path)
    found = []
    if drafts:
        detail = f"{', '.join(map(str, drafts))} holds what was typed in the app and is not saved"
        found.append(Check("drafts", ok=True, detail=detail, remedy="the app offers it again", vital=False))
    for copies, whose, missing in (
        (kept.own, "", "nothing is missing"),
        (kept.unclear, ", of this vault or of another one with its name", "nothing is missing in either"),
    ):
        if copies:
            detail = f"{copies[0].parent} contains {', '.join(file.name for file in copies)}{whose}"
            remedy = f"delete them once you are sure that {missing}"
            found.append(Check("damaged copies", ok=True, detail=detail, remedy=remedy, vital=False))
    return found


def _drive_check(path: Path) -> Check:
    kind = _file_system(path)
    return _found(
        "drive",
        f"the vault is on a network drive ({kind}), where locks are unreliable"
        if kind in _NETWORK_FILE_SYSTEMS
        else "",
        kind or "unknown file system",
        "Keep it on a local disk: --vault or MEMTUI_VAULT",
        vital=False,
    )


def _file_system(path: Path, mounts: str | None = None) -> str:
    """Return the type of the file system of a path, e.g. `ext4`; empty if unknown.

    `path`: a file or folder that need not exist. `mounts`: the text of `/proc/mounts`; read from the system by default.
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
