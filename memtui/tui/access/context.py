"""The Context screen's work on the vault, to be called from thread workers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from memtui.errors import MemtuiError, UsageError
from memtui.tui.access import VaultAccess
from memtui.tui.access.values import Done
from memtui.tui.opening import Opening
from memtui.tui.wording import tame
from memtui.vault.vault import Vault

if TYPE_CHECKING:
    from memtui.curate.projects import View
    from memtui.pack.comparing import PackDiff
    from memtui.pack.packing import Pack
    from memtui.pack.targets.base import Style
    from memtui.recall.task import Task
    from memtui.vault.usage import Recipe, StoredPack

READ_PATIENCE_SECONDS = 1.5
"""How long a look waits for the lease; the next key or the next poll asks again."""


@dataclass(frozen=True, slots=True)
class Ask:
    """What a person asks a payload for.

    Attributes:
        text: the task.
        files: as typed.
        budget: as typed.
        phase: None to guess it.
        without: ids left out by hand.
        with_ids: ids put in by hand.
        unconfirmed: whether what waits in the inbox may go in.
        with_loaded: whether what the target loads by itself goes in all the same.
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


@dataclass(frozen=True, slots=True)
class Answer:
    """The pack for an ask, with the task as it was understood.

    Attributes:
        place: what is in view, in words.
        diff: against the pack that was used last for the same task, None where there is none.
    """

    ask: Ask
    task: Task
    pack: Pack
    project: str | None
    place: str
    diff: PackDiff | None = None


@dataclass(frozen=True, slots=True)
class Since:
    """What changed since the pack that was used last for the same task, with the titles of memories by id."""

    diff: PackDiff
    titles: Mapping[str, str]


class FilesError(UsageError):
    """A file in hand is none; told beside the line of files."""


class ContextAccess:
    """Payloads, the files that may be named, and what is done with a payload.

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
        self._access = VaultAccess(opening)
        # Replaced as a whole, so that threads need no lock.
        self._known_view: tuple[tuple[int, ...], View | None] = ((), None)
        self._known_named: tuple[tuple[int, ...], tuple[str, ...], tuple[tuple[str, ...], View] | None]
        self._known_named = (), (), None
        self._known_packs: tuple[tuple[int, ...], Sequence[StoredPack]] = ((), ())

    def answer(self, ask: Ask) -> Answer:
        """Return the pack for an ask: the very bytes that `memtui context` prints for it.

        Raises:
            FilesError: a file neither exists nor is known to any memory.
            UsageError: the budget, the target or the phase is none.
        """
        from memtui.pack.packing import context
        from memtui.pack.targets.registry import target_named
        from memtui.recall.phase import check_phase
        from memtui.recall.task import Task

        opening = self._opening
        files, view = self._files(ask.files)
        task = Task(text=ask.text, files=files, phase=check_phase(ask.phase) if ask.phase else None)
        pack = context(
            self._reading,
            task,
            view.payload_scope,
            project=view.project,
            target=target_named(ask.target, opening.targets),
            budget=ask.budget,
            encoding=opening.context.encoding,
            max_memories=opening.context.max_memories,
            settings=opening.recall,
            now=self._vault.now(),
            tree=view.tree,
            without=ask.without,
            with_ids=ask.with_ids,
            style=ask.style,
            unconfirmed=ask.unconfirmed,
            withhold_loaded=opening.context.withhold_loaded and not ask.with_loaded,
            secret_patterns=opening.secret_patterns,
            meaning=opening.meaning,
        )
        place = view.project or ("all projects" if view.shows_all else "no project, global alone")
        return Answer(ask, task, pack, view.project, place, self._diff(task, pack, view.project))

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
        from memtui.pack.comparing import compare, previous_among
        from memtui.vault.usage import read_packs

        stamp = self._stamp()
        known, packs = self._known_packs
        if known != stamp:
            with self._reading.read() as reader:
                packs = read_packs(reader, limit=None)
            self._known_packs = stamp, packs
        previous = previous_among(packs, task, project)
        return compare(pack, previous) if previous is not None else None

    def since(self, answer: Answer) -> Since | None:
        """Return what changed since the last pack of a task, with titles; None where there is no such pack."""
        diff = answer.diff
        if diff is None:
            return None
        with self._reading.read() as reader:
            found = reader.get_many([*diff.added, *diff.removed, *diff.changed])
        return Since(diff, {one.id: tame(one.title) for one in found.values()})

    def known_files(self) -> list[str]:
        """Return the names that complete the line of files."""
        from memtui.curate.files import nameable_files
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

    def copy(self, answer: Answer, send_escape: Callable[[str], bool], *, later: str = "") -> Done:
        """Copy a payload and record the pack; the words are those of the route that carried it.

        Args:
            answer: the payload.
            send_escape: sends OSC 52.
            later: how feedback is given later, to be told at the end.
        """
        from memtui.pack.clipboard import copy
        from memtui.pack.recording import record_pack

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
            )
        except MemtuiError as error:
            return Done(f"{result.message}. It was not recorded as a pack: {error}", changed=False)
        return Done(f"{result.message}. Recorded as pack {identifier}" + (f"; {later}" if later else ""))

    def write(self, answer: Answer, named: str, *, overwrite: bool) -> Path:
        """Write a payload to a file and return where.

        Raises:
            RefusedError: there is one already and it was not said that it may be replaced.
        """
        from memtui.publish.payload_file import write_payload

        return write_payload(answer.pack.payload, named, folder=self._opening.folder, overwrite=overwrite)

    # -- recipes and questions --------------------------------------------------------------------

    def recipes(self) -> list[Recipe]:
        """Return the recipes of the project in view, or all where none is."""
        from memtui.pack.recording import list_recipes
        from memtui.pack.standing import recipes_of

        return recipes_of(list_recipes(self._reading), self._view().project)

    def save_recipe(self, name: str, answer: Answer) -> Done:
        """Save a task with its files, target and budget under a name."""
        from memtui.pack.recording import save_recipe

        self._opening.before_change()
        recipe = save_recipe(
            self._vault,
            name,
            answer.task,
            actor=self._opening.actor.name,
            project=answer.project,
            target=answer.ask.target,
            budget=answer.ask.budget,
        )
        return Done(f"Saved as recipe “{tame(recipe.name)}”; memtui recipe delete takes it away")

    def note_question(self, answer: Answer, named: str) -> Path:
        """Append the task to a file of evaluation questions, what is in the payload as what should come."""
        from memtui.publish.question_file import add_question
        from memtui.recall.questions import Question

        expected = tuple(one.memory.id for one in answer.pack.included)
        question = Question(answer.task.text, expected, answer.task.files)
        return add_question(question, named, folder=self._opening.folder)


def written_words(answer: Answer, path: Path) -> str:
    """Return what was written where."""
    size = len(answer.pack.payload.encode("utf-8", "replace"))
    return f"Wrote {size:,} bytes to {tame(str(path))}"
