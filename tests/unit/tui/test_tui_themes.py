"""The themes that ship: readable, complete, and told apart without guessing."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.color import Color

from memtui.locations import resource_folder
from memtui.tui.themes import DOMAIN_COLOURS, load_themes, read_theme

READABLE = 4.5
"""Contrast of normal text that WCAG 2.2 asks for (1.4.3, level AA)."""

HIGH = 7.0
"""The same at level AAA."""

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
    for name, colour in texts.items():
        assert contrast(colour, str(theme.background)) >= wanted, name
