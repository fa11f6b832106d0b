"""The command palette of Textual, safe for quick fingers."""

from __future__ import annotations

from textual.await_complete import AwaitComplete
from textual.command import CommandPalette


class Palette(CommandPalette):
    """Closes once: a command that is chosen while the palette is being left would close the screen beneath it."""

    def dismiss(self, result: None = None) -> AwaitComplete:
        """Close the palette, unless that was done."""
        return super().dismiss(result) if self.is_active else AwaitComplete()
