"""`memtui pick`: a memory found and copied under the prompt."""

from __future__ import annotations

from pathlib import Path

import pytest
from flows.app_driver import app_on, screen_text, shows
from flows.cli_driver import Cli
from flows.terminal_driver import PATIENT_SECONDS, memtui_in_a_terminal

from memtui.tui.pick.screen import PickApp
from memtui.vault.vault import Vault


def test_what_is_picked_goes_to_the_output_while_the_list_is_drawn_beside_it(ferry: Vault, tmp_path: Path) -> None:
    output = tmp_path / "picked"
    with (
        output.open("wb") as stream,
        memtui_in_a_terminal("--vault", ferry.path, "pick", "sail", home=tmp_path, stdout=stream) as terminal,
    ):
        terminal.shows("Sail times are in UTC")
        terminal.type("\r")
        assert terminal.process.wait(PATIENT_SECONDS) == 0
    assert output.read_text("utf-8").startswith("What Sail times are in UTC means.\n")


def test_leaving_picks_nothing(ferry: Vault, tmp_path: Path) -> None:
    with memtui_in_a_terminal("--vault", ferry.path, "pick", home=tmp_path) as terminal:
        terminal.shows("Postgres 14")
        terminal.type("\x1b")
        assert terminal.process.wait(PATIENT_SECONDS) == 3


async def test_typing_narrows_arrows_move_and_other_keys_open_no_screen(ferry: Vault, tmp_path: Path) -> None:
    opening = app_on(ferry, tmp_path).opening
    app = PickApp(opening)
    async with app.run_test(size=(100, 12)) as pilot:
        await pilot.press(*"e", "ctrl+p", "down", "down")
        await pilot.pause(0.5)
        assert len(app.screen_stack) == 1
        await pilot.press("backspace", *"zzzqqq", "enter")
        for told in ("No match for “zzzqqq”.", "Other words may match.", "nothing to copy   esc leaves", "0 of 5"):
            await shows(pilot, told)
        assert "esc clears" not in screen_text(pilot)
        assert app.is_running
        await pilot.press(*("backspace",) * 6, "e")
        await shows(pilot, "enter copies")
        await pilot.press("enter")
    assert app.picked is not None


def test_without_a_terminal_the_commands_that_need_none_are_named(cli: Cli) -> None:
    assert "memtui search" in cli("pick", "lock", code=2).err


@pytest.mark.parametrize(("shell", "line"), [("bash", "bind -x"), ("zsh", "bindkey '^O'"), ("fish", "bind \\co")])
def test_completion_binds_a_key_of_the_shell(cli: Cli, shell: str, line: str) -> None:
    assert line in cli("completion", shell, "--key", "ctrl-o").out
    assert "memtui pick" not in cli("completion", shell).out.splitlines()[-1]


def test_a_key_that_no_shell_can_bind_is_refused(cli: Cli) -> None:
    cli("completion", "bash", "--key", "f5", code=2)
    cli("completion", "tcsh", "--key", "ctrl-o", code=2)
