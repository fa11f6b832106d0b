"""Check anchors against the working tree, update moved ones, and snooze until a file changes."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from typing import TypeVar

from memtui.curate.bulk_changes import Batch, Outcome, Skipped, SkipReason, apply_to_each, resolved
from memtui.curate.file_history import Certainty, Moved, Renames
from memtui.curate.memories import verdict_on
from memtui.curate.moved_paths import with_new_paths
from memtui.curate.projects import known_trees, read_places, view_of
from memtui.domain.freshness import UNTIL_CHANGE
from memtui.domain.identity import Actor, require_person
from memtui.domain.lessons import MAY_BE_GONE, SNOOZED
from memtui.domain.memory import Anchor, AnchorState, Memory, Verdict
from memtui.errors import NotFoundError, UsageError
from memtui.progress import ProgressCallback
from memtui.tree import Tree, above_glob, file_hash, is_outside, without_symbol
from memtui.vault.filters import WOKEN, WOKEN_PATH, MemoryFilter, Scope
from memtui.vault.reader import VaultReader
from memtui.vault.review_triggers import (
    Place,
    Tied,
    anchored_projects,
    forget_woken,
    held_anchors,
    kept_places,
    missing_places,
    store_states,
    stored_states,
    tied_memories,
)
from memtui.vault.vault import Vault

_State = TypeVar("_State")

Hashes = dict[str, str | None]  # Content hashes of files that were read, by path; None for what cannot be read
MOST_HASHED = 2_000  # Files of one folder or glob that are hashed; more take over a second
NOT_THERE = ""  # Content of a file that does not exist: its appearing is a change too
STEP = 200  # Memories between two checks for cancelling


def snooze_until_change(
    vault: Vault,
    prefixes: Sequence[str],
    *,
    actor: Actor,
    tree: Tree | None = None,  # the working tree of the current folder; those of linked projects are found
    # version of each memory when it was chosen; memories that changed since are skipped
    versions: Mapping[str, int] | None = None,
) -> Outcome:
    """Keep memories out of the review until a file that they are tied to changes.

    Raises `RefusedError`: an agent cannot put off what a person should confirm.
    """
    require_person(actor, "snooze")
    with vault.read() as reader:
        places = read_places(reader, anchored_projects(reader, MemoryFilter(statuses=None)))
    trees = known_trees(places, tree)

    def step(batch: Batch, memory: Memory) -> Memory | Skipped:
        if not memory.anchors:
            return Skipped(memory.id, SkipReason.NO_FILES)
        where = trees.get(memory.project or "")
        if where is None:
            return Skipped(memory.id, SkipReason.UNKNOWN_FOLDER)
        checkable = (anchor for anchor in memory.anchors if where.state(anchor) != "unverifiable")
        contents = {anchor.path: _content(anchor, where, {}) for anchor in checkable}
        if not contents:
            return Skipped(memory.id, SkipReason.UNREADABLE_FILES)
        forget_woken(batch.writer, [memory.id])
        reason = json.dumps(contents, ensure_ascii=False, sort_keys=True)
        batch.verdicts.append(verdict_on(memory, SNOOZED, batch.writer.now, actor, reason))
        return replace(memory, snoozed_until=UNTIL_CHANGE)

    return apply_to_each(vault, prefixes, actor, "snooze", step, versions=versions)


def _content(anchor: Anchor, tree: Tree, hashes: Hashes) -> str:
    """Return a hash of what an anchor's files hold now."""
    found = tree.resolve(anchor.path)
    if found is not None and (tree.root / found).is_file():
        if found not in hashes:
            hashes[found] = file_hash(tree.root / found)
        return hashes[found] or NOT_THERE
    if found is None and not anchor.is_glob:
        return NOT_THERE
    together = blake2b(digest_size=16)
    for name in islice(tree.fitting(anchor.path), MOST_HASHED):
        together.update(f"{name}\0{file_hash(tree.root / name)}\n".encode("utf-8", "replace"))
    return together.hexdigest()


def _snoozes(reader: VaultReader, tied: Sequence[Tied]) -> list[Verdict]:
    """Return the last snooze of each memory that waits for a change of a file."""
    waiting = [memory.id for memory in tied if memory.waits]
    verdicts = reader.verdicts(waiting) if waiting else []
    return list({verdict.memory_id: verdict for verdict in verdicts if verdict.verdict == SNOOZED}.values())


def _differs(snooze: Verdict, tree: Tree, hashes: Hashes) -> bool:
    try:
        then = dict(json.loads(snooze.reason))
    except (TypeError, ValueError):
        # What it waits for is unknown: better to ask once too often than never.
        return True
    return any(_content(Anchor(str(path)), tree, hashes) != content for path, content in then.items())


