"""`NO_COLOR`: what colours say is said by bold, dim and reverse, and no colour leaves for the terminal."""

from __future__ import annotations

from functools import lru_cache

from rich.color import Color as RichColor
from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.filter import DimFilter, LineFilter, Monochrome, NoColor

STANDS_OUT = 0.012
"""Difference in brightness (0-1) from which a background marks what stands on it: a cursor, a selection, a scroll bar.
The cursor's row of the palest theme differs by 0.02; what a theme paints whole panes with is the background itself."""

RECEDES = 0.3
"""Difference in brightness (0-1) to its background below which a text was meant to stand back: borders, rules and the
dimmest texts of the themes lie below it."""

REPLACED = (Monochrome, NoColor, DimFilter)
"""Filters of Textual's that this one stands in for: two leave greys or the code of the default colour, the last makes
colours of dim."""


class PlainFilter(LineFilter):
    """Takes every colour away; what stood out is reversed, what stood back is dim."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """Return segments without colours.

        Args:
            segments: of one line.
            background: what the widget is painted with.
        """
        return [
            Segment(text, None if style is None else plain_style(style, background), control)
            for text, style, control in segments
        ]


@lru_cache(4_096)
def plain_style(style: Style, background: Color) -> Style:
    """Return a style without colours."""
    stands_out = _stands_out(style.bgcolor, background)
    recedes = not stands_out and _recedes(style.color, background)
    return Style(
        bold=style.bold,
        dim=style.dim or recedes,
        italic=style.italic,
        underline=style.underline,
        # A cursor that is reversed already stands out by that.
        reverse=bool(style.reverse) or stands_out,
        strike=style.strike,
        meta=style.meta or None,
    )


def _stands_out(ground: RichColor | None, background: Color) -> bool:
    if ground is None or ground.is_default:
        return False
    if background.ansi is not None:
        # Colours that the terminal chooses cannot be compared, but this is not that of the pane.
        return ground.number != background.ansi
    return abs(Color.from_rich_color(ground).brightness - background.brightness) >= STANDS_OUT


def _recedes(ink: RichColor | None, background: Color) -> bool:
    if ink is None or ink.is_default:
        return False
    if background.ansi is not None:
        return ink.name == "bright_black"
    return abs(Color.from_rich_color(ink).brightness - background.brightness) < RECEDES
