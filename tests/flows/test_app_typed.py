"""Words typed where nothing takes text: at a typist's speed they run no commands, and the filter takes them."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from flows.app_driver import WIDE, app_on, ferry_vault, fill, says, screen_text, shows, stored, until
from flows.editing_driver import candidate, inbox_opens
from textual import events
from textual.pilot import Pilot
from textual.widgets import Input

from memtui.tui.actions.registry import SCREENS
from memtui.tui.inbox.screen import InboxScreen
from memtui.tui.list_detail import MemtuiScreen
from memtui.tui.typed import QUIET_SECONDS
from memtui.vault.vault import Vault

pytestmark = pytest.mark.usefixtures("isolated")

BURST = 8  # As the configuration has it unless a person chose otherwise

FOUND = (
    candidate(11, "Gangway two needs a pilot", days=1),
    candidate(12, "Never trust the quay clock", days=2),
    candidate(13, "A snapshot of the quay is taken at noon", days=3),
)


@pytest.fixture
def found(tmp_path: Path) -> Vault:
    vault = ferry_vault(tmp_path)
    fill(vault, FOUND)
    return vault


async def typed(pilot: Pilot[Any], keys: Sequence[str]) -> None:
    """Type keys one right after the other, apart from what was pressed before."""
    await asyncio.sleep(QUIET_SECONDS)
    for name in keys:
        pilot.app.post_message(events.Key(name, name if len(name) == 1 else None))
    await pilot.pause()


def statuses(vault: Vault) -> list[str]:
    return [stored(vault, memory.id).status for memory in FOUND]


async def test_a_word_runs_no_commands_and_is_put_into_the_filter(found: Vault, tmp_path: Path) -> None:
    async with app_on(found, tmp_path, burst=BURST).run_test(size=WIDE, notifications=True) as pilot:
        await pilot.press("b")
        await inbox_opens(pilot, 3)
        await typed(pilot, [*"snapshot", "enter"])
        told = "“snapshot” was typed where nothing takes text: no command was run; / puts it into the filter."
        await says(pilot, told)
        await asyncio.sleep(QUIET_SECONDS)
        await pilot.press("slash")
        await until(
            pilot,
            lambda: isinstance(pilot.app.focused, Input) and pilot.app.focused.value == "snapshot",
            "the filter takes the word",
        )
        await until(pilot, lambda: "was typed" not in screen_text(pilot), "what was told is gone")
        assert isinstance(pilot.app.screen, InboxScreen)
    assert statuses(found) == ["candidate"] * 3


async def test_letters_that_come_at_once_run_nothing(found: Vault, tmp_path: Path) -> None:
    async with app_on(found, tmp_path, burst=BURST).run_test(size=WIDE) as pilot:
        await pilot.press("b")
        await inbox_opens(pilot, 3)
        await typed(pilot, "anchor")
        await says(pilot, "“anchor” was typed where nothing takes text: no command was run")
    assert statuses(found) == ["candidate"] * 3


async def test_of_letters_that_come_one_by_one_the_first_may_act_and_is_named(
    found: Vault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memtui.tui.typed.QUIET_SECONDS", 9.0)  # however slow the machine is
    async with app_on(found, tmp_path, burst=BURST).run_test(size=WIDE) as pilot:
        await pilot.press("b")
        await inbox_opens(pilot, 3)
        await pilot.press("down", "a")
        await until(pilot, lambda: statuses(found).count("candidate") == 2, "one was accepted")
        await typed(pilot, "nchor")
        await says(pilot, "“anchor” was typed where nothing takes text: a ran (accept into use); u undoes it")
        await pilot.press("escape", "u")
        await until(pilot, lambda: statuses(found).count("candidate") == 3, "u undoes it")


async def test_commands_given_as_fast_are_all_of_them_run_in_their_order(found: Vault, tmp_path: Path) -> None:
    async with app_on(found, tmp_path, burst=BURST).run_test(size=WIDE) as pilot:
        await pilot.press("b")
        await inbox_opens(pilot, 3)
        await typed(pilot, [*"jka", *"xa"])
        await until(pilot, lambda: statuses(found) == ["active", "retired", "active"], "each was decided")


async def test_keys_that_move_run_behind_an_act_that_waits(found: Vault, tmp_path: Path) -> None:
    async with app_on(found, tmp_path, burst=BURST).run_test(size=WIDE) as pilot:
        await pilot.press("b")
        await inbox_opens(pilot, 3)
        await typed(pilot, ["a", "x", "down", "home"])
        await until(pilot, lambda: statuses(found) == ["active", "retired", "candidate"], "the first two were decided")
        await shows(pilot, "A snapshot of the quay")


async def test_a_paste_runs_no_commands_and_is_put_into_the_filter(found: Vault, tmp_path: Path) -> None:
    async with app_on(found, tmp_path).run_test(size=WIDE) as pilot:
        await pilot.press("b")
        await inbox_opens(pilot, 3)
        pilot.app.post_message(events.Paste("snapshot\nof x"))
        await says(pilot, "Pasted text runs no commands; / puts it into the filter.")
        await pilot.press("slash")
        await until(
            pilot,
            lambda: isinstance(pilot.app.focused, Input) and pilot.app.focused.value == "snapshot of x",
            "the filter takes the paste",
        )
    assert statuses(found) == ["candidate"] * 3


GOES_TO = ("inbox", "review", "context", "tidy", "packs", "history", "lab", "health", "import", "capture")
LETTERS = "anyxiq"  # On most screens each of them is a key, on all of them some


def in_front(pilot: Pilot[Any]) -> MemtuiScreen:
    screen = pilot.app.screen
    assert isinstance(screen, MemtuiScreen)
    return screen


async def slash_and_letters(pilot: Pilot[Any]) -> None:
    """Type a word after `/`, each letter on its own; it stays text, and esc ends it."""
    screen, made = in_front(pilot), len(pilot.app.opening.vault.made)  # type: ignore[attr-defined] # it is ours
    await pilot.press("slash")
    for letter in LETTERS:
        await pilot.press(letter)
    line = screen.focused
    assert in_front(pilot) is screen, f"a letter left {screen.AREA}"
    assert not screen.acting
    assert len(pilot.app.opening.vault.made) == made, f"a letter changed something in {screen.AREA}"  # type: ignore[attr-defined] # likewise
    if isinstance(line, Input):
        assert line.value.endswith(LETTERS), f"the line of {screen.AREA} takes every letter"
    else:
        await until(pilot, lambda: "After esc, letters are commands again" in screen_text(pilot), "it is told")
    await pilot.press("escape")
    assert in_front(pilot) is screen, f"esc ends what is typed, and stays in {screen.AREA}"
    if isinstance(line, Input):
        line.value = ""


async def test_after_a_slash_no_letter_runs_a_command_on_any_screen(found: Vault, tmp_path: Path) -> None:
    untried = set(SCREENS) - {"browse", *GOES_TO, "assistants", "publish", "team", "bulk", "edit"}
    assert untried == {"choosing", "clash", "merge", "reflect", "conflict"}, "a new screen is to be tried as well"
    async with app_on(found, tmp_path, project="ferry").run_test(size=WIDE, notifications=True) as pilot:
        await shows(pilot, "Postgres 14")
        await slash_and_letters(pilot)
        for area in (*GOES_TO, "assistants", "publish", "team"):
            await pilot.app.run_action(f"go('{area}')")
            await until(pilot, lambda area=area: area == in_front(pilot).AREA, f"{area} is open")  # type: ignore[misc] # bound now
            await until(pilot, lambda: not in_front(pilot).loader.is_reading, "it is read")
            await slash_and_letters(pilot)
    assert statuses(found) == ["candidate"] * 3
