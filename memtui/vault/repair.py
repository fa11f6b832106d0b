"""Backups, and bringing a damaged vault back."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Literal

from memtui.errors import (
    MemtuiError,
    NotFoundError,
    UsageError,
    VaultBusyError,
    VaultDamagedError,
    VaultMissingError,
    VaultTooNewError,
)
from memtui.text.words import counted, some_of
from memtui.vault.backups import backups_of, copy_vault, damaged_copy, list_backups, made_at
from memtui.vault.bm25 import write_postings
from memtui.vault.committing import committing
from memtui.vault.connection import engine_errors, open_connection, opened_alone
from memtui.vault.filters import MemoryFilter
from memtui.vault.lease import (
    backup_folder,
    copy_files,
    lease,
    log_path,
    remove_files,
    restrict,
    swap_in,
)
from memtui.vault.reader import VaultReader
from memtui.vault.rows import stored_version
from memtui.vault.salvage import Rebuilt, rebuild, salvage
from memtui.vault.subprocess_probe import Probe, fold_in_child, probe
from memtui.vault.vault import Vault, create_file

if TYPE_CHECKING:
    import duckdb

SNAPSHOT = ".snapshot-"  # Prefix of the folders of copies that are read without a lease

_MANUAL = re.compile(r"-manual(?:\.|$)")

KEPT = 8  # Automatic backups kept, the newest ones


def back_up(vault: Vault, *, to: Path | None = None, label: str = "manual") -> Path:
    """Copy the vault under its lease; returns the copy.

    Raises:
        VaultMissingError: there is no vault yet.
        UsageError: the target exists, or its folder does not.
        MemtuiError: it cannot be written.
    """
    if not vault.exists:
        raise VaultMissingError(
            "No vault exists yet", where=str(vault.path), remedy="`memtui add` or `memtui import` creates one."
        )
    if to is not None and os.path.exists(to):  # noqa: PTH110 - False, not an error, for what may not be accessed
        raise UsageError("The backup file already exists", where=str(to), remedy="Choose another name.")
    if to is not None and not to.parent.is_dir():
        raise UsageError(
            "The folder for the backup does not exist", where=str(to.parent), remedy="Create it, or choose another."
        )
    with vault.connect(read_only=False) as connection:
        # Folded in, so that the copy is complete without a log.
        connection.execute("CHECKPOINT")
    with lease(vault.path, exclusive=True, wait_seconds=vault.patience_seconds):
        return copy_vault(vault.path, vault.now(), label=label, to=to)


def back_up_daily(vault: Vault) -> Path | None:
    """Copy the vault if its newest backup is older than a day; returns the copy, if one was made."""
    if not vault.exists:
        return None
    earlier = list_backups(vault.path)
    if earlier and vault.now() - made_at(earlier[0]) < timedelta(days=1):
        return None
    with vault.read() as reader:
        # A damaged vault must not push the good backups out.
        reader.change_counter()
    made = back_up(vault, label="daily")
    automatic = [path for path in earlier if not _MANUAL.search(path.name)]
    for path in automatic[KEPT - 1 :]:
        remove_files(path)
    return made


def restore(vault: Vault, name: str | None) -> tuple[Path, Path | None]:
    """Replace the vault by a backup; the current vault is backed up first.

    `name`: name or path of the backup, by default the newest.

    Returns:
        the backup used, and the copy of the vault before.

    Raises:
        NotFoundError: there is no such backup.
        VaultDamagedError: the backup cannot be opened; the vault is unchanged.
    """
    vault.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    chosen = _find_backup(vault.path, name)
    with lease(vault.path, exclusive=True, wait_seconds=vault.patience_seconds):
        kept = copy_vault(vault.path, vault.now(), label="before-restore") if vault.exists else None
        _replace_vault(vault.path, chosen)
    restrict(vault.path, 0o600)
    with vault.read() as reader:
        reader.change_counter()
    return chosen, kept


def _find_backup(vault: Path, name: str | None) -> Path:
    backups = backups_of(vault)
    if name is None:
        if backups.own:
            return backups.own[0]
        raise NotFoundError(
            "No backup exists",
            where=str(backup_folder(vault)),
            remedy=backups.unclear_words or "`memtui vault backup` makes one.",
        )
    for path in (Path(name).expanduser(), backup_folder(vault) / name):
        if path.is_file():
            return path
    raise NotFoundError(
        "No such backup",
        where=name,
        remedy=f"Known: {', '.join(path.name for path in backups.own + backups.unclear) or 'none'}.",
    )


def _replace_vault(vault: Path, source: Path) -> None:
    """Replace the vault by a backup, atomically; the caller holds the lease and has a copy of the vault."""
    partial = vault.with_name(vault.name + ".partial")
    copy_files(source, partial)
    if not fold_in_child(partial) or not _is_vault(partial):
        remove_files(partial)
        raise VaultDamagedError(
            "The backup cannot be opened", where=str(source), remedy="The vault is unchanged. Choose another backup."
        )
    # So that a crash between the next two steps leaves a complete vault. One that cannot be opened has no log to save.
    if log_path(vault).exists():
        fold_in_child(vault)
    swap_in(vault, partial)


def _is_vault(path: Path) -> bool:
    """Return whether a file that opens has memtui's tables."""
    connection = open_connection(path, read_only=True)
    try:
        return stored_version(connection) > 0
    finally:
        connection.close()


