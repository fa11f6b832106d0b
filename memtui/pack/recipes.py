"""Recorded packs, saved recipes, and the standing payload of all recipes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, Literal

from memtui.domain.memory import Memory, Signal, new_id
from memtui.errors import AmbiguousIdError, NotFoundError, UsageError
from memtui.pack.build import Pack
from memtui.pack.options import PackOptions, choices_record, standing_of
from memtui.recall.result import Task
from memtui.text.sanitize import without_surrogates
from memtui.text.words import counted, did_you_mean
from memtui.vault import packs
from memtui.vault.journal import memory_as_of
from memtui.vault.packs import FILE_STATES, STATUSES, PackMember, Recipe, StoredPack, read_packs
from memtui.vault.text_search import Patterns, refuse_secrets_in, without_values
from memtui.vault.vault import Vault


@dataclass(frozen=True, slots=True)
class PackDiff:
    """Ids of memories by what became of them since the previous pack."""

    previous: StoredPack  # the pack that was used before
    added: tuple[str, ...]  # in the pack now and not before, in the order of the payload
    removed: tuple[str, ...]  # in the pack before and not now
    changed: tuple[str, ...]  # in both, and edited since

    @property
    def is_empty(self) -> bool:
        """Whether the same memories are in both, and say the same."""
        return not (self.added or self.removed or self.changed)


def previous_pack(vault: Vault, task: Task, project: str | None, *, standing: bool = False) -> StoredPack | None:
    """Return the pack that was used last for the same text and files in the same project, or None.

    `task`: what for; of the standing payload the one without words. `standing`: whether the standing payload is meant,
    which has no task of its own.
    """
    with vault.read() as reader:
        packs = read_packs(reader, limit=None)
    return previous_among(packs, task, project, standing=standing)


def previous_among(
    packs: Iterable[StoredPack], task: Task, project: str | None, *, standing: bool = False
) -> StoredPack | None:
    """Return the first of some packs that was used for the same text and files in the same project, or None."""
    text, files = " ".join(task.text.split()), set(task.files)
    return next(
        (
            pack
            for pack in packs
            if pack.project == project
            and (standing_of(pack.options) is not None) == standing
            and " ".join(pack.task.split()) == text
            and set(pack.files) == files
        ),
        None,
    )


def edited_since(vault: Vault, memories: Iterable[Memory], versions: Mapping[str, int]) -> frozenset[str]:
    """Return the ids of memories that say something else than in these versions.

    Verifying, or undoing and doing again, makes a higher version of the same words.
    """
    moved = [one for one in memories if versions.get(one.id, one.version) != one.version]
    if not moved:
        return frozenset()
    with vault.read() as reader:
        before = {one.id: memory_as_of(reader, one.id, versions[one.id]) for one in moved}
    return frozenset(one.id for one in moved if _said(one) != _said(before[one.id]))


def _said(memory: Memory | None) -> tuple[object, ...] | None:
    if memory is None:
        return None
    texts = (memory.title, memory.insight, memory.rationale, memory.snippet)
    paths = tuple(anchor.path for anchor in memory.anchors)
    return (*texts, memory.kind, memory.status, memory.pinned, paths, memory.valid_from, memory.valid_until)


def compare(pack: Pack, previous: StoredPack, vault: Vault) -> PackDiff:
    """Return what a pack holds that the previous one did not, and the other way round. `vault`: where both are from."""
    now = [one.memory.id for one in pack.included]
    before = {member.memory_id: member.version for member in previous.members}
    edited = edited_since(vault, (one.memory for one in pack.included), before)
    return PackDiff(
        previous,
        added=tuple(identifier for identifier in now if identifier not in before),
        removed=tuple(identifier for identifier in before if identifier not in now),
        changed=tuple(identifier for identifier in now if identifier in edited),
    )


def record_pack(
    vault: Vault,
    pack: Pack,
    task: Task,
    *,
    actor: str,
    project: str | None,  # name of the project, or None
    signal: Literal["copied", "injected"],  # how it was used
    # what it was made with, so that it can be made again; without them its style alone is kept
    options: PackOptions | None = None,
    # False for what a program records by itself, so that a person's undo takes a person's change
    undoable: bool = True,
) -> str:
    """Store that a pack was used, with one signal per memory in it; returns the pack's id.

    The payload is not stored, only its hash. Undoing it takes the signals back, and the pack off the list.

    Raises `NotFoundError`: the pack is empty.
    """
    if not pack.included:
        raise NotFoundError("The payload is empty, so nothing can be recorded", remedy="Widen the task or the budget.")
    identifier = new_id()
    with vault.write(
        actor=actor, action=signal, summary=f"{signal} {counted(len(pack.included), 'memory')} as pack {identifier}"
    ) as writer:
        writer.undoable = undoable
        packs.write_pack(
            writer,
            StoredPack(
                id=identifier,
                made_at=writer.now,
                actor=actor,
                project=project,
                # Nobody saves a pack's task on purpose, so it is kept without values rather than refused.
                task=without_values(without_surrogates(task.text), (options or PackOptions()).secret_patterns),
                files=tuple(without_surrogates(path) for path in task.files),
                target=pack.target,
                budget=str(pack.budget),
                encoding=pack.encoding,
                tokens=pack.tokens,
                payload_hash=payload_hash(pack.payload),
                members=tuple(
                    PackMember(one.memory.id, one.memory.version, one.tokens, one.score) for one in pack.included
                ),
                options=choices_record(options or PackOptions(style=pack.style), task) | _known_of_memories(pack),
            ),
        )
        writer.add_signals(
            Signal(memory_id=one.memory.id, signal=signal, at=writer.now, actor=actor, pack_id=identifier)
            for one in pack.included
        )
    return identifier


def _known_of_memories(pack: Pack) -> dict[str, dict[str, Any]]:
    """Return what a payload says of its memories beyond their texts: it changes later, and the bytes must not."""
    found: dict[str, dict[str, Any]] = {
        FILE_STATES: {one.memory.id: dict(one.states) for one in pack.included if one.states},
        STATUSES: {one.memory.id: one.status for one in pack.included if one.status},
    }
    return {name: known for name, known in found.items() if known}


def payload_hash(payload: str) -> str:
    """Return the hash by which a payload is known again."""
    return blake2b(payload.encode("utf-8", "replace"), digest_size=16).hexdigest()


def list_packs(vault: Vault, limit: int) -> list[StoredPack]:
    """Return the packs used last, the newest first."""
    with vault.read() as reader:
        return packs.read_packs(reader, limit=limit)


def get_pack(vault: Vault, prefix: str) -> StoredPack:
    """Return the pack of an id or an unambiguous prefix of one.

    Raises:
        NotFoundError: no such pack.
        AmbiguousIdError: several ids begin so.
    """
    cleaned = prefix.strip().lower()
    with vault.read() as reader:
        found = packs.packs_by_prefix(reader, cleaned) if cleaned else []
    if not found:
        raise NotFoundError("No pack has this id", where=prefix[:60], remedy="`memtui pack list` shows the ids.")
    if found[0].id == cleaned or len(found) == 1:
        return found[0]
    names = ", ".join(pack.id for pack in found)
    raise AmbiguousIdError("Several packs have ids that start so", where=prefix[:60], remedy=f"They are {names}.")


def save_recipe(
    vault: Vault,
    name: str,
    task: Task,
    *,
    actor: str,
    project: str | None,
    target: str,
    budget: str,
    options: PackOptions | None = None,
    allow_secret: bool = False,
    secret_patterns: Patterns = (),
) -> Recipe:
    """Save a task under a name, as an undoable change; a recipe of that name is replaced.

    Raises:
        SecretRefusedError: it holds what looks like a secret, and `allow_secret` does not let it in.
        UsageError: the name is empty, long or not printable.
    """
    cleaned = name.strip()
    if not packs.is_recipe_name(cleaned):
        raise UsageError(
            "A recipe's name is 1 to 100 printable characters", where=repr(name[:80]), remedy="Choose another name."
        )
    with vault.write(actor=actor, action="recipe save", summary=f"save recipe {cleaned}") as writer:
        recipe = Recipe(
            name=cleaned,
            project=project,
            task=without_surrogates(task.text),
            files=tuple(without_surrogates(path) for path in task.files),
            target=target,
            budget=budget,
            created_at=writer.now,
            options=choices_record(options or PackOptions(), task),
        )
        if not allow_secret:
            refuse_secrets_in(recipe, secret_patterns)
        packs.write_recipe(writer, recipe)
    return recipe


def list_recipes(vault: Vault) -> list[Recipe]:
    """Return every recipe by name."""
    with vault.read() as reader:
        return packs.read_recipes(reader)


def get_recipe(vault: Vault, name: str) -> Recipe:
    """Return the recipe of that name. Raises `NotFoundError`: no such recipe; the message suggests the nearest."""
    known = {recipe.name: recipe for recipe in list_recipes(vault)}
    found = known.get(name.strip())
    if found is not None:
        return found
    hint = did_you_mean(name.strip(), known, then="`memtui recipe list` shows them.")
    raise NotFoundError("No recipe has this name", where=name[:60], remedy=hint)


def delete_recipe(vault: Vault, name: str, *, actor: str) -> Recipe:
    """Delete a recipe, as an undoable change; returns what it was. Raises `NotFoundError`: no such recipe."""
    recipe = get_recipe(vault, name)
    with vault.write(actor=actor, action="recipe delete", summary=f"delete recipe {recipe.name}") as writer:
        packs.remove_recipe(writer, recipe.name)
    return recipe
