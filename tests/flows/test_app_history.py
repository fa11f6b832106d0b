"""The History screen driven by keys: every change is found and read, and what a memory said comes back."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from flows.app_driver import (
    FERRY,
    HOSTILE,
    NARROW,
    WIDE,
    app_on,
    empty_vault,
    ferry_vault,
    fill,
    focused,
    hostile_memories,
    memory,
    says,
    screen_lines,
    screen_text,
    shows,
    stored,
    toasts,
    unsays,
    until,
)
from flows.context_driver import open_context, type_task
from rich.cells import cell_len
from textual.pilot import Pilot

from memtui.config import RecallSettings
from memtui.curate import lifecycle
from memtui.curate.memories import edit_memory
from memtui.domain.identity import Actor
from memtui.domain.memory import Source
from memtui.pack.options import PackOptions
from memtui.publish.apply import publish
from memtui.publish.plan import Publisher, plan_publication
from memtui.tui.history.screen import HistoryScreen
from memtui.tui.importing.screen import ImportScreen
from memtui.vault.filters import Scope
from memtui.vault.vault import Vault

pytestmark = pytest.mark.usefixtures("isolated")

LOCK = "m0000001"


@pytest.fixture
def told(tmp_path: Path) -> Vault:
    """The ferry's vault with an edit by an agent, and a retirement of two."""
    vault = ferry_vault(tmp_path)
    with vault.write(actor="agent-x", action="edit", summary="edit the lock") as writer:
        current = writer.get(LOCK)
        writer.put(replace(current, title="Lock refunds by user_id", insight="All of one user wait."))
    lifecycle.retire(vault, [LOCK, "m0000002"], actor=Actor())
    return vault


def history(pilot: Pilot[Any]) -> HistoryScreen:
    screen = next((one for one in pilot.app.screen_stack if isinstance(one, HistoryScreen)), None)
    assert screen is not None
    return screen


async def open_history(pilot: Pilot[Any], changes: int) -> HistoryScreen:
    """Go to History and show all changes, whatever memory it was gone to from."""
    await until(pilot, lambda: bool(pilot.app.screen_stack[0]._list.ids), "the list is read")  # type: ignore[attr-defined] # it is Browse
    await pilot.press("H")
    await until(pilot, lambda: isinstance(pilot.app.screen, HistoryScreen), "History is open")
    await until(pilot, lambda: history(pilot)._listed, "the changes are listed")
    if history(pilot)._only:
        await pilot.press("m")
    await lists(pilot, changes)
    await pilot.press("g")
    return history(pilot)


async def lists(pilot: Pilot[Any], changes: int) -> None:
    await until(pilot, lambda: len(history(pilot)._list.numbers) == changes, f"{changes} changes are listed")


async def reads(pilot: Pilot[Any], number: int) -> None:
    def is_read() -> bool:
        shown = history(pilot)._shown
        return shown is not None and shown.row.change.number == number

    await until(pilot, is_read, f"change {number} is read")


async def test_importance_has_one_name_in_the_form_the_details_and_the_history(ferry: Vault, tmp_path: Path) -> None:
    edit_memory(ferry, "m0000001", {"importance": 5}, actor=Actor())
    async with app_on(ferry, tmp_path).run_test(size=WIDE) as pilot:
        await shows(pilot, "importance 5")
        await pilot.press("j")
        await until(pilot, lambda: "importance" not in screen_text(pilot), "the usual one is not named")
        await pilot.press("k", "H")
        await until(pilot, lambda: isinstance(pilot.app.screen, HistoryScreen), "History is open")
        await shows(pilot, "Importance")
        assert "Weight" not in screen_text(pilot)
        await pilot.press("escape", "e")
        await shows(pilot, "Importance")


