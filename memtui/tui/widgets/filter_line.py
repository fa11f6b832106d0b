"""The filter: one line that narrows the list while it is typed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from textual import events
from textual.binding import BindingType
from textual.message import Message
from textual.widgets import Input

from memtui.text.sanitising import one_line
from memtui.tui.actions import registry
from memtui.tui.actions.browse import FILTER

LONGEST = 200
"""Characters of a filter."""


class FilterLine(Input):
    """A single line of text. A paste of several lines is folded into one."""

    BINDINGS: ClassVar[list[BindingType]] = registry.bindings(FILTER)

    @dataclass
    class Kept(Message):
        """The filter is to stay and the list to be looked at."""

    @dataclass
    class Moved(Message):
        """The cursor of the list is to move while the filter is typed."""

        rows: int

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name for it
        super().__init__(
            placeholder="words, part of a title, or kind:tooling age>180d -pinned",
            max_length=LONGEST,
            id=id,
            compact=True,
        )

    def action_filter_keep(self) -> None:
        """Keep the filter and go to the list."""
        self.post_message(self.Kept())

    def action_filter_down(self) -> None:
        """Move the cursor of the list down."""
        self.post_message(self.Moved(1))

    def action_filter_up(self) -> None:
        """Move the cursor of the list up."""
        self.post_message(self.Moved(-1))

    def _on_paste(self, event: events.Paste) -> None:
        """Take a paste as one line without control characters."""
        event.stop()
        event.prevent_default()
        text = one_line(event.text[: LONGEST * 20])
        room = LONGEST - len(self.value) + len(self.selected_text)
        self.replace(text[:room], *sorted(self.selection))
