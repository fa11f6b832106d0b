"""The Browse screen: looking, moving, filtering."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from flows.app_driver import (
    NARROW,
    WIDE,
    app_on,
    browser,
    empty_vault,
    ferry_vault,
    fill,
    focused,
    holds,
    isolate,
    memory,
    screen_lines,
    screen_text,
    shows,
    toasts,
    until,
)
from textual import events

from memtui.vault.vault import Vault


@pytest.fixture(autouse=True)
def _own_home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    isolate(monkeypatch, tmp_path)


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    return empty_vault(tmp_path)


@pytest.fixture
def ferry(tmp_path: Path) -> Vault:
    return ferry_vault(tmp_path)


async def test_opens_on_the_memories_of_the_project_with_counts_and_the_first_in_full(
    ferry: Vault, tmp_path: Path
) -> None:
    fill(ferry, [replace(memory(6, "Waits in the inbox"), status="candidate"), memory(7, "Elsewhere", project="other")])
    async with app_on(ferry, tmp_path, project="ferry").run_test(size=WIDE) as pilot:
        await shows(pilot, "Why")
        text = screen_text(pilot)
        assert "memtui  ferry" in text
        assert "5 memories" in text
        assert "2 due" in text
        assert "1 inbox" in text
        assert "? help" in text
        assert "Elsewhere" not in text
        assert "Waits in the inbox" not in text
        for part in ("decision · semantic · active", "Cards pay at once.", "pay/lock.py", "Retry a refund three times"):
            assert part in text
        assert "1 Memories · newest first" in text
        assert "!" in next(line for line in screen_lines(pilot) if "Postgres 14" in line)


async def test_keys_move_the_cursor_and_stop_at_the_ends(vault: Vault, tmp_path: Path) -> None:
    fill(vault, [memory(number, f"Memory {number}", days=number / 10) for number in range(1, 61)])
    async with app_on(vault, tmp_path).run_test(size=WIDE) as pilot:
        await holds(pilot, 60)
        pane = browser(pilot)._list
        for keys, index in (
            (("j", "down"), 2),
            (("k",), 1),
            (("up", "up"), 0),
            (("G",), 59),
            (("j",), 59),
            (("home",), 0),
            (("ctrl+d",), pane.page // 2),
            (("ctrl+u",), 0),
            (("end", "g"), 0),
            (("pagedown",), pane.page),
        ):
            await pilot.press(*keys)
            assert pane.cursor == index, keys
        await shows(pilot, f"What Memory {pane.page + 1} means.")


async def test_a_long_list_keeps_only_rows_near_the_sight(
    vault: Vault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from memtui.tui.widgets import memory_list

    monkeypatch.setattr(memory_list, "MOST_ROWS", 150)
    fill(vault, [memory(number, f"Memory {number}", days=number / 100) for number in range(1, 1201)])
    async with app_on(vault, tmp_path).run_test(size=WIDE) as pilot:
        await shows(pilot, "Memory 1 ")
        pane = browser(pilot)._list
        for key, title in (("G", "Memory 1200"), ("g", "Memory 1 "), ("G", "Memory 1200")):
            await pilot.press(key)
            await shows(pilot, title)
        assert len(pane._rows) <= 300


async def test_the_filter_narrows_while_typing_and_escape_clears_then_leaves(ferry: Vault, tmp_path: Path) -> None:
    async with app_on(ferry, tmp_path).run_test(size=WIDE) as pilot:
        await holds(pilot, 5)
        await pilot.press("slash", *"refund")
        await holds(pilot, 2)
        await shows(pilot, "2 of 5")
        await pilot.press("down")
        assert browser(pilot)._list.cursor == 1
        await pilot.press("escape")
        await holds(pilot, 5)
        assert focused(pilot) == "filter"
        await pilot.press("escape")
        assert focused(pilot) == "list"


async def test_half_a_word_of_a_title_finds_it_and_quotes_are_only_text(ferry: Vault, tmp_path: Path) -> None:
    fill(ferry, [memory(8, "It's the captain's call; DROP TABLE memories")])
    async with app_on(ferry, tmp_path).run_test(size=WIDE) as pilot:
        await holds(pilot, 6)
        await pilot.press("slash", *"ostgr")
        await holds(pilot, 1)
        await pilot.press("enter")
        assert focused(pilot) == "list"
        await pilot.press("escape")
        await holds(pilot, 6)
        await pilot.press("slash")
        browser(pilot)._filter.value = "'s call; DROP"
        await holds(pilot, 1)
        assert toasts(pilot) == []


async def test_a_filter_that_fits_nothing_says_so(ferry: Vault, tmp_path: Path) -> None:
    async with app_on(ferry, tmp_path).run_test(size=WIDE) as pilot:
        await holds(pilot, 5)
        await pilot.press("slash", *"[/zzz")
        await shows(pilot, "Nothing fits “[/zzz”.")


async def test_a_paste_of_several_lines_becomes_one_line_of_filter(ferry: Vault, tmp_path: Path) -> None:
    async with app_on(ferry, tmp_path).run_test(size=WIDE) as pilot:
        await holds(pilot, 5)
        await pilot.press("slash")
        browser(pilot)._filter.post_message(events.Paste("retry\r\na\nrefund \x1b[201~:q! " + "y" * 5_000))
        await until(pilot, lambda: bool(browser(pilot)._filter.value), "the paste arrived")
        value = browser(pilot)._filter.value
        assert value.startswith("retry a refund :q! yyy")
        assert len(value) <= 200
        assert browser(pilot)._list.is_attached


async def test_an_empty_vault_names_the_commands_that_fill_it(vault: Vault, tmp_path: Path) -> None:
    async with app_on(vault, tmp_path).run_test(size=NARROW) as pilot:
        await shows(pilot, "The vault is empty.")
        for command in ("memtui add", "memtui import .", "memtui demo"):
            assert command in screen_text(pilot)
        await pilot.press("j", "x", "p", "y", "enter", "slash", "a", "escape", "escape")
        await shows(pilot, "The vault is empty.")
        assert not vault.exists, "looking does not make a vault"


async def test_an_empty_project_says_what_the_vault_holds(ferry: Vault, tmp_path: Path) -> None:
    async with app_on(ferry, tmp_path, project="barge").run_test(size=WIDE) as pilot:
        await shows(pilot, "No active memories in project barge.")
        await shows(pilot, "The vault holds 5 memories")


async def test_a_narrow_screen_shows_the_list_and_enter_opens_the_memory_over_it(ferry: Vault, tmp_path: Path) -> None:
    async with app_on(ferry, tmp_path).run_test(size=NARROW) as pilot:
        await shows(pilot, "Sail times are in UTC")
        assert "2 Detail" not in screen_text(pilot)
        await pilot.press("enter")
        await shows(pilot, "Cards pay at once.")
        assert "1 Memories" not in screen_text(pilot)
        await pilot.press("escape")
        await shows(pilot, "1 Memories")
        assert "2 Detail" not in screen_text(pilot)


async def test_tab_goes_to_the_details_which_scroll_and_back(vault: Vault, tmp_path: Path) -> None:
    fill(vault, [memory(1, "Long", insight="\n".join(f"line {number}" for number in range(200)))])
    async with app_on(vault, tmp_path).run_test(size=WIDE) as pilot:
        await shows(pilot, "line 3")
        await pilot.press("tab", "G")
        await shows(pilot, "line 199")
        await pilot.press("g", "j", "j", "ctrl+d", "ctrl+u")
        assert browser(pilot)._detail.scroll_offset.y == 2
        await pilot.press("tab")
        assert focused(pilot) == "list"
        await pilot.press("2", "1")
        assert focused(pilot) == "list"


async def test_due_start_takes_kinds_and_a_size(ferry: Vault, tmp_path: Path) -> None:
    async with app_on(ferry, tmp_path, start="due", kinds=("tooling",)).run_test(size=WIDE) as pilot:
        await holds(pilot, 1)
        assert browser(pilot)._list.current == "m0000004"
    async with app_on(ferry, tmp_path, start="due", most=1).run_test(size=WIDE) as pilot:
        await holds(pilot, 1)
        assert browser(pilot)._list.current == "m0000005"


async def test_clicks_choose_a_row_and_press_a_hint(ferry: Vault, tmp_path: Path) -> None:
    async with app_on(ferry, tmp_path).run_test(size=WIDE) as pilot:
        await shows(pilot, "Retry a refund")
        await pilot.click("#list", offset=(10, 3))
        assert browser(pilot)._list.cursor == 2
        await pilot.click("#list", offset=(10, 3))
        assert focused(pilot) == "detail"
        await pilot.press("escape")
        await pilot.click("#hints", offset=(screen_lines(pilot)[-1].index("filter"), 0))
        assert focused(pilot) == "filter"
