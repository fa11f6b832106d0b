"""One line to type in: a paste of several lines is folded into one, and a huge one does no harm."""

from __future__ import annotations

from textual import events
from textual.widgets import Input

from memtui.text.sanitising import one_line

LONGEST = 2_000
"""Characters of a line; recall reads no more of a task for its phase."""

_READ_OF_A_PASTE = 20
"""A paste is read up to this multiple of the line's room: white space may make up most of it."""


class TextLine(Input):
    """A single line of text.

    Args:
        placeholder: shown while it is empty; never from others.
        longest: most characters.
    """

    def __init__(self, placeholder: str = "", *, longest: int = LONGEST, id: str | None = None) -> None:  # noqa: A002 - Textual's name for it
        super().__init__(placeholder=placeholder, max_length=longest, id=id, compact=True, select_on_focus=False)
        self._longest = longest

    def _on_paste(self, event: events.Paste) -> None:
        """Take a paste as one line without control characters."""
        event.stop()
        event.prevent_default()
        text = one_line(event.text[: self._longest * _READ_OF_A_PASTE])
        room = self._longest - len(self.value) + len(self.selected_text)
        self.replace(text[: max(0, room)], *sorted(self.selection))
