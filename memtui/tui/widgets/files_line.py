"""The line for files in hand: several, with completion while one is typed."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from textual import events, on
from textual.binding import BindingType
from textual.content import Content
from textual.geometry import Offset
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget
from textual.widgets import Input

from memtui.text.width import clip
from memtui.tui.actions import registry
from memtui.tui.actions.context import FILES
from memtui.tui.completing import completed, names_in, offers, typed_at
from memtui.tui.widgets.text_line import TextLine
from memtui.tui.wording import tame


class Offers(Widget):
    """The names that fit, the chosen one marked."""

    ALLOW_SELECT = False
    names: reactive[Sequence[str]] = reactive((), layout=True)
    chosen: reactive[int] = reactive(0)

    @dataclass
    class Picked(Message):
        """A name was clicked."""

        place: int

    def render(self) -> Content:
        """Return the lines."""
        width = max(1, self.size.width - 3)
        lines = [
            Content.assemble(
                ("▌" if place == self.chosen else " ", "$memtui-pin"),
                (clip(tame(name), width), "bold $foreground" if place == self.chosen else "$memtui-dim"),
            )
            for place, name in enumerate(self.names)
        ]
        return Content("\n").join(lines) if lines else Content("")

    def on_click(self, event: events.Click) -> None:
        """Take the name that was clicked."""
        offset = event.get_content_offset(self)
        if offset is not None and offset.y < len(self.names):
            event.stop()
            self.post_message(self.Picked(offset.y))


class FilesLine(TextLine):
    """A line of names; its offers are shown by a widget that the screen places.

    Args:
        offers: where the fitting names are shown.
        folder: what a path typed here is relative to.
    """

    BINDINGS: ClassVar[list[BindingType]] = registry.bindings(FILES)

    @dataclass
    class Left(Message):
        """The line is done with: on to the next one, or to the list."""

        to_list: bool

    def __init__(self, offers: Offers, folder: Path, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name for it
        super().__init__(placeholder="files in hand, completed as you type", id=id)
        self._offers = offers
        self._known: Sequence[str] = ()
        self._folder = folder
        self._offered_for = ""

    @property
    def names(self) -> list[str]:
        """The files named so far."""
        return names_in(self.value)

    @property
    def is_offering(self) -> bool:
        """Whether names are offered."""
        return bool(self._offers.names)

    def know(self, names: Sequence[str]) -> None:
        """Take the names to complete from."""
        self._known = names
        self._offer()

    def close_offers(self) -> None:
        """Offer nothing until the next key."""
        self._offers.names = ()
        self._offers.set_class(False, "-open")

    @on(Input.Changed)
    def _typed(self) -> None:
        self._offer()

    def _offer(self) -> None:
        self._offered_for = self.value
        typed = typed_at(self.value, self.cursor_position) if self.has_focus else ""
        found = offers(self._known, typed, without=self.names) if typed else []
        self._offers.names = tuple(found)
        self._offers.chosen = 0
        self._offers.absolute_offset = Offset(self.region.x, self.region.bottom)
        self._offers.set_class(bool(found), "-open")

    def on_blur(self) -> None:
        """Offer nothing while elsewhere is typed."""
        self.close_offers()

    def take(self, place: int) -> None:
        """Complete the name at the cursor with an offered one."""
        if place < len(self._offers.names):
            name = self._offers.names[place]
            self.value, self.cursor_position = completed(self.value, self.cursor_position, name)
            self.close_offers()

    def _take_or_leave(self, *, to_list: bool) -> None:
        if self._offered_for != self.value:
            # The offers are of the key before: those of now are to be taken, or none.
            self._offer()
        if self.is_offering and (self._offers.chosen or not self._is_whole):
            self.take(self._offers.chosen)
        else:
            self.close_offers()
            self.post_message(self.Left(to_list=to_list))

    @property
    def _is_whole(self) -> bool:
        """Whether the name at the cursor is typed in full, so that nothing is to be completed."""
        name = typed_at(self.value, self.cursor_position).strip()
        return name in self._known or os.path.isfile(self._folder / name)  # noqa: PTH113 - Path.is_file raises for a name that is too long

    def action_offer_take(self) -> None:
        """Take the chosen name, else go on to the next line; a name that is typed in full is done with."""
        self._take_or_leave(to_list=False)

    def action_offer_enter(self) -> None:
        """Take the chosen name, else go to the list; a name that is typed in full is done with."""
        self._take_or_leave(to_list=True)

    def action_offer_down(self) -> None:
        """Choose the next name, else go to the list."""
        if self.is_offering:
            self._offers.chosen = min(self._offers.chosen + 1, len(self._offers.names) - 1)
        else:
            self.post_message(self.Left(to_list=True))

    def action_offer_up(self) -> None:
        """Choose the name before."""
        self._offers.chosen = max(self._offers.chosen - 1, 0)
