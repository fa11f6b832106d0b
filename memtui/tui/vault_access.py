"""The vault as the app's screens share it: what every screen reads of a memory, and the changes that several make."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memtui.domain.freshness import due_at, freshness, last_trusted_at
from memtui.domain.memory import GLOBAL_PROJECT, Memory
from memtui.errors import NotFoundError, VaultBusyError
from memtui.text.sanitize import tame
from memtui.text.words import counted, some_of
from memtui.tui.memory_view import days_between
from memtui.tui.state import Opening
from memtui.tui.values import Detail, Done, FileWrite, Found, LastChange, Row, Signature, Writes
from memtui.vault.filters import MemoryFilter
from memtui.vault.lease import signature_of
from memtui.vault.reader import VaultReader

if TYPE_CHECKING:
    from memtui.capture.waiting import Waiting
    from memtui.curate.anchors import CheckedAnchor
    from memtui.curate.bulk_changes import Outcome
    from memtui.curate.health import HealthOptions
    from memtui.curate.history import NextUndo
    from memtui.curate.projects import View
    from memtui.curate.views import MemoryView
    from memtui.tree import Tree
    from memtui.vault.review_triggers import AskedSince

CHANGES_SHOWN = 3  # Last changes that the details show; History has them all

ALL_PROJECTS = "all projects"  # What is in view, where it is no single project


class VaultAccess:
    """A vault, what the app was opened with, and what every screen reads of a memory.

    Attributes:
        vault: for changes.
        read_vault: the same for reads, which wait less long for the lease.
        view: the projects in view; None before the first read.
    """

    def __init__(self, opening: Opening) -> None:
        self.opening = opening
        self.vault = opening.vault
        self.read_vault = opening.vault_to_read()
        self.view: View | None = None
        self._folders: dict[str, Path | None] = {}  # Of projects that were asked for, None where none is known

    def signature(self) -> Signature:
        """Return what the file system says of the vault; equal while nobody wrote to it."""
        return signature_of(self.vault.path)

    @property
    def place_words(self) -> str:
        """The project in view as a head names it, `all projects` where none is; empty before the first read."""
        return "" if self.view is None else self.view.project or ALL_PROJECTS

    def read_place(self) -> str:
        """Return the project in view as every head names it, read where it is not known yet."""
        with self.read_vault.read() as reader:
            self.view_of(reader)
        return self.place_words

    def view_of(self, reader: VaultReader) -> View:
        """Return what is in view, found once: asking git again at every read would hold the lease."""
        if self.view is None:
            from memtui.curate.projects import view_of

            self.view = view_of(reader, self.opening.folder, self.opening.project)
        return self.view

    def stored_model(self, reader: VaultReader) -> str | None:
        """Return the model with the most vectors, which are compared without loading it; None for words alone."""
        if self.opening.meaning is None:
            return None
        from memtui.vault.search.vectors import counts

        vectors = counts(reader)
        return max(vectors, key=vectors.__getitem__, default=None)

    def count_vectors(self, reader: VaultReader) -> None:
        """Let the search by meaning know how much of what is read has no vector yet."""
        if self.opening.meaning is not None:
            self.opening.meaning.count(reader)

    def tree_of(self, reader: VaultReader, project: str | None) -> Tree | None:
        """Return the working tree to check a project's files in: the one we stand in, else its known folder."""
        if project is None:
            return None
        here = self.view_of(reader).tree
        if here is not None and here.project == project:
            return here
        if project not in self._folders:
            from memtui.curate.projects import known_folder

            self._folders[project] = known_folder(reader, project)
        from memtui.tree import Tree

        folder = self._folders[project]
        return Tree(project, folder) if folder is not None and folder.is_dir() else None

    # -- memories ---------------------------------------------------------------------------------

    def memories(self, identifiers: Sequence[str]) -> list[Memory]:
        """Return memories in the order asked for, missing ones left out."""
        with self.read_vault.read() as reader:
            found = reader.get_many(identifiers)
        return [found[identifier] for identifier in identifiers if identifier in found]

    def row(self, memory: Memory, now: datetime, asked: AskedSince | None = None) -> Row:
        """Return a memory as a list shows it. `asked`: what else than its age asks for a review."""
        due = due_at(
            memory,
            self.vault.kinds,
            self.opening.threshold,
            asked_at=asked.asked_at if asked else None,
            woken_at=asked.woken_at if asked else None,
        )
        return Row(
            id=memory.id,
            title=tame(memory.title) or tame(memory.insight),
            kind=tame(memory.kind),
            project=tame(memory.project or "unassigned"),
            pinned=memory.pinned,
            due=memory.status == "active" and due is not None and due <= now,
            freshness=freshness(memory, now, self.vault.kinds),
            age_days=days_between(last_trusted_at(memory), now),
            added_days=days_between(memory.created_at, now),
            status=memory.status,
            memory=memory,
        )

    def rows(self, identifiers: Sequence[str], asked: Mapping[str, AskedSince] | None = None) -> dict[str, Row]:
        """Return memories as a list shows them, missing ones left out."""
        now, why = self.vault.now(), asked or {}
        return {memory.id: self.row(memory, now, why.get(memory.id)) for memory in self.memories(identifiers)}

    def detail(self, identifier: str) -> Detail | None:
        """Return one memory in full, None if it is gone."""
        from memtui.curate.views import checked, view_memories
        from memtui.vault.facets import last_changes
        from memtui.wording.outcomes import held

        now = self.vault.now()
        with self.read_vault.read() as reader:
            memories = list(reader.get_many([identifier]).values())
            if not memories:
                return None
            view = view_memories(reader, memories, now=now, threshold=self.opening.threshold)[0]
            others = reader.get_many(_linked_ids(view) - {identifier})
            changes = [LastChange(*found) for found in last_changes(reader, identifier, limit=CHANGES_SHOWN)]
            tree = self.tree_of(reader, memories[0].project)
        view = checked([view], tree)[0]
        titles = {other.id: tame(other.title) for other in others.values()}
        return Detail(view, titles, now, changes, held=held(view.memory, "you verify it"))

    def sketch(self, memory: Memory) -> Detail:
        """Return a memory as far as it is known without a read of the vault: no links, no states, no history."""
        from memtui.curate.views import MemoryView

        now, kinds = self.vault.now(), self.vault.kinds
        trust, due = freshness(memory, now, kinds), due_at(memory, kinds, self.opening.threshold)
        view = MemoryView(memory, kinds.get(memory.kind).tier, trust, 1.0, due, {}, (), source_says_this=False)
        return Detail(view, {}, now)

    def place(self, identifier: str) -> Found:
        """Return where a memory stands in a file: its source, else its first file.

        Raises `NotFoundError`: there is no such file; the text says why.
        """
        from memtui.curate.views import place_of

        with self.read_vault.read() as reader:
            memory = reader.get_many([identifier]).get(identifier)
            tree = self.tree_of(reader, memory.project) if memory else None
        if memory is None:
            raise NotFoundError(
                "The memory no longer exists", remedy="It was undone or purged; History shows what happened."
            )
        return Found(*place_of(memory, tree.root if tree else None))

    def offer_withdrawal(self, done: Done, identifiers: Sequence[str]) -> Done:
        """Return what a retirement came to, with the files that still say what was retired."""
        from memtui.curate.publishing import files_that_still_say
        from memtui.wording.publishing import still_said_words

        if not done.changed:
            return done
        files: list[str] = []
        with suppress(VaultBusyError):
            files = files_that_still_say(self.read_vault, self.memories(identifiers), self.opening.folder)
        return replace(done, message=f"{done.message}. {still_said_words(files)} W can take it out") if files else done

    def copy(self, identifiers: Sequence[str]) -> Done:
        """Copy the text of memories to the clipboard; the message says by which route, and how much."""
        from memtui.curate.views import memory_text
        from memtui.pack.clipboard import copy
        from memtui.vault.text_search import secrets_in
        from memtui.wording.copying import copied_words

        memories = self.memories(identifiers)
        if not memories:
            return Done("Nothing copied: the memory no longer exists", changed=False)
        result = copy(memory_text(memories))
        name = tame(memories[0].title, 60) if len(memories) == 1 else counted(len(memories), "memory", "memories")
        odd = any(secrets_in(memory, self.opening.secret_patterns) for memory in memories)
        warning = ". It holds what looks like a secret" if odd and result.route != "none" else ""
        return Done(f"{copied_words(result)}: {name}{warning}", changed=result.route != "none")


