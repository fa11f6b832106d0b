"""What the Merge screen reads and writes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memtui.domain.memory import Memory
from memtui.errors import NotFoundError
from memtui.tui.inbox.queries import source_line
from memtui.tui.text_layout import ago, days_between
from memtui.tui.values import Done
from memtui.tui.vault_access import VaultAccess
from memtui.wording import outcomes

if TYPE_CHECKING:
    from memtui.curate.merge import Marked, MergeField


@dataclass(frozen=True, slots=True)
class Sides:
    """Memories to merge.

    Attributes:
        memories: the one that stays first.
        headings: source and verification of each.
        fields: those in which they differ.
        marked: the texts of each field, the differing words marked.
        differs: what tells them apart, in words.
        projects: named projects, of which the user chooses one where there are several.
    """

    memories: tuple[Memory, ...]
    headings: tuple[str, ...]
    fields: tuple[MergeField, ...]
    marked: Mapping[str, Sequence[Marked]]
    differs: tuple[str, ...]
    projects: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MergePreview:
    """The memory that a merge would make, its tokens, and those of all the memories before."""

    memory: Memory
    tokens: int
    tokens_before: int


def read_sides(access: VaultAccess, identifiers: Sequence[str]) -> Sides:
    """Return memories side by side.

    Raises:
        NotFoundError: fewer than two of them are left.
    """
    from memtui.curate.merge import fields_of, marked_texts, named_projects, what_differs

    memories, now = access.memories(identifiers), access.vault.now()
    if len(memories) < 2:  # noqa: PLR2004 - a pair
        raise NotFoundError("The memories to merge no longer exist")
    fields = fields_of(memories)
    headings = [
        f"{source_line(memory.sources) if memory.sources else 'typed'} · "
        + (f"verified {ago(days_between(memory.verified_at, now))}" if memory.verified_at else "never verified")
        for memory in memories
    ]
    return Sides(
        memories=tuple(memories),
        headings=tuple(headings),
        fields=tuple(fields),
        marked={field.name: marked_texts(field.texts) for field in fields},
        differs=what_differs(memories),
        projects=tuple(named_projects(memories)),
    )


def preview_merge(access: VaultAccess, sides: Sides, chosen: Mapping[str, str]) -> MergePreview:
    """Return what a merge would make of the chosen texts.

    Raises:
        UsageError: a chosen text is empty or invalid.
    """
    from memtui.curate.merge import preview
    from memtui.curate.views import tokens_of

    project = sides.projects[0] if len(sides.projects) > 1 else None
    made = preview(sides.memories, chosen, access.vault.kinds, project)
    return MergePreview(made, tokens_of([made]), tokens_of(sides.memories))


def make_merge(access: VaultAccess, sides: Sides, chosen: Mapping[str, str], project: str | None) -> Done:
    """Merge as one change.

    Raises:
        ConflictError: one of the memories changed since it was read.
    """
    from memtui.curate.merge import merge

    access.opening.before_change()
    merged = merge(
        access.vault,
        [memory.id for memory in sides.memories],
        actor=access.opening.actor,
        project=project,
        chosen=chosen,
        versions={memory.id: memory.version for memory in sides.memories},
        secret_patterns=access.opening.secret_patterns,
    )
    return Done(f"{outcomes.merged(merged)}; u undoes it", focus=merged.result.id)
