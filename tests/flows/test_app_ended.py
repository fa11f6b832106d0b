"""An app that is ended from outside: the terminal is as it was, and what was typed is offered again."""

from __future__ import annotations

import json
import signal
from pathlib import Path

import pytest
from flows.app_driver import WIDE, app_on, shows, until
from flows.editing_driver import field, form_opens
from flows.terminal_driver import PATIENT_SECONDS, memtui_in_a_terminal

from memtui.tui.drafts import keep_drafts, take_drafts
from memtui.tui.merge.screen import MergeScreen
from memtui.vault.doctor import diagnose
from memtui.vault.lease import drafts_file, drafts_files
from memtui.vault.purge import purge_text
from memtui.vault.vault import Vault

TYPED = "Typed before the line dropped"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_restores_the_terminal_and_keeps_what_is_typed(ferry: Vault, tmp_path: Path, number: int) -> None:
    with memtui_in_a_terminal("--vault", ferry.path, home=tmp_path) as terminal:
        terminal.shows("help")
        terminal.type("a")
        terminal.shows("Add a memory")
        terminal.type(TYPED)
        terminal.shows("unsaved")
        terminal.process.send_signal(number)
        terminal.shows("\x1b[?1049l")
        assert terminal.process.wait(PATIENT_SECONDS) == 128 + number
    drawn = terminal.drawn
    assert drawn.rindex(b"\x1b[?1000l") > drawn.rindex(b"\x1b[?1000h"), "the mouse belongs to the terminal again"
    (kept,) = take_drafts(ferry.path).values()
    # Keys that had not been dealt with when the signal came are not in the field yet.
    assert list(kept) == ["insight"]
    assert kept["insight"]
    assert TYPED.startswith(kept["insight"])


@pytest.mark.parametrize(("words", "drawn"), [((), "help"), (("pick",), "enter copies")])
def test_an_app_whose_terminal_is_gone_ends(ferry: Vault, tmp_path: Path, words: tuple[str, ...], drawn: str) -> None:
    with memtui_in_a_terminal("--vault", ferry.path, *words, home=tmp_path) as terminal:
        terminal.shows(drawn)
        terminal.hang_up()
        assert terminal.process.wait(PATIENT_SECONDS) == 128 + signal.SIGHUP


def test_a_task_is_kept_while_it_is_typed_so_that_even_a_kill_leaves_it(ferry: Vault, tmp_path: Path) -> None:
    with memtui_in_a_terminal("--vault", ferry.path, home=tmp_path) as terminal:
        terminal.shows("help")
        terminal.type("c")
        terminal.shows("what are you about to do")
        terminal.type(TYPED)
        terminal.reads_until(
            lambda: any(TYPED in file.read_text("utf-8") for file in drafts_files(ferry.path)), "it is never kept"
        )
        assert take_drafts(ferry.path) == {}, "the app is open: what is typed in it is its own"
        terminal.process.kill()
        terminal.process.wait(PATIENT_SECONDS)
    (file,) = drafts_files(ferry.path)
    assert file.stat().st_mode & 0o777 == 0o600
    (kept,) = take_drafts(ferry.path).values()
    assert kept["task"] == TYPED
    assert drafts_files(ferry.path) == [drafts_file(ferry.path)], "it is the one's who took it"


async def test_an_error_that_nobody_foresaw_leaves_what_is_typed(ferry: Vault, tmp_path: Path) -> None:
    def break_down() -> None:
        raise ZeroDivisionError

    async def use() -> None:
        async with app_on(ferry, tmp_path).run_test(size=WIDE) as pilot:
            await pilot.press("a")
            await form_opens(pilot)
            await pilot.press(*"tide")
            file = drafts_file(ferry.path)
            await until(pilot, lambda: file.exists() and "tide" in file.read_text("utf-8"), "it is kept")
            pilot.app.call_later(break_down)
            await pilot.pause(1)

    with pytest.raises(ZeroDivisionError):
        await use()
    assert take_drafts(ferry.path) == {"": {"insight": "tide"}}


async def test_what_was_typed_elsewhere_is_back_where_it_was_typed(ferry: Vault, tmp_path: Path) -> None:
    app = app_on(ferry, tmp_path)
    context, merge = f":context {app.opening.place}", ":merge m0000001 m0000002"
    before = {merge: {"title": "Tides"}, f":text {merge} insight": {"text": "They turn."}}
    assert keep_drafts(ferry.path, {**before, context: {"task": TYPED}})
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        await shows(pilot, "3 unsaved texts: it is back where you typed it")
        await pilot.press("c")
        await shows(pilot, TYPED)
        assert app.draft_keeper.unsaved[context]["task"] == TYPED, "it is still not used"
        await pilot.press("escape", "escape")
        await until(pilot, lambda: context not in app.draft_keeper.unsaved, "Context was left")
        app.push_screen(MergeScreen(app.opening, ["m0000001", "m0000002"]))
        await shows(pilot, "Tides")
        await pilot.press("down", "e")
        await shows(pilot, "They turn.")
        await pilot.press("x")
        kept = {merge: {"title": "Tides"}, f":text {merge} insight": {"text": "They turn.x"}}
        await until(pilot, lambda: app.draft_keeper.unsaved == kept, "both are kept")


async def test_a_wanted_end_leaves_no_draft(ferry: Vault, tmp_path: Path) -> None:
    async with app_on(ferry, tmp_path).run_test(size=WIDE) as pilot:
        await pilot.press("c", *"tide")
        await until(pilot, drafts_file(ferry.path).exists, "it is kept")
        pilot.app.exit()
    assert drafts_files(ferry.path) == []


async def test_what_was_typed_before_the_end_is_back_in_its_form(ferry: Vault, tmp_path: Path) -> None:
    assert keep_drafts(ferry.path, {"": {"insight": TYPED, "no such field": "x"}})
    async with app_on(ferry, tmp_path).run_test(size=WIDE, notifications=True) as pilot:
        await shows(pilot, "memtui was ended with 1 unsaved form")
        await pilot.press("a")
        await form_opens(pilot)
        await shows(pilot, TYPED)
        assert field(pilot, "insight").typed == TYPED


def test_drafts_are_private_known_to_doctor_and_purged(ferry: Vault) -> None:
    keep_drafts(ferry.path, {"m0000002": {"title": "hunter2-in-a-draft"}})
    file = drafts_file(ferry.path)
    assert file.stat().st_mode & 0o777 == 0o600
    assert any(check.name == "drafts" for check in diagnose(ferry).checks)
    purge_text(ferry, "another text")
    assert file.exists()
    purge_text(ferry, "hunter2-in-a-draft")
    assert not file.exists()


@pytest.mark.parametrize("content", ["[1]", "{", '{"a": 1}', json.dumps({"a": {"title": 3}}), ""])
def test_a_file_that_holds_no_drafts_offers_none(tmp_path: Path, content: str) -> None:
    vault = tmp_path / "vault.duckdb"
    drafts_file(vault).write_text(content, "utf-8")
    assert take_drafts(vault) == {}
