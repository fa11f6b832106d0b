"""Whether anything may be served to, or captured from, the work in a folder. Everybody who does either asks here."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path

from memtui.curate.projects import project_for_writing, view_of
from memtui.domain.identity import Actor
from memtui.errors import UsageError
from memtui.regular_files import read_regular
from memtui.vault.reader import VaultReader
from memtui.vault.vault import Vault
from memtui.workspace import Workspace, find_workspace

SWITCH_FILE = ".memtui.toml"
"""A file of the repository; `memory = "off"` in it keeps memtui out for everybody who works there."""

INCOGNITO = "MEMTUI_INCOGNITO"
"""Environment variable; `1` in it keeps one session to itself: nothing is served, recorded or captured."""

_OFF_KEY = "projects_off"  # Vault setting: the names of the projects that a person switched off, as a JSON list
_LARGEST_BYTES = 64 * 1024
_NO = frozenset({"", "0", "false", "no", "off"})


class Off(StrEnum):
    """Why nothing is served or captured."""

    INCOGNITO = "incognito"  # The session was started with `MEMTUI_INCOGNITO`
    FILE = "file"  # `.memtui.toml` says so
    PROJECT = "project"  # A person said `memtui project off`


def memory_off(
    folder: Path,
    reader: VaultReader | None = None,
    *,
    named: str | None = None,
    environ: Mapping[str, str] = os.environ,
) -> Off | None:
    """Return why the work in a folder is left alone, None if it is not.

    Args:
        folder: where the work goes on, anywhere in its repository.
        reader: the open vault; without one, only what needs no vault is looked at.
        named: the project, where a person or a configuration named it; else it is found by the folder.
    """
    if is_incognito(environ):
        return Off.INCOGNITO
    if is_off_by_file(find_workspace(folder)):
        return Off.FILE
    if reader is None:
        return None
    off = projects_off(reader)
    return Off.PROJECT if off and view_of(reader, folder, named).project in off else None


def is_incognito(environ: Mapping[str, str] = os.environ) -> bool:
    return environ.get(INCOGNITO, "").strip().lower() not in _NO


def is_off_by_file(workspace: Workspace) -> bool:
    """Return whether a `.memtui.toml` between a folder and the root of its repository switches memories off.

    The file nearest to the folder decides. One that cannot be read, or that says anything but "on", counts as off:
    whoever wrote it wanted to be left alone.
    """
    for folder in (workspace.folder, *workspace.folder.parents):
        said = _said(folder / SWITCH_FILE)
        if said is not None:
            return said
        if folder == workspace.root:
            return False
    return False


def _said(path: Path) -> bool | None:
    """Return whether a file says off; None where it is missing or says nothing of it."""
    try:
        data = read_regular(path, _LARGEST_BYTES)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError:
        return True
    import tomllib

    try:
        value = tomllib.loads(data.decode("utf-8-sig")).get("memory")
    except (ValueError, RecursionError):
        return True
    return None if value is None else value is not True and value != "on"


def projects_off(reader: VaultReader) -> frozenset[str]:
    """Return the names of the projects that a person switched off."""
    try:
        names = json.loads(reader.meta(_OFF_KEY) or "[]")
    except ValueError:
        return frozenset()
    return frozenset(name for name in names if isinstance(name, str)) if isinstance(names, list) else frozenset()


def switch_project(vault: Vault, folder: Path, named: str | None, *, off: bool, actor: Actor) -> tuple[str, bool]:
    """Switch the project of a folder, or the named one, off or on; returns its name and whether anything changed.

    Raises `UsageError`: the folder belongs to no project.
    """
    verb = "off" if off else "on"
    with vault.write(actor=actor.name, action=f"project-{verb}") as writer:
        writer.undoable = False
        name = project_for_writing(writer, folder, named)
        if name is None:
            raise UsageError(
                "This folder belongs to no project",
                where=str(folder),
                remedy="Run it in a repository, link the folder with `memtui project link`, or give --project.",
            )
        before = projects_off(writer)
        after = before | {name} if off else before - {name}
        writer.summary = f"memories {verb} for {name}"
        if after != before:
            writer.set_meta(_OFF_KEY, json.dumps(sorted(after), ensure_ascii=False))
    return name, after != before
