"""Git, asked through git itself, so that hooks, worktrees and submodules mean what they mean to git."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from memtui.assist.check_changes import (
    PLAIN,
    SYMLINK,
    Change,
    Changes,
    Lines,
    common_to,
    decoded_line,
    entries_of,
    patches_of,
    wide_lines,
)
from memtui.errors import MemtuiError
from memtui.git import OF_A_REPOSITORY, call_git, to_fetch, without_filters
from memtui.regular_files import read_regular

GIT_SECONDS = 20.0  # Longest time for one call of git
LARGEST_FILE = 1_000_000  # Bytes of a file that is looked into although git takes it for binary, or parsed
MOST_NAMED = 400  # Files that are named to git one by one; of more, all are asked for

Wanted = Callable[[str], bool]
"""Whether the added lines of a file matter: reading those of the others would take time for nothing."""

_DIFF = (
    *("diff", "--raw", "-z", "-M", "--no-abbrev", "--no-color", "--no-ext-diff", "--no-textconv", "--no-relative"),
    *(
        "--submodule=short",
        "--ignore-submodules=dirty",
        "--inter-hunk-context=0",
        "--unified=1",
        "--src-prefix=a/",
        "--dst-prefix=b/",
    ),
)
_HOW_TO_FETCH = "Files are missing, and a fetch would start what its settings name: look at them, then fetch."
_COMMIT = re.compile(rb"(?:^|(?<=[\n\0]))([0-9a-f]{40,64})\0")


class GitError(MemtuiError):
    """Git is missing, takes too long, or refuses; also: this is no repository."""


class Repository:
    """The repository of a folder.

    `folder`: the working directory. `root`: the folder that paths are relative to, in the same working tree.
    """

    def __init__(self, folder: Path, root: Path | None = None) -> None:
        self._cwd = folder
        self._variables = {**_of_hook(folder), "GIT_LITERAL_PATHSPECS": "1"}
        self._fetches = False
        asked = self.git("rev-parse", "--show-toplevel", "--git-path", "MERGE_HEAD")
        top, merging = asked.decode("utf-8", "surrogateescape").split("\n")[:2]
        self.top = self._cwd = Path(top)
        self._merging = folder / merging
        # Of a partial clone, what has to be compared may have to be fetched.
        allowed = to_fetch(self._cwd, self._variables)
        self._fetches = allowed is not None
        self._variables |= allowed or {}
        inside = _below(self.top, root) if root is not None else ""
        self.root = self.top / inside
        self._prefix = f"{inside}/" if inside else ""

    def git(self, *arguments: str, given: bytes = b"") -> bytes:
        """Return what git prints. Raises `GitError`: it fails, is missing or takes too long."""
        done = call_git(
            self._cwd,
            *("-c", "core.quotePath=true", *arguments),
            given=given,
            seconds=GIT_SECONDS,
            variables=self._variables,
            network=self._fetches,
            hooks=arguments[0] == "rev-parse",
        )
        if done.fault == "missing":
            raise GitError("git is not installed", where="git", remedy="Install it, or name files.")
        if done.fault:
            raise GitError(f"git took longer than {GIT_SECONDS:.0f} s", where=" ".join(arguments[:2]))
        if not done.is_whole:
            said = done.error.decode("utf-8", "replace").strip().splitlines() or ["no reason given"]
            if arguments[0] == "rev-parse" and "not a git repository" in said[-1]:
                remedy = "Go to one, begin one with `git init`, or name the files to check."
                raise GitError("This is not a git repository", where=str(self._cwd), remedy=remedy)
            remedy = "" if self._fetches or b"promisor" not in done.error else _HOW_TO_FETCH
            raise GitError(
                f"git refused ({said[-1].removeprefix('fatal: ')[:200]})", where=" ".join(arguments[:2]), remedy=remedy
            )
        return done.output

    # -- what changes -----------------------------------------------------------------------------

    def staged(self, wanted: Wanted) -> Changes:
        """Return what the next commit changes; of a merge only what is new to all its parents."""
        against = [self._diff(("--cached", *parent), wanted) for parent in ((), *((one,) for one in self._merged()))]
        first, *others = against
        for other in others:
            first = common_to(first, other)
        return first

    def since(self, revision: str, wanted: Wanted) -> Changes:
        """Return what changed since a revision branched off, the working tree included, or within `A..B`."""
        if revision.startswith("-"):
            raise GitError("Not a revision", where=revision)
        self._variables |= without_filters(self._cwd, self._variables)
        if ".." in revision:
            found, commits = self._diff((revision,), wanted), revision.replace("...", "..")
        else:
            base = self._base(revision)
            found, commits = self._diff((base,), wanted), f"{base}..HEAD"
        found.messages = self.git("log", "--format=%B", commits, "--").decode("utf-8", "replace")
        return found

    def files(self, paths: Sequence[str], wanted: Wanted) -> Changes:
        """Return what files of the working tree change beside the last commit; all of a file that git does not know.

        `paths`: relative to the top of the working tree.
        """
        self._variables |= without_filters(self._cwd, self._variables)
        has_commit = self._exists("HEAD")
        found = self._diff(("HEAD",), wanted, paths) if has_commit else Changes([])
        new = ("--others",) if has_commit else ("--others", "--cached")
        listed = self.git("ls-files", "-z", *new, "--", *paths).split(b"\0")[:-1]
        for name in (each.decode("utf-8", "surrogateescape") for each in listed):
            change = whole_file(self.top / name, name)
            inside = self._inside(change)
            if inside is not None:
                found.files.append(inside)
        return found

    def of_commits(self, commits: Sequence[str], wanted: Wanted) -> Iterator[Changes]:
        """Yield what each of some commits changed, asked for all at once; of a merge nothing."""
        given = "".join(f"{commit}\n" for commit in commits).encode()
        output = self.git("diff-tree", "--stdin", "-r", "--root", "-p", *_DIFF[1:], given=given)
        known = set(commits)
        # No line of a patch begins with an id: those of files stand behind their signs.
        marks = [mark for mark in _COMMIT.finditer(output) if mark[1].decode("ascii") in known]
        ends = [*(mark.start(1) for mark in marks[1:]), len(output)]
        parts = {mark[1].decode("ascii"): output[mark.end() : end] for mark, end in zip(marks, ends, strict=False)}
        for commit in commits:
            yield self._told(parts.get(commit, b""), wanted)

    def _told(self, output: bytes, wanted: Wanted) -> Changes:
        """Return the changes of one commit from its entries and patches."""
        lines = {change.path: section for change, section in self._sections(output) if section is not None}
        changes = []
        for entry in entries_of(output)[0]:
            change = self._inside(entry)
            if change is not None and change.path in lines and change.is_text and wanted(change.path):
                change = replace(change, added=lines[change.path].added, around=lines[change.path].around)
            changes += [] if change is None else [change]
        return Changes(changes)

    def _base(self, revision: str) -> str:
        try:
            return self.git("merge-base", revision, "HEAD").decode().split()[0]
        except GitError:
            # No common ancestor, as in a shallow clone: the revision itself.
            return self.git("rev-parse", "--verify", f"{revision}^{{commit}}").decode().strip()

    def _exists(self, revision: str) -> bool:
        try:
            self.git("rev-parse", "--verify", "-q", revision)
        except GitError:
            return False
        return True

    def _merged(self) -> list[str]:
        try:
            return self._merging.read_text(encoding="ascii").split()
        except OSError:
            return []

    def _diff(self, what: Sequence[str], wanted: Wanted, paths: Sequence[str] = ()) -> Changes:
        only = ("--", *paths) if paths else ("--",)
        entries, _ = entries_of(self.git(*_DIFF, *what, *only))
        changes = [inside for entry in entries if (inside := self._inside(entry)) is not None]
        read = [change for change in changes if change.is_text and wanted(change.path)]
        if not read:
            return Changes(changes)
        lines, hidden = self._lines(what, read if len(read) <= MOST_NAMED else [])
        notes = [f"{path}: taken for binary and too large to look into" for path in hidden]
        told = [
            replace(change, added=lines[change.path].added, around=lines[change.path].around)
            if change.path in lines and wanted(change.path)
            else change
            for change in changes
        ]
        return Changes(told, notes=notes)

    def _lines(self, what: Sequence[str], read: Sequence[Change]) -> tuple[dict[str, Lines], list[str]]:
        """Return added and surrounding lines by file, and files that could not be looked into."""
        paths = [self._prefix + path for change in read for path in dict.fromkeys((*change.paths, change.path))]
        output = self.git(*_DIFF, "-p", *what, "--", *paths)
        found: dict[str, Lines] = {}
        binary: list[Change] = []
        for change, section in self._sections(output):
            if section is None:
                binary.append(change)
            else:
                found[change.path] = section
        hidden: list[str] = []
        for change in binary:
            section = self._as_text(what, change)
            if section is None:
                hidden.append(change.path)
            elif section.added:
                found[change.path] = section
        return found, hidden

    def _as_text(self, what: Sequence[str], change: Change) -> Lines | None:
        """Return the lines of a file that git's attributes call binary; none of one that is, None if too large."""
        if change.new_blob:
            size = int(self.git("cat-file", "-s", change.new_blob))
        else:
            size = _size(self.top / (self._prefix + change.path))
        if size > LARGEST_FILE:
            return None
        paths = [self._prefix + path for path in dict.fromkeys((*change.paths, change.path))]
        for _, section in self._sections(self.git(*_DIFF, "-p", "--text", *what, "--", *paths)):
            if section is not None and not any("\0" in line for line in section.added.values()):
                return section
        return wide_lines(*self.contents([change])[change.path]) or Lines({}, {})

    def _sections(self, output: bytes) -> Iterator[tuple[Change, Lines | None]]:
        """Yield each entry that has a patch with its lines; None for the lines of a binary file."""
        entries, patch = entries_of(output)
        parts = patches_of(patch)
        for entry in entries:
            if entry.status == "T":
                next(parts, None)  # a change of type is a deletion and an addition
            part = next(parts, None)
            inside = self._inside(entry)
            if part is not None and inside is not None:
                yield inside, part.lines

    def _inside(self, change: Change) -> Change | None:
        """Return a change with paths relative to the project, None if it lies outside."""
        if not self._prefix:
            return change
        if not change.path.startswith(self._prefix):
            if not change.old_path.startswith(self._prefix):
                return None
            return replace(change, path=change.old_path.removeprefix(self._prefix), status="D", old_path="")
        old = change.old_path
        if old and not old.startswith(self._prefix):
            return replace(change, path=change.path.removeprefix(self._prefix), status="A", old_path="")
        return replace(change, path=change.path.removeprefix(self._prefix), old_path=old.removeprefix(self._prefix))

    # -- contents ---------------------------------------------------------------------------------

    def contents(self, changes: Sequence[Change]) -> dict[str, tuple[bytes, bytes]]:
        """Return the contents of files before and after, by path, as far as they are no larger than a source."""
        wanted = dict.fromkeys(blob for change in changes for blob in (change.old_blob, change.new_blob) if blob)
        known = self._blobs(list(wanted))
        return {
            change.path: (
                known.get(change.old_blob, b""),
                known.get(change.new_blob, b"") if change.new_blob else _content(self.top / self._prefix / change.path),
            )
            for change in changes
        }

    def _blobs(self, names: Sequence[str]) -> dict[str, bytes]:
        if not names:
            return {}
        output = self.git("cat-file", "--batch", given="".join(f"{name}\n" for name in names).encode())
        found: dict[str, bytes] = {}
        position = 0
        for name in names:
            end = output.index(b"\n", position)
            head = output[position:end].split()
            position = end + 1
            if len(head) != 3:  # noqa: PLR2004 - name, type, size; otherwise it is missing
                continue
            size = int(head[2])
            if size <= LARGEST_FILE:
                found[name] = output[position : position + size]
            position += size + 1
        return found


