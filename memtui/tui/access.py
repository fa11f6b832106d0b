"""All vault work of the app, to be called from thread workers: each call takes the lease, acts and lets go.

What recalls and changes memories is imported where it is used, so that the first picture does not wait for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from memtui.domain.freshness import due_at, freshness, last_trusted_at
from memtui.domain.memory import Memory
from memtui.errors import VaultBusyError
from memtui.tui.opening import Opening
from memtui.tui.wording import days_between, tame
from memtui.vault.filters import MemoryFilter, Scope
from memtui.vault.vault import Vault

if TYPE_CHECKING:
    from memtui.curate.lifecycle import Outcome
    from memtui.curate.projects import View
    from memtui.curate.views import MemoryView
    from memtui.vault.reading import VaultReader
    from memtui.workspace import Tree

READ_PATIENCE_SECONDS = 1.5
"""How long a look waits for the lease: the next one comes in two seconds anyway, and quitting waits for it."""

MOST_HITS = 200
"""Memories found by words that a filter shows."""

_LONGEST_QUERY = 200
_LINKED = "path:"

Signature = tuple[int, ...]
"""What the file system says of the vault: sizes and times of file and log."""


@dataclass(frozen=True, slots=True)
class Row:
    """One memory as the list shows it.

    Attributes:
        title: one line, tamed, not yet clipped.
        age_days: since it was last verified, else observed.
    """

    id: str
    title: str
    kind: str
    project: str
    pinned: bool
    due: bool
    freshness: float
    age_days: float


@dataclass(frozen=True, slots=True)
class Base:
    """The list before any filter, with the counts of the header.

    Attributes:
        due_only: whether it holds only what is due for review.
        active: memories in view.
        inbox: candidates in view.
        elsewhere: memories of any project and status; only counted where the list is empty.
        counter: the vault's change counter.
    """

    ids: tuple[str, ...]
    due_only: bool
    active: int
    due: int
    inbox: int
    elsewhere: int
    project: str | None
    counter: int
    signature: Signature


@dataclass(frozen=True, slots=True)
class Listing:
    """What the list shows.

    Attributes:
        ids: in order.
        more: whether the filter found more than it shows.
    """

    base: Base
    query: str
    ids: tuple[str, ...]
    more: bool = False


@dataclass(frozen=True, slots=True)
class Detail:
    """One memory in full, with the titles of those it is linked to."""

    view: MemoryView
    titles: dict[str, str]
    now: datetime


@dataclass(frozen=True, slots=True)
class Done:
    """What an act came to.

    Attributes:
        message: in the past tense, for the toast.
        changed: whether anything was.
        focus: the memory to look at afterwards, if another than the present one.
    """

    message: str
    changed: bool = True
    focus: str | None = None


class VaultAccess:
    """The vault as the app sees it.

    Args:
        opening: what the app was opened with.
    """

    def __init__(self, opening: Opening) -> None:
        self._opening = opening
        self._vault = opening.vault
        patience = min(READ_PATIENCE_SECONDS, opening.vault.patience_seconds)
        self._reading = Vault(
            opening.vault.path, kinds=opening.vault.kinds, now=opening.vault.now, patience_seconds=patience
        )
        self._view: View | None = None
        self._folders: dict[str, Path] | None = None

    # -- looking ----------------------------------------------------------------------------------

    def signature(self) -> Signature:
        """Return what the file system says of the vault; equal while nobody wrote to it."""
        path = self._vault.path
        found: list[int] = []
        for file in (path, path.with_name(path.name + ".wal")):
            try:
                state = file.stat()
            except OSError:
                found += [0, 0]
            else:
                found += [state.st_size, state.st_mtime_ns]
        return tuple(found)

    def moved(self, base: Base) -> bool:
        """Return whether the vault changed since a list was read; opens it only if the file changed."""
        if self.signature() == base.signature:
            return False
        with self._reading.read() as reader:
            return reader.change_counter() != base.counter

    def load(self, query: str, *, due_only: bool) -> Listing:
        """Read the list anew and filter it."""
        signature, now, opening = self.signature(), self._vault.now(), self._opening
        with self._reading.read() as reader:
            view = self._view_of(reader)
            everything = MemoryFilter(scope=view.scope)
            stale = MemoryFilter(scope=view.scope, kinds=opening.kinds, stale_at=now, threshold=opening.threshold)
            ids = reader.select_ids(stale if due_only else everything, sort="due" if due_only else "created", now=now)
            due = len(ids) if due_only else reader.count(stale)
            base = Base(
                ids=tuple(ids[: opening.most] if due_only else ids),
                due_only=due_only,
                active=reader.count(everything) if due_only else len(ids),
                due=due,
                inbox=reader.count(MemoryFilter(scope=view.scope, statuses=("candidate",))),
                elsewhere=0 if ids else reader.count(MemoryFilter(statuses=None)),
                project=view.project,
                counter=reader.change_counter(),
                signature=signature,
            )
        return self.filtered(base, query)

    def filtered(self, base: Base, query: str) -> Listing:
        """Return what of a list fits a query: by words as `memtui search` ranks them, then by parts of titles."""
        wanted = query.strip()[:_LONGEST_QUERY]
        if not wanted or not base.ids:
            return Listing(base, query, base.ids)
        from memtui.recall.searching import search

        scope = self._view.scope if self._view else Scope()
        hits = search(
            self._reading, wanted, scope, limit=MOST_HITS, settings=self._opening.recall, now=self._vault.now()
        )
        listed = set(base.ids)
        by_words = dict.fromkeys(hit.memory.id for hit in hits if hit.memory.id in listed)
        by_title = self._ids_by_title(wanted)
        rest = (identifier for identifier in base.ids if identifier in by_title and identifier not in by_words)
        return Listing(base, query, (*by_words, *rest), more=len(hits) >= MOST_HITS)

    def _ids_by_title(self, part: str) -> set[str]:
        """Return the ids of memories whose titles hold a text, so that half a word finds something already."""
        from memtui.vault.sqlquery import run_query

        literal = part.lower().replace("\0", "").replace("'", "''")
        query = f"SELECT id FROM memory WHERE contains(lower(title), '{literal}')"  # noqa: S608 - quotes are doubled, and `run_query` only reads
        return {str(row[0]) for row in run_query(self._reading, query).rows}

    def rows(self, identifiers: Sequence[str]) -> dict[str, Row]:
        """Return the rows of memories, missing ones left out."""
        now = self._vault.now()
        with self._reading.read() as reader:
            found = reader.get_many(identifiers)
        return {identifier: self._row(memory, now) for identifier, memory in found.items()}

    def detail(self, identifier: str) -> Detail | None:
        """Return one memory in full, None if it is gone."""
        from memtui.curate.views import checked, view_memories

        now = self._vault.now()
        with self._reading.read() as reader:
            memories = list(reader.get_many([identifier]).values())
            if not memories:
                return None
            view = view_memories(reader, memories, now=now, threshold=self._opening.threshold)[0]
            ends = {end for link in view.links for end in (link.from_id, link.to_id)} - {identifier}
            others = reader.get_many(ends)
            tree = self._tree_of(reader, memories[0].project)
        return Detail(checked([view], tree)[0], {other.id: tame(other.title) for other in others.values()}, now)

    def _row(self, memory: Memory, now: datetime) -> Row:
        due = due_at(memory, self._vault.kinds, self._opening.threshold)
        return Row(
            id=memory.id,
            title=tame(memory.title) or tame(memory.insight),
            kind=tame(memory.kind),
            project=tame(memory.project or "unassigned"),
            pinned=memory.pinned,
            due=memory.status == "active" and due is not None and due <= now,
            freshness=freshness(memory, now, self._vault.kinds),
            age_days=days_between(last_trusted_at(memory), now),
        )

    def _view_of(self, reader: VaultReader) -> View:
        """Return what is in view, found once: asking git again at every look would hold the lease."""
        if self._view is None:
            from memtui.curate.projects import view_of

            self._view = view_of(reader, self._opening.folder, self._opening.project)
        return self._view

    def _tree_of(self, reader: VaultReader, project: str | None) -> Tree | None:
        """Return the working tree to check a project's files in: the one we stand in, else its linked folder."""
        if project is None:
            return None
        here = self._view_of(reader).tree
        if here is not None and here.project == project:
            return here
        if self._folders is None:
            from memtui.vault.projects import list_projects

            self._folders = {
                found.name: Path(identity.removeprefix(_LINKED))
                for found in list_projects(reader)
                for identity in found.identities
                if identity.startswith(_LINKED)
            }
        from memtui.workspace import Tree

        folder = self._folders.get(project)
        return Tree(project, folder) if folder is not None and folder.is_dir() else None

    # -- acting -----------------------------------------------------------------------------------

    def pin(self, identifier: str, *, pinned: bool) -> Done:
        """Pin or unpin a memory."""
        from memtui.curate import lifecycle

        return self._act(
            lambda: lifecycle.pin(self._vault, [identifier], actor=self._opening.actor, pinned=pinned),
            "Pinned" if pinned else "Unpinned",
        )

    def retire(self, identifier: str) -> Done:
        """Retire a memory."""
        from memtui.curate import lifecycle

        return self._act(lambda: lifecycle.retire(self._vault, [identifier], actor=self._opening.actor), "Retired")

    def verify(self, identifier: str) -> Done:
        """Say "still true" of a memory."""
        from memtui.curate import lifecycle

        with self._reading.read() as reader:
            found = reader.get_many([identifier]).get(identifier)
            tree = self._tree_of(reader, found.project if found else None)
        return self._act(
            lambda: lifecycle.verify(self._vault, [identifier], actor=self._opening.actor, tree=tree), "Verified"
        )

    def _act(self, act: Callable[[], Outcome], word: str) -> Done:
        self._opening.before_change()
        outcome = act()
        if outcome.changed:
            return Done(f"{word}: {tame(outcome.changed[0].title)}")
        reason = outcome.unchanged[0][1] if outcome.unchanged else "there was nothing to do"
        return Done(f"Left alone: {reason}", changed=False)

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


def steady_order(shown: Iterable[str], fresh: Sequence[str]) -> tuple[str, ...]:
    """Return fresh ids in the order shown so far, newcomers after whom they follow in the fresh order.

    A memory that was just pinned stays under the cursor instead of jumping to the top.
    """
    present = set(fresh)
    kept = [identifier for identifier in shown if identifier in present]
    known = set(kept)
    followers: dict[str | None, list[str]] = {}
    before: str | None = None
    for identifier in fresh:
        if identifier in known:
            before = identifier
        else:
            followers.setdefault(before, []).append(identifier)
    result = list(followers.get(None, ()))
    for identifier in kept:
        result.append(identifier)
        result.extend(followers.get(identifier, ()))
    return tuple(result)
