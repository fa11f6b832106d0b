"""The files of a working tree, and the statements by which they import each other."""

from __future__ import annotations

import codecs
import os
import posixpath
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from memtui.regular_files import read_regular

LARGEST_FILE = 1_000_000  # Bytes; larger files are generated, and what they import says nothing
MOST_ENTRIES = 20_000  # Entries of one folder that are looked at

_UNSHOWABLE = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


class UnreadableFileError(Exception):
    """A file that is not read; its text says why in words."""


class SourceTree:
    """A working tree whose folders are listed on demand, each once.

    Paths are POSIX and relative to the root, which is `""`. Names are compared exactly, also where the file
    system would not. A symlink counts as what it leads to while that lies inside the tree, else as nothing.
    """

    def __init__(self, root: Path) -> None:
        self.root = Path(os.path.realpath(root))
        self._folders: dict[str, dict[str, bool]] = {"": _listed(self.root, self.root)}

    def entries(self, folder: str) -> Mapping[str, bool]:
        """Return the names in a folder, each with whether it is a folder; empty if there is no such folder."""
        if folder not in self._folders:
            there = self.is_folder(folder)
            self._folders[folder] = _listed(self.root / folder, self.root) if there else {}
        return self._folders[folder]

    def is_file(self, path: str) -> bool:
        folder, name = posixpath.split(path)
        return self.entries(folder).get(name) is False

    def is_folder(self, path: str) -> bool:
        if not path:
            return True
        folder, name = posixpath.split(path)
        return bool(name) and self.entries(folder).get(name, False)

    def files(self, folder: str, suffix: str) -> list[str]:
        """Return the files of a folder whose names end so, in order."""
        names = sorted(name for name, is_folder in self.entries(folder).items() if not is_folder)
        return [posixpath.join(folder, name) for name in names if name.endswith(suffix)]

    def folders(self, folder: str) -> list[str]:
        """Return the folders in a folder, in order, without hidden ones."""
        names = sorted(name for name, is_folder in self.entries(folder).items() if is_folder and name[0] != ".")
        return [posixpath.join(folder, name) for name in names]

    def first_file(self, candidates: Iterator[str]) -> str | None:
        """Return the first of some paths that is a file."""
        return next((path for path in candidates if self.is_file(path)), None)

    def read(self, path: str) -> bytes:
        """Return a file's bytes, UTF-16 as UTF-8.

        Raises `UnreadableFileError`: it is too large, no text, or cannot be read.
        """
        try:
            raw = read_regular(self.root / path, LARGEST_FILE + 1)
        except OSError as error:
            raise UnreadableFileError("it cannot be read") from error
        if len(raw) > LARGEST_FILE:
            raise UnreadableFileError("it is larger than 1 MB")
        if raw.startswith(_UTF16):
            return raw.decode("utf-16", "replace").encode("utf-8", "replace")
        if b"\0" in raw:
            raise UnreadableFileError("it is not text")
        return raw.removeprefix(codecs.BOM_UTF8)


def normal(path: str) -> str | None:
    """Return a path without `.` and `..`, or None if it leaves the tree."""
    plain = posixpath.normpath(path)
    if plain == ".":
        return ""
    return None if plain.startswith(("../", "/")) or plain == ".." else plain


def ancestors(path: str) -> Iterator[str]:
    """Yield the folders above a file, its own first, the root last."""
    while path:
        path = posixpath.dirname(path)
        yield path


def _listed(folder: Path, root: Path) -> dict[str, bool]:
    entries: dict[str, bool] = {}
    try:
        with os.scandir(folder) as found:
            for entry in found:
                kind = _kind(entry, root)
                if kind is not None:
                    entries[entry.name] = kind
                if len(entries) >= MOST_ENTRIES:
                    break
    except OSError:
        return entries
    return entries


def _kind(entry: os.DirEntry[str], root: Path) -> bool | None:
    """Return whether an entry is a folder (True) or a file (False), None if it is neither or lies outside."""
    try:
        if entry.is_symlink() and not Path(os.path.realpath(entry.path)).is_relative_to(root):
            return None
        if _UNSHOWABLE.search(entry.name):
            return None
        if entry.is_dir():
            return True
        return False if entry.is_file() else None
    except OSError:
        return None


LINE_COMMENT = r"//[^\n]*+"
BLOCK_COMMENT = r"/\*(?:[^*]++|\*(?!/))*+(?:\*/)?"
DOUBLE_QUOTED = r'"(?:[^"\\\n]++|\\.)*+"?'
SINGLE_QUOTED = r"'(?:[^'\\\n]++|\\.)*+'?"  # Strings that end with their line even where the quote is missing

COMMENT = f"(?:{LINE_COMMENT}|{BLOCK_COMMENT})"
GAP = rf"(?:\s++|{COMMENT})*+"  # White space and comments


# How one file is tied to another
IMPORTED, USED, SAME_PACKAGE = "imported", "used", "same-package"
OF_PACKAGE = "of-package"  # one of several files of an imported package


@dataclass(frozen=True, slots=True)
class Statement:
    """One import, declaration or use."""

    kind: str  # what it is, in the words of its language's module
    path: str  # the module, specifier or name as written, without quotes and white space
    names: tuple[str, ...] = ()  # names taken from it


@dataclass(frozen=True, slots=True)
class Language:
    """How files of one language are read and how their statements are resolved."""

    name: str  # as people say it
    read: Callable[[str], Iterator[Statement]]  # from the source text to statements
    # from a tree, a file of it, its statements and whether the file was given, to pairs of a file and how it is tied to
    # the first
    resolve: Callable[[SourceTree, str, Sequence[Statement], bool], Iterable[tuple[str, str]]]
