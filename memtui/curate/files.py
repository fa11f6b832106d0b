"""Files given with `--file`, and lists of tags and files changed by additions and removals."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unicodedata import category

from memtui.domain.memory import Anchor, Memory
from memtui.domain.scope import matches
from memtui.errors import UsageError
from memtui.workspace import MATCHED, Tree, file_hash, without_symbol


@dataclass(frozen=True, slots=True, kw_only=True)
class ListChanges:
    """What is added to a memory's tags and files and taken from them.

    A whole list would be one of the moment it was read at, and take back what another added meanwhile.

    Attributes:
        add_anchors: anchors; one of a path that is tied already takes the place of the old.
        remove_files: paths as memories name them, each with how the person typed it.
    """

    add_tags: tuple[str, ...] = ()
    remove_tags: tuple[str, ...] = ()
    add_anchors: tuple[Anchor, ...] = ()
    remove_files: Mapping[str, str] = field(default_factory=dict)

    def __bool__(self) -> bool:
        """Whether anything is to change."""
        return bool(self.add_tags or self.remove_tags or self.add_anchors or self.remove_files)

    def values(self, memory: Memory) -> dict[str, Any]:
        """Return the new values of the memory's lists that change, by field.

        Raises:
            UsageError: a tag or file to take away is not there.
        """
        values: dict[str, Any] = {}
        if self.add_tags or self.remove_tags:
            values["tags"] = self._tags(memory)
        if self.add_anchors or self.remove_files:
            values["anchors"] = self._anchors(memory)
        return values

    def _tags(self, memory: Memory) -> list[str]:
        absent = [tag for tag in self.remove_tags if tag not in memory.tags]
        if absent:
            raise UsageError("It has no such tag", where=", ".join(absent), remedy=f"Tags: {', '.join(memory.tags)}.")
        return [tag for tag in (*memory.tags, *self.add_tags) if tag not in self.remove_tags]

    def _anchors(self, memory: Memory) -> tuple[Anchor, ...]:
        known = {anchor.path for anchor in memory.anchors}
        absent = [typed for name, typed in self.remove_files.items() if name not in known]
        if absent:
            files = ", ".join(sorted(known)) or "none"
            raise UsageError("It is not tied to this file", where=", ".join(absent), remedy=f"Files: {files}.")
        again = {anchor.path for anchor in self.add_anchors}
        kept = (anchor for anchor in memory.anchors if anchor.path not in {*self.remove_files, *again})
        return (*kept, *self.add_anchors)


MOST_NAMEABLE = 20_000
"""Files offered for completion: more take longer to look through than a key may take to answer (3 ms per 10,000)."""


def relative_name(given: str, *, root: Path, folder: Path) -> str:
    """Return a given path as memories name it: POSIX, relative to the root where it lies below it.

    Raises:
        UsageError: no file can have such a name.
    """
    return _storable(_relative_name(_storable(given), root=root, folder=folder))


def _storable(name: str) -> str:
    """Return a name that a memory can hold: also the folder one stands in may have one that it cannot."""
    kinds = {category(character) for character in name}
    if "Cs" in kinds:
        raise UsageError(
            "A file's name is no UTF-8, so no memory can name it",
            where=repr(name[:80]),
            remedy="Rename the file, or tie the memory to its folder.",
        )
    if "Cc" in kinds:
        raise UsageError("A file's name holds a character that cannot be shown", where=repr(name[:80]))
    return name


def _relative_name(given: str, *, root: Path, folder: Path) -> str:
    plain = without_symbol(given, folder, root)
    symbol = given[len(plain) :].removeprefix("::")
    path = Path(os.path.normpath(folder / plain))
    real_root = Path(os.path.realpath(root))
    for candidate in (path, Path(os.path.realpath(path))):
        for base in (root, real_root):
            if candidate.is_relative_to(base) and _exists(candidate):
                name = candidate.relative_to(base).as_posix()
                return f"{name}::{symbol}" if symbol else name
    if Path(plain).is_absolute():
        return f"{path.as_posix()}::{symbol}" if symbol else path.as_posix()
    name = given.replace("\\", "/").removeprefix("./")
    return _glob_from_root(name, root=root, folder=folder) if Anchor(name).is_glob else name


def _exists(path: Path) -> bool:
    """Return whether there is such a file or folder; a name that no system takes is none."""
    return os.path.exists(path)  # noqa: PTH110 - Path.exists raises for a name that is too long


def check_files(given: Iterable[str], *, root: Path, folder: Path, anchors: Iterable[str]) -> list[str]:
    """Return files as memories name them.

    Args:
        anchors: paths that memories in view are tied to.

    Raises:
        UsageError: a path neither exists nor is named by an anchor.
    """
    known = list(anchors)
    names = []
    for path in given:
        if not path.strip():
            raise UsageError("A file needs a name", where="--file", remedy="Give a path that exists.")
        name = relative_name(path, root=root, folder=folder)
        plain = without_symbol(name, root).rstrip("/")
        exists = _exists(folder / without_symbol(path, folder)) or _exists(root / plain)
        named = any(plain in {anchor, anchor.split("::", 1)[0]} or matches(anchor, plain) for anchor in known)
        if not exists and not named:
            raise UsageError("No such file, and no memory is tied to it", where=path, remedy=_nearest(plain, known))
        names.append(name)
    return list(dict.fromkeys(names))


def _nearest(name: str, known: list[str]) -> str:
    from difflib import get_close_matches

    close = get_close_matches(name, [anchor for anchor in known if "*" not in anchor], n=1)
    return f"Did you mean {close[0]}?" if close else "Give a path that exists, relative to where you are."


def nameable_files(root: Path | None, anchors: Iterable[str], *, most: int = MOST_NAMEABLE) -> list[str]:
    """Return what a person may name as a file in hand: the files of a tree, and the paths that memories are tied to.

    Args:
        root: the working tree, None where one stands in none.
        anchors: paths that memories in view are tied to; globs and symbols of them are left out.
        most: at most so many, those that memories are tied to before the others.
    """
    from memtui.workspace import tree_files

    tied = sorted({path.split("::", 1)[0] for path in anchors if not Anchor(path).is_glob and "://" not in path})
    found = dict.fromkeys(tied)
    if root is not None:
        found.update(dict.fromkeys(sorted(tree_files(root))))
    return list(found)[:most]


def anchors_for(given: Iterable[str], *, root: Path, folder: Path) -> tuple[Anchor, ...]:
    """Return anchors for paths, globs and symbols as typed; files that exist get their content hash.

    Raises:
        UsageError: a plain path does not exist.
    """
    anchors = []
    for path in given:
        if not path.strip():
            raise UsageError("A file needs a name", where="--file", remedy="Give a path that exists.")
        anchor = Anchor(relative_name(path, root=root, folder=folder))
        plain = without_symbol(anchor.path, root)
        target = root / plain
        if not _exists(target) and anchor.is_glob:
            anchors.append(anchor)
            continue
        if not _exists(target) and not _exists(folder / plain):
            raise UsageError(
                "No such file to tie the memory to", where=path, remedy="Give a path that exists, or a glob in quotes."
            )
        anchors.append(Anchor(anchor.path, file_hash(target) if target.is_file() else None))
    return tuple(dict.fromkeys(anchors))


def _glob_from_root(glob: str, *, root: Path, folder: Path) -> str:
    """Return a glob typed in a folder below the root as one from the root, unless it names a folder from there."""
    below = Path(os.path.realpath(folder))
    real_root = Path(os.path.realpath(root))
    if below == real_root or not below.is_relative_to(real_root):
        return glob
    first = glob.split("/", 1)[0]
    if "/" in glob and not Anchor(first).is_glob and _exists(root / first) and not _exists(folder / first):
        return glob
    return f"{below.relative_to(real_root).as_posix()}/{glob}"


def rehashed(anchors: Iterable[Anchor], tree: Tree) -> tuple[Anchor, ...]:
    """Return anchors with the hash of each file as it is now, for a memory that was just verified.

    A glob takes note that files fit it; one that none fits, and a file that is not there, stay as they are.
    """
    return tuple(_rehashed(anchor, tree) for anchor in anchors)


def _rehashed(anchor: Anchor, tree: Tree) -> Anchor:
    plain = without_symbol(anchor.path, tree.root)
    found = plain if _exists(tree.root / plain) else tree.resolve(plain)
    if found is not None:
        target = tree.root / found
        return Anchor(anchor.path, file_hash(target)) if target.is_file() else anchor
    return Anchor(anchor.path, MATCHED) if anchor.is_glob and tree.fits(plain) else anchor
