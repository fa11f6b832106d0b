"""What sessions of assistants were served: figures that tell what memories were worth. Derived, never journaled."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from datetime import datetime

from memtui.vault.filters import Scope
from memtui.vault.reader import VaultReader
from memtui.vault.rows import COLUMNS, utc
from memtui.vault.writer import VaultWriter


@dataclass(frozen=True, slots=True, kw_only=True)
class Serving:
    """One event of a session, with what it was served for it."""

    session: str  # hash of the assistant's own id
    assistant: str
    project: str | None
    event: str
    made_at: datetime
    tokens: int = 0
    memories: int = 0
    repeats: int = 0  # lessons that the session knew when a file or task of theirs came up

    @property
    def place(self) -> tuple[str, str, datetime]:
        """What identifies it."""
        return (self.session, self.event, self.made_at)


def servings(reader: VaultReader, scope: Scope | None = None) -> list[Serving]:
    """Return the servings of the projects in a scope, or all, oldest first."""
    found = reader.connection.execute(
        f"SELECT {', '.join(COLUMNS['servings'])} FROM servings ORDER BY made_at, session, event"
    ).fetchall()
    every = (Serving(**dict(zip(COLUMNS["servings"], row, strict=True)) | {"made_at": utc(row[4])}) for row in found)
    inside = None if scope is None else scope.projects
    return [one for one in every if inside is None or one.project in inside]


def add_servings(writer: VaultWriter, found: Iterable[Serving]) -> int:
    """Store servings; those that are stored already are left out. Returns how many were new."""
    wanted = {one.place: one for one in found}
    if not wanted:
        return 0
    known = {one.place for one in servings(writer)}
    fresh = [asdict(one) for place, one in wanted.items() if place not in known]
    if fresh:
        writer.insert_unjournaled("servings", fresh)
    return len(fresh)
