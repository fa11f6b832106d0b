"""The guided tour: it follows what a person does, keeps no key from its act, and is gone for good after escape."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from flows.app_driver import NARROW, WIDE, app_on, browser, focused, holds, says, screen_text, shows, until
from flows.context_driver import answered, fake_tmux, type_task
from textual.pilot import Pilot

from memtui.tui.tour import END, STEPS, TourLine, step_words
from memtui.vault.vault import Vault

pytestmark = pytest.mark.usefixtures("isolated")


async def reaches(pilot: Pilot[Any], step: int) -> None:
    await shows(pilot, f"{step}/{len(STEPS)}  ")


def tour_lines(pilot: Pilot[Any]) -> int:
    return sum(len(screen.query(TourLine)) for screen in pilot.app.screen_stack)


async def test_the_tour_follows_each_step_and_says_when_it_is_over(
    ferry: Vault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_tmux(tmp_path, monkeypatch)
    async with app_on(ferry, tmp_path, tour=True, project="ferry").run_test(size=WIDE) as pilot:
        await holds(pilot, 5)
        await shows(pilot, "1/6  / filters as you type")
        assert focused(pilot) == "list", "the tour takes no focus"
        await pilot.press("slash", *"refund")
        await shows(pilot, "2/6  enter goes to the list; i says why")
        await pilot.press("enter", "i")
        await shows(pilot, "3/6  c shows what an assistant would get")
        await pilot.press("c")
        await reaches(pilot, 4)
        await type_task(pilot)
        await pilot.press("enter")
        await shows(pilot, "5/6  y copies it")
        await pilot.press("escape")
        await until(pilot, lambda: pilot.app.screen is browser(pilot), "back at the list, the tour goes on")
        await pilot.press("c", "enter")
        await shows(pilot, "5/6  y copies it")
        await answered(pilot)
        await pilot.press("y")
        await shows(pilot, "6/6  r goes through what is due; y confirms that it is still true")
        await pilot.press("r")
        await shows(pilot, "Review ")
        await shows(pilot, "Debugging the quay printer")
        await pilot.pause(0.5)
        await pilot.press("y")
        await shows(pilot, "That was the tour. ? lists every key")
        await pilot.press("escape")
        await until(pilot, lambda: tour_lines(pilot) == 0, "the line is gone")


async def test_escape_ends_the_tour_for_good_and_does_what_it_always_does(ferry: Vault, tmp_path: Path) -> None:
    async with app_on(ferry, tmp_path, tour=True).run_test(size=NARROW) as pilot:
        await shows(pilot, "esc ends the tour")
        await shows(pilot, "Sail")
        await pilot.press("enter")
        await until(pilot, lambda: pilot.app.screen.has_class("-reading"), "a memory is read in full")
        await pilot.press("escape")
        await until(pilot, lambda: focused(pilot) == "list", "back from the memory in full")
        assert tour_lines(pilot) == 1
        await pilot.press("slash", *"sail")
        await reaches(pilot, 2)
        await pilot.press("f1")
        await until(pilot, lambda: pilot.app.screen is not browser(pilot), "help is open")
        await pilot.press("escape")
        await until(pilot, lambda: pilot.app.screen is browser(pilot), "help is closed")
        await pilot.press("escape")
        await until(pilot, lambda: focused(pilot) == "list", "the filter is closed")
        await holds(pilot, 5)
        assert tour_lines(pilot) == 1
        await pilot.press("escape")
        await until(pilot, lambda: tour_lines(pilot) == 0, "the line is gone")
        await pilot.press("c")
        await shows(pilot, "Context")
        await pilot.pause(0.5)
        assert tour_lines(pilot) == 0


async def test_who_goes_ahead_is_followed_and_steps_left_out_are_not_asked_for(ferry: Vault, tmp_path: Path) -> None:
    async with app_on(ferry, tmp_path, tour=True, project="ferry").run_test(size=WIDE) as pilot:
        await reaches(pilot, 1)
        await pilot.press("c")
        await reaches(pilot, 4)
        await pilot.press("enter", "b")
        await shows(pilot, "Inbox")
        await reaches(pilot, 4)


async def test_in_ones_own_vault_there_is_no_tour_until_it_is_asked_for(ferry: Vault, tmp_path: Path) -> None:
    app = app_on(ferry, tmp_path, keys={"filter": "F"})
    async with app.run_test(size=WIDE) as pilot:
        await holds(pilot, 5)
        await pilot.pause(0.5)
        assert tour_lines(pilot) == 0
        await pilot.press("colon")
        await pilot.pause(0.3)
        await pilot.press(*"guided tour")
        await shows(pilot, "take the guided tour")
        await pilot.press("enter")
        await shows(pilot, "1/6  F filters as you type: try a word of one of these titles")
        assert browser(pilot).is_current
        assert "esc ends the tour" in screen_text(pilot)


async def test_a_tour_that_is_asked_for_elsewhere_begins_on_the_first_screen_unless_a_text_is_written(
    ferry: Vault, tmp_path: Path
) -> None:
    app = app_on(ferry, tmp_path, project="ferry")
    async with app.run_test(size=NARROW) as pilot:
        await holds(pilot, 5)
        await pilot.press("T", "b")
        await until(pilot, lambda: len(app.screen_stack) == 3, "the inbox lies over Tidy")
        await pilot.press("colon", *"guided tour")
        await shows(pilot, "take the guided tour")
        await pilot.press("enter")
        await until(pilot, lambda: app.screen is browser(pilot), "it is the first screen")
        await reaches(pilot, 1)
        await pilot.press("slash", *"sail")
        await reaches(pilot, 2)
        await pilot.press("escape", "escape")
        await until(pilot, lambda: tour_lines(pilot) == 0, "the line is gone")
        await pilot.press("e")
        await until(pilot, lambda: app.screen is not browser(pilot), "a memory is edited")
        await app.screen.run_action("act('tour')")
        await says(pilot, "Save or leave what you are editing first.")
        assert tour_lines(pilot) == 0


def test_every_key_that_the_tour_names_is_one_of_the_app() -> None:
    from memtui.tui.actions.registry import Keymap

    for words in (*(step.words for step in STEPS), END):
        assert any(is_key for _, is_key in step_words(words, Keymap()))
        assert not any("{" in text or "-" in text for text, is_key in step_words(words, Keymap()) if is_key)
