"""Save a payload to a file, recipe or evaluation question; undoable steps."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from textual import on, work

from memtui.errors import MemtuiError, RefusedError
from memtui.tui.actions.action import Action
from memtui.tui.context import rows
from memtui.tui.context.choices import Choices, Moment, Step, of_kept
from memtui.tui.context.queries import Answer, written_words
from memtui.tui.context.reading import QUESTION, RECIPE, WRITE, ContextReading
from memtui.tui.context.rows import FileWritten, QuestionNoted, RecipesRead, SinceRead
from memtui.tui.messages import LookFailed
from memtui.tui.screens.dialogs import CardScreen, ChoiceScreen
from memtui.tui.text_layout import counted, tame
from memtui.tui.values import Done
from memtui.tui.widgets.lines import AskLine

_LONGEST_WORDS = 80


class ContextStepping(ContextReading):
    """The Context screen's choices, and its undo: of the screen first, then of the vault."""

    def _choose_so(self, choices: Choices, words: str) -> None:
        """Take other choices."""
        self._take_step(words, None, choices)

    def _take_setting(self, name: str, value: str, words: str) -> None:
        """Take another target, phase or style."""
        self._take_step(words, {**self._lines.remembered(), name: value}, None)

    def _take_step(self, words: str, lines: Mapping[str, str] | None, choices: Choices | None) -> None:
        before = Moment(
            self._choices if choices is not None else None, self._lines.remembered() if lines is not None else None
        )
        self._steps.take(Step(tame(words, _LONGEST_WORDS), before, Moment(choices, lines)))
        self._bring(Moment(choices, lines))

    def _bring(self, moment: Moment) -> None:
        """Bring the screen to how it was at a moment, and ask for its payload."""
        if moment.lines is not None:
            self._lines.restore(moment.lines)
        if moment.choices is not None:
            self._choices = moment.choices
            self._ticked_for = self._lines.text
        self._renew()

    def _do_here(self, make: Callable[[], Done]) -> None:
        """Change the vault from this screen; undo takes it back in its turn."""

        def run() -> Done:
            done = make()
            if done.changed:
                self._steps.take(Step(done.message))
            return done

        self.do(run)

    def action_undo(self) -> None:
        """Take back what was changed here last; then the last change of the vault."""
        step = self._steps.back()
        if step is None or step.before is None:
            self.do(lambda: self._payloads.undo(made_here=step is not None), focus=True)
        else:
            self._bring(step.before)
            self.say(f"Undone: {step.words}")

    def action_redo(self) -> None:
        """Do again what was taken back last."""
        step = self._steps.again()
        if step is None or step.after is None:
            self.do(lambda: self._payloads.redo(made_here=step is not None), focus=True)
        else:
            self._bring(step.after)
            self.say(f"Redone: {step.words}")

    def _drop_old_ticks(self) -> None:
        """Take back the ticks of another task: one that shares no word with what is typed now."""
        text = self._lines.text
        if not self._choices.has_ticks or not text.strip() or not self._ticked_for.strip():
            return
        if not set(text.lower().split()) & set(self._ticked_for.lower().split()):
            plain = Choices(
                unconfirmed=self._choices.unconfirmed,
                with_loaded=self._choices.with_loaded,
                secrets=self._choices.secrets,
            )
            before, self._choices = self._choices, plain
            self._steps.take(Step("ticks of the task before taken back", Moment(before), Moment(plain)))
            self.say("Another task: its ticks were taken back, u brings them back")


_SHOWN_TASK = 40
_AGAIN_SECONDS = 0.05


