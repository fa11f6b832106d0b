"""A list beside everything about its current row: what the Assistants, Publish and Team screens are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, ClassVar, Generic, TypeVar

from textual import on

from memtui.tui.list_detail import ListDetail
from memtui.tui.list_filter import ListFilter
from memtui.tui.state import Opening
from memtui.tui.styled_text import Block
from memtui.tui.widgets.detail import DetailPane
from memtui.tui.widgets.lines import TitleLine
from memtui.tui.widgets.lists import Cell, PickList
from memtui.tui.widgets.row_list import RowList, TextRow

R = TypeVar("R")


def pane_answers(area: str) -> dict[str, tuple[Any, ...]]:
    """Return how the actions answer that go from one pane of a screen to the other."""
    return {
        f"{area}-read": ("enter_second",),
        f"{area}-list": ("enter_first",),
        f"{area}-detail": ("enter_second",),
        f"{area}-pane": ("enter_other",),
    }


class RowDetail(ListDetail, Generic[R]):
    """Rows, and about the current one what is known; a subclass reads the rows and writes what is about one."""

    HEADING: ClassVar[str] = ""
    PANES: ClassVar[tuple[str, str]] = ("", "")  # what the two panes are called
    FINDS: ClassVar[str] = ""  # what the filter finds a row by
    ANSWERS: ClassVar[Mapping[str, tuple[Any, ...]]] = {}
    AUTO_FOCUS = ".rows"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide")]  # noqa: RUF012 - Textual declares it as a class variable

    def __init__(
        self,
        opening: Opening,
        cells: Callable[[R, int], Iterable[Cell]],
        *,
        words: Callable[[R], str] | None = None,  # what the filter finds a row by, besides what it shows
    ) -> None:
        self._list: RowList[R] = RowList(cells, words=words, id=f"{self.AREA}-list")
        self._detail = DetailPane(id=f"{self.AREA}-detail")
        super().__init__(opening, self._list, self._detail)
        self.sifting = ListFilter(self, self._list, self.FINDS)
        self.parts = (self.sifting,)
        self._list.add_class("rows")
        self._detail.add_class("about")
        self._title = TitleLine(self.HEADING, id=f"{self.AREA}-title")
        self._shown: object = None  # the part of the row in the second pane

    def key(self, row: R) -> object:
        """Return what tells a row from others when they are read again."""
        raise NotImplementedError

    def blocks(self, row: R) -> Sequence[Block] | None:
        """Return everything about a row, None as long as it is not known."""
        raise NotImplementedError

    def part(self, row: R) -> object:
        """Return what tells what is shown of a row from what was: something else begins at the top."""
        return self.key(row)

    def on_mount(self) -> None:
        """Draw the empty panes; files and vault are read after the first paint."""
        self._list.set_title(f"1 {self.PANES[0]}")
        self._detail.set_title(f"2 {self.PANES[1]}")
        self.begin_looking()

    def show_rows(self, lines: Sequence[R | TextRow], note: str, *, notice: Sequence[str] = ()) -> None:
        """Show other rows; the cursor stays on the row where it is.

        `note`: beside the first pane's title. `notice`: lines to show instead of an empty list.
        """
        self.trouble_is_over()
        current = self._list.current
        follow = None if current is None else lambda row: self.key(row) == self.key(current)
        self._list.show(lines, follow=follow, from_top=current is None, notice=notice)
        self._list.set_title(f"1 {self.PANES[0]}", note)
        self.draw_again()

    def draw_again(self) -> None:
        """Lay out everything about the current row for the room there is."""
        row = self._list.current
        blocks = () if row is None else self.blocks(row)
        if blocks is not None:
            part = None if row is None else self.part(row)
            self._detail.show(blocks, from_top=part != self._shown)
            self._shown = part

    @on(PickList.Highlighted)
    def _follow_cursor(self, message: PickList.Highlighted) -> None:
        message.stop()
        self.draw_again()

    @on(PickList.Chosen)
    async def _choose(self, message: PickList.Chosen) -> None:
        message.stop()
        await self.action_act(f"{self.AREA}-read")
