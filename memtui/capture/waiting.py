"""Which sources of a project are new, or changed since its last import."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from memtui.capture.import_plan import ImportPlan
from memtui.capture.importer import ImportRequest, SourcesRead, plan_import, read_sources, stating_files
from memtui.capture.places import project_sources
from memtui.vault.filters import MemoryFilter, Scope
from memtui.vault.vault import Vault

_FEW_FILES = 40  # Files that are read in a moment


@dataclass(frozen=True, slots=True)
class Waiting:
    """How many sources of a project wait to be imported."""

    new: int = 0  # nothing of them is in the vault
    changed: int = 0  # they say something else than at the last import


def waiting_sources(vault: Vault, project: str, folder: Path, home: Path, *, at_a_glance: bool = False) -> Waiting:
    """Return how many sources of the project around a folder are new, or say something else than at its last import.

    Without an import all of them wait, unless the project's memories came here by another way.

    `at_a_glance`: whether only files that were written since are read, as far as they are few, and only changes are
    counted: what is new may be known from a file that was not read.
    """
    with vault.read() as reader:
        seen_at = reader.last_import(project)
        is_filled = reader.count(MemoryFilter(scope=Scope.of_project(project), statuses=None)) > 0
    found = project_sources(folder, home)
    found.sources = [one for one in found.sources if one.reader is not None]
    if seen_at is None:
        return Waiting(0 if is_filled else len(found.sources))
    newer = {one.file.path for one in found.sources if _changed_after(one.file.path, seen_at)}
    if not newer or (at_a_glance and len(newer) > _FEW_FILES):
        return Waiting()
    if at_a_glance:
        found.sources = [one for one in found.sources if one.file.path in newer]
    # A checkout gives files a new time and the same words: only those that say something new wait. All are read, as
    # Import does it: what one of them says may be known from another.
    request = ImportRequest(paths=[one.file.path for one in found.sources], folder=folder, home=home)
    read = read_sources(request, found)
    plan = plan_import(vault, read, request)
    news = {path for path, has_news in stating_files(plan, read) if has_news and path in newer}
    changed = news & _known_files(plan, read)
    return Waiting(0 if at_a_glance else len(news - changed), len(changed))


def _known_files(plan: ImportPlan, read: SourcesRead) -> set[Path]:
    """Return the files of which something is in the vault."""
    known = {source.path for memory in plan.newly_missing for source in memory.sources}
    known.update(source.path for item in plan.items if item.memory is not None for source in item.memory.sources)
    named = ((one.file.path, {one.file.name, one.file.path.as_posix()}) for one in read.files)
    return {path for path, names in named if names & known}


def _changed_after(path: Path, moment: datetime) -> bool:
    try:
        return path.stat().st_mtime > moment.timestamp()
    except OSError:
        return False
