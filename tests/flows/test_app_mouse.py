"""The mouse: the wheel, clicks and double clicks, the border between panes, and text that is selected and copied."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from flows.app_driver import (
    NARROW,
    WIDE,
    app_on,
    browser,
    fill,
    focused,
    memory,
    screen_lines,
    shows,
    until,
)
from flows.editing_driver import candidate
from textual import events
from textual.pilot import Pilot
from textual.widget import Widget

from memtui.tui.inbox.screen import InboxScreen
from memtui.tui.list_detail import ListDetail
from memtui.tui.tidy.screen import TidyScreen
from memtui.vault.vault import Vault

pytestmark = pytest.mark.usefixtures("isolated")


async def drag(pilot: Pilot[Any], start: tuple[int, int], end: tuple[int, int]) -> None:
    await pilot.mouse_down(offset=start)
    await pilot.pause()
    for x in range(start[0], end[0], 1 if end[0] > start[0] else -1):
        await pilot.hover(offset=(x, end[1]))
    await pilot.hover(offset=end)
    await pilot.mouse_up(offset=end)
    await pilot.pause()


def border_of(first: Widget) -> tuple[int, int]:
    """Return a place on the right border of a pane."""
    return first.region.right - 1, first.region.y + first.region.height // 2


async def test_the_wheel_scrolls_what_is_under_it(blank: Vault, tmp_path: Path) -> None:
    long = "\n".join(f"Line {number} of the harbour rules." for number in range(120))
    fill(blank, [memory(number, f"Rule {number}", insight=long) for number in range(1, 90)])
    async with app_on(blank, tmp_path).run_test(size=WIDE) as pilot:
        await shows(pilot, "Line 3 of the harbour")
        screen = browser(pilot)
        for pane in (screen._list, screen._detail):
            x, y = pane.region.x + 5, pane.region.y + 8
            pane.post_message(events.MouseScrollDown(pane, 5, 8, 0, 1, 0, False, False, False, x, y))
            await until(pilot, lambda pane=pane: pane.scroll_offset.y > 0, "it is scrolled")  # type: ignore[misc] # bound now
        assert screen._list.cursor == 0, "the wheel leaves the cursor where it is"


async def test_a_click_chooses_and_a_double_click_opens(ferry: Vault, tmp_path: Path) -> None:
    async with app_on(ferry, tmp_path).run_test(size=WIDE) as pilot:
        await shows(pilot, "Retry a refund")
        await pilot.click("#list", offset=(10, 4))
        await until(pilot, lambda: browser(pilot)._list.cursor == 2, "the click chose the row")
        await pilot.pause(0.6)
        await pilot.click("#list", offset=(10, 4))
        await pilot.pause()
        assert focused(pilot) == "list", "a click on the current row opens nothing"
        await pilot.double_click("#list", offset=(10, 4))
        await until(pilot, lambda: focused(pilot) == "detail", "the double click reads it")


async def test_the_border_is_dragged_within_its_limits_and_stays_after_a_start(ferry: Vault, tmp_path: Path) -> None:
    state = tmp_path / "state.json"
    async with app_on(ferry, tmp_path, state_path=state).run_test(size=WIDE) as pilot:
        await shows(pilot, "Retry a refund")
        screen = browser(pilot)
        before = screen._list.region.width
        x, y = border_of(screen._list)
        await drag(pilot, (x, y), (x - 20, y))
        await until(pilot, lambda: abs(screen._list.region.width - before + 20) <= 1, "the border follows the mouse")
        assert pilot.app.mouse_captured is None
        assert not screen.selections, "a drag selects no text"
        x, y = border_of(screen._list)
        await drag(pilot, (x, y), (3, y))
        await until(pilot, lambda: 30 <= screen._list.region.width <= 40, "the list keeps a third")
        kept = screen._list.region.width
        await pilot.press("ctrl+q")
    async with app_on(ferry, tmp_path, state_path=state).run_test(size=WIDE) as pilot:
        await shows(pilot, "Retry a refund")
        await until(pilot, lambda: browser(pilot)._list.region.width == kept, "it is where it was put")
        await pilot.resize_terminal(*NARROW)
        await until(pilot, lambda: browser(pilot)._list.region.width == NARROW[0], "alone it takes the whole width")


@pytest.mark.parametrize(("key", "kind"), [("b", InboxScreen), ("T", TidyScreen)])
async def test_each_screen_keeps_its_own_border(key: str, kind: type[ListDetail], blank: Vault, tmp_path: Path) -> None:
    fill(blank, [candidate(1, "Sail times are in UTC"), memory(2, "Be careful", insight="Be careful with the ferry.")])
    state = tmp_path / "state.json"
    async with app_on(blank, tmp_path, state_path=state).run_test(size=WIDE) as pilot:
        await shows(pilot, "Be careful")
        for _ in range(2):
            await pilot.press(key)
            await until(pilot, lambda: isinstance(pilot.app.screen, kind), "the screen is open")
            screen = pilot.app.screen
            assert isinstance(screen, kind)
            first = screen._first
            await until(pilot, lambda first=first: first.region.width > 0, "it is laid out")  # type: ignore[misc] # bound now
            if screen.border is not None and screen.border.share is None:
                x, y = border_of(first)
                await drag(pilot, (x, y), (47, y))
            await until(pilot, lambda first=first: abs(first.region.width - 48) <= 1, "the border is where it was put")  # type: ignore[misc] # bound now
            await pilot.resize_terminal(*NARROW)
            await until(pilot, lambda first=first: first.region.width == NARROW[0], "alone it has the whole width")  # type: ignore[misc] # bound now
            await pilot.resize_terminal(*WIDE)
            await pilot.press("escape")
            await until(pilot, lambda: len(pilot.app.screen_stack) == 1, "it is closed")


async def test_text_is_selected_and_copied(ferry: Vault, tmp_path: Path) -> None:
    async with app_on(ferry, tmp_path, project="ferry").run_test(size=WIDE) as pilot:
        await shows(pilot, "What Lock refunds by payment_id ")
        row = next(place for place, line in enumerate(screen_lines(pilot)) if "What Lock refunds" in line)
        start = screen_lines(pilot)[row].index("What Lock")
        await drag(pilot, (start, row), (start + 8, row))
        await until(pilot, lambda: pilot.app.screen.get_selected_text() is not None, "something is selected")
        await pilot.press("ctrl+c")
        await until(pilot, lambda: pilot.app.clipboard.startswith("What Lock"), "it is copied")
        assert "refunds" not in pilot.app.clipboard
