"""Browse: acts on many memories as one change, and undo that brings the cursor back."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from flows.app_driver import (
    NARROW,
    WIDE,
    app_on,
    browser,
    empty_vault,
    fill,
    holds,
    memory,
    says,
    screen_lines,
    shows,
    stored,
    until,
)
from textual.pilot import Pilot

from memtui.curate.history import log
from memtui.tui.browse import screen
from memtui.vault.vault import Vault

pytestmark = pytest.mark.usefixtures("isolated")


def statuses(vault: Vault, numbers: range) -> list[str]:
    return [stored(vault, f"m{number:07d}").status for number in numbers]


async def test_what_is_marked_is_retired_as_one_change_and_undone_as_one(ferry: Vault, tmp_path: Path) -> None:
    async with app_on(ferry, tmp_path).run_test(size=WIDE) as pilot:
        await shows(pilot, "Sail times are in UTC")
        await pilot.press("space", "space")
        await shows(pilot, "2 marked · 5")
        await shows(pilot, "x retire")
        assert sum("✓" in line for line in screen_lines(pilot)) == 2
        await pilot.press("j", "v", "j", "space", "G")
        await shows(pilot, "4 marked · 5")
        await pilot.press("x")
        await holds(pilot, 1)
        await says(pilot, "Retired 4 memories")
        assert browser(pilot)._list.current == "m0000003"
        assert statuses(ferry, range(1, 6)) == ["retired", "retired", "active", "retired", "retired"]
        assert log(ferry, limit=1)[0].summary == "retire 4 memories"
        await until(pilot, lambda: not browser(pilot).acting, "the change is over")
        await pilot.press("u")
        await says(pilot, "Undone: retire 4 memories")
        await holds(pilot, 5)
        assert browser(pilot)._list.current == "m0000001"
        await pilot.press("asterisk")
        await shows(pilot, "5 marked · 5")
        await pilot.press("asterisk", "v", "j", "escape")
        await until(pilot, lambda: not browser(pilot)._list.marked, "the range was given up")
        await shows(pilot, "/ filter")


async def test_what_was_left_alone_is_said_with_the_reason(ferry: Vault, tmp_path: Path) -> None:
    fill(ferry, [replace(stored(ferry, "m0000002"), pinned=True)])
    async with app_on(ferry, tmp_path).run_test(size=WIDE) as pilot:
        await shows(pilot, "Sail times are in UTC")
        await pilot.press("asterisk", "p")
        await says(pilot, "Pinned 4 memories; 1 skipped: already pinned")
        await until(pilot, lambda: not browser(pilot).acting, "the change is over")
        await pilot.press("asterisk", "p")
        await says(pilot, "Unpinned 5 memories")
        await until(pilot, lambda: not browser(pilot).acting, "the change is over")
        await pilot.press("asterisk")
        await shows(pilot, "5 marked")
        with ferry.write(actor="person", action="purge") as writer:
            writer.remove(["m0000005"])
        await pilot.press("x")
        await says(pilot, "Retired 4 memories; 1 skipped: it no longer exists")


async def test_marks_that_the_filter_hides_are_told_and_spared(ferry: Vault, tmp_path: Path) -> None:
    async with app_on(ferry, tmp_path).run_test(size=WIDE) as pilot:
        await holds(pilot, 5)
        await pilot.press("space", "space", "slash", *"refund", "enter")
        await holds(pilot, 2)
        await shows(pilot, "1 marked, 1 not listed: left out · 2 of 5")
        await pilot.press("x")
        await says(pilot, "Retired: Lock refunds by payment_id")
        assert statuses(ferry, range(1, 4)) == ["retired", "active", "active"]
        await holds(pilot, 1)
        await shows(pilot, "actions apply to this row: 1 marked, not listed · 1 of 4")
        await shows(pilot, "/ filter")
        await until(pilot, lambda: not browser(pilot).acting, "the change is over")
        await pilot.press("x")
        await says(pilot, "Retired: Retry a refund three times")
        assert statuses(ferry, range(1, 4)) == ["retired", "active", "retired"]


async def test_restore_brings_marked_memories_back_from_the_view_of_retired_ones(ferry: Vault, tmp_path: Path) -> None:
    fill(ferry, [replace(stored(ferry, f"m000000{number}"), status="retired") for number in (1, 2, 3)])
    async with app_on(ferry, tmp_path).run_test(size=WIDE) as pilot:
        await shows(pilot, "Postgres 14 everywhere")
        await pilot.press("R")
        await says(pilot, "It is in use")
        browser(pilot).choose({"status": ("retired",)})
        await holds(pilot, 3)
        await shows(pilot, "×")
        await pilot.press("asterisk", "R")
        await says(pilot, "Restored 3 memories")
        await shows(pilot, "backspace clears the facets")
        assert statuses(ferry, range(1, 4)) == ["active"] * 3


def _row_of_cursor(pilot: Pilot[Any], title: str) -> bool:
    return any("│▌" in line and title in line for line in screen_lines(pilot))


async def test_undo_brings_the_cursor_back_whatever_else_reads_the_list(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Looks for changes of others come all the time here: they must not lose where the cursor is to go."""
    monkeypatch.setattr(screen, "POLL_SECONDS", 0.02)
    vault = empty_vault(tmp_path)
    fill(vault, [memory(number, f"Memory {number}", days=number) for number in range(1, 61)])
    async with app_on(vault, tmp_path).run_test(size=NARROW) as pilot:
        await holds(pilot, 60)
        await pilot.press("G", *("k" * 5))
        for _ in range(3):
            current = browser(pilot)._list.current
            await pilot.press("x")
            await holds(pilot, 59)
            await until(pilot, lambda: not browser(pilot).acting, "the change is over")
            await pilot.press("g", "u")
            await holds(pilot, 60)
            await until(pilot, lambda at=current: browser(pilot)._list.current == at, "the cursor is back")  # type: ignore[misc] # a default binds the loop's value
            title = f"Memory {int(str(current)[1:])} "
            await until(pilot, lambda at=title: _row_of_cursor(pilot, at), f"the cursor is drawn on {title}")  # type: ignore[misc] # as above
            await pilot.press("k")
