"""Files of a vault, and the lease: whoever opens the vault holds this OS-level lock."""

from __future__ import annotations

import errno
import math
import os
import random
import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from glob import escape
from pathlib import Path

from memtui.errors import MemtuiError, VaultBusyError, VaultNotWritableError

FILE_NAME = "vault.duckdb"
LOCK = ".lock"
LOG = ".wal"  # Suffix of DuckDB's write-ahead log of a file
_DRAFTS = ".drafts"


def vault_file(path: Path) -> Path:
    """Return the vault file that a path means: itself, or `vault.duckdb` in it when it is a folder."""
    return path / FILE_NAME if path.is_dir() else path


def log_path(vault: Path) -> Path:
    """Return DuckDB's write-ahead log of a vault file."""
    return vault.with_name(vault.name + LOG)


def signature_of(vault: Path) -> tuple[int, ...]:
    """Return sizes and times of a vault file and its log; equal while nobody wrote to it."""
    found: list[int] = []
    for file in (vault, log_path(vault)):
        try:
            state = file.stat()
        except OSError:
            found += [0, 0]
        else:
            found += [state.st_size, state.st_mtime_ns]
    return tuple(found)


def backup_folder(vault: Path) -> Path:
    return vault.parent / "backups"


def drafts_file(vault: Path) -> Path:
    """Return where an app of this process keeps what is typed and not saved."""
    return vault.with_name(f"{vault.name}{_DRAFTS}.{os.getpid()}")


def drafts_files(vault: Path) -> list[Path]:
    """Return what all apps kept, those that are open and those that were ended."""
    return sorted(vault.parent.glob(f"{escape(vault.name)}{_DRAFTS}*"))


UNFINISHED = "unfinished.json"
"""The file in a vault's `published_folder` that says what a crash may have left half-written."""


def published_root(vault: Path) -> Path:
    return vault.parent / "published"


def published_folder(vault: Path) -> Path:
    """Return where files of assistants are kept as they were before this vault wrote into them."""
    root = published_root(vault)
    return root if vault.name == FILE_NAME else root / vault.name


def damaged_folder(vault: Path) -> Path:
    return vault.parent / "damaged"


def restrict(path: Path, mode: int) -> None:
    """Restrict a file or folder to its owner, where the platform has modes."""
    if os.name == "posix" and path.exists() and path.stat().st_mode & 0o777 != mode:
        path.chmod(mode)


def copy_private(source: Path, target: Path) -> None:
    """Copy a file, readable for its owner alone, and flush it to the disk; where that is full, nothing is left."""
    try:
        _copy_flushed(source, target)
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        target.unlink(missing_ok=True)
        raise disk_full(target) from error


