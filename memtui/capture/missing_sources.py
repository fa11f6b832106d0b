"""Sources that were imported before and no longer exist."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from memtui.curate.projects import view_of
from memtui.domain.memory import Memory
from memtui.text.plural import counted
from memtui.text.width import some_of
from memtui.vault.filters import MemoryFilter, Scope
from memtui.vault.vault import Vault
from memtui.workspace import find_workspace, is_outside

if TYPE_CHECKING:
    from memtui.capture.importer import ImportRequest

NAMED = 8
"""Ids named in one line."""


@dataclass(frozen=True, slots=True)
class Vanished:
    """A source that no longer exists.

    Attributes:
        path: as its memories name it.
        ids: the active memories and candidates that came from it.
    """

    path: str
    ids: tuple[str, ...]

    def __str__(self) -> str:
        """Return it for people, with what they may do."""
        number = len(self.ids)
        named = some_of(self.ids, NAMED, " ")
        stay = "stays" if number == 1 else "stay"
        came = f"{counted(number, 'memory')} came from it and {stay}"
        return f"{self.path} is gone: {came}; `memtui retire {named}` takes out what no longer holds"


def is_gone(path: str | None, root: Path) -> bool:
    """Return whether a source inside a project's folder is missing; False for one outside."""
    if not path or is_outside(path):
        return False
    try:
        return not (root / path).exists()
    except (OSError, ValueError):
        return False


def gone_sources(memory: Memory, root: Path) -> set[str]:
    """Return the paths of a memory's sources that no longer exist."""
    return {source.path for source in memory.sources if source.path and is_gone(source.path, root)}


def vanished_sources(vault: Vault, request: ImportRequest) -> list[Vanished]:
    """Return the sources imported earlier from the folders of a request that no longer exist, by path.

    Called after the import, when a renamed source already has its new path.
    """
    found: dict[str, set[str]] = {}
    for folder in _folders(request):
        workspace = find_workspace(folder)
        root = workspace.root if workspace.is_repository else folder
        with vault.read() as reader:
            project = view_of(reader, folder, request.project).project
            if project is None:
                continue
            wanted = MemoryFilter(scope=Scope((project,)), statuses=("active", "candidate"))
            ids = reader.select_ids(wanted, sort="created", now=vault.now())
            states = reader.source_states(ids)
        for state in states:
            if (root / state.path).is_relative_to(folder) and is_gone(state.path, root):
                found.setdefault(state.path, set()).add(state.memory_id)
    return [Vanished(path, tuple(sorted(ids))) for path, ids in sorted(found.items())]


def _folders(request: ImportRequest) -> Iterable[Path]:
    for path in request.paths:
        absolute = (request.folder / Path(path).expanduser()).resolve()
        if absolute.is_dir():
            yield absolute
