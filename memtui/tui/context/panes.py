"""The ranked list, the payload, and the budget of the Context screen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.content import Content
from textual.geometry import Region, Size
from textual.reactive import reactive
from textual.selection import Selection
from textual.strip import Strip
from textual.widget import Widget

from memtui.tui.context.rows import RankedRow, Section
from memtui.tui.text_layout import MARK_PINNED, fit, freshness_bar, wrap
from memtui.tui.widgets.lists import MovingView, Paint, PickList

if TYPE_CHECKING:
    from memtui.pack.targets.base import Piece

_GAP = "   "
_BAR_CELLS = 6


class BudgetMeter(Widget):
    """One line: kinds with a bar and their tokens, the largest first; the shown numbers add up to the payload."""

    ALLOW_SELECT = False
    parts: reactive[Sequence[Section]] = reactive(())
    free: reactive[int | None] = reactive(None)
    """Tokens left of the budget; None where it is counted in another unit."""

    def render(self) -> Content:
        """Return the line."""
        if not self.parts:
            return Content("")
        tail = "" if self.free is None else f"{self.free:,} left"
        shown = list(self.parts)
        while len(shown) > 1 and self._line(shown, tail).cell_length > self.size.width:
            # The smallest sections share one figure, so that the sum still holds.
            last, before = shown[-1].tokens, shown[-2].tokens
            shown = [*shown[:-2], Section("other", last + before)]
        return self._line(shown, tail)

    def _line(self, parts: Sequence[Section], tail: str) -> Content:
        whole = sum(part.tokens for part in parts) + (self.free or 0) or 1
        found = []
        for part in parts:
            share = min(1.0, part.tokens / whole)
            cells = max(1, round(share * _BAR_CELLS * 2))
            bar = freshness_bar(min(1.0, share * _BAR_CELLS * 2 / cells), cells).strip() or "▏"
            found.append(Content.assemble((f"{part.name} ", "$memtui-dim"), (bar, "$memtui-bar"), f" {part.tokens:,}"))
        if tail:
            found.append(Content.styled(tail, "$memtui-dim"))
        return Content.assemble(" ", Content(_GAP).join(found))


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
        self._pieces: tuple[Piece, ...] = ()
        self._notice: tuple[str, ...] = ()
        self._lines: list[_Line] = []
        self._marked: str | None = None
        self._wrapped_for = 0
        self._paint: dict[str, Style] = {}

    def show(self, pieces: Sequence[Piece], *, notice: Sequence[str] = ()) -> None:
        """Show a payload, where it is scrolled to; a notice where it is empty."""
        if tuple(pieces) == self._pieces and tuple(notice) == self._notice:
            return
        self._pieces, self._notice = tuple(pieces), tuple(notice)
        self._wrap()

    def mark(self, memory_id: str | None) -> None:
        """Let the lines of one memory stand out, and bring them into sight."""
        self._marked = memory_id
        places = [place for place, line in enumerate(self._lines) if memory_id and line.memory_id == memory_id]
        if places:
            self._reveal(places[0], places[-1])
        self.refresh()

    def _reveal(self, first: int, last: int) -> None:
        """Scroll as little as shows all these lines, or the first of them where they are too many."""
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
        """Write the pane's title and, at the bottom, its count."""
        self.border_title = Content(title)  # a plain str would be read as markup
        self.border_subtitle = Content(count)

    def on_resize(self, event: events.Resize) -> None:
        """Wrap anew where the width changed."""
        del event
        if self.scrollable_content_region.width != self._wrapped_for:
            self._wrap()
            self.mark(self._marked)

    def _wrap(self) -> None:
        # A column is kept free for the scrollbar, so that a text does not wrap anew when it appears.
        width = max(_NARROWEST, self.size.width - self.styles.scrollbar_size_vertical - 2)
        self._wrapped_for = self.scrollable_content_region.width
        self._lines = [_Line(line, None, "frame") for text in self._notice for line in wrap(text, width)]
        left = MOST_CHARACTERS
        for piece in self._pieces:
            for text in piece.text[: max(0, left)].removesuffix("\n").split("\n"):
                style = "base" if piece.memory_id is not None else "frame"
                self._lines += [_Line(line, piece.memory_id, style) for line in wrap(text, width)]
            left -= len(piece.text)
            if left <= 0:
                rest = sum(len(one.text) for one in self._pieces) - MOST_CHARACTERS
                self._lines += [_Line(line, None, "warning") for line in wrap(_more(rest), width)] if rest > 0 else []
                break
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
        """Return one line of the screen."""
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
        """Return the selected text and what ends it."""
        return selection.extract("\n".join(self.plain_lines)), "\n"

    def selection_updated(self, selection: Selection | None) -> None:
        """Draw the selection."""
        del selection
        self.refresh()


