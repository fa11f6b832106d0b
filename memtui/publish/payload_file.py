"""Writing a payload to a file that a person named."""

from __future__ import annotations

from pathlib import Path

from memtui.errors import RefusedError, UsageError
from memtui.publish.files import write_atomically


def write_payload(text: str, named: str, *, folder: Path, overwrite: bool = False) -> Path:
    """Write a payload's exact bytes and return where.

    Args:
        text: the payload.
        named: a path as typed, `~` included.
        folder: what a relative path is relative to.
        overwrite: whether a file that is there may be replaced.

    Raises:
        UsageError: no file can have that name.
        RefusedError: there is a file of that name already.
        MemtuiError: the system refuses; nothing was written.
    """
    if not named.isprintable():
        raise UsageError("A file's name holds a character that cannot be shown", where=repr(named[:80]))
    try:
        path = folder / Path(named.strip()).expanduser()
        is_folder, is_there = path.is_dir(), path.exists() or path.is_symlink()
    except (RuntimeError, ValueError, OSError) as error:
        raise UsageError("No file can have this name", where=repr(named[:80])) from error
    if not named.strip() or is_folder:
        raise UsageError("A file's name is needed", where=str(path), remedy="Name a file in that folder.")
    if is_there and not overwrite:
        raise RefusedError(
            "There is a file of this name already", where=str(path), remedy="Say that it may be replaced."
        )
    write_atomically(path, text.encode("utf-8", "replace"))
    return path
