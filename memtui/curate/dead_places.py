"""Dead anchors as a person looks at them: one finding for each path, and one for a rule file that holds for no file."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from memtui.curate.anchors import DEAD, CheckedAnchor, SeenAnchor, glance
from memtui.curate.snapshot_reader import WINDOW
from memtui.domain.memory import Memory
from memtui.domain.scope import plain_path
from memtui.text.braces import names_path
from memtui.tree import Tree, is_outside
from memtui.vault.filters import MemoryFilter
from memtui.vault.review_triggers import Place
from memtui.vault.source_texts import imported_anchors
from memtui.vault.vault import Vault

_THERE = frozenset({"fresh", "changed"})


def dead_places(
    vault: Vault,
    checked: Iterable[CheckedAnchor],
    memories: Sequence[Memory],  # those in use
    kept: Collection[Place],  # places that may be gone
) -> tuple[CheckedAnchor, ...]:
    """Return what is moved or gone, each path once with all memories that have it.

    The files that a rule file says it holds for are alternatives: one that is gone says nothing where another is
    there, and where none is, the rule file is one finding.
    """
    known = {memory.id: memory for memory in memories}
    found: dict[str, list[CheckedAnchor]] = {}
    for anchor in checked:
        if anchor.id in known:
            found.setdefault(anchor.id, []).append(anchor)
    scopes = _scopes(vault, found, known)
    lost: dict[tuple[str | None, str, tuple[str, ...]], list[CheckedAnchor]] = {}
    missing: dict[tuple[str | None, str, str, str | None], list[CheckedAnchor]] = {}
    for identifier, anchors in found.items():
        memory, scope = known[identifier], scopes.get(identifier, ())
        file = _file_of(memory)
        if scope and _is_lost(scope, anchors) and not any((identifier, path) in kept for path in scope):
            first = next(anchor for anchor in anchors if anchor.path in scope)
            lost.setdefault((memory.project, file, scope), []).append(first)
        for anchor in anchors:
            if _is_missing(anchor, scope) and (identifier, anchor.path) not in kept:
                place = (memory.project, anchor.path, anchor.state, anchor.suggestion)
                missing.setdefault(place, []).append(anchor)
    whole = [
        CheckedAnchor(first.id, scope[0], "gone", others=_ids(others), file=file, patterns=scope, meant=first.meant)
        for (_, file, scope), (first, *others) in lost.items()
    ]
    return (*whole, *(replace(first, others=_ids(others)) for first, *others in missing.values()))


def places_seen(
    vault: Vault,
    seen: Mapping[Place, SeenAnchor],  # every anchor of the memories
    kept: Collection[Place],
) -> tuple[CheckedAnchor, ...]:
    """Return what `dead_places` does of a look at the tree, see `memtui.curate.anchors.glance`."""
    wanted = {identifier for (identifier, _), anchor in seen.items() if anchor.state in DEAD or _may_be_lost(anchor)}
    if not wanted:
        return ()
    ids, memories = sorted(wanted), list[Memory]()
    for start in range(0, len(ids), WINDOW):
        with vault.read() as reader:
            memories += reader.get_many(ids[start : start + WINDOW]).values()
    checked = [
        CheckedAnchor(place[0], place[1], anchor.state, meant=anchor.meant)
        for place, anchor in seen.items()
        if place[0] in wanted
    ]
    return dead_places(vault, checked, memories, kept)


def dead_keys(vault: Vault, wanted: MemoryFilter, here: Tree | None = None) -> tuple[int, ...]:
    """Return the keys of a filter's memories that `places_seen` names, for counts and lists.

    `here`: the working tree of the current folder.
    """
    seen, kept = glance(vault, wanted, here)
    named = {identifier for place in places_seen(vault, seen, kept) for identifier in place.ids}
    return tuple(sorted({anchor.key for (identifier, _), anchor in seen.items() if identifier in named}))


def _may_be_lost(anchor: SeenAnchor) -> bool:
    """Return whether a look finds nothing that is meant, and cannot tell whether anything ever was there."""
    return (anchor.state == "unverifiable" and anchor.is_here) or bool(anchor.meant)


def _is_missing(anchor: CheckedAnchor, scope: Collection[str]) -> bool:
    """Return whether a path is moved, or gone and no alternative of a rule file."""
    return anchor.state == "moved" or (anchor.state == "gone" and anchor.path not in scope)


def _ids(anchors: Iterable[CheckedAnchor]) -> tuple[str, ...]:
    return tuple(anchor.id for anchor in anchors)


def _scopes(
    vault: Vault, found: Mapping[str, Sequence[CheckedAnchor]], known: Mapping[str, Memory]
) -> dict[str, tuple[str, ...]]:
    """Return, by memory, the paths that its rule file holds for: those of its import that its text does not name."""
    unnamed = {
        identifier: [anchor.path for anchor in anchors if not _is_named(anchor.path, known[identifier])]
        for identifier, anchors in found.items()
        if _file_of(known[identifier]) and any(anchor.state not in _THERE or anchor.meant for anchor in anchors)
    }
    wanted = [identifier for identifier, paths in unnamed.items() if paths]
    if not wanted:
        return {}
    with vault.read() as reader:
        imported = imported_anchors(reader, wanted)
    return {
        identifier: tuple(path for path in unnamed[identifier] if path in imported[identifier])
        for identifier in wanted
        if identifier in imported
    }


def _file_of(memory: Memory) -> str:
    """Return the file that a memory was imported from; empty if from none."""
    return (memory.source.path if memory.source else None) or ""


def _is_named(path: str, memory: Memory) -> bool:
    text = f"{memory.title}\n{memory.insight}\n{memory.rationale}\n{memory.snippet}"
    plain, folder = plain_path(path), _file_of(memory).rpartition("/")[0]
    beside = plain.removeprefix(f"{folder}/") if folder else plain  # as a file names what lies in its own folder
    return names_path(text, plain) or ("/" in beside and beside != plain and names_path(text, beside))


def _is_lost(scope: Collection[str], anchors: Sequence[CheckedAnchor]) -> bool:
    """Return whether nothing is where any path of a scope leads, or nothing that is meant, and nothing tells more."""
    idle = [anchor.state in {"gone", "unverifiable"} or anchor.meant for anchor in anchors if anchor.path in scope]
    return all(idle) and not any(is_outside(path) for path in scope)


def moves_of(anchors: Iterable[CheckedAnchor]) -> dict[str, dict[str, str]]:
    """Return the old and the new path of each file that moved, by the id of the memory."""
    moves: dict[str, dict[str, str]] = {}
    for anchor in anchors:
        if anchor.suggestion:
            for identifier in anchor.ids:
                moves.setdefault(identifier, {})[anchor.path] = anchor.suggestion
    return moves
