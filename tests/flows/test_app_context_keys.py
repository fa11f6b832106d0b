"""Keys that come faster than the app reads them: each does what it does when one waits between them."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from flows.app_driver import NARROW, app_on, browser, focused, holds, says, shows, stored, until
from flows.context_driver import answered, at_once, context_screen, open_context

from memtui.errors import MemtuiError
from memtui.vault.lease import lease
from memtui.vault.vault import Vault

pytestmark = pytest.mark.usefixtures("isolated")


def _tree(tmp_path: Path) -> Path:
    tree = tmp_path / "ferry"
    (tree / "services").mkdir(parents=True)
    for name in ("refunds.py", "refunds.pyi"):
        (tree / "services" / name).write_text("x = 1\n")
    subprocess.run(["git", "init", "-q", str(tree)], check=True)
    return tree


async def test_what_is_typed_at_once_goes_where_it_was_meant(ferry: Vault, tmp_path: Path) -> None:
    tree = _tree(tmp_path)
    async with app_on(ferry, tree).run_test(size=NARROW) as pilot:
        lines = (await open_context(pilot))._lines
        at_once(pilot, *"make refunds", "enter", "F", *"serv")
        await until(pilot, lambda: lines.files_line.value == "serv", "the file is typed into its line")
        assert lines.text == "make refunds"
        assert focused(pilot) == "context-files"

        at_once(
            pilot, "ctrl+u", *"services/refunds.py", "enter", "B", "ctrl+u", *"700", "enter", "j", "slash", "end", "!"
        )
        await until(pilot, lambda: lines.text == "make refunds!", "the task is typed on")
        assert lines.files_line.names == ["services/refunds.py"]
        assert lines.budget == "700"
        screen = await answered(pilot)
        assert screen._answer is not None
        assert screen._answer.task.files == ("services/refunds.py",)
        assert (lines.style, len(pilot.app.screen_stack)) == ("full", 2), "no letter of a name ran an act"

        at_once(
            pilot,
            "tab",
            "tab",
            "shift+tab",
            "end",
            "backspace",
            "backspace",
            "y",
            "escape",
            "t",
            "G",
            "escape",
            "B",
            "1",
        )
        await until(pilot, lambda: lines.budget == "1", "the budget is typed")
        assert focused(pilot) == "context-budget"


async def test_keys_go_in_order_while_the_first_payload_is_awaited(ferry: Vault, tmp_path: Path) -> None:
    async with app_on(ferry, tmp_path, project="ferry").run_test(size=NARROW) as pilot:
        await shows(pilot, "Lock refunds")
        with lease(ferry.path, exclusive=True, wait_seconds=5.0):
            await pilot.press("c")
            lines = context_screen(pilot)._lines
            at_once(pilot, *"make refunds", "enter", "F", *"pay/lock.py", "enter", "B", "ctrl+u", *"700", "enter")
            await until(pilot, lambda: lines.budget == "700", "all is typed")
            await until(pilot, lambda: focused(pilot) == "context-list", "enter leaves the budget")
            assert context_screen(pilot)._answer is None
            assert (lines.text, lines.files_line.names) == ("make refunds", ["pay/lock.py"])
        await answered(pilot)


async def test_enter_goes_on_from_a_path_that_is_typed_in_full(ferry: Vault, tmp_path: Path) -> None:
    tree = _tree(tmp_path)
    async with app_on(ferry, tree).run_test(size=NARROW) as pilot:
        screen = await open_context(pilot)
        files = screen._lines.files_line
        await until(pilot, lambda: "services/refunds.py" in files._known, "the files are known")
        await pilot.press("tab", *"services/refunds.py")
        await shows(pilot, "services/refunds.pyi")
        await pilot.press("enter")
        await until(pilot, lambda: focused(pilot) == "context-list", "enter goes on")
        assert files.names == ["services/refunds.py"]
        await answered(pilot)
        assert screen._answer is not None
        assert screen._answer.task.files == ("services/refunds.py",)

        await pilot.press("F", "ctrl+u", *"services/refunds.py")
        await shows(pilot, "services/refunds.pyi")
        await pilot.press("escape", "enter")
        assert focused(pilot) == "context-list"
        await pilot.press("F", "ctrl+u", *"refunds", "enter")
        assert files.value == "services/refunds.py, ", "part of a name is completed"
        assert focused(pilot) == "context-files"


async def test_keys_wait_for_the_screen_that_one_of_them_opens(ferry: Vault, tmp_path: Path) -> None:
    async with app_on(ferry, tmp_path, project="ferry").run_test(size=NARROW, notifications=True) as pilot:
        await holds(pilot, 5)
        at_once(pilot, "slash", *"xxp", "escape", "escape", "j", "c", *"xmas refunds", "enter")
        await until(pilot, lambda: focused(pilot) == "context-list", "the task is typed and entered")
        assert context_screen(pilot)._lines.text == "xmas refunds"
        assert browser(pilot)._list.current == "m0000002"
        at_once(pilot, "escape", "question_mark", *"decay lab", "enter", "escape", "colon", *"packs", "escape", "k")
        await until(pilot, lambda: browser(pilot)._list.current == "m0000001", "help and palette took their keys")
        await until(pilot, lambda: pilot.app.screen is browser(pilot), "both are left")
        at_once(pilot, "e", "end", *"!x", "tab", "ctrl+a", *"xp", "ctrl+s")
        await says(pilot, "Saved: Lock refunds by payment_id!x")
    assert stored(ferry, "m0000001").insight.startswith("xp")
    assert [stored(ferry, f"m000000{number}").status for number in range(1, 6)] == ["active"] * 5
    assert not any(stored(ferry, f"m000000{number}").pinned for number in range(1, 6))


async def test_keys_for_a_screen_that_does_not_open_run_no_act_elsewhere(
    ferry: Vault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from memtui.tui.edit.queries import EditingAccess

    def fails(_access: EditingAccess, _identifier: str | None) -> None:
        raise MemtuiError("The memory is gone")

    monkeypatch.setattr(EditingAccess, "basis", fails)
    async with app_on(ferry, tmp_path).run_test(size=NARROW, notifications=True) as pilot:
        await holds(pilot, 5)
        at_once(pilot, "e", *"xxpx")
        await says(pilot, "The memory is gone")
        await until(pilot, lambda: pilot.app.screen is browser(pilot), "the form is left")
        await pilot.press("j")
        await until(pilot, lambda: browser(pilot)._list.current == "m0000002", "the list answers")
    assert [stored(ferry, f"m000000{number}").status for number in range(1, 6)] == ["active"] * 5
