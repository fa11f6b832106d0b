"""The Import screen and the first run driven by keys: nothing is written until a person says so."""

from __future__ import annotations

import re
import subprocess
import threading
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from curating import PERSON, repository, write_files
from flows.app_driver import (
    HOSTILE,
    NARROW,
    PATIENT_SECONDS,
    WIDE,
    RecordingApp,
    app_on,
    empty_vault,
    focused,
    says,
    screen_lines,
    screen_text,
    shows,
    toasts,
    unsays,
    until,
)
from flows.context_driver import fake_tmux
from rich.cells import cell_len
from textual.pilot import Pilot

from memtui.capture.importer import ImportRequest, read_sources
from memtui.curate.memories import edit_memory
from memtui.tui.importing.screen import ImportScreen
from memtui.tui.importing.view import Importer, PlaceRow, PlanRow
from memtui.tui.widgets.row_list import RowList
from memtui.vault.filters import MemoryFilter
from memtui.vault.projects import project_names
from memtui.vault.vault import Vault

pytestmark = pytest.mark.usefixtures("isolated")

RULES = "# Payments\n\n- Lock refunds by payment_id, never by user_id.\n- Amounts are integers in minor units.\n"


@pytest.fixture
def project(tmp_path: Path, own_home: Path) -> Path:
    """A repository with a rule file, beside a home with another."""
    folder = tmp_path / "ferry"
    write_files(folder, {"CLAUDE.md": RULES, "notes/other.md": "# Other\n\n- Sail times are in UTC.\n"})
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    write_files(own_home, {".claude/CLAUDE.md": "# Mine\n\n- Answer in short sentences.\n"})
    return folder


def importer(pilot: Pilot[Any]) -> ImportScreen:
    assert isinstance(pilot.app.screen, ImportScreen)
    return pilot.app.screen


async def previews(pilot: Pilot[Any], words: str) -> None:
    await until(pilot, lambda: isinstance(pilot.app.screen, ImportScreen), "Import is open")
    await until(pilot, lambda: bool(importer(pilot)._plan.count), "a preview is there")
    await shows(pilot, words)


def _is_at(plan: RowList[PlanRow], text: str) -> bool:
    return plan.current is not None and text in plan.current.planned.draft.insight


def count(vault: Vault, *statuses: str) -> int:
    if not vault.exists:
        return 0
    with vault.read() as reader:
        return reader.count(MemoryFilter(statuses=statuses or None))


def first_run(vault: Vault, folder: Path, tmp_path: Path) -> RecordingApp:
    return app_on(vault, folder, state_path=tmp_path / "state.json")


async def _accept_all_and_come_back(pilot: Pilot[Any], vault: Vault) -> None:
    """Accept what waits, after which the next undo is no longer that of the import."""
    await pilot.press("b")
    await shows(pilot, "3 waiting")
    await pilot.press("asterisk", "a")
    await until(pilot, lambda: count(vault, "active") == 3, "all are accepted")
    await pilot.press("escape")
    await shows(pilot, "Nothing is imported until you press I")
    assert "u undoes it." not in screen_text(pilot)


async def _import_and_undo_in_the_inbox(pilot: Pilot[Any], vault: Vault) -> None:
    assert "in vault" not in screen_text(pilot)
    await pilot.press("I")
    await shows(pilot, "0 of 2 ticked")
    await pilot.press("b")
    await until(pilot, lambda: not isinstance(pilot.app.screen, ImportScreen), "the inbox is open")
    await pilot.press("u")
    await until(pilot, lambda: count(vault) == 0, "the import is taken back in the inbox")
    await pilot.press("escape")
    await shows(pilot, "3 new → inbox")
    await shows(pilot, "2 of 2 ticked")


