"""The base of screens on the vault: changes in order, errors as toasts, checks of files."""

from __future__ import annotations

import inspect
from collections import deque
from typing import ClassVar

from textual import on, work
from textual.binding import BindingType
from textual.notifications import SeverityLevel
from textual.screen import Screen
from textual.widget import Widget
from textual.worker import Worker, WorkerState

from memtui.errors import MemtuiError, NothingToUndoError
from memtui.tui.actions import registry
from memtui.tui.actions.action import Action
from memtui.tui.actions.everywhere import EVERYWHERE, GO
from memtui.tui.keymap import Keymap
from memtui.tui.launch_options import Opening
from memtui.tui.messages import Act, Acted, ActFailed, LookFailed
from memtui.tui.state import State
from memtui.tui.text_layout import tame
from memtui.tui.textual_patches import toasts
from memtui.tui.vault_access import Done, VaultAccess

_LONGEST_TOAST = 600


class WorkingScreen(Screen[None]):
    """A screen whose work on the vault is done in threads that only post messages.

    Args:
        opening: what the app was opened with.
    """

    AREA: ClassVar[str] = ""
    """Owner of this screen's own acts in the registry."""

    BINDINGS: ClassVar[list[BindingType]] = registry.bindings(EVERYWHERE)

    def __init__(self, opening: Opening) -> None:
        super().__init__()
        self.opening = opening
        self.access = VaultAccess(opening)
        self.acting = False
        """Whether a change is on its way."""
        self._acts: deque[Act] = deque()
        self._leaving = False
        self._last_trouble = ""

    @property
    def current_memory(self) -> str | None:
        """The memory that is looked at, for screens that are gone to from here; None where there is none."""
        return None

    def remember(self, state: State) -> None:
        """Put what is to be found again at the next start into the app's state."""

    # -- acts of the registry ---------------------------------------------------------------------

    def offered(self) -> list[Action]:
        """Return the acts that help and palette can run here."""
        return [action for action in registry.of_owners(self.AREA, EVERYWHERE) if action.menu]

    def why_not(self, action: Action) -> str | None:
        """Return why an act cannot be done now, None where it can. Screens add their reasons."""
        del action
        return None

    async def action_act(self, identifier: str) -> None:
        """Do what a key or the palette asks for, or say why not."""
        action = registry.by_id(identifier)
        reason = self.why_not(action)
        if reason is not None:
            self.say(reason, severity="warning")
            return
        if action.id.startswith(GO):
            # In the app's own turn: a screen that waits for its own removal waits for ever.
            self.app.call_later(self.app.run_action, f"go('{action.id.removeprefix(GO)}')")
            return
        done = getattr(self, f"action_{action.method}")()
        if inspect.isawaitable(done):
            await done

    def action_undo(self) -> None:
        """Undo the last change."""
        self.do(Act(self.access.undo, focus=True))

    def action_redo(self) -> None:
        """Do the undone change again."""
        self.do(Act(self.access.redo, focus=True))

    def action_back(self) -> None:
        """Leave this screen, unless it is the only one."""
        if len(self.app.screen_stack) > 1:
            self.app.pop_screen()

    def action_help(self) -> None:
        """Show every act of this screen, to be found and run."""
        from memtui.tui.screens.help import HelpScreen

        def run(identifier: str | None) -> None:
            if identifier is not None:
                # In the app's own turn, as keys are: in its own a screen would wait for itself to be gone.
                self.app.call_later(self.action_act, identifier)

        self.app.push_screen(HelpScreen(self), run)

    async def action_palette(self) -> None:
        """Open the command palette."""
        await self.run_action("app.command_palette")

    async def action_theme(self) -> None:
        """Choose a theme."""
        await self.run_action("app.change_theme")

    # -- changes ----------------------------------------------------------------------------------

    def do(self, act: Act) -> None:
        """Make a change after those asked for before it."""
        self._acts.append(act)
        self._next_act()

    def acts_ended(self, focus: str | None) -> None:
        """Take in what changed; called after the last change in a row."""

    def _next_act(self) -> None:
        if not self.acting and self._acts:
            self.acting = True
            self._run_act(self._acts.popleft())

    @work(thread=True, group="act", exit_on_error=False)
    def _run_act(self, act: Act) -> None:
        # Not exclusive: a new key must never cancel a change that waits for its thread.
        try:
            done = act.run()
        except MemtuiError as error:
            self.post_message(ActFailed(error))
        else:
            self.post_message(Acted(act, done))

    def tell_done(self, done: Done) -> None:
        """Tell of a change that was made, or that there was nothing to change."""
        self.say(done.message, severity="information" if done.changed else "warning")

    @on(Acted)
    def _tell_act(self, message: Acted) -> None:
        self.tell_done(message.done)
        self._end_act(focus=message.done.focus if message.act.focus else None)

    def answers_failure(self, error: MemtuiError) -> bool:
        """Answer a change that was not made; False where a toast is to tell of it."""
        del error
        return False

    @on(ActFailed)
    def _tell_failed_act(self, message: ActFailed) -> None:
        self._leaving = False
        if not self.answers_failure(message.error):
            if isinstance(message.error, NothingToUndoError):
                self.say(str(message.error).replace("`memtui log`", self._key_to_history()), severity="warning")
            else:
                self.say(str(message.error), severity="error")
        self._end_act()

    def _key_to_history(self) -> str:
        """Return what shows the changes here, where the command line has `memtui log`."""
        keymap: Keymap = getattr(self.app, "keymap", None) or Keymap()
        return keymap.first(registry.by_id("go-history")) or "History"

    def _end_act(self, focus: str | None = None) -> None:
        """Go on with the next change; after the last, leave if that was asked for."""
        self.acting = False
        self._next_act()
        if self.acting:
            return
        if self._leaving:
            self.app.exit()
        else:
            self.acts_ended(focus)

    def action_quit(self) -> None:
        """Leave, once every change that was asked for is made."""
        if self.acting:
            self._leaving = True
            self.say("Leaving once the last change is made …")
        else:
            self.app.exit()

    # -- toasts -----------------------------------------------------------------------------------

    def say(self, text: str, *, severity: SeverityLevel = "information") -> None:
        """Show a toast; the text is never read as markup."""
        toasts.stand_clear(self.app.screen)
        self.notify(tame(text, _LONGEST_TOAST), severity=severity, timeout=toasts.SECONDS[severity], markup=False)

    @property
    def in_trouble(self) -> bool:
        """Whether the last look at the vault failed."""
        return bool(self._last_trouble)

    def complain(self, text: str) -> None:
        """Tell of a failed look at the vault; the same trouble is told once until it is over."""
        if text != self._last_trouble:
            self.say(text, severity="error")
        self._last_trouble = text

    def trouble_is_over(self) -> None:
        """Take note that a look at the vault succeeded."""
        self._last_trouble = ""

    @on(Worker.StateChanged)
    def _tell_defect(self, event: Worker.StateChanged) -> None:
        """Tell of an error that nobody foresaw; the app lives on."""
        if event.state is not WorkerState.ERROR:
            return
        text = f"{type(event.worker.error).__name__}: {event.worker.error}"
        if event.worker.group == "act":
            self._leaving = False
            self.say(text, severity="error")
            self._end_act()
        else:
            self.complain(text)


class EarlyTyping(WorkingScreen):
    """A screen whose fields take what is typed once `open_at` was called."""

    def __init__(self, opening: Opening) -> None:
        super().__init__(opening)
        self.is_opening = True
        """Whether keys have to wait for the fields."""

    def open_at(self, field: Widget) -> None:
        """Go to a field, and take keys from now on; call it once the fields are in sight."""
        self.set_focus(field)
        self.is_opening = False


FIRST_SECONDS = 3.0
"""Pause before the first check: the list, its rows and its counts come first."""

AGAIN_SECONDS = 300.0
"""Pause between two checks; one over 5,000 files takes less than a second of one core."""


class FileChecks(WorkingScreen):
    """A screen behind which the files of memories are looked after."""

    def check_files_in_background(self) -> None:
        """Check soon, and again now and then."""
        self.set_timer(FIRST_SECONDS, self.check_files)
        self.set_interval(AGAIN_SECONDS, self.check_files)

    @work(thread=True, exclusive=True, group="files", exit_on_error=False)
    def check_files(self) -> None:
        """Check the files now; the look at the vault that comes anyway brings what was found."""
        try:
            self.access.look_after_files()
        except MemtuiError as error:
            self.post_message(LookFailed(error))
