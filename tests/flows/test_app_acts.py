"""What a person changes in the app: at once on the screen, named in a toast, stored, and undoable."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from flows.app_driver import (
    HOSTILE,
    NARROW,
    NOW,
    WIDE,
    app_on,
    browser,
    empty_vault,
    fill,
    holds,
    hostile_memories,
    memory,
    says,
    screen_lines,
    shows,
    stored,
    toasts,
    until,
    work_ends,
)
from support import held_elsewhere
from textual.pilot import Pilot

from memtui.curate.history import log
from memtui.curate.projects import link_folder
from memtui.domain.identity import Actor
from memtui.domain.memory import Anchor, Link
from memtui.tui.browse import screen
from memtui.vault.lease import lease
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


async def test_d_lists_what_is_due_stalest_first_and_shift_y_says_still_true(ferry: Vault, tmp_path: Path) -> None:
    async with app_on(ferry, tmp_path).run_test(size=WIDE) as pilot:
        await holds(pilot, 5)
        await pilot.press("d")
        await shows(pilot, "2 Due for review · stalest first")
        await holds(pilot, 2)
        assert list(browser(pilot)._list.ids) == ["m0000005", "m0000004"]
        await pilot.press("Y")
        await says(pilot, "Verified: Debugging the quay printer")
        assert stored(ferry, "m0000005").verified_at == NOW
        await holds(pilot, 1)
        await shows(pilot, "Y still true")
        await pilot.press("d")
        await holds(pilot, 5)
        await shows(pilot, "a add")


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
        await pilot.press("Y")
        await says(pilot, "Verified: Lock by payment")
        assert stored(blank, "m0000001").anchors[0].content_hash not in {None, "0" * 32}


def statuses_marks(vault: Vault, numbers: range) -> list[str]:
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
        assert statuses_marks(ferry, range(1, 6)) == ["retired", "retired", "active", "retired", "retired"]
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
        await shows(pilot, "1 marked, 1 not listed: left out")
        await pilot.press("x")
        await says(pilot, "Retired: Lock refunds by payment_id")
        assert statuses_marks(ferry, range(1, 4)) == ["retired", "active", "active"]
        await holds(pilot, 1)
        await shows(pilot, "actions apply to this row: 1 marked, not listed")
        await shows(pilot, "/ filter")
        await until(pilot, lambda: not browser(pilot).acting, "the change is over")
        await pilot.press("x")
        await says(pilot, "Retired: Retry a refund three times")
        assert statuses_marks(ferry, range(1, 4)) == ["retired", "active", "retired"]


async def test_restore_brings_marked_memories_back_from_the_view_of_retired_ones(ferry: Vault, tmp_path: Path) -> None:
    fill(ferry, [replace(stored(ferry, f"m000000{number}"), status="retired") for number in (1, 2, 3)])
    async with app_on(ferry, tmp_path).run_test(size=WIDE) as pilot:
        await shows(pilot, "Postgres 14 everywhere")
        await pilot.press("R")
        await says(pilot, "It is active")
        browser(pilot).choose({"status": ("retired",)})
        await holds(pilot, 3)
        await shows(pilot, "×")
        await pilot.press("asterisk", "R")
        await says(pilot, "Restored 3 memories")
        await shows(pilot, "backspace clears the facets")
        assert statuses_marks(ferry, range(1, 4)) == ["active"] * 3


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


async def test_what_another_process_adds_appears_and_the_cursor_stays(
    ferry: Vault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(screen, "POLL_SECONDS", 0.1)
    async with app_on(ferry, tmp_path).run_test(size=WIDE) as pilot:
        await holds(pilot, 5)
        await pilot.press("j", "j")
        fill(ferry, [memory(9, "Added elsewhere just now", days=0)])
        await holds(pilot, 6)
        await shows(pilot, "Added elsewhere just now")
        assert browser(pilot)._list.current == "m0000003"


async def test_the_vault_is_never_held_while_the_app_is_open(ferry: Vault, tmp_path: Path) -> None:
    async with app_on(ferry, tmp_path).run_test(size=WIDE) as pilot:
        await shows(pilot, "Cards pay at once.")
        await work_ends(pilot)
        # The app reads now and then, for a quarter of a second at most.
        with lease(ferry.path, exclusive=True, wait_seconds=2.0):
            assert browser(pilot).is_current


async def test_a_busy_vault_is_told_and_the_list_comes_once_it_is_free(
    ferry: Vault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(screen, "POLL_SECONDS", 0.2)
    ferry.patience_seconds = 0.1
    with held_elsewhere(ferry.path):
        app = app_on(ferry, tmp_path)
        pilot_context = app.run_test(size=WIDE)
        pilot = await pilot_context.__aenter__()
        await says(pilot, "The vault is in use by")
        await shows(pilot, "The vault is in use by")
        await pilot.pause(0.5)
        assert len(toasts(pilot)) == 1, "the same failure is told once"
    await holds(pilot, 5)
    await pilot_context.__aexit__(None, None, None)


async def test_a_damaged_vault_is_told_and_the_app_lives_on(blank: Vault, tmp_path: Path) -> None:
    blank.path.write_bytes(b"no database at all, " * 500)
    async with app_on(blank, tmp_path).run_test(size=WIDE) as pilot:
        await says(pilot, "cannot be read as a database")
        await shows(pilot, "memtui doctor")
        await pilot.press("x", "p", "j", "G", "enter", "question_mark")
        await shows(pilot, "type to find")


async def test_an_unforeseen_error_is_a_toast_too(
    ferry: Vault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from memtui.tui.vault_access import MemoryActs

    def break_down(_access: MemoryActs, identifiers: list[str]) -> None:
        raise RuntimeError(f"[/{identifiers[0]}] broke")

    monkeypatch.setattr(MemoryActs, "retire", break_down)
    async with app_on(ferry, tmp_path).run_test(size=WIDE, notifications=True) as pilot:
        await holds(pilot, 5)
        await pilot.press("x")
        await says(pilot, "RuntimeError: [/m0000001] broke")
        await holds(pilot, 5)


@pytest.mark.parametrize("size", [NARROW, (40, 10)])
async def test_hostile_texts_neither_crash_nor_shift_the_columns(
    blank: Vault, tmp_path: Path, size: tuple[int, int]
) -> None:
    relation = Link(from_id="m0000001", type="relates", to_id="m0000002", created_at=NOW)
    fill(blank, hostile_memories(), [relation])
    async with app_on(blank, tmp_path).run_test(size=size, notifications=True) as pilot:
        await holds(pilot, len(HOSTILE))
        for position in range(len(HOSTILE)):
            await until(
                pilot, lambda: browser(pilot).details.shown_id == browser(pilot)._list.current, "the detail came"
            )
            await pilot.press("enter", "G", "escape", "j")
            strips = pilot.app.screen._compositor.render_strips()
            assert {strip.cell_length for strip in strips} == {size[0]}, position
            assert not any(sign in strip.text for strip in strips for sign in "\x1b\x07\u202e\t\n")
