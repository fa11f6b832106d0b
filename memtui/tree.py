"""The files of a working tree, and what became of the paths that memories are tied to."""

from __future__ import annotations

import os
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import takewhile
from pathlib import Path, PurePosixPath

from memtui.domain.memory import MATCHED, Anchor, AnchorState, Memory
from memtui.git import ignores_below, run_git
from memtui.regular_files import read_regular
from memtui.submodules import lacking_by_path

MOST_TREE_FILES = 50_000  # Files of a folder without git that are searched for the one that a partial path means

GENERIC_STEMS = frozenset(
    {"readme", "license", "changelog", "contributing", "index", "main", "mod", "lib", "init", "__init__", "__main__"}
    | {"conftest", "setup", "package", "tsconfig", "makefile", "dockerfile", "cargo", "pyproject", "go", "build", "pom"}
    | {"page", "layout", "route"}
)
"""File names, without extension, that a project may hold once by chance: alone they identify no file."""

_DOCUMENTS = frozenset({".md", ".mdx", ".rst", ".txt", ".adoc", ".png", ".svg", ".jpg", ".gif"})
_UNWALKED = frozenset({"node_modules", "__pycache__", "target", "dist", "build", "venv"})


def file_hash(path: Path) -> str | None:
    """Return the content hash of a file (BLAKE2b-128 with LF line ends), None if it cannot be read."""
    try:
        return blake2b(read_regular(path).replace(b"\r\n", b"\n"), digest_size=16).hexdigest()
    except OSError:
        return None


def without_symbol(path: str, *roots: Path) -> str:
    """Return the file that a path names: `::` begins a symbol, unless a file with the whole name exists."""
    plain, mark, _ = path.partition("::")
    return path if mark and any(os.path.lexists(root / path) for root in roots if "\0" not in path) else plain


def is_outside(plain: str) -> bool:
    """Return whether a path cannot lie in a tree: a URL, another folder, a home."""
    parts = Path(plain).parts
    return "://" in plain or not parts or Path(plain).is_absolute() or ".." in parts or parts[0].startswith("~")


