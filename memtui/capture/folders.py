"""The folders of a project that a file applies to."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import islice, takewhile
from os.path import normpath
from pathlib import Path

from memtui.capture.draft import DOCUMENT_FOLDERS, SourceFile

_PATH = re.compile(rb"(?<![\w./:@-])[\w.@-]{1,60}(?:/[\w.@-]{1,60}){1,8}")
_MOST_PATHS = 200
_FEWEST_PATHS_OUTSIDE = 3


def folder_of(file: SourceFile, *, in_rule_folder: bool = False) -> str:
    """Return the project folder that a file applies to, relative to the root; empty for the root itself.

    What lies in an assistant's own folder, such as `.cursor`, or among the documents of a package, applies to the
    folder around it, and so does what lies among those of the project if it speaks of the code; a file outside the
    root applies to no folder.

    `file`: the file. `in_rule_folder`: whether a folder of rules holds it, at any depth, rather than its name alone
    making it a rule.
    """
    if file.path.as_posix() == file.name:
        return ""
    parts = file.name.split("/")[:-1]
    if in_rule_folder:
        parts = list(takewhile(lambda part: not part.startswith("."), parts))
    elif parts and (parts[-1].startswith(".") or _is_about_the_folder_around(file, parts)):
        parts.pop()
    return "/".join(parts)


def _is_about_the_folder_around(file: SourceFile, folders: Sequence[str]) -> bool:
    if folders[-1].lower() not in DOCUMENT_FOLDERS:
        return False
    return len(folders) > 1 or (not (file.root / file.path.name).exists() and _speaks_of_code(file))


def _speaks_of_code(file: SourceFile) -> bool:
    """Return whether a file names several places of the project, and more of them outside its folder than in it.

    Places are named from the root or from the folder, `src/tides.py` or `../src/tides.py`; those that are in the
    folder and named from there weigh double.
    """
    root, folder = Path(normpath(file.root)), Path(normpath(file.path.parent))
    try:
        named = {found[0].decode("utf-8", "ignore") for found in islice(_PATH.finditer(file.raw), _MOST_PATHS)}
        near, far = (_places(named, base, root) for base in (folder, root))
    except OSError:
        return False
    inside = {place for place in near | far if place.is_relative_to(folder)}
    outside = len(near | far) - len(inside)
    return outside >= _FEWEST_PATHS_OUTSIDE and outside > max(len(inside), 2 * len(inside & near))


def _places(named: Iterable[str], base: Path, root: Path) -> set[Path]:
    """Return what exists in the project of places that are named from a folder."""
    places = (Path(normpath(base / name)) for name in named)
    return {place for place in places if place.is_relative_to(root) and place.exists()}


def folder_anchors(folder: str) -> tuple[str, ...]:
    """Return the anchor for everything below a folder; none for the root."""
    return (f"{folder}/**",) if folder else ()


def within_folder(folder: str, globs: Sequence[str]) -> tuple[str, ...]:
    """Return globs of a nested rule folder relative to the root; without any, the folder's own."""
    if not folder:
        return tuple(globs)
    if not globs:
        return folder_anchors(folder)
    placed = []
    for glob in globs:
        bare = glob.removeprefix("./").lstrip("/")
        if bare.startswith(f"{folder}/"):
            placed.append(bare)
        else:
            placed.append(f"{folder}/{bare}" if "/" in bare else f"{folder}/**/{bare}")
    return tuple(placed)


def is_below_home(file: SourceFile, *folders: str) -> bool:
    """Return whether a file lies below one of these folders of the user's home, e.g. `.claude`."""
    return any(file.path.is_relative_to(file.home / folder) for folder in folders)
