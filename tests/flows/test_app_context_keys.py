"""Keys in Context that come faster than the app reads them: each does what it does when one waits between them."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from flows.app_driver import NARROW, app_on, ferry_vault, focused, isolate, shows, until
from flows.context_driver import answered, at_once, context_screen, open_context

from memtui.vault.lease import lease


@pytest.fixture(autouse=True)
def _isolated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    isolate(monkeypatch, tmp_path)


def _tree(tmp_path: Path) -> Path:
    tree = tmp_path / "ferry"
    (tree / "services").mkdir(parents=True)
    for name in ("refunds.py", "refunds.pyi"):
        (tree / "services" / name).write_text("x = 1\n")
    subprocess.run(["git", "init", "-q", str(tree)], check=True)
    return tree


async def test_what_is_typed_at_once_goes_where_it_was_meant(tmp_path: Path) -> None:
    tree = _tree(tmp_path)
    async with app_on(ferry_vault(tmp_path), tree).run_test(size=NARROW) as pilot:
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


async def test_keys_go_in_order_while_the_first_payload_is_awaited(tmp_path: Path) -> None:
    vault = ferry_vault(tmp_path)
    async with app_on(vault, tmp_path, project="ferry").run_test(size=NARROW) as pilot:
        await shows(pilot, "Lock refunds")
        with lease(vault.path, exclusive=True, wait_seconds=5.0):
            await pilot.press("c")
            lines = context_screen(pilot)._lines
            at_once(pilot, *"make refunds", "enter", "F", *"pay/lock.py", "enter", "B", "ctrl+u", *"700", "enter")
            await until(pilot, lambda: lines.budget == "700", "all is typed")
            await until(pilot, lambda: focused(pilot) == "context-list", "enter leaves the budget")
            assert context_screen(pilot)._answer is None
            assert (lines.text, lines.files_line.names) == ("make refunds", ["pay/lock.py"])
        await answered(pilot)


async def test_enter_goes_on_from_a_path_that_is_typed_in_full(tmp_path: Path) -> None:
    tree = _tree(tmp_path)
    async with app_on(ferry_vault(tmp_path), tree).run_test(size=NARROW) as pilot:
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