def _copy_flushed(source: Path, target: Path) -> None:
    with (
        source.open("rb") as reader,
        os.fdopen(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as writer,
    ):
        shutil.copyfileobj(reader, writer, 1 << 20)
        writer.flush()
        os.fsync(writer.fileno())


def copy_files(source: Path, target: Path) -> None:
    """Copy a vault file and its log, readable for their owner alone; the log first."""
    remove_files(target)
    if log_path(source).exists():
        copy_private(log_path(source), log_path(target))
    copy_private(source, target)


def remove_files(path: Path) -> None:
    """Remove a copy of a vault and its log."""
    path.unlink(missing_ok=True)
    log_path(path).unlink(missing_ok=True)


def swap_in(vault: Path, new: Path) -> None:
    """Replace a vault by a new file without a log; the old log must be folded in or copied by now."""
    log_path(vault).unlink(missing_ok=True)
    new.replace(vault)
    if os.name == "posix":
        # Makes the new name durable, on the systems that can open a folder.
        descriptor = os.open(vault.parent, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


if sys.platform == "win32":
    import msvcrt

    _HAS_SHARED = False

    def _try_lock(descriptor: int, exclusive: bool) -> bool:  # noqa: ARG001 - Windows has no shared byte lock here
        os.lseek(descriptor, 1 << 20, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

    def _unlock(descriptor: int) -> None:
        os.lseek(descriptor, 1 << 20, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    _HAS_SHARED = True

    def _try_lock(descriptor: int, exclusive: bool) -> bool:
        try:
            fcntl.flock(descriptor, (fcntl.LOCK_EX if exclusive else fcntl.LOCK_SH) | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _unlock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_UN)


def lock_path(vault: Path) -> Path:
    return vault.with_name(vault.name + LOCK)


def queue_path(vault: Path) -> Path:
    """Return the file whose lock is held while waiting for the lock file."""
    return vault.with_name(vault.name + ".queue")


OWN_PATIENCE_SECONDS = 60.0
"""How long threads of one process wait for each other: one that stores or reads much is no reason to give up."""

_RECENTLY_SECONDS = 0.5  # Between two threads of ours that take turns there is a moment in which none holds the lock


@dataclass(eq=False, slots=True)
class _Hold:
    thread: int
    exclusive: bool


class _Held:
    """Which threads of this process hold leases, by vault."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._holds: dict[Path, list[_Hold]] = {}
        self._released: dict[Path, float] = {}

    def add(self, vault: Path, *, exclusive: bool) -> _Hold:
        hold = _Hold(threading.get_ident(), exclusive)
        with self._lock:
            self._holds.setdefault(vault, []).append(hold)
        return hold

    def remove(self, vault: Path, hold: _Hold) -> None:
        with self._lock:
            self._holds[vault].remove(hold)
            self._released[vault] = time.monotonic()

    def is_ours(self, vault: Path) -> bool:
        """Return whether another thread of this process holds a lease, or held one just now."""
        me = threading.get_ident()
        with self._lock:
            if any(hold.thread != me for hold in self._holds.get(vault, ())):
                return True
            return time.monotonic() - self._released.get(vault, -math.inf) < _RECENTLY_SECONDS

    def is_written(self, vault: Path) -> bool:
        with self._lock:
            return any(hold.exclusive for hold in self._holds.get(vault, ()))


_HELD = _Held()


def is_being_written(vault: Path) -> bool:
    """Return whether a thread of this process stores something in a vault just now, which reads wait for."""
    return _HELD.is_written(vault)


@contextmanager
def lease(vault: Path, *, exclusive: bool, wait_seconds: float) -> Iterator[None]:
    """Hold the vault's lock, exclusively to write or shared to read; the vault's folder must exist.

    Threads of this process wait for each other, however short the time that others are given is, unless it is none.

    Raises `VaultBusyError`: another process held it for all of `wait_seconds`.
    """
    with _opened(lock_path(vault), to_write=exclusive) as descriptor:
        if descriptor is None:
            yield
            return
        _take_in_turn(descriptor, vault, exclusive=exclusive, wait_seconds=wait_seconds)
        hold = _HELD.add(vault, exclusive=exclusive)
        try:
            if exclusive:
                _sign(descriptor)
            yield
        finally:
            _HELD.remove(vault, hold)
            _unlock(descriptor)


def _take_in_turn(descriptor: int, vault: Path, *, exclusive: bool, wait_seconds: float) -> None:
    """Take the lock, holding the queue meanwhile so that nobody overtakes."""

    def busy() -> VaultBusyError:
        holder = _holder(descriptor)
        ending = "" if holder == _OURSELVES else ", or end that process"
        return VaultBusyError(
            f"The vault is in use by {holder}",
            where=str(vault),
            remedy=f"Nothing was changed. Waited {wait_seconds:g} s; try again{ending}.",
        )

    began = time.monotonic()

    def is_patient() -> bool:
        waited = time.monotonic() - began
        return waited < wait_seconds or (wait_seconds > 0.0 and waited < OWN_PATIENCE_SECONDS and _HELD.is_ours(vault))

    if not _HAS_SHARED:
        if not _wait_for(descriptor, exclusive=exclusive, is_patient=is_patient):
            raise busy()
        return
    with _opened(queue_path(vault), to_write=exclusive) as queue:
        if queue is None:
            return
        # Waiting readers share the queue, a waiting writer holds it exclusively.
        if not (
            _wait_for(queue, exclusive=exclusive, is_patient=is_patient)
            and _wait_for(descriptor, exclusive=exclusive, is_patient=is_patient)
        ):
            raise busy()


def disk_full(path: Path | str) -> VaultNotWritableError:
    """Return what to raise where nothing more can be written."""
    return VaultNotWritableError(
        "The disk is full", where=str(path), remedy="Nothing was changed. Free some space and try again."
    )


@contextmanager
def _opened(path: Path, *, to_write: bool) -> Iterator[int | None]:
    """Open a lock file; closing it releases its lock. None to read from a read-only disk, where nobody writes."""
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)
    except OSError as error:
        if error.errno == errno.ENOSPC:
            raise disk_full(path) from error
        if error.errno == errno.EROFS:
            if not to_write:
                yield None
                return
            raise VaultNotWritableError(
                "The vault is on a read-only file system",
                where=str(path.parent),
                remedy="Nothing was changed. It can be read; to change it, copy it elsewhere and use --vault.",
            ) from error
        raise MemtuiError(
            f"The lock file cannot be opened ({error.strerror})",
            where=str(path),
            remedy="Check the permissions of the folder, or choose another vault with --vault.",
        ) from error
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _wait_for(descriptor: int, *, exclusive: bool, is_patient: Callable[[], bool]) -> bool:
    """Return whether the lock was taken before the patience ended."""
    pause = 0.002
    while not _lock_or_explain(descriptor, exclusive=exclusive):
        if not is_patient():
            return False
        time.sleep(random.uniform(0.001, pause))  # noqa: S311 - jitter, not cryptography
        pause = min(0.012, pause * 1.5)
    return True


def _lock_or_explain(descriptor: int, *, exclusive: bool) -> bool:
    try:
        return _try_lock(descriptor, exclusive)
    except OSError as error:
        raise MemtuiError(
            f"The vault's lock cannot be taken ({error.strerror})",
            remedy="Some network drives have no locks: keep the vault on a local disk (--vault or MEMTUI_VAULT).",
        ) from error


def _sign(descriptor: int) -> None:
    """Write PID and command into the lock file, for the error message of whoever waits in vain."""
    with suppress(OSError):
        name = Path(sys.argv[0]).name or "python"
        os.ftruncate(descriptor, 0)
        if hasattr(os, "pwrite"):
            os.pwrite(descriptor, f"{os.getpid()} {name}\n".encode(errors="replace"), 0)


_OURSELVES = "another part of this process"


def _holder(descriptor: int) -> str:
    """Return a description of the process that holds the lock."""
    pid = _pid_from_kernel(descriptor)
    signed = ""
    with suppress(OSError):
        os.lseek(descriptor, 0, os.SEEK_SET)
        signed = os.read(descriptor, 200).decode(errors="replace").strip()
    signed_pid, _, name = signed.partition(" ")
    if pid == os.getpid():
        return _OURSELVES
    if pid is None:
        return f"another memtui process (last writer: PID {signed_pid})" if signed_pid else "another memtui process"
    return f"{name} (PID {pid})" if str(pid) == signed_pid and name else f"another memtui process (PID {pid})"


def _pid_from_kernel(descriptor: int) -> int | None:
    """Return who holds the lock according to Linux's /proc/locks, None elsewhere."""
    with suppress(OSError, ValueError, IndexError):
        inode = str(os.fstat(descriptor).st_ino)
        for line in Path("/proc/locks").read_text(encoding="ascii").splitlines():
            fields = line.split()
            if "->" not in fields and fields[1] == "FLOCK" and fields[5].rsplit(":", 1)[-1] == inode:
                return int(fields[4]) or None
    return None