def _of_hook(folder: Path) -> dict[str, str]:
    """Return the variables by which git tells a hook its repository; none where the folder lies in another one.

    Some hold paths relative to the folder that the hook is run in.
    """
    given = {name: value for name in OF_A_REPOSITORY if (value := os.environ.get(name))}
    told = {name: str(folder / value) for name, value in given.items()}
    if (several := given.get(_LIST_OF_FOLDERS)) and '"' not in several:  # a quoted path may hold the separator
        told[_LIST_OF_FOLDERS] = os.pathsep.join(str(folder / one) for one in several.split(os.pathsep))
    if "GIT_DIR" in told:
        other = call_git(folder, *_GIT_FOLDER, variables=told).output
    elif "GIT_INDEX_FILE" in told:
        # Of a `git commit -a` a hook is told the index alone. One outside of all repositories may be anybody's.
        holds = Path(told["GIT_INDEX_FILE"]).parent
        inside, _, other = call_git(holds, "rev-parse", "--is-inside-git-dir", *_GIT_FOLDER[1:]).output.partition(b"\n")
        if inside != b"true":
            return told if holds.is_dir() else {}
    else:
        return told
    own = call_git(folder, *_GIT_FOLDER)
    return {} if own.is_whole and own.output != other else told


_LIST_OF_FOLDERS = "GIT_ALTERNATE_OBJECT_DIRECTORIES"
_GIT_FOLDER = ("rev-parse", "--absolute-git-dir")


def whole_file(file: Path, name: str) -> Change:
    """Return a file all of whose lines are new."""
    content = _content(file)
    plain = {} if b"\0" in content else dict(enumerate(map(decoded_line, content.split(b"\n")), 1))
    wide = wide_lines(b"", content)
    lines = wide.added if wide is not None else plain
    mode = SYMLINK if file.is_symlink() else PLAIN
    return Change(name, "A", mode=mode, added={} if mode == SYMLINK else lines)


def _below(top: Path, folder: Path) -> str:
    inside = Path(os.path.realpath(folder))
    real = Path(os.path.realpath(top))
    return inside.relative_to(real).as_posix().removeprefix(".") if inside.is_relative_to(real) else ""


def _content(file: Path) -> bytes:
    try:
        content = read_regular(file, LARGEST_FILE + 1)
    except OSError:
        return b""
    return content if len(content) <= LARGEST_FILE else b""


def _size(file: Path) -> int:
    try:
        return file.stat().st_size
    except OSError:
        return 0
