"""What a payload is asked for: task, files, target, budget, phase and style, and what is wrong with one of them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, Static

from memtui.config import ContextSettings
from memtui.errors import MemtuiError
from memtui.tui.completing import SEPARATOR, names_in
from memtui.tui.widgets.files_line import FilesLine, Offers
from memtui.tui.widgets.setting_word import SettingWord
from memtui.tui.widgets.text_line import TextLine
from memtui.tui.wording import tame

if TYPE_CHECKING:
    from memtui.pack.targets.base import Style

GUESSED = "guessed"
"""The phase where none is chosen."""

_LONGEST_TROUBLE = 300


class TaskLines(Vertical):
    """The lines at the top of Context.

    Args:
        settings: the configuration's defaults.
        folder: what the files in hand are relative to.

    Attributes:
        target: name of the target.
        phase: the phase that was chosen, None to guess it.
        style: full or compiled.
        stops: the lines that can be typed in, in order.
    """

    DEFAULT_CLASSES: ClassVar[str] = "task-lines"

    class Changed(Message):
        """Something was typed."""

    class Entered(Message):
        """Typing is done: on to the list."""

    def __init__(self, settings: ContextSettings, folder: Path, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name for it
        super().__init__(id=id)
        self._settings = settings
        self.target = settings.target
        self.phase: str | None = None
        self.style: Style = "compiled" if settings.style == "compiled" else "full"
        self.task_line = TextLine("what are you about to do? empty: the standing payload", id="context-task")
        self.offers = Offers(id="context-offers")
        self.files_line = FilesLine(self.offers, folder, id="context-files")
        self.budget_line = TextLine("1200", longest=40, id="context-budget")
        self._target_word = SettingWord("Target", "context-target", id="context-target")
        self._phase_word = SettingWord("Phase", "context-phase", id="context-phase")
        self._style_word = SettingWord("Style", "context-style", id="context-style")
        self._trouble = Static("", id="context-trouble", markup=False)
        self.stops = (self.task_line, self.files_line, self.budget_line)

    def compose(self) -> ComposeResult:
        """Lay out the lines."""
        with Horizontal(id="context-ask"):
            with Horizontal(id="context-task-bar"):
                yield Static(" Task  ", classes="context-label", markup=False)
                yield self.task_line
            with Horizontal(id="context-files-bar"):
                yield Static(" Files ", classes="context-label", markup=False)
                yield self.files_line
        with Horizontal(id="context-settings"):
            yield self._target_word
            yield Static("Budget ", classes="context-label", markup=False)
            yield self.budget_line
            yield self._phase_word
            yield self._style_word
        yield self._trouble

    # -- values -----------------------------------------------------------------------------------

    @property
    def text(self) -> str:
        """The task."""
        return self.task_line.value

    @property
    def budget(self) -> str:
        """The budget as typed; the configuration's where nothing is."""
        return self.budget_line.value.strip() or self._settings.budget

    @property
    def files(self) -> tuple[str, ...]:
        """The files in hand, less the one that is being typed and completed."""
        if not self.files_line.is_offering:
            return tuple(self.files_line.names)
        line, cursor = self.files_line.value, self.files_line.cursor_position
        before, after = line[:cursor].rpartition(",")[0], line[cursor:].partition(",")[2]
        return tuple(names_in(f"{before},{after}"))

    def restore(self, values: Mapping[str, Any]) -> None:
        """Take what was remembered; what is no text is passed over."""
        found = {key: value for key, value in values.items() if isinstance(value, str)}
        self.task_line.value = found.get("task", "")
        # What is typed next replaces the task of last time.
        self.task_line.select_all()
        self.files_line.value = found.get("files", "")
        self.budget_line.value = found.get("budget") or self._settings.budget
        self.target = found.get("target") or self._settings.target
        self.phase = found.get("phase") or None
        self.style = "compiled" if (found.get("style") or self._settings.style) == "compiled" else "full"
        self.show_settings(None)

    def remembered(self) -> dict[str, str]:
        """Return what to restore; what is as the configuration says is left out, so that it follows it."""
        values = {
            "task": self.text,
            "files": SEPARATOR.join(self.files_line.names),
            "budget": "" if self.budget == self._settings.budget else self.budget,
            "target": "" if self.target == self._settings.target else self.target,
            "phase": self.phase or "",
            "style": "" if self.style == self._settings.style else self.style,
        }
        return {key: value for key, value in values.items() if value}

    # -- showing ----------------------------------------------------------------------------------

    def show_settings(self, guessed: str | None) -> None:
        """Show target, style and phase, the guessed one where none is chosen."""
        self._target_word.value = self.target
        self._style_word.value = self.style
        self._phase_word.value = self.phase or (f"{guessed} ({GUESSED})" if guessed else GUESSED)

    def tell(self, field: str, error: MemtuiError) -> None:
        """Say under the lines what is wrong with one of them."""
        text = f" {field}: {error}" if field else f" {error}"
        self._trouble.update(Content(tame(text, _LONGEST_TROUBLE)))
        self._trouble.set_class(True, "-told")

    def clear_trouble(self) -> None:
        """Take back what was wrong."""
        self._trouble.set_class(False, "-told")

    # -- typing -----------------------------------------------------------------------------------

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        self.post_message(self.Changed())

    @on(Input.Submitted)
    def _entered(self, event: Input.Submitted) -> None:
        event.stop()
        self.post_message(self.Entered())

    @on(FilesLine.Left)
    def _leave_files(self, message: FilesLine.Left) -> None:
        message.stop()
        # While names were offered, the one that was typed did not count yet.
        self.post_message(self.Changed())
        if message.to_list:
            self.post_message(self.Entered())
        else:
            self.budget_line.focus()

    @on(SettingWord.Pressed)
    async def _press_setting(self, message: SettingWord.Pressed) -> None:
        message.stop()
        await self.screen.run_action(f"act('{message.act}')")
