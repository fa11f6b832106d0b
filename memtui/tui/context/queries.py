"""The Context screen's work on the vault."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from memtui.errors import MemtuiError, UsageError
from memtui.tui.memory_acts import MemoryActs
from memtui.tui.text_layout import tame
from memtui.tui.values import Done
from memtui.tui.vault_access import VaultAccess

if TYPE_CHECKING:
    from memtui.curate.explain_payload import PayloadContradiction
    from memtui.curate.projects import View
    from memtui.pack.build import Pack
    from memtui.pack.options import PackOptions
    from memtui.pack.recipes import PackDiff
    from memtui.pack.targets.base import Style
    from memtui.recall.result import Recall, Task
    from memtui.vault.packs import Recipe, StoredPack

RECALL_KEPT_SECONDS = 30.0
"""So long a ranking is kept while nobody writes to the vault: files in hand change too, and trust fades."""


@dataclass(frozen=True, slots=True)
class Ask:
    """What a person asks a payload for.

    Attributes:
        phase: None to guess it.
        without: ids left out by hand.
        with_ids: ids put in by hand.
        unconfirmed: whether what waits in the inbox may go in.
        with_loaded: whether what the target loads by itself goes in all the same.
        secrets: what happens to what looks like a secret; empty for what the configuration says.
        standing: names of the recipes whose union a pack was, None for a task; today's recipes stand for it.
    """

    text: str
    files: tuple[str, ...]
    target: str
    budget: str
    phase: str | None
    without: frozenset[str] = frozenset()
    with_ids: frozenset[str] = frozenset()
    style: Style = "full"
    unconfirmed: bool = False
    with_loaded: bool = False
    secrets: str = ""
    standing: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """The pack for an ask, with the task as it was understood.

    Attributes:
        place: what is in view, in words.
        diff: against the pack that was used last for the same task, None where there is none.
        clashes: memories of the payload that contradict each other.
    """

    ask: Ask
    task: Task
    pack: Pack
    project: str | None
    place: str
    diff: PackDiff | None = None
    clashes: tuple[PayloadContradiction, ...] = ()


class FilesError(UsageError):
    """A file in hand is none; told beside the line of files."""


class ContextAccess:
    """Payloads, the files that may be named, and what is done with a payload."""

    def __init__(self, access: VaultAccess) -> None:
        self._access = access
        self._vault, self._reading, self._opening = access.vault, access.read_vault, access.opening
        self._acts = MemoryActs(access)
        # Replaced as a whole, so that threads need no lock.
        self._known_view: tuple[tuple[int, ...], View | None] = ((), None)
        self._known_named: tuple[tuple[int, ...], tuple[str, ...], tuple[tuple[str, ...], View] | None]
        self._known_named = (), (), None
        self._known_packs: tuple[tuple[int, ...], Sequence[StoredPack]] = ((), ())
        self._known_recall: tuple[object, float, Recall] | None = None
        self._known_clashes: tuple[object, tuple[PayloadContradiction, ...]] = ((), ())

    def answer(self, ask: Ask) -> Answer:
        """Return the pack for an ask: the very bytes that `memtui context` prints for it.

        Raises:
            FilesError: a file neither exists nor is known to any memory.
            UsageError: the budget, the target or the phase is none.
        """
        from memtui.curate.projects import narrow_to_files
        from memtui.pack.build import context
        from memtui.pack.targets.registry import target_named
        from memtui.recall.phase import check_phase
        from memtui.recall.result import Task

        opening = self._opening
        files, view = self._files(ask.files)
        recipes = None
        if ask.standing is not None:
            recipes = self._recipes(view)
            if view.project is not None:  # else the files of one project would shut out the recipes of the others
                view = narrow_to_files(self._reading, view, [file for recipe in recipes for file in recipe.files])
        task = Task(text=ask.text, files=files, phase=check_phase(ask.phase) if ask.phase else None)
        pack = context(
            self._reading,
            task,
            view.payload_scope,
            self.options(ask),
            project=view.project,
            target=target_named(ask.target, opening.targets),
            settings=opening.recall,
            now=self._vault.now(),
            recipes=recipes,
            recall_by=lambda wanted, most: self._recalled(wanted, view, most),
        )
        place = view.project or ("all projects" if view.shows_all else "no project, global alone")
        diff = self._diff(task, pack, view.project)
        return Answer(ask, task, pack, view.project, place, diff, self._clashes(pack))

    def _clashes(self, pack: Pack) -> tuple[PayloadContradiction, ...]:
        """Return what contradicts each other in a payload; kept while it holds the same memories and nobody writes."""
        from memtui.curate.explain_payload import contradictions_in

        key = (self._stamp(), sorted(one.memory.id for one in pack.included))
        known, clashes = self._known_clashes
        if known != key:
            clashes = contradictions_in(self._reading, pack)
            self._known_clashes = key, clashes
        return clashes

    def options(self, ask: Ask) -> PackOptions:
        """Return what a payload is made with: the configuration's usual, and what was chosen on the screen."""
        from dataclasses import replace

        from memtui.pack.options import PackOptions

        usual = PackOptions.of(self._opening.context, self._opening.secret_patterns)
        return replace(
            usual,
            budget=ask.budget,
            style=ask.style,
            without=ask.without,
            with_ids=ask.with_ids,
            unconfirmed=ask.unconfirmed,
            withhold_loaded=usual.withhold_loaded and not ask.with_loaded,
            secrets=ask.secrets or usual.secrets,
            standing=ask.standing,
        )

    def _recipes(self, view: View) -> list[Recipe]:
        """Return the recipes of a view, whose union is the standing payload."""
        from memtui.pack.recipe_union import recipes_of
        from memtui.vault.packs import read_recipes

        with self._reading.read() as reader:
            return recipes_of(read_recipes(reader), view.project)

    def _recalled(self, task: Task, view: View, most: int) -> Recall:
        """Return what the task recalls; kept while only ticks, budget, target or style change, and nobody writes."""
        from memtui.recall.rank import recall

        opening = self._opening
        meaning = opening.meaning
        key = (self._stamp(), task, view.payload_scope, most, meaning is not None and meaning.is_ready)
        known = self._known_recall
        if known is not None and known[0] == key and time.monotonic() - known[1] < RECALL_KEPT_SECONDS:
            return known[2]
        found = recall(
            self._reading,
            task,
            view.payload_scope,
            settings=opening.recall,
            now=self._vault.now(),
            limit=most,
            tree=view.tree,
            meaning=meaning,
        )
        self._known_recall = key, time.monotonic(), found
        return found

    def _files(self, named: tuple[str, ...]) -> tuple[tuple[str, ...], View]:
        """Return files as memories name them and the view narrowed to them; asked anew once the vault's file changed.

        Every look opens the vault anew (20 ms), and the files stay while a task is typed.
        """
        from memtui.curate.projects import check_named_files, narrow_to_files

        stamp = self._stamp()
        known_stamp, known_named, known = self._known_named
        if known is not None and (known_stamp, known_named) == (stamp, named):
            return known
        view = self._view()
        try:
            files = check_named_files(self._reading, view, named, folder=self._opening.folder)
        except UsageError as error:
            raise FilesError(error.what, where=error.where, remedy=error.remedy) from error
        found = tuple(files), narrow_to_files(self._reading, view, files)
        self._known_named = stamp, named, found
        return found

    def _diff(self, task: Task, pack: Pack, project: str | None) -> PackDiff | None:
        """Return what changed since the pack used last for the task; packs are read anew once the file changed."""
        from memtui.pack.recipes import compare, previous_among
        from memtui.vault.packs import read_packs

        stamp = self._stamp()
        known, packs = self._known_packs
        if known != stamp:
            with self._reading.read() as reader:
                packs = read_packs(reader, limit=None)
            self._known_packs = stamp, packs
        previous = previous_among(packs, task, project)
        return compare(pack, previous) if previous is not None else None

    def known_files(self) -> list[str]:
        """Return the names that complete the line of files."""
        from memtui.curate.fields import nameable_files
        from memtui.vault.filters import MemoryFilter

        view = self._view()
        with self._reading.read() as reader:
            anchors = [path for _, path in reader.anchored(MemoryFilter(scope=view.scope))]
        stands_here = view.stands_in or (not view.named and view.workspace.is_repository)
        return nameable_files(view.root if stands_here else None, anchors)

    def _view(self) -> View:
        """Return what is in view, as the command line finds it; asked anew once the vault's file changed."""
        from memtui.curate.projects import view_of

        stamp = self._stamp()
        known, view = self._known_view
        if view is None or known != stamp:
            with self._reading.read() as reader:
                view = view_of(reader, self._opening.folder, self._opening.project)
            self._known_view = stamp, view
        return view

    def _stamp(self) -> tuple[int, ...]:
        """Return what the file system says of the vault and its log; equal while nobody wrote to it."""
        return self._access.signature()


