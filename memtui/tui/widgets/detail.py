"""Panes to read in: text in blocks, and the curve of a freshness."""

from __future__ import annotations

import io
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, ConsoleRenderable, RenderResult
from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from rich.theme import Theme
from textual import events
from textual._time import get_time
from textual.content import Content
from textual.geometry import Region, Size
from textual.selection import Selection
from textual.strip import Strip
from textual.widget import Widget

from memtui.text.words import steady
from memtui.tui.styled_text import Block, StyleName, bind, fit, loosen, margin_of
from memtui.tui.widgets.lists import MovingView

MOST_RENDERED = 3_000
"""Characters that are rendered: measured up to 28 ms per 1,000 of ordinary text, 50 ms for 3,000 brackets."""

_STYLES = {
    "heading": ("h1", "h2", "h3", "h4", "h5", "h6", "h7"),
    "code": ("code", "code_block"),
    "path": ("link", "link_url"),
    "label": ("item.bullet", "item.number"),
    "dim": ("block_quote", "hr", "h1.border"),
}


def rendered(text: str, width: int, styles: Mapping[str, Style]) -> list[Text]:
    """Return Markdown as lines of at most so many cells. `styles`: of `heading`, `code`, `path`, `label` and `dim`."""
    theme = Theme({f"markdown.{part}": styles[name] for name, parts in _STYLES.items() for part in parts})
    console = Console(
        file=io.StringIO(),
        width=width,
        theme=theme,
        color_system="truecolor",
        force_terminal=True,
        legacy_windows=False,
    )
    lines = console.render_lines(_document(text[:MOST_RENDERED]), pad=False)
    result = [Text.assemble(*((segment.text, segment.style or "") for segment in line)) for line in lines]
    for line in result:
        line.rstrip()
    if len(text) > MOST_RENDERED:
        result.append(Text(f"… {len(text) - MOST_RENDERED:,} more characters: M shows plain text", styles["dim"]))
    return result


def _document(text: str) -> ConsoleRenderable:
    """Return what Rich renders: its Markdown with our headings, fences and images."""
    from markdown_it import MarkdownIt
    from rich.markdown import CodeBlock, Heading, ImageItem, Markdown

    class PlainHeading(Heading):
        """A heading at the left, in no box."""

        def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
            del console, options
            self.text.justify = "left"
            yield self.text

    class PlainFence(CodeBlock):
        """Code as it stands: colours are the theme's, and no lexer reads what others wrote."""

        def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
            del console, options
            yield Text(str(self.text).rstrip(), style="markdown.code_block")

    class NamedImage(ImageItem):
        """An image as its description."""

        def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
            del console, options
            yield Text.assemble("image: ", self.text or self.destination, end="")

    class Document(Markdown):
        """Markdown in which HTML is text and a link is its address."""

        elements = {  # noqa: RUF012 - Rich declares it as a class variable
            **Markdown.elements,
            "heading_open": PlainHeading,
            "fence": PlainFence,
            "code_block": PlainFence,
            "image": NamedImage,
        }

        def __init__(self, markup: str) -> None:
            super().__init__("", hyperlinks=False)
            self.markup = markup
            parser = MarkdownIt("commonmark", {"html": False}).enable("strikethrough").enable("table")
            self.parsed = parser.parse(markup)

    return Document(text)


LABEL_CELLS = 9
_NARROWEST = 10
_WIDEST = 110  # Cells of a line that the eye still finds its way back from
_TAB = 4