@dataclass(frozen=True, slots=True)
class Tree:
    """The working tree of one project, against which its memories' anchors are checked. Its files are listed once."""

    project: str
    root: Path
    _by_name: dict[str, list[str]] = field(default_factory=dict, init=False, repr=False, compare=False)
    _names: list[str] = field(default_factory=list, init=False, repr=False, compare=False)
    _ends: Counter[str] = field(default_factory=Counter, init=False, repr=False, compare=False)
    _breadths: dict[str, float] = field(default_factory=dict, init=False, repr=False, compare=False)
    _ignored: dict[str, bool] = field(default_factory=dict, init=False, repr=False, compare=False)

    def states(self, memory: Memory) -> dict[str, AnchorState]:
        if memory.project != self.project:
            return {}
        return {anchor.path: self.state(anchor) for anchor in memory.anchors}

    def state(self, anchor: Anchor, hashes: dict[str, str | None] | None = None) -> AnchorState:
        """Return the state of an anchor in this tree.

        Fresh: it exists, with the content it had when the memory was verified, if known; for a glob, some file matches.
        Changed: it exists with other content. Gone: it does not exist, but did when the memory was verified, or the
        folder that should hold it exists, or its first folder where that is hidden, such as `.github`, unless it is a
        folder in the root itself; for a glob, no file matches any more, or a person named it. Unverifiable: git ignores
        it, as what is generated, it lies outside the tree, is a URL, a glob of a source that never matched a file, the
        end of several paths, an empty folder, or a path of which nothing is here, such as a header of another project.

        `hashes`: content hashes of files read before; those read now are added.
        """
        known = {} if hashes is None else hashes
        plain = without_symbol(anchor.path, self.root)
        if is_outside(plain):
            return "unverifiable"
        is_there = self.holds(plain)
        if is_there is None:
            return "unverifiable"
        if is_there:
            return self._state_of_file(plain, anchor.content_hash, known)
        if anchor.is_glob:
            if self.fits(plain):
                return "fresh"
            above = above_glob(plain)
            return "unverifiable" if anchor.content_hash is None or (above and self.ignores(above)) else "gone"
        found = self.resolve(plain)
        if found is not None:
            return self._state_of_file(found, anchor.content_hash, known)
        was_here = anchor.content_hash is not None or self._is_expected(plain)
        return "gone" if was_here and not self.elsewhere(plain) and not self.ignores(plain) else "unverifiable"

    def _is_expected(self, plain: str) -> bool:
        """Return whether the folder of a path that does not exist is here, or is one such as `.github`."""
        if plain.endswith("/") and "/" not in plain.removeprefix("./")[:-1]:
            return False
        top = PurePosixPath(plain).parts[0]
        is_own = top.startswith(".") and top != plain and (self.root / top).is_dir()
        return is_own or (self.root / plain).parent.is_dir()

    def holds(self, plain: str) -> bool | None:
        """Return whether a path exists, None where it can be no path."""
        try:
            return (self.root / plain).exists()
        except (OSError, ValueError):
            return None

    def ignores(self, plain: str) -> bool:
        """Return whether git ignores a path that does not exist, or what a folder of that path would hold.

        So it does where the path lies in a submodule that is not checked out.
        """
        if plain not in self._ignored:
            self.learn_ignored([plain])
        return self._ignored[plain]

    def learn_ignored(self, paths: Iterable[str]) -> None:
        """Ask git once which of many paths it ignores, rather than for each."""
        names = list(dict.fromkeys(path for path in paths if path not in self._ignored and "\0" not in path))
        self._ignored.update(lacking_by_path(self.root, names))  # git says nothing at all where one lies in a submodule
        names = [name for name in names if name not in self._ignored]
        for start in range(0, len(names), _ASKED_AT_ONCE):
            part = names[start : start + _ASKED_AT_ONCE]
            # Whether a path that is not there is a folder, nobody knows: a rule may be about either.
            asked = [form for name in part for form in (f"./{name}", f"./{name.rstrip('/')}/")]
            said = run_git(self.root, "-c", "core.quotePath=false", "check-ignore", "--", *asked) or ""
            found = {line.removeprefix("./").rstrip("/") for line in said.splitlines()}
            self._ignored.update(
                (name, name.rstrip("/") in found or ignores_below(self.root, name.removeprefix("./"))) for name in part
            )

    def resolve(self, path: str) -> str | None:
        """Return the file or folder that an anchor's path means in this tree, without its symbol; None if none.

        That is the path itself, else the one file whose path ends in it: people write `service.py` for
        `payments/service.py`. A name that many folders have, such as `index.ts`, is never resolved.
        """
        plain = without_symbol(path, self.root).removeprefix("./")
        if not plain or Anchor(plain).is_glob or is_outside(plain):
            return None
        try:
            if (self.root / plain).exists():
                return plain.rstrip("/")
        except (OSError, ValueError):
            return None
        found = [] if _is_generic(plain) else self._ending_in(plain)
        return found[0] if len(found) == 1 and (self.root / found[0]).is_file() else None

    def fits(self, glob: str) -> bool:
        """Return whether an existing file matches a glob."""
        return next(self.fitting(glob), None) is not None

    def meant(self, glob: str) -> str:
        """Return what a pattern such as `flux/*` may be meant for: `flux/**`; empty where that is not plain.

        It is where the pattern fits documents at most, and more files of other sorts lie in the folders below.
        """
        folder, slash, last = glob.rpartition("/")
        if last != "*" or not slash or Anchor(folder).is_glob:
            return ""
        wide = f"{folder}/**"
        beside, below = [], 0
        for name in self.fitting(wide):
            if "/" not in name.removeprefix(f"{folder}/"):
                beside.append(name)
            elif PurePosixPath(name).suffix not in _DOCUMENTS:
                below += 1
        is_idle = all(PurePosixPath(name).suffix in _DOCUMENTS for name in beside)
        return wide if is_idle and below > len(beside) else ""

    def fitting(self, path: str) -> Iterator[str]:
        """Yield the existing files that match a glob, or lie in a folder, by name."""
        from memtui.domain.scope import matches

        plain = path.split("::", 1)[0].removeprefix("./").rstrip("/")
        fixed = above_glob(plain)
        names = self._files()
        for name in names[bisect_left(names, f"{fixed}/") if fixed else 0 :]:
            if fixed and not name.startswith(f"{fixed}/"):
                return
            if matches(plain, name) and (self.root / name).exists():
                yield name

    def breadth(self, path: str) -> float:
        """Return the share of the tree's files that a glob matches, that lie below a folder, or that a file is, 0–1."""
        from memtui.domain.scope import matches

        if path not in self._breadths:
            names = self._files()
            if Anchor(path).is_glob:
                found = sum(matches(path, name) for name in names)
            else:
                found = sum(name == path or name.startswith(f"{path}/") for name in names)
            self._breadths[path] = found / max(1, len(names))
        return self._breadths[path]

    def _state_of_file(self, plain: str, content: str | None, hashes: dict[str, str | None]) -> AnchorState:
        target = self.root / plain
        if target.is_dir():
            # `git mv` leaves an emptied folder standing: only the history tells whether what it held is elsewhere.
            return "unverifiable" if _is_empty(target) else "fresh"
        if content is None or content == MATCHED:
            return "fresh"
        if plain not in hashes:
            hashes[plain] = file_hash(target)
        return "fresh" if hashes[plain] == content else "changed"

    def in_other_case(self, plain: str) -> str:
        """Return the one file whose path differs from this one by capitals alone; empty without such a one."""
        small = plain.removeprefix("./").casefold()
        found = [name for name in self._files() if name.casefold() == small]
        return found[0] if len(found) == 1 and self.holds(found[0]) else ""

    def elsewhere(self, path: str) -> int:
        """Return how many folders below the root's own, or files, have a path that ends in this one.

        With any of them, the path may mean one of those: what it names is not gone for sure. Of a file whose name many
        folders have there are none: such a name means the one in that very place.
        """
        plain = without_symbol(path, self.root).removeprefix("./")
        if plain.endswith("/"):
            return self._folders()[f"/{plain}"]
        if _is_generic(plain):
            return 0
        return sum((self.root / name).exists() for name in self._ending_in(plain))

    def _folders(self) -> Counter[str]:
        """Return the ends of the paths of folders below the root's own, each between slashes, and how often each is."""
        if not self._ends:
            known: set[str] = set()
            for file in self._files():
                folder = file.rpartition("/")[0]
                while folder and folder not in known:
                    known.add(folder)
                    folder = folder.rpartition("/")[0]
            for folder in known:
                self._ends.update(folder[at:] + "/" for at, letter in enumerate(folder) if letter == "/")
            self._ends["/"] += 1
        return self._ends

    def _ending_in(self, plain: str) -> list[str]:
        """Return the files below the root whose path ends in this one."""
        if plain.endswith("/"):
            return []
        if not self._by_name:
            for file in self._files():
                self._by_name.setdefault(file.rsplit("/", 1)[-1], []).append(file)
            self._by_name.setdefault("", [])
        return [file for file in self._by_name.get(PurePosixPath(plain).name, []) if file.endswith("/" + plain)]

    def _files(self) -> list[str]:
        if not self._names:
            self._names.extend(sorted(tree_files(self.root)) or [""])
        return self._names


