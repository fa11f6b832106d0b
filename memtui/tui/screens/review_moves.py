"""The preview of following every moved file: which path becomes which, and how many memories that touches."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.screen import ModalScreen

from memtui.tui.describing import Block
from memtui.tui.widgets.detail import DetailPane
from memtui.tui.wording import counted, tame


class MovesScreen(ModalScreen[bool]):
    """Returns whether the moves are to be followed.

    Args:
        moves: per memory id, old path to new path.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "agree", "follow them"),
        Binding("escape,q", "leave", "leave"),
    ]
    AUTO_FOCUS = "#review-moves"

    def __init__(self, moves: Mapping[str, Mapping[str, str]]) -> None:
        super().__init__()
        self._moves = moves

    def compose(self) -> ComposeResult:
        """Lay out the preview."""
        yield DetailPane(id="review-moves")

    def on_mount(self) -> None:
        """Write the preview."""
        pane = self.query_one(DetailPane)
        pane.border_title = Content(f"Follow moved files ─ {counted(len(self._moves), 'memory', 'memories')}")
        pane.border_subtitle = Content("enter follows · esc leaves · one change, u undoes it")
        pane.show(move_blocks(self._moves), from_top=True)

    def action_agree(self) -> None:
        """Follow them."""
        self.dismiss(True)

    def action_leave(self) -> None:
        """Leave everything as it is."""
        self.dismiss(False)


def move_blocks(moves: Mapping[str, Mapping[str, str]]) -> list[Block]:
    """Return which path becomes which, the one that most memories are tied to first."""
    counts = Counter((old, new) for paths in moves.values() for old, new in paths.items())
    blocks: list[Block] = []
    for place, ((old, new), number) in enumerate(sorted(counts.items(), key=lambda one: (-one[1], one[0]))):
        tied = counted(number, "memory", "memories")
        blocks.append(Block(((f"{tame(old)}  ", "path"), (tied, "dim")), gap=place > 0))
        blocks.append(Block((("→ ", "dim"), (tame(new), "path"))))
    return blocks
