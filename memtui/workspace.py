"""The working tree around a path: its root, its identities, its files. Reads git's files, runs git only if it must."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from itertools import takewhile
from pathlib import Path, PurePosixPath

from memtui.domain.memory import Anchor, AnchorState, Memory
from memtui.domain.project import commit_identity, normalise_remote, path_identity, remote_identity

GIT_SECONDS = 5.0
"""Longest time for one call of git."""

MOST_TREE_FILES = 50_000
"""Files of a folder without git that are looked at to find the one that a partial path means."""

GENERIC_STEMS = frozenset(
    {"readme", "license", "changelog", "contributing", "index", "main", "mod", "lib", "init", "__init__", "__main__"}
    | {"conftest", "setup", "package", "tsconfig", "makefile", "dockerfile", "cargo", "pyproject", "go", "build", "pom"}
    | {"page", "layout", "route"}
)
"""Names, less their endings, that a project may hold once by chance: alone they name no file."""

_UNWALKED = frozenset({"node_modules", "__pycache__", "target", "dist", "build", "venv"})


@dataclass(frozen=True)
class Workspace:
    """A folder in view of projects.

    Attributes:
        folder: the absolute folder asked about.
        root: the git root above it, or the folder itself.
        git_folder: the `.git` folder with the shared config, None outside a repository.
    """

    folder: Path
    root: Path
    git_folder: Path | None

    @cached_property
    def remote(self) -> str | None:
        """The URL of the remote `origin`, else of the first remote, else None."""
        if self.git_folder is None:
            return None
        import configparser

        parser = configparser.ConfigParser(strict=False, interpolation=None, allow_no_value=True)
        try:
            text = (self.git_folder / "config").read_text(encoding="utf-8", errors="replace")
            parser.read_string("\n".join(line.strip() for line in text.splitlines()))
        except (OSError, configparser.Error):
            return None
        remotes = [name for name in parser.sections() if name.startswith('remote "')]
        remotes.sort(key=lambda name: name != 'remote "origin"')
        for name in remotes:
            url = parser.get(name, "url", fallback=None)
            if url:
                return url
        return None

    @cached_property
    def root_commit(self) -> str | None:
        """The oldest root commit, or None outside a repository and before the first commit."""
        if self.git_folder is None:
            return None
        output = run_git(self.root, "rev-list", "--max-parents=0", "HEAD")
        commits = output.split() if output else []
        return commits[-1] if commits else None

    @property
    def is_repository(self) -> bool:
        """Whether the folder lies in a git repository."""
        return self.git_folder is not None

    def own_identities(self) -> list[str]:
        """Return what a new project of this folder is registered under: its remote, else its root commit.

        A repository with neither yet is known by its path. Outside a repository the list is empty: a folder
        becomes a project only when a person links it.
        """
        if self.remote:
            return [remote_identity(self.remote)]
        if self.root_commit:
            return [commit_identity(self.root_commit)]
        return [path_identity(self.root.as_posix())] if self.is_repository else []

    def lookup_identities(self) -> list[str]:
        """Return what to look this folder up by, in order.

        Linked folders come first, the deepest first, so that a part of a repository can be a project of its
        own; then the repository; outside one, the folders above.
        """
        inner = [folder for folder in (self.folder, *self.folder.parents) if folder.is_relative_to(self.root)]
        outer = [] if self.is_repository else self.root.parents
        paths = [path_identity(folder.as_posix()) for folder in inner]
        above = [path_identity(folder.as_posix()) for folder in outer]
        return list(dict.fromkeys([*paths, *self.own_identities(), *above]))

    @property
    def suggested_name(self) -> str:
        """The name a new project of this folder would like: from its remote, else from its root folder."""
        return normalise_remote(self.remote) if self.remote else self.root.as_posix()


def find_workspace(start: Path) -> Workspace:
    """Return the workspace of a folder or file."""
    folder = Path(os.path.realpath(start))
    if folder.is_file():
        folder = folder.parent
    for candidate in (folder, *folder.parents):
        marker = candidate / ".git"
        if marker.exists():
            return Workspace(folder, candidate, _shared_git_folder(marker))
    return Workspace(folder, folder, None)


def _shared_git_folder(marker: Path) -> Path:
    """Follow the `.git` file of a worktree or submodule to the folder with the config."""
    folder = marker
    try:
        if marker.is_file():
            text = marker.read_text(encoding="utf-8", errors="replace").strip()
            folder = (marker.parent / text.removeprefix("gitdir:").strip()).resolve()
        common = folder / "commondir"
        if common.is_file():
            folder = (folder / common.read_text(encoding="utf-8").strip()).resolve()
    except OSError:
        return marker
    return folder


def run_git(folder: Path, *arguments: str, seconds: float = GIT_SECONDS) -> str | None:
    """Return what git prints, or None if it fails, is missing or takes too long."""
    import subprocess

    try:
        done = subprocess.run(
            ["git", "-C", str(folder), *arguments],
            capture_output=True,
            check=False,
            timeout=seconds,
            stdin=subprocess.DEVNULL,
            env={**os.environ, "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"},
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.decode("utf-8", "replace") if done.returncode == 0 else None


def file_hash(path: Path) -> str | None:
    """Return the content hash of a file (BLAKE2b-128 with LF line ends), None if it cannot be read."""
    try:
        return blake2b(path.read_bytes().replace(b"\r\n", b"\n"), digest_size=16).hexdigest()
    except OSError:
        return None


def anchor_state(root: Path, anchor: Anchor) -> AnchorState:
    """Return what a look at the working tree says of an anchor; it never changes a memory.

    Fresh: it is there, with the content it had when the memory was verified, if that is known. Changed: it
    is there with other content. Gone: it is not there. Unverifiable: it lies outside the tree, or is a URL.
    A glob is fresh while the folder that it starts in is there.
    """
    plain = anchor.path.split("::", 1)[0]
    parts = Path(plain).parts
    if "://" in plain or not parts or Path(plain).is_absolute() or ".." in parts or parts[0].startswith("~"):
        return "unverifiable"
    if anchor.is_glob:
        fixed = list(takewhile(lambda part: not any(mark in part for mark in "*?[{"), parts))
        return "fresh" if root.joinpath(*fixed).exists() else "gone"
    target = root / plain
    try:
        if not target.exists():
            return "gone"
    except OSError:
        return "unverifiable"
    if anchor.content_hash is None or not target.is_file():
        return "fresh"
    return "fresh" if file_hash(target) == anchor.content_hash else "changed"


@dataclass(frozen=True, slots=True)
class Tree:
    """The working tree of one project, to check its memories' anchors against."""

    project: str
    root: Path
    _by_name: dict[str, list[str]] = field(default_factory=dict, init=False, repr=False, compare=False)

    def states(self, memory: Memory) -> dict[str, AnchorState]:
        """Return the state of each anchor of a memory of this project, nothing for another's."""
        if memory.project != self.project:
            return {}
        return {anchor.path: self._state(anchor) for anchor in memory.anchors}

    def resolve(self, path: str) -> str | None:
        """Return the file or folder that an anchor's path means in this tree, without its symbol; None if none.

        That is the path itself, else the one file whose path ends in it: people write `service.py` for
        `payments/service.py`. A name that many folders have, such as `index.ts`, is never taken for a file.
        """
        plain = path.split("::", 1)[0].removeprefix("./")
        if not plain or Anchor(plain).is_glob or anchor_state(self.root, Anchor(plain)) == "unverifiable":
            return None
        if (self.root / plain).exists():
            return plain.rstrip("/")
        name = PurePosixPath(plain).name
        if plain.endswith("/") or ("/" not in plain and name.split(".", 1)[0].lower() in GENERIC_STEMS):
            return None
        found = [file for file in self._files_named(name) if file.endswith("/" + plain)]
        return found[0] if len(found) == 1 and (self.root / found[0]).is_file() else None

    def _state(self, anchor: Anchor) -> AnchorState:
        state = anchor_state(self.root, anchor)
        found = self.resolve(anchor.path) if state == "gone" else None
        return anchor_state(self.root, Anchor(found, anchor.content_hash)) if found is not None else state

    def _files_named(self, name: str) -> list[str]:
        """Return the files of that name; all are listed at the first question."""
        if not self._by_name:
            for file in tree_files(self.root):
                self._by_name.setdefault(file.rsplit("/", 1)[-1], []).append(file)
            self._by_name.setdefault("", [])
        return self._by_name.get(name, [])


def tree_files(root: Path) -> list[str]:
    """Return the files of a tree, relative to its root: those that git knows or would add, else all there are."""
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
