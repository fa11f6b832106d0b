"""What happened to a memory's files since it was last verified: lines added and taken away, and a few of them.

Git compares two commits, and hands out whole files of one as they were stored: so it runs no filter and no driver of
the repository. What is not committed yet is compared here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import pairwise
from pathlib import Path

from memtui.domain.freshness import last_trusted_at
from memtui.domain.memory import AnchorState, Memory
from memtui.text.sanitising import reveal
from memtui.workspace import Tree, run_git

MOST_LINES = 12
"""Changed lines shown of one file."""

MOST_FILES = 6
"""Files of one memory that are compared."""

MOST_COMPARED = 2_000
"""Lines up to which a file that is not committed is compared here: twice as many take 0.1 s at worst."""

_LONGEST_LINE = 200
_GIT_SECONDS = 3.0
_SAFE = ("--no-ext-diff", "--no-textconv", "--no-color")


@dataclass(frozen=True, slots=True)
class FileChange:
    """One file of a memory.

    Attributes:
        path: as the anchor names it.
        state: of the anchor in the working tree; None where it was not checked.
        added: lines added since the memory was last verified; None where git cannot tell.
        removed: lines taken away, likewise.
        lines: the first changed lines, each starting with `+` or `-`.
    """

    path: str
    state: AnchorState | None
    added: int | None = None
    removed: int | None = None
    lines: tuple[str, ...] = ()


def file_changes(memory: Memory, tree: Tree | None, *, moves: Mapping[str, str] | None = None) -> list[FileChange]:
    """Return what happened to a memory's files; asks git, so call it outside any lease and off the main thread.

    Args:
        memory: the memory.
        tree: the working tree of its project, None where that is not known.
        moves: where files went, by the path of the anchor; the text that moved along is no change.
    """
    if tree is None or memory.project != tree.project:
        return [FileChange(anchor.path, None) for anchor in memory.anchors]
    states = tree.states(memory)
    base = _commit_before(tree.root, last_trusted_at(memory))
    found = []
    for anchor in memory.anchors[:MOST_FILES]:
        to = (moves or {}).get(anchor.path)
        change = FileChange(anchor.path, "moved" if to else states.get(anchor.path))
        path = tree.resolve(anchor.path) or _plain(anchor.path)
        is_plain = not any(sign in path for sign in "*?[")
        paths = (path, _plain(to)) if to else (path,)
        found.append(_compared(tree.root, base, paths, change) if base and is_plain else change)
    return found


def _plain(path: str) -> str:
    return path.split("::", 1)[0]


def _commit_before(root: Path, moment: datetime) -> str | None:
    """Return the last commit before a moment, None outside a repository or before its first commit."""
    output = run_git(root, "rev-list", "-1", f"--before={moment.isoformat()}", "HEAD", seconds=_GIT_SECONDS)
    commit = (output or "").strip()
    return commit or None


def _compared(root: Path, base: str, paths: Sequence[str], change: FileChange) -> FileChange:
    lines = _committed(root, base, paths)
    if lines is None:
        return change
    if len(paths) == 1 and lines and all(line.startswith("+") for line in lines):
        was = _former_name(root, base, paths[0])
        lines = (_committed(root, base, (was, paths[0])) if was else None) or ([] if was else lines)
    if not lines and change.state == "changed":
        lines = _uncommitted(root, base, paths[-1])
    added = sum(1 for line in lines if line.startswith("+"))
    return replace(change, added=added, removed=len(lines) - added, lines=tuple(lines[:MOST_LINES]))


def _committed(root: Path, base: str, paths: Sequence[str]) -> list[str] | None:
    """Return the lines that commits changed in a file, or in one with its former name; None where git fails."""
    # A path of others may look like pathspec magic.
    command = ("--literal-pathspecs", "diff", "-M", *_SAFE, "--unified=0", base, "HEAD", "--", *paths)
    output = run_git(root, *command, seconds=_GIT_SECONDS)
    return None if output is None else list(_changed_lines(output))


def _former_name(root: Path, base: str, path: str) -> str | None:
    """Return the name that a file had at a commit; None where it had this one, or was not there."""
    command = ("--literal-pathspecs", "log", "--follow", "-M", "--diff-filter=R", "--name-status", "-z", "--format=")
    output = run_git(root, *command, *_SAFE[:2], f"{base}..HEAD", "--", path, seconds=_GIT_SECONDS) or ""
    parts = [part.lstrip("\n") for part in output.split("\0")]
    # The oldest rename comes last, as status, old name, new name.
    names = [old for status, old in pairwise(parts) if status[:1] == "R" and status[1:].isdigit()]
    return names[-1] if names else None


def _uncommitted(root: Path, base: str, path: str) -> list[str]:
    """Return the lines that differ between a file as it was committed and as it lies there."""
    from difflib import SequenceMatcher

    before = run_git(root, "cat-file", "blob", f"{base}:./{path}", seconds=_GIT_SECONDS)
    try:
        after = (root / path).read_bytes().decode("utf-8", "replace")
    except OSError:
        return []
    old, new = (before or "").splitlines(), after.splitlines()
    if before is None or max(len(old), len(new)) > MOST_COMPARED:
        return []
    lines: list[str] = []
    for name, first, last, start, end in SequenceMatcher(None, old, new).get_opcodes():
        if name != "equal":
            lines += [f"-{_tamed(line)}" for line in old[first:last]]
            lines += [f"+{_tamed(line)}" for line in new[start:end]]
    return lines


def _changed_lines(diff: str) -> Iterator[str]:
    """Yield the added and removed lines of a diff without context, tamed for the screen."""
    inside = False
    for line in diff.split("\n"):
        if line.startswith("diff --git"):
            inside = False
        elif line.startswith("@@"):
            inside = True
        elif inside and line[:1] in {"+", "-"}:
            yield line[0] + _tamed(line[1:])


def _tamed(line: str) -> str:
    return reveal(line[: _LONGEST_LINE - 1].expandtabs(4))
