"""What changed between the pack that was used for a task before and the one that is built for it now."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from memtui.pack.options import standing_of
from memtui.pack.packing import Pack
from memtui.recall.task import Task
from memtui.vault.usage import StoredPack, read_packs
from memtui.vault.vault import Vault


@dataclass(frozen=True, slots=True)
class PackDiff:
    """Ids of memories by what became of them since the previous pack.

    Attributes:
        previous: the pack that was used before.
        added: in the pack now and not before, in the order of the payload.
        removed: in the pack before and not now.
        changed: in both, and edited since.
    """

    previous: StoredPack
    added: tuple[str, ...]
    removed: tuple[str, ...]
    changed: tuple[str, ...]

    @property
    def is_empty(self) -> bool:
        """Whether the same versions of the same memories are in both."""
        return not (self.added or self.removed or self.changed)


def previous_pack(vault: Vault, task: Task, project: str | None, *, standing: bool = False) -> StoredPack | None:
    """Return the pack that was used last for the same text and files in the same project, or None.

    Args:
        vault: the vault.
        task: what for; of the standing payload the one without words.
        project: name of the project.
        standing: whether the standing payload is meant, which has no task of its own.
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


def compare(pack: Pack, previous: StoredPack) -> PackDiff:
    """Return what a pack holds that the previous one did not, and the other way round."""
    now = {one.memory.id: one.memory.version for one in pack.included}
    before = {member.memory_id: member.version for member in previous.members}
    return PackDiff(
        previous,
        added=tuple(identifier for identifier in now if identifier not in before),
        removed=tuple(identifier for identifier in before if identifier not in now),
        changed=tuple(identifier for identifier in now if before.get(identifier, now[identifier]) != now[identifier]),
    )
