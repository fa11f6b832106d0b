"""Lines of JSON, and files written so that a crash, a full disk or a planted symbolic link does no harm."""

from __future__ import annotations

import json
import os
import re
import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memtui.errors import MemtuiError, RefusedError, SourceError, UnsafePathError, UsageError

if TYPE_CHECKING:
    from memtui.domain.memory import Link, Memory, Signal, Tombstone, Verdict
    from memtui.domain.record import Record
    from memtui.recall.evaluation import Question
    from memtui.vault.packs import Recipe
    from memtui.vault.passed_files import PassedFile

HIDDEN = "[\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff\U000e0000-\U000e007f]"
"""Characters that JSON allows in a line but that split lines, cannot be encoded, or are invisible in a diff."""


def dump_line(value: Any) -> str:
    """Return one line of JSON that is one line for every reader; other scripts stay readable."""
    return _hidden().sub(_escape, json.dumps(value, ensure_ascii=False))


@cache
def _hidden() -> re.Pattern[str]:
    return re.compile(HIDDEN)


def _escape(match: re.Match[str]) -> str:
    return json.dumps(match[0])[1:-1]


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Everything that is exported, as it stood under one lease."""

    memories: Sequence[Memory] = ()
    links: Sequence[Link] = ()
    verdicts: Sequence[Verdict] = ()
    signals: Sequence[Signal] = ()
    tombstones: Sequence[Tombstone] = ()
    gone: frozenset[str] = frozenset()  # ids of memories that the vault once held and no longer does
    # days by kind, and by kind in a project, as applied to the vault
    half_lives: Mapping[str, float] = field(default_factory=dict)
    passed: Sequence[PassedFile] = ()  # files of the exported projects that are never offered again
    recipes: Sequence[Recipe] = ()  # saved tasks of the exported projects, by name


def jsonl_text(snapshot: Snapshot) -> str:
    """Return the JSONL of a snapshot: memories by project, time and id, then each kind of kin sorted."""
    from memtui.domain.record import memory_record

    memories = [
        dump_line({"type": "memory", **memory_record(memory)}) for memory in sorted(snapshot.memories, key=_place)
    ]
    return "".join(f"{line}\n" for line in (*memories, *kin_lines(snapshot)))


def kin_lines(snapshot: Snapshot) -> Iterator[str]:
    """Yield the lines of everything but memories, without line ends, each kind sorted by its own text."""
    # Imported here: whoever writes a small file, such as a hook, needs none of it.
    from memtui.domain.record import half_life_record, link_record, signal_record, tombstone_record, verdict_record
    from memtui.vault.packs import recipe_record
    from memtui.vault.passed_files import passed_file_record

    kinds: tuple[Iterable[Record], ...] = (
        map(link_record, snapshot.links),
        map(verdict_record, snapshot.verdicts),
        map(signal_record, snapshot.signals),
        map(tombstone_record, snapshot.tombstones),
        (half_life_record(kind, days) for kind, days in snapshot.half_lives.items()),
        map(recipe_record, snapshot.recipes),
        map(passed_file_record, snapshot.passed),
    )
    for records in kinds:
        yield from sorted(map(dump_line, records))


def _place(memory: Memory) -> tuple[str, Any, str]:
    return (memory.project or "", memory.created_at, memory.id)


def write_atomically(path: Path, data: bytes, *, mode: int | None = None, durable: bool = True) -> None:
    """Write a whole file so that readers see either the old bytes or the new ones.

    A symbolic link is written through, not replaced: call `refuse_outside` first. Missing folders are created.

    `mode`: permission bits; by default those of the existing file, else what the umask leaves. `durable`: wait until
    the data is on disk; without, a power cut may leave the old file.

    Raises `MemtuiError`: the system refuses; the file is unchanged.
    """
    target = Path(os.path.realpath(path))
    temporary = target.with_name(f".memtui-{secrets.token_hex(6)}.tmp")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        if mode is None and target.exists():
            mode = target.stat().st_mode & 0o7777
        _write_new(temporary, data, mode, durable=durable)
        os.replace(temporary, target)  # noqa: PTH105 - the one call that is atomic on every system
    except OSError as error:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise MemtuiError(
            f"The file cannot be written ({error.strerror or error})",
            where=str(path),
            remedy="Check the permissions of its folder and the free space; nothing was changed.",
        ) from error
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    if durable:
        _sync_folder(target.parent)


def _write_new(path: Path, data: bytes, mode: int | None, *, durable: bool) -> None:
    """Create a file that did not exist; the umask applies unless a mode is given."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
    with os.fdopen(descriptor, "wb") as handle:
        handle.write(data)
        handle.flush()
        if durable:
            os.fsync(handle.fileno())
    if mode is not None:
        path.chmod(mode)


