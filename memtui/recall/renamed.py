"""What files in hand were called before: a memory that is tied to such a name means the file."""

from __future__ import annotations

import time
from collections.abc import Collection, Sequence
from functools import lru_cache
from pathlib import Path, PurePosixPath

from memtui.domain.memory import Anchor
from memtui.recall.anchors import plain_path
from memtui.workspace import RENAMED, Tree, is_outside, renames_in, run_git

GIT_SECONDS = 1.0
"""How long one call of git may take; without an answer nothing moved, and a payload waits for no more."""

MOST_FILES = 5
"""Files in hand whose history is searched."""

MOST_LOOKED_AT = 2_000
"""Anchors that are looked for in the tree: so many take some 10 ms."""

MOST_RENAMES = 20
"""Renames of one file that are followed."""

KEPT_SECONDS = 30
"""So long an answer of git is kept: while a task is typed the files in hand stay."""


def former_names(tree: Tree | None, files: Sequence[str], anchors: Collection[str]) -> dict[str, str]:
    """Return, per former name of a file in hand that an anchor still has, the file; runs git, so never under a lease.

    Git is asked only where an anchor with the ending of a file in hand is not in the tree any more.

    Args:
        tree: the working tree, None for none.
        files: project-relative POSIX paths.
        anchors: paths of anchors in view.
    """
    if tree is None or not files or not anchors:
        return {}
    names = [plain_path(file) for file in files[:MOST_FILES]]
    endings = {PurePosixPath(name).suffix for name in names}
    alike = sorted({plain for path in anchors if PurePosixPath(plain := plain_path(path)).suffix in endings})
    gone = {plain for plain in alike[:MOST_LOOKED_AT] if _is_gone(tree, plain)}
    if not gone:
        return {}
    moment = int(time.monotonic() // KEPT_SECONDS)
    return {
        old: name
        for name in names
        if (tree.root / name).is_file()
        for old in _names_before(tree.root, name, moment)
        if old in gone
    }


def _is_gone(tree: Tree, plain: str) -> bool:
    if is_outside(plain) or Anchor(plain).is_glob:
        return False
    try:
        return not (tree.root / plain).exists()
    except (OSError, ValueError):
        return False


@lru_cache(maxsize=64)
def _names_before(root: Path, name: str, _moment: int) -> tuple[str, ...]:
    """Return what a file was called before, by what is staged and by its history."""
    prefix = (run_git(root, "rev-parse", "--show-prefix", seconds=GIT_SECONDS) or "").strip()
    # The index against the last commit: looking at the files themselves would run the repository's filters.
    staged = run_git(root, "diff", "--cached", "--diff-filter=R", *RENAMED, "HEAD", seconds=GIT_SECONDS)
    recorded = {new: old for old, new in renames_in(staged)}
    whole = prefix + name
    before = [recorded[whole]] if whole in recorded else []
    followed = (before or [whole])[0].removeprefix(prefix)
    history = run_git(
        root,
        *("log", "--follow", f"--max-count={MOST_RENAMES}", "--diff-filter=R", "--format=", *RENAMED, "--", followed),
        seconds=GIT_SECONDS,
    )
    before += [old for old, _ in renames_in(history)]
    return tuple(old.removeprefix(prefix) for old in before if old.startswith(prefix))
