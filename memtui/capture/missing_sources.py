"""Sources that were moved, renamed or deleted since the last import."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from memtui.capture.draft import Draft
from memtui.curate.projects import view_of
from memtui.domain.memory import Memory, Source
from memtui.text.plural import counted
from memtui.text.width import some_of
from memtui.vault.filters import MemoryFilter, Scope
from memtui.vault.vault import Vault
from memtui.workspace import find_workspace, is_outside

if TYPE_CHECKING:
    from memtui.capture.importer import ImportRequest

LEAST_SHARED = 0.3
"""Share of what a file that is gone stated, by text or by place, that its new name must state too."""


_Mark = tuple[str, str]


def renamed(drafts: Sequence[Draft], known: Sequence[Memory], is_gone: Callable[[str, str], bool]) -> Mapping[str, str]:
    """Return the new path of each source that is gone.

    Args:
        known: every memory of that project.
        is_gone: told (old path, path of a file of this import), says whether the old one is there no more.
    """
    states = _states_of(drafts)
    old = _stated_by(known)
    fresh = [path for path in states if path not in old]
    if not fresh:
        return {}
    pairs = []
    for before in (path for path in old if path not in states and is_gone(path, fresh[0])):
        for after in fresh:
            shared = sum(1 for marks in old[before] if marks & states[after]) / len(old[before])
            if shared >= LEAST_SHARED:
                pairs.append((-shared, PurePosixPath(before).name != PurePosixPath(after).name, before, after))
    found: dict[str, str] = {}
    for _, _, before, after in sorted(pairs):
        if before not in found and after not in found.values():
            found[before] = after
    return found


def _states_of(drafts: Sequence[Draft]) -> dict[str, set[_Mark]]:
    """Return what each file of this import states, by text and by place."""
    states: dict[str, set[_Mark]] = {}
    for draft in drafts:
        if draft.source.path:
            states.setdefault(draft.source.path, set()).update(_marks(draft.content, draft.source.native_id))
    return states


def _stated_by(known: Sequence[Memory]) -> dict[str, list[set[_Mark]]]:
    """Return what each source of before stated, one entry for each memory."""
    old: dict[str, list[set[_Mark]]] = {}
    for memory in known:
        for source in memory.sources:
            if source.path:
                marks = _marks(source.imported_hash or "", source.native_id)
                old.setdefault(source.path, []).append(marks)
    return old


def _marks(content: str, native_id: str | None) -> set[_Mark]:
    marks = {("text", content)} if content else set()
    return marks | {("place", native_id)} if native_id else marks


def moved(memories: Sequence[Memory], paths: Mapping[str, str]) -> list[Memory]:
    """Return memories whose sources bear their new names; the others are the same objects."""
    if not paths:
        return list(memories)
    return [
        replace(memory, sources=tuple(_moved_source(source, paths) for source in memory.sources))
        if any(source.path in paths for source in memory.sources)
        else memory
        for memory in memories
    ]


def _moved_source(source: Source, paths: Mapping[str, str]) -> Source:
    new = paths.get(source.path or "")
    return source if new is None else replace(source, path=new)


NAMED = 8
"""Ids that are named in one line."""


@dataclass(frozen=True, slots=True)
class Vanished:
    """A source that is gone.

    Attributes:
        path: as its memories name it.
        ids: the memories in use or in the inbox that came from it.
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
    """Return whether a source that lay in a project's folder is there no more; False for one that lies elsewhere."""
    if not path or is_outside(path):
        return False
    try:
        return not (root / path).exists()
    except (OSError, ValueError):
        return False


def gone_sources(memory: Memory, root: Path) -> set[str]:
    """Return the paths of a memory's sources that are there no more."""
    return {source.path for source in memory.sources if source.path and is_gone(source.path, root)}


def vanished_sources(vault: Vault, request: ImportRequest) -> list[Vanished]:
    """Return the sources that were imported from the folders of a request before and are there no more, by path.

    Called after the import: a source that was found under another name has its new one by then.
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