async def test_who_did_what_when_and_what_it_changed(told: Vault, tmp_path: Path) -> None:
    async with app_on(told, tmp_path).run_test(size=WIDE) as pilot:
        screen = await open_history(pilot, 3)
        await reads(pilot, 3)
        await shows(pilot, "2 mem")
        await shows(pilot, "memory 1 of 2")
        await pilot.press("n")
        await shows(pilot, "memory 2 of 2")
        await pilot.press("n")
        await says(pilot, "This is the last memory shown")
        await pilot.press("N", "j")
        await reads(pilot, 2)
        await shows(pilot, "+ Lock refunds by user_id")
        for text in ("agent-x", "edit the lock", "- Lock refunds by payment_id", "2026-"):
            assert text in screen_text(pilot)
        await pilot.press("enter")
        assert focused(pilot) == "history-diff"
        await pilot.press("escape", "slash", *"agent-x")
        await lists(pilot, 1)
        await pilot.press("enter", "escape")
        await lists(pilot, 3)
        assert not screen.has_class("-filtering")
        await pilot.press("slash", *"zzz")
        await shows(pilot, "No change matches “zzz”.")


async def test_an_earlier_revision_comes_back_as_a_new_change_and_undo_takes_it_back(
    told: Vault, tmp_path: Path
) -> None:
    async with app_on(told, tmp_path).run_test(size=WIDE) as pilot:
        await open_history(pilot, 3)
        await pilot.press("j")
        await reads(pilot, 2)
        await pilot.press("m", "G")
        await reads(pilot, 1)
        await shows(pilot, "1 Changes of “Lock refunds by user_id”")
        await pilot.press("R")
        await says(pilot, "Brought back version 1 of Lock refunds by payment_id; u undoes it")
        assert stored(told, LOCK).title == "Lock refunds by payment_id"
        assert stored(told, LOCK).status == "retired", "what was decided since stays"
        await lists(pilot, 4)
        await reads(pilot, 4)
        await pilot.press("R")
        await says(pilot, "Unchanged: “Lock refunds by payment_id” already reads as in version 4")
        await until(pilot, lambda: not history(pilot).acting, "the act is over")
        await pilot.press("u")
        await says(pilot, "Undone: bring back version 1")
        assert stored(told, LOCK).title == "Lock refunds by user_id"
        await shows(pilot, "undone: bring")
        await pilot.press("ctrl+r")
        await says(pilot, "Redone")
        await until(pilot, lambda: stored(told, LOCK).title == "Lock refunds by payment_id", "it is done again")


async def test_history_opens_at_the_memory_under_the_cursor_of_the_screen_in_front(told: Vault, tmp_path: Path) -> None:
    async with app_on(told, tmp_path, project="ferry").run_test(size=WIDE) as pilot:
        await until(pilot, lambda: bool(pilot.app.screen_stack[0]._list.ids), "the list is read")  # type: ignore[attr-defined] # it is Browse
        await open_context(pilot)
        await type_task(pilot)
        await pilot.press("enter")
        await until(pilot, lambda: getattr(pilot.app.screen, "current_memory", None) is not None, "Context is read")
        await pilot.press("G")
        last = pilot.app.screen.current_memory  # type: ignore[attr-defined] # it is Context
        assert last != pilot.app.screen_stack[0].current_memory  # type: ignore[attr-defined] # it is Browse
        await pilot.press("H")
        await until(pilot, lambda: isinstance(pilot.app.screen, HistoryScreen), "History is open")
        assert history(pilot)._memory_id == last


async def test_from_a_group_of_the_inbox_history_is_about_no_single_memory(told: Vault, tmp_path: Path) -> None:
    path = Source(format="claude-code", path="CLAUDE.md", span=(1, 2))
    fill(told, [memory(number, f"Rule {number}", status="candidate", sources=(path,)) for number in (21, 22)])
    async with app_on(told, tmp_path, project="ferry").run_test(size=WIDE) as pilot:
        await until(pilot, lambda: bool(pilot.app.screen_stack[0]._list.ids), "the list is read")  # type: ignore[attr-defined] # it is Browse
        await pilot.press("b")
        await shows(pilot, "2 waiting")
        await pilot.press("g", "H")
        await until(pilot, lambda: isinstance(pilot.app.screen, HistoryScreen), "History is open")
        await lists(pilot, 4)
        assert history(pilot)._memory_id is None
        await pilot.press("escape", "J")
        await until(pilot, lambda: isinstance(pilot.app.screen, ImportScreen), "Import is open")
        await pilot.press("H")
        await until(pilot, lambda: isinstance(pilot.app.screen, HistoryScreen), "History is open")
        assert history(pilot)._memory_id is None, "nor is it from a screen that shows no memories"


