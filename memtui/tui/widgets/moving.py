"""Moving within a long pane: the same keys for lists and texts."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import BindingType
from textual.scroll_view import ScrollView

from memtui.tui.actions import registry
from memtui.tui.actions.everywhere import PANE


class MovingView(ScrollView, can_focus=True):
    """A line-API pane that answers the keys for moving; subclasses say what a step is."""

    BINDINGS: ClassVar[list[BindingType]] = registry.bindings(PANE)

    def move_by(self, lines: int) -> None:
        """Move by lines, down if positive."""
        self.scroll_to(y=self.scroll_offset.y + lines, animate=False)

    def move_to_end(self, *, last: bool) -> None:
        """Move to the first line, or the last."""
        self.scroll_to(y=self.virtual_size.height if last else 0, animate=False)

    @property
    def page(self) -> int:
        """Lines in sight."""
        return max(1, self.scrollable_content_region.height)

    def action_down(self) -> None:
        """Move one line down."""
        self.move_by(1)

    def action_up(self) -> None:
        """Move one line up."""
        self.move_by(-1)

    def action_half_down(self) -> None:
        """Move half a page down."""
        self.move_by(max(1, self.page // 2))

    def action_half_up(self) -> None:
        """Move half a page up."""
        self.move_by(-max(1, self.page // 2))

    def action_page_down(self) -> None:
        """Move a page down."""
        self.move_by(self.page)

    def action_page_up(self) -> None:
        """Move a page up."""
        self.move_by(-self.page)

    def action_first(self) -> None:
        """Move to the top."""
        self.move_to_end(last=False)

    def action_last(self) -> None:
        """Move to the bottom."""
        self.move_to_end(last=True)
