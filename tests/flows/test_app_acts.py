"""What a person changes in the app: at once on the screen, named in a toast, stored, and undoable."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from flows.app_driver import (
    HOSTILE,
    NOW,
    WIDE,
    app_on,
    browser,
    fill,
    holds,
    hostile_memories,
    memory,
    says,
    shows,
    stored,
    toasts,
    until,
)

from memtui.curate.projects import link_folder
from memtui.domain.identity import Actor
from memtui.domain.memory import Anchor
from memtui.vault.vault import Vault

pytestmark = pytest.mark.usefixtures("isolated")


async def test_pin_retire_undo_and_redo_show_at_once_are_said_and_stored_and_the_cursor_follows(
    ferry: Vault, tmp_path: Path
) -> None:
    async with app_on(ferry, tmp_path).run_test(size=WIDE, notifications=True) as pilot:
        await shows(pilot, "Sail times are in UTC")
        await pilot.press("j", "p")
        await says(pilot, "Pinned: Sail times are in UTC")
        await shows(pilot, "● pinned")
        assert stored(ferry, "m0000002").pinned
        assert browser(pilot)._list.cursor == 1, "a pinned memory stays under the cursor"
        await until(pilot, lambda: not browser(pilot).acting, "the change is over")
        await pilot.press("p")
        await says(pilot, "Unpinned: Sail times are in UTC")
        assert not stored(ferry, "m0000002").pinned
        await pilot.press("x")
        await holds(pilot, 4)
        assert browser(pilot)._list.current == "m0000003"
        await says(pilot, "Retired: Sail times are in UTC")
        assert stored(ferry, "m0000002").status == "retired"
        await pilot.press("u")
        await says(pilot, "Undone: retire Sail times are in UTC")
        await until(pilot, lambda: browser(pilot)._list.current == "m0000002", "the cursor is on what came back")
        assert browser(pilot)._list.cursor == 1
        await pilot.press("ctrl+r")
        await says(pilot, "Redone: retire Sail times are in UTC")
        await holds(pilot, 4)
        assert stored(ferry, "m0000002").status == "retired"


async def test_keys_in_quick_succession_each_act_on_their_own_memory(ferry: Vault, tmp_path: Path) -> None:
    async with app_on(ferry, tmp_path).run_test(size=WIDE) as pilot:
        await holds(pilot, 5)
        await pilot.press("x", "x", "x", "u")
        await says(pilot, "Undone: retire Retry a refund three times")
        await holds(pilot, 3)
        statuses = [stored(ferry, f"m000000{number}").status for number in range(1, 6)]
        assert statuses == ["retired", "retired", "active", "active", "active"]


async def test_an_agent_may_not_pin_and_the_row_goes_back(ferry: Vault, tmp_path: Path) -> None:
    async with app_on(ferry, tmp_path, actor=Actor("codex", is_person=False)).run_test(size=WIDE) as pilot:
        await shows(pilot, "Sail times are in UTC")
        await pilot.press("p")
        await says(pilot, "Only a person can pin")
        row = browser(pilot)._list
        await until(pilot, lambda: row.current_row is not None and not row.current_row.pinned, "unpinned again")


async def test_hostile_titles_in_toasts_and_filter_are_only_text(blank: Vault, tmp_path: Path) -> None:
    fill(blank, [replace(each, insight="short", rationale="", snippet="") for each in hostile_memories()])
    async with app_on(blank, tmp_path).run_test(size=WIDE, notifications=True) as pilot:
        await holds(pilot, len(HOSTILE))
        await pilot.press(*("x" * len(HOSTILE)))
        await until(pilot, lambda: len(toasts(pilot)) == len(HOSTILE), "each was retired")
        assert "Retired: [@click=app.quit]x[/]" in toasts(pilot)
        await pilot.press("slash", *"[@click=app.quit]x[/]")
        await pilot.click("#filter")
        assert pilot.app.is_running


async def test_d_lists_what_is_due_stalest_first_and_y_says_still_true(ferry: Vault, tmp_path: Path) -> None:
    async with app_on(ferry, tmp_path).run_test(size=WIDE) as pilot:
        await holds(pilot, 5)
        await pilot.press("d")
        await shows(pilot, "2 Due for review · stalest first")
        await holds(pilot, 2)
        assert list(browser(pilot)._list.ids) == ["m0000005", "m0000004"]
        await pilot.press("y")
        await says(pilot, "Verified: Debugging the quay printer")
        assert stored(ferry, "m0000005").verified_at == NOW
        await holds(pilot, 1)
        await shows(pilot, "y still true")
        await pilot.press("d")
        await holds(pilot, 5)
        await shows(pilot, "y copy")


async def test_leaving_waits_for_the_changes_that_were_asked_for_each_after_a_backup(
    ferry: Vault, tmp_path: Path
) -> None:
    calls: list[str] = []
    app = app_on(ferry, tmp_path, before_change=lambda: calls.append(stored(ferry, "m0000001").status))
    async with app.run_test(size=WIDE) as pilot:
        await holds(pilot, 5)
        await pilot.press("x", "x", "x", "q")
        await until(pilot, lambda: not app.is_running or app._exit, "the app left")
    assert [stored(ferry, f"m000000{number}").status for number in (1, 2, 3)] == ["retired"] * 3
    assert calls == ["active", "retired", "retired"], "a backup is offered before every change"


async def test_files_are_checked_in_the_linked_folder_and_taken_as_they_are_when_verified(
    blank: Vault, tmp_path: Path
) -> None:
    tree = tmp_path / "ferry"
    tree.mkdir()
    (tree / "lock.py").write_text("TTL = 60\n", encoding="utf-8")
    anchors = (Anchor("lock.py", "0" * 32), Anchor("lost.py"))
    fill(blank, [memory(1, "Lock by payment", days=900, anchors=anchors)])
    link_folder(blank, "ferry", tree)
    async with app_on(blank, tmp_path).run_test(size=WIDE) as pilot:
        await holds(pilot, 1)
        await pilot.press("d")
        await shows(pilot, "lock.py  changed")
        await shows(pilot, "lost.py  gone")
        await pilot.press("y")
        await says(pilot, "Verified: Lock by payment")
        assert stored(blank, "m0000001").anchors[0].content_hash not in {None, "0" * 32}