async def test_a_change_of_the_past_is_undone_by_itself(told: Vault, tmp_path: Path) -> None:
    async with app_on(told, tmp_path).run_test(size=WIDE) as pilot:
        screen = await open_history(pilot, 3)
        await pilot.press("j")
        await until(pilot, lambda: screen._list.current == 2, "the change before the last")
        await until(pilot, lambda: screen._shown is not None and screen._shown.row.change.number == 2, "it is read")
        await pilot.press("U")
        await says(pilot, "Undone")
        await until(
            pilot, lambda: stored(told, LOCK).title == "Lock refunds by payment_id", "the agent's edit is undone"
        )
        assert stored(told, LOCK).status == "retired", "what came after stays"


async def test_a_change_that_was_built_upon_names_the_memory_and_what_helps(told: Vault, tmp_path: Path) -> None:
    for why in ("Cards pay at once.", "Cards pay twice."):
        edit_memory(told, "m0000003", {"rationale": why}, actor=Actor())
    async with app_on(told, tmp_path).run_test(size=WIDE) as pilot:
        screen = await open_history(pilot, 5)
        await pilot.press("j")
        await until(pilot, lambda: screen._list.current == 4, "the first of both")
        await reads(pilot, 4)
        await pilot.press("U")
        title = stored(told, "m0000003").title
        await says(pilot, f"changed again since: “{title}”, why. Nothing was written. U on change 5 undoes that first.")


async def test_what_u_comes_to_is_said_before_and_takes_back_an_undo_of_the_past(told: Vault, tmp_path: Path) -> None:
    async with app_on(told, tmp_path).run_test(size=NARROW) as pilot:
        screen = await open_history(pilot, 3)
        await shows(pilot, "u undoes 3: retire 2 memories")
        await pilot.press("j", "j")
        await until(pilot, lambda: screen._shown is not None and screen._shown.row.change.number == 1, "it is read")
        await pilot.press("k")
        await until(pilot, lambda: screen._shown is not None and screen._shown.row.change.number == 2, "it is read")
        await pilot.press("U")
        await says(pilot, "Undone: edit the lock")
        await lists(pilot, 3)
        await shows(pilot, "↶")
        assert screen._list.current == 2, "the row of what was undone shows it"
        await says(pilot, "u makes it again")
        await shows(pilot, "u redoes 2: edit the lock")
        await shows(pilot, "u redo   ")
        assert stored(told, LOCK).title == "Lock refunds by payment_id"
        await pilot.press("u")
        await says(pilot, "Redone: edit the lock")
        assert stored(told, LOCK).title == "Lock refunds by user_id"
        assert stored(told, LOCK).status == "retired", "what the person did before was not touched"
        await shows(pilot, "u undoes 3: retire 2 memories")
        await pilot.press("u")
        await says(pilot, "Undone: retire 2 memories")
        assert stored(told, LOCK).status == "active"


async def test_from_a_memory_its_own_changes_alone_are_listed(told: Vault, tmp_path: Path) -> None:
    async with app_on(told, tmp_path).run_test(size=NARROW) as pilot:
        await until(pilot, lambda: pilot.app.screen_stack[0].current_memory is not None, "a memory is in hand")  # type: ignore[attr-defined] # it is Browse
        in_hand = pilot.app.screen_stack[0].current_memory  # type: ignore[attr-defined] # as above
        await pilot.press("H")
        await until(pilot, lambda: isinstance(pilot.app.screen, HistoryScreen), "History is open")
        await lists(pilot, 1)
        title = next(one.title for one in FERRY if one.id == in_hand)
        await shows(pilot, f"1 Changes of “{title}”")
        await pilot.press("m")
        await lists(pilot, 3)
        await pilot.press("escape")
        await until(pilot, lambda: len(pilot.app.screen_stack) == 1, "back at the list")


