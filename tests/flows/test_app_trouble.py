"""Hostile texts, busy and damaged vaults, and other processes: the app lives on."""

from __future__ import annotations

from pathlib import Path

import pytest
from flows.app_driver import (
    HOSTILE,
    NARROW,
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
    toasts,
    until,
)

from memtui.domain.memory import Link
from memtui.tui.browse import screen
from memtui.vault.lease import lease
from memtui.vault.vault import Vault

pytestmark = pytest.mark.usefixtures("isolated")


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
        await pilot.app.workers.wait_for_complete()
        with lease(ferry.path, exclusive=True, wait_seconds=0.0):
            assert browser(pilot).is_current


async def test_a_busy_vault_is_told_and_the_list_comes_once_it_is_free(
    ferry: Vault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(screen, "POLL_SECONDS", 0.2)
    ferry.patience_seconds = 0.1
    with lease(ferry.path, exclusive=True, wait_seconds=1.0):
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


@pytest.mark.parametrize("size", [WIDE, NARROW, (40, 10)])
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