async def test_an_empty_vault_offers_what_was_written_down_and_writes_only_when_told(
    project: Path, tmp_path: Path
) -> None:
    vault = empty_vault(tmp_path)
    app = first_run(vault, project, tmp_path)
    async with app.run_test(size=WIDE) as pilot:
        await previews(pilot, "2 new → inbox")
        for text in ("This vault is empty.", "memtui demo", "CLAUDE.md", "~/.claude/CLAUDE.md", "Lock refunds by"):
            assert text in screen_text(pilot)
        assert count(vault) == 0
        await pilot.press("asterisk")
        await shows(pilot, "3 new → inbox")
        for key, text in (("j", "Answer in short"), ("k", "Lock refunds")):
            await pilot.press(key)
            plan = importer(pilot)._plan
            wanted = partial(_is_at, plan, text)
            await until(pilot, wanted, "the preview goes along with the cursor in the sources")
        assert focused(pilot) == "import-places"
        await pilot.press("A")
        await shows(pilot, "3 new → active")
        await pilot.press("A", "tab", "enter")
        await shows(pilot, "esc closes")
        assert "? help" not in screen_text(pilot), "beneath a box it would do nothing"
        await pilot.press("escape", "escape")
        assert (focused(pilot), "? help" in screen_text(pilot)) == ("import-places", True)
        await shows(pilot, "3 new → inbox")
        assert count(vault) == 0
        await pilot.press("I")
        await shows(pilot, "Imported: 3 added")
        assert count(vault, "candidate") == 3
        await shows(pilot, "3 known")
        await shows(pilot, "Imported: 3 added. They wait in the inbox: b goes there.   u undoes it.")
        assert not toasts(pilot), "it is said once"
        await shows(pilot, "0 of 2 ticked")
        text = screen_text(pilot)
        assert (text.count("in vault"), "Welcome" in text, "b inbox" in text) == (2, False, True)
        await until(pilot, lambda: "I import" not in screen_text(pilot), "the key goes with the last tick")
        await pilot.press("I")
        await says(pilot, "Nothing new here: everything is already in the vault")
        await _accept_all_and_come_back(pilot, vault)
        await pilot.press("u")
        await until(pilot, lambda: count(vault, "candidate") == 3, "the last act is taken back")
        await pilot.press("u")
        await says(pilot, "Undone: import 3 new")
        await shows(pilot, "Nothing is imported until you press I")
        await until(pilot, lambda: count(vault) == 0, "the import is taken back")
        await shows(pilot, "3 new → inbox")
        await shows(pilot, "2 of 2 ticked")
        await _import_and_undo_in_the_inbox(pilot, vault)
        await pilot.press("escape")
        await until(pilot, lambda: len(pilot.app.screen_stack) == 1, "back at the empty list")
        await pilot.press("ctrl+q")
    async with first_run(vault, project, tmp_path).run_test(size=NARROW) as pilot:
        await shows(pilot, "The vault is empty.")
        assert len(pilot.app.screen_stack) == 1, "it is offered once"


async def test_a_source_of_which_all_was_rejected_or_that_states_nothing_says_so_and_needs_no_tick(
    project: Path, ferry: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / ".github").mkdir(exist_ok=True)
    (project / ".github" / "copilot-instructions.md").write_text("# Rules\n\n- [Harbour](docs/harbour.md)\n")
    preview, gate = Importer.preview, threading.Event()

    def gated(*words: Any, **options: Any) -> Any:
        assert gate.wait(PATIENT_SECONDS)
        return preview(*words, **options)

    monkeypatch.setattr(Importer, "preview", gated)
    async with app_on(ferry, project).run_test(size=NARROW) as pilot:
        await pilot.app.run_action("go('import')")
        await shows(pilot, "copilot-instructions.md")
        assert "✓" not in screen_text(pilot), "what may go at once is no tick yet"
        assert " ticked" not in screen_text(pilot)
        gate.set()
        await previews(pilot, "CLAUDE.md")
        await shows(pilot, "no memory")
        await shows(pilot, "1 of 3 ticked")
        row = next(row for row in importer(pilot)._places.rows if getattr(row, "known", "") == "no memory")
        importer(pilot)._places.go_to(lambda one: one == row)
        await pilot.press("enter")
        await says(pilot, "contains no memory: what was passed over is listed here")
        await shows(pilot, "Passed over")
        await shows(pilot, "a in Browse")
        await pilot.press("escape", "I")
        await shows(pilot, "Imported: ")
        await pilot.press("b")
        await shows(pilot, " waiting")
        await pilot.press("asterisk", "x")
        await until(pilot, lambda: count(ferry, "candidate") == 0, "all are rejected")
        await pilot.press("escape", "escape")
        await until(pilot, lambda: len(pilot.app.screen_stack) == 1, "back in Browse")
        await pilot.app.run_action("go('import')")
        await shows(pilot, " rejected")
        await shows(pilot, "0 of 3 ticked")


