"""What can be measured of how screens look: of the themes, and of the pictures of all screens."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby, pairwise
from pathlib import Path

import pytest
from textual.color import Color

from memtui.locations import resource_folder
from memtui.tui.themes import DOMAIN_COLOURS, load_themes, read_theme

READABLE = 4.5
"""Contrast of normal text that WCAG 2.2 asks for (1.4.3, level AA)."""

HIGH = 7.0
"""The same at level AAA."""

SEEN = 3.0
"""Contrast of a mark that says something without words (1.4.11)."""

NO_TEXT = {"memtui-border", "memtui-cursor", "memtui-bar", "memtui-due-bar"}

FILES = sorted(resource_folder("themes").glob("*.toml"))


def luminance(colour: Color) -> float:
    parts = [value / 255 for value in colour.rgb]
    linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(Color.parse(one)), luminance(Color.parse(other))))
    return (high + 0.05) / (low + 0.05)


def test_there_are_themes_for_every_room_and_terminal() -> None:
    loaded = load_themes([resource_folder("themes")])
    assert loaded.problems == []
    assert len(loaded.themes) >= 6
    assert any(not theme.dark for theme in loaded.themes)
    assert any(theme.ansi and theme.dark for theme in loaded.themes)
    assert any(theme.ansi and not theme.dark for theme in loaded.themes)
    assert "memtui-contrast" in {theme.name for theme in loaded.themes}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_text_can_be_read_on_its_ground(path: Path) -> None:
    theme = read_theme(path)
    assert theme.name == path.stem
    assert set(DOMAIN_COLOURS) <= set(theme.variables)
    if theme.ansi:
        # Which colours the terminal has is its owner's to say; a cursor must still be seen.
        assert theme.variables["memtui-cursor"] not in {theme.background, theme.variables["memtui-dim"]}
        return
    wanted = HIGH if path.stem == "memtui-contrast" else READABLE
    texts = {name: value for name, value in theme.variables.items() if name in DOMAIN_COLOURS and name not in NO_TEXT}
    texts |= {"foreground": str(theme.foreground), "primary": theme.primary, "error": str(theme.error)}
    texts |= {"success": str(theme.success), "warning": str(theme.warning), "accent": str(theme.accent)}
    grounds = (str(theme.background), theme.variables["memtui-cursor"])
    for name, colour in texts.items():
        assert min(contrast(colour, ground) for ground in grounds) >= wanted, name
    for name in ("memtui-bar", "memtui-due-bar"):
        assert min(contrast(theme.variables[name], ground) for ground in grounds) >= SEEN, name


PICTURES = sorted((Path(__file__).parents[2] / "snapshots").rglob("*.svg"))

UNDER_A_POPUP = re.compile(r"\[(?:help|palette|diff|switch-)")
"""Pictures in which a popup lies over a screen that is dimmed on purpose."""

CELL = 12.2
"""Width of a cell in a picture."""

_COLOUR = re.compile(r"\.([\w-]+-r\d+)\s*\{\s*fill:\s*(#[0-9a-f]+)", re.IGNORECASE)
_GROUND = re.compile(
    r'<rect fill="(#[0-9a-f]+)" x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="([\d.]+)"', re.IGNORECASE
)
_TEXT = re.compile(r'<text class="([\w-]+)" x="([\d.]+)" y="([\d.]+)"[^>]*>([^<]*)</text>')


@dataclass(frozen=True, slots=True)
class Drawn:
    """A text of a picture."""

    text: str
    x: float
    y: float
    colour: str


@dataclass(frozen=True, slots=True)
class Picture:
    """The texts of a picture, and what they stand on."""

    texts: tuple[Drawn, ...]
    grounds: tuple[tuple[str, float, float, float, float], ...]  # colour, left, top, width, height

    def ground(self, drawn: Drawn) -> str:
        """Return the colour that the first letter of a text stands on."""
        blanks = len(drawn.text) - len(drawn.text.lstrip())
        x, y = drawn.x + (blanks + 0.5) * CELL, drawn.y - 6
        under = [one for one in self.grounds if one[1] <= x < one[1] + one[3] and one[2] <= y < one[2] + one[4]]
        return under[-1][0]

    def lines(self) -> Iterator[list[Drawn]]:
        """Yield the texts of each line, from left to right."""
        for _, line in groupby(sorted(self.texts, key=lambda one: (one.y, one.x)), key=lambda one: one.y):
            yield list(line)


def picture(path: Path) -> Picture:
    svg = path.read_text(encoding="utf-8")
    colours = dict(_COLOUR.findall(svg))
    texts = (
        Drawn(html.unescape(text).replace("\xa0", " "), float(x), float(y), colours[name])
        for name, x, y, text in _TEXT.findall(svg)
        if name in colours
    )
    grounds = ((found[0], *map(float, found[1:])) for found in _GROUND.findall(svg))
    return Picture(tuple(texts), tuple(grounds))


@pytest.mark.parametrize(
    "path", [path for path in PICTURES if not UNDER_A_POPUP.search(path.name)], ids=lambda path: path.stem
)
def test_every_word_of_every_screen_stands_out_from_its_ground(path: Path) -> None:
    looked_at = picture(path)
    words = [one for one in looked_at.texts if re.search(r"[^\W_]", one.text)]
    assert words
    faint = {
        (one.text.strip(), one.colour, looked_at.ground(one))
        for one in words
        if contrast(one.colour, looked_at.ground(one)) < READABLE
    }
    assert faint == set()


@pytest.mark.parametrize(
    "path", [path for path in PICTURES if not UNDER_A_POPUP.search(path.name)], ids=lambda path: path.stem
)
def test_no_word_touches_the_border_at_its_right(path: Path) -> None:
    touching = [
        before.text
        for line in picture(path).lines()
        for before, after in pairwise(line)
        if after.text.startswith("│")
        and re.search(r"[^\W_…]$|[…)\]]$", before.text)
        and abs(before.x + len(before.text) * CELL - after.x) < CELL / 2
    ]
    assert touching == []