class DetailPane(MovingView):
    """Shows blocks of text, wrapped to its width."""

    ALLOW_SELECT = True
    COMPONENT_CLASSES = {  # noqa: RUF012 - Textual declares it as a class variable
        "detail--title",
        "detail--dim",
        "detail--label",
        "detail--code",
        "detail--warning",
        "detail--good",
        "detail--bar",
        "detail--heading",
        "detail--path",
    }

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name for it
        super().__init__(id=id)
        self._blocks: tuple[Block, ...] = ()
        self._lines: list[Text] = []
        self._starts: list[int] = []  # The line that each block begins at
        self._wrapped_for = 0
        self._ground = Style()
        self._rendered = False

    def show(self, blocks: Sequence[Block], *, from_top: bool) -> None:
        """Show these blocks, from the top or where the text is scrolled to."""
        self._blocks = tuple(blocks)
        self._wrap()
        if from_top:
            self.scroll_to(y=0, animate=False)

    @property
    def text_width(self) -> int:
        """Cells of a line of text, beside the scroll bar whether there is one or not."""
        room = self.size.width - self.styles.scrollbar_size_vertical - 1
        return max(_NARROWEST, min(room, _WIDEST))

    @property
    def rendered(self) -> bool:
        return self._rendered

    @rendered.setter
    def rendered(self, rendered: bool) -> None:
        self._rendered = rendered
        self._wrap()

    @property
    def plain_lines(self) -> list[str]:
        """The lines on the screen, without styles."""
        return [line.plain for line in self._lines]

    def on_resize(self, event: events.Resize) -> None:
        """Wrap again where the width changed."""
        del event
        if self.scrollable_content_region.width != self._wrapped_for:
            self._wrap()

    def notify_style_update(self) -> None:
        """Take the colours of a new theme."""
        super().notify_style_update()
        if self._blocks and self.is_mounted:
            # Once they are there: those of the parts of a widget follow the widget's own.
            self.call_next(self._wrap)

    def _wrap(self) -> None:
        # Columns are kept free for the scrollbar, so that a text does not wrap again when it appears.
        width = self.text_width
        self._wrapped_for = self.scrollable_content_region.width
        self._lines, self._starts = [], []
        for block in self._blocks:
            if block.gap:
                self._lines.append(Text())
            self._starts.append(len(self._lines))
            self._lines.extend(self._wrapped(block, width))
        self.virtual_size = Size(width, len(self._lines))
        self.refresh()

    def _wrapped(self, block: Block, width: int) -> list[Text]:
        margin = LABEL_CELLS if block.label else 0
        lines = self._lines_of(block, max(_NARROWEST, width - margin))
        if not margin:
            return lines
        return [
            Text.assemble((block.label.ljust(margin) if number == 0 else " " * margin, self._style("label")), line)
            for number, line in enumerate(lines)
        ]

    def _lines_of(self, block: Block, width: int) -> list[Text]:
        if block.markdown and self._rendered:
            styles = {name: self._style(name) for name in ("heading", "code", "path", "label", "dim")}
            return rendered(steady("".join(piece for piece, _ in block.pieces)), width, styles)
        text = Text(tab_size=_TAB)
        for piece, style in block.pieces:
            text.append(steady(piece), self._style(style))
        lines = [line for each in text.split("\n", allow_blank=True) for line in self._hung(each, width)]
        for line in lines:
            line.rstrip()
        return lines

    def _hung(self, line: Text, width: int) -> list[Text]:
        """Return a line wrapped, what follows the first part set in behind its own beginning and its list mark.

        A number stays with its unit.
        """
        line.plain = bind(line.plain)
        wrapped = self._wrapped_behind(line, width)
        for part in wrapped:
            part.plain = loosen(part.plain)
        return wrapped

    def _wrapped_behind(self, line: Text, width: int) -> list[Text]:
        lines, margin = list(line.wrap(self.app.console, width)), margin_of(line.plain, width)
        if len(lines) < 2 or not margin:  # noqa: PLR2004 - it goes on below
            return lines
        first, *others = line[len(margin) :].wrap(self.app.console, width - len(margin))
        return [line[: len(margin)] + first, *(Text(margin) + other for other in others)]

    def _style(self, name: StyleName) -> Style:
        if name == "text":
            return Style()
        found = self.get_component_rich_style(f"detail--{name}")
        return Style(color=found.color, bold=found.bold)

    # -- drawing and selecting --------------------------------------------------------------------

    def render_lines(self, crop: Region) -> list[Strip]:
        """Return lines of the screen; the ground is looked up once for all."""
        self._ground = self.rich_style
        return super().render_lines(crop)

    def render_line(self, y: int) -> Strip:
        width = self.scrollable_content_region.width
        index = self.scroll_offset.y + y
        base = self._ground
        if index >= len(self._lines):
            return Strip.blank(width, base)
        line = self._lines[index].copy()
        # Rich ignores a text's own style where nothing in it is styled.
        line.stylize_before(base)
        selection = self.text_selection
        span = selection.get_span(index) if selection is not None else None
        if span is not None:
            start, end = span
            style = self.screen.get_component_rich_style("screen--selection")
            line.stylize(style, start, len(line) if end == -1 else end)
        strip = Strip(line.render(self.app.console), cell_len(line.plain))
        return strip.crop_extend(0, width, base).apply_offsets(0, index)

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        return selection.extract("\n".join(self.plain_lines)), "\n"

    def selection_updated(self, selection: Selection | None) -> None:
        del selection
        self.refresh()

    def set_title(self, title: str) -> None:
        self.border_title = Content(title)  # a plain str would be read as markup


