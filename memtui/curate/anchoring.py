"""Anchors checked against the working tree and git, and tied anew where files moved."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from pathlib import Path

from memtui.capture.draft import ProgressCallback
from memtui.curate.gathering import gather
from memtui.curate.lifecycle import Outcome, only_person
from memtui.curate.renames import Certainty, Renames, new_anchor
from memtui.domain.actor import Actor
from memtui.domain.memory import Anchor, AnchorState, Memory
from memtui.errors import UsageError
from memtui.vault.filters import MemoryFilter, Scope
from memtui.vault.vault import Vault
from memtui.workspace import Tree, anchor_state, file_hash

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
    memories: Sequence[Memory], tree: Tree, *, progress: ProgressCallback | None = None
) -> list[CheckedAnchor]:
    """Return the state of every anchor of the tree's project; holds no lease and changes nothing.

    An anchor whose file went where git or its content tells is `moved`. One that only shares its name with
    another file stays `gone`, with a weak suggestion.

    Raises:
        Cancelled: raised by `progress`, and passed on.
    """
    mine = [memory for memory in memories if memory.project == tree.project and memory.anchors]
    states: dict[Anchor, AnchorState] = {}
    hashes: dict[str, str | None] = {}
    checked: list[CheckedAnchor] = []
    for number, memory in enumerate(mine):
        if progress and number % STEP == 0:
            progress(number, len(mine))
        for anchor in memory.anchors:
            if anchor not in states:
                states[anchor] = _state(tree, anchor, hashes)
            checked.append(CheckedAnchor(memory.id, anchor.path, states[anchor]))
    if any(found.state == "gone" for found in checked):
        checked = _with_suggestions(checked, mine, Renames(tree.root))
    if progress:
        progress(len(mine), len(mine))
    return checked


def _state(tree: Tree, anchor: Anchor, hashes: dict[str, str | None]) -> AnchorState:
    """Return the state of an anchor; each file is read once, however many memories are tied to it."""
    bare = anchor_state(tree.root, Anchor(anchor.path))
    # `git mv` leaves an emptied folder standing.
    if bare == "fresh" and _is_empty(tree.root / _fixed_part(anchor.path)):
        return "gone"
    found = tree.resolve(anchor.path) if bare == "fresh" or (bare == "gone" and not anchor.is_glob) else None
    if found is None or anchor.content_hash is None or not (tree.root / found).is_file():
        return "fresh" if found is not None else bare
    if found not in hashes:
        hashes[found] = file_hash(tree.root / found)
    return "fresh" if hashes[found] == anchor.content_hash else "changed"


def _fixed_part(path: str) -> str:
    """Return the folder or file that a path names before its first pattern and its symbol."""
    plain = path.split("::", 1)[0]
    return "/".join(takewhile(lambda part: not any(sign in part for sign in "*?[{"), plain.split("/")))


def _is_empty(path: Path) -> bool:
    try:
        return path.is_dir() and not any(path.iterdir())
    except OSError:
        return False


def _with_suggestions(
    checked: Sequence[CheckedAnchor], memories: Sequence[Memory], renames: Renames
) -> list[CheckedAnchor]:
    anchors = {(memory.id, anchor.path): anchor for memory in memories for anchor in memory.anchors}
    result = []
    for found in checked:
        moved = renames.find(anchors[found.id, found.path]) if found.state == "gone" else None
        if moved is None:
            result.append(found)
            continue
        state: AnchorState = "gone" if moved.certainty == "weak" else "moved"
        result.append(replace(found, state=state, suggestion=moved.path, certainty=moved.certainty))
    return result


def check_project(vault: Vault, tree: Tree, *, progress: ProgressCallback | None = None) -> list[CheckedAnchor]:
    """Return the state of every anchor of the project's memories in use.

    Raises:
        Cancelled: raised by `progress`, and passed on.
    """
    wanted = MemoryFilter(scope=Scope((tree.project,)), statuses=("active", "candidate"))
    return check_anchors(gather(vault, wanted).memories, tree, progress=progress)


def remember_states(vault: Vault, checked: Iterable[CheckedAnchor]) -> int:
    """Store what a check found, for lists and the review; derived, so not a change. Returns how many moved."""
    fresh = {(found.id, found.path): found.state for found in checked}
    with vault.read() as reader:
        known = reader.anchor_states({identifier for identifier, _ in fresh})
    changed = {place for place, state in fresh.items() if known.get(place) != state}
    changed |= set(known) - set(fresh)
    if not changed:
        return 0
    ids = sorted({identifier for identifier, _ in changed})
    with vault.write(actor="memtui", action="check anchors") as writer:
        stored = writer.get_many(ids)
        writer.delete_unjournaled("anchor_states", "memory_id", ids)
        writer.insert_unjournaled(
            "anchor_states",
            [
                {"memory_id": identifier, "path": path, "state": state, "checked_at": writer.now}
                for (identifier, path), state in fresh.items()
                if identifier in stored and identifier in set(ids)
            ],
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
