"""The line under a list into which its filter is typed."""

from __future__ import annotations

from collections.abc import Callable

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.widgets import Input, Static

from memtui.tui.widgets.lines import FilterLine
from memtui.tui.widgets.lists import STEERED, CursorList

OPEN = "-filtering"  # Class of a screen whose filter is open
FULL = "-reading"  # Class of a screen that shows its second pane alone, where it is narrow


class FilterBar(Horizontal):
    """A line to type a filter into, shown while its screen has the class `OPEN`.

    `listed`: the list that it is about; up and down move its cursor meanwhile. `typed`: called with what is typed.
    `kept`: called instead of going to the list, once what is typed is to stay.

    Attributes:
        line: what is typed into.
        count: what stands at the right: how much is listed.
    """

    def __init__(
        self,
        listed: CursorList,
        placeholder: str,
        typed: Callable[[str], object],
        *,
        kept: Callable[[], object] | None = None,
        line_id: str | None = None,
    ) -> None:
        super().__init__()
        self.line = FilterLine(placeholder, id=line_id)
        self.count = Static("", classes="filter-count", markup=False)
        self._listed = listed
        self._typed = typed
        self._kept = kept

    def compose(self) -> ComposeResult:
        yield Static("/", classes="filter-mark", markup=False)
        yield self.line
        yield self.count

    @property
    def is_typed_in(self) -> bool:
        """Whether the keys go to the line."""
        return self.line.has_focus

    def on_descendant_focus(self) -> None:
        """Let the row stand out on which the keys act."""
        self._listed.add_class(STEERED)

    def on_descendant_blur(self) -> None:
        self._listed.remove_class(STEERED)

    def open(self) -> None:
        """Open the line; what was typed stands in it."""
        self.screen.remove_class(FULL)
        self.screen.add_class(OPEN)
        self.line.focus()

    def leave(self) -> bool:
        """Clear and close the line, and go to the list; False where it is closed."""
        if not self.screen.has_class(OPEN):
            return False
        self.line.value = ""
        self.screen.remove_class(OPEN, FULL)
        self._listed.focus()
        return True

    def tell(self, shown: int, number: int) -> None:
        """Write how many rows of all are listed, where something is typed."""
        words = f"{shown:,} of {number:,}" if self.line.value.strip() else ""
        if str(self.count.content) != words:
            self.count.update(words)

    @on(Input.Changed)
    def _type(self, event: Input.Changed) -> None:
        event.stop()
        self._typed(event.value)

    @on(FilterLine.Moved)
    def _move(self, message: FilterLine.Moved) -> None:
        message.stop()
        self._listed.move_by(message.rows)

    @on(FilterLine.Kept)
    def _keep(self, message: FilterLine.Kept) -> None:
        message.stop()
        if self._kept is not None:
            self._kept()
        elif self.line.value.strip():
            self._listed.focus()
        else:
            self.leave()
