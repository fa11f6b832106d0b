"""The pane that shows a payload, the pieces of the memory in hand marked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.content import Content
from textual.geometry import Region, Size
from textual.selection import Selection
from textual.strip import Strip

from memtui.pack.targets.base import Piece as BasePiece
from memtui.tui.styled_text import fit, wrap
from memtui.tui.widgets.lists import MovingView

MOST_CHARACTERS = 30_000
"""Shown of a payload (about 8,000 tokens of English): wrapping takes 10 ms, 60 ms of Chinese. All of it is copied."""

_NARROWEST = 8
_PARTS = ("frame", "own", "mark", "warning")


@dataclass(frozen=True, slots=True)
class _Line:
    text: str
    memory_id: str | None
    style: str = "base"


class PayloadPane(MovingView):
    """Shows the pieces of a payload."""

    ALLOW_SELECT = True
    COMPONENT_CLASSES = {*(f"payload-pane--{part}" for part in _PARTS)}  # noqa: RUF012 - Textual declares it as a class variable

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name for it
        super().__init__(id=id)
        self._pieces: tuple[BasePiece, ...] = ()
        self._notice: tuple[str, ...] = ()
        self._lines: list[_Line] = []
        self._marked: str | None = None
        self._wrapped_for = 0
        self._paint: dict[str, Style] = {}

    def show(self, pieces: Sequence[BasePiece], *, notice: Sequence[str] = ()) -> None:
        """Show a payload without scrolling; a notice where it is empty."""
        if tuple(pieces) == self._pieces and tuple(notice) == self._notice:
            return
        self._pieces, self._notice = tuple(pieces), tuple(notice)
        self._wrap()

    def mark(self, memory_id: str | None, *, from_top: bool = False) -> None:
        """Highlight the lines of one memory, and scroll them into view, or to the beginning of the payload."""
        self._marked = memory_id
        if from_top:
            self.scroll_to(y=0, animate=False)
            self.refresh()
            return
        places = [place for place, line in enumerate(self._lines) if memory_id and line.memory_id == memory_id]
        if places:
            self._reveal(places[0], places[-1])
        self.refresh()

    def _reveal(self, first: int, last: int) -> None:
        """Scroll as little as possible to show all these lines, or the first of them where they are too many."""
        top, page = self.scroll_offset.y, self.page
        if first < top or last - first >= page:
            self.scroll_to(y=first, animate=False)
        elif last >= top + page:
            self.scroll_to(y=last - page + 1, animate=False)

    @property
    def plain_lines(self) -> list[str]:
        """The lines on the screen, without styles."""
        return [line.text for line in self._lines]

    def set_title(self, title: str, count: str = "") -> None:
        self.border_title = Content(title)  # a plain str would be read as markup
        self.border_subtitle = Content(count)

    def on_resize(self, event: events.Resize) -> None:
        """Wrap again if the width changed."""
        del event
        if self.scrollable_content_region.width != self._wrapped_for:
            self._wrap()
            self.mark(self._marked)

    def _wrap(self) -> None:
        # A column is kept free for the scrollbar, so that its appearance does not wrap the text again.
        width = max(_NARROWEST, self.size.width - self.styles.scrollbar_size_vertical - 2)
        self._wrapped_for = self.scrollable_content_region.width
        self._lines = [_Line(line, None, "frame") for text in self._notice for line in wrap(text, width)]
        left = MOST_CHARACTERS
        for piece in self._pieces:
            style = "base" if piece.memory_id is not None else "frame"
            for text in piece.text[:left].removesuffix("\n").split("\n") if left > 0 else ():
                self._lines += [_Line(line, piece.memory_id, style) for line in wrap(text, width)]
            left -= len(piece.text)
        if left < 0:
            more = f"… {-left:,} more characters: copied and written, not shown"
            self._lines += [_Line(line, None, "warning") for line in wrap(more, width)]
        self.virtual_size = Size(width, len(self._lines))
        self.refresh()

    # -- drawing and selecting --------------------------------------------------------------------

    def render_lines(self, crop: Region) -> list[Strip]:
        """Return lines of the screen; the styles are looked up once for all."""
        base = self.rich_style
        found = {part: self.get_component_rich_style(f"payload-pane--{part}") for part in _PARTS}
        self._paint = {
            "base": base,
            "frame": base + Style(color=found["frame"].color),
            "warning": base + Style(color=found["warning"].color),
            "own": found["own"],
            "mark": found["own"] + Style(color=found["mark"].color),
        }
        return super().render_lines(crop)

    def render_line(self, y: int) -> Strip:
        width = self.scrollable_content_region.width
        index = self.scroll_offset.y + y
        if index >= len(self._lines):
            return Strip.blank(width, self._paint["base"])
        line = self._lines[index]
        is_marked = line.memory_id is not None and line.memory_id == self._marked
        ground = self._paint["own"] if is_marked else self._paint[line.style]
        edge = Segment("▎" if is_marked else " ", self._paint["mark"] if is_marked else ground)
        text = fit(line.text, max(1, width - 1))
        strip = Strip(self._selected(text, index, ground)).apply_offsets(0, index)
        return Strip.join([Strip([edge]), strip]).adjust_cell_length(width, ground)

    def _selected(self, text: str, index: int, ground: Style) -> list[Segment]:
        selection = self.text_selection
        span = selection.get_span(index) if selection is not None else None
        if span is None:
            return [Segment(text, ground)]
        start, end = span
        end = len(text) if end == -1 else end
        style = ground + self.screen.get_component_rich_style("screen--selection")
        pieces = ((text[:start], ground), (text[start:end], style), (text[end:], ground))
        return [Segment(piece, paint) for piece, paint in pieces if piece]

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        return selection.extract("\n".join(self.plain_lines)), "\n"

    def selection_updated(self, selection: Selection | None) -> None:
        del selection
        self.refresh()
