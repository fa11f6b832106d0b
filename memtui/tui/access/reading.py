"""Looking at the vault: rows, and one memory in full."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from memtui.domain.freshness import due_at, freshness
from memtui.domain.memory import Memory
from memtui.tui.access.listing import ListReading, cleaned
from memtui.tui.access.values import Detail, Explained, LastChange, Row
from memtui.tui.wording import tame

if TYPE_CHECKING:
    from memtui.curate.views import MemoryView
    from memtui.vault.reading import VaultReader
    from memtui.workspace import Tree

CHANGES_SHOWN = 3
"""Last changes that the details show; History has them all."""

_LINKED = "path:"


class Reading(ListReading):
    """What the app asks the vault: lists, rows and memories."""

    def rows(self, identifiers: Sequence[str]) -> dict[str, Row]:
        """Return the rows of memories, missing ones left out."""
        now = self._vault.now()
        with self._reading.read() as reader:
            found = reader.get_many(identifiers)
        return {identifier: self._row(memory, now) for identifier, memory in found.items()}

    def detail(self, identifier: str, explain: str | None = None) -> Detail | None:
        """Return one memory in full, None if it is gone.

        Args:
            identifier: its id.
            explain: a query to explain its score for, empty for its standing value; None explains nothing.
        """
        from memtui.curate.views import checked, view_memories
        from memtui.vault.browsing import last_changes

        now = self._vault.now()
        with self._reading.read() as reader:
            memories = list(reader.get_many([identifier]).values())
            if not memories:
                return None
            view = view_memories(reader, memories, now=now, threshold=self._opening.threshold)[0]
            others = reader.get_many(_linked_ids([view]) - {identifier})
            changes = [LastChange(*found) for found in last_changes(reader, identifier, limit=CHANGES_SHOWN)]
            tree = self._tree_of(reader, memories[0].project)
        view = checked([view], tree)[0]
        explained = None if explain is None else self._explained(view, explain, now)
        return Detail(view, {other.id: tame(other.title) for other in others.values()}, now, changes, explained)

    def _explained(self, view: MemoryView, query: str, now: datetime) -> Explained:
        """Return why a memory stands where it stands, from the search that listed it."""
        from memtui.recall.explain import explanation
        from memtui.recall.standing import standing_hit

        text = cleaned(query)
        searched, hits = self._hits
        hit = hits.get(view.memory.id) if text and searched == text else None
        if hit is not None:
            return Explained(query, explanation(hit))
        with self._reading.read() as reader:
            signals = reader.signals([view.memory.id])
        states = {path: str(state) for path, state in view.anchor_states.items()}
        standing = standing_hit(
            view.memory, signals, states, settings=self._opening.recall, kinds=self._vault.kinds, now=now
        )
        rows = explanation(standing)
        if text:
            rows.insert(0, ("title", "only its title holds the text; by words it is no hit", ""))
        return Explained("", rows)

    def sketch(self, memory: Memory) -> Detail:
        """Return a memory as far as it is known without a look at the vault: no links, no states, no history."""
        from memtui.curate.views import MemoryView

        now, kinds = self._vault.now(), self._vault.kinds
        trust, due = freshness(memory, now, kinds), due_at(memory, kinds, self._opening.threshold)
        view = MemoryView(memory, kinds.get(memory.kind).tier, trust, 1.0, due, {}, (), source_says_this=False)
        return Detail(view, {}, now)

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


def _linked_ids(views: Iterable[MemoryView]) -> set[str]:
    return {end for view in views for link in view.links for end in (link.from_id, link.to_id)}