@contextmanager
def snapshot(vault: Vault) -> Iterator[duckdb.DuckDBPyConnection]:
    """Open a private copy of an existing vault, read-only; the lease is held only until the copy is open.

    The copy has the newest schema only if the vault has. Where the system allows it, the copy's files are unlinked
    once it is open, so that a purge sees those alone that a kill left behind, and removes them.
    """
    with TemporaryDirectory(prefix=SNAPSHOT, dir=vault.path.parent) as folder, ExitStack() as opened:
        copy = Path(folder) / vault.path.name
        with lease(vault.path, exclusive=False, wait_seconds=vault.patience_seconds):
            for source, target in ((vault.path, copy), (log_path(vault.path), log_path(copy))):
                if source.exists():
                    shutil.copyfile(source, target)
            opened.enter_context(engine_errors(copy))
            connection = opened.enter_context(opened_alone(copy, read_only=True))
            if os.name == "posix":
                remove_files(copy)
        yield connection


Outcome = Literal["healthy", "reindexed", "log-cut", "restored", "salvaged", "lost"]

_LOG_GRAIN = 64  # Bytes; no change fits into fewer


@dataclass(frozen=True, slots=True)
class Repair:
    """What `repair` did."""

    # `healthy` (nothing was done), `reindexed`, `log-cut` (the end of the log was unreadable), `restored` (from a
    # backup), `salvaged`, or `lost` (nothing could be read, nothing was changed)
    outcome: Outcome
    kept: Path | None  # the copy of the damaged file, if the vault was replaced
    memories: int  # how many memories the vault has now
    lines: tuple[str, ...]  # what was done and what was lost, in sentences


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A file that could replace the vault."""

    outcome: Outcome
    path: Path
    memories: int
    newest_change: int
    lines: tuple[str, ...]


def reindex(vault: Vault, *, progress: Callable[[int, int], None] | None = None) -> int:
    """Rebuild the postings of every memory in one transaction; returns how many memories were indexed.

    The lease is held until it is done, so that nobody searches an incomplete index.
    """
    with vault.connect(read_only=False) as connection:
        with committing(connection):
            connection.execute("DELETE FROM postings")
            connection.execute("DELETE FROM documents")
            reader = VaultReader(connection, vault.kinds)
            ids = reader.select_ids(MemoryFilter(statuses=None), sort="created", now=vault.now())
            for start in range(0, len(ids), 1_000):
                chunk = reader.keyed(ids[start : start + 1_000])
                write_postings(connection, sorted(chunk.values(), key=lambda pair: pair[0]))
                if progress:
                    progress(min(start + 1_000, len(ids)), len(ids))
        connection.execute("CHECKPOINT")
    return len(ids)


def repair(vault: Vault) -> Repair:
    """Repair a vault; a healthy one is not changed, a damaged one is copied first and never deleted.

    Raises:
        VaultMissingError: there is no vault.
        VaultBusyError: it is in use.
        VaultTooNewError: it is not damaged, but was written by a newer memtui or DuckDB.
        MemtuiError: the system denies reading it.
    """
    if not vault.exists:
        raise VaultMissingError(
            "No vault to repair", where=str(vault.path), remedy="`memtui vault restore` restores a backup."
        )
    with lease(vault.path, exclusive=True, wait_seconds=vault.patience_seconds):
        found = probe(vault.path)
        _raise_unless_damaged(found, vault.path)
        done = None if found.readable else _replace(vault, found)
    if done is None:
        return _repair_derived(vault, found)
    if done.outcome != "lost":
        reindex(vault)
    return done


def _raise_unless_damaged(found: Probe, path: Path) -> None:
    failures: dict[str, type[MemtuiError]] = {
        "too-new": VaultTooNewError,
        "busy": VaultBusyError,
        "refused": MemtuiError,
    }
    if found.reason in failures:
        raise failures[found.reason](
            "The vault is not damaged, but cannot be used", where=str(path), remedy=f"{found.error}"
        )


def _repair_derived(vault: Vault, found: Probe) -> Repair:
    for file in (vault.path, log_path(vault.path)):
        restrict(file, 0o600)
    if not found.facts.get("unposted") and not found.facts.get("stray_postings"):
        return Repair("healthy", None, found.memories, ("The vault is healthy; nothing was changed.",))
    posted = reindex(vault)
    return Repair("reindexed", None, found.memories, (f"The search index was rebuilt for {posted} memories.",))


def _replace(vault: Vault, found: Probe) -> Repair:
    """Replace the vault by the best candidate; the caller holds the lease."""
    kept = _set_aside(vault.path, vault.now())
    work = vault.path.parent / f".{vault.path.name}-repair"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(mode=0o700)
    try:
        best = _choose(vault, work)
        head = (
            f"The vault was damaged: {found.error}.",
            f"Copies of the damaged file and its log are kept: {kept}.",
            *filter(None, [backups_of(vault.path).unclear_words]),
        )
        if best is None:
            nothing = ("Neither the file nor any backup could be read. Nothing was changed.",)
            return Repair("lost", kept, 0, head + nothing)
        restrict(best.path, 0o600)
        swap_in(vault.path, best.path)
        return Repair(best.outcome, kept, best.memories, head + best.lines)
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _set_aside(vault: Path, now: datetime) -> Path:
    kept = damaged_copy(vault, now)
    kept.parent.mkdir(mode=0o700, exist_ok=True)
    copy_files(vault, kept)
    for other in vault.parent.glob(f"{vault.name}.wal.*"):
        shutil.copy2(other, kept.with_name(kept.name + other.name.removeprefix(vault.name)))
    return kept


def _choose(vault: Vault, work: Path) -> _Candidate | None:
    own = _without_broken_log(vault.path, work / "own.duckdb")
    stored = _newest_backup(vault.path, work / "backup.duckdb")
    if own is not None:
        # The file may be older than the backup, whose log was still intact.
        return stored if stored is not None and stored.newest_change > own.newest_change else own
    read = _salvaged(vault, work)
    if read is None or stored is None:
        return read or stored
    compared = (f"What could be read has {read.memories} memories, the newest backup {stored.memories}.",)
    better = read if read.memories >= stored.memories else stored
    return _Candidate(better.outcome, better.path, better.memories, better.newest_change, compared + better.lines)


def _without_broken_log(vault: Path, copy: Path) -> _Candidate | None:
    """Return the file with as much of its log as can be replayed, None if the file itself is damaged."""
    log = log_path(vault)
    if not log.exists():
        return None
    copy_files(vault, copy)
    log_path(copy).unlink(missing_ok=True)
    if not probe(copy).readable:
        return None
    whole = log.read_bytes()
    kept_bytes = _longest_prefix(len(whole), lambda size: _replays(copy, whole[:size]))
    log_path(copy).write_bytes(whole[:kept_bytes])
    fold_in_child(copy)
    after = probe(copy)
    if not after.readable:
        return None
    lines = (
        f"The log could not be replayed beyond {kept_bytes:,} of its {len(whole):,} bytes.",
        "Later changes in the log are lost; everything before is restored.",
    )
    return _Candidate("log-cut", copy, after.memories, after.newest_change, lines)


def _replays(copy: Path, log: bytes) -> bool:
    trial = copy.with_name("trial.duckdb")
    copy_files(copy, trial)
    log_path(trial).write_bytes(log)
    return probe(trial).readable


def _longest_prefix(size: int, is_good: Callable[[int], bool]) -> int:
    """Return about the largest good prefix, by bisection: a log that is cut anywhere counts as torn, which is good."""
    good, bad = 0, size
    while bad - good > _LOG_GRAIN:
        middle = (good + bad) // 2
        good, bad = (middle, bad) if is_good(middle) else (good, middle)
    return good


def _newest_backup(vault: Path, copy: Path) -> _Candidate | None:
    skipped: list[Path] = []
    for path in list_backups(vault):
        copy_files(path, copy)
        fold_in_child(copy)
        found = probe(copy)
        if found.readable:
            lines = (
                *(f"The backup {path.name} cannot be read and was skipped." for path in skipped),
                f"The backup {path.name} of {made_at(path):%Y-%m-%d %H:%M} UTC was restored.",
                f"Its {found.memories} memories may lack later changes; memories added later are missing.",
            )
            return _Candidate("restored", copy, found.memories, found.newest_change, lines)
        skipped.append(path)
    return None


def _salvaged(vault: Vault, work: Path) -> _Candidate | None:
    source, lines_file, new = work / "damaged.duckdb", work / "salvaged.jsonl", work / "salvaged.duckdb"
    copy_files(vault.path, source)
    read = salvage(source, lines_file)
    if not read.found and log_path(source).exists():
        log_path(source).unlink()
        read = salvage(source, lines_file)
    torn = 0
    if not read.found:
        copy_files(vault.path, source)
        torn = _trust_torn_blocks(source)
        read = salvage(source, lines_file) if torn else read
    if not read.found.get("memories") and not read.found.get("revisions"):
        return None
    create_file(new)
    result = rebuild(lines_file, new, now=vault.now(), stated_revisions=read.stated.get("revisions"))
    lost = max(0, read.stated.get("memories", 0) - result.memories)
    words = _salvage_words(result, lost)
    if torn:
        words += (f"{counted(torn, 'block')} of it had been written in part: look through what changed last.",)
    return _Candidate("salvaged", new, result.memories, result.newest_change, words)


_TORN = re.compile(r"computed checksum (\d+) does not match stored checksum \d+ in block at location (\d+)")
_MOST_TORN = 8  # Blocks with wrong checksums that are read all the same; what has more is no write that was cut off


def _trust_torn_blocks(copy: Path) -> int:
    """Give blocks that a kill left half written the checksum that the engine computes; returns how many.

    A kill while DuckDB rewrites its block of metadata leaves a file that it refuses to open, with all data in it.
    """
    trusted: set[int] = set()
    while len(trusted) < _MOST_TORN and (torn := _TORN.search(probe(copy).error)) and int(torn[2]) not in trusted:
        with copy.open("r+b") as file:
            file.seek(int(torn[2]))
            file.write(int(torn[1]).to_bytes(8, "little"))
        trusted.add(int(torn[2]))
    return len(trusted)


def _salvage_words(result: Rebuilt, lost: int) -> tuple[str, ...]:
    lines = [f"{result.memories} memories were read from the damaged file into a new one."]
    if result.from_journal:
        names = _listed(result.from_journal)
        lines.append(f"{len(result.from_journal)} of them were completed from the journal: {names}.")
    if result.incomplete:
        lines.append(f"{len(result.incomplete)} have parts that could not be read: {_listed(result.incomplete)}.")
    if lost:
        lines.append(f"{lost} memories could not be read and are lost.")
    return tuple(lines)


def _listed(identifiers: set[str]) -> str:
    return some_of(sorted(identifiers), 20)
