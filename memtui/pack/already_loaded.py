"""What a target reads by itself (CLAUDE.md, AGENTS.md and the like) is not said a second time."""

from __future__ import annotations

from dataclasses import replace
from pathlib import PurePosixPath

from memtui.domain.content import content_hash
from memtui.domain.globs import matches
from memtui.domain.memory import Memory, Source
from memtui.pack.targets.base import Target
from memtui.recall.result import Hit, Recall
from memtui.recall.withholding import Reason

GROUP = "already loaded by the target"

_SCOPED_RULES = frozenset({"claude-rules", "cursor-rules", "copilot", "windsurf", "cline"})
"""Formats whose files may name paths, and then are read only with a file that fits."""

_TOOL_FOLDERS = frozenset({".claude", ".cursor", ".github", ".windsurf", ".devin", ".clinerules", ".cline", ".gemini"})
_INDEX = "MEMORY.md"
_ON_DEMAND = frozenset({"claude-memory"})
"""Formats of which the index alone is read at the start; topic files come later, if at all."""


def without_loaded(found: Recall, target: Target) -> Recall:
    """Return a recall without what the target reads by itself; each such memory is withheld with its file.

    A memory counts as read when a source that the target reads states exactly its text: what was edited here
    since says something else than the file. A file of a folder below counts only with a file in hand there, and a
    rule for certain paths only with one that fits.
    """
    if not target.loads:
        return found
    loaded = {
        hit.memory.id: source
        for hit in (*found.pins, *found.hits)
        if (source := _read_by(target, hit.memory, found.task.files)) is not None
    }
    if not loaded:
        return found
    gone = [hit for hit in (*found.pins, *found.hits) if hit.memory.id in loaded]
    told = [_reason(target, loaded[hit.memory.id]).of(hit.memory, hit.relevance) for hit in gone]
    hits = _less(found.hits, loaded)
    return replace(
        found,
        pins=_less(found.pins, loaded),
        hits=hits,
        withheld=(*told, *found.withheld),
        abstained=found.abstained or (None if hits else "the target reads all that is relevant by itself"),
    )


def _less(hits: tuple[Hit, ...], loaded: dict[str, Source]) -> tuple[Hit, ...]:
    return tuple(hit for hit in hits if hit.memory.id not in loaded)


def _reason(target: Target, source: Source) -> Reason:
    return Reason(f"already loaded by {target.name} from {source.path or source.format}", GROUP)


def _read_by(target: Target, memory: Memory, files: tuple[str, ...]) -> Source | None:
    """Return the source by which the target reads a memory, or None if it does not."""
    for source in memory.sources:
        if source.format not in target.loads or source.imported_hash != content_hash(memory):
            continue
        if _is_index_only(source) or not _is_in_reach(source, files) or not _fits(source, memory, files):
            continue
        return source
    return None


def _is_index_only(source: Source) -> bool:
    return source.format in _ON_DEMAND and PurePosixPath(source.path or "").name != _INDEX


def _is_in_reach(source: Source, files: tuple[str, ...]) -> bool:
    """Return whether a source lies at the root, outside the project, or above a file in hand."""
    path = PurePosixPath(source.path or "")
    if path.is_absolute():
        return True
    folders = []
    for part in path.parts[:-1]:
        if part in _TOOL_FOLDERS:
            break
        folders.append(part)
    here = PurePosixPath(*folders)
    return not folders or any(PurePosixPath(file).is_relative_to(here) for file in files)


def _fits(source: Source, memory: Memory, files: tuple[str, ...]) -> bool:
    globs = [anchor.path for anchor in memory.anchors if anchor.is_glob]
    if source.format not in _SCOPED_RULES or not globs:
        return True
    return any(matches(glob, file) for glob in globs for file in files)