_ASKED_AT_ONCE = 200  # Paths that one command names


def states_now(stored: Mapping[str, AnchorState], looked: Mapping[str, AnchorState]) -> dict[str, AnchorState]:
    """Return the states of anchors as found now, but as stored where only a full check could tell."""
    kept = {path for path, state in looked.items() if stored.get(path) in _TOLD_BY_CHECK.get(state, ())}
    return {**stored, **{path: state for path, state in looked.items() if path not in kept}}


_TOLD_BY_CHECK: Mapping[AnchorState, frozenset[str]] = {
    "gone": frozenset({"moved"}),
    "unverifiable": frozenset({"moved", "gone"}),
}
"""What a full check knows, by the history of the repository, of a path that is found so without it."""


def _is_generic(plain: str) -> bool:
    """Return whether a bare name is one that many folders have."""
    return "/" not in plain.removeprefix("./") and PurePosixPath(plain).name.split(".", 1)[0].lower() in GENERIC_STEMS


def above_glob(plain: str) -> str:
    """Return the folder that all files lie in that a glob fits; empty if that is the root."""
    return "/".join(takewhile(lambda part: not Anchor(part).is_glob, plain.split("/")))


def _is_empty(folder: Path) -> bool:
    try:
        return not any(folder.iterdir())
    except OSError:
        return False


def tree_files(root: Path) -> list[str]:
    """Return the files of a tree, relative to its root: those that git knows or would add, else all."""
    listed = run_git(root, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
    if listed is not None:
        return list(dict.fromkeys(filter(None, listed.split("\0"))))
    files: list[str] = []
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name not in _UNWALKED)
        base = Path(folder).relative_to(root)
        files += [(base / name).as_posix() for name in names]
        if len(files) >= MOST_TREE_FILES:
            break
    return files[:MOST_TREE_FILES]
