"""What Context does with payloads while a task is typed, and what it finds again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from memtui.errors import MemtuiError, RefusedError
from memtui.progress import Cancelled
from memtui.publish.files import take_back
from memtui.text.sanitize import tame
from memtui.text.words import counted
from memtui.tui.actions.registry import CONTEXT
from memtui.tui.context.ask import Ask, Step, Steps, kept_lines, with_lines
from memtui.tui.context.queries import Answer, Payloads
from memtui.tui.drafts import ELSEWHERE, typed_before
from memtui.tui.failures import START_AGAIN
from memtui.tui.list_detail import MemtuiScreen
from memtui.tui.screens.dialogs import pick
from memtui.tui.state import State
from memtui.tui.values import Done
from memtui.tui.widgets.lines import AskLine, Question, TitleLine
from memtui.vault.packs import Recipe

TYPING_SECONDS = 0.03
"""Pause after a key before the payload is made again: a paste is one change, and the answer takes some 70 ms more."""

LATE_SECONDS = 0.3
"""A payload that takes longer is said to be read: until then the one before is shown."""

WRITE, RECIPE, QUESTION = "write", "recipe", "question"
QUESTIONS = {
    WRITE: Question("Write to", "memtui-context.md", verb="writes"),
    RECIPE: Question("Save the task as", verb="saves", longest=100),
    QUESTION: Question("Note the question in", "memtui-questions.jsonl", verb="appends"),
}
"""What the line at the bottom asks for."""


class PayloadMaker:
    """Makes the payload of what the lines hold, the newest ask only.

    `ask`: returns what the lines hold. `show, failed`: called on the screen's thread.

    Attributes:
        is_waiting: whether a newer payload than the shown one is being made.
    """

    def __init__(
        self,
        screen: MemtuiScreen,
        payloads: Payloads,
        ask: Callable[[], Ask],
        show: Callable[[Answer], None],
        failed: Callable[[MemtuiError], None],
        title: TitleLine,
    ) -> None:
        self._screen = screen
        self._payloads = payloads
        self._ask = ask
        self._show = show
        self._failed = failed
        self._title = title
        self.is_waiting = False
        self._basis: tuple[int, ...] = ()

    def make_soon(self, prepare: Callable[[], None]) -> None:
        """Make the payload once typing pauses; `prepare` is called right before."""
        self._screen.loader.stop("payload")
        self._screen.loader.after(TYPING_SECONDS, prepare, group="payload")
        self.is_waiting = True

    def make(self) -> None:
        ask = self._ask()
        self.is_waiting = True
        self._basis = self._current_basis()
        self._screen.loader.read(lambda: self._answer(ask), self._take, group="payload", on_error=self._take_failure)
        self._screen.set_timer(LATE_SECONDS, self._say_late)

    def _say_late(self) -> None:
        if self.is_waiting:
            self._title.note = "reading …"

    def _take(self, answer: Answer) -> None:
        self.is_waiting = False
        self._show(answer)
        meaning = self._screen.opening.meaning
        if answer.pack.without_vector and meaning is not None:
            # Now rather than at the next look in the background; `is_outdated` then asks for a better payload.
            self._screen.app.run_worker(meaning.tend, group="model", exit_on_error=False, thread=True)

    def _take_failure(self, error: MemtuiError) -> None:
        self.is_waiting = False
        self._failed(error)

    def _answer(self, ask: Ask) -> Answer:
        """Return an answer; an error that nobody foresaw is one of the read like others, so that it ends."""
        try:
            return self._payloads.answer(ask)
        except (MemtuiError, Cancelled):
            raise
        except Exception as error:
            raise MemtuiError(f"{type(error).__name__}: {error}", remedy=START_AGAIN) from error

    def _current_basis(self) -> tuple[int, ...]:
        """Return what a payload depends on beside the ask: the vault's file, and whether meaning is compared."""
        meaning = self._screen.opening.meaning
        return (*self._screen.access.signature(), int(meaning is not None and meaning.is_ready))

    @property
    def is_outdated(self) -> bool:
        """Whether others changed the vault since the last payload was asked for."""
        return not self.is_waiting and self._current_basis() != self._basis


