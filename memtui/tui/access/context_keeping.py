"""What becomes of a payload: the clipboard, a file, a recipe, a question; to be called from thread workers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from memtui.errors import MemtuiError
from memtui.tui.access.context import Answer, ContextAccess
from memtui.tui.access.values import Done
from memtui.tui.opening import Opening
from memtui.tui.wording import tame

if TYPE_CHECKING:
    from memtui.pack.comparing import PackDiff
    from memtui.vault.usage import Recipe


@dataclass(frozen=True, slots=True)
class Since:
    """What changed since the pack that was used last for the same task, with the titles of memories by id."""

    diff: PackDiff
    titles: Mapping[str, str]


class PayloadAccess(ContextAccess):
    """Payloads, and what is done with one.

    Args:
        opening: what the app was opened with.
    """

    def __init__(self, opening: Opening) -> None:
        super().__init__(opening)
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
        done = self._access.undo()
        if number is None:
            return done
        self._unmade.append(number)
        if number not in self._copied:
            return done
        words = "the pack is off the list and counts for nothing; the clipboard keeps its text"
        return Done(f"{done.message}: {words}", focus=done.focus)

    def redo(self, *, made_here: bool) -> Done:
        """Do the undone change again; one that this screen made may be taken back again."""
        done = self._access.redo()
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
            options=self.options(answer.ask),
            secret_patterns=self._opening.secret_patterns,
        )
        self._note_change(recipe.name, is_copy=False)
        return Done(f"Saved as recipe “{tame(recipe.name)}”; u takes it back")

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