class ContextKeeping(ContextStepping):
    """The Context screen's line at the bottom, its recipes, and the look back."""

    def why_not(self, action: Action) -> str | None:
        """Return why an act cannot be done now."""
        answer = self._answer
        is_empty = answer is None or not answer.pack.payload
        if action.id in {"context-copy", "context-write"} and is_empty and not self.is_waiting:
            return "The payload is empty."
        if action.id in {"context-save", "context-question"} and not (self._lines.text.strip() or self._lines.files):
            return "There is neither a task nor a file."
        if action.id == "context-since" and (answer is None or answer.diff is None):
            return "No pack of this task was used before."
        return super().why_not(action)

    # -- the line ---------------------------------------------------------------------------------

    def action_context_write(self) -> None:
        """Ask where to write the payload to."""
        self._ask_line.open(WRITE)

    def action_context_save(self) -> None:
        """Ask for the name of a recipe."""
        self._ask_line.open(RECIPE)

    def action_context_question(self) -> None:
        """Ask for the file of evaluation questions."""
        self._ask_line.open(QUESTION)

    @on(AskLine.Given)
    def _take_given(self, message: AskLine.Given) -> None:
        message.stop()
        self._keep(message)

    def _keep(self, message: AskLine.Given) -> None:
        """Keep what is shown; a payload that is on its way is waited for."""
        if self.is_waiting:
            self.set_timer(_AGAIN_SECONDS, lambda: self._keep(message))
        elif self._answer is None or self._answer.ask != self._ask():
            self.say("There is no payload for what the lines say: put them right first.", severity="warning")
        elif message.name == WRITE:
            self._write_file(self._answer, message.text, overwrite=message.again)
        elif message.name == QUESTION:
            self._note_question(self._answer, message.text)
        elif message.again:
            self._save_recipe(message.text)
        else:
            self._read_recipes(message.text.strip())

    def _close_line(self) -> None:
        self._ask_line.close()
        self._list.focus()

    @work(thread=True, group="write", exit_on_error=False)
    def _write_file(self, answer: Answer, named: str, *, overwrite: bool) -> None:
        try:
            path = self._payloads.write(answer, named, overwrite=overwrite)
        except MemtuiError as error:
            self.post_message(FileWritten(error, answer))
        else:
            self.post_message(FileWritten(path, answer))

    @on(FileWritten)
    def _tell_written(self, message: FileWritten) -> None:
        outcome = message.outcome
        if isinstance(outcome, RefusedError):
            self._ask_line.ask_again()
        elif isinstance(outcome, MemtuiError):
            self.say(str(outcome), severity="error")
        else:
            self.say(written_words(message.answer, outcome))
            self._close_line()

    @work(thread=True, group="write", exit_on_error=False)
    def _note_question(self, answer: Answer, named: str) -> None:
        try:
            path = self._payloads.note_question(answer, named)
        except MemtuiError as error:
            self.post_message(QuestionNoted(error, answer))
        else:
            self.post_message(QuestionNoted(path, answer))

    @on(QuestionNoted)
    def _tell_noted(self, message: QuestionNoted) -> None:
        outcome = message.outcome
        if isinstance(outcome, MemtuiError):
            self.say(str(outcome), severity="error")
            return
        expected = counted(len(message.answer.pack.included), "memory", "memories")
        name = tame(outcome.name, 60)
        self.say(f"Noted in {tame(str(outcome))}: {expected} expected. memtui eval {name} measures")
        self._close_line()

    # -- recipes ----------------------------------------------------------------------------------

    def action_context_load(self) -> None:
        """Choose a recipe."""
        self._read_recipes("")

    @work(thread=True, exclusive=True, group="recipes", exit_on_error=False)
    def _read_recipes(self, name: str) -> None:
        try:
            recipes = self._payloads.recipes()
        except MemtuiError as error:
            self.post_message(LookFailed(error))
        else:
            self.post_message(RecipesRead(recipes, name))

    @on(RecipesRead)
    def _take_recipes(self, message: RecipesRead) -> None:
        recipes = {recipe.name: recipe for recipe in message.recipes}
        if message.name:
            if message.name in recipes:
                self._ask_line.ask_again()
            else:
                self._save_recipe(message.name)
            return
        if not recipes:
            self.say("There is no recipe yet: R saves the task as one.", severity="warning")
            return

        def load(name: str | None) -> None:
            if name is not None:
                self._take_step(f"load recipe {name}", *of_kept(recipes[name]))

        choices = [(name, _in_short(recipe.task, recipe.files)) for name, recipe in recipes.items()]
        self.app.push_screen(ChoiceScreen("Recipe", choices, ""), load)

    def _save_recipe(self, name: str) -> None:
        answer = self._answer
        if answer is not None:
            self._do_here(lambda: self._payloads.save_recipe(name, answer))
            self._close_line()

    # -- the last time ----------------------------------------------------------------------------

    def action_context_since(self) -> None:
        """Show what changed since the last pack of this task."""
        if self._answer is not None:
            self._read_since(self._answer)

    @work(thread=True, exclusive=True, group="detail", exit_on_error=False)
    def _read_since(self, answer: Answer) -> None:
        try:
            since = self._payloads.since(answer)
        except MemtuiError as error:
            self.post_message(LookFailed(error))
        else:
            if since is not None:
                self.post_message(SinceRead(since))

    @on(SinceRead)
    def _show_since(self, message: SinceRead) -> None:
        self.app.push_screen(CardScreen("Since last time", rows.since_blocks(message.since)))


def _in_short(task: str, files: tuple[str, ...]) -> str:
    return tame(task, _SHOWN_TASK) or tame(", ".join(files), _SHOWN_TASK)
