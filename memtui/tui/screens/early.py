"""Screens to type into that read first: what is typed meanwhile waits for its turn, and no letter of it runs an act."""

from __future__ import annotations

from textual.widget import Widget

from memtui.tui.opening import Opening
from memtui.tui.screens.working import WorkingScreen


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
