"""Changes of memories that several screens make."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from memtui.errors import VaultBusyError
from memtui.tui.values import Done
from memtui.vault.filters import MemoryFilter

if TYPE_CHECKING:
    from memtui.curate.outcomes import Outcome
    from memtui.tui.vault_access import VaultAccess


class MemoryActs:
    """Pins, retires, restores and verifies memories; undoes and redoes changes. Called from thread workers."""

    def __init__(self, access: VaultAccess) -> None:
        self._access = access
        self._vault = access.vault
        self._actor = access.opening.actor

    def pin(self, identifiers: Sequence[str], *, pinned: bool | None = None) -> Done:
        """Pin or unpin memories; None unpins them where all are pinned, else pins them."""
        from memtui.curate import lifecycle

        present, gone = self._present(identifiers)
        wanted = self._some_unpinned(present) if pinned is None else pinned
        return self.change(
            lambda: lifecycle.pin(self._vault, present, actor=self._actor, pinned=wanted),
            "Pinned" if wanted else "Unpinned",
            gone,
        )

    def retire(self, identifiers: Sequence[str]) -> Done:
        """Retire memories."""
        from memtui.curate import lifecycle

        present, gone = self._present(identifiers)
        return self.change(lambda: lifecycle.retire(self._vault, present, actor=self._actor), "Retired", gone)

    def restore(self, identifiers: Sequence[str]) -> Done:
        """Bring retired or superseded memories back into use."""
        from memtui.curate import lifecycle

        present, gone = self._present(identifiers)
        return self.change(lambda: lifecycle.restore(self._vault, present, actor=self._actor), "Restored", gone)

    def verify(self, identifiers: Sequence[str]) -> Done:
        """Confirm memories; their files are taken as they are where all are of one project."""
        from memtui.curate import lifecycle

        present, gone = self._present(identifiers)
        with self._access.read_vault.read() as reader:
            projects = {memory.project for memory in reader.get_many(present).values()}
            tree = self._access.tree_of(reader, projects.pop()) if len(projects) == 1 else None
        return self.change(
            lambda: lifecycle.verify(self._vault, present, actor=self._actor, tree=tree), "Verified", gone
        )

    def _present(self, identifiers: Sequence[str]) -> tuple[list[str], int]:
        """Return those of the memories that are still there, and how many are not: one that is gone stops no other.

        A single one is passed on as it is, so that its own error says what became of it.
        """
        if len(identifiers) == 1:
            return list(identifiers), 0
        wanted = MemoryFilter(statuses=None, ids=tuple(identifiers))
        with self._access.read_vault.read() as reader:
            there = set(reader.select_ids(wanted, sort="created", now=self._vault.now()))
        present = [identifier for identifier in identifiers if identifier in there]
        return present, len(identifiers) - len(present)

    def _some_unpinned(self, identifiers: Sequence[str]) -> bool:
        wanted = MemoryFilter(statuses=None, ids=tuple(identifiers), pinned=False)
        with self._access.read_vault.read() as reader:
            return reader.count(wanted) > 0

    def change(self, act: Callable[[], Outcome], word: str, gone: int = 0) -> Done:
        """Make a change and say what it did.

        Args:
            word: what was done, in the past tense.
            gone: memories that are left out because they do not exist any more.
        """
        from memtui.wording import outcomes

        self._access.opening.before_change()
        outcome = act()
        return Done(outcomes.acted(word, outcome, missing=gone), changed=bool(outcome.changed))

    def undo(self) -> Done:
        """Undo the last change."""
        from memtui.curate import history
        from memtui.wording import outcomes

        self._access.opening.before_change()
        change = history.undo(self._vault, actor=self._actor)
        return Done(outcomes.undone(change), focus=self._touched(change.number))

    def redo(self) -> Done:
        """Redo the change that was undone."""
        from memtui.curate import history
        from memtui.wording import outcomes

        self._access.opening.before_change()
        change = history.redo(self._vault, actor=self._actor)
        return Done(outcomes.redone(change), focus=self._touched(change.number))

    def _touched(self, number: int) -> str | None:
        """Return the first memory that a change touched; None too where the vault is busy, as the change stands."""
        from memtui.vault.journal import memory_revisions

        with suppress(VaultBusyError), self._access.read_vault.read() as reader:
            for step in memory_revisions(reader, number):
                record = step.after or step.before or {}
                return str(record["id"])
        return None
