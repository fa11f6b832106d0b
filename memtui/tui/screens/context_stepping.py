"""What the Context screen changes by a key, each as a step that undo takes back before anything older."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from memtui.tui.access.values import Done
from memtui.tui.context_choices import Choices, Moment, Step
from memtui.tui.messages import Act
from memtui.tui.screens.context_reading import ContextReading
from memtui.tui.wording import tame

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

        self.do(Act(run))

    def action_undo(self) -> None:
        """Take back what was changed here last; then the last change of the vault."""
        step = self._steps.back()
        if step is None or step.before is None:
            self.do(Act(lambda: self._payloads.undo(made_here=step is not None), focus=True))
        else:
            self._bring(step.before)
            self.say(f"Undid: {step.words}")

    def action_redo(self) -> None:
        """Do again what was taken back last."""
        step = self._steps.again()
        if step is None or step.after is None:
            self.do(Act(lambda: self._payloads.redo(made_here=step is not None), focus=True))
        else:
            self._bring(step.after)
            self.say(f"Did again: {step.words}")

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
