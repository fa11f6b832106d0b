"""Where the keys go is seen, without colours too."""

from __future__ import annotations

from pathlib import Path

import pytest
from flows.app_driver import NARROW, app_on, focused, screen_text, shows, until

from memtui.vault.vault import Vault


async def test_one_row_or_line_stands_out_where_the_keys_go(
    ferry: Vault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    app = app_on(ferry, tmp_path, project="ferry")

    def standing_out() -> str:
        strips = app.screen._compositor.render_strips()
        return "".join(each.text for strip in strips for each in strip if each.style and each.style.reverse)

    async with app.run_test(size=NARROW) as pilot:
        await shows(pilot, "Lock refunds by payment_id")
        await until(pilot, lambda: "▌" in standing_out(), "the row stands out")
        await pilot.press("slash")
        await until(pilot, lambda: focused(pilot) == "filter", "the filter is typed in")
        assert "▌" in standing_out(), "enter and the arrows are about this row"
        await pilot.press("escape", "c", *"refund", "enter")
        await shows(pilot, "▌")
        assert focused(pilot) == "context-list"
        await pilot.press("tab", "tab")
        await until(pilot, lambda: focused(pilot) == "context-task", "letters go into the task")
        assert "▌" not in screen_text(pilot)
        assert "▏" in screen_text(pilot), "the row is still told"
        assert "▏" not in standing_out()
        assert "refund" in standing_out()
