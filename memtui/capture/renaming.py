"""Sources that were moved or renamed: which file that is gone is which file of this import.

Without it a file that was moved and edited would come in a second time, and what the memories of the old one say
would never be brought up to date.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePosixPath

from memtui.capture.draft import Draft
from memtui.domain.memory import Memory, Source

LEAST_SHARED = 0.3
"""Share of what a file that is gone stated, by text or by place, that its new name must state too."""


_Mark = tuple[str, str]


def renamed(drafts: Sequence[Draft], known: Sequence[Memory], is_gone: Callable[[str, str], bool]) -> Mapping[str, str]:
    """Return the new path of each source that is gone.

    Args:
        drafts: of one project.
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
