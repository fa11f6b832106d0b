"""Changing the vault: every act is one change of the journal, on one memory or on many."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from memtui.errors import VaultBusyError
from memtui.tui.access.reading import Reading
from memtui.tui.access.values import Done, Found
from memtui.tui.wording import counted, tame
from memtui.vault.filters import MemoryFilter

if TYPE_CHECKING:
    from memtui.curate.lifecycle import Outcome
    from memtui.domain.memory import Memory

REASONS_SHOWN = 3
"""Reasons why memories were left alone that a toast names; the rest are counted."""


class Acting(Reading):
    """What the app does to the vault."""

    def pin(self, identifiers: Sequence[str], *, pinned: bool | None = None) -> Done:
        """Pin or unpin memories; None unpins them where all are pinned, else pins them."""
        from memtui.curate import lifecycle

        present, gone = self._present(identifiers)
        wanted = self._some_unpinned(present) if pinned is None else pinned
        return self._act(
            lambda: lifecycle.pin(self._vault, present, actor=self._opening.actor, pinned=wanted),
            "Pinned" if wanted else "Unpinned",
            gone,
        )

    def retire(self, identifiers: Sequence[str]) -> Done:
        """Retire memories."""
        from memtui.curate import lifecycle

        present, gone = self._present(identifiers)
        return self._act(lambda: lifecycle.retire(self._vault, present, actor=self._opening.actor), "Retired", gone)

    def restore(self, identifiers: Sequence[str]) -> Done:
        """Bring retired or superseded memories back into use."""
        from memtui.curate import lifecycle

        present, gone = self._present(identifiers)
        return self._act(lambda: lifecycle.restore(self._vault, present, actor=self._opening.actor), "Restored", gone)

    def verify(self, identifiers: Sequence[str]) -> Done:
        """Say "still true" of memories; their files are taken as they are where all are of one project."""
        from memtui.curate import lifecycle

        present, gone = self._present(identifiers)
        with self._reading.read() as reader:
            projects = {memory.project for memory in reader.get_many(present).values()}
            tree = self._tree_of(reader, projects.pop()) if len(projects) == 1 else None
        return self._act(
            lambda: lifecycle.verify(self._vault, present, actor=self._opening.actor, tree=tree), "Verified", gone
        )

    def _present(self, identifiers: Sequence[str]) -> tuple[list[str], int]:
        """Return those of the memories that are still there, and how many are not: one that is gone stops no other.

        A single one is handed on as it is, so that its own error tells what became of it.
        """
        if len(identifiers) == 1:
            return list(identifiers), 0
        wanted = MemoryFilter(statuses=None, ids=tuple(identifiers))
        with self._reading.read() as reader:
            there = set(reader.select_ids(wanted, sort="created", now=self._vault.now()))
        present = [identifier for identifier in identifiers if identifier in there]
        return present, len(identifiers) - len(present)

    def _some_unpinned(self, identifiers: Sequence[str]) -> bool:
        wanted = MemoryFilter(statuses=None, ids=tuple(identifiers), pinned=False)
        with self._reading.read() as reader:
            return reader.count(wanted) > 0

    def _act(self, act: Callable[[], Outcome], word: str, gone: int = 0) -> Done:
        self._opening.before_change()
        outcome = act()
        reasons = Counter(reason for _, reason in outcome.unchanged)
        if gone:
            reasons["it is gone"] += gone
        changed, left = outcome.changed, reasons.total()
        if not changed and left <= 1:
            return Done(f"Left alone: {next(iter(reasons), 'there was nothing to do')}", changed=False)
        said = tame(changed[0].title) if len(changed) == 1 else counted(len(changed), "memory", "memories")
        parts = [f"{word}: {said}" if len(changed) == 1 else f"{word} {said}"] if changed else []
        if left:
            parts.append(f"{'left' if parts else 'Left'} {left:,} alone ({_told(reasons)})")
        return Done("; ".join(parts), changed=bool(changed))

    def undo(self) -> Done:
        """Undo the last change."""
        from memtui.curate import timeline

        self._opening.before_change()
        change = timeline.undo(self._vault, actor=self._opening.actor)
        return Done(f"Undid: {tame(change.summary)}", focus=self._touched(change.number))

    def redo(self) -> Done:
        """Do the undone change again."""
        from memtui.curate import timeline

        self._opening.before_change()
        change = timeline.redo(self._vault, actor=self._opening.actor)
        return Done(f"Did again: {tame(change.summary)}", focus=self._touched(change.number))

    def _touched(self, number: int) -> str | None:
        """Return the first memory that a change touched; None too where the vault is busy, as the change stands."""
        from memtui.vault.journal import memory_revisions

        with suppress(VaultBusyError), self._reading.read() as reader:
            for step in memory_revisions(reader, number):
                record = step.after or step.before or {}
                return str(record["id"])
        return None

    # -- handing on -------------------------------------------------------------------------------

    def copy(self, identifiers: Sequence[str]) -> Done:
        """Bring the text of memories to the clipboard; the message says which route carried how much."""
        from memtui.curate.handing import memory_text
        from memtui.pack.clipboard import copy
        from memtui.vault.secrecy import secrets_in

        memories = self._memories(identifiers)
        if not memories:
            return Done("Left alone: it is gone", changed=False)
        result = copy(memory_text(memories))
        name = tame(memories[0].title, 60) if len(memories) == 1 else counted(len(memories), "memory", "memories")
        odd = any(secrets_in(memory, self._opening.secret_patterns) for memory in memories)
        warning = ". It holds what looks like a secret" if odd and result.route != "none" else ""
        return Done(f"{result.message}: {name}{warning}", changed=result.route != "none")

    def place(self, identifier: str) -> Found:
        """Return where a memory stands in a file: its source, else its first file.

        Raises:
            NotFoundError: there is no such file; the text says why.
        """
        from memtui.curate.handing import place_of
        from memtui.errors import NotFoundError

        with self._reading.read() as reader:
            memory = reader.get_many([identifier]).get(identifier)
            tree = self._tree_of(reader, memory.project) if memory else None
        if memory is None:
            raise NotFoundError("The memory is gone")
        return Found(*place_of(memory, tree.root if tree else None))

    def _memories(self, identifiers: Sequence[str]) -> list[Memory]:
        with self._reading.read() as reader:
            found = reader.get_many(identifiers)
        return [found[identifier] for identifier in identifiers if identifier in found]


def _told(reasons: Counter[str]) -> str:
    """Return the commonest reasons with their numbers."""
    shown = reasons.most_common(REASONS_SHOWN)
    parts = [f"{tame(reason)}{f' ×{number:,}' if number > 1 else ''}" for reason, number in shown]
    rest = reasons.total() - sum(number for _, number in shown)
    return ", ".join(parts) + (f", {rest:,} more" if rest else "")
