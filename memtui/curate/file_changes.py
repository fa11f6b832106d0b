"""What happened to a memory's files since it was last verified: lines added and taken away, and a few of them.

Only what is committed is compared, between two commits: git then runs no filter and no driver of the repository.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from memtui.domain.freshness import last_trusted_at
from memtui.domain.memory import AnchorState, Memory
from memtui.text.sanitising import reveal
from memtui.workspace import Tree, run_git

MOST_LINES = 12
"""Changed lines shown of one file."""

MOST_FILES = 6
"""Files of one memory that are compared."""

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


def file_changes(memory: Memory, tree: Tree | None) -> list[FileChange]:
    """Return what happened to a memory's files; asks git, so call it outside any lease and off the main thread."""
    if tree is None or memory.project != tree.project:
        return [FileChange(anchor.path, None) for anchor in memory.anchors]
    states = tree.states(memory)
    base = _commit_before(tree.root, last_trusted_at(memory))
    found = []
    for anchor in memory.anchors[:MOST_FILES]:
        path = tree.resolve(anchor.path) or anchor.path.split("::", 1)[0]
        change = FileChange(anchor.path, states.get(anchor.path))
        is_plain = not any(sign in path for sign in "*?[")
        found.append(_compared(tree.root, base, path, change) if base and is_plain else change)
    return found


def _commit_before(root: Path, moment: datetime) -> str | None:
    """Return the last commit before a moment, None outside a repository or before its first commit."""
    output = run_git(root, "rev-list", "-1", f"--before={moment.isoformat()}", "HEAD", seconds=_GIT_SECONDS)
    commit = (output or "").strip()
    return commit or None


def _compared(root: Path, base: str, path: str, change: FileChange) -> FileChange:
    # A path of others may look like pathspec magic.
    output = run_git(
        root, "--literal-pathspecs", "diff", *_SAFE, "--unified=0", base, "HEAD", "--", path, seconds=_GIT_SECONDS
    )
    if output is None:
        return change
    lines = list(_changed_lines(output))
    added = sum(1 for line in lines if line.startswith("+"))
    return FileChange(change.path, change.state, added, len(lines) - added, tuple(lines[:MOST_LINES]))


def _changed_lines(diff: str) -> Iterator[str]:
    """Yield the added and removed lines of a diff without context, tamed for the screen."""
    inside = False
    for line in diff.split("\n"):
        if line.startswith("diff --git"):
            inside = False
        elif line.startswith("@@"):
            inside = True
        elif inside and line[:1] in {"+", "-"}:
            yield line[0] + reveal(line[1:_LONGEST_LINE].expandtabs(4))
