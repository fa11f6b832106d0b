"""What Context keeps and takes back, driven by keys: recipes, questions, packs, and undo of what was changed last."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from flows.app_driver import WIDE, app_on, fill, focused, memory, says, screen_text, shows, until
from flows.context_driver import TASK, answered, context_screen, fake_ssh, included, open_context, payload, type_task

from memtui.curate import lifecycle
from memtui.domain.identity import Actor
from memtui.pack.recipes import get_recipe, list_packs, list_recipes
from memtui.recall.evaluation import read_questions
from memtui.vault.vault import Vault

pytestmark = pytest.mark.usefixtures("isolated")

LOCK = "m0000001"


async def test_a_recipe_is_saved_loaded_and_replaced_only_when_said_twice(ferry: Vault, tmp_path: Path) -> None:
    async with app_on(ferry, tmp_path, project="ferry").run_test(size=WIDE) as pilot:
        screen = await open_context(pilot)
        await pilot.press("enter", "L")
        await says(pilot, "There is no recipe yet")
        await pilot.press("R")
        await says(pilot, "There is neither a task nor a file.")
        await type_task(pilot)
        await pilot.press("R", *"weekly [/x]", "enter")
        await says(pilot, "Saved as recipe “weekly [/x]”")
        await until(pilot, lambda: focused(pilot) == "context-list", "the line closes")
        assert (get_recipe(ferry, "weekly [/x]").task, get_recipe(ferry, "weekly [/x]").target) == (TASK, "chat")

        await type_task(pilot, "sail times")
        await pilot.press("B", *"900", "enter")
        await answered(pilot)
        await pilot.press("R", "enter")
        await shows(pilot, "it exists: enter again replaces it")
        assert get_recipe(ferry, "weekly [/x]").task == TASK
        await pilot.press("enter")
        await until(pilot, lambda: get_recipe(ferry, "weekly [/x]").task == "sail times", "it is replaced")
        await until(pilot, lambda: focused(pilot) == "context-list" and not screen.acting, "the line closes")
        await pilot.press("R", "ctrl+u", *"other", "escape")
        assert [recipe.name for recipe in list_recipes(ferry)] == ["weekly [/x]"]

        await type_task(pilot, "something else")
        await pilot.press("L")
        await shows(pilot, "sail times")
        await pilot.press("1")
        await until(pilot, lambda: screen._lines.text == "sail times", "the recipe is loaded")
        await answered(pilot)
        assert screen._lines.budget == "900"


async def test_what_changed_since_the_last_pack_is_told(
    ferry: Vault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_ssh(tmp_path, monkeypatch)
    async with app_on(ferry, tmp_path, project="ferry").run_test(size=WIDE) as pilot:
        await open_context(pilot)
        await type_task(pilot)
        await pilot.press("enter", "d")
        await says(pilot, "No pack of this task was used before.")
        await pilot.press("y")
        await says(pilot, ". In a week, press K to say whether it helped.")
        await shows(pilot, "unchanged since 01 Jun")
        assert len(list_packs(ferry, 9)) == 1
        fill(ferry, [memory(6, "A refund that fails on retry is told")])
        lifecycle.retire(ferry, [LOCK], actor=Actor())
        await shows(pilot, "since 01 Jun: +2 −1")
        await pilot.press("d")
        for text in (
            "Since this task was last copied",
            "+ in now",
            "A refund that fails on retry",
            "− no longer in",
        ):
            await shows(pilot, text)
        assert "Lock refunds by payment_id" in screen_text(pilot)


async def test_style_toggles_and_an_evaluation_question(ferry: Vault, tmp_path: Path) -> None:
    fill(ferry, [memory(6, "Refund retry texts are in German", status="candidate")])
    async with app_on(ferry, tmp_path, project="ferry").run_test(size=WIDE) as pilot:
        screen = await open_context(pilot)
        await type_task(pilot)
        await pilot.press("enter")
        full = payload(pilot)
        await pilot.press("s")
        await shows(pilot, "Style compiled")
        await answered(pilot)
        assert payload(pilot) != full
        await pilot.press("s")
        await until(pilot, lambda: payload(pilot) == full, "in full again")

        await pilot.press("question_mark", *"in the inbox", "enter")
        await until(pilot, lambda: "m0000006" in included(pilot), "the unconfirmed one is in")
        await shows(pilot, "with unconfirmed")
        await pilot.press("question_mark", *"loads by itself", "enter")
        await shows(pilot, "with what is loaded")
        await answered(pilot)

        expected = included(pilot)
        await pilot.press("question_mark", *"evaluation", "enter")
        await shows(pilot, "memtui-questions.jsonl")
        await pilot.press("enter")
        await says(pilot, "Noted in ")
        file = tmp_path / "memtui-questions.jsonl"
        (question,) = read_questions(file.read_text(), file.name)
        assert (question.query, list(question.expected)) == (TASK, expected)
        (tmp_path / "mine.txt").write_text("mine")
        await screen.action_act("context-question")
        await pilot.press("ctrl+u", *"mine.txt", "enter")
        await says(pilot, "Lines of this file cannot be read")
        assert (tmp_path / "mine.txt").read_text() == "mine"
        await pilot.press("escape")
        assert focused(pilot) == "context-list"
        assert json.loads(file.read_text())["query"] == context_screen(pilot)._lines.text


async def test_ticks_style_and_target_are_taken_back_one_by_one_and_done_again(ferry: Vault, tmp_path: Path) -> None:
    fill(ferry, [memory(6, "A retry is told")])
    async with app_on(ferry, tmp_path, project="ferry").run_test(size=WIDE) as pilot:
        screen = await open_context(pilot)
        await type_task(pilot)
        await pilot.press("enter")
        shown = [payload(pilot)]
        for key in ("space", "s"):
            await pilot.press(key)
            await until(pilot, lambda: not screen.is_waiting and payload(pilot) != shown[-1], f"{key} changes it")
            shown.append(payload(pilot))
        screen._set("target", "cursor")
        await until(pilot, lambda: not screen.is_waiting and payload(pilot) != shown[-1], "another target")
        for words, expected in (
            ("Undone: target cursor", shown[2]),
            ("Undone: style compiled", shown[1]),
            ("Undone: left out: Lock refunds by payment_id", shown[0]),
        ):
            await pilot.press("u")
            await says(pilot, words)
            await until(pilot, lambda want=expected: payload(pilot) == want, words)  # type: ignore[misc] # bound now
        assert LOCK in included(pilot)
        await pilot.press("ctrl+r")
        await says(pilot, "Redone: left out: Lock refunds by payment_id")
        await until(pilot, lambda: payload(pilot) == shown[1], "left out again")
        assert screen._lines.text == TASK


async def test_a_copy_is_taken_back_before_older_changes_and_never_one_of_somebody_else(
    ferry: Vault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_ssh(tmp_path, monkeypatch)
    fill(ferry, [memory(6, "A retry is told")])
    lifecycle.retire(ferry, ["m0000002"], actor=Actor())
    async with app_on(ferry, tmp_path, project="ferry").run_test(size=WIDE) as pilot:
        screen = await open_context(pilot)
        await type_task(pilot)
        await pilot.press("enter", "space")
        await until(pilot, lambda: LOCK not in included(pilot), "the lock is left out")
        await pilot.press("y")
        await says(pilot, "Recorded as pack")
        await until(pilot, lambda: not screen.acting and not screen.is_waiting, "at rest")
        await pilot.press("u")
        await says(pilot, "the pack no longer counts; the clipboard keeps its text")
        assert list_packs(ferry, 9) == []
        await until(pilot, lambda: not screen.acting and not screen.is_waiting, "at rest")
        await pilot.press("ctrl+r")
        await until(pilot, lambda: len(list_packs(ferry, 9)) == 1, "recorded again")
        await until(pilot, lambda: not screen.acting and not screen.is_waiting, "at rest")

        lifecycle.pin(ferry, ["m0000003"], actor=Actor("bo"), pinned=True)
        await pilot.press("u")
        await says(pilot, "by bo came after it")
        assert len(list_packs(ferry, 9)) == 1
        await pilot.press("u")
        await says(pilot, "Undone: left out: Lock refunds by payment_id")
        await until(pilot, lambda: LOCK in included(pilot), "the lock is back")

        await pilot.press("R", *"weekly", "enter")
        await says(pilot, "Saved as recipe “weekly”; u undoes it")
        await until(pilot, lambda: focused(pilot) == "context-list" and not screen.acting, "the line closes")
        await pilot.press("u")
        await says(pilot, "Undone: save recipe weekly")
        assert list_recipes(ferry) == []


async def test_ticks_stay_with_their_task_in_recipes_and_until_the_next_visit(ferry: Vault, tmp_path: Path) -> None:
    fill(ferry, [memory(6, "Sailing is at noon")])
    async with app_on(ferry, tmp_path, project="ferry").run_test(size=WIDE) as pilot:
        screen = await open_context(pilot)
        await type_task(pilot)
        await pilot.press("enter", "space")
        await until(pilot, lambda: LOCK not in included(pilot), "the lock is left out")
        await pilot.press("s")
        await answered(pilot)
        await pilot.press("R", *"weekly", "enter")
        await until(pilot, lambda: not screen.acting and bool(list_recipes(ferry)), "it is saved")
        options = get_recipe(ferry, "weekly").options
        assert (options["style"], options["without"]) == ("compiled", [LOCK])

        await until(pilot, lambda: focused(pilot) == "context-list", "the line closes")
        await pilot.press("escape")
        await until(pilot, lambda: pilot.app.screen is not screen, "back in Browse")
        screen = await open_context(pilot)
        assert (screen._lines.text, screen._choices.without) == (TASK, frozenset({LOCK}))
        await shows(pilot, "1 left out by you")

        await type_task(pilot, "when is sailing")
        await says(pilot, "New task: the ticks of the previous one were removed")
        assert not screen._choices.has_ticks
        assert focused(pilot) == "context-list", "where a task is there already, letters are acts"
        await pilot.press("L")
        await shows(pilot, "weekly")
        await pilot.press("1")
        await until(pilot, lambda: screen._lines.text == TASK, "the recipe is loaded")
        await answered(pilot)
        assert screen._choices.without == frozenset({LOCK})
        assert screen._lines.style == "compiled"
        await pilot.press("u")
        await says(pilot, "Undone: load recipe weekly")
        await answered(pilot)
        assert screen._lines.text == "when is sailing"
        assert context_screen(pilot) is screen