class SeenPane(DetailPane):
    """Shows blocks of text, and tells whether what it shows was drawn."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name for it
        super().__init__(id=id)
        self._drawn_at: float | None = None

    def show_unseen(self) -> None:
        """Take what is shown next, or was shown just now, for something that nobody has seen yet."""
        self._drawn_at = None

    def was_seen(self, moment: float | None = None) -> bool:
        """Return whether what it shows was drawn, before a moment (an event's `time`) if one is given."""
        return self._drawn_at is not None and (moment is None or self._drawn_at <= moment)

    def render_lines(self, crop: Region) -> list[Strip]:
        """Return lines of the screen, and take note that they are drawn."""
        lines = super().render_lines(crop)
        if self._drawn_at is None:
            self._drawn_at = get_time()
        return lines


_EIGHTHS = " ▁▂▃▄▅▆▇█"
_AXIS_CELLS = 6
DUE = " due"  # The word at the end of the line below which what is counted from its last review is due
_FEWEST_ROWS = 2
_AXIS_ROWS, _FEWEST_BESIDE_AXIS = 2, 4  # Rows of the axis of time, and of a curve that leaves room for it


@dataclass(frozen=True, slots=True)
class Curve:
    """What is drawn."""

    values: tuple[float, ...]  # freshness in 0–1 over equal steps of time
    today: float | None  # where today is among the steps, 0–1 of the width; None where it is out of sight
    threshold: float  # the line down to which a memory fades, from its last review, until it is due
    caption: str  # a line below, in our own words
    supposed: tuple[float, ...] = ()  # a second curve over the same steps, drawn as dots; empty for none
    ticks: tuple[float, ...] = ()  # marks on the axis of time, each 0–1 of the width
    # words below the axis, each with its place as 0–1 of the width; without any there is no axis
    labels: tuple[tuple[float, str], ...] = ()
    line_word: str = DUE  # at the end of the line; empty where a memory is due elsewhere than where it crosses it


def memory_labels(fades: float, due: float, days_text: Callable[[float], str]) -> tuple[tuple[float, str], ...]:
    """Return the names of the days on which one memory has faded to the threshold, and on which it is due.

    They part where it was accepted after it was written, or is asked about sooner or later than others.
    """
    if abs(fades - due) < 1:
        return ((due, f"due {days_text(due)}"),)
    return tuple((day, word) for day, word in ((due, "due"), (fades, "faded")) if day < math.inf)


def curve_rows(values: Sequence[float], rows: int) -> list[str]:
    """Return a filled curve as rows of block characters, the topmost first; each column is one value in 0–1."""
    heights = [round(max(0.0, min(1.0, value)) * rows * 8) for value in values]
    return [
        "".join(_EIGHTHS[max(0, min(8, height - (rows - 1 - row) * 8))] for height in heights) for row in range(rows)
    ]


def dotted_rows(values: Sequence[float], rows: int) -> list[set[int]]:
    """Return a second curve as the columns of its dots per row, the topmost first; a steep part has no gap."""
    places = [min(rows - 1, int((1.0 - max(0.0, min(1.0, value))) * rows)) for value in values]
    dots: list[set[int]] = [set() for _ in range(rows)]
    for column, place in enumerate(places):
        before = places[column - 1] if column else place
        for row in range(min(before + 1, place), place + 1):
            dots[row].add(column)
    return dots


def axis_rows(curve: Curve, columns: int) -> tuple[str, str]:
    """Return the axis of time with its ticks, and the words below it; a word that would touch another is left out."""
    axis = ["─"] * columns
    for tick in curve.ticks:
        axis[round(tick * (columns - 1))] = "┴"
    words = [" "] * columns
    for place, word in curve.labels:
        start = max(0, min(columns - len(word), round(place * (columns - 1)) - len(word) // 2))
        around = words[max(0, start - 1) : start + len(word) + 1]
        if len(word) <= columns and all(sign == " " for sign in around):
            words[start : start + len(word)] = word
    return "".join(axis), "".join(words)


class CurveView(Widget):
    """Draws one curve as large as it has room for; a line marks the threshold, a column today, dots a second curve."""

    ALLOW_SELECT = False
    COMPONENT_CLASSES = {"curve--bar", "curve--line", "curve--today", "curve--dim", "curve--supposed"}  # noqa: RUF012 - Textual declares it as a class variable

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name for it
        super().__init__(id=id)
        self._curve: Curve | None = None

    def show(self, curve: Curve | None) -> None:
        self._curve = curve
        self.refresh()

    def set_title(self, title: str) -> None:
        self.border_title = Content(title)  # a plain str would be read as markup

    def render_line(self, y: int) -> Strip:
        width, height = self.content_size.width, self.content_size.height
        base = self.rich_style
        if self._curve is None or width <= _AXIS_CELLS:
            return Strip.blank(width, base)
        below = _caption_lines(self._curve.caption, width)
        if self._curve.labels and height - len(below) - _AXIS_ROWS >= _FEWEST_BESIDE_AXIS:
            axis, words = axis_rows(self._curve, width - _AXIS_CELLS)
            below = [" " * (_AXIS_CELLS - 1) + "└" + axis, " " * _AXIS_CELLS + words, *below]
        rows = max(_FEWEST_ROWS, height - len(below))
        if y >= rows + len(below):
            return Strip.blank(width, base)
        if y >= rows:
            return Strip([Segment(fit(below[y - rows], width), base + self._paint("dim"))], width)
        return Strip(self._segments(self._curve, y, rows, width - _AXIS_CELLS, base), width)

    def _segments(self, curve: Curve, y: int, rows: int, columns: int, base: Style) -> list[Segment]:
        sampled = _sampled(curve.values, columns)
        line = curve_rows(sampled, rows)[y]
        at_line = y == min(rows - 1, int((1.0 - curve.threshold) * rows))
        today = round(curve.today * (columns - 1)) if curve.today is not None else -1
        label = f"{_label(y, rows, curve.threshold, at_line=at_line):>4} ┤"
        segments = [Segment(label, base + self._paint("dim"))]
        dots = dotted_rows(_sampled(curve.supposed, columns), rows)[y] if curve.supposed else set()
        for column, sign in enumerate(line):
            if column in dots:
                # Over the filled curve a dot is cut out of it, so that the bars stay whole.
                cut = Style(color=base.bgcolor, bgcolor=self._paint("bar").color) if sign == _EIGHTHS[-1] else None
                segments.append(Segment("•", base + (cut or self._paint("supposed"))))
            elif column == today:
                segments.append(Segment(sign if sign != " " else "│", base + self._paint("today")))
            elif sign == " " and at_line:
                left = columns - column
                name = curve.line_word
                word = name[len(name) - left] if left <= len(name) < len(line) - len(line.rstrip()) else "╌"
                segments.append(Segment(word, base + self._paint("line")))
            else:
                segments.append(Segment(sign, base + self._paint("bar")))
        return segments

    def _paint(self, name: str) -> Style:
        return Style(color=self.get_component_rich_style(f"curve--{name}").color)


def _caption_lines(caption: str, width: int) -> list[str]:
    """Return a caption on one line, or broken at its dot where that is too narrow."""
    return [caption] if len(caption) <= width else caption.split(" · ", 1)


def _label(y: int, rows: int, threshold: float, *, at_line: bool) -> str:
    if y == 0:
        return "1.0"
    return f"{threshold:.2f}".removesuffix("0") if at_line else "0.0" if y == rows - 1 else ""


def _sampled(values: Sequence[float], columns: int) -> list[float]:
    """Return as many values as there are columns, the nearest step for each."""
    if not values or columns < 1:
        return []
    last = len(values) - 1
    return [values[round(column * last / max(1, columns - 1))] for column in range(columns)]