@dataclass(frozen=True, slots=True)
class Since:
    """What changed since the pack that was used last for the same task, with the titles of memories by id."""

    diff: PackDiff
    titles: Mapping[str, str]


class PayloadAccess(ContextAccess):
    """Payloads, and what is done with one."""

    def __init__(self, access: VaultAccess) -> None:
        super().__init__(access)
        self._made: list[int] = []
        self._unmade: list[int] = []
        self._copied: set[int] = set()

    def since(self, answer: Answer) -> Since | None:
        """Return what changed since the last pack of a task, with titles; None where there is no such pack."""
        diff = answer.diff
        if diff is None:
            return None
        with self._reading.read() as reader:
            found = reader.get_many([*diff.added, *diff.removed, *diff.changed])
        return Since(diff, {one.id: tame(one.title) for one in found.values()})

    def copy(self, answer: Answer, send_escape: Callable[[str], bool], *, later: str = "") -> Done:
        """Copy a payload and record the pack; the words are those of the route that carried it.

        Args:
            send_escape: sends OSC 52.
            later: how feedback is given later, to be told at the end.
        """
        from memtui.pack.clipboard import copy
        from memtui.pack.recipes import record_pack

        result = copy(answer.pack.payload, send_escape=send_escape)
        if result.route == "none":
            return Done(result.message, changed=False)
        try:
            self._opening.before_change()
            identifier = record_pack(
                self._vault,
                answer.pack,
                answer.task,
                actor=self._opening.actor.name,
                project=answer.project,
                signal="copied",
                options=self.options(answer.ask),
            )
        except MemtuiError as error:
            return Done(f"{result.message}. It was not recorded as a pack: {error}", changed=False)
        self._note_change(identifier)
        return Done(f"{result.message}. Recorded as pack {identifier}" + (f"; {later}" if later else ""))

    def undo(self, *, made_here: bool) -> Done:
        """Undo the last change of the vault.

        Args:
            made_here: whether it should be the last one that this screen made; then another one is left alone.
        """
        from memtui.vault.journal import last_undoable

        number = self._made[-1] if made_here and self._made else None
        if number is not None:
            self._made.pop()
            with self._reading.read() as reader:
                last = last_undoable(reader)
            if last is not None and last.number != number:
                words = f"“{tame(last.summary, 80)}” by {tame(last.actor, 30)} came after it"
                return Done(f"Not undone: {words}. H shows both", changed=False)
        done = self._acts.undo()
        if number is None:
            return done
        self._unmade.append(number)
        if number not in self._copied:
            return done
        words = "the pack is off the list and counts for nothing; the clipboard keeps its text"
        return Done(f"{done.message}: {words}", focus=done.focus)

    def redo(self, *, made_here: bool) -> Done:
        """Do the undone change again; one that this screen made may be taken back again."""
        done = self._acts.redo()
        if made_here and self._unmade:
            self._made.append(self._unmade.pop())
        return done

    def _note_change(self, words: str, *, is_copy: bool = True) -> None:
        """Remember the number of a change that was just made, known by what its summary ends with."""
        from memtui.vault.journal import log

        with self._reading.read() as reader:
            number = next((one.number for one in log(reader, limit=9) if one.summary.endswith(words)), None)
        if number is not None:
            self._made.append(number)
            self._unmade.clear()
            self._copied |= {number} if is_copy else set()

    def write(self, answer: Answer, named: str, *, overwrite: bool) -> Path:
        """Write a payload to a file and return where.

        Raises:
            RefusedError: there is one already and it was not said that it may be replaced.
        """
        from memtui.publish.files import write_payload

        return write_payload(answer.pack.payload, named, folder=self._opening.folder, overwrite=overwrite)

    # -- recipes and questions --------------------------------------------------------------------

    def recipes(self) -> list[Recipe]:
        """Return the recipes of the project in view, or all where none is."""
        from memtui.pack.recipe_union import recipes_of
        from memtui.pack.recipes import list_recipes

        return recipes_of(list_recipes(self._reading), self._view().project)

    def save_recipe(self, name: str, answer: Answer) -> Done:
        """Save a task with its files, target and budget under a name."""
        from memtui.pack.recipes import save_recipe

        self._opening.before_change()
        recipe = save_recipe(
            self._vault,
            name,
            answer.task,
            actor=self._opening.actor.name,
            project=answer.project,
            target=answer.ask.target,
            budget=answer.ask.budget,
            options=self.options(answer.ask),
            secret_patterns=self._opening.secret_patterns,
        )
        self._note_change(recipe.name, is_copy=False)
        return Done(f"Saved as recipe “{tame(recipe.name)}”; u takes it back")

    def note_question(self, answer: Answer, named: str) -> Path:
        """Append the task to a file of evaluation questions, what is in the payload as what should come."""
        from memtui.publish.files import add_question
        from memtui.recall.evaluation import Question

        expected = tuple(one.memory.id for one in answer.pack.included)
        question = Question(answer.task.text, expected, answer.task.files)
        return add_question(question, named, folder=self._opening.folder)


def written_words(answer: Answer, path: Path) -> str:
    """Return what was written where."""
    size = len(answer.pack.payload.encode("utf-8", "replace"))
    return f"Wrote {size:,} bytes to {tame(str(path))}"
