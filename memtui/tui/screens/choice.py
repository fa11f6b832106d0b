"""Choosing one of a few: a short list over the screen, each with a number that chooses it at once."""

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

NUMBERED = 9
"""Choices that a single digit chooses."""


class ChoiceScreen(ModalScreen[str | None]):
    """Returns the name that was chosen, None where it was left.

    Args:
        title: what is chosen.
        choices: (name, what people call it); a name that is the choice's own number is shown as that alone.
        current: the name in force.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "leave", "leave"),
        Binding("j", "list('cursor_down')", show=False),
        Binding("k", "list('cursor_up')", show=False),
        *(Binding(str(number), f"take({number})", show=False) for number in range(1, NUMBERED + 1)),
    ]

    def __init__(self, title: str, choices: Sequence[tuple[str, str]], current: str) -> None:
        super().__init__()
        self._title = title
        self._choices = list(choices)
        self._current = current

    def compose(self) -> ComposeResult:
        """Lay out the list."""
        width = max((len(name) for name, _ in self._choices), default=0)
        options = [
            Option(_line(number, name, label, width), id=f"n{number}")
            for number, (name, label) in enumerate(self._choices, 1)
        ]
        names = [name for name, _ in self._choices]
        choices = OptionList(*options, id="choice-list", markup=False)
        choices.border_title = Content(self._title)  # a plain str would be read as markup
        choices.border_subtitle = Content("number or enter takes · esc leaves")
        choices.highlighted = names.index(self._current) if self._current in names else 0
        yield choices

    @on(OptionList.OptionSelected, "#choice-list")
    def _take(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.dismiss(self._choices[event.option_index][0])

    def action_take(self, number: int) -> None:
        """Choose by number."""
        if number <= len(self._choices):
            self.dismiss(self._choices[number - 1][0])

    def action_list(self, move: str) -> None:
        """Move the cursor of the list."""
        getattr(self.query_one("#choice-list", OptionList), f"action_{move}")()

    def action_leave(self) -> None:
        """Leave without choosing."""
        self.dismiss(None)


def _line(number: int, name: str, label: str, width: int) -> Content:
    key = str(number) if number <= NUMBERED else " "
    if name == str(number):
        return Content.assemble((name, "bold $primary"), f"  {label}")
    return Content.assemble(
        (key, "bold $primary"), f"  {name.ljust(width)}", (f"  {label}", "$memtui-dim") if label else ""
    )
