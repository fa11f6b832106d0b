"""What a change did, memory after memory, with one of them current."""

from __future__ import annotations

from rich.text import Text

from memtui.tui.describing import Block
from memtui.tui.history_blocks import Told
from memtui.tui.widgets.detail import DetailPane


class DiffPane(DetailPane):
    """Shows a change; knows at which line each memory begins."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name for it
        super().__init__(id=id)
        self._heads: list[int] = []
        self._starts: list[int] = []
        self.place = 0
        """Index of the current memory."""

    @property
    def memories(self) -> int:
        """Memories shown."""
        return len(self._heads)

    def show_change(self, told: Told | None, *, from_top: bool) -> None:
        """Show a change, or none."""
        self._heads = [id(block) for block in told.heads] if told is not None else []
        self.place = 0 if from_top else min(self.place, max(0, len(self._heads) - 1))
        self.show(told.blocks if told is not None else (), from_top=from_top)

    def go_to(self, place: int) -> bool:
        """Make a memory current and bring it to the top; False where there is none."""
        if not 0 <= place < len(self._starts):
            return False
        self.place = place
        self.scroll_to(y=self._starts[place], animate=False)
        return True

    def _wrap(self) -> None:
        self._starts = []
        super()._wrap()

    def _wrapped(self, block: Block, width: int) -> list[Text]:
        if id(block) in self._heads:
            self._starts.append(len(self._lines))
        return super()._wrapped(block, width)
