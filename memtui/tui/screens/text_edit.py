"""Writing one text by hand, over the screen."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen

from memtui.tui.widgets.form_fields import FormArea


class TextEditScreen(ModalScreen[str | None]):
    """Returns the text that was written, None where it was left.

    Args:
        title: what is written, in our own words.
        text: what to begin with.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+s", "take", "take it"),
        Binding("escape", "leave", "leave"),
    ]

    def __init__(self, title: str, text: str) -> None:
        super().__init__()
        self._title = title
        self._text = text
        self._area = FormArea(id="text-edit-area")

    def compose(self) -> ComposeResult:
        """Lay out the text."""
        with Vertical(id="text-edit") as box:
            box.border_title = Content(self._title)  # a plain str would be read as markup
            box.border_subtitle = Content("ctrl+s takes it · esc leaves")
            yield self._area

    def on_mount(self) -> None:
        """Put the text in, the cursor at its end."""
        self._area.fill(self._text)
        self._area.move_cursor(self._area.document.end)
        self._area.focus()

    def action_take(self) -> None:
        """Return the text."""
        self.dismiss(self._area.typed)

    def action_leave(self) -> None:
        """Leave without a change."""
        self.dismiss(None)
