"""Choosing a theme: the whole app shows the one under the cursor; esc brings the old one back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import OptionList
from textual.widgets.option_list import Option


class ThemePicker(ModalScreen[str | None]):
    """A list of themes; returns the one that was kept.

    Args:
        names: themes to choose from.
        current: the theme in force, to go back to.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "leave", "back to the old theme"),
        Binding("j", "list('cursor_down')", show=False),
        Binding("k", "list('cursor_up')", show=False),
    ]

    def __init__(self, names: Sequence[str], current: str) -> None:
        super().__init__()
        self._names = list(names)
        self._current = current

    def compose(self) -> ComposeResult:
        """Lay out the list."""
        choices = OptionList(*(Option(Content(name), id=name) for name in self._names), id="theme-list", markup=False)
        choices.border_title = Content("Theme")
        choices.border_subtitle = Content("enter keeps · esc goes back")
        choices.highlighted = self._names.index(self._current)
        yield choices

    @on(OptionList.OptionHighlighted, "#theme-list")
    def _preview(self, event: OptionList.OptionHighlighted) -> None:
        event.stop()
        if event.option_id is not None:
            self.app.theme = event.option_id

    @on(OptionList.OptionSelected, "#theme-list")
    def _keep(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.dismiss(event.option_id)

    def action_list(self, move: str) -> None:
        """Move the cursor of the list."""
        getattr(self.query_one("#theme-list", OptionList), f"action_{move}")()

    def action_leave(self) -> None:
        """Go back to the theme that was in force."""
        self.app.theme = self._current
        self.dismiss(None)
