"""What the Merge screen asks of the vault and tells it; called in thread workers alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memtui.domain.memory import Memory
from memtui.tui.access import Done, VaultAccess
from memtui.tui.wording import ago, counted, days_between, tame

if TYPE_CHECKING:
    from memtui.curate.merge_draft import Marked, MergeField


@dataclass(frozen=True, slots=True)
class Sides:
    """Memories that are to be merged.

    Attributes:
        memories: the one that stays first.
        headings: where each came from and when it was verified.
        fields: those in which they differ.
        marked: the texts of each field, the words marked in which they differ.
        differs: what tells them apart, in words.
        projects: named projects, of which a person chooses one where there are several.
    """

    memories: tuple[Memory, ...]
    headings: tuple[str, ...]
    fields: tuple[MergeField, ...]
    marked: Mapping[str, Sequence[Marked]]
    differs: tuple[str, ...]
    projects: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MergeResult:
    """What a merge would come to.

    Attributes:
        tokens: of the result.
        before: of all the memories together.
    """

    memory: Memory
    tokens: int
    before: int


class MergeAccess(VaultAccess):
    """The vault as the Merge screen sees it."""

    def sides(self, identifiers: Sequence[str]) -> Sides:
        """Return memories side by side.

        Raises:
            NotFoundError: fewer than two of them are left.
        """
        from memtui.curate.merge_draft import fields_of, marked_texts, named_projects, what_differs
        from memtui.errors import NotFoundError

        memories = self._memories(identifiers)
        if len(memories) < 2:  # noqa: PLR2004 - a pair
            raise NotFoundError("What was to be merged is gone")
        fields = fields_of(memories)
        return Sides(
            tuple(memories),
            tuple(self._heading(memory) for memory in memories),
            tuple(fields),
            {field.name: marked_texts(field.texts) for field in fields},
            what_differs(memories),
            tuple(named_projects(memories)),
        )

    def _heading(self, memory: Memory) -> str:
        from memtui.tui.inbox_access import source_line

        now = self._vault.now()
        verified = f"verified {ago(days_between(memory.verified_at, now))}" if memory.verified_at else "never verified"
        return f"{source_line(memory.sources) if memory.sources else 'typed'} · {verified}"

    def result(self, sides: Sides, chosen: Mapping[str, str], project: str | None) -> MergeResult:
        """Return what a merge would make of the chosen texts.

        Raises:
            UsageError: a chosen text is none.
        """
        from memtui.curate.merge_draft import preview, tokens_of

        where = project or (sides.projects[0] if len(sides.projects) > 1 else None)
        made = preview(sides.memories, chosen, self._vault.kinds, where)
        return MergeResult(made, tokens_of([made]), tokens_of(sides.memories))

    def merge(self, sides: Sides, chosen: Mapping[str, str], project: str | None) -> Done:
        """Merge what was looked at, as one change; versions that moved since stop it."""
        from memtui.curate.merging import merge

        self._opening.before_change()
        merged = merge(
            self._vault,
            [memory.id for memory in sides.memories],
            actor=self._opening.actor,
            project=project,
            chosen=chosen,
            versions={memory.id: memory.version for memory in sides.memories},
            secret_patterns=self._opening.secret_patterns,
        )
        number = counted(len(sides.memories), "memory", "memories")
        return Done(f"Merged {number} into {tame(merged.result.title, 60)}; u takes it apart", focus=merged.result.id)