# -- checking ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class CheckedAnchor:
    """The state of one anchor of one memory in the working tree."""

    id: str
    path: str  # as the anchor names it
    state: AnchorState
    suggestion: str | None = None  # where the file went, as far as anything tells
    certainty: Certainty | None = None  # of the suggestion, None without one
    others: tuple[str, ...] = ()  # further memories that have it, where they are told together
    file: str = ""  # the rule file that holds for these paths, where none of them is there
    patterns: tuple[str, ...] = ()  # all of its paths
    meant: str = ""  # of a pattern that fits hardly anything, what it may be meant for, see `Tree.meant`

    @property
    def ids(self) -> tuple[str, ...]:
        """The memories that have it."""
        return (self.id, *self.others)

    @property
    def paths(self) -> tuple[str, ...]:
        return self.patterns or (self.path,)


def check_anchors(
    memories: Sequence[Memory | Tied],
    tree: Tree,
    *,
    progress: ProgressCallback | None = None,
    hashes: Hashes | None = None,  # content hashes of files that were read before; those read here are added
) -> list[CheckedAnchor]:
    """Return the state of every anchor of the tree's project; holds no lease and changes nothing.

    An anchor is `moved` where git or its content tells where its file went. One whose file only shares its name
    with another stays `gone`, with a weak suggestion.
    """
    mine = [memory for memory in memories if memory.project == tree.project and memory.anchors]
    states: dict[Anchor, AnchorState] = {}
    meant: dict[Anchor, str] = {}
    known = {} if hashes is None else hashes
    checked: list[tuple[CheckedAnchor, Anchor]] = []
    _learn_ignored((anchor for memory in mine for anchor in memory.anchors), tree)
    for number, memory in enumerate(mine):
        if progress and number % STEP == 0:
            progress(number, len(mine))
        for anchor in memory.anchors:
            if anchor not in states:
                states[anchor] = tree.state(anchor, known)
                meant[anchor] = tree.meant(anchor.path)
            checked.append((CheckedAnchor(memory.id, anchor.path, states[anchor], meant=meant[anchor]), anchor))
    renames = Renames(tree.root)
    result = [_with_suggestion(found, anchor, renames, tree) for found, anchor in checked]
    if progress:
        progress(len(mine), len(mine))
    return result


def _with_suggestion(found: CheckedAnchor, anchor: Anchor, renames: Renames, tree: Tree) -> CheckedAnchor:
    if found.state in {"gone", "unverifiable"} and (other := _in_other_case(anchor, tree)):
        return replace(found, state="moved", suggestion=other, certainty="sure")
    # Git may know the folder of a glob that matches nothing, and a path of which nothing is left.
    is_unknown = found.state == "unverifiable" and not is_outside(anchor.path) and not _is_generated(anchor, tree)
    moved = renames.find(anchor) if found.state == "gone" or is_unknown else None
    if is_unknown and _may_mean_another(anchor, moved, tree):
        return found
    if moved is None:
        is_gone = is_unknown and not tree.holds(without_symbol(anchor.path, tree.root)) and renames.had(anchor)
        return replace(found, state="gone") if is_gone else found
    is_weak = moved.certainty == "weak"
    state: AnchorState = "moved" if not is_weak else found.state if anchor.is_glob else "gone"
    return replace(found, state=state, suggestion=moved.path, certainty=moved.certainty)


def _in_other_case(anchor: Anchor, tree: Tree) -> str | None:
    """Return the path of an anchor as a file is named that differs from it in case alone; None without one."""
    if anchor.is_glob or is_outside(anchor.path):
        return None
    plain = without_symbol(anchor.path, tree.root)
    other = tree.in_other_case(plain)
    return anchor.path.replace(plain, other) if other else None


def _may_mean_another(anchor: Anchor, moved: Moved | None, tree: Tree) -> bool:
    """Return whether the text may mean another folder of this name: not if the only one is where git saw it go."""
    others = tree.elsewhere(anchor.path)
    is_that = moved is not None and moved.certainty != "weak" and f"/{moved.path}".endswith(f"/{anchor.path}")
    return others > 1 or (others == 1 and not is_that)


def _is_generated(anchor: Anchor, tree: Tree) -> bool:
    """Return whether git ignores the path of an anchor, so that it is nothing that was deleted."""
    plain = without_symbol(anchor.path, tree.root)
    return not anchor.is_glob and tree.ignores(plain)


