"""What Context reads from the vault, and what is done with a payload."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Generic, TypeVar

from memtui.curate.explain_payload import contradictions_in
from memtui.curate.fields import nameable_files
from memtui.curate.projects import View, narrow_to_files, usable_files, view_of
from memtui.errors import MemtuiError, UsageError
from memtui.pack.build import Pack, context, recipes_of
from memtui.pack.clipboard import copy
from memtui.pack.options import PackOptions
from memtui.pack.recipes import PackDiff, compare, previous_among, record_pack, save_recipe
from memtui.pack.targets.formats import target_named
from memtui.publish.files import add_question, write_payload
from memtui.recall.eligibility import check_phase
from memtui.recall.evaluation import Question
from memtui.recall.rank import recall
from memtui.recall.result import Hit, Recall, Task
from memtui.recall.retrieve import assigned
from memtui.text.sanitize import tame
from memtui.text.words import parse_budget
from memtui.tui.context.ask import Ask
from memtui.tui.values import Done
from memtui.tui.vault_access import VaultAccess
from memtui.vault.filters import MemoryFilter, Scope
from memtui.vault.packs import Recipe, StoredPack, read_packs, read_recipes
from memtui.wording.copying import copied_words
from memtui.wording.reasons import copied_early

if TYPE_CHECKING:
    from memtui.analysis.contradictions import Contradiction

RECALL_KEPT_SECONDS = 30.0
"""How long a ranking is kept while nobody writes to the vault: files being edited change too, and trust fades."""

_JUST_NOW = timedelta(minutes=5)

T = TypeVar("T")

MOST_UNNAMED = 1_000  # Memories in use up to which those that a pack does not name are listed

_Files = tuple[tuple[str, ...], View, UsageError | None]  # As memories name them, the view, what is wrong with one


@dataclass(frozen=True, slots=True)
class Answer:
    """The pack for an ask, with the task as it was understood."""

    ask: Ask
    task: Task
    pack: Pack
    project: str | None
    place: str  # what is in view, in words
    diff: PackDiff | None = None  # against the pack that was used last for the same task, None where there is none
    contradictions: tuple[Contradiction, ...] = ()  # memories of the payload that contradict each other
    just_used: bool = False  # whether that pack was used moments ago
    left_out: UsageError | None = None  # what is wrong with a file that was left out of the task
    waiting: int = 0  # memories in the inbox, counted where the payload is empty
    untied: int = 0  # memories in use that nothing ties to the task, so that nobody looked at them
    # (id, title) of those in use that the pack names nowhere, where they are few enough to be listed
    unnamed: tuple[tuple[str, str], ...] = ()
    is_before_model: bool = False  # whether it was judged by words alone because the model is still loading

    @property
    def has_task(self) -> bool:
        """Whether it is for a task or a file, rather than the standing payload."""
        return bool(self.task.text.strip() or self.task.files)

    def hit(self, identifier: str) -> Hit | None:
        """Return a memory as it was recalled, None where it is withheld."""
        hits = [*(one.hit for one in self.pack.included), *self.pack.left_out]
        return next((hit for hit in hits if hit.memory.id == identifier), None)


@dataclass(frozen=True, slots=True)
class Since:
    """What changed since the pack that was used last for the same task, with the titles of memories by id."""

    diff: PackDiff
    titles: Mapping[str, str]


class LineError(UsageError):
    """One of the lines cannot be used. `line`: its label."""

    def __init__(self, line: str, error: UsageError) -> None:
        super().__init__(error.what, where=error.where, remedy=error.remedy)
        self.line = line


class _Kept(Generic[T]):
    """The last value that was made, as long as it is asked for with the same key. `seconds`: how long it is kept."""

    def __init__(self, seconds: float = math.inf) -> None:
        self._seconds = seconds
        # Replaced as a whole, so that threads need no lock.
        self._known: tuple[object, float, T] | None = None

    def get(self, key: object, make: Callable[[], T]) -> T:
        known = self._known
        if known is None or known[0] != key or time.monotonic() - known[1] >= self._seconds:
            value = make()
            known = self._known = key, time.monotonic(), value
        return known[2]


def _place_of(view: View) -> str:
    return view.project or ("all projects" if view.shows_all else "no project, only global memories")


class Payloads:
    """Payloads, and what is done with one.

    What answers hang on beside the ask is read again once the file of the vault changed: every read opens the vault,
    which takes 20 ms.
    """

    def __init__(self, access: VaultAccess) -> None:
        self._access = access
        self._opening = access.opening
        self._vault = access.vault
        self._reading = access.read_vault
        self._view_kept: _Kept[View] = _Kept()
        self._files_kept: _Kept[_Files] = _Kept()
        self._waiting_kept: _Kept[int] = _Kept()
        self._in_use_kept: _Kept[int] = _Kept()
        self._titles_kept: _Kept[Sequence[tuple[str, str]]] = _Kept()
        self._packs_kept: _Kept[Sequence[StoredPack]] = _Kept()
        self._recall_kept: _Kept[Recall] = _Kept(RECALL_KEPT_SECONDS)
        self._contradictions_kept: _Kept[tuple[Contradiction, ...]] = _Kept()

    # -- payloads ---------------------------------------------------------------------------------

    def answer(self, ask: Ask) -> Answer:
        """Return the pack for an ask: the same bytes that `memtui context` prints for it.

        A file that neither exists nor is known to any memory is left out of the task.

        Raises:
            LineError: invalid budget.
            UsageError: invalid target or phase.
        """
        opening = self._opening
        try:
            parse_budget(ask.budget)
        except UsageError as error:
            raise LineError("Budget", error) from error
        files, view, left_out = self._files(ask.files)
        recipes = self._recipes(view) if ask.standing is not None else None
        if recipes is not None:
            view = self._view_of_recipes(view, recipes)
        task = Task(text=ask.text, files=files, phase=check_phase(ask.phase) if ask.phase else None)
        is_loading = opening.meaning is not None and opening.meaning.is_loading
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
            recall_by=lambda wanted, most: self._recall(wanted, view, most),
        )
        diff = self._diff(task, pack, view.project)
        just_used = diff is not None and self._vault.now() - diff.previous.made_at < _JUST_NOW
        waiting = 0 if pack.payload else self._waiting(view)
        clashes = self._contradictions(pack)
        has_task = bool(task.text.strip() or task.files)
        untied = max(0, self._in_use(view) - pack.told_in_use) if has_task else 0
        unnamed = self._unnamed(view, pack) if has_task else ()
        answer = Answer(
            ask, task, pack, view.project, _place_of(view), diff, clashes, just_used, left_out, waiting, untied
        )
        return replace(answer, unnamed=unnamed, is_before_model=has_task and is_loading)

    def _view_of_recipes(self, view: View, recipes: Sequence[Recipe]) -> View:
        """Return the view of the project in which the imports of the recipes' files are followed."""
        if view.project is None:
            return view  # the files of one project would exclude the recipes of others
        return narrow_to_files(self._reading, view, [file for recipe in recipes for file in recipe.files])

    def options(self, ask: Ask) -> PackOptions:
        """Return what a payload is made with: the configuration, and what was chosen on the screen."""
        defaults, choices = PackOptions.of(self._opening.context, self._opening.secret_patterns), ask.choices
        return replace(
            defaults,
            budget=ask.budget,
            style=ask.style,
            without=choices.without,
            with_ids=choices.with_ids,
            unconfirmed=choices.unconfirmed,
            withhold_loaded=defaults.withhold_loaded and not choices.with_loaded,
            secrets=choices.secrets or defaults.secrets,
            standing=ask.standing,
        )

    def _view(self) -> View:
        """Return what is in view, as the command line finds it."""

        def look() -> View:
            with self._reading.read() as reader:
                return view_of(reader, self._opening.folder, self._opening.project)

        return self._view_kept.get(self._access.signature(), look)

    def _waiting(self, view: View) -> int:
        """Return how many memories in view no payload includes because nobody has accepted them."""
        return self._count(self._waiting_kept, view.payload_scope, "candidate")

    def _in_use(self, view: View) -> int:
        return self._count(self._in_use_kept, assigned(view.payload_scope), "active")

    def _unnamed(self, view: View, pack: Pack) -> tuple[tuple[str, str], ...]:
        """Return the id and title of each memory in use that a pack names nowhere; none where there are very many."""
        scope = assigned(view.payload_scope)
        if self._in_use(view) > MOST_UNNAMED:
            return ()

        def read() -> Sequence[tuple[str, str]]:
            with self._reading.read() as reader:
                rows = reader.rows_of(
                    "m.id, m.title", MemoryFilter(scope=scope, statuses=("active",)), "ORDER BY m.title"
                )
            return [(row[0], row[1]) for row in rows]

        known = {one.memory.id for one in pack.included} | {hit.memory.id for hit in pack.left_out}
        known |= {one.id for one in pack.withheld}
        titles = self._titles_kept.get((self._access.signature(), scope), read)
        return tuple(one for one in titles if one[0] not in known)

    def _count(self, kept: _Kept[int], scope: Scope, status: str) -> int:
        def count() -> int:
            with self._reading.read() as reader:
                return reader.count(MemoryFilter(scope=scope, statuses=(status,)))

        return kept.get((self._access.signature(), scope), count)

    def _files(self, named: tuple[str, ...]) -> _Files:
        def check() -> _Files:
            view = self._view()
            files, wrong = usable_files(self._reading, view, named, folder=self._opening.folder)
            return tuple(files), narrow_to_files(self._reading, view, files), wrong and self._several(wrong, view)

        return self._files_kept.get((self._access.signature(), named), check)

    def _several(self, wrong: UsageError, view: View) -> UsageError:
        """Return what is wrong with a name; where a part of it up to a blank is a file, that commas separate names."""
        parts = (wrong.where or "").split()
        if len(parts) < 2 or not usable_files(self._reading, view, parts, folder=self._opening.folder)[0]:  # noqa: PLR2004 - two files
            return wrong
        return UsageError(wrong.what, where=wrong.where, remedy=f"Commas separate files: {', '.join(parts)}.")

    def _recall(self, task: Task, view: View, most: int) -> Recall:
        """Return what the task recalls; kept while only ticks, budget, target or style change."""
        opening, meaning = self._opening, self._opening.meaning
        key = (self._access.signature(), task, view.payload_scope, most, meaning is not None and meaning.is_ready)
        return self._recall_kept.get(
            key,
            lambda: recall(
                self._reading,
                task,
                view.payload_scope,
                settings=opening.recall,
                now=self._vault.now(),
                limit=most,
                tree=view.tree,
                meaning=meaning,
            ),
        )

    def _diff(self, task: Task, pack: Pack, project: str | None) -> PackDiff | None:
        """Return what changed since the pack used last for the task."""

        def look() -> Sequence[StoredPack]:
            with self._reading.read() as reader:
                return read_packs(reader, limit=None)

        previous = previous_among(self._packs_kept.get(self._access.signature(), look), task, project)
        return compare(pack, previous, self._reading) if previous is not None else None

    def _contradictions(self, pack: Pack) -> tuple[Contradiction, ...]:
        """Return what contradicts each other in a payload; kept while it holds the same memories."""
        key = (self._access.signature(), sorted(one.memory.id for one in pack.included))
        return self._contradictions_kept.get(key, lambda: contradictions_in(self._reading, pack))

    def since(self, diff: PackDiff) -> Since:
        """Return what changed since an earlier pack, with titles."""
        found = self._access.memories([*diff.added, *diff.removed, *diff.changed])
        return Since(diff, {one.id: tame(one.title) for one in found})

    def known_files(self) -> list[str]:
        """Return the names that complete the line of files."""
        view = self._view()
        with self._reading.read() as reader:
            anchors = [path for _, path in reader.anchored(MemoryFilter(scope=view.scope))]
        stands_here = view.stands_in or (not view.named and view.workspace.is_repository)
        return nameable_files(view.root if stands_here else None, anchors)

    # -- what is done with a payload --------------------------------------------------------------

    def copy(self, answer: Answer, send_escape: Callable[[str], bool], *, hint: str = "") -> Done:
        """Copy a payload and record the pack; the message names the route that carried it.

        `send_escape`: sends OSC 52. `hint`: how to give feedback later, for the end of the message.
        """
        result = copy(answer.pack.payload, send_escape=send_escape)
        if result.route == "none":
            return Done(copied_words(result), changed=False)
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
            return Done(f"{copied_words(result)}. It was not recorded as a pack: {error}", changed=False)
        early = copied_early(answer.pack.without_vector, is_loading=answer.is_before_model)
        return Done(". ".join(filter(None, (copied_words(result), early, f"Recorded as pack {identifier}", hint))))

    def last_change(self) -> int | None:
        """Return the number of the last change that was made from the app."""
        return max(self._vault.made, default=None)

    def write(self, answer: Answer, named: str, *, overwrite: bool) -> Path:
        """Write a payload to a file and return its path.

        Raises `RefusedError`: the file exists and must not be replaced.
        """
        return write_payload(answer.pack.payload, named, folder=self._opening.types_from, overwrite=overwrite)

    def note_question(self, answer: Answer, named: str) -> Path:
        """Append the task to a file of evaluation questions, which expects what is in the payload."""
        expected = tuple(one.memory.id for one in answer.pack.included)
        question = Question(answer.task.text, expected, answer.task.files)
        return add_question(question, named, folder=self._opening.types_from)

    # -- recipes ----------------------------------------------------------------------------------

    def recipes(self) -> list[Recipe]:
        """Return the recipes of the project in view, or all where none is."""
        return self._recipes(self._view())

    def _recipes(self, view: View) -> list[Recipe]:
        with self._reading.read() as reader:
            return recipes_of(read_recipes(reader), view.project)

    def save_recipe(self, name: str, answer: Answer) -> Done:
        """Save a task with its files, target and budget under a name."""
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
        return Done(f"Saved as recipe “{tame(recipe.name)}”; u undoes it")
