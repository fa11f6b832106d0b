"""What a screen asks of the vault after a save, and what it ties; called in thread workers alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memtui.domain.memory import LinkType, Memory
from memtui.tui.access import Done, VaultAccess
from memtui.tui.wording import tame

if TYPE_CHECKING:
    from memtui.curate.resembling import Resemblance


@dataclass(frozen=True, slots=True)
class Beside:
    """A memory that was just saved, and the one that it resembles."""

    memory: Memory
    found: Resemblance


class ResemblingAccess(VaultAccess):
    """The vault as it is looked at beside a save."""

    def beside(self, identifiers: Sequence[str], before: Memory | None = None) -> list[Beside]:
        """Return what memories resemble, of each the nearest.

        Args:
            identifiers: what was saved.
            before: the one memory as it was before an edit: a small change is no new statement.
        """
        from memtui.curate.resembling import MOST_SAID, changed_much, resembling

        meaning = self._opening.meaning
        ready = meaning if meaning is not None and meaning.is_ready else None
        return [
            Beside(memory, found)
            for memory in self._memories(list(identifiers)[:MOST_SAID])
            if before is None or changed_much(before, memory)
            for found in resembling(self._vault, memory, meaning=ready)
        ]

    def tie(self, beside: Beside, link_type: LinkType) -> Done:
        """Link the new memory with what it resembles; `supersedes` takes that out of use."""
        from memtui.curate.linking import link

        self._opening.before_change()
        made = link(self._vault, beside.memory.id, link_type, beside.found.id, actor=self._opening.actor)
        if made is None:
            return Done("They are linked so already", changed=False)
        word = "Superseded" if link_type == "supersedes" else "Linked with"
        return Done(f"{word}: {tame(beside.found.title, 80)}", focus=beside.memory.id)
