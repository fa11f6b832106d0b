"""The working tree around a path: its root, its identities, its files. Reads git's files, runs git only if it must."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from itertools import takewhile
from pathlib import Path

from memtui.domain.memory import Anchor, AnchorState, Memory
from memtui.domain.project import commit_identity, normalise_remote, path_identity, remote_identity

GIT_SECONDS = 5.0
"""Longest time for one call of git."""


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

    def states(self, memory: Memory) -> dict[str, AnchorState]:
        """Return the state of each anchor of a memory of this project, nothing for another's."""
        if memory.project != self.project:
            return {}
        return {anchor.path: anchor_state(self.root, anchor) for anchor in memory.anchors}
