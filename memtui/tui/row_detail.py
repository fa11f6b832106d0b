"""A list beside everything about its current row: the panes of the Assistants, Publish, Choosing and Team screens."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Generic, TypeVar

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal

from memtui.tui.styled_text import Block
from memtui.tui.widgets.detail import DetailPane
from memtui.tui.widgets.lists import Cell, PickList
from memtui.tui.widgets.row_list import RowList, TextRow

R = TypeVar("R")

BREAKPOINTS = [(0, "-narrow"), (100, "-wide")]
"""Widths of a screen from which it shows one of these panes, or both."""


def pane_answers(area: str) -> dict[str, tuple[Any, ...]]:
    """Return how the actions answer that go from one pane of a screen to the other."""
    return {
        f"{area}-read": ("enter_second",),
        f"{area}-list": ("enter_first",),
        f"{area}-detail": ("enter_second",),
        f"{area}-pane": ("enter_other",),
    }


class RowPanes(Horizontal, Generic[R]):
    """Rows, and beside them what is known of the current one; its screen reads the rows and hands them to `show`."""

    def __init__(
        self,
        area: str,
        cells: Callable[[R, int], Iterable[Cell]],
        blocks: Callable[[R], Sequence[Block] | None],  # everything about a row, None as long as it is not known
        *,
        key: Callable[[R], object],  # what tells a row from others when they are read again
        titles: tuple[str, str],  # what the two panes are called
        part: Callable[[R], object]
        | None = None,  # what tells what is shown of a row: something else begins at the top
        words: Callable[[R], str] | None = None,  # what a filter finds a row by, besides what it shows
    ) -> None:
        super().__init__(id=f"{area}-panes")
        self.list: RowList[R] = RowList(cells, words=words, id=f"{area}-list")
        self.list.add_class("rows")
        self.detail = DetailPane(id=f"{area}-detail")
        self.detail.add_class("about")
        self.shown: object = None  # the part of the row in the second pane
        self._area = area
        self._blocks = blocks
        self._key = key
        self._part = part or key
        self._titles = titles

    def compose(self) -> ComposeResult:
        yield self.list
        yield self.detail

    def on_mount(self) -> None:
        """Draw the empty panes; files and vault are read after the first paint."""
        self.list.set_title(f"1 {self._titles[0]}")
        self.detail.set_title(f"2 {self._titles[1]}")

    def show(self, lines: Sequence[R | TextRow], note: str, *, notice: Sequence[str] = ()) -> None:
        """Show other rows; the cursor stays on the row where it is.

        `note`: beside the first pane's title. `notice`: lines to show instead of an empty list.
        """
        current = self.list.current
        follow = None if current is None else lambda row: self._key(row) == self._key(current)
        self.list.show(lines, follow=follow, from_top=current is None, notice=notice)
        self.list.set_title(f"1 {self._titles[0]}", note)
        self.draw()

    def draw(self) -> None:
        """Lay out everything about the current row for the room there is."""
        row = self.list.current
        blocks = () if row is None else self._blocks(row)
        if blocks is not None:
            part = None if row is None else self._part(row)
            self.detail.show(blocks, from_top=part != self.shown)
            self.shown = part

    @on(PickList.Highlighted)
    def _follow_cursor(self, message: PickList.Highlighted) -> None:
        message.stop()
        self.draw()

    @on(PickList.Chosen)
    async def _choose(self, message: PickList.Chosen) -> None:
        message.stop()
        await self.screen.run_action(f"act('{self._area}-read')")