def _linked_ids(view: MemoryView) -> set[str]:
    return {end for link in view.links for end in (link.from_id, link.to_id)}


def health_options(access: VaultAccess) -> HealthOptions:
    """Return what the figures of the vault's health depend on, here and now."""
    from memtui.curate.health import HealthOptions

    opening = access.opening
    with access.read_vault.read() as reader:
        view, model = access.view_of(reader), access.stored_model(reader)
    return HealthOptions(
        view=view,
        threshold=opening.threshold,
        context=opening.context,
        recall=opening.recall,
        secret_patterns=opening.secret_patterns,
        targets=opening.targets,
        value=opening.value,
        model=model,
    )


class FileChecks:
    """Checks of the files that memories are tied to.

    Attributes:
        moves: where some of them went: per memory id, old path to new path.
    """

    def __init__(self, access: VaultAccess) -> None:
        self._access = access
        self.moves: Mapping[str, Mapping[str, str]] = {}

    def check(self) -> None:
        """Check the files of the projects in view and store what was found.

        While somebody else holds the vault, what the last check found counts until the next one.
        """
        from memtui.curate.anchors import check_trees
        from memtui.curate.projects import known_trees, read_places
        from memtui.vault.review_triggers import anchored_projects

        access = self._access
        if not access.vault.exists:
            return
        with suppress(VaultBusyError):
            with access.read_vault.read() as reader:
                view = access.view_of(reader)
                checked = MemoryFilter(scope=view.scope, statuses=("active", "candidate"))
                places = read_places(reader, anchored_projects(reader, checked))
            trees = known_trees(places, view.tree)
            wanted = view.scope.projects
            chosen = [tree for name, tree in trees.items() if wanted is None or name in wanted]
            found = check_trees(access.read_vault, chosen)
            self.moves = moves_of(check for checks in found.values() for check in checks)

    def waiting_sources(self, *, at_a_glance: bool = False) -> Waiting:
        """Return how many rule files of the project in view are not imported, or changed since.

        `at_a_glance`: of `memtui.capture.waiting.waiting_sources`.
        """
        from memtui.capture.waiting import Waiting, waiting_sources

        opening, view = self._access.opening, self._access.view
        # A demo is looked at and left; what lies beside it is in it already.
        if view is None or view.tree is None or opening.state_path is None:
            return Waiting()
        vault, project = self._access.read_vault, view.tree.project
        return waiting_sources(vault, project, opening.folder, Path.home(), at_a_glance=at_a_glance)


