"""Toasts as a person sees them: what was undone is no longer told, and the row in hand stays in sight."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from flows.app_driver import NARROW, app_on, browser, empty_vault, fill, holds, memory, screen_lines, until
from textual.pilot import Pilot
from textual.widgets._toast import Toast


def shown(pilot: Pilot[Any]) -> list[str]:
    return [str(toast.render()) for toast in pilot.app.screen.query(Toast)]


def covers_no_frame(pilot: Pilot[Any], toast: Toast) -> None:
    """A toast takes two lines at most, and neither the first lines, nor a border, nor the footer."""
    size, region = pilot.app.size, toast.region
    assert region.height <= 2
    assert region.y >= 2
    assert region.bottom <= size.height - 2
    assert region.right < size.width - 1
    assert screen_lines(pilot)[-2].rstrip().endswith("╯")


async def test_an_undo_takes_the_place_of_what_it_undid_and_the_row_in_hand_stays_in_sight(tmp_path: Path) -> None:
    vault = empty_vault(tmp_path)
    fill(vault, [memory(number, f"Memory {number}", days=number) for number in range(1, 61)])
    async with app_on(vault, tmp_path).run_test(size=NARROW, notifications=True) as pilot:
        await holds(pilot, 60)
        await pilot.press("G", "x")
        await until(pilot, lambda: any("Retired" in toast for toast in shown(pilot)), "it is told")
        toast = pilot.app.screen.query(Toast).first()
        pane = browser(pilot)._list
        await until(pilot, lambda: 0 < toast.region.bottom <= pilot.app.size.height // 2, "the toast stands above")
        covers_no_frame(pilot, toast)
        await pilot.press("u")
        await until(pilot, lambda: any("Undone" in toast for toast in shown(pilot)), "the undo is told")
        await until(pilot, lambda: len(shown(pilot)) == 1, "it alone is told")
        await until(pilot, lambda: pane.current == "m0000060", "the cursor is back")
        line = pane.content_region.y + pane.cursor - pane.scroll_offset.y
        assert "Memory 60" in screen_lines(pilot)[line]
        assert screen_lines(pilot)[line].rstrip("│ ").endswith("1 mo")
        await pilot.press("g")
        await until(
            pilot,
            lambda: all(toast.region.y >= pilot.app.size.height // 2 for toast in pilot.app.screen.query(Toast)),
            "the toast goes where the cursor is not",
        )
        covers_no_frame(pilot, pilot.app.screen.query(Toast).first())
        await pilot.resize_terminal(40, 15)
        browser(pilot).say("Long words " * 30)
        await until(pilot, lambda: any("Long words" in toast for toast in shown(pilot)), "it is told")
        toast = pilot.app.screen.query(Toast).first()
        await until(pilot, lambda: 0 < toast.region.right <= 40, "it is laid out")
        covers_no_frame(pilot, toast)
