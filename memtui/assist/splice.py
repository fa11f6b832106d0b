"""Edits of files that belong to other programs: read with care, shown as a diff, never dumped anew.

A splice works on the text as it stands, line ends included. `installed` writes what was shown, and takes it back.
"""

from __future__ import annotations

import codecs
import os
import stat
from dataclasses import dataclass
from pathlib import Path

from memtui.errors import RefusedError
from memtui.publish.files import refuse_outside
from memtui.text.diff import DiffLine, diff_texts

LARGEST_FILE = 32 * 1024 * 1024  # Bytes; a configuration file that is larger is something else
_CONTEXT_LINES = 2  # Equal lines shown before and after what differs


@dataclass(frozen=True, slots=True)
class TextFile:
    """A file as it is stored."""

    path: Path
    data: bytes | None  # None where there is no file

    @property
    def text(self) -> str:
        """The text with its own line ends, without a byte order mark; empty where there is no file."""
        return (self.data or b"").removeprefix(codecs.BOM_UTF8).decode("utf-8")

    @property
    def newline(self) -> str:
        """The line end that what is added has to use."""
        data = self.data or b""
        return "\r\n" if data.count(b"\r\n") * 2 > data.count(b"\n") else "\n"

    def encoded(self, text: str) -> bytes:
        """Return a text as the bytes of this file: with its byte order mark, if it has one."""
        mark = codecs.BOM_UTF8 if (self.data or b"").startswith(codecs.BOM_UTF8) else b""
        return mark + text.encode("utf-8")


@dataclass(frozen=True, slots=True)
class FileEdit:
    """What is to become of one file, and what it is without memtui's part."""

    path: Path
    before: bytes | None  # None: there is no file
    after: bytes | None  # None: the file goes
    without: bytes | None  # what uninstalling gives back; None: no file
    mode: int | None = None  # permission bits of the file; None: those it has, else what the umask leaves
    by_hand: bool = False  # whether a person's change inside memtui's part goes with it
    kept_empty: tuple[str, ...] = ()  # containers that stay when they are empty again, as `/`-joined keys

    @property
    def is_change(self) -> bool:
        return self.before != self.after or (self.mode is not None and _mode_of(self.path) not in {None, self.mode})

    @property
    def is_removal(self) -> bool:
        """Whether nothing of memtui is in the file afterwards."""
        return self.after is None or self.after == self.without

    @property
    def diff(self) -> list[DiffLine]:
        """The lines that differ, with a little context."""
        return diff_lines(_shown(self.before), _shown(self.after))


def read_file(path: Path, root: Path) -> TextFile:
    """Read a file that is to be edited.

    `root`: the folder that it must lie in, links followed.

    Raises `RefusedError`: it leads outside, is no regular file, is not UTF-8, or may not be written.
    """
    refuse_outside(path, root)
    try:
        state = path.stat()
    except FileNotFoundError:
        _refuse_closed_folder(path)
        return TextFile(path, None)
    except (NotADirectoryError, PermissionError) as error:
        raise _refused(f"The file cannot be read ({error.strerror})", path) from error
    if not stat.S_ISREG(state.st_mode):
        raise _refused("This is not a regular file", path)
    if state.st_size > LARGEST_FILE:
        raise _refused("The file is too large for a configuration file", path)
    if not os.access(path, os.R_OK | os.W_OK):
        raise _refused("The file is read-only", path)
    _refuse_closed_folder(path.resolve())
    file = TextFile(path, path.read_bytes())
    try:
        _ = file.text
    except UnicodeDecodeError as error:
        raise _refused(f"The file is not UTF-8 (byte {error.start})", path) from error
    return file


def _refuse_closed_folder(path: Path) -> None:
    folder = next(parent for parent in path.parents if parent.exists())
    if not folder.is_dir() or not os.access(folder, os.W_OK | os.X_OK):
        raise _refused("The folder cannot be written", folder)


def _refused(what: str, path: Path) -> RefusedError:
    return RefusedError(what, where=str(path), remedy="Nothing was changed.")


def diff_lines(before: str, after: str) -> list[DiffLine]:
    """Return the lines that differ with a little context, however long the equal rest of the texts is."""
    old, new = before.split("\n") if before else [], after.split("\n") if after else []
    head = 0
    while head < min(len(old), len(new)) and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < min(len(old), len(new)) - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    first, last = max(0, head - _CONTEXT_LINES), max(0, tail - _CONTEXT_LINES)
    lines = diff_texts("\n".join(old[first : len(old) - last]), "\n".join(new[first : len(new) - last]))
    above = [DiffLine("…", ((f"{first} equal lines", False),))] if lines and first else []
    below = [DiffLine("…", ((f"{last} equal lines", False),))] if lines and last else []
    return [*above, *lines, *below]


def _shown(data: bytes | None) -> str:
    """Return a file's text for people: LF line ends, no byte order mark."""
    text = (data or b"").removeprefix(codecs.BOM_UTF8).decode("utf-8", "replace")
    return text.replace("\r\n", "\n").removesuffix("\n")


def _mode_of(path: Path) -> int | None:
    try:
        return stat.S_IMODE(path.stat().st_mode)
    except OSError:
        return None
