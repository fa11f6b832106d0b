"""The first line of a screen over Browse: where we are, and one figure or word about it."""

from __future__ import annotations

from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget

from memtui.text.width import clip
from memtui.tui.cells import clipped
from memtui.tui.wording import tame

_GAP = "   "
_PROJECT_CELLS = 30


class TitleLine(Widget):
    """`memtui  project   Screen      note   ? help`.

    Args:
        screen: the name of the screen.
    """

    ALLOW_SELECT = False
    project: reactive[str | None] = reactive(None)
    note: reactive[str] = reactive("")

    def __init__(self, screen: str, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name for it
        super().__init__(id=id)
        self._screen_name = screen

    def render(self) -> Content:
        """Return the line."""
        project = clip(tame(self.project or ""), _PROJECT_CELLS)
        left = Content.assemble(
            " ", ("memtui  ", "bold $primary"), project + _GAP if project else "", (self._screen_name, "bold")
        )
        end = Content.assemble(_GAP, ("?", "bold $primary"), " ", ("help", "$memtui-dim"), " ")
        if left.cell_length + end.cell_length > self.size.width:
            end = Content.assemble(" ", ("?", "bold $primary"), " ")
            left = clipped(left, self.size.width - end.cell_length)
        room = self.size.width - left.cell_length - end.cell_length - len(_GAP)
        note = Content.styled(clip(tame(self.note), room), "$memtui-dim")
        pad = max(0, self.size.width - left.cell_length - note.cell_length - end.cell_length)
        return Content.assemble(left, " " * pad, note, end)
