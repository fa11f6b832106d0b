"""The folders of a project that a file applies to."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

from memtui.capture.draft import SourceFile

_WRITINGS = frozenset({"doc", "docs", "documentation"})
"""Folders whose rule files are about the package around them; at the root such a file is about the writings."""


def folder_of(file: SourceFile, *, in_rule_folder: bool = False) -> str:
    """Return the project folder that a file applies to, relative to the root; empty for the root itself.

    What lies in an assistant's own folder, such as `.cursor`, or among the documents of a package, applies to the
    folder around it; a file outside the root applies to no folder.

    `file`: the file. `in_rule_folder`: whether a folder of rules holds it, at any depth, rather than its name alone
    making it a rule.
    """
    if file.path.as_posix() == file.name:
        return ""
    parts = file.name.split("/")[:-1]
    if in_rule_folder:
        parts = list(takewhile(lambda part: not part.startswith("."), parts))
    elif parts and (parts[-1].startswith(".") or (len(parts) > 1 and parts[-1].lower() in _WRITINGS)):
        parts.pop()
    return "/".join(parts)


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
