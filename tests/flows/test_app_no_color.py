"""`NO_COLOR`: no colour leaves for the terminal, whatever the theme, and what stood out still does."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

import pytest
from flows.app_driver import WIDE, app_on, shows, until

from memtui.tui.themes import plain_style
from memtui.vault.vault import Vault

pytestmark = pytest.mark.usefixtures("isolated")

_SGR = re.compile(rb"\x1b\[([0-9;:]*)m")
_COLOURS = frozenset({*range(30, 50), *range(90, 108), 58, 59})


def colours_in(data: bytes) -> set[bytes]:
    """Return the codes that choose a colour, the terminal's own included."""
    found = set()
    for codes in _SGR.findall(data):
        for code in re.split(rb"[;:]", codes):
            if code and int(code) in _COLOURS:
                found.add(codes)
    return found


async def test_no_theme_draws_a_colour_and_the_cursor_is_seen(
    ferry: Vault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    app = app_on(ferry, tmp_path)
    async with app.run_test(size=WIDE) as pilot:
        await shows(pilot, "Lock refunds by payment_id")
        for theme in sorted(name for name in app.available_themes if name.startswith("memtui")):
            app.theme = theme
            await until(pilot, lambda name=theme: app.current_theme.name == name, theme)  # type: ignore[misc] # bound at once
            await pilot.press("down")
            await pilot.pause()
            strips = app.screen._compositor.render_strips()
            styles = [segment.style for strip in strips for segment in strip if segment.style is not None]
            assert not any(style.color or style.bgcolor for style in styles), theme
            marked = [strip.text for strip in strips if any(each.style and each.style.reverse for each in strip)]
            assert any("│" in text for text in marked), f"{theme}: a row of the list stands out"
        plain_style.cache_clear()


@pytest.mark.skipif(os.name != "posix", reason="a pseudo terminal")
@pytest.mark.parametrize("theme", ["memtui-dark", "memtui-ansi"])
def test_no_colour_code_reaches_the_terminal(ferry: Vault, tmp_path: Path, theme: str) -> None:
    from bench.terminal import Terminal

    vault = ferry.path
    environment = {"NO_COLOR": "1", "COLORTERM": "truecolor", "TEXTUAL_THEME": theme}
    command = [sys.executable, "-m", "memtui", "--vault", str(vault)]
    with Terminal(command, folder=tmp_path, environment=environment) as terminal:
        terminal.seconds_until("Lock refunds by payment_id")
        terminal.press(b"j")
        terminal.press(b"?")
        terminal.seconds_until("Help")
        written = b"".join(part for _, part in terminal._written)
    assert b"\x1b[7m" in written or b";7m" in written, "what stands out is reversed"
    assert colours_in(written) == set()
