"""A large vault, whose filter needs no look at it: the same answers, also after changes and while it is not ready."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from flows.app_driver import NARROW, app_on, browser, empty_vault, fill, holds, memory, screen_text, shows, until
from textual.pilot import Pilot

from memtui.tui.browse import list_reader, queries


def is_ready(pilot: Pilot[Any]) -> bool:
    shown = browser(pilot).lists.listing
    return shown is not None and browser(pilot).lists.queries.is_prepared(shown.base)


def query(pilot: Pilot[Any]) -> str:
    shown = browser(pilot).lists.listing
    return shown.query if shown else ""


async def test_a_filter_in_memory_narrows_scrolls_and_follows_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(queries, "LARGE_VAULT", 1)
    monkeypatch.setattr(list_reader, "LARGE_VAULT", 1)
    monkeypatch.setattr(list_reader, "PREPARING_SECONDS", 0.01)
    vault = empty_vault(tmp_path)
    titles = [f"{'Retry' if number % 4 else 'Refund'} number {number}" for number in range(1, 301)]
    fill(vault, [memory(number, title, days=number) for number, title in enumerate(titles, 1)])
    async with app_on(vault, tmp_path).run_test(size=NARROW) as pilot:
        await holds(pilot, 300)
        pane = browser(pilot)._list
        await until(pilot, lambda: is_ready(pilot), "the filter is ready")
        await pilot.press("slash", *"refund")
        await holds(pilot, 75)
        await shows(pilot, "75 of 300")
        assert all("Refund" in line for line in screen_text(pilot).splitlines() if " number " in line)
        await pilot.press("enter", "G")
        await until(pilot, lambda: pane.row(pane.current or "") is not None, "the last row is here")
        # Where the memories of rows come later, the rows stay as they were.
        await until(pilot, lambda: pane.current_row is not None and pane.current_row.memory is not None, "and whole")
        gone = pane.current
        await pilot.press("x")
        await holds(pilot, 74)
        await until(pilot, lambda: not browser(pilot).acting, "it is retired")
        await shows(pilot, "74 of 299")
        await until(pilot, lambda: is_ready(pilot), "the filter is ready again")
        await pilot.press("slash", *" number")
        await until(pilot, lambda: query(pilot) == " number", "there is another filter")
        assert len(pane.ids) == 299
        assert gone not in pane.ids
        await pilot.press("escape", "escape", "u")
        await holds(pilot, 300)
