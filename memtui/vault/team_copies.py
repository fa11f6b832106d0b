"""The local copies of teams' branches in the cache folder: held by whoever reads them, removed by a purge."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from memtui import locations
from memtui.errors import MemtuiError
from memtui.git import call_git
from memtui.vault.lease import lease
from memtui.vault.text_search import bytes_pattern

_LOOK_SECONDS = 120.0  # For the contents of one copy


@contextmanager
def using_copies() -> Iterator[None]:
    """Keep the copies where they are, which others may read meanwhile.

    Raises `MemtuiError`: they are being removed, or the cache folder cannot be written.
    """
    folder = locations.cache_folder()
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    with lease(folder / "teams", exclusive=False, wait_seconds=_LOOK_SECONDS):
        yield


def drop_copies(found: Sequence[Path], text: str = "", *, wait_seconds: float) -> list[Path]:
    """Remove copies; returns those that are to go and are still there.

    What waits to be sent is in the vault, and the next sync copies a branch again.

    `text`: only copies that may hold it are removed. `wait_seconds`: how long to wait for whoever uses them.
    """
    if not found:
        return []
    try:
        with lease(locations.cache_folder() / "teams", exclusive=True, wait_seconds=wait_seconds):
            return [copy for copy in found if (not text or _may_hold(copy, text)) and not _is_dropped(copy)]
    except MemtuiError:
        return [*found]


def _is_dropped(copy: Path) -> bool:
    if os.name == "nt":
        for path in copy.rglob("*"):
            path.chmod(0o600)  # git makes objects read-only, and such files cannot be removed there
    shutil.rmtree(copy, ignore_errors=True)
    return not os.path.lexists(copy)


def _may_hold(copy: Path, text: str) -> bool:
    """Return whether a text occurs in what git stored of a branch and its past, or git does not tell."""
    every = ("--git-dir", str(copy), "cat-file", "--batch-all-objects", "--unordered", "--batch")
    told = call_git(None, *every, seconds=_LOOK_SECONDS)
    return not told.is_whole or bytes_pattern(text).search(told.output) is not None
