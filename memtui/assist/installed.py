"""What memtui wrote into files of other programs: backed up before, recorded, and taken back byte for byte.

The record is `installs.json` in memtui's state folder, the backups lie beside it. Without the record nothing is lost:
memtui's entries are recognised by what they run.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from memtui import locations
from memtui.assist.splice import FileEdit, TextFile
from memtui.errors import ConflictError, MemtuiError
from memtui.publish.files import write_atomically

_VERSION = 1
_PRIVATE_FILE, _PRIVATE_FOLDER = 0o600, 0o700


@dataclass(frozen=True, slots=True)
class Installed:
    """One file that memtui wrote into."""

    path: str
    owner: str  # whose configuration it is: `codex`, `git-hook` …
    without: str | None  # hash of the file without memtui's part; None: there was no file
    after: str  # hash of the file as memtui wrote it
    kept_empty: tuple[str, ...] = ()  # containers that were there and empty before, as `/`-joined keys
    folders: tuple[str, ...] = ()  # folders that memtui made for the file, the innermost first
    at: str = ""  # when, ISO 8601


Strip = Callable[[TextFile, Installed | None], bytes | None]
"""Takes memtui's part out of a file that somebody changed since; None where no file is to stay."""


def records() -> dict[str, Installed]:
    """Return what is recorded, by path; nothing where the record is missing or damaged."""
    try:
        data = json.loads(_record_file().read_bytes())
        rows = data["files"] if data["version"] == _VERSION else []
        return {row["path"]: Installed(**{**row, **_tuples(row)}) for row in rows}
    except (OSError, ValueError, TypeError, KeyError):
        return {}


def _tuples(row: dict[str, object]) -> dict[str, tuple[str, ...]]:
    return {key: tuple(map(str, row.get(key) or ())) for key in ("kept_empty", "folders")}  # type: ignore[call-overload] # a list in JSON


def without_ours(file: TextFile, strip: Strip) -> bytes | None:
    """Return a file as it is without memtui's part.

    Unchanged since memtui wrote it, it is the very file of before; else `strip` takes the part out.
    """
    record = records().get(str(file.path))
    if file.data is None:
        return None
    if record is not None and record.after == _hash(file.data):
        if record.without is None:
            return None
        with suppress(OSError):
            kept = _backup(file.path).read_bytes()
            if _hash(kept) == record.without:
                return kept
    return strip(file, record)


def is_as_written(file: TextFile) -> bool | None:
    """Return whether a file is as memtui wrote it; None where no record tells."""
    record = records().get(str(file.path))
    return None if record is None else record.after == _hash(file.data or b"")


def apply(edits: Sequence[FileEdit], *, owner: str, at: str) -> None:
    """Write what was shown, all of it or nothing, and record it.

    Args:
        edits: files as they were when they were shown, and as they are to be.
        owner: whose configuration it is.
        at: the time, for the record.

    Raises:
        ConflictError: a file changed since it was shown.
        MemtuiError: the system refuses; nothing is changed.
    """
    edits = [edit for edit in edits if edit.is_change]
    for edit in edits:
        if _read(edit.path) != edit.before:
            raise ConflictError(
                "The file changed since it was read", where=str(edit.path), remedy="Run the command again."
            )
    kept = records()
    made: dict[Path, tuple[str, ...]] = {}  # folders that were made for each file, now or earlier
    try:
        for edit in edits:
            _keep_backup(edit)
            _keep_hand_made(edit)
            earlier = kept.pop(str(edit.path), None)
            made[edit.path] = _write(edit) or (earlier.folders if earlier else ())
            if not edit.is_removal:
                kept[str(edit.path)] = _recorded(edit, made[edit.path], owner=owner, at=at)
        _save(kept)
    except MemtuiError:
        for edit in reversed(edits):
            if edit.path in made:
                _put_back(edit, made[edit.path])
        raise
    _clear([edit for edit in edits if edit.is_removal], made)


def _clear(removed: Sequence[FileEdit], made: Mapping[Path, Sequence[str]]) -> None:
    """Remove the backups of files that are as before, and the folders that were made for them."""
    for edit in removed:
        _backup(edit.path).unlink(missing_ok=True)
    folders = {folder for edit in removed if edit.after is None for folder in made[edit.path]}
    _remove_folders(sorted(folders, key=len, reverse=True))


def _recorded(edit: FileEdit, folders: tuple[str, ...], *, owner: str, at: str) -> Installed:
    return Installed(
        path=str(edit.path),
        owner=owner,
        without=None if edit.without is None else _hash(edit.without),
        after=_hash(edit.after or b""),
        kept_empty=edit.kept_empty,
        folders=folders,
        at=at,
    )


def _write(edit: FileEdit) -> tuple[str, ...]:
    """Write a file, or remove it; returns the folders that were made for it, the innermost first."""
    target = _target(edit.path)
    missing = tuple(str(folder) for folder in target.parents if not folder.exists())
    if edit.after is None:
        try:
            target.unlink()
        except OSError as error:
            raise MemtuiError(
                f"The file cannot be removed ({error.strerror})", where=str(edit.path), remedy="Nothing was changed."
            ) from error
    else:
        write_atomically(edit.path, edit.after, mode=edit.mode)
    return missing


def _target(path: Path) -> Path:
    """Return the file that a path leads to: a link belongs to the person and stays, also where its target goes."""
    return Path(os.path.realpath(path))


def _put_back(edit: FileEdit, folders: Sequence[str]) -> None:
    """Undo a write after a later one failed."""
    with suppress(OSError, MemtuiError):
        if edit.before is not None:
            write_atomically(edit.path, edit.before)
        else:
            _target(edit.path).unlink()
            _remove_folders(folders)


def _remove_folders(folders: Sequence[str]) -> None:
    """Remove folders that memtui made, if nothing else is in them."""
    for folder in folders:
        with suppress(OSError):
            Path(folder).rmdir()


def _read(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _record_file() -> Path:
    return locations.installs_folder() / "installs.json"


def _backup(path: Path) -> Path:
    """Return where the file is kept as it was before memtui wrote into it."""
    return locations.installs_folder() / f"{_hash(str(path).encode('utf-8', 'surrogateescape'))[:16]}-{path.name}"


def _keep_backup(edit: FileEdit) -> None:
    if edit.without is not None and edit.after != edit.without:
        _make_folder()
        write_atomically(_backup(edit.path), edit.without, mode=_PRIVATE_FILE)


def hand_made_copy(path: Path) -> Path:
    """Return where a file is kept as it was when memtui's part, changed by a person, went out of it."""
    kept = _backup(path)
    return kept.with_name(f"by-hand-{kept.name}")


def _keep_hand_made(edit: FileEdit) -> None:
    if edit.by_hand:
        _make_folder()
        write_atomically(hand_made_copy(edit.path), edit.before or b"", mode=_PRIVATE_FILE)


def _make_folder() -> None:
    folder = locations.installs_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=_PRIVATE_FOLDER)
    except OSError as error:
        raise MemtuiError(
            f"The folder of memtui's records cannot be made ({error.strerror})",
            where=str(folder),
            remedy="Nothing was changed. Make it a folder that you can write, or set MEMTUI_STATE.",
        ) from error


def _save(kept: dict[str, Installed]) -> None:
    if not kept:
        _record_file().unlink(missing_ok=True)
        return
    _make_folder()
    rows = [asdict(kept[path]) for path in sorted(kept)]
    text = json.dumps({"version": _VERSION, "files": rows}, ensure_ascii=False, indent=2)
    write_atomically(_record_file(), text.encode("utf-8", "surrogateescape"), mode=_PRIVATE_FILE)
