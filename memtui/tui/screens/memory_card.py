"""What Context and Packs share: a memory read in full over the screen, and the way of a payload to the terminal."""

from __future__ import annotations

from textual import on, work

from memtui.errors import MemtuiError
from memtui.tui.context_messages import MemoryRead
from memtui.tui.describing import describe
from memtui.tui.messages import LookFailed
from memtui.tui.screens.card import CardScreen
from memtui.tui.screens.working import WorkingScreen


class MemoryCards(WorkingScreen):
    """A screen whose rows are memories that can be read in full."""

    @work(thread=True, exclusive=True, group="memory", exit_on_error=False)
    def read_memory(self, identifier: str) -> None:
        """Read a memory, and show it over the screen."""
        try:
            detail = self.access.detail(identifier)
        except MemtuiError as error:
            self.post_message(LookFailed(error))
        else:
            self.post_message(MemoryRead(detail))

    @on(MemoryRead)
    def _show_memory(self, message: MemoryRead) -> None:
        if message.detail is None:
            self.say("This memory is gone: somebody took it out meanwhile.", severity="warning")
        else:
            self.app.push_screen(CardScreen("Memory", describe(message.detail)))

    def send_escape(self, text: str) -> bool:
        """Send OSC 52 between two pictures rather than into one."""
        self.app.copy_to_clipboard(text.encode("utf-8", "replace").decode("utf-8"))
        return True
