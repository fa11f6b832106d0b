"""The app's work on the vault, called from thread workers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from memtui.domain.memory import STATUSES
from memtui.errors import QueryError, VaultBusyError
from memtui.tui.browse.list_queries import MOST_HITS, Reading, cleaned
from memtui.tui.launch_options import Opening
from memtui.tui.text_layout import counted, tame
from memtui.tui.values import (
    BEST,
    SORTS,
    Base,
    Detail,
    Done,
    Explained,
    FacetCounts,
    Found,
    LastChange,
    Listing,
    Row,
    Signature,
    Wanted,
    steady_order,
)
from memtui.vault.filters import EVERYTHING, MemoryFilter
from memtui.wording import outcomes

if TYPE_CHECKING:
    from memtui.curate.anchors import CheckedAnchor
    from memtui.curate.lifecycle import Outcome
    from memtui.domain.memory import Memory


class Faceting(Reading):
    """What the facets ask the vault."""

    def facet_counts(self, listing: Listing) -> FacetCounts:
        """Count what choosing each value of each facet would list."""
        from dataclasses import replace

        from memtui.recall.search import search
        from memtui.vault.facets import count_facets

        now, text = self._vault.now(), cleaned(listing.query)
        self._look_for_gone_files(listing.base.counter)
        browsing = self._browsing(listing.base.wanted, now)
        if text:
            # What other projects and statuses hold is found without the limits of the list.
            look = (
                self._words.search if self.is_prepared(listing.base) and self._words else partial(search, self._reading)
            )
            wide = look(text, EVERYTHING, limit=MOST_HITS, settings=self._opening.recall, now=now, statuses=None)
            hits = dict.fromkeys((*listing.hits, *(hit.memory.id for hit in wide)))
            browsing = replace(browsing, text=text.lower(), hits=tuple(hits))
        with self._reading.read() as reader:
            return FacetCounts(count_facets(reader, browsing))

    def _look_for_gone_files(self, counter: int) -> None:
        """Look once per state of the vault which memories are tied to files that are no longer there."""
        if self._gone[0] == counter:
            return
        from memtui.curate.anchors import dead_anchors
        from memtui.vault.filters import MemoryFilter

        with self._reading.read() as reader:
            here = self._view_of(reader).tree
        scope = self._browsing(Wanted(), self._vault.now()).scope
        dead = dead_anchors(self._reading, MemoryFilter(scope=scope, statuses=None), here)
        self._gone = (counter, tuple(sorted({anchor.key for anchor in dead.values()})))


_NO_TITLE = "\x1f"
"""A text that stands in no title."""


class Asking(Faceting):
    """What a filter asks that names fields; words alone are searched for."""

    def by_title(self, base: Base, query: str) -> Listing | None:
        """Return what of a long list holds a text in its title; None for a query, which titles do not answer."""
        from memtui.curate.query import is_query

        return None if is_query(cleaned(query)) else super().by_title(base, query)

    def filtered(self, base: Base, query: str, *, best: bool = True, by_meaning: bool = False) -> Listing:
        """Return what of a list fits a filter, in the order of the list where it is a query.

        A query that cannot be read, as while it is typed, is taken for words, and the list says what is wrong.
        """
        from memtui.curate.query import is_query

        text, problem = cleaned(query), ""
        if is_query(text):
            try:
                return self._chosen(base, query, text)
            except QueryError as error:
                problem = str(error)
        found = super().filtered(base, query, best=best, by_meaning=by_meaning)
        return replace(found, problem=problem) if problem else found

    def _chosen(self, base: Base, query: str, text: str) -> Listing:
        from memtui.curate.query import parse_query
        from memtui.vault.facets import listed_ids

        now, opening = self._vault.now(), self._opening
        asked = parse_query(text, opening.vault.kinds, now)
        browsing = self._browsing(base.wanted, now)
        scope = self._searched(browsing)[0]
        with self._reading.read() as reader:
            fits = set(
                reader.select_ids(
                    asked.narrow(MemoryFilter(scope=scope, statuses=None, threshold=opening.threshold)),
                    sort="created",
                    now=now,
                )
            )
            listed: tuple[str, ...] = base.ids
            if asked.names_status or asked.names_project:
                # What the query names takes the place of what the list was limited to.
                chosen = dict(base.wanted.chosen)
                if asked.names_status:
                    chosen["status"] = STATUSES
                if asked.names_project:
                    chosen.pop("project", None)
                    browsing = replace(browsing, scope=EVERYTHING)
                listed = tuple(listed_ids(reader, replace(browsing, chosen=chosen), sort=base.wanted.sort))
        self._hits = (text, {})
        return Listing(base, query, tuple(identifier for identifier in listed if identifier in fits), best=False)

    def facet_counts(self, listing: Listing) -> FacetCounts:
        """Count what choosing each value of each facet would list."""
        from memtui.curate.query import is_query, parse_query
        from memtui.vault.facets import count_facets

        text, now = cleaned(listing.query), self._vault.now()
        if listing.problem or not is_query(text):
            return super().facet_counts(listing)
        self._look_for_gone_files(listing.base.counter)
        asked = parse_query(text, self._opening.vault.kinds, now)
        everywhere = MemoryFilter(statuses=None, threshold=self._opening.threshold, conditions=asked.conditions)
        with self._reading.read() as reader:
            hits = tuple(reader.select_ids(everywhere, sort="created", now=now))
            browsing = replace(self._browsing(listing.base.wanted, now), text=_NO_TITLE, hits=hits)
            return FacetCounts(count_facets(reader, browsing))


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
        return Done(outcomes.acted(word, outcome, missing=gone), changed=bool(outcome.changed))

    def undo(self) -> Done:
        """Undo the last change."""
        from memtui.curate import history

        self._opening.before_change()
        change = history.undo(self._vault, actor=self._opening.actor)
        return Done(outcomes.undone(change), focus=self._touched(change.number))

    def redo(self) -> Done:
        """Do the undone change again."""
        from memtui.curate import history

        self._opening.before_change()
        change = history.redo(self._vault, actor=self._opening.actor)
        return Done(outcomes.redone(change), focus=self._touched(change.number))

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
        from memtui.curate.views import memory_text
        from memtui.pack.clipboard import copy
        from memtui.vault.secret_scan import secrets_in

        memories = self._memories(identifiers)
        if not memories:
            return Done("Nothing copied: the memory no longer exists", changed=False)
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
        from memtui.curate.views import place_of
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


class Checking(Reading):
    """What the app finds in the working trees."""

    def __init__(self, opening: Opening) -> None:
        super().__init__(opening)
        self._moves: Mapping[str, Mapping[str, str]] = {}

    def look_after_files(self) -> None:
        """Check the files of the projects in view, store what was found, and remember where some of them went."""
        from memtui.curate.anchors import look_after_files
        from memtui.curate.projects import known_trees
        from memtui.errors import VaultBusyError

        if not self._vault.exists:
            return
        # Where somebody else holds the vault, what the last check found counts until the next one.
        with suppress(VaultBusyError):
            with self._reading.read() as reader:
                view = self._view_of(reader)
                trees = known_trees(reader, view.tree)
            wanted = view.scope.projects
            chosen = [tree for name, tree in trees.items() if wanted is None or name in wanted]
            found = look_after_files(self._reading, chosen)
            self._moves = moves_of(check for checks in found.values() for check in checks)

    def moves(self) -> Mapping[str, Mapping[str, str]]:
        """Return where files went that memories are tied to: per memory id, old path to new path."""
        return self._moves


def moves_of(checks: Iterable[CheckedAnchor]) -> dict[str, dict[str, str]]:
    """Return where files surely or likely went: per memory id, old path to new path."""
    moves: dict[str, dict[str, str]] = {}
    for check in checks:
        if check.state == "moved" and check.suggestion is not None:
            moves.setdefault(check.id, {})[check.path] = check.suggestion
    return moves


__all__ = [
    "BEST",
    "SORTS",
    "Base",
    "Detail",
    "Done",
    "Explained",
    "FacetCounts",
    "Found",
    "LastChange",
    "Listing",
    "Row",
    "Signature",
    "VaultAccess",
    "Wanted",
    "steady_order",
]


class VaultAccess(Acting, Asking, Checking):
    """The vault as the app sees it.

    Args:
        opening: what the app was opened with.
    """

    def semantic(self) -> str:
        """Return how the search by meaning stands, in a word for the header."""
        return "off" if self._opening.meaning is None else self._opening.meaning.words