def _more(characters: int) -> str:
    return f"… {characters:,} more characters: copied and written, not shown"


MARKS = {"in": "✓", "put in": "+", "left out": "·", "withheld": "−"}

_KIND_CELLS = 12
_KIND_FROM = 44
_RANKED_LIST_BAR_CELLS = 3
_BAR_FROM = 54
_SCORE_CELLS = 4
_TEN = 10.0
_TOKEN_CELLS = 7
_TOKENS_FROM = 30
_REASON_SHARE = 0.55


class RankedList(PickList):
    """Two sections under one cursor."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name for it
        super().__init__(id=id)
        self._lines: list[RankedRow | str] = []
        self._best = 1.0

    @property
    def count(self) -> int:
        """Lines in the list."""
        return len(self._lines)

    @property
    def current(self) -> RankedRow | None:
        """The memory under the cursor."""
        line = self._lines[self.cursor] if self.cursor < len(self._lines) else None
        return line if isinstance(line, RankedRow) else None

    @property
    def rows(self) -> list[RankedRow]:
        """All memories, in order."""
        return [line for line in self._lines if isinstance(line, RankedRow)]

    def selectable(self, index: int) -> bool:
        """Return whether a line is a memory."""
        return isinstance(self._lines[index], RankedRow)

    def show(
        self,
        ranked: Sequence[RankedRow],
        withheld: Sequence[RankedRow],
        rest: Sequence[str],
        *,
        follow: str | None,
        notice: Sequence[str] = (),
    ) -> None:
        """Show these memories.

        Args:
            ranked: in the payload, or left out by a person.
            withheld: not in the payload, the nearest first.
            rest: counts of what is withheld beyond them.
            follow: the memory that the cursor stays on; None goes to the first.
            notice: lines to show where there is no memory at all.
        """
        self._best = max((row.score for row in ranked), default=1.0) or 1.0
        tail: list[RankedRow | str] = [*withheld, *(f"  {line}" for line in rest)]
        heading = ["", "Withheld and why"] if ranked and tail else ["Withheld and why"] if tail else []
        self._lines = [*ranked, *heading, *tail]
        places = {line.id: place for place, line in enumerate(self._lines) if isinstance(line, RankedRow)}
        self.rows_changed(places.get(follow or "", None if follow else 0), notice)

    def segments(self, index: int, width: int, paint: Paint) -> list[Segment]:
        """Return a memory, a heading or a count."""
        line = self._lines[index]
        if isinstance(line, str):
            return [Segment(fit(line, width), paint["heading" if not line.startswith("  ") else "dim"])]
        mark = Segment(f"{MARKS[line.state]} ", paint["good" if line.is_in else "dim"])
        if line.state == "withheld":
            return [mark, *self._withheld(line, width - 2, paint)]
        return [mark, *self._ranked(line, width - 2, paint)]

    def _ranked(self, row: RankedRow, width: int, paint: Paint) -> list[Segment]:
        kind = _KIND_CELLS if width >= _KIND_FROM else 0
        bar = _RANKED_LIST_BAR_CELLS if width >= _BAR_FROM else 0
        tokens = _TOKEN_CELLS if width >= _TOKENS_FROM else 0
        title = width - 2 - sum(cells + 1 for cells in (kind, bar, tokens) if cells) - _SCORE_CELLS - 1
        ground = paint["base" if row.is_in else "dim"]
        found = [Segment(f"{MARK_PINNED if row.pinned else ' '} ", paint["mark"])]
        if kind:
            found.append(Segment(fit(row.kind, kind) + " ", paint["kind" if row.is_in else "dim"]))
        found.append(Segment(fit(row.title, max(1, title)) + " ", ground))
        if bar:
            found.append(
                Segment(freshness_bar(row.score / self._best, bar) + " ", paint["bar" if row.is_in else "dim"])
            )
        score = f"{row.score:.2f}" if row.score < _TEN else f"{row.score:.1f}"
        found.append(Segment(fit(score, _SCORE_CELLS, right=True) + " ", paint["dim"]))
        if tokens:
            text = f"{row.tokens:,} t" if row.tokens is not None else "out"
            found.append(Segment(fit(text, tokens, right=True), paint["base" if row.is_in else "dim"]))
        return found

    def _withheld(self, row: RankedRow, width: int, paint: Paint) -> list[Segment]:
        reason = int((width - 4) * _REASON_SHARE)
        title = width - 2 - reason - 1
        return [
            Segment("  " + fit(row.title, max(1, title)) + " ", paint["dim"]),
            Segment(fit(row.reason, max(1, reason)), paint["kind"]),
        ]
