"""What a saved memory resembles is said in a quiet line, beside the save; keys act on it until the next act or esc."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from curating import everything
from flows.app_driver import (
    HOSTILE,
    NARROW,
    WIDE,
    app_on,
    browser,
    empty_vault,
    fill,
    holds,
    memory,
    says,
    screen_text,
    shows,
    stored,
    until,
)
from flows.editing_driver import candidate, form_closes, form_opens, inbox_opens, rewrite, waits
from textual.pilot import Pilot

from memtui.tui.edit.acts import SimilarOnSave
from memtui.tui.list_detail import MemtuiScreen
from memtui.tui.merge.screen import MergeScreen
from memtui.vault.vault import Vault

pytestmark = pytest.mark.usefixtures("isolated")

OLD = memory(1, "The refund lock lives for 30 seconds", days=9, insight="The refund lock lives for 30 seconds")
OTHER = memory(2, "Deploys wait for the smoke test", days=5, insight="Deploys wait for the smoke test")


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    vault = empty_vault(tmp_path)
    fill(vault, [OLD, OTHER])
    return vault


async def add(pilot: Pilot[Any], text: str) -> None:
    await pilot.press("a")
    await form_opens(pilot)
    await rewrite(pilot, "insight", text)
    await rewrite(pilot, "project", "ferry")
    await pilot.press("ctrl+s")
    await form_closes(pilot)


def beside(pilot: Pilot[Any]) -> list[str]:
    screen = pilot.app.screen
    assert isinstance(screen, MemtuiScreen)
    (line,) = [part for part in screen.parts if isinstance(part, SimilarOnSave)]
    return [each.found.id for each in line.waiting]


def title_under_cursor(pilot: Pilot[Any]) -> str:
    row = browser(pilot)._list.current_row
    return row.title if row is not None else ""


async def tells(pilot: Pilot[Any], *ids: str) -> None:
    await until(pilot, lambda: beside(pilot) == list(ids), f"the line tells of {ids}")


async def test_a_save_tells_what_it_resembles_and_the_keys_settle_it(vault: Vault, tmp_path: Path) -> None:
    async with app_on(vault, tmp_path).run_test(size=WIDE) as pilot:
        await holds(pilot, 2)
        await pilot.press("X", "L", "O")
        assert not isinstance(pilot.app.screen, MergeScreen), "without the line its keys do nothing"
        await add(pilot, "The refund lock lives for 60 seconds")
        await tells(pilot, OLD.id)
        for part in ("clashes with The refund lock lives for 30 seconds", "X supersede", "L link", "O both", "esc no"):
            await shows(pilot, part)
        saved = everything(vault)
        await pilot.press("j", "k")
        await tells(pilot, OLD.id)
        await pilot.press("X")
        await says(pilot, "Superseded: The refund lock lives for 30 seconds")
        assert stored(vault, OLD.id).status == "superseded"
        await until(pilot, lambda: "clashes with" not in screen_text(pilot), "the line is gone")
        await pilot.press("u")
        await until(pilot, lambda: everything(vault) == saved, "undo takes the supersession back and keeps the save")


async def test_the_line_goes_with_esc_or_the_next_act_and_stays_beside_a_look(vault: Vault, tmp_path: Path) -> None:
    async with app_on(vault, tmp_path).run_test(size=NARROW) as pilot:
        await holds(pilot, 2)
        await add(pilot, "The refund lock lives for 60 seconds")
        await tells(pilot, OLD.id)
        await pilot.press("O")
        await until(pilot, lambda: isinstance(pilot.app.screen, MergeScreen), "both stand side by side")
        await shows(pilot, "Result ─ ")
        await pilot.press("escape")
        await until(pilot, lambda: not isinstance(pilot.app.screen, MergeScreen), "esc goes back")
        await tells(pilot, OLD.id)
        await pilot.press("L")
        await says(pilot, "Linked with: The refund lock lives for 30 seconds")
        await tells(pilot)
        await add(pilot, "The refund lock lives for 90 seconds")
        await until(pilot, lambda: bool(beside(pilot)), "the line tells of another")
        await pilot.press("escape")
        await tells(pilot)
        assert "esc no" not in screen_text(pilot)
        await add(pilot, "The refund lock lives for 45 seconds")
        await until(pilot, lambda: bool(beside(pilot)), "the line tells again")
        await until(pilot, lambda: "45" in title_under_cursor(pilot), "the cursor is on what was added")
        await pilot.press("p")
        await says(pilot, "Pinned: The refund lock lives for 45 seconds")
        await tells(pilot)


async def test_what_resembles_nothing_and_small_edits_are_silent(vault: Vault, tmp_path: Path) -> None:
    async with app_on(vault, tmp_path).run_test(size=WIDE) as pilot:
        await holds(pilot, 2)
        asked = 0
        for name, text, found in (
            ("tags", "ci", []),
            ("insight", "Deploys wait for the smoke tests.", []),
            ("insight", "The refund lock lives for 75 seconds", [OLD.id]),
        ):
            await until(pilot, lambda: browser(pilot)._list.current == OTHER.id, "the cursor is on it")
            await pilot.press("e")
            await form_opens(pilot)
            await rewrite(pilot, name, text)
            if found:
                await rewrite(pilot, "title", text)
            asked = browser(pilot).loader.newest["beside"]
            await pilot.press("ctrl+s")
            await form_closes(pilot)
            await until(pilot, lambda past=asked: browser(pilot).loader.newest["beside"] > past, "it was looked at")  # type: ignore[misc] # bound now
            await pilot.app.workers.wait_for_complete()
            await tells(pilot, *found)


async def test_accepting_tells_it_too_one_after_the_other(tmp_path: Path) -> None:
    vault = empty_vault(tmp_path)
    fill(
        vault,
        [
            OLD,
            memory(2, "Sail times are in UTC", insight="Sail times are in UTC", days=8),
            candidate(
                3, "The refund lock lives for 60 seconds", insight="The refund lock lives for 60 seconds", days=2
            ),
            candidate(4, "Sail times are in local time", insight="Sail times are in local time", days=1),
        ],
    )
    async with app_on(vault, tmp_path).run_test(size=WIDE) as pilot:
        await holds(pilot, 2)
        await pilot.press("b")
        await inbox_opens(pilot, 2)
        await pilot.press("asterisk", "a")
        await waits(pilot, 0)
        await until(pilot, lambda: len(beside(pilot)) == 2, "both are told of")
        await shows(pilot, "esc no (1 more)")
        first, second = beside(pilot)
        await pilot.press("L")
        await tells(pilot, second)
        await pilot.press("X")
        await tells(pilot)
        await until(pilot, lambda: stored(vault, second).status == "superseded", "the second is superseded")
        assert stored(vault, first).status == "active"


async def test_hostile_titles_stay_text_in_the_line(tmp_path: Path) -> None:
    vault = empty_vault(tmp_path)
    hostile = [text for text in HOSTILE[:-1] if len(text) > 5]
    fill(vault, [memory(n, f"{text} lock", insight=f"{text} lock lives 30 seconds") for n, text in enumerate(hostile)])
    async with app_on(vault, tmp_path).run_test(size=NARROW) as pilot:
        await until(pilot, lambda: len(browser(pilot)._list.ids) == len(hostile), "the list is read")
        for text in hostile[:4]:
            await add(pilot, f"{text} lock lives 60 seconds")
            await until(pilot, lambda: bool(beside(pilot)), f"the line tells of {text!r}")
            await shows(pilot, "esc no")
            strips = pilot.app.screen._compositor.render_strips()
            assert {strip.cell_length for strip in strips} == {NARROW[0]}
            assert not any(sign in screen_text(pilot) for sign in "\x1b\x07\u202e")
            await pilot.press("escape")
            await tells(pilot)
