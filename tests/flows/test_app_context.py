"""The Context screen driven by keys: a task is typed, ticked, copied and written; what is shown is what goes out."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from flows.app_driver import (
    HOSTILE,
    NARROW,
    NOW,
    WIDE,
    app_on,
    empty_vault,
    fill,
    focused,
    holds,
    hostile_memories,
    memory,
    says,
    screen_lines,
    screen_text,
    shows,
    toasts,
    until,
)
from flows.cli_driver import Cli
from flows.context_driver import (
    TASK,
    answered,
    context_screen,
    fake_ssh,
    fake_tmux,
    included,
    open_context,
    payload,
    type_task,
)
from rich.cells import cell_len
from support import held_elsewhere
from textual import events

from memtui import clock
from memtui.pack.recipes import list_packs, payload_hash
from memtui.tui.context import screen as context
from memtui.tui.context.ask import Ask
from memtui.tui.context.queries import Answer, Payloads
from memtui.tui.state import Opening, State
from memtui.tui.textual_patches.input import Stripped
from memtui.tui.vault_access import VaultAccess
from memtui.vault.vault import Vault
from memtui.wording.reasons import hit_words

pytestmark = pytest.mark.usefixtures("isolated")

LOCK = "m0000001"
posix_only = pytest.mark.skipif(os.name != "posix", reason="fake programs are shell scripts")


@posix_only
@pytest.mark.parametrize("size", [NARROW, WIDE])
async def test_preview_command_line_and_clipboard_have_the_same_bytes(
    ferry: Vault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cli: Cli, size: tuple[int, int]
) -> None:
    monkeypatch.setenv("MEMTUI_NOW", NOW.isoformat())
    printed = cli("context", TASK, "--vault", str(ferry.path), "--project", "ferry").out
    buffer = fake_tmux(tmp_path, monkeypatch)
    async with app_on(ferry, tmp_path, project="ferry").run_test(size=size) as pilot:
        await open_context(pilot)
        if size == NARROW:
            await pilot.press(*TASK)
            await answered(pilot)
        else:
            await type_task(pilot)
        await shows(pilot, "Lock refunds by payment_id")
        assert LOCK in included(pilot)
        await pilot.press("enter", "2")
        screen = context_screen(pilot)
        await until(pilot, lambda: screen._list.display == (size == WIDE), "the payload fills a narrow screen")
        await pilot.press("enter")
        await says(pilot, "The payload has focus; 1 goes to the memories.")
        await pilot.press("1", "y")
        assert screen._list.display
        await says(pilot, f"Sent {len(printed.encode()):,} bytes to tmux")
        assert payload(pilot) == printed
        assert buffer.read_bytes() == printed.encode()
        pack = list_packs(ferry, 1)[0]
        assert (pack.task, pack.payload_hash) == (TASK, payload_hash(printed))
        assert any(pack.id in toast for toast in toasts(pilot))


@posix_only
async def test_over_ssh_the_app_itself_sends_the_payload_and_claims_no_more(
    ferry: Vault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_ssh(tmp_path, monkeypatch)
    app = app_on(ferry, tmp_path, project="ferry")
    async with app.run_test(size=WIDE) as pilot:
        await open_context(pilot)
        # Copied while the payload of the last key is still on its way: what comes is what is copied.
        await pilot.press(*TASK, "enter", "y")
        await says(pilot, "cannot confirm")
        await answered(pilot)
        assert context_screen(pilot)._answer.ask.text == TASK  # type: ignore[union-attr] # it was awaited
        assert app.clipboard == payload(pilot)


async def test_ticks_leave_out_and_put_in_and_every_reason_is_told(
    ferry: Vault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memtui.wording.chances.LEAST_SCORE", 100.0)
    fill(ferry, [memory(6, "Refund texts are in German", status="candidate")])
    async with app_on(ferry, tmp_path, project="ferry").run_test(size=WIDE) as pilot:
        await open_context(pilot)
        await type_task(pilot)
        await pilot.press("enter")
        screen = context_screen(pilot)
        assert screen._list.current is not None
        assert screen._list.current.id == LOCK

        await pilot.press("space")
        await until(pilot, lambda: LOCK not in included(pilot), "the lock is left out")
        assert "left out by you" in screen_text(pilot)
        assert screen._list.current.id == LOCK, "the cursor stays on what was ticked"
        await pilot.press("i")
        await shows(pilot, "relevance times the factors")
        await pilot.press("escape", "space")
        await until(pilot, lambda: LOCK in included(pilot), "the lock is back")
        await pilot.press("i")
        await shows(pilot, "measures search alone")
        await pilot.press("escape")

        await pilot.press("g", "G")
        row = screen._list.current
        assert row is not None
        assert row.state == "withheld"
        first = next(one for one in screen._list.rows if one.state == "withheld")
        assert row.id == first.id, "down leads to what is nearest of the others first"
        await pilot.press("up")
        assert screen._list.current is not None
        assert screen._list.current.is_in, "the last one of the payload"
        await pilot.press("G")
        named = [one for one in screen._list.rows if not one.is_told]
        assert screen._list.current.id == named[-1].id, "from there it would be no more than a step"
        await pilot.press("g", "G")
        put_in = row.id
        await pilot.press("i")
        await shows(pilot, "withheld: ")
        assert "nearness to the task" not in screen_text(pilot), "a number that no other row has says nothing"
        await pilot.press("escape", "space")
        await until(pilot, lambda: put_in in included(pilot), "what was withheld is in")
        await shows(pilot, "1 added by you")
        await shows(pilot, "* untick")
        await pilot.press("enter")
        await shows(pilot, "esc closes")
        await pilot.press("escape", "asterisk")
        await until(pilot, lambda: put_in not in included(pilot), "the ticks are taken back")
        await pilot.press("asterisk")
        await says(pilot, "No manual ticks.")


async def test_what_is_wrong_is_said_beside_the_lines_and_the_payload_stays(ferry: Vault, tmp_path: Path) -> None:
    async with app_on(ferry, tmp_path, project="ferry").run_test(size=WIDE) as pilot:
        await open_context(pilot)
        await type_task(pilot)
        before = payload(pilot)
        await pilot.press("enter", "B", *"nope")
        await shows(pilot, "Budget: not a budget: nope.")
        assert payload(pilot) == before
        await pilot.press("enter", *"0")
        await shows(pilot, "0 of 0 tokens")  # what could not be read is typed over
        for budget, told in (("10000 chars", "of 10,000 chars"), ("2k", "of 2,000 tokens")):
            await pilot.press("enter", "B", *budget)
            await answered(pilot)
            await shows(pilot, told)
        await pilot.press("B", *"lots", "escape", "escape")
        await until(pilot, lambda: getattr(pilot.app.screen, "AREA", "") == "browse", "it is left")
        await open_context(pilot)
        await shows(pilot, " of 1,200 tokens")
        await pilot.press("enter", "F", *"missing.py")
        await shows(pilot, "Files: No such file, and no memory is tied to it: missing.py.")
        await pilot.press("ctrl+u")
        await answered(pilot)
        await until(pilot, lambda: "No such file" not in screen_text(pilot), "the trouble is over")
        await pilot.press("enter", "P", "j", "enter")
        await shows(pilot, "Phase plan")
        await pilot.press("t", "G", "k", "end", "enter")
        await until(pilot, lambda: payload(pilot) != before, "another target")
        await pilot.press("question_mark")
        await shows(pilot, "copy the payload; it is recorded as a pack")


async def test_files_are_completed_from_the_tree_and_from_memories(ferry: Vault, tmp_path: Path) -> None:
    tree = tmp_path / "ferry"
    (tree / "src").mkdir(parents=True)
    (tree / "src" / "quay.py").write_text("x = 1\n")
    deep = tree / "boom" / "/".join(["winch-and-windlass"] * 6)
    deep.mkdir(parents=True)
    (tree / "dock" / "pier").mkdir(parents=True)
    for file in (deep / "pawl.py", deep / "hook.py", tree / "dock" / "pier" / "post.py"):
        file.write_text("x = 1\n")
    subprocess.run(["git", "init", "-q", str(tree)], check=True)  # noqa: ASYNC221 - before the app starts
    async with app_on(ferry, tree).run_test(size=WIDE) as pilot:
        screen = await open_context(pilot)
        await until(pilot, lambda: "src/quay.py" in screen._lines.files_line._known, "the files are known")
        await pilot.press("tab", *"qy")
        await shows(pilot, "src/quay.py")
        assert "No such file" not in screen_text(pilot), "half a name is no mistake while names are offered"
        await shows(pilot, "tab complete")
        await pilot.press("enter", "F")
        await shows(pilot, "tab complete")
        await pilot.press("right")
        assert screen._lines.files_line.value == "src/quay.py, "
        await until(pilot, lambda: "tab complete" not in screen_text(pilot), "nothing is offered any more")
        await pilot.press("ctrl+u", *"qy", "tab")
        assert screen._lines.files_line.value == "src/quay.py, "
        await pilot.press("ctrl+u", *"pier", "slash", *"post", "full_stop", *"py", "tab")
        assert screen._lines.files_line.value == "dock/pier/post.py, ", "the end of a path is completed, too"
        await pilot.press("ctrl+u", *"qy", "tab", *"xx")
        await shows(pilot, "No such file")
        await pilot.press("ctrl+u", *"boom")
        for name in ("pawl.py", "hook.py"):
            await shows(pilot, f"windlass/{name}")
        await pilot.press("ctrl+u", *"qy")
        await shows(pilot, "src/quay.py")
        await pilot.click("#context-offers")
        assert screen._lines.files_line.value == "src/quay.py, "
        await pilot.press(*"sr")
        await until(pilot, lambda: not screen._lines.files_line.is_offering, "a file is offered once")
        await pilot.press("backspace", "backspace", "enter")
        assert focused(pilot) == "context-list"
        await answered(pilot)
        assert screen._answer is not None
        assert screen._answer.task.files == ("src/quay.py",)


async def test_enter_keeps_the_path_of_a_file_that_is_yet_to_be_written(ferry: Vault, tmp_path: Path) -> None:
    tree = tmp_path / "ferry"
    (tree / "src").mkdir(parents=True)
    (tree / "src" / "quay_table.py").write_text("x = 1\n")
    subprocess.run(["git", "init", "-q", str(tree)], check=True)  # noqa: ASYNC221 - before the app starts
    async with app_on(ferry, tree).run_test(size=WIDE) as pilot:
        screen = await open_context(pilot)
        line = screen._lines.files_line
        await until(pilot, lambda: "src/quay_table.py" in line._known, "the files are known")
        await pilot.press("tab", *"src", "slash", *"quay", "full_stop", *"py")
        await until(pilot, lambda: line.is_offering, "a name that is like it is offered")
        await pilot.press("enter")
        assert (line.value, focused(pilot)) == ("src/quay.py", "context-list")


async def test_enter_takes_a_suggested_file_only_where_the_person_moved_onto_it(ferry: Vault, tmp_path: Path) -> None:
    tree = tmp_path / "ferry"
    (tree / "src").mkdir(parents=True)
    (tree / "src" / "quay.py").write_text("x = 1\n")
    subprocess.run(["git", "init", "-q", str(tree)], check=True)  # noqa: ASYNC221 - before the app starts
    async with app_on(ferry, tree).run_test(size=WIDE) as pilot:
        screen = await open_context(pilot)
        line = screen._lines.files_line
        await until(pilot, lambda: "src/quay.py" in line._known, "the files are known")
        await pilot.press("tab", *"src", "slash")
        await until(pilot, lambda: line.is_offering, "what is in the folder is offered")
        await pilot.press("down", "up", "enter")
        assert (line.value, focused(pilot)) == ("src/", "context-list"), "a folder stays as typed"
        await pilot.press("F", "end", "backspace", "slash")
        await until(pilot, lambda: line.is_offering, "it is offered again")
        await pilot.press("down", "enter")
        assert (line.value, focused(pilot)) == ("src/quay.py, ", "context-files")


def test_the_app_on_the_demo_follows_the_imports_of_a_file_of_its_source_trees(demo: Cli) -> None:
    text, file = "make refunds idempotent", "payments/service.py"
    vault = Vault(demo.home / "demo" / "vault.duckdb", now=clock.now)
    answer = Payloads(VaultAccess(Opening(vault=vault, folder=demo.home))).answer(
        Ask(text, (file,), "chat", "700", None)
    )
    assert answer.project == "payments-api"
    reasons = {one.memory.id: hit_words(one.hit) for one in answer.pack.included}
    assert "payments/idempotency.py is imported by payments/service.py" in reasons["s32z25oj"]


async def test_a_payload_is_written_where_the_person_says_and_replaces_nothing_unasked(
    ferry: Vault, tmp_path: Path
) -> None:
    (tmp_path / "mine.md").write_text("mine")
    async with app_on(ferry, tmp_path, project="ferry").run_test(size=WIDE) as pilot:
        await open_context(pilot)
        await pilot.press("enter", "w", *"mine.md", "enter")
        await shows(pilot, "it exists: enter again replaces it")
        assert (tmp_path / "mine.md").read_text() == "mine"
        await pilot.press("ctrl+u", *"new.md", "enter")
        await says(pilot, "Wrote ")
        assert (tmp_path / "new.md").read_bytes() == payload(pilot).encode()
        await pilot.press("w", *"mine.md", "enter")
        await shows(pilot, "it exists: enter again replaces it")
        await pilot.press("enter")
        await until(pilot, lambda: (tmp_path / "mine.md").read_bytes() == payload(pilot).encode(), "it is replaced")
        await until(pilot, lambda: focused(pilot) == "context-list", "the line closes")
        await pilot.press("w", "escape")
        assert focused(pilot) == "context-list"
        await pilot.press("u")
        await says(pilot, "mine.md stays as it is; undoing again")
        await pilot.press("u")
        await says(pilot, "Deleted again: ")
        assert ((tmp_path / "mine.md").exists(), (tmp_path / "new.md").exists()) == (True, False)
        assert "m0000001" in included(pilot), "older changes stay"


async def test_what_was_typed_is_there_again_and_changes_of_others_come_in(ferry: Vault, tmp_path: Path) -> None:
    vault, state = ferry, tmp_path / "state.json"
    async with app_on(vault, tmp_path, project="ferry", state_path=state).run_test(size=NARROW) as pilot:
        await open_context(pilot)
        await type_task(pilot, "sail times")
        await pilot.press("enter", "B", *"900", "enter")
        await answered(pilot)
        fill(vault, [memory(7, "Sail times end at midnight")])
        await until(pilot, lambda: "m0000007" in included(pilot), "the new memory is in")
        await pilot.press("escape")
        await until(pilot, lambda: len(pilot.app.screen_stack) == 1, "back at the list")
        screen = await open_context(pilot)
        assert (screen._lines.text, screen._lines.budget) == ("sail times", "900")
        assert focused(pilot) == "context-task", "who opens it and types writes a task"
        await pilot.press("escape", "i")
        await shows(pilot, "relevance times the factors")
        await pilot.press("escape")
        await until(pilot, lambda: pilot.app.screen is screen, "the card is closed")
        assert "/ task" in screen_text(pilot)
        pilot.app.post_message(Stripped(2))
        await pilot.press("slash")
        await until(pilot, lambda: focused(pilot) == "context-task", "the task is a key away")
        assert not any("stripped" in toast for toast in toasts(pilot)), "nothing was pasted into"
        pilot.app.post_message(Stripped(2))
        await says(pilot, "2 control characters stripped from the paste.")
        await pilot.press("ctrl+q")
    assert State(state, vault.path).section("context") == {
        "budget": "900",
        "tasks": {f"{tmp_path}\nferry": {"task": "sail times"}},
    }


async def test_a_task_comes_back_only_where_it_was_typed_and_only_if_it_was_used(ferry: Vault, tmp_path: Path) -> None:
    state, other = tmp_path / "state.json", tmp_path / "other"
    other.mkdir()
    async with app_on(ferry, tmp_path, project="ferry", state_path=state).run_test(size=WIDE) as pilot:
        await open_context(pilot)
        await type_task(pilot, "sail times")
        await pilot.press("enter")
        await answered(pilot)
        await pilot.press("slash", "ctrl+u", *"zzq", "escape", "escape")
        await until(pilot, lambda: len(pilot.app.screen_stack) == 1, "back at the list")
        screen = await open_context(pilot)
        assert screen._lines.text == "zzq", "while the app runs nothing that was typed is lost"
        await pilot.press("ctrl+q")
    async with app_on(ferry, other, project="quay", state_path=state).run_test(size=WIDE) as pilot:
        screen = await open_context(pilot)
        assert screen._lines.text == "", "another folder begins with an empty task"
        await pilot.press("ctrl+q")
    async with app_on(ferry, tmp_path, project="ferry", state_path=state).run_test(size=WIDE) as pilot:
        screen = await open_context(pilot)
        assert screen._lines.text == "sail times", "what was never entered is not brought back"


async def test_a_file_that_is_not_there_is_told_and_left_out_of_the_task(ferry: Vault, tmp_path: Path) -> None:
    async with app_on(ferry, tmp_path, project="ferry").run_test(size=WIDE) as pilot:
        screen = await open_context(pilot)
        await pilot.press("tab", *"missing.py", "enter", "slash")
        await type_task(pilot)
        await shows(pilot, "No such file, and no memory is tied to it: missing.py.")
        assert "The payload is built without it." in " ".join(screen_text(pilot).split())
        assert LOCK in included(pilot)
        assert screen._answer is not None
        assert screen._answer.task.files == ()
        (tmp_path / "known.py").touch()
        await pilot.press("tab")
        screen._lines.files_line.value = "known.py missing.py"
        await shows(pilot, "Commas separate files: known.py, missing.py.")
        screen._lines.files_line.value = "known.py"
        await pilot.press("enter", "slash")
        await type_task(pilot, "sail times")
        await pilot.press("enter")
        await says(pilot, "Still for these files: known.py; F changes them")


async def test_a_busy_vault_is_told_and_the_payload_comes_once_it_is_free(
    ferry: Vault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(context, "POLL_SECONDS", 0.2)
    ferry.patience_seconds = 0.1
    async with app_on(ferry, tmp_path, project="ferry").run_test(size=WIDE) as pilot:
        await holds(pilot, 5)
        with held_elsewhere(ferry.path):
            await pilot.press("c")
            await says(pilot, "The vault is in use by")
            await shows(pilot, "The vault is in use by")
            assert len(pilot.app.screen_stack) == 2
        await answered(pilot)
        await shows(pilot, "Lock refunds by payment_id")


@pytest.mark.drawn
async def test_after_a_failed_read_no_payload_of_another_task_is_there_to_copy(
    ferry: Vault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = Payloads.answer

    def breaks(self: Payloads, ask: Ask) -> Answer:
        if ask.text == "paint the hull":
            raise KeyError("words")
        return answer(self, ask)

    monkeypatch.setattr(Payloads, "answer", breaks)
    async with app_on(ferry, tmp_path, project="ferry").run_test(size=WIDE) as pilot:
        await open_context(pilot)
        line = context_screen(pilot)._lines.task_line
        line.post_message(events.Paste("paint the hull"))
        await shows(pilot, "KeyError: 'words'")
        await shows(pilot, "restart memtui")
        assert payload(pilot) == ""
        await pilot.press("enter")
        await until(pilot, lambda: "y copy" not in screen_text(pilot), "there is nothing to copy")
        screen = screen_text(pilot)
        assert "reading" not in screen
        assert "could not be read" in screen
        await pilot.press("y")
        await says(pilot, "No payload.")
        await type_task(pilot)
        assert payload(pilot)
        await until(pilot, lambda: "could not be read" not in screen_text(pilot), "the trouble is over")


@pytest.mark.drawn
async def test_hostile_text_and_a_huge_paste_do_no_harm(tmp_path: Path) -> None:
    vault = empty_vault(tmp_path)
    fill(
        vault,
        [memory(int(one.id[1:]), one.title, insight=one.insight, anchors=one.anchors) for one in hostile_memories()],
    )
    async with app_on(vault, tmp_path, project="ferry").run_test(size=WIDE) as pilot:
        await holds(pilot, len(HOSTILE))
        screen = await open_context(pilot)
        screen._lines.task_line.post_message(events.Paste("sail [/x]\n\x1b[201~:q!\n" + "times " * 200_000))
        await until(pilot, lambda: screen._lines.text.startswith("sail [/x] :q! times"), "the paste is one line")
        await answered(pilot)
        assert len(screen._lines.text) <= 2_000
        await pilot.press("enter", "B", *"2m", "enter")
        await pilot.press("slash", "ctrl+u", "enter")
        await answered(pilot)
        for size in (WIDE, NARROW, (200, 60), (40, 15)):
            await pilot.resize_terminal(*size)
            keys = (
                ("g", "G", "i", "escape", "enter", "escape", "2", "G", "1")
                if size in {WIDE, (40, 15)}
                else ("2", "G", "1")
            )
            for key in keys:
                await pilot.press(key)
            await answered(pilot)
            assert {cell_len(line) for line in screen_lines(pilot)} == {size[0]}
        assert not [toast for toast in toasts(pilot) if "Error" in toast]


async def test_an_empty_vault_says_why_the_payload_is_empty_and_copies_nothing(tmp_path: Path) -> None:
    async with app_on(empty_vault(tmp_path), tmp_path).run_test(size=NARROW) as pilot:
        await open_context(pilot)
        await shows(pilot, "Nothing to say: no active memory is in scope.")
        assert "a adds one" in screen_text(pilot)
        await pilot.press("y")
        assert context_screen(pilot)._lines.text == "y", "a letter typed into the task is a letter"
        await answered(pilot)
        await pilot.press("enter", "y")
        await says(pilot, "The payload is empty.")


async def test_what_the_target_reads_by_itself_is_shown_with_its_cost(ferry: Vault, tmp_path: Path) -> None:
    (tmp_path / "AGENTS.md").write_text("# Desk\n\nBerths are numbered.\n", encoding="utf-8")
    async with app_on(ferry, tmp_path).run_test(size=WIDE) as pilot:
        await open_context(pilot)
        await pilot.press("enter", "A")
        await shows(pilot, "Loaded automatically")
        await shows(pilot, "AGENTS.md")
        await shows(pilot, "tokens a session")
