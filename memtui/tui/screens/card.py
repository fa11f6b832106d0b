"""A card over the screen: one memory in full, or the explanation of a score."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.screen import ModalScreen

from memtui.tui.describing import Block
from memtui.tui.widgets.detail import DetailPane


class CardScreen(ModalScreen[None]):
    """Text to read; esc, enter and q close it.

    Args:
        title: what it is, in our own words.
        blocks: the text.
    """

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,enter,q,i", "leave", "close")]
    AUTO_FOCUS = "#card"

    def __init__(self, title: str, blocks: Sequence[Block]) -> None:
        super().__init__()
        self._title = title
        self._blocks = tuple(blocks)

    def compose(self) -> ComposeResult:
        """Lay out the card."""
        card = DetailPane(id="card")
        card.border_title = Content(self._title)  # a plain str would be read as markup
        card.border_subtitle = Content("esc closes")
        yield card

    def on_mount(self) -> None:
        """Show the text once the card has its width."""
        self.call_after_refresh(self._show)

    def _show(self) -> None:
        self.query_one("#card", DetailPane).show(self._blocks, from_top=True)

    def action_leave(self) -> None:
        """Close."""
        self.dismiss(None)