def moves_of(checks: Iterable[CheckedAnchor]) -> dict[str, dict[str, str]]:
    """Return where files surely or likely went: per memory id, old path to new path."""
    moves: dict[str, dict[str, str]] = {}
    for check in checks:
        if check.state == "moved" and check.suggestion is not None:
            moves.setdefault(check.id, {})[check.path] = check.suggestion
    return moves


class MemoryActs:
    """Pins, retires, restores and verifies memories; undoes and redoes changes. Called from thread workers."""

    def __init__(self, access: VaultAccess) -> None:
        self._access = access
        self._vault = access.vault
        self._actor = access.opening.actor
        self.asked: int | None = None
        self.is_sure = False  # Whether the next undo or redo may be of what was not done here
        self.names_next = False  # Whether the screen itself says what the next undo takes back
        self._done_here: int | None = None

    def note_done(self) -> None:
        """Take the change just made for one that the screen has told of."""
        self._done_here = max(self._vault.made, default=None)

    def pin(self, identifiers: Sequence[str], *, pinned: bool | None = None) -> Done:
        """Pin or unpin memories; None unpins them where all are pinned, else pins them."""
        from memtui.curate import lifecycle

        if pinned is None:
            with self._access.read_vault.read() as reader:
                pinned = reader.count(MemoryFilter(statuses=None, ids=tuple(identifiers), pinned=False)) > 0
        return self._act(lifecycle.pin, identifiers, "Pinned" if pinned else "Unpinned", pinned=pinned)

    def retire(self, identifiers: Sequence[str]) -> Done:
        from memtui.curate import lifecycle

        return self._access.offer_withdrawal(self._act(lifecycle.retire, identifiers, "Retired"), identifiers)

    def restore(self, identifiers: Sequence[str]) -> Done:
        """Bring retired or superseded memories back into use."""
        from memtui.curate import lifecycle

        return self._act(lifecycle.restore, identifiers, "Restored")

    def verify(self, identifiers: Sequence[str]) -> Done:
        """Confirm memories; their files are taken as they are where all are of one project."""
        from memtui.curate import lifecycle

        with self._vault.read() as reader:
            projects = {memory.project for memory in reader.get_many(identifiers).values()}
            tree = self._access.tree_of(reader, projects.pop()) if len(projects) == 1 else None
        return self._act(lifecycle.verify, identifiers, "Verified", tree=tree)

    def dismiss(self, finding: str, *groups: Iterable[str]) -> Done:
        """Never suggest a finding of Tidy about these groups of memories again, until a text changes."""
        from memtui.analysis.dismissals import VERDICT_OF
        from memtui.curate.resolutions import dismiss
        from memtui.wording import outcomes, tidying

        self._access.opening.before_change()
        dismiss(self._vault, VERDICT_OF[finding], *groups, actor=self._actor)
        return Done(outcomes.dismissed(tidying.DISMISSED[finding], len(groups)))

    def _act(self, service: Callable[..., Outcome], identifiers: Sequence[str], word: str, **options: Any) -> Done:
        """Change those of the memories that are still there: one that is gone stops no other.

        A single one is passed on as it is, so that its own error says what became of it.
        """
        present = list(identifiers)
        if len(present) > 1:
            wanted = MemoryFilter(statuses=None, ids=tuple(identifiers))
            with self._vault.read() as reader:
                there = set(reader.select_ids(wanted, sort="created", now=self._vault.now()))
            present = [identifier for identifier in identifiers if identifier in there]
        change = partial(service, self._vault, present, actor=self._actor, **options)
        return self.change(change, word, len(identifiers) - len(present))

    def change(self, act: Callable[[], Outcome], word: str, gone: int = 0) -> Done:
        """Make a change and say what it did.

        `word`: what was done, in the past tense. `gone`: memories that are left out because they do not exist any more.
        """
        from memtui.wording import outcomes

        self._access.opening.before_change()
        outcome = act()
        return Done(outcomes.acted(word, outcome, missing=gone), changed=bool(outcome.changed))

    def undo(self, number: int | None = None, *, besides: str = "") -> Done:
        """Take back what this person did last, or undo a change by its number; one of elsewhere is said to be so.

        Where that writes files and is not what the screen did last, the first call only returns what it writes.

        `besides`: what else is said of the change that was undone.
        """
        from memtui.curate import history
        from memtui.wording import outcomes

        is_sure, self.is_sure = self.is_sure, False
        upcoming = self._upcoming(lambda reader: history.next_undo(reader, self._actor, number))
        is_own = upcoming is not None and upcoming.change.number == self._done_here
        is_sure |= upcoming is not None and upcoming.change.number == self.asked
        if not is_own and (writes := self._writes(upcoming, partial(self.undo, number))) is not None:
            return writes
        if number is None and not is_sure and (question := self._asks_elsewhere(history.next_undo, "undo")):
            return Done(question, changed=False, asks="undo")
        self._access.opening.before_change()
        own = set(self._vault.made)
        if number is None:
            back = history.take_back(self._vault, actor=self._actor)
            change, tell = back.change, outcomes.redone if back.is_made_again else outcomes.undone
        else:
            change, tell = history.undo(self._vault, actor=self._actor, number=number), outcomes.undone
        self._vault.made.add(change.number)  # as far as questions go: this person has decided about it here
        said = "; ".join(filter(None, (tell(change, elsewhere=change.number not in own), besides)))
        return self._reverted(said if number is None else f"{said}; u makes it again", change.number)

    def _asks_elsewhere(self, read: Callable[..., NextUndo | None], act: str) -> str:
        """Return the question whether to undo or redo what was done in another session.

        A redo asks only where that was in another project: the person who presses it has seen the undo.

        `act`: the id of the action.
        """
        from memtui.wording import outcomes

        if not self._vault.exists:
            return ""
        with self._access.read_vault.read() as reader:
            found = read(reader, self._actor)
        if found is None or found.change.number in self._vault.made:
            return ""
        _, names = self._touched(found.change.number)
        if not names and (self.names_next or act == "redo"):
            return ""
        return outcomes.would_undo(found.change, names, again=found.is_made_again)

    def _upcoming(self, read: Callable[[VaultReader], NextUndo | None]) -> NextUndo | None:
        """Return the next undo or redo that writes files outside the vault."""
        if not self._vault.exists:
            return None
        with self._access.read_vault.read() as reader:
            found = read(reader)
        return found if found is not None and found.files else None

    def _writes(self, upcoming: NextUndo | None, act: Callable[[], Done]) -> Done | None:
        """Return what an undo or redo writes outside the vault, None where it was shown or there is nothing."""
        from memtui.curate import history
        from memtui.curate.publishing import file_changes
        from memtui.wording import outcomes
        from memtui.wording.publishing import shown_path

        if upcoming is None or upcoming.change.number == self.asked:
            self.asked = None
            return None
        with self._access.read_vault.read() as reader:
            edits = history.edits_of(reader, upcoming)
        if not edits:
            return None
        self.asked = upcoming.change.number
        files = [
            FileWrite(
                shown_path(edit.path, self._access.opening.folder),
                "new" if edit.before is None else "removed" if edit.after is None else "changed",
                file_changes(edit),
            )
            for edit in edits
        ]
        title = outcomes.would_write(upcoming.change, again=upcoming.is_made_again)
        return Done(title, changed=False, writes=Writes(title, files, act))

    def redo(self) -> Done:
        """Make the change again that was undone last; where that writes files, the first call only returns which."""
        from memtui.curate import history
        from memtui.wording import outcomes

        is_sure, self.is_sure = self.is_sure, False
        upcoming = self._upcoming(lambda reader: history.next_redo(reader, self._actor))
        if (writes := self._writes(upcoming, self.redo)) is not None:
            return writes
        if not is_sure and upcoming is None and (question := self._asks_elsewhere(history.next_redo, "redo")):
            return Done(question, changed=False, asks="redo")
        self._access.opening.before_change()
        own = set(self._vault.made)
        change = history.redo(self._vault, actor=self._actor)
        return self._reverted(outcomes.redone(change, elsewhere=change.number not in own), change.number)

    def _reverted(self, said: str, number: int) -> Done:
        """Return what an undo or redo did, and the first memory it touched, or of which other project that was."""
        first, names = self._touched(number)
        where = f"; it was in {some_of([tame(name, 40) for name in names], 2)}, not shown here" if names else ""
        return Done(said + where, focus=None if names else first)

    def _touched(self, number: int) -> tuple[str | None, list[str]]:
        """Return the first memory that a change touched, and the other projects where it touched nothing of this one.

        Where the vault is busy neither is known.
        """
        from memtui.vault.journal import memory_revisions

        records: list[dict[str, Any]] = []
        with suppress(VaultBusyError), self._access.read_vault.read() as reader:
            records = [dict(step.after or step.before or {}) for step in memory_revisions(reader, number)]
            self._access.view_of(reader)
        here, touched = self._access.view, {record.get("project") for record in records}
        is_elsewhere = here is not None and here.project is not None and touched.isdisjoint({here.project, None})
        names = sorted({str(name) for name in touched} - {GLOBAL_PROJECT}) if is_elsewhere else []
        return str(records[0]["id"]) if records else None, names