class PayloadKeeper:
    """Writes the payload to a file, notes it as an evaluation question, saves its task as a recipe; verifies."""

    def __init__(
        self,
        screen: MemtuiScreen,
        payloads: Payloads,
        line: AskLine,  # asks where, and how it is named
        change: Callable[[Callable[[], Done]], None],  # makes a change of the vault that undo takes back
        *,
        close: Callable[[], None],  # closes the line
    ) -> None:
        self._screen = screen
        self._payloads = payloads
        self._line = line
        self._change = change
        self._close = close
        self.steps = Steps()  # What was done on the screen or from it

    def undo(self, step: Step | None) -> Done:
        """Undo the change of a step in the vault, or the file that it wrote, else the last change."""
        if step is not None and step.wrote is not None:
            path, text, is_new = step.wrote
            if is_new and take_back(path, text):
                return Done(f"Deleted again: {tame(str(path))}")
            return Done(f"{tame(str(path))} stays as it is; undoing again undoes the change before it")
        if step is None:
            return self._screen.memories.undo()
        besides = "the pack no longer counts, the clipboard keeps its text" if step.is_copy else ""
        return self._screen.memories.undo(step.change, besides=besides)

    def verify(self) -> None:
        """Confirm the memory under the cursor as still true, a withheld one too."""
        if (memory := self._screen.current_memory) is not None:
            self._change(lambda: self._screen.memories.verify([memory]))

    def keep(self, answer: Answer, given: AskLine.Given) -> None:
        if given.name == WRITE:
            self._write(answer, given)
        elif given.name == QUESTION:
            self._note_question(answer, given.text)
        else:
            self._save_recipe(answer, given)

    def _write(self, answer: Answer, given: AskLine.Given) -> None:
        def written(path: Path) -> None:
            size = len(answer.pack.payload.encode("utf-8", "replace"))
            told = f"Wrote {size:,} bytes to {tame(str(path))}"
            self.steps.add(Step(told, wrote=(path, answer.pack.payload, not given.again)))
            self._screen.say(told)
            self._close()

        def failed(error: MemtuiError) -> None:
            if isinstance(error, RefusedError):
                self._line.ask_again()
            else:
                self._screen.look_failed(error)

        self._screen.loader.read(
            lambda: self._payloads.write(answer, given.text, overwrite=given.again),
            written,
            group="write",
            on_error=failed,
            exclusive=False,
        )

    def _note_question(self, answer: Answer, named: str) -> None:
        def noted(path: Path) -> None:
            expected, name = counted(len(answer.pack.included), "memory"), tame(path.name, 60)
            self._screen.say(f"Noted in {tame(str(path))}: {expected} expected. memtui eval {name} measures")
            self._close()

        self._screen.loader.read(
            lambda: self._payloads.note_question(answer, named), noted, group="write", exclusive=False
        )

    def _save_recipe(self, answer: Answer, given: AskLine.Given) -> None:
        name = given.text.strip()

        def save(known: Sequence[Recipe]) -> None:
            if not given.again and name in {recipe.name for recipe in known}:
                self._line.ask_again()
            else:
                self._change(lambda: self._payloads.save_recipe(name, answer))
                self._close()

        self._screen.loader.read(self._payloads.recipes, save, group="recipes")

    def choose_recipe(self, load: Callable[[Recipe], None]) -> None:
        """Let the person choose one of the recipes there are."""

        def choose(known: Sequence[Recipe]) -> None:
            recipes = {recipe.name: recipe for recipe in known}
            if not recipes:
                self._screen.say("No recipe yet: R saves the task as one.", severity="warning")
                return
            choices = [
                (name, tame(recipe.task, 40) or tame(", ".join(recipe.files), 40)) for name, recipe in recipes.items()
            ]
            pick(self._screen.app, "Recipe", choices, "", lambda name: load(recipes[name]))

        self._screen.loader.read(self._payloads.recipes, choose, group="recipes")


class UsedTask:
    """The task of a place that was used last: entered, copied or kept, with a payload; no half-typed one."""

    def __init__(self, place: str) -> None:
        self._place = place
        self._used: Mapping[str, str] = {}
        self._meant: tuple[str, str] = ("", "")

    @staticmethod
    def typed(shown: Mapping[str, str]) -> tuple[str, str]:
        """Return the task and the files of what is shown."""
        return shown.get("task", ""), shown.get("files", "")

    def kept(self, state: State, app: object) -> Iterator[Mapping[str, Any]]:
        """Yield what to show: what was used last, what was typed in this run, or before an end nobody asked for."""
        kept = kept_lines(state.section(CONTEXT), self._place)
        self._used = {name: value for name, value in kept.items() if isinstance(value, str)}
        self._meant = self.typed(self._used)
        yield self._used
        if self._place in state.in_run:
            yield state.in_run[self._place]
        if typed := typed_before(app, self._draft_key):
            yield typed

    def keep(self, state: State, shown: dict[str, str]) -> None:
        state.in_run[self._place] = shown
        state.remember(CONTEXT, with_lines(state.section(CONTEXT), self._place, shown, self._used))

    def unsaved(self, shown: dict[str, str]) -> dict[str, dict[str, str]]:
        """Return what is shown, where it is something that was not used yet, as `memtui.tui.drafts.Drafts`."""
        return {self._draft_key: shown} if any(self.typed(shown)) and shown != dict(self._used) else {}

    @property
    def _draft_key(self) -> str:
        return f"{ELSEWHERE}context {self._place}"

    def mean(self, shown: Mapping[str, str], answer: Answer | None, ask: Ask) -> None:
        """Take the task for one that is meant, to be found at the next start once it has a payload."""
        self._meant = self.typed(shown)
        self.note(shown, answer, ask)

    def note(self, shown: Mapping[str, str], answer: Answer | None, ask: Ask) -> None:
        """Note what is shown as used, where it is meant and its payload holds something."""
        if answer is not None and answer.ask == ask and answer.pack.payload and self.typed(shown) == self._meant:
            self._used = shown
