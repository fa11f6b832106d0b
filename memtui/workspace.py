"""The working tree around a path: its root, identities and name. Reads git's files; runs git only if necessary."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePath
from typing import Literal

from memtui.domain.identity import commit_identity, normalise_remote, path_identity, remote_identity, written_identity
from memtui.git import run_git

_REMOTE = re.compile(r'^remote "(.+)"$')

_SAYS_NOTHING = frozenset({"repo", "repository", "mirror", "bare", "git", "src", "source", "code", "project"})
"""Last parts of remotes that are no name: mirrors on a disk are often called so."""


@dataclass(frozen=True)
class Workspace:
    """A folder as seen by projects."""

    folder: Path  # the absolute folder asked about
    root: Path  # the git root above it, or the folder itself
    git_folder: Path | None  # the `.git` folder with the shared config, None outside a repository

    @property
    def remote(self) -> str | None:
        """The URL of the remote `origin`, else of `upstream`, else of the first remote, else None."""
        return next(iter(self.remotes.values()), None)

    @cached_property
    def remotes(self) -> dict[str, str]:
        """The URLs of all remotes by name: `origin`, `upstream`, then as the configuration orders them."""
        if self.git_folder is None:
            return {}
        import configparser

        parser = configparser.ConfigParser(strict=False, interpolation=None, allow_no_value=True)
        try:
            text = (self.git_folder / "config").read_text(encoding="utf-8", errors="replace")
            parser.read_string("\n".join(line.strip() for line in text.splitlines()))
        except (OSError, configparser.Error):
            return {}
        sections = {found[1]: section for section in parser.sections() if (found := _REMOTE.match(section))}
        names = sorted(sections, key=lambda name: (name != "origin", name != "upstream"))
        urls = {name: parser.get(sections[name], "url", fallback=None) for name in names}
        return {name: _with_real_host(url) for name, url in urls.items() if url}

    @property
    def main_root(self) -> Path:
        """The root of the main checkout, which a linked worktree shares its git folder with; else the root."""
        shared = self.git_folder
        return shared.parent if shared is not None and shared.name == ".git" else self.root

    @cached_property
    def root_commit(self) -> str | None:
        """The oldest root commit, or None outside a repository and before the first commit."""
        if self.git_folder is None:
            return None
        stamp = _stamp_of(_own_git_folder(self.root / ".git"), self.git_folder)
        known = _root_commits.get(self.root)
        if known is not None and known[0] == stamp:
            return known[1]
        output = run_git(self.root, "rev-list", "--max-parents=0", "HEAD")
        commits = output.split() if output else []
        if not commits:
            return None
        _root_commits[self.root] = (stamp, commits[-1])
        return commits[-1]

    @property
    def is_repository(self) -> bool:
        """Whether the folder lies in a git repository."""
        return self.git_folder is not None

    def own_identities(self) -> list[str]:
        """Return the identities of a new project of this folder: its remote, else its root commit.

        A repository without either is identified by its path. Outside a repository the list is empty: a folder becomes
        a project only when a person links it.
        """
        if self.remote:
            return [remote_identity(self.remote)]
        if self.root_commit:
            return [commit_identity(self.root_commit)]
        return [path_identity(self.root.as_posix())] if self.is_repository else []

    def lookup_identities(self) -> list[str]:
        """Return the identities to look this folder up by, in order.

        Linked folders come first, the deepest first, so that a part of a repository can be its own project; then the
        repository and, of a linked worktree, the main checkout; outside one, the folders above.
        """
        # Without an `origin` nothing says which remote is the repository's own.
        others = [] if "origin" in self.remotes else [remote_identity(url) for url in self.remotes.values()]
        inner = [folder for folder in (self.folder, *self.folder.parents) if folder.is_relative_to(self.root)]
        outer = [self.main_root] if self.is_repository else self.root.parents
        paths = [path_identity(folder.as_posix()) for folder in inner]
        above = [path_identity(folder.as_posix()) for folder in outer]
        written = [written_identity(self.remote)] if self.remote else []
        return list(dict.fromkeys([*paths, *self.own_identities(), *written, *others, *above]))

    @property
    def suggested_name(self) -> str:
        """The suggested name of a new project of this folder: from its remote, else from the main checkout's folder.

        Of several remotes that counts which is called like the folder. One with a name such as `repo` says nothing.
        """
        names = [normalise_remote(url) for url in self.remotes.values()]
        alike = [name for name in names if _last(name) == self.main_root.name.casefold()]
        telling = [name for name in (*alike, *names[:1]) if _last(name) not in _SAYS_NOTHING]
        if telling:
            return telling[0]
        shared = self.git_folder
        if shared is None or shared.name == ".git" or not _is_linked(self.root):
            return self.main_root.as_posix()
        # Worktrees of a bare repository: `ledger.git`, or `ledger/.bare`.
        return (shared.parent if shared.name.startswith(".") else shared).as_posix().removesuffix(".git")


_root_commits: dict[Path, tuple[tuple[object, ...], str]] = {}
"""Root commits that git told, by root, each with what told that nothing changed since."""


def _stamp_of(own: Path, shared: Path) -> tuple[object, ...]:
    """Return what differs once `HEAD` means another commit, or more of a shallow history is here."""
    head = _text_of(own / "HEAD")
    branch = _text_of(shared / head.removeprefix("ref:").strip()) if head.startswith("ref:") else ""
    states = (_state_of(shared / name) for name in ("packed-refs", "reftable/tables.list", "shallow"))
    return (head, branch, *states)


def _text_of(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8", errors="replace")
    except (OSError, ValueError):
        return ""


def _state_of(file: Path) -> tuple[int, int] | None:
    try:
        state = file.stat()
    except OSError:
        return None
    return state.st_size, state.st_mtime_ns


def _last(name: str) -> str:
    return PurePath(name).name.casefold()


def find_workspace(start: Path) -> Workspace:
    folder = Path(os.path.realpath(start))
    if folder.is_file():
        folder = folder.parent
    for candidate in (folder, *folder.parents):
        marker = candidate / ".git"
        if marker.exists():
            return Workspace(folder, candidate, _shared_git_folder(marker))
    return Workspace(folder, folder, None)


_ALIAS = re.compile(r"(?P<before>(?:ssh://)?(?:[^@/\s]+@)?)(?P<host>[\w-]{2,})(?=:(?!//)|/(?!/))")


def project_root(folder: Path) -> Path | None:
    """Return the git root above a folder, None outside a repository."""
    workspace = find_workspace(folder)
    return workspace.root if workspace.git_folder is not None else None


def _with_real_host(url: str) -> str:
    """Return a remote with the host that a plain alias such as `work` stands for in the user's SSH configuration."""
    found = _ALIAS.match(url.strip())
    if found is None or not found["before"]:
        return url
    host = ""
    try:
        lines = (Path.home() / ".ssh" / "config").read_text(encoding="utf-8", errors="replace").splitlines()
    except (OSError, RuntimeError):
        return url
    names: list[str] = []
    for line in lines:
        key, _, value = line.strip().replace("=", " ", 1).partition(" ")
        if key.lower() == "host":
            names = value.split()
        elif key.lower() == "hostname" and found["host"] in names and not host:
            host = value.strip()
    return f"{found['before']}{host}{url.strip()[found.end() :]}" if host else url


def kind_of_checkout(root: Path) -> Literal["worktree", "submodule", "clone"]:
    """Return what a folder with `.git` is: a linked worktree, a submodule, or a repository of its own."""
    if _is_linked(root):
        return "worktree"
    return "submodule" if "modules" in _own_git_folder(root / ".git").parts else "clone"


def _is_linked(root: Path) -> bool:
    """Return whether a folder is a linked worktree: its git folder shares that of another checkout."""
    return (_own_git_folder(root / ".git") / "commondir").is_file()


def _shared_git_folder(marker: Path) -> Path:
    """Follow the `.git` file of a worktree or submodule to the folder with the config."""
    folder = _own_git_folder(marker)
    try:
        common = folder / "commondir"
        if common.is_file():
            folder = (folder / common.read_text(encoding="utf-8").strip()).resolve()
    except OSError:
        return marker
    return folder


def _own_git_folder(marker: Path) -> Path:
    try:
        if marker.is_file():
            text = marker.read_text(encoding="utf-8", errors="replace").strip()
            return (marker.parent / text.removeprefix("gitdir:").strip()).resolve()
    except OSError:
        pass
    return marker
