"""The Inbox's work on the vault."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING

from textual.message import Message

from memtui.domain.memory import Source
from memtui.tui.memory_acts import MemoryActs
from memtui.tui.text_layout import counted, tame
from memtui.tui.values import Detail, Done, Row, Signature
from memtui.tui.vault_access import VaultAccess

if TYPE_CHECKING:
    from memtui.capture.source_conflicts import SourceConflict
    from memtui.curate.outcomes import Outcome


@dataclass(frozen=True, slots=True)
class Candidate(Row):
    """One candidate as the list shows it.

    Attributes:
        source: where it came from, on one line.
        oddities: what to know before accepting it, a few words each.
    """

    source: str = ""
    oddities: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Waiting:
    """What waits.

    Attributes:
        elsewhere: candidates in other projects; counted where the list is empty.
        projects: the vault's projects, to put candidates into.
        conflicts: memories that were edited both in their source and here.
    """

    ids: tuple[str, ...]
    project: str | None
    elsewhere: int
    projects: tuple[str, ...]
    counter: int
    signature: Signature
    conflicts: int = 0


@dataclass(frozen=True, slots=True)
class Read:
    """A candidate in full.

    Attributes:
        oddities: what to know before accepting it, one sentence each.
    """

    detail: Detail
    oddities: tuple[str, ...]


class InboxAccess:
    """The vault as the Inbox sees it."""

    def __init__(self, access: VaultAccess) -> None:
        self._access = access
        self._vault, self._reading, self._opening = access.vault, access.read_vault, access.opening
        self._acts = MemoryActs(access)

    def waiting(self) -> Waiting:
        """Return what waits in view: the unassigned too, unless a project was named."""
        from memtui.capture.source_conflicts import open_conflicts
        from memtui.curate.lifecycle import waiting
        from memtui.vault.filters import MemoryFilter
        from memtui.vault.projects import project_names

        signature = self._access.signature()
        with self._reading.read() as reader:
            view = self._access.view_of(reader)
            wanted = waiting(view.scope, with_unassigned=self._opening.project is None)
            ids = reader.select_ids(wanted, sort="created", now=self._vault.now())
            return Waiting(
                ids=tuple(ids),
                project=view.project,
                elsewhere=0 if ids else reader.count(MemoryFilter(statuses=("candidate",))),
                projects=tuple(project_names(reader)),
                counter=reader.change_counter(),
                signature=signature,
                conflicts=len(open_conflicts(reader, wanted.scope)),
            )

    def conflicts(self) -> list[SourceConflict]:
        """Return what was edited both in its source and here, the oldest first."""
        from memtui.capture.source_conflicts import open_conflicts
        from memtui.curate.lifecycle import waiting

        with self._reading.read() as reader:
            view = self._access.view_of(reader)
            scope = waiting(view.scope, with_unassigned=self._opening.project is None).scope
            return open_conflicts(reader, scope)

    def source_moved(self, conflict: SourceConflict) -> bool:
        """Return whether a source is not where it was when it was read last; False where nothing tells."""
        with self._reading.read() as reader:
            tree = self._access.tree_of(reader, conflict.memory.project)
        path = Path(conflict.text.path)
        if not path.is_absolute():
            if tree is None:
                return False
            path = tree.root / path
        return path.parent.is_dir() and not os.path.lexists(path)

    def moved_since(self, waiting: Waiting) -> bool:
        """Return whether the vault changed since; opens it only if the file changed."""
        if self._access.signature() == waiting.signature:
            return False
        with self._reading.read() as reader:
            return reader.change_counter() != waiting.counter

    def candidates(self, identifiers: Sequence[str]) -> dict[str, Row]:
        """Return the rows of candidates, missing ones left out."""
        from memtui.curate.lifecycle import oddities

        now = self._vault.now()
        with self._reading.read() as reader:
            found = reader.get_many(identifiers)
            odd = oddities(reader, list(found.values()), self._opening.secret_patterns)
        rows: dict[str, Row] = {}
        for identifier, memory in found.items():
            row = self._access.row(memory, now)
            values = {field.name: getattr(row, field.name) for field in fields(row)}
            rows[identifier] = Candidate(
                **values, source=source_line(memory.sources), oddities=tuple(map(tame, odd[identifier].words))
            )
        return rows

    def read(self, identifier: str) -> Read | None:
        """Return one candidate in full, None if it is gone."""
        from memtui.curate.lifecycle import oddities

        detail = self._access.detail(identifier)
        if detail is None:
            return None
        memory = detail.view.memory
        with self._reading.read() as reader:
            odd = oddities(reader, [memory], self._opening.secret_patterns)[memory.id]
        said = [f"Looks planted: it {reason}." for reason in odd.planted]
        if odd.secrets:
            said.append(f"Holds what looks like a secret: {', '.join(odd.secrets)}.")
        if odd.twins:
            said.append(f"The same text is in use already: {', '.join(odd.twins)}.")
        if memory.project is None:
            where = self._access.view.project if self._access.view and self._access.view.stands_in else None
            said.append(
                f"Unassigned: accepting puts it into {where}." if where else "Unassigned: P puts it into a project."
            )
        return Read(detail, tuple(map(tame, said)))

    # -- deciding ---------------------------------------------------------------------------------

    def accept(self, identifiers: Sequence[str]) -> Done:
        """Take candidates into use; of several, those to be looked at singly are left and said."""
        from memtui.curate.lifecycle import accept_many
        from memtui.curate.outcomes import Outcome, SkipReason

        opening, outcome = self._opening, Outcome()

        def act() -> Outcome:
            nonlocal outcome
            outcome = accept_many(
                self._vault, identifiers, actor=opening.actor, folder=opening.folder, project=opening.project
            )
            return outcome

        done = self._acts.change(act, "Accepted")
        parts = [done.message]
        if any(each.reason is SkipReason.UNASSIGNED for each in outcome.skipped):
            parts.append("P assigns a project")
        if any(memory.project is None for memory in outcome.changed):
            parts.append("It has no project, so it reaches no payload")
        return Done(". ".join(parts), changed=done.changed)

    def reject(self, identifiers: Sequence[str]) -> Done:
        """Turn candidates down."""
        from memtui.curate import lifecycle

        return self._acts.change(
            lambda: lifecycle.reject(self._vault, identifiers, actor=self._opening.actor), "Rejected"
        )

    def change_kind(self, identifiers: Sequence[str], kind: str) -> Done:
        """Give candidates another kind."""
        from memtui.curate import lifecycle

        return self._acts.change(
            lambda: lifecycle.change_kind(self._vault, identifiers, kind, actor=self._opening.actor), f"Now {kind}"
        )

    def assign(self, identifiers: Sequence[str], project: str) -> Done:
        """Put candidates into a project."""
        from memtui.curate import lifecycle

        return self._acts.change(
            lambda: lifecycle.assign(self._vault, identifiers, project, actor=self._opening.actor),
            f"Now in {tame(project)}",
        )


def source_line(sources: Sequence[Source]) -> str:
    """Return where a memory came from in a few cells: `CLAUDE.md:41`, an agent, a format."""
    if not sources:
        return "?"
    first = sources[0]
    rest = f" +{len(sources) - 1}" if len(sources) > 1 else ""
    if first.path is None:
        return tame(first.agent or ("typed" if first.format == "memtui" else first.format)) + rest
    name = first.path.replace("\\", "/").rsplit("/", 1)[-1]
    return tame(f"{name}:{first.span[0]}" if first.span else name) + rest


def conflict_words(number: int) -> str:
    """Return how the Inbox tells of conflicts."""
    return f"{counted(number, 'conflict', 'conflicts')} with sources · d settles"


def inbox_notice(waiting: Waiting) -> tuple[str, ...]:
    """Return what an empty inbox says: that it is empty, and how things get here."""
    if waiting.ids:
        return ()
    other: tuple[str, ...] = ()
    if waiting.conflicts:
        other = (conflict_words(waiting.conflicts),)
    if waiting.elsewhere:
        wait = counted(waiting.elsewhere, "candidate waits", "candidates wait")
        other = (*other, f"Elsewhere {wait}: memtui inbox list")
    return (
        "Nothing waits here.",
        *other,
        "",
        "What agents propose and what is imported from rule files waits",
        "here until you accept it; until then it reaches no payload.",
        "",
        "memtui import .       from this project's rule files",
        "esc                   back to the list",
    )


@dataclass
class WaitingRead(Message):
    """What waits was read."""

    waiting: Waiting
    ticket: int
    focus: str | None


@dataclass
class CandidateRead(Message):
    """A candidate was read in full; None if it is gone."""

    id: str
    read: Read | None


@dataclass
class InboxMoved(Message):
    """Somebody changed the vault."""


@dataclass
class ConflictsRead(Message):
    """What was edited both in its source and here was read.

    Attributes:
        moved: whether the source of the first one is not where it was when it was read last.
    """

    conflicts: list[SourceConflict]
    moved: bool = False
