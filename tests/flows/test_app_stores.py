"""Stores of other memory tools in the Import screen: found, chosen by type and project, imported as one change."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from curating import write_files
from flows.app_driver import WIDE, app_on, empty_vault, says, screen_text, shows, until
from stores import make_store, observation, state_of

from memtui.tui.importing.screen import ImportScreen
from memtui.vault.filters import EVERYTHING, MemoryFilter
from memtui.vault.projects import ensure_project
from memtui.vault.vault import Vault

pytestmark = pytest.mark.usefixtures("isolated")


@pytest.fixture
def folder(tmp_path: Path, own_home: Path) -> Path:
    """A repository without rule files, beside a home with a store."""
    root = tmp_path / "ferry"
    write_files(root, {"main.py": "pass\n"})
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    rows = [
        observation("Ramps rise before ebb", "A late ramp once held a truck on board.", project="ferry"),
        observation("Tickets are checked twice", "At the gate, then on deck.", project="ferry", type="change"),
        observation("Cranes stop at 40 knots", "Measured at the boom.", project="crane_ui", type="change"),
    ]
    prompts = [{"prompt_text": "go on"}, {"prompt_text": "and now?"}]
    store = {"observations": rows, "user_prompts": prompts}
    make_store(own_home / ".claude-mem" / "claude-mem.db", "claude-mem", store)
    return root


def titles(vault: Vault) -> dict[str, str | None]:
    with vault.read() as reader:
        found = reader.select(MemoryFilter(scope=EVERYTHING, statuses=None), sort="created", now=vault.now())
    return {memory.title: memory.project for memory in found}


async def test_a_store_is_listed_chosen_by_type_and_project_and_imported(
    folder: Path, tmp_path: Path, own_home: Path
) -> None:
    before = state_of(own_home / ".claude-mem")
    vault = empty_vault(tmp_path)
    async with app_on(vault, folder, state_path=tmp_path / "state.json").run_test(size=WIDE) as pilot:
        await until(pilot, lambda: isinstance(pilot.app.screen, ImportScreen), "Import is open")
        await shows(pilot, "Other memory tools")
        await shows(pilot, "3 memories")
        await pilot.press("1", "space")
        await shows(pilot, "3 new → inbox")
        await shows(pilot, "1 store read")
        await shows(pilot, "2 left out: user prompts")
        assert "type" in screen_text(pilot)
        assert "change" in screen_text(pilot)
        await pilot.press("down", "space")
        await shows(pilot, "1 new → inbox")
        await pilot.press("space", "down", "down", "down", "space")
        await shows(pilot, "2 new → inbox")
        await pilot.press("I")
        await shows(pilot, "Imported: 2 added")
        assert titles(vault) == {"Ramps rise before ebb": "ferry", "Tickets are checked twice": "ferry"}
        await shows(pilot, "Nothing is ticked.")
        assert "0 of 1 ticked" in screen_text(pilot)
        await pilot.press("u")
        await says(pilot, "Undone: import 2 new memories from claude-mem")
        await until(pilot, lambda: not titles(vault), "the import is taken back")
    assert state_of(own_home / ".claude-mem") == before


async def test_what_waits_in_other_projects_is_counted_with_the_key_that_shows_it(folder: Path, tmp_path: Path) -> None:
    vault = empty_vault(tmp_path)
    async with app_on(vault, folder, state_path=tmp_path / "state.json").run_test(size=WIDE) as pilot:
        await shows(pilot, "Other memory tools")
        await pilot.press("1", "asterisk")
        await shows(pilot, "3 new → inbox")
        await pilot.press("I")
        await shows(pilot, "1 of them in other projects: @")
        await pilot.press("b")
        await shows(pilot, "2 waiting · @ 1 in other projects")


async def test_a_project_that_is_unclear_is_asked_for_once(folder: Path, tmp_path: Path) -> None:
    vault = empty_vault(tmp_path)
    with vault.write(actor="person", action="add") as writer:
        ensure_project(writer, "crane-ui")
    async with app_on(vault, folder, state_path=tmp_path / "state.json").run_test(size=WIDE) as pilot:
        await pilot.app.run_action("go('import')")
        await shows(pilot, "Other memory tools")
        await pilot.press("1", "asterisk")
        await shows(pilot, "3 new → inbox")
        await pilot.press("I")
        await shows(pilot, "The store calls a project crane_ui. Which is it here?")
        await pilot.press("1")
        await shows(pilot, "Imported: 3 added")
        assert titles(vault)["Cranes stop at 40 knots"] == "crane-ui"


async def test_every_value_is_listed_and_one_key_ticks_all_or_none_of_a_kind(folder: Path, tmp_path: Path) -> None:
    rows = [
        observation(f"Berth {number}", f"Berth {number} is dredged.", project=f"quay-{number:02}")
        for number in range(20)
    ]
    make_store(tmp_path / "copy.db", "claude-mem", {"observations": rows})
    vault = empty_vault(tmp_path)
    async with app_on(vault, folder, state_path=tmp_path / "state.json").run_test(size=(130, 60)) as pilot:
        await until(pilot, lambda: isinstance(pilot.app.screen, ImportScreen), "Import is open")
        await shows(pilot, "Other memory tools")
        assert "~/.claude-mem/claude-mem.db" in screen_text(pilot)
        await pilot.press("slash", *str(tmp_path / "copy.db"), "enter")
        await shows(pilot, "20 new → inbox")
        await shows(pilot, "quay-19")
        await pilot.press("1", "end", "asterisk")
        await shows(pilot, "0 new → inbox")
        await pilot.press("space")
        await shows(pilot, "1 new → inbox")
        await pilot.press("asterisk")
        await shows(pilot, "20 new → inbox")


async def test_a_store_at_a_path_that_is_typed_is_offered_ticked(folder: Path, tmp_path: Path) -> None:
    rows = [{"id": f"{number:032x}", "content": text, "state": "active"} for number, text in enumerate(("A.", "B."))]
    make_store(tmp_path / "moved" / "copy.db", "openmemory", {"memories": rows})
    write_files(tmp_path / "moved", {"AGENTS.md": "# Rules\n\n- Lock the ramp before boarding.\n"})
    vault = empty_vault(tmp_path)
    async with app_on(vault, folder, state_path=tmp_path / "state.json").run_test(size=WIDE) as pilot:
        await until(pilot, lambda: isinstance(pilot.app.screen, ImportScreen), "Import is open")
        await shows(pilot, "Other memory tools")
        await pilot.press("slash", *str(tmp_path / "moved" / "copy.db"), "enter")
        await shows(pilot, "2 new → inbox")
        await pilot.press("slash", *str(tmp_path / "moved"), "enter")
        await shows(pilot, "3 new → inbox")
        assert screen_text(pilot).count("openmemory") == 1
        await pilot.press("I")
        await shows(pilot, "Imported: 3 added")
