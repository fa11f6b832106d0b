"""What History reads from the journal, and its one change."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memtui.tui.text_layout import tame
from memtui.tui.values import Done
from memtui.tui.vault_access import VaultAccess


@dataclass(frozen=True, slots=True)
class Changes:
    """Numbers of changes, the newest first.

    Attributes:
        title: of the memory whose changes they are, None for those of all.
    """

    numbers: tuple[int, ...]
    title: str | None = None


@dataclass(frozen=True, slots=True)
class HistoryRow:
    """A change as the list shows it.

    Attributes:
        when: UTC, to the minute.
        summary: one line, with the reason if there is one.
        memories: how many it touched.
        state: `done`, `undone` or `abandoned`.
    """

    number: int
    when: str
    actor: str
    summary: str
    memories: int
    state: str


def find_changes(access: VaultAccess, query: str, memory_id: str | None) -> Changes:
    """Return the changes that match a query, of one memory or of all."""
    from memtui.curate.history import change_numbers

    title = None
    if memory_id is not None:
        found = access.memories([memory_id])
        title = tame(found[0].title) if found else memory_id
    return Changes(tuple(change_numbers(access.read_vault, query=query, memory_id=memory_id)), title)


def read_rows(access: VaultAccess, numbers: Sequence[int]) -> dict[int, HistoryRow]:
    """Return rows by their numbers."""
    from memtui.curate.history import change_rows

    return {
        number: HistoryRow(
            number=number,
            when=f"{row.change.at:%Y-%m-%d %H:%M}",
            actor=tame(row.change.actor, 60),
            summary=tame(row.change.summary + (f" ({row.change.reason})" if row.change.reason else "")),
            memories=row.memories,
            state=row.change.state,
        )
        for number, row in change_rows(access.read_vault, numbers).items()
    }


def bring_back(access: VaultAccess, memory_id: str, version: int) -> Done:
    """Bring back what a memory said at a version, as a new change."""
    from memtui.curate import history

    if history.is_at_version(access.read_vault, memory_id, version):
        return Done(f"Unchanged: the memory already reads as in version {version}", changed=False)
    access.opening.before_change()
    memory = history.go_back(access.vault, memory_id, version, actor=access.opening.actor)
    return Done(f"Brought back version {version} of {tame(memory.title)}; u undoes it")
