"""`/` over a list of rows: what is typed leaves those that hold it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memtui.tui.actions import registry
from memtui.tui.actions.registry import LISTING
from memtui.tui.screen_part import ScreenPart
from memtui.tui.widgets.filter_bar import FilterBar

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.screen import Screen

    from memtui.tui.actions.registry import Action
    from memtui.tui.widgets.row_list import RowList

FILTER_ACTION = "list-filter"


class ListFilter(ScreenPart["Screen[Any]"]):
    """The filter of a screen's list; the screen lays out its `bar`.

    `placeholder`: what it finds rows by. Rows are found by all that a row shows, and by the list's own `words`.
    """

    def __init__(
        self,
        screen: Screen[Any],
        rows: RowList[Any],
        placeholder: str,
        *,
        sifted: Callable[[], object] | None = None,  # called once other rows are listed
    ) -> None:
        super().__init__(screen)
        self.bar = FilterBar(rows, placeholder, self._type)
        self._sifted = sifted
        self._rows = rows

    def offered(self) -> list[Action]:
        return registry.of_owners(LISTING)

    def why_not(self, action: Action) -> str | None:
        """Return why there is nothing to filter."""
        is_empty = not self._rows.number_of_all and not self.bar.line.value
        return "Nothing is listed here yet." if action.id == FILTER_ACTION and is_empty else None

    def _type(self, typed: str) -> None:
        self._rows.filter(typed)
        if self._sifted is not None:
            self._sifted()

    def tell_count(self) -> None:
        """Show how many rows are listed."""
        self.bar.tell(len(self._rows.rows), self._rows.number_of_all)
