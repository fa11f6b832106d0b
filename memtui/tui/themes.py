"""Themes from TOML files, shipped and the user's own, and `NO_COLOR`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from rich.color import Color as RichColor
from rich.segment import Segment
from rich.style import Style
from textual.color import Color, ColorParseError
from textual.filter import DimFilter, LineFilter, Monochrome, NoColor
from textual.theme import BUILTIN_THEMES, Theme

from memtui.text.words import did_you_mean

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
        """Return segments without colours. `background`: what the widget is painted with."""
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


DARK = "memtui-dark"

COLOURS = (
    "primary",
    "secondary",
    "accent",
    "foreground",
    "background",
    "surface",
    "panel",
    "boost",
    "warning",
    "error",
    "success",
)
"""Keys of `[colors]`; `primary` is required."""

DOMAIN_COLOURS = {
    "memtui-dim": "foreground-muted",
    "memtui-border": "panel-lighten-2",
    "memtui-cursor": "panel",
    "memtui-kind": "secondary",
    "memtui-bar": "primary",
    "memtui-pin": "accent",
    "memtui-due": "warning",
    "memtui-due-bar": "warning",
    "memtui-code": "accent",
}
"""Colours of our own (keys of `[memtui]`, less the prefix) and the variables that stand in for missing ones."""

_PREFIX = "memtui-"
_NAME = re.compile(r"[a-z][a-z0-9-]{0,39}")
_KEYS = ("name", "dark", "ansi", "colors", "memtui")


class ThemeError(ValueError):
    """A theme file holds something that is no theme; the message says what."""


@dataclass(slots=True)
class LoadedThemes:
    """What the theme folders hold."""

    themes: list[Theme] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)  # one line per file that was skipped


def load_themes(folders: Iterable[Path]) -> LoadedThemes:
    """Return the themes of folders; a later one of the same name replaces an earlier one."""
    found: dict[str, Theme] = {}
    loaded = LoadedThemes()
    for folder in folders:
        for path in sorted(folder.glob("*.toml")) if folder.is_dir() else ():
            try:
                theme = read_theme(path)
            except (ThemeError, OSError, UnicodeDecodeError) as error:
                loaded.problems.append(f"{path.name}: {error}")
            else:
                found[theme.name] = theme
    loaded.themes = list(found.values())
    return loaded


def read_theme(path: Path) -> Theme:
    """Return the theme of one file.

    Raises:
        ThemeError: it is no valid theme.
        OSError: it cannot be read.
    """
    import tomllib

    try:
        values = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except tomllib.TOMLDecodeError as error:
        raise ThemeError(f"invalid TOML ({error})") from error
    _only_known(values, _KEYS, "")
    name, dark, ansi = values.get("name"), values.get("dark", True), values.get("ansi", False)
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise ThemeError("name must be lower-case letters, digits and hyphens")
    if not isinstance(dark, bool) or not isinstance(ansi, bool):
        raise ThemeError("dark and ansi must be true or false")
    colours = _colours(values, "colors", COLOURS)
    if "primary" not in colours:
        raise ThemeError("colors.primary is missing")
    own = _colours(values, "memtui", [key.removeprefix(_PREFIX) for key in DOMAIN_COLOURS])
    # In the terminal's own colours nothing can be blended: cursors and selections need colours of their own.
    variables = dict(BUILTIN_THEMES["ansi-dark" if dark else "ansi-light"].variables) if ansi else {}
    variables |= {_PREFIX + key: colour for key, colour in own.items()}
    if "memtui-border" in variables:
        variables["border-blurred"] = variables["memtui-border"]
    return Theme(name=name, dark=dark, ansi=ansi, variables=variables, **colours)  # type: ignore[arg-type] # keys are checked


def _colours(values: dict[str, Any], section: str, known: Iterable[str]) -> dict[str, str]:
    table = values.get(section, {})
    if not isinstance(table, dict):
        raise ThemeError(f"{section} must be a table")
    _only_known(table, list(known), f"{section}.")
    for key, value in table.items():
        try:
            Color.parse(value if isinstance(value, str) else "")
        except ColorParseError:
            raise ThemeError(f"{section}.{key} is not a colour: {str(value)[:40]!r}") from None
    return table


def _only_known(table: dict[str, Any], known: Iterable[str], prefix: str) -> None:
    names = list(known)
    for key in table:
        if key not in names:
            raise ThemeError(f"unknown key {prefix}{key}. {did_you_mean(key, names)}".rstrip(". "))


def with_stand_ins(variables: dict[str, str]) -> dict[str, str]:
    """Return CSS variables with a value for each of our own colours."""
    missing = {name: variables[other] for name, other in DOMAIN_COLOURS.items() if name not in variables}
    return {**variables, **missing}
