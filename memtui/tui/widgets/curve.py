"""The curve of a freshness: how trust fades, where today is, and when it crosses the line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.segment import Segment
from rich.style import Style
from textual.content import Content
from textual.strip import Strip
from textual.widget import Widget

from memtui.tui.memory_view import fit

_EIGHTHS = " ▁▂▃▄▅▆▇█"
_AXIS_CELLS = 6
_FEWEST_ROWS = 2


@dataclass(frozen=True, slots=True)
class Curve:
    """What is drawn."""

    values: tuple[float, ...]  # freshness in 0–1 over equal steps of time
    today: float | None  # where today is among the steps, 0–1 of the width; None where it is out of sight
    threshold: float  # the line below which a memory is due
    caption: str  # a line below, in our own words
    supposed: tuple[float, ...] = ()  # a second curve over the same steps, drawn as dots; empty for none
    ticks: tuple[float, ...] = ()  # marks on the axis of time, each 0–1 of the width
    # words below the axis, each with its place as 0–1 of the width; without any there is no axis
    labels: tuple[tuple[float, str], ...] = ()


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
        if self._curve.labels:
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
                segments.append(Segment("╌", base + self._paint("line")))
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