async def test_a_new_repository_is_twelve_keys_from_a_copied_payload(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By what the screens say: the import, its inbox, all of it accepted, the task's payload, the copy."""
    buffer = fake_tmux(tmp_path, monkeypatch)
    pressed: list[str] = []
    vault = empty_vault(tmp_path)

    async with first_run(vault, project, tmp_path).run_test(size=NARROW) as pilot:

        async def press(*keys: str) -> None:
            pressed.extend(keys)
            await pilot.press(*keys)

        await shows(pilot, "I import")
        await shows(pilot, "1 file read · 2 new → inbox")
        await press("I")
        await shows(pilot, "b goes there")
        await press("b")
        await shows(pilot, "a accept")
        await shows(pilot, "2 waiting")
        await press("asterisk", "a")
        await until(pilot, lambda: count(vault, "active") == 2, "both are accepted")
        await press("c")
        await shows(pilot, "Task")
        await press(*"lock", "enter")
        await shows(pilot, "Lock refunds by payment_id")
        await shows(pilot, "y copy")
        await press("y")
        rule = "Lock refunds by payment_id, never by user_id"
        await until(pilot, lambda: buffer.exists() and rule in buffer.read_text(encoding="utf-8"), "it is copied")
    assert len(pressed) <= 12, pressed


async def test_another_path_is_typed_and_what_is_none_is_told(project: Path, ferry: Vault) -> None:
    async with app_on(ferry, project).run_test(size=NARROW) as pilot:
        await pilot.app.run_action("go('import')")
        await previews(pilot, "CLAUDE.md")
        assert len(pilot.app.screen_stack) == 2, "a vault that holds something is not greeted"
        await pilot.press("slash", *"nope.md", "enter")
        await says(pilot, "No such file or folder: nope.md.")
        await pilot.press("ctrl+u", *"notes/other.md", "enter")
        await shows(pilot, "Named by you")
        assert focused(pilot) == "import-places"
        await pilot.press("asterisk", "asterisk")
        await shows(pilot, "0 of 3 ticked")
        await pilot.press("I")
        await says(pilot, "Nothing is ticked.")
        await pilot.press("G", "space")
        await shows(pilot, "1 of 3 ticked")
        await until(pilot, lambda: len(importer(pilot)._plan._lines) > 1, "it is previewed")
        await pilot.press("A", "I")
        await shows(pilot, "Imported: 1 added")
        assert count(ferry, "candidate") == 0
        assert count(ferry, "active") == 6
        await pilot.press("escape")
        note = project / "notes/other.md"
        note.write_text(note.read_text("utf-8").rstrip() + " Ring twice before that.\n", encoding="utf-8")
        await pilot.app.run_action("go('import')")
        await shows(pilot, "Named by you")
        await shows(pilot, "1 changed")
        assert "notes/other.md" in screen_text(pilot)


async def test_esc_stops_an_import_and_the_vault_is_as_it_was(
    project: Path, ferry: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memtui.vault.writer.TOGETHER", 1)
    async with app_on(ferry, project).run_test(size=WIDE) as pilot:
        await pilot.app.run_action("go('import')")
        await previews(pilot, "2 new → inbox")
        screen = importer(pilot)
        run = screen._importer.run

        def stopped_midway(*places: Any, progress: Any, **options: Any) -> Any:
            def told(what: str, done: int, total: int) -> None:
                if what == "writing":
                    pilot.app.call_from_thread(screen.action_back)
                progress(what, done, total)

            return run(*places, progress=told, **options)

        monkeypatch.setattr(screen._importer, "run", stopped_midway)
        await pilot.press("I")
        await says(pilot, "Import cancelled; the vault is unchanged")
        assert count(ferry) == 5
        assert isinstance(pilot.app.screen, ImportScreen)


async def test_a_path_is_completed_by_what_can_be_read(project: Path, ferry: Vault) -> None:
    write_files(project, {"plans/harbour.plan.md": "# Harbour\n\n- The crane lifts 4 t.\n", "plans/crane.py": "x\n"})
    async with app_on(ferry, project).run_test(size=(80, 24)) as pilot:
        await pilot.press("J")
        await shows(pilot, "CLAUDE.md")
        await pilot.press("slash", *"plans")
        await shows(pilot, "plans/harbour.plan.md")
        await shows(pilot, "tab complete")
        assert "crane.py" not in screen_text(pilot)
        await pilot.press("tab", "enter")
        await until(pilot, lambda: "2 of 3 ticked" in screen_text(pilot), "it is added")


async def test_hostile_sources_do_no_harm_and_secrets_are_not_shown(project: Path, tmp_path: Path) -> None:
    key = "AKIA" + "Q7RZ4M2X9K1LW8TB"
    lines = [f"- {text[:5_000]}" for text in HOSTILE] + [f"- The key is {key}, aws_secret_access_key of prod."]
    write_files(project, {"CLAUDE.md": "# Rules\n\n" + "\n".join(lines) + "\n", "[/x] [red].md": "# x\n\n- y\n"})
    async with app_on(empty_vault(tmp_path), project).run_test(size=WIDE) as pilot:
        await pilot.app.run_action("go('import')")
        await previews(pilot, "new → inbox")
        await pilot.press("slash", *"[/x] [red].md", "enter")
        await shows(pilot, "Named by you")
        for size in (WIDE, NARROW, (200, 60), (40, 15)):
            await pilot.resize_terminal(*size)
            for press in ("tab", "j", "j", "enter", "escape", "G", "escape"):
                await pilot.press(press)
            await shows(pilot, "Import")
            assert {cell_len(line) for line in screen_lines(pilot)} == {size[0]}
            assert key not in screen_text(pilot)
        assert not [toast for toast in toasts(pilot) if "Error" in toast]


async def test_nothing_found_says_what_to_do(tmp_path: Path, own_home: Path) -> None:
    write_files(own_home, {"unrelated.md": "# x\n"})
    write_files(tmp_path, {"bare/data.csv": "1,2\n"})
    async with first_run(empty_vault(tmp_path), tmp_path / "bare", tmp_path).run_test(size=(40, 15)) as pilot:
        await shows(pilot, "No rule files were found")
        await pilot.press("I")
        await says(pilot, "Nothing is ticked.")
        await pilot.press("escape")
        await shows(pilot, "The vault is empty.")


async def test_a_source_is_left_out_for_good(project: Path, tmp_path: Path) -> None:
    write_files(project, {"web/AGENTS.md": "# Web\n\n- Never nest loops.\n"})
    async with first_run(empty_vault(tmp_path), project, tmp_path).run_test(size=WIDE) as pilot:
        await previews(pilot, "3 new → inbox")
        await pilot.press("j", "2", "x")
        await says(pilot, "x ignores a whole source: go to the sources first")
        await pilot.press("space")
        await says(pilot, "Sources are ticked, not memories")
        assert not (project / ".memtuiignore").exists()
        ignored = project / ".memtuiignore"
        await pilot.press("1", "x")
        await says(
            pilot, "/web/AGENTS.md would be ignored from now on: x again creates the file with a comment and the line"
        )
        for other in ("A", "j"):
            await pilot.press(other, *("k" if other == "j" else ""), "x")
            assert not ignored.exists(), "any other key drops it"
        await pilot.press("j")
        await unsays(pilot, "would be left out for good")
        await pilot.press("k", "x")
        await pilot.press("x")
        await says(pilot, "Ignored from now on: the line /web/AGENTS.md is in .memtuiignore")
        await shows(pilot, "Left out by lines in .memtuiignore")
        await shows(pilot, "2 new → active")
        assert ignored.read_text(encoding="utf-8").endswith("\n/web/AGENTS.md\n")
        await pilot.press("u")
        await says(
            pilot, "Included again: the line /web/AGENTS.md was removed, and .memtuiignore, which was then empty"
        )
        await shows(pilot, "3 new → active")
        assert not ignored.exists()
        await until(pilot, lambda: "Left out by" not in screen_text(pilot), "it is no longer left out")
        await pilot.press("G", "x")
        await says(pilot, "Only sources inside the project can be ignored")
        await pilot.press("J")
        assert isinstance(pilot.app.screen, ImportScreen)


async def test_a_source_that_a_line_leaves_out_is_listed_and_x_takes_the_line_out(project: Path, ferry: Vault) -> None:
    write_files(
        project, {"web/AGENTS.md": "# Web\n\n- Never nest loops.\n", ".memtuiignore": "/web/AGENTS.md\n*.tmp\n"}
    )
    async with app_on(ferry, project).run_test(size=NARROW) as pilot:
        await pilot.app.run_action("go('import')")
        await previews(pilot, "2 new → inbox")
        await shows(pilot, "Left out by lines in .memtuiignore")
        await pilot.press("G", "space")
        await says(pilot, "The line /web/AGENTS.md in .memtuiignore ignores it: x removes the line.")
        await pilot.press("x")
        await says(pilot, "Included again: the line /web/AGENTS.md was removed. u puts it back")
        await shows(pilot, "3 new → inbox")
        assert (project / ".memtuiignore").read_text(encoding="utf-8") == "*.tmp\n"
        await pilot.press("u")
        await shows(pilot, "2 new → inbox")
        assert (project / ".memtuiignore").read_text(encoding="utf-8") == "*.tmp\n/web/AGENTS.md\n"
        with ferry.read() as reader:
            assert reader.count(MemoryFilter(statuses=None)) == 5


async def test_the_next_repository_is_imported_by_typing_its_folder(
    project: Path, tmp_path: Path, own_home: Path, ferry: Vault
) -> None:
    other = repository(tmp_path / "tides", {"CLAUDE.md": RULES, "api/AGENTS.md": "- Never nest loops.\n"})
    write_files(other, {"tests/fixtures/AGENTS.md": RULES, ".kiro/steering/tech.md": "- Never log bodies.\n"})
    async with app_on(ferry, project).run_test(size=WIDE) as pilot:
        await until(pilot, lambda: bool(pilot.app.screen_stack), "Browse is open")
        await pilot.press("J")
        await previews(pilot, "2 new → inbox")
        await pilot.press("asterisk", "asterisk", "slash", *str(other), "enter")
        await shows(pilot, "4 new → inbox of tides")
        await shows(pilot, "1 file left out: data of tests (tests/fixtures/AGENTS.md)")
        read = {row.planned.draft.source.path for row in importer(pilot)._plan.rows}
        request = ImportRequest(paths=[], folder=other, home=own_home)
        assert read == {draft.source.path for draft, _ in read_sources(request).drafts}
        await pilot.press("I")
        await shows(pilot, "Imported: 4 added")
        await shows(pilot, "New memories wait in the inbox of tides: b goes there.")
        await pilot.press("b")
        await until(pilot, lambda: getattr(pilot.app.screen, "AREA", "") == "inbox", "the inbox is open")
        await shows(pilot, "4 waiting")
        assert "   tides " in screen_lines(pilot)[0]
    with ferry.read() as reader:
        assert "tides" in project_names(reader)


async def test_what_is_in_the_vault_is_marked_and_only_what_is_new_is_ticked(project: Path, ferry: Vault) -> None:
    async with app_on(ferry, project).run_test(size=WIDE) as pilot:
        await pilot.app.run_action("go('import')")
        await previews(pilot, "2 new → inbox")
        await pilot.press("I")
        await shows(pilot, "Imported: 2 added")
        await pilot.press("escape")
        article = {".github/agents/knowledge/ropes.md": "# Ropes\n\n- Never coil a wet rope.\n"}
        write_files(project, {"CLAUDE.md": RULES, "web/AGENTS.md": "# Web\n\n- Never nest loops.\n", **article})
        await pilot.press("J")
        await previews(pilot, "1 new → inbox")
        await shows(pilot, "1 of 4 ticked")
        await shows(pilot, "1 file left out: in an assistant's folder")
        lines = [line for line in screen_lines(pilot) if "in vault" in line]
        assert len(lines) == 1
        assert "CLAUDE.md" in lines[0]
        await pilot.press("g", "space")
        await shows(pilot, "2 of 4 ticked")
        await pilot.pause(0.2)
        await shows(pilot, "2 of 4 ticked")
        await pilot.press("j", "j", "space")
        await previews(pilot, "2 new → inbox")
        await shows(pilot, "coil a wet rope")
        assert "in an assistant's folder" not in screen_text(pilot), "what is read is not passed over"


async def test_an_import_of_an_edited_file_says_that_a_memory_in_use_changed(project: Path, tmp_path: Path) -> None:
    vault = empty_vault(tmp_path)
    async with first_run(vault, project, tmp_path).run_test(size=WIDE) as pilot:
        await previews(pilot, "2 new → inbox")
        await pilot.press("A")
        await shows(pilot, "2 new → active")
        await pilot.press("I")
        await shows(pilot, "Imported: 2 added. They are active: esc goes to the list.")
        write_files(project, {"CLAUDE.md": RULES.replace("payment", "booking", 1)})
        await pilot.press("escape", "J")
        await until(pilot, lambda: "1 changed" in screen_text(pilot), "the edited file is read")
        assert re.search(r"files? read · 1 changed", screen_text(pilot)), "the head names what there is"
        assert any("CLAUDE.md" in line and " changed" in line for line in screen_lines(pilot)[3:8]), "and the source"
        await pilot.press("I")
        await shows(pilot, "1 updated")
        await shows(pilot, "1 memory in use was updated from the source: r reviews it.")
        assert "wait in the inbox" not in screen_text(pilot)
        assert count(vault, "candidate") == 0


async def test_enter_on_a_source_goes_to_what_it_says_and_to_what_was_passed_over(
    project: Path, tmp_path: Path
) -> None:
    notes = "# Web\n\n- Never nest loops.\n\n- TODO\n- See the wiki.\n\n- \n\n[wiki](https://example.org)\n"
    write_files(project, {"web/AGENTS.md": notes})
    async with first_run(empty_vault(tmp_path), project, tmp_path).run_test(size=NARROW) as pilot:
        await previews(pilot, "new → inbox")
        await pilot.press("j")
        current = importer(pilot)._places.current
        assert isinstance(current, PlaceRow)
        await pilot.press("enter")
        row = importer(pilot)._plan.current
        assert row is not None
        assert row.planned.draft.source.path == current.place.name == "web/AGENTS.md"
        await pilot.press("escape", "I")
        await shows(pilot, "Imported: ")
        await shows(pilot, "0 of 3 ticked")
        await pilot.press("g", "enter")
        assert focused(pilot) == "import-plan"
        await shows(pilot, "already in the vault, unchanged")
        await pilot.press("enter")
        await says(pilot, "No memory is listed here to read")
        (told,) = [line for line in screen_lines(pilot) if "Passed over" in line]
        assert "To keep such a line" in screen_text(pilot)
        assert re.search(r"Passed over\s+(\d+) places?: files", told).group(1) == re.search(  # type: ignore[union-attr]
            r"(\d+) passed over",
            importer(pilot)._came_in.words,  # type: ignore[union-attr]
        ).group(1)


async def test_a_rule_that_left_its_file_is_named_and_the_kind_that_a_person_chose_is_kept(
    project: Path, tmp_path: Path
) -> None:
    vault = empty_vault(tmp_path)
    async with first_run(vault, project, tmp_path).run_test(size=WIDE) as pilot:
        await previews(pilot, "2 new → inbox")
        await pilot.press("A")
        await shows(pilot, "2 new → active")
        await pilot.press("I")
        await shows(pilot, "Imported: 2 added")
        with vault.read() as reader:
            found = reader.select(MemoryFilter(), sort="created", now=vault.now())
        (gone,) = [one for one in found if "minor units" in one.insight]
        (changed,) = [one for one in found if one is not gone]
        edit_memory(vault, changed.id, {"kind": "lesson"}, actor=PERSON)
        write_files(project, {"CLAUDE.md": RULES.split("- Amounts", maxsplit=1)[0].replace("payment_id", "booking_id")})
        await pilot.press("escape", "J")
        await shows(pilot, "No longer in their source: kept")
        row = importer(pilot)._plan.current
        assert row is not None
        assert (row.mark, row.kind) == ("~", "lesson")
        assert gone.title in screen_text(pilot).split("No longer in their source: kept")[1]
        await pilot.press("I")
        await shows(pilot, f"kept: “{gone.title}”: r reviews.")
        await pilot.press("escape", "slash", *"minor", "enter")
        await shows(pilot, "! its source no longer")


async def test_an_import_that_only_misses_a_rule_names_it_too(project: Path, tmp_path: Path) -> None:
    vault = empty_vault(tmp_path)
    async with first_run(vault, project, tmp_path).run_test(size=WIDE) as pilot:
        await previews(pilot, "2 new → inbox")
        await pilot.press("A")
        await shows(pilot, "2 new → active")
        await pilot.press("I")
        await shows(pilot, "Imported: 2 added")
        write_files(project, {"CLAUDE.md": RULES.split("- Amounts", maxsplit=1)[0]})
        await pilot.press("escape", "J")
        await shows(pilot, "1 of 2 ticked")
        await pilot.press("I")
        await shows(pilot, "1 memory is no longer in the source; kept: “Payments: Amounts are integers in minor units”")
        await shows(pilot, "0 of 2 ticked")
