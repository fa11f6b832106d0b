"""Walk a folder for sources: each file once, with the repository it belongs to and what its folders make of it."""

from __future__ import annotations

import os
from bisect import bisect_left
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from memtui.capture.left_out import LeftOut, folder_names, kind_of_folder
from memtui.git import run_git
from memtui.workspace import kind_of_checkout

TEXT_SUFFIXES = frozenset({"", ".md", ".markdown", ".mdown", ".mkd", ".mdx", ".mdc", ".mdr", ".txt", ".text"})

# What an entry is, by whether it is a link, and whether a folder
_PLACES = {
    (False, False): "file",
    (False, True): "folder",
    (True, False): "linked file",
    (True, True): "linked folder",
}


@dataclass(frozen=True, slots=True)
class Found:
    """A file below a folder."""

    path: Path
    real: str  # Its path with every link resolved
    linked: bool  # Whether it, or a folder above it, is a link
    root: Path  # The root of the repository it belongs to, else the folder that is walked
    lies_in: LeftOut | None  # Why it is not read, as far as the folders around it tell


@dataclass(frozen=True, slots=True)
class _Folder:
    path: str
    real: str
    linked: bool
    root: str
    lies_in: LeftOut | None = None
    in_tests: bool = False


@dataclass(slots=True)
class Walk:
    """The files below a folder in the order of their names, those behind linked folders last.

    Links that leave the folder are not followed, nor links to a folder above them. Linked worktrees are not walked,
    other repositories only where the folder itself lies in none; submodules are, each as a repository of its own.

    Args:
        folder: where to start; its own name may be that of a folder that is not searched.
        root: the folder that names are relative to: of the repository around the folder, or the folder itself.
        in_repository: whether it is that of a repository.
        wanted: returns by its name whether a file is of interest.
        skipped: the folders and links that were not walked, with the reason.
    """

    folder: Path
    root: Path
    in_repository: bool
    wanted: Callable[[str], bool]
    skipped: list[tuple[Path, str]] = field(default_factory=list)
    _real_root: str = ""
    _tracked: dict[str, list[str] | None] = field(default_factory=dict)

    def __iter__(self) -> Iterator[Found]:
        """Yield the files."""
        self._real_root = os.path.realpath(self.folder)
        start = os.fspath(self.folder)
        waiting = deque([_Folder(start, self._real_root, linked=False, root=os.fspath(self.root))])
        visited: set[tuple[str, bool]] = set()
        while waiting:
            here: _Folder | None = waiting.popleft()
            if here is None or (here.real, here.linked) in visited:
                continue
            visited.add((here.real, here.linked))
            entries = self._entries(here.path)
            if here.path != start and any(entry.name == ".git" for entry in entries):
                here = self._checkout(here)
            if here is not None:
                folders: list[_Folder] = []
                yield from self._files(here, entries, folders, waiting)
                waiting.extendleft(reversed(folders))

    def _files(
        self, here: _Folder, entries: list[os.DirEntry[str]], folders: list[_Folder], linked: deque[_Folder]
    ) -> Iterator[Found]:
        """Yield the files of a folder; add the folders in it to those that come next, or last if they are links."""
        for entry in entries:
            place = self._place(entry)
            below = f"{here.real.rstrip(os.sep)}{os.sep}{entry.name}"
            if place == "file" and self.wanted(entry.name):
                yield Found(Path(entry.path), below, here.linked, Path(here.root), here.lies_in)
            elif place == "linked file" and self.wanted(entry.name):
                real = os.path.realpath(entry.path)
                yield Found(Path(entry.path), real, linked=True, root=Path(here.root), lies_in=here.lies_in)
            elif place == "folder" and self._is_searched(here, entry.name):
                folders.append(self._inside(here, entry, below, linked=here.linked))
            elif place == "linked folder" and self._is_searched(here, entry.name):
                target = os.path.realpath(entry.path)
                if not f"{below}{os.sep}".startswith(f"{target}{os.sep}"):
                    linked.append(self._inside(here, entry, target, linked=True))
            elif place == "outside":
                self.skipped.append((Path(entry.path), LeftOut.OUTSIDE))

    def _entries(self, folder: str) -> list[os.DirEntry[str]]:
        try:
            with os.scandir(folder) as scanned:
                return sorted(scanned, key=lambda entry: entry.name)
        except OSError as error:
            self.skipped.append((Path(folder), f"cannot be opened: {error.strerror or error}"))
            return []

    def _place(self, entry: os.DirEntry[str]) -> str:
        """Return what an entry is: file, folder, linked file, linked folder, outside; empty to skip it."""
        try:
            is_link, is_folder = entry.is_symlink(), entry.is_dir()
        except OSError as error:  # a link in a circle
            self.skipped.append((Path(entry.path), f"cannot be read: {error.strerror or error}"))
            return ""
        if is_folder and entry.name in folder_names("unsearched"):
            self._note_unsearched(entry.path)
            return ""
        if is_link and self._leaves(os.path.realpath(entry.path)):
            return "outside" if _may_hold_memories(entry, is_folder=is_folder) else ""
        if is_folder or entry.is_file():
            return _PLACES[is_link, is_folder]
        if self.wanted(entry.name):
            self.skipped.append((Path(entry.path), _no_file(entry.path, is_link=is_link)))
        return ""

    def _leaves(self, target: str) -> bool:
        return target != self._real_root and not target.startswith(self._real_root.rstrip(os.sep) + os.sep)

    def _checkout(self, here: _Folder) -> _Folder | None:
        """Return a folder that is a checkout of its own as the root of its files; None if it is not walked."""
        kind = kind_of_checkout(Path(here.path))
        is_first = not self.in_repository and here.root == os.fspath(self.root)
        if kind == "submodule" or (kind == "clone" and is_first):
            return _Folder(here.path, here.real, here.linked, here.path, here.lies_in)
        self.skipped.append((Path(here.path), LeftOut.WORKTREE if kind == "worktree" else LeftOut.CLONE))
        return None

    def _inside(self, here: _Folder, entry: os.DirEntry[str], real: str, *, linked: bool) -> _Folder:
        lies_in = here.lies_in
        kind = kind_of_folder(entry.name, in_examples=lies_in is LeftOut.EXAMPLE)
        if lies_in in {None, LeftOut.EXAMPLE}:
            if kind == "fixtures" or (kind == "test_data" and here.in_tests):
                lies_in = LeftOut.FIXTURE
            elif kind == "templates":
                lies_in = LeftOut.TEMPLATE
            elif kind == "archives":
                lies_in = LeftOut.ARCHIVED
            elif kind == "examples" or here.in_tests:
                lies_in = LeftOut.EXAMPLE
        return _Folder(entry.path, real, linked, here.root, lies_in, here.in_tests or kind == "tests")

    def _is_searched(self, here: _Folder, name: str) -> bool:
        """Return whether a folder may hold sources: one that builds are written to does if git tracks files in it."""
        if name.lower() not in folder_names("built"):
            return True
        if here.root not in self._tracked:
            listed = run_git(Path(here.root), "ls-files", "-z")
            self._tracked[here.root] = sorted(listed.split("\0")) if listed is not None else None
        files = self._tracked[here.root] or ()
        folder = f"{os.path.relpath(here.path, here.root)}/{name}/".removeprefix("./").replace(os.sep, "/")
        at = bisect_left(files, folder)
        is_tracked = at < len(files) and files[at].startswith(folder)
        if not is_tracked:
            self._note_unsearched(f"{here.path}{os.sep}{name}")
        return is_tracked

    def _note_unsearched(self, path: str) -> None:
        """Note a folder that is not searched, unless it is hidden or a cache: nobody keeps rules there."""
        if not os.path.basename(path).startswith((".", "__")):  # noqa: PTH119 - as above
            self.skipped.append((Path(path), LeftOut.UNSEARCHED))


def _may_hold_memories(entry: os.DirEntry[str], *, is_folder: bool) -> bool:
    """Return whether a link out of the folder is worth reporting: programs and data are linked everywhere."""
    if is_folder:
        return f"{os.sep}." in entry.path
    return Path(entry.name).suffix.lower() in TEXT_SUFFIXES - {""}


def _no_file(path: str, *, is_link: bool) -> LeftOut:
    """Return why something that is neither a file nor a folder is not read."""
    dangling = is_link and not os.path.exists(path)  # noqa: PTH110 - a Path for every entry of a large tree is slow
    return LeftOut.DANGLING if dangling else LeftOut.IRREGULAR
