"""The submodules of a repository, and which of them are checked out."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path

from memtui.regular_files import read_regular

_PATH = re.compile(r"^[ \t]*path[ \t]*=[ \t]*\"?([^\"\n]+?)/?\"?[ \t]*$", re.MULTILINE)
_LONGEST = 1_000_000  # Characters of `.gitmodules` that are read


def lacking_by_path(root: Path, paths: Iterable[str]) -> dict[str, bool]:
    """Return, of paths relative to the root that lie in submodules, whether theirs holds nothing here.

    A clone lacks the submodules that nobody asked for.
    """
    lacking = {name: not _holds_something(root / name) for name in _submodules_of(root)}
    owners = {path: _owner_of(path, lacking) for path in paths} if lacking else {}
    return {path: lacking[owner] for path, owner in owners.items() if owner is not None}


def _submodules_of(root: Path) -> list[str]:
    try:
        return _PATH.findall(
            read_regular(root / ".gitmodules", _LONGEST).decode("utf-8", "replace").replace("\r\n", "\n")
        )
    except OSError:
        return []


def _owner_of(path: str, submodules: Iterable[str]) -> str | None:
    plain = path.removeprefix("./").rstrip("/")
    return next((name for name in submodules if plain == name or plain.startswith(f"{name}/")), None)


def _holds_something(folder: Path) -> bool:
    try:
        with os.scandir(folder) as entries:
            return next(entries, None) is not None
    except (OSError, ValueError):
        return False
