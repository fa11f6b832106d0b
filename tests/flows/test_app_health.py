"""The Health screen, and `memtui stats` as its twin: the same figures."""

from __future__ import annotations

from pathlib import Path

import pytest
from flows.app_driver import (
    NARROW,
    WIDE,
    app_on,
    empty_vault,
    fill,
    focused,
    hostile_memories,
    memory,
    screen_text,
    shows,
    toasts,
    until,
)
from flows.cli_driver import Cli
from rich.cells import cell_len

from memtui.tui.health.screen import HealthScreen
from memtui.tui.lab.screen import LabScreen
from memtui.vault.vault import Vault


@pytest.mark.usefixtures("isolated")
async def test_what_asks_for_care_beside_what_the_vault_holds(ferry: Vault, tmp_path: Path) -> None:
    async with app_on(ferry, tmp_path).run_test(size=NARROW, notifications=True) as pilot:
        await shows(pilot, "Lock refunds")
        await pilot.app.run_action("go('health')")
        await shows(pilot, "5 active memories")
        text = screen_text(pilot)
        assert "! due                 2" in text
        assert "0.9–1.0" in text
        await pilot.press("tab")
        await until(pilot, lambda: focused(pilot) == "health-holds", "the other pane")
        await pilot.press("G")
        await shows(pilot, "tied to no file")
        fill(ferry, [memory(9, "A ninth rule")])
        await shows(pilot, "6 active memories")
        await pilot.press("l")
        await until(pilot, lambda: isinstance(pilot.app.screen, LabScreen), "the lab, where something can be done")


@pytest.mark.usefixtures("isolated")
async def test_hostile_memories_do_no_harm_at_any_size(tmp_path: Path) -> None:
    vault = empty_vault(tmp_path)
    fill(vault, hostile_memories())
    async with app_on(vault, tmp_path).run_test(size=WIDE, notifications=True) as pilot:
        await pilot.app.run_action("go('health')")
        await shows(pilot, "active memories")
        for size in (WIDE, NARROW, (40, 15), (20, 8)):
            await pilot.resize_terminal(*size)
            await until(pilot, lambda size=size: pilot.app.screen.size == size, "it is resized")  # type: ignore[misc] # a default binds the size
            await pilot.press("pagedown", "R")
        assert isinstance(pilot.app.screen, HealthScreen)
        assert "\x1b" not in screen_text(pilot)
        assert not [toast for toast in toasts(pilot) if "Error" in toast]


def test_stats_tell_the_same_on_eighty_columns(demo: Cli) -> None:
    run = demo("stats")
    record = demo("stats", "--json").json
    assert all(cell_len(line) <= 80 for line in run.lines)
    assert f"active: {record['active']}" in run.out
    assert f"mean{record['freshness']['mean']:>23.2f}" in run.out
    assert sum(record["freshness"]["bins"]) == record["active"]
    assert record["most_useful"][0]["title"] in run.out
    assert {"by_path", "anchors", "duplicates", "contradictions", "review", "signals", "packs", "standing"} <= set(
        record
    )
