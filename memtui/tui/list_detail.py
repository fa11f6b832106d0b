"""A list beside what is read of its current row."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import ClassVar, TypeVar

from textual.widget import Widget

from memtui.tui.launch_options import Opening
from memtui.tui.screen import MemtuiScreen

T = TypeVar("T")

RESTING_SECONDS = 0.05
"""Pause of the cursor before its row is read in full."""


class ListDetail(MemtuiScreen):
    """Two panes, read through the loader, and read again when somebody changes the vault.

    Where it is narrow one pane is shown; the class `-reading` says that it is the second. A subclass composes the panes
    (a `RowList` with its renderer, a `DetailPane`), sets `looked_at` and reads in `look_again`.

    Args:
        opening: what the app was opened with.
        first: the list.
        second: the pane to read in.
    """

    BACK_TO_FIRST: ClassVar[bool] = True
    """Whether back leads from the second pane to the first."""

    def __init__(self, opening: Opening, first: Widget, second: Widget) -> None:
        super().__init__(opening)
        self._first = first
        self._second = second
        first.add_class("pane")
        second.add_class("pane")

    def read_rested(self, function: Callable[[], T], then: Callable[[T], object]) -> None:
        """Read the current row in full, once the cursor rests on it."""
        read = partial(self.loader.read, function, then, group="detail")
        self.loader.after(RESTING_SECONDS, read, group="detail")

    def stop_rest(self) -> None:
        """Read nothing for the row that the cursor left."""
        self.loader.stop("detail")

    # -- panes ------------------------------------------------------------------------------------

    @property
    def hint_place(self) -> str:
        """Which keys the footer shows."""
        return self.AREA

    def enter_first(self) -> None:
        """Go to the first pane."""
        self.set_class(False, "-reading")
        self._first.focus()

    def enter_second(self) -> None:
        """Go to the second pane."""
        self.set_class(True, "-reading")
        self._second.focus()

    def enter_other(self) -> None:
        """Go to the other pane."""
        if self.focused is self._first:
            self.enter_second()
        else:
            self.enter_first()

    def leave_line(self) -> bool:
        """Close a line that is typed in; False where none is open."""
        return False

    def action_back(self) -> None:
        """Leave the second pane, then a line that is open, then the screen."""
        if self.BACK_TO_FIRST and self.focused is self._second:
            self.enter_first()
        elif not self.leave_line():
            super().action_back()
