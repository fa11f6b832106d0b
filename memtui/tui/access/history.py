"""The History screen's work on the vault, to be called from thread workers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memtui.tui.access.values import Done
from memtui.tui.opening import Opening
from memtui.tui.wording import tame

if TYPE_CHECKING:
    from memtui.curate.changes import ChangeDiff


@dataclass(frozen=True, slots=True)
class HistoryRow:
    """A change as the list shows it.

    Attributes:
        when: UTC, to the minute.
        summary: one line, tamed, with the reason if there is one.
        memories: how many it touched.
        state: `done`, `undone` or `abandoned`.
    """

    number: int
    when: str
    actor: str
    summary: str
    memories: int
    state: str


class HistoryAccess:
    """The journal a window at a time, what a change did, and going back to what a memory said.

    Args:
        opening: what the app was opened with.
    """

    def __init__(self, opening: Opening) -> None:
        self._opening = opening
        self._vault = opening.vault
        self._reading = opening.vault_to_read()

    def numbers(self, query: str, memory_id: str | None) -> tuple[int, ...]:
        """Return the numbers of the changes that fit, the newest first."""
        from memtui.curate.changes import change_numbers

        return tuple(change_numbers(self._reading, query=query, memory_id=memory_id))

    def rows(self, numbers: Sequence[int]) -> dict[int, HistoryRow]:
        """Return rows by their numbers."""
        from memtui.curate.changes import change_rows

        found = change_rows(self._reading, numbers)
        return {
            number: HistoryRow(
                number=number,
                when=f"{row.change.at:%Y-%m-%d %H:%M}",
                actor=tame(row.change.actor, 60),
                summary=tame(row.change.summary + (f" ({row.change.reason})" if row.change.reason else "")),
                memories=row.memories,
                state=row.change.state,
            )
            for number, row in found.items()
        }

    def diff(self, number: int, first: str | None) -> ChangeDiff:
        """Return what a change did.

        Raises:
            NotFoundError: there is no such change any more.
        """
        from memtui.curate.changes import change_diff

        return change_diff(self._reading, number, first=first)

    def title_of(self, memory_id: str) -> str:
        """Return the title of a memory, its id where it is gone."""
        with self._reading.read() as reader:
            found = reader.get_many([memory_id])
        return tame(found[memory_id].title) if memory_id in found else memory_id

    def bring_back(self, memory_id: str, version: int) -> Done:
        """Bring back what a memory said at a version, as a new change."""
        from memtui.curate import timeline

        if timeline.says_already(self._reading, memory_id, version):
            return Done(f"Left alone: it says what version {version} said already", changed=False)
        self._opening.before_change()
        memory = timeline.go_back(self._vault, memory_id, version, actor=self._opening.actor)
        return Done(f"Brought back version {version} of {tame(memory.title)}; u undoes it")
