"""Anchors checked against the working tree and git, and tied anew where files moved."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from memtui.capture.draft import ProgressCallback
from memtui.curate.lifecycle import Outcome, only_person
from memtui.curate.renames import Certainty, Renames, new_anchor
from memtui.curate.snoozing import snoozes_of, woken_of
from memtui.curate.trees import known_trees
from memtui.domain.actor import Actor
from memtui.domain.memory import Anchor, AnchorState, Memory
from memtui.errors import UsageError
from memtui.vault.affirmation import WOKEN, WOKEN_PATH
from memtui.vault.anchor_checks import (
    Place,
    Tied,
    held_anchors,
    missing_places,
    store_states,
    stored_states,
    tied_memories,
)
from memtui.vault.filters import MemoryFilter, Scope
from memtui.vault.vault import Vault
from memtui.workspace import Tree

STEP = 200
"""Memories between two looks at progress and cancelling."""


@dataclass(frozen=True, slots=True)
class CheckedAnchor:
    """What a look at the working tree says of one anchor of one memory.

    Attributes:
        id: the memory.
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
        memories: of any project.
        tree: where to look.
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
        wanted: the memories.
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
        vault: the vault.
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
        vault: the vault.
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
        vault: the vault.
        moves: per memory id, old path to new path as `CheckedAnchor.suggestion` gives it.
        actor: who does it.

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
