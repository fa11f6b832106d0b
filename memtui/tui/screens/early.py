"""Screens to type into: what is typed before they stand waits for its turn, and no letter of it runs an act."""

from __future__ import annotations

from textual import events
from textual.widget import Widget

from memtui.tui.early_keys import Early, is_typing, put_in
from memtui.tui.opening import Opening
from memtui.tui.screens.working import WorkingScreen


class EarlyTyping(WorkingScreen):
    """A screen whose fields take what is typed once `open_at` was called."""

    def __init__(self, opening: Opening) -> None:
        super().__init__(opening)
        self._early: list[Early] | None = []
        """What is typed before the fields take it; None once they do."""

    def open_at(self, field: Widget) -> None:
        """Go to a field, and put in what was typed meanwhile; call it once the fields are in sight."""
        self.set_focus(field)
        early, self._early = self._early or [], None
        put_in(self, early)
        if any(isinstance(event, events.Key) and event.key == "escape" for event in early):
            self.leave_early()

    def leave_early(self) -> None:
        """Do what esc asks for after what was typed early."""
        self.action_back()

    def on_key(self, event: events.Key) -> None:
        """Keep what is typed until the fields take it; esc after it waits for its turn."""
        if self._early is not None and (is_typing(event) or (self._early and event.key == "escape")):
            event.stop()
            event.prevent_default()
            self._early.append(event)

    def on_paste(self, event: events.Paste) -> None:
        """Keep what is pasted until the fields take it."""
        if self._early is not None:
            event.stop()
            self._early.append(event)