def _learn_ignored(anchors: Iterable[Anchor], tree: Tree) -> None:
    """Ask git at once which it ignores of the paths that are not there, and of the folders that globs are about."""
    given = list(anchors)
    plain = {without_symbol(anchor.path, tree.root) for anchor in given if not anchor.is_glob}
    paths = {path for path in plain if not is_outside(path) and tree.holds(path) is False}
    globs = {anchor.path for anchor in given if anchor.is_glob and anchor.content_hash is not None}
    paths.update(folder for folder in map(above_glob, globs) if folder and not is_outside(folder))
    tree.learn_ignored(sorted(paths))


@dataclass(frozen=True, slots=True)
class SeenAnchor:
    """An anchor as a look at the tree finds it."""

    key: int  # internal key of the memory
    state: AnchorState  # `moved` where the last check found where it went
    is_here: bool = True  # whether the tree of its project is on this machine
    meant: str = ""  # as `CheckedAnchor.meant`


DEAD: frozenset[AnchorState] = frozenset({"gone", "moved"})
"""States of anchors whose file is not where they name it."""


def dead_anchors(vault: Vault, wanted: MemoryFilter, here: Tree | None = None) -> dict[Place, SeenAnchor]:
    """Return the dead anchors of a filter's memories: the file that they name is no longer in the project's tree.

    It does not matter whether anything tells where it went, or whether the memory was verified since, only whether a
    person said that it may be gone, see `let_be_gone`. Tidy, Health and Browse count those of `dead_places`.
    A project without a known folder on this machine has what the last check found.

    `vault`: files are checked outside of its lease; their contents are not read. `here`: the working tree of the
    current folder.
    """
    seen, kept = glance(vault, wanted, here)
    return {place: found for place, found in seen.items() if place not in kept and found.state in DEAD}


def glance(vault: Vault, wanted: MemoryFilter, here: Tree | None = None) -> tuple[dict[Place, SeenAnchor], set[Place]]:
    """Return the state of every anchor of a filter's memories as far as a look at the tree tells.

    Also returns the places that may be gone, as a person said. No contents are read: what is there counts as `fresh`.
    """
    with vault.read() as reader:
        held = held_anchors(reader, wanted)
        found = missing_places(reader, wanted)
        kept = kept_places(reader)
        places = read_places(reader, (project for project, _, _ in held if project))
    trees = known_trees(places, here)
    seen: dict[Place, SeenAnchor] = {}
    for name, where in trees.items():
        _learn_ignored((anchor for project, anchor, _ in held if (project or "") == name), where)
    for project, anchor, owners in held:
        tree = trees.get(project or "")
        now = tree.state(anchor) if tree is not None else None
        meant = tree.meant(anchor.path) if tree is not None else ""
        # Only a whole check knows the history: here a glob looks as if it never matched, a path foreign.
        is_left_to_check = now in {None, "unverifiable"}
        for key, identifier in owners:
            place = (identifier, anchor.path)
            is_dead = now == "gone" or (is_left_to_check and place in found)
            state: AnchorState = "moved" if found.get(place) == "moved" else "gone"
            seen[place] = SeenAnchor(
                key, state if is_dead else now or "unverifiable", is_here=tree is not None, meant=meant
            )
    return seen, kept


def check_trees(
    vault: Vault, trees: Iterable[Tree], *, progress: ProgressCallback | None = None
) -> dict[str, list[CheckedAnchor]]:
    """Check the files of whole projects and store the states, for lists and the review.

    Leases are short, files are read outside them, no memory is changed.

    Returns:
        The state of every anchor of active memories and candidates, by project.
    """
    if not vault.exists:
        return {}
    found: dict[str, list[CheckedAnchor]] = {}
    for tree in trees:
        hashes: Hashes = {}
        wanted = MemoryFilter(scope=Scope((tree.project,)), statuses=("active", "candidate"))
        with vault.read() as reader:
            tied = tied_memories(reader, wanted)
        if not tied:
            continue
        found[tree.project] = check_anchors(tied, tree, progress=progress, hashes=hashes)
        with vault.read() as reader:
            snoozes = _snoozes(reader, tied)
        woken = {verdict.memory_id for verdict in snoozes if _differs(verdict, tree, hashes)}
        remember_states(vault, found[tree.project], woken=woken)
    return found


def note_states(vault: Vault, prefixes: Sequence[str], folder: Path, project: str | None) -> None:
    """Store how the files of candidates are before they are accepted: what is missing by then is no news later.

    Raises `NotFoundError`: an id is unknown.
    """
    with vault.read() as reader:
        ids = tuple(dict.fromkeys(map(reader.resolve, prefixes)))
        known = {identifier for identifier, _ in stored_states(reader, ids)}
        found = tied_memories(reader, MemoryFilter(statuses=("candidate",), ids=ids))
        tied = [memory for memory in found if memory.id not in known]
        here = view_of(reader, folder, project).tree if tied else None
        places = read_places(reader, (memory.project for memory in tied if memory.project))
    for tree in (known_trees(places, here) if tied else {}).values():
        remember_states(vault, check_anchors(tied, tree))


