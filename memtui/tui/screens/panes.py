"""Screens of panes."""

from __future__ import annotations

from typing import ClassVar

from textual import events, on
from textual.widget import Widget

from memtui.errors import MemtuiError
from memtui.tui.launch_options import Opening
from memtui.tui.messages import LookFailed
from memtui.tui.screens.working import WorkingScreen
from memtui.tui.vault_access import Signature
from memtui.tui.widgets.chrome import KeyHints

POLL_SECONDS = 2.0
"""How often the vault is looked at for changes of others."""


class PanesScreen(WorkingScreen):
    """A screen that draws one look at the vault, and looks again when somebody changed it.

    Subclasses say by `looked_at` what the file system said of the vault before their look, and look in `look_again`.

    Args:
        opening: what the app was opened with.
    """

    def __init__(self, opening: Opening) -> None:
        super().__init__(opening)
        self.hints = KeyHints(id="hints")
        self.looked_at: Signature | None = None
        """The vault's files before the last look; None until there was one."""

    def begin_looking(self) -> None:
        """Look after the first picture, and from then on whenever the vault changed."""
        self.hints.place = self.hint_place
        self.call_after_refresh(self.look_again)
        self.set_interval(POLL_SECONDS, self._poll)

    def look_again(self) -> None:
        """Look at the vault."""
        raise NotImplementedError

    def draw_again(self) -> None:
        """Lay out what was read for the room there is."""

    @property
    def hint_place(self) -> str:
        """Which keys the footer shows."""
        return self.AREA

    def look_failed(self, error: MemtuiError) -> None:
        """Tell of a look that failed."""
        self.complain(str(error))

    @on(LookFailed)
    def _tell_failed_look(self, message: LookFailed) -> None:
        self.look_failed(message.error)

    def _poll(self) -> None:
        if self.looked_at is None or self.acting:
            return
        if self.in_trouble or self.access.signature() != self.looked_at:
            self.look_again()

    def acts_ended(self, focus: str | None) -> None:
        """Look again after a change."""
        del focus
        self.look_again()

    def on_resize(self, event: events.Resize) -> None:
        """Lay out the lines for the room there is."""
        del event
        self.call_after_refresh(self.draw_again)

    def on_descendant_focus(self) -> None:
        """Show the keys of what is focused."""
        self.hints.place = self.hint_place

    @on(KeyHints.Pressed)
    async def _press(self, message: KeyHints.Pressed) -> None:
        message.stop()
        await self.action_act(message.action.id)


class TwoPanes(PanesScreen):
    """A list and what is read beside it; where it is narrow one of them is shown, the class `-reading` says which.

    Args:
        opening: what the app was opened with.
        first: the pane to come from.
        second: the pane to read in.
    """

    BACK_TO_FIRST: ClassVar[bool] = True
    """Whether back leads from the second pane to the first."""

    def __init__(self, opening: Opening, first: Widget, second: Widget) -> None:
        super().__init__(opening)
        self._first = first
        self._second = second

    def enter_first(self) -> None:
        """Go to the first pane."""
        self.set_class(False, "-reading")
        self._first.focus()

    def enter_second(self) -> None:
        """Go to the second pane."""
        self.set_class(True, "-reading")
        self._second.focus()

    def enter_other(self) -> None:
        """Go to the other pane."""
        if self.focused is self._first:
            self.enter_second()
        else:
            self.enter_first()

    def leave_line(self) -> bool:
        """Close a line that is typed in; False where none is open."""
        return False

    def action_back(self) -> None:
        """Leave the second pane, then a line that is open, then the screen."""
        if self.BACK_TO_FIRST and self.focused is self._second:
            self.enter_first()
        elif not self.leave_line():
            super().action_back()
