"""Check anchors against the working tree and git, update moved ones, and snooze until a file changes."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b

from memtui.curate.file_history import Certainty, Renames, new_anchor
from memtui.curate.lifecycle import Outcome, apply_to_each, only_person
from memtui.curate.memories import verdict_on
from memtui.curate.projects import known_trees
from memtui.domain.actor import Actor
from memtui.domain.freshness import UNTIL_CHANGE
from memtui.domain.memory import Anchor, AnchorState, Memory, Verdict
from memtui.errors import UsageError
from memtui.progress import ProgressCallback
from memtui.vault.anchor_states import (
    Place,
    Tied,
    forget_woken,
    held_anchors,
    missing_places,
    store_states,
    stored_states,
    tied_memories,
)
from memtui.vault.expressions import WOKEN, WOKEN_PATH
from memtui.vault.filters import MemoryFilter, Scope
from memtui.vault.reader import VaultReader
from memtui.vault.vault import Vault
from memtui.vault.writer import VaultWriter
from memtui.workspace import Tree, file_hash

SNOOZED = "snoozed"
"""The verdict; its reason holds the hash of each file as JSON."""

SNOOZING_MOST_FILES = 2_000
"""Files of one folder or glob that are looked at; more take over a second."""

NOT_THERE = ""
"""Stands for the content of a file that is not there: its coming is a change too."""


def snooze_until_change(
    vault: Vault,
    prefixes: Sequence[str],
    *,
    actor: Actor,
    tree: Tree | None = None,
    versions: Mapping[str, int] | None = None,
) -> Outcome:
    """Keep memories out of the review until a file that they are tied to is another than now.

    Memories that are tied to no file, or whose project's folder is not known here, are left alone.

    Args:
        prefixes: ids, or the beginnings of ids.
        tree: the working tree one stands in; those of linked projects are found.
        versions: version of each memory when it was chosen; those that moved since are left alone.

    Raises:
        RefusedError: an agent cannot put off what a person should affirm.
    """
    only_person(actor, "snooze")
    with vault.read() as reader:
        trees = known_trees(reader, tree)

    def step(writer: VaultWriter, memory: Memory) -> Memory | str:
        if not memory.anchors:
            return "it is tied to no file"
        where = trees.get(memory.project or "")
        if where is None:
            return "the folder of its project is not known here"
        hashes = content_of(memory.anchors, where, {})
        if not hashes:
            return "none of its files can be looked at"
        forget_woken(writer, [memory.id])
        reason = json.dumps(hashes, ensure_ascii=False, sort_keys=True)
        writer.add_verdicts([verdict_on(memory, SNOOZED, writer.now, actor, reason)])
        return replace(memory, snoozed_until=UNTIL_CHANGE)

    return apply_to_each(vault, prefixes, actor, "snooze", step, versions=versions)


def content_of(anchors: Iterable[Anchor], tree: Tree, hashes: dict[str, str | None]) -> dict[str, str]:
    """Return what the files of anchors hold now, as a hash per path; what lies outside the tree is left out."""
    return {anchor.path: _content(anchor, tree, hashes) for anchor in anchors if tree.state(anchor) != "unverifiable"}


def _content(anchor: Anchor, tree: Tree, hashes: dict[str, str | None]) -> str:
    found = tree.resolve(anchor.path)
    if found is not None and (tree.root / found).is_file():
        if found not in hashes:
            hashes[found] = file_hash(tree.root / found)
        return hashes[found] or NOT_THERE
    if found is None and not anchor.is_glob:
        return NOT_THERE
    together = blake2b(digest_size=16)
    for number, name in enumerate(tree.fitting(anchor.path)):
        if number >= SNOOZING_MOST_FILES:
            break
        together.update(f"{name}\0{file_hash(tree.root / name)}\n".encode("utf-8", "replace"))
    return together.hexdigest()


def snoozes_of(reader: VaultReader, waiting: Sequence[Tied]) -> list[Verdict]:
    """Return the last snooze of each memory that waits for a change of a file."""
    last: dict[str, Verdict] = {}
    for verdict in reader.verdicts([memory.id for memory in waiting]) if waiting else ():
        if verdict.verdict == SNOOZED:
            last[verdict.memory_id] = verdict
    return list(last.values())


def woken_of(snoozes: Iterable[Verdict], tree: Tree, hashes: dict[str, str | None]) -> set[str]:
    """Return the memories whose files are others than at their snooze; holds no lease."""
    return {verdict.memory_id for verdict in snoozes if _differs(verdict, tree, hashes)}


def _differs(verdict: Verdict, tree: Tree, hashes: dict[str, str | None]) -> bool:
    try:
        then = dict(json.loads(verdict.reason))
    except (TypeError, ValueError):
        # Nobody knows any more what it waits for: better asked once too often than never.
        return True
    return any(_content(Anchor(str(path)), tree, hashes) != content for path, content in then.items())


STEP = 200
"""Memories between two looks at progress and cancelling."""


@dataclass(frozen=True, slots=True)
class CheckedAnchor:
    """What a look at the working tree says of one anchor of one memory.

    Attributes:
        path: as the anchor names it.
        suggestion: where it went, as far as anything tells.
        certainty: how sure that is, None without a suggestion.
    """

    id: str
    path: str
    state: AnchorState
    suggestion: str | None = None
    certainty: Certainty | None = None


def check_anchors(
    memories: Sequence[Memory | Tied],
    tree: Tree,
    *,
    progress: ProgressCallback | None = None,
    hashes: dict[str, str | None] | None = None,
) -> list[CheckedAnchor]:
    """Return the state of every anchor of the tree's project; holds no lease and changes nothing.

    An anchor whose file went where git or its content tells is `moved`. One that only shares its name with
    another file stays `gone`, with a weak suggestion.

    Args:
        progress: told how many memories are done.
        hashes: content hashes of files that were read before; those of this look are added.

    Raises:
        Cancelled: raised by `progress`, and passed on.
    """
    mine = [memory for memory in memories if memory.project == tree.project and memory.anchors]
    states: dict[Anchor, AnchorState] = {}
    known = {} if hashes is None else hashes
    checked: list[CheckedAnchor] = []
    for number, memory in enumerate(mine):
        if progress and number % STEP == 0:
            progress(number, len(mine))
        for anchor in memory.anchors:
            if anchor not in states:
                states[anchor] = tree.state(anchor, known)
            checked.append(CheckedAnchor(memory.id, anchor.path, states[anchor]))
    if any(_may_have_moved(found.state, Anchor(found.path)) for found in checked):
        checked = _with_suggestions(checked, mine, Renames(tree.root))
    if progress:
        progress(len(mine), len(mine))
    return checked


def _may_have_moved(state: AnchorState, anchor: Anchor) -> bool:
    """Return whether it is worth asking where something went: git may know the folder of a glob that fits nothing."""
    return state == "gone" or (state == "unverifiable" and anchor.is_glob and "://" not in anchor.path)


def _with_suggestions(
    checked: Sequence[CheckedAnchor], memories: Sequence[Memory | Tied], renames: Renames
) -> list[CheckedAnchor]:
    anchors = {(memory.id, anchor.path): anchor for memory in memories for anchor in memory.anchors}
    result = []
    for found in checked:
        anchor = anchors[found.id, found.path]
        moved = renames.find(anchor) if _may_have_moved(found.state, anchor) else None
        if moved is None:
            result.append(found)
            continue
        state: AnchorState = found.state if moved.certainty == "weak" else "moved"
        result.append(replace(found, state=state, suggestion=moved.path, certainty=moved.certainty))
    return result


def dead_anchors(vault: Vault, wanted: MemoryFilter, here: Tree | None = None) -> dict[Place, DeadAnchor]:
    """Return the dead anchors of a filter's memories: the file that they name is not in the project's tree any more.

    That is so whether or not anything tells where it went, and whether or not the memory was verified since. Every
    count of dead anchors is of these. A project without a known folder on this machine has what was found last.

    Args:
        vault: the vault; files are looked at outside of its lease, and nothing is read of them.
        here: the working tree that one stands in.
    """
    with vault.read() as reader:
        held = held_anchors(reader, wanted)
        found = missing_places(reader, wanted)
        trees = known_trees(reader, here)
    dead: dict[Place, DeadAnchor] = {}
    for project, anchor, owners in held:
        tree = trees.get(project or "")
        looked = tree.state(anchor) if tree is not None else None
        for key, identifier in owners:
            place = (identifier, anchor.path)
            # Where a glob's folder went, only a whole check knows; a look cannot tell it from one that never fitted.
            is_moved = looked == "unverifiable" and found.get(place) == "moved"
            if looked == "gone" or is_moved or (tree is None and place in found):
                dead[place] = DeadAnchor(key, "moved" if found.get(place) == "moved" else "gone")
    return dead


@dataclass(frozen=True, slots=True)
class DeadAnchor:
    """An anchor whose file is not where it names it.

    Attributes:
        key: internal key of the memory.
        state: `moved` where the last check found where it went.
    """

    key: int
    state: AnchorState


def check_project(vault: Vault, tree: Tree, *, progress: ProgressCallback | None = None) -> list[CheckedAnchor]:
    """Return the state of every anchor of the project's memories in use.

    Raises:
        Cancelled: raised by `progress`, and passed on.
    """
    with vault.read() as reader:
        tied = tied_memories(reader, _of_project(tree))
    return check_anchors(tied, tree, progress=progress)


def _of_project(tree: Tree) -> MemoryFilter:
    return MemoryFilter(scope=Scope((tree.project,)), statuses=("active", "candidate"))


def look_after_files(
    vault: Vault, trees: Iterable[Tree], *, progress: ProgressCallback | None = None
) -> dict[str, list[CheckedAnchor]]:
    """Check the files of whole projects and remember what was found, so that every face tells the same.

    Leases are short, files are read outside them, no memory is changed.

    Args:
        trees: the working trees to look at.
        progress: told how many memories of a project are done; may raise `Cancelled`.

    Returns:
        The state of every anchor, by project.
    """
    if not vault.exists:
        return {}
    found: dict[str, list[CheckedAnchor]] = {}
    for tree in trees:
        hashes: dict[str, str | None] = {}
        with vault.read() as reader:
            tied = tied_memories(reader, _of_project(tree))
        if not tied:
            continue
        found[tree.project] = check_anchors(tied, tree, progress=progress, hashes=hashes)
        with vault.read() as reader:
            snoozes = snoozes_of(reader, [memory for memory in tied if memory.waits])
        awake = woken_of(snoozes, tree, hashes)
        remember_states(vault, found[tree.project], woken=awake)
    return found


def remember_states(vault: Vault, checked: Iterable[CheckedAnchor], *, woken: Collection[str] | None = None) -> int:
    """Store what a check found, for lists and the review; derived, so not a change. Returns how many moved.

    Args:
        checked: the anchors of whole memories.
        woken: those of the memories that were snoozed until a file changes, and one did; None where nobody looked.
    """
    fresh: dict[Place, str] = {(found.id, found.path): found.state for found in checked}
    ids = {identifier for identifier, _ in fresh}
    with vault.read() as reader:
        known = stored_states(reader, ids)
    if woken is None:
        woken = {identifier for identifier, path in known if path == WOKEN_PATH}
    fresh |= {(identifier, WOKEN_PATH): WOKEN for identifier in woken if identifier in ids}
    changed = {place for place, state in fresh.items() if known.get(place, ("",))[0] != state} | (
        set(known) - set(fresh)
    )
    moved = {identifier for identifier, _ in changed}
    if moved:
        with vault.write(actor="memtui", action="check anchors") as writer:
            store_states(
                writer,
                {place: state for place, state in fresh.items() if place[0] in moved},
                {place: state for place, state in known.items() if place[0] in moved},
            )
    return len(changed)


def re_anchor(vault: Vault, moves: Mapping[str, Mapping[str, str]], *, actor: Actor) -> Outcome:
    """Tie memories to the new paths of their files, all as one undoable change; it verifies nothing.

    Args:
        moves: per memory id, old path to new path as `CheckedAnchor.suggestion` gives it.

    Raises:
        UsageError: a new path is empty.
        RefusedError: an agent cannot.
        NotFoundError: an id does not exist.
    """
    only_person(actor, "tie memories to other files")
    if any(not new.strip() for paths in moves.values() for new in paths.values()):
        raise UsageError("A new path is empty")
    outcome = Outcome()
    with vault.write(actor=actor.name, action="re-anchor") as writer:
        stored = writer.get_many(moves)
        pending = []
        for identifier, paths in moves.items():
            memory = stored.get(identifier) or writer.get(writer.resolve(identifier))
            if not any(anchor.path in paths for anchor in memory.anchors):
                outcome.unchanged.append((memory.id, "it is tied to other files by now"))
                continue
            anchors = tuple(dict.fromkeys(new_anchor(anchor, paths) for anchor in memory.anchors))
            pending.append(replace(memory, anchors=anchors))
        outcome.changed = writer.put_many(pending)
        title = outcome.changed[0].title if len(outcome.changed) == 1 else f"{len(outcome.changed)} memories"
        writer.summary = f"re-anchor {title}"
    return outcome