def remember_states(vault: Vault, checked: Iterable[CheckedAnchor], *, woken: Collection[str] | None = None) -> int:
    """Store the states that a check found; derived data, so not a change. Returns how many differ from before.

    `checked`: the anchors of whole memories. `woken`: memories that were snoozed until a file changes, and one did;
    None where that was not checked.
    """
    fresh: dict[Place, str] = {(found.id, found.path): found.state for found in checked}
    ids = {identifier for identifier, _ in fresh}
    with vault.read() as reader:
        known = stored_states(reader, ids)
    if woken is None:
        woken = {identifier for identifier, path in known if path == WOKEN_PATH}
    fresh |= {(identifier, WOKEN_PATH): WOKEN for identifier in woken if identifier in ids}
    changed = known.keys() - fresh.keys()
    changed |= {place for place, state in fresh.items() if place not in known or known[place][0] != state}
    moved = {identifier for identifier, _ in changed}
    if moved:
        with vault.write(actor="memtui", action="check anchors") as writer:
            store_states(writer, _of(moved, fresh), _of(moved, known))
    return len(changed)


def _of(ids: Collection[str], states: Mapping[Place, _State]) -> dict[Place, _State]:
    return {place: state for place, state in states.items() if place[0] in ids}


def let_be_gone(vault: Vault, prefixes: Sequence[str], paths: Sequence[str], *, actor: Actor) -> None:
    """Remember that memories name paths on purpose, though nothing is there; they are never reported or asked about.

    Raises:
        NotFoundError: a memory does not exist, or has no such path among its files.
        RefusedError: an agent cannot decide.
    """
    require_person(actor, "decide this")
    with vault.write(actor=actor.name, action=MAY_BE_GONE) as writer:
        kept = kept_places(writer)
        for memory in resolved(writer, prefixes):
            strange = next((path for path in paths if path not in {anchor.path for anchor in memory.anchors}), None)
            if strange is not None:
                remedy = f"`memtui show {memory.id}` lists them."
                raise NotFoundError("It is not tied to this file", where=strange, remedy=remedy)
            new = [path for path in paths if (memory.id, path) not in kept]
            verdicts = [verdict_on(memory, MAY_BE_GONE, writer.now, actor, path) for path in new]
            writer.add_verdicts([replace(verdict, exposure_days=0.0) for verdict in verdicts])
            more = f" and {len(prefixes) - 1} more" if len(prefixes) > 1 else ""
            writer.summary = f"let {', '.join(paths)} be gone: {memory.title}{more}"


def untie(vault: Vault, anchor: CheckedAnchor, *, actor: Actor) -> Outcome:
    """Take a path out of the files of all memories that have it, as one undoable change.

    Raises `RefusedError`: an agent cannot.
    """
    require_person(actor, "take files out")

    def step(_batch: Batch, memory: Memory) -> Memory | Skipped:
        left = tuple(one for one in memory.anchors if one.path not in anchor.paths)
        return replace(memory, anchors=left) if left != memory.anchors else Skipped(memory.id, SkipReason.OTHER_FILES)

    return apply_to_each(vault, anchor.ids, actor, "edit", step)


def re_anchor(vault: Vault, moves: Mapping[str, Mapping[str, str]], *, actor: Actor, in_text: bool = False) -> Outcome:
    """Tie memories to the new paths of their files, all as one undoable change; it verifies nothing.

    `moves`: per memory id, old path to new path as `CheckedAnchor.suggestion` gives it. `in_text`: whether their texts
    name the new paths, too.

    Raises:
        UsageError: a new path is empty.
        RefusedError: an agent cannot.
        NotFoundError: an id does not exist.
    """
    require_person(actor, "tie memories to other files")
    if any(not new.strip() for paths in moves.values() for new in paths.values()):
        raise UsageError("A new path is empty", remedy="Give the path of a file.")

    def step(_batch: Batch, memory: Memory) -> Memory | Skipped:
        paths = next(paths for prefix, paths in moves.items() if memory.id.startswith(prefix))
        if not any(anchor.path in paths for anchor in memory.anchors):
            return Skipped(memory.id, SkipReason.OTHER_FILES)
        # The hash of the last verification stays, so that a changed file shows.
        anchors = (Anchor(paths.get(anchor.path, anchor.path), anchor.content_hash) for anchor in memory.anchors)
        moved = replace(memory, anchors=tuple(dict.fromkeys(anchors)))
        return with_new_paths(moved, paths) if in_text else moved

    return apply_to_each(vault, moves, actor, "re-anchor", step)