def _sync_folder(folder: Path) -> None:
    """Make the rename itself durable, on systems that can open a folder."""
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(descriptor)
    except OSError:
        return
    finally:
        os.close(descriptor)


def refuse_outside(path: Path, root: Path) -> None:
    """Refuse a path that leaves the root, by `..` or through a symbolic link.

    `root`: the folder that must contain it; the root itself may be a link.

    Raises `UnsafePathError`: the path leads outside.
    """
    absolute = Path(os.path.abspath(path))  # noqa: PTH100 - resolves `..` but no links, which Path cannot
    base = Path(os.path.abspath(root))  # noqa: PTH100 - the same
    real_base = os.path.realpath(base)
    if absolute.is_relative_to(base):
        relative = absolute.relative_to(base)
        steps = [base.joinpath(*relative.parts[: count + 1]) for count in range(len(relative.parts))]
    else:
        steps = [absolute]
    for step in steps:
        real = os.path.realpath(step)
        inside = real == real_base or real.startswith(real_base.rstrip(os.sep) + os.sep)
        if not inside or Path(real).is_symlink():  # a link still is one after resolving when it runs in a ring
            raise UnsafePathError(
                "The path leads outside the folder that memtui may write",
                where=f"{path} -> {real}",
                remedy=f"Remove the symbolic link, or name a path inside {root}.",
            )


def write_payload(text: str, named: str, *, folder: Path, overwrite: bool = False) -> Path:
    """Write a payload's exact bytes and return the path.

    Args:
        named: a path as typed, `~` included.
        folder: what a relative path is relative to.
        overwrite: whether an existing file may be replaced.

    Raises:
        UsageError: no file can have that name.
        RefusedError: the file already exists.
        MemtuiError: the system refuses; nothing was written.
    """
    if not named.isprintable():
        raise UsageError(
            "A file's name holds a character that cannot be shown",
            where=repr(named[:80]),
            remedy="Choose another name.",
        )
    try:
        path = folder / Path(named.strip()).expanduser()
        is_folder, is_there = path.is_dir(), path.exists() or path.is_symlink()
    except (RuntimeError, ValueError, OSError) as error:
        raise UsageError("No file can have this name", where=repr(named[:80]), remedy="Choose another name.") from error
    if not named.strip() or is_folder:
        raise UsageError("A file's name is needed", where=str(path), remedy="Name a file in that folder.")
    if is_there and not overwrite:
        raise RefusedError("The file already exists", where=str(path), remedy="Allow it to be replaced.")
    write_atomically(path, text.encode("utf-8", "replace"))
    return path


def take_back(path: Path, text: str) -> bool:
    """Delete a file that was written as new, unless it holds another text by now; return whether it is gone."""
    with suppress(OSError):
        if path.read_bytes() == text.encode("utf-8", "replace"):
            path.unlink()
    return not path.exists()


def add_question(question: Question, named: str, *, folder: Path) -> Path:
    """Append a question to a file, created if missing, and return the path.

    Args:
        question: what was asked, and what should be found.
        named: a path as typed, `~` included.
        folder: what a relative path is relative to.

    Raises:
        UsageError: the question is empty, or no file can have that name.
        SourceError: the file holds something else, or cannot be read; it is unchanged.
        MemtuiError: the system refuses; nothing was written.
    """
    from memtui.recall.evaluation import with_question

    if not question.query.strip() and not question.files:
        raise UsageError("A question needs a task or files", where="the question", remedy="Type the task first.")
    if not named.strip() or not named.isprintable():
        raise UsageError("A file's name is needed", where=repr(named[:80]), remedy="Name a file, not a folder.")
    try:
        path = folder / Path(named.strip()).expanduser()
        before = path.read_text(encoding="utf-8-sig") if path.exists() else ""
    except (OSError, RuntimeError, UnicodeDecodeError) as error:
        raise SourceError(f"The file cannot be read ({error})", where=named[:80]) from error
    except ValueError as error:
        raise UsageError("No file can have this name", where=repr(named[:80]), remedy="Choose another name.") from error
    write_atomically(path, with_question(before, question, path.name).encode("utf-8", "replace"))
    return path