async def test_thousands_of_changes_are_read_a_window_at_a_time(ferry: Vault, tmp_path: Path) -> None:
    with ferry.write(actor="person", action="note", summary="make many") as writer:
        writer.connection.execute(
            "INSERT INTO changes SELECT c.* REPLACE (n AS number, 'change number ' || n AS summary)"
            " FROM (SELECT * FROM changes LIMIT 1) c, range(100, 30100) t(n)"
        )
        writer.mark_dirty()
    async with app_on(ferry, tmp_path).run_test(size=WIDE) as pilot:
        screen = await open_history(pilot, 30_001)
        await shows(pilot, "change number 30099")
        assert len(screen._list._rows) <= 300, "around the change that it came from, and the newest"
        await pilot.press("G")
        await shows(pilot, "import some")
        assert len(screen._list._rows) <= 2_000
        await pilot.press("slash", *"number 12345")
        await lists(pilot, 1)


async def test_hostile_text_does_no_harm_and_an_empty_journal_says_so(tmp_path: Path) -> None:
    vault = empty_vault(tmp_path)
    async with app_on(vault, tmp_path).run_test(size=WIDE) as pilot:
        await pilot.press("H")
        await shows(pilot, "No changes yet.")
        await pilot.press("R", "enter")
        await says(pilot, "No change is under the cursor.")
        await pilot.press("n")
        fill(vault, hostile_memories())
        with vault.write(actor=HOSTILE[1], action=HOSTILE[2], summary=HOSTILE[5], reason=HOSTILE[6]) as writer:
            for one in hostile_memories():
                writer.put(replace(writer.get(one.id), insight=HOSTILE[3] + one.insight[::-1]))
        await lists(pilot, 2)
        for size in (WIDE, NARROW, (200, 60), (40, 15)):
            await pilot.resize_terminal(*size)
            for key in ("g", "n", "n", "G", "enter", "G", "escape"):
                await pilot.press(key)
            await reads(pilot, 1)
            assert {cell_len(line) for line in screen_lines(pilot)} == {size[0]}
        assert not [toast for toast in toasts(pilot) if "Error" in toast]


async def test_u_on_the_row_of_another_change_says_first_which_one_it_takes_back(told: Vault, tmp_path: Path) -> None:
    async with app_on(told, tmp_path).run_test(size=WIDE) as pilot:
        screen = await open_history(pilot, 3)
        await pilot.press("j")
        await until(pilot, lambda: screen._list.current == 2, "the change before the last")
        await pilot.press("u")
        await says(pilot, "u undoes 3: retire 2 memories (u again does it). U undoes the one here.")
        await pilot.press("j")
        await unsays(pilot, "again does it")
        await pilot.press("k", "u")
        assert stored(told, LOCK).status == "retired", "nothing was undone: the cursor left what was asked"
        await pilot.press("u")
        await says(pilot, "Undone: retire 2 memories")
        assert stored(told, LOCK).status == "active"
        assert stored(told, LOCK).title == "Lock refunds by user_id", "the row under the cursor was not undone"


@pytest.mark.parametrize("key", ["u", "U"])
async def test_an_undo_or_redo_that_writes_a_file_shows_it_before(key: str, told: Vault, tmp_path: Path) -> None:
    rules = tmp_path / "repository" / "AGENTS.md"
    rules.parent.mkdir()
    publisher = Publisher(
        vault=told,
        project="ferry",
        scope=Scope.of_project("ferry"),
        root=rules.parent,
        options=PackOptions(),
        settings=RecallSettings(),
    )
    publish(told, [plan_publication(publisher, "codex")], actor=Actor().name)
    assert rules.exists()
    async with app_on(told, tmp_path).run_test(size=WIDE) as pilot:
        await open_history(pilot, 4)
        await reads(pilot, 4)
        await shows(pilot, "undoing it writes AGENTS.md")
        for answer in ("escape", "enter"):
            await pilot.press(key)
            await shows(pilot, "Undo change 4: publish AGENTS.md")
            await shows(pilot, "-<!-- memtui:begin v1 id=codex")
            assert rules.exists()
            await pilot.press(answer)
            await until(pilot, lambda: isinstance(pilot.app.screen, HistoryScreen), "the card is closed")
        await says(pilot, "Undone: publish AGENTS.md")
        assert not rules.exists()
        await pilot.press("ctrl+r")
        await shows(pilot, "Redo change 4: publish AGENTS.md")
        await shows(pilot, "+<!-- memtui:begin v1 id=codex")
        assert not rules.exists()
        await pilot.press("enter")
        await says(pilot, "Redone: publish AGENTS.md")
        assert rules.exists()
