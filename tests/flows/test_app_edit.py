"""Editing in the app: every field, nothing typed is lost, nothing of others is overwritten silently."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from flows.app_driver import (
    HOSTILE,
    NARROW,
    NOW,
    WIDE,
    app_on,
    browser,
    empty_vault,
    ferry_vault,
    fill,
    focused,
    holds,
    memory,
    says,
    screen_lines,
    screen_text,
    shows,
    stored,
    toasts,
    unsays,
    until,
    work_ends,
)
from flows.editing_driver import (
    SECRET,
    conflict_opens,
    field,
    form,
    form_closes,
    form_opens,
    notes,
    rewrite,
    set_editor,
    terminal_of_its_own,
)
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support import held_elsewhere
from textual import events
from textual.pilot import Pilot

from memtui.curate.projects import link_folder
from memtui.domain.identity import Actor
from memtui.tui.app import MemtuiApp
from memtui.tui.browse.screen import BrowseScreen
from memtui.tui.edit.screen import EditScreen
from memtui.tui.widgets.form_fields import FormArea, FormTitle
from memtui.vault.projects import project_names
from memtui.vault.vault import Vault

pytestmark = pytest.mark.usefixtures("isolated")

SAIL = "m0000002"


async def edit_second(pilot: Pilot[Any]) -> EditScreen:
    """Open the form on the second memory of the list."""
    await shows(pilot, "Sail times are in UTC")
    await pilot.press("j", "e")
    return await form_opens(pilot)


async def test_typing_into_the_form_saves_what_was_typed_and_only_that(ferry: Vault, tmp_path: Path) -> None:
    before = stored(ferry, SAIL)
    async with app_on(ferry, tmp_path).run_test(size=WIDE) as pilot:
        await edit_second(pilot)
        await pilot.press("end", *", DST too", "tab", "end", "enter", *"航行時刻", "tab", *"Quays differ.")
        await shows(pilot, "unsaved")
        await pilot.press("ctrl+s")
        await says(pilot, "Saved: Sail times are in UTC, DST too")
        await form_closes(pilot)
        after = stored(ferry, SAIL)
        assert after.title == "Sail times are in UTC, DST too"
        assert after.insight == f"{before.insight}\n航行時刻"
        assert after.rationale == "Quays differ."
        assert (after.version, after.verified_at) == (2, None)
        await until(pilot, lambda: browser(pilot)._list.current == SAIL, "the cursor is on what was edited")
        await pilot.press("u")
        await says(pilot, "Undone: edit Sail times are in UTC, DST too")
        assert stored(ferry, SAIL).insight == before.insight


async def test_every_field_can_be_changed_and_said_still_true_in_one_change(ferry: Vault, tmp_path: Path) -> None:
    tree = tmp_path / "ferry"
    (tree / "quay").mkdir(parents=True)
    (tree / "quay" / "board.py").write_text("ZONE = 'UTC'\n", encoding="utf-8")
    link_folder(ferry, "ferry", tree)
    async with app_on(ferry, tmp_path).run_test(size=WIDE) as pilot:
        await edit_second(pilot)
        typed = {
            "title": "Sail times",
            "insight": "They are UTC.",
            "rationale": "Two zones.",
            "snippet": "tz=UTC",
            "kind": "decision",
            "tags": "time, quay",
            "anchors": "quay/board.py",
            "project": "global",
            "importance": "5",
            "confidence": "0.5",
            "valid_from": "2026-01-01",
            "valid_until": "2027-01-01",
            "half_life_days": "30d",
        }
        for name, text in typed.items():
            await rewrite(pilot, name, text)
        field(pilot, "pinned").focus()
        await pilot.press("space")
        await shows(pilot, "● yes")
        await pilot.press("ctrl+t")
        await says(pilot, "Saved and verified: Sail times")
        await form_closes(pilot)
    after = stored(ferry, SAIL)
    assert (after.title, after.insight, after.rationale, after.snippet) == (
        *("Sail times", "They are UTC.", "Two zones.", "tz=UTC"),
    )
    assert (after.kind, after.tags, after.project, after.importance, after.confidence, after.pinned) == (
        *("decision", ("time", "quay"), "global", 5, 0.5, True),
    )
    assert [anchor.path for anchor in after.anchors] == ["quay/board.py"]
    assert (after.valid_from is not None, after.valid_until is not None, after.half_life_days) == (True, True, 30)
    assert (after.verified_at, after.version) == (NOW, 2)


async def test_what_is_wrong_is_told_beside_its_field_while_typing(ferry: Vault, tmp_path: Path) -> None:
    async with app_on(ferry, tmp_path).run_test(size=WIDE) as pilot:
        await edit_second(pilot)
        await rewrite(pilot, "kind", "constrant")
        await notes(pilot, "kind", "Did you mean constraint?")
        await rewrite(pilot, "insight", f"ALWAYS sail.\nThe key is {SECRET}")
        await notes(pilot, "insight", "phrased as an instruction")
        await notes(pilot, "insight", "looks like a secret, line 2")
        await shows(pilot, "✗ Unknown kind: constrant")
        await pilot.press("ctrl+s")
        await says(pilot, "Not saved: Unknown kind")
        assert pilot.app.focused is field(pilot, "kind"), "the cursor goes to what is wrong"
        await rewrite(pilot, "kind", "convention")
        await pilot.press("ctrl+s")
        await says(pilot, "ctrl+n saves it anyway")
        assert not any(SECRET in toast for toast in toasts(pilot)), "a secret is never echoed"
        assert stored(ferry, SAIL).version == 1
        await pilot.press("ctrl+n")
        await form_closes(pilot)
    assert SECRET in stored(ferry, SAIL).insight


async def test_fields_complete_what_is_typed(ferry: Vault, tmp_path: Path) -> None:
    tree = tmp_path / "ferry"
    (tree / "quay").mkdir(parents=True)
    (tree / "quay" / "board.py").write_text("x\n", encoding="utf-8")
    link_folder(ferry, "ferry", tree)
    fill(ferry, [memory(9, "Tagged", days=400, tags=("harbour", "quay"))])
    async with app_on(ferry, tmp_path).run_test(size=WIDE) as pilot:
        await edit_second(pilot)
        await pilot.press("f1")
        await shows(pilot, "Most useful here")
        shown = [line.strip(" │") for line in screen_lines(pilot)]
        assert not [line for line in shown if line.startswith(("? ", "c ", "T "))], "they are letters"
        await pilot.press("escape")
        kind = field(pilot, "kind")
        was = kind.typed
        kind.focus()
        others = [one for one in ferry.kinds.names() if one != was]
        await shows(pilot, f"↓ {others[0]}  {others[1]}")
        await pilot.press("l")
        assert kind.typed == "l", "a letter takes the place of a kind"
        await rewrite(pilot, "kind", was)
        await pilot.press("down")
        assert kind.typed == ferry.kinds.names()[(ferry.kinds.names().index(was) + 1) % len(ferry.kinds.names())]
        await rewrite(pilot, "kind", "")
        await pilot.press(*"const")
        await shows(pilot, "→ or ↓ constraint")
        await until(pilot, lambda: getattr(field(pilot, "kind"), "_suggestion", "") == "constraint", "it is suggested")
        await pilot.press("right")
        assert field(pilot, "kind").typed == "constraint"
        await rewrite(pilot, "tags", "new, ")
        await pilot.press("h", "down")
        assert field(pilot, "tags").typed == "new, harbour"
        files = field(pilot, "anchors")
        assert isinstance(files, FormArea)
        await until(pilot, lambda: bool(files.choices), "the files of the tree are known")
        files.focus()
        await pilot.press("end", *"quay/b")
        await until(pilot, lambda: files.suggestion == "oard.py", "the file is suggested")
        await pilot.press("right", "ctrl+s")
        await form_closes(pilot)
    assert [anchor.path for anchor in stored(ferry, SAIL).anchors] == ["quay/board.py"]
    assert stored(ferry, SAIL).tags == ("new", "harbour")


async def test_a_glob_that_no_file_fits_is_said_at_the_save(ferry: Vault, tmp_path: Path) -> None:
    (tmp_path / "ferry").mkdir()
    link_folder(ferry, "ferry", tmp_path / "ferry")
    async with app_on(ferry, tmp_path).run_test(size=WIDE) as pilot:
        await edit_second(pilot)
        await rewrite(pilot, "anchors", "quai/**")
        await pilot.press("ctrl+s")
        await says(pilot, "No file matches quai/**")


async def test_leaving_keeps_what_was_typed_and_offers_it_again(ferry: Vault, tmp_path: Path) -> None:
    async with app_on(ferry, tmp_path).run_test(size=WIDE) as pilot:
        screen = await edit_second(pilot)
        await pilot.press("end", *" (draft)", "escape")
        await says(pilot, "Not saved yet")
        assert pilot.app.screen is screen, "the first esc leaves nothing"
        await pilot.press("space")
        await unsays(pilot, "Not saved yet")
        await pilot.press("backspace", "escape", "escape")
        await form_closes(pilot)
        shown = [notification.message for notification in pilot.app._notifications]
        assert shown == ["Not saved; a draft is kept: opening the form again brings it back"]
        await pilot.press("q")
        await says(pilot, "Unsaved: 1 form")
        assert pilot.app.is_running
        await pilot.press("e")
        await form_opens(pilot)
        await says(pilot, "Draft restored")
        assert field(pilot, "title").typed == "Sail times are in UTC (draft)"
        await pilot.press("ctrl+l")
        await until(pilot, lambda: field(pilot, "title").typed == "Sail times are in UTC", "the stored text is back")
        await pilot.press("ctrl+l", "ctrl+s")
        await form_closes(pilot)
        assert stored(ferry, SAIL).title == "Sail times are in UTC (draft)"
        await pilot.press("e")
        await form_opens(pilot)
        await pilot.press("escape")
        await form_closes(pilot)
        assert isinstance(pilot.app.screen, BrowseScreen), "an untouched form is left at once"


async def test_adding_tells_where_it_went_and_what_was_there_already(ferry: Vault, tmp_path: Path) -> None:
    async with app_on(ferry, tmp_path, project="ferry").run_test(size=WIDE) as pilot:
        await holds(pilot, 5)
        await pilot.press("a")
        await form_opens(pilot)
        assert field(pilot, "project").typed == "ferry"
        await pilot.press("ctrl+s")
        await says(pilot, "Not saved: A memory needs a text.")
        await pilot.press(*"Gangway two is closed", "ctrl+s")
        await says(pilot, "Added ")
        await form_closes(pilot)
        await holds(pilot, 6)
        assert "(guessed), project ferry" in toasts(pilot)[-1]
        await pilot.press("a")
        await form_opens(pilot)
        await pilot.press(*"Gangway two is closed", "ctrl+s")
        await says(pilot, "Already stored (")
        await form_closes(pilot)
        await holds(pilot, 6)


async def test_a_project_that_is_nearly_another_is_asked_about_before_it_is_made(ferry: Vault, tmp_path: Path) -> None:
    async with app_on(ferry, tmp_path, project="ferry").run_test(size=NARROW) as pilot:
        await holds(pilot, 5)
        await pilot.press("a")
        await form_opens(pilot)
        await rewrite(pilot, "insight", "The gangway is raised last.")
        await rewrite(pilot, "project", "fery")
        await notes(pilot, "project", "a new project – did you mean ferry?")
        await pilot.press("ctrl+s")
        await says(pilot, "fery would be a new project – did you mean ferry? Saving again makes it.")
        with ferry.read() as reader:
            assert project_names(reader) == ["ferry"]
        await rewrite(pilot, "project", "quay")
        await notes(pilot, "project", "a new project")
        await rewrite(pilot, "project", "fery")
        await pilot.press("ctrl+s")
        await form_closes(pilot)
        await says(pilot, "project fery")


async def test_adding_outside_of_any_project_says_unassigned(tmp_path: Path) -> None:
    vault = empty_vault(tmp_path)
    async with app_on(vault, tmp_path).run_test(size=WIDE) as pilot:
        await shows(pilot, "The vault is empty.")
        await pilot.press("a")
        await form_opens(pilot)
        await notes(pilot, "project", "not in any payload")
        await pilot.press(*"Alone", "ctrl+s")
        await says(pilot, "unassigned: left out of payloads")
        await form_closes(pilot)


def change_from_another_process(vault: Vault) -> None:
    options = ("--title", "Sail times are theirs", "--text", "theirs\ntwo\nthree", "--add-tag", "zone")
    command = [sys.executable, "-m", "memtui", "--vault", str(vault.path), "edit", SAIL, *options]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def files_for_the_editor(folder: Path) -> list[Path]:
    return list(folder.glob("memtui-*.md"))


async def test_a_change_from_another_process_is_shown_and_nothing_is_overwritten(ferry: Vault, tmp_path: Path) -> None:
    fill(ferry, [memory(2, "Sail times are in UTC", days=20, kind="convention", insight="one\ntwo\nthree")])
    async with app_on(ferry, tmp_path).run_test(size=WIDE) as pilot:
        await edit_second(pilot)
        await rewrite(pilot, "title", "Sail times are mine")
        await rewrite(pilot, "insight", "one\ntwo\nthree\nmine")
        change_from_another_process(ferry)
        theirs = stored(ferry, SAIL)
        await pilot.press("ctrl+s")
        await conflict_opens(pilot)
        await shows(pilot, "Sail times are theirs")
        await shows(pilot, "Sail times are mine")
        await shows(pilot, "person: edit Sail times are theirs")
        assert stored(ferry, SAIL) == theirs, "nothing is written"
        await pilot.press("ctrl+s")
        await says(pilot, "Choose a text for each field")
        await pilot.press("m")
        await until(pilot, lambda: "2 Insight" in screen_text(pilot) or "mine" in screen_text(pilot), "the next field")
        await pilot.press("plus")
        await shows(pilot, "Result: both")
        await pilot.press("ctrl+s")
        await says(pilot, "Saved: Sail times are mine")
        await form_closes(pilot)
        await until(pilot, lambda: isinstance(pilot.app.screen, BrowseScreen), "the list is back")
    after = stored(ferry, SAIL)
    assert (after.title, after.insight) == ("Sail times are mine", "theirs\ntwo\nthree\nmine")
    assert after.tags == ("zone",), "what they alone changed stays"
    assert after.version == theirs.version + 1


async def test_a_conflict_can_be_written_by_hand_left_and_come_back(ferry: Vault, tmp_path: Path) -> None:
    async with app_on(ferry, tmp_path).run_test(size=(80, 24)) as pilot:
        await edit_second(pilot)
        await rewrite(pilot, "insight", "mine")
        fill(ferry, [memory(2, "Sail times are in UTC", days=20, kind="convention", insight="theirs")])
        await pilot.press("ctrl+s")
        screen = await conflict_opens(pilot)
        await pilot.press("escape")
        await says(pilot, "Nothing is saved yet")
        await pilot.press("escape")
        await form_opens(pilot)
        assert field(pilot, "insight").typed == "mine", "what was typed is still in the form"
        await pilot.press("ctrl+s")
        screen = await conflict_opens(pilot)
        await pilot.press("e")
        await until(pilot, lambda: pilot.app.focused is screen._result, "the result is written")
        assert screen._result.typed == "theirs\nmine"
        await pilot.press("enter", *"ours")
        assert isinstance(pilot.app, MemtuiApp)
        assert pilot.app.draft_keeper.unsaved[SAIL]["insight"] == "theirs\nmine\nours", "it is the form's after any end"
        fill(ferry, [memory(2, "Changed again", days=20, kind="convention", insight="theirs")])
        await pilot.press("ctrl+s")
        await says(pilot, "The memory changed again")
        await shows(pilot, "Changed again")
        await pilot.press("ctrl+s")
        await says(pilot, "Saved: Changed again")
        await until(pilot, lambda: isinstance(pilot.app.screen, BrowseScreen), "the list is back")
    assert stored(ferry, SAIL).insight == "theirs\nmine\nours"


async def test_the_editor_changes_a_memory_and_its_file_goes(
    ferry: Vault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_editor(monkeypatch, tmp_path, "path.write_text(path.read_text('utf-8').replace('UTC', 'CET'), 'utf-8')")
    async with app_on(ferry, tmp_path).run_test(size=WIDE) as pilot:
        await shows(pilot, "Sail times are in UTC")
        with terminal_of_its_own(monkeypatch) as told:
            await pilot.press("j", "E")
            await says(pilot, "Saved: Sail times are in CET")
        assert told == ["suspended", "resumed"]
        await until(pilot, lambda: not files_for_the_editor(tmp_path), "the file is gone")
    assert stored(ferry, SAIL).title == "Sail times are in CET"


async def test_a_broken_file_is_kept_named_and_opened_again(
    ferry: Vault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_editor(monkeypatch, tmp_path, "path.write_text('---\\nkind: [ my words', 'utf-8')")
    async with app_on(ferry, tmp_path).run_test(size=WIDE) as pilot:
        await shows(pilot, "Sail times are in UTC")
        with terminal_of_its_own(monkeypatch):
            await pilot.press("j", "E")
            await says(pilot, "cannot be read as a memory (the frontmatter has no closing ---)")
            (kept,) = files_for_the_editor(tmp_path)
            assert any(str(kept) in toast and "E opens it again" in toast for toast in toasts(pilot))
            mended = f"assert 'my words' in path.read_text('utf-8')\npath.write_text({_file(ferry)!r}, 'utf-8')"
            set_editor(monkeypatch, tmp_path, mended)
            await pilot.press("E")
            await says(pilot, "Saved: Sail times are in CET")
    assert stored(ferry, SAIL).title == "Sail times are in CET"


def _file(vault: Vault) -> str:
    from memtui.publish.memory_file import render_memory

    return render_memory(stored(vault, SAIL)).replace("UTC", "CET")


async def test_what_the_editor_wrote_is_brought_into_the_form_or_the_conflict(
    ferry: Vault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_editor(monkeypatch, tmp_path, f"path.write_text(path.read_text('utf-8').replace('UTC', '{SECRET}'), 'utf-8')")
    async with app_on(ferry, tmp_path).run_test(size=WIDE) as pilot:
        await shows(pilot, "Sail times are in UTC")
        with terminal_of_its_own(monkeypatch):
            await pilot.press("j", "E")
            await form_opens(pilot)
            await says(pilot, "ctrl+n saves it anyway")
            assert SECRET in field(pilot, "title").typed
            assert not any(SECRET in toast for toast in toasts(pilot))
            await rewrite(pilot, "title", "Sail times are local")
            await rewrite(pilot, "insight", "No zone.")
            await pilot.press("ctrl+s")
            await form_closes(pilot)
            change = (
                f"import subprocess\nsubprocess.run([sys.executable, '-m', 'memtui', '--vault', {str(ferry.path)!r},"
            )
            change += f" 'edit', {SAIL!r}, '--title', 'Theirs'], check=True, capture_output=True)\n"
            change += "path.write_text(path.read_text('utf-8').replace('local', 'mine'), 'utf-8')"
            await until(pilot, lambda: isinstance(pilot.app.screen, BrowseScreen), "the list is back")
            set_editor(monkeypatch, tmp_path, change)
            await pilot.press("E")
            await conflict_opens(pilot)
            await pilot.press("m", "ctrl+s")
            await says(pilot, "Saved: Sail times are mine")
    assert stored(ferry, SAIL).insight == "No zone."


async def test_no_editor_and_no_terminal_are_told(
    ferry: Vault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_editor(monkeypatch, tmp_path, "pass")
    async with app_on(ferry, tmp_path).run_test(size=WIDE) as pilot:
        await shows(pilot, "Sail times are in UTC")
        await pilot.press("E")
        await says(pilot, "This terminal cannot run an editor")
        assert not files_for_the_editor(tmp_path)
        monkeypatch.delenv("EDITOR")
        monkeypatch.setenv("PATH", str(tmp_path))
        await pilot.press("E")
        await says(pilot, "No editor is set")
        monkeypatch.setenv("EDITOR", "no-such-editor --wait")
        with terminal_of_its_own(monkeypatch):
            await pilot.press("E")
            await says(pilot, "The editor cannot be started")
        assert not files_for_the_editor(tmp_path)


async def test_a_busy_vault_is_told_and_the_form_fills_once_it_is_free(ferry: Vault, tmp_path: Path) -> None:
    ferry.patience_seconds = 0.2
    async with app_on(ferry, tmp_path).run_test(size=WIDE) as pilot:
        await shows(pilot, "Sail times are in UTC")
        await pilot.press("j")
        with held_elsewhere(ferry.path):
            await pilot.press("e")
            await until(pilot, lambda: isinstance(pilot.app.screen, EditScreen), "the form stands")
            await says(pilot, "The vault is in use by")
        screen = await form_opens(pilot)
        assert screen._rows.shown["title"] == "Sail times are in UTC"


async def test_an_agent_at_the_keys_is_refused_with_the_reason(ferry: Vault, tmp_path: Path) -> None:
    async with app_on(ferry, tmp_path, actor=Actor("codex", is_person=False)).run_test(size=WIDE) as pilot:
        await edit_second(pilot)
        await pilot.press("end", "x", "ctrl+s")
        await says(pilot, "An agent may not alter what a person accepted")
        assert field(pilot, "title").typed == "Sail times are in UTCx"


async def test_pastes_fold_into_one_line_and_a_megabyte_is_kept_whole(ferry: Vault, tmp_path: Path) -> None:
    huge = "word and \x1b[31m" * 100_000
    async with app_on(ferry, tmp_path).run_test(size=WIDE) as pilot:
        await edit_second(pilot)
        title, insight = field(pilot, "title"), field(pilot, "insight")
        assert isinstance(title, FormTitle)
        assert isinstance(insight, FormArea)
        title.post_message(events.Paste("; and\nthe\r\nthird\x1b[201~ line"))
        await until(pilot, lambda: title.typed == "Sail times are in UTC; and the third line", "folded into one line")
        before = insight.typed
        insight.focus()
        await pilot.press("end")
        insight.post_message(events.Paste(huge))
        await until(pilot, lambda: len(insight.typed) > 800_000, "all of it is kept")
        assert "\x1b" not in insight.typed
        await shows(pilot, "characters, saved whole")
        await pilot.press("ctrl+z")
        await until(pilot, lambda: insight.typed == before, "the paste is taken back")
        insight.post_message(events.Paste("a\nb"))
        await until(pilot, lambda: insight.typed == f"{before}a\nb", "a short paste is typed text")


async def test_hostile_text_in_every_field_is_only_text(ferry: Vault, tmp_path: Path) -> None:
    async with app_on(ferry, tmp_path).run_test(size=(40, 15), notifications=True) as pilot:
        await holds(pilot, 5)
        await pilot.press("j", "e")
        await form_opens(pilot)
        for text in HOSTILE:
            for name, row in form(pilot)._rows.items():
                if name != "pinned":
                    row.field.fill(text)
            await pilot.pause()
            form(pilot).check()
            await pilot.press("tab")
        await work_ends(pilot)
        await pilot.press("ctrl+s")
        await until(pilot, lambda: bool(toasts(pilot)), "the save is answered")
        assert pilot.app.is_running
        assert stored(ferry, SAIL).version == 1


TEXTS = st.text(st.characters(exclude_categories=()), max_size=40)


# One start of the app for many texts: 25 of them go through each of 14 fields in every example.
@settings(max_examples=2, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(texts=st.lists(TEXTS, min_size=25, max_size=25))
def test_any_text_goes_through_every_field_without_a_crash(
    texts: list[str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("any")

    async def flow() -> None:
        async with app_on(ferry_vault(folder), folder).run_test(size=(80, 24)) as pilot:
            await holds(pilot, 5)
            await pilot.press("j", "e")
            await form_opens(pilot)
            for text in texts:
                for row in form(pilot)._rows.values():
                    row.field.post_message(events.Paste(text))
                await pilot.pause()
                form(pilot).check()
            await work_ends(pilot)
            await pilot.press("ctrl+s")
            await until(pilot, lambda: bool(toasts(pilot)), "the save is answered")
            assert pilot.app.is_running

    asyncio.run(flow())


async def test_what_is_typed_before_the_form_stands_is_kept_in_order(ferry: Vault, tmp_path: Path) -> None:
    """A busy vault keeps the form from being filled; keys, pastes and esc wait for their turn."""
    async with app_on(ferry, tmp_path).run_test(size=WIDE) as pilot:
        await shows(pilot, "Sail times are in UTC")
        await pilot.press("j")
        with held_elsewhere(ferry.path):
            await pilot.press("e")
            await until(pilot, lambda: isinstance(pilot.app.screen, EditScreen), "the form is pushed")
            await pilot.press("q", "u", "x", "backspace", "tab", "end", "enter", *"Quays: ")
            pilot.app.post_message(events.Paste("日本\x07語"))
            await pilot.press("!", "tab", *"r?")
            assert form(pilot)._basis is None
        await form_opens(pilot)
        await until(pilot, lambda: field(pilot, "rationale").typed == "r?", "all of it is put in")
        assert field(pilot, "title").typed == "Sail times are in UTCqu"
        assert field(pilot, "insight").typed.endswith("\nQuays: 日本語!")
        await pilot.press(*"so")
        await until(pilot, lambda: field(pilot, "rationale").typed == "r?so", "typing goes on where it was")
        await pilot.press("escape", "escape")
        await form_closes(pilot)
        with held_elsewhere(ferry.path):
            await pilot.press("a")
            await until(pilot, lambda: isinstance(pilot.app.screen, EditScreen), "an empty form is pushed")
            await pilot.press("escape")
            await form_closes(pilot)
            await pilot.press("a")
            await until(pilot, lambda: isinstance(pilot.app.screen, EditScreen), "an empty form is pushed again")
            warned = sum("Not saved yet" in toast for toast in toasts(pilot))
            await pilot.press(*"New", "escape")
        await form_opens(pilot)
        await until(pilot, lambda: field(pilot, "insight").typed == "New", "what was typed is there")
        await until(pilot, lambda: sum("Not saved yet" in toast for toast in toasts(pilot)) > warned, "esc came last")


async def test_a_save_takes_back_that_something_is_not_saved_yet(ferry: Vault, tmp_path: Path) -> None:
    async with app_on(ferry, tmp_path).run_test(size=WIDE) as pilot:
        await edit_second(pilot)
        await pilot.press("end", *"!", "escape")
        await says(pilot, "Not saved yet")
        await pilot.press("ctrl+s")
        await form_closes(pilot)
        shown = [one.message for one in pilot.app._notifications]
        assert not any("Not saved yet" in message for message in shown)
        assert shown, "what was done still stands"


async def test_a_key_for_a_whole_line_takes_all_of_a_title_that_is_wrapped(ferry: Vault, tmp_path: Path) -> None:
    long = ", ".join(["Never release the lock of a refund before the bank has answered, however long"] * 2)
    async with app_on(ferry, tmp_path).run_test(size=NARROW) as pilot:
        await edit_second(pilot)
        title = field(pilot, "title")
        assert isinstance(title, FormTitle)
        for keys, left in ((("ctrl+a", "ctrl+k"), ""), (("ctrl+e", "ctrl+u"), ""), (("ctrl+a", "x"), f"x{long}")):
            await rewrite(pilot, "title", long)
            assert title.wrapped_document.height > 2
            await pilot.press("up", *keys)
            await until(pilot, lambda left=left: title.typed == left, f"{keys} are done")  # type: ignore[misc] # a default binds the loop's value
        await pilot.press("ctrl+z", "ctrl+z")
        field(pilot, "insight").focus()
        await rewrite(pilot, "insight", "One.\nTwo.\nThree.")
        await pilot.press("down", "ctrl+k", "ctrl+e", "ctrl+k")
        await until(pilot, lambda: field(pilot, "insight").typed == "One.\nThree.", "of several lines it is the one")
        await pilot.press("ctrl+home", "a", "ctrl+end", "z", "ctrl+shift+home", "ctrl+end")
        await until(pilot, lambda: field(pilot, "insight").typed == "aOne.\nThree.z", "both ends are reached")


async def test_a_memory_that_is_added_outside_of_the_filter_is_told_with_the_key_that_shows_it(
    ferry: Vault, tmp_path: Path
) -> None:
    async with app_on(ferry, tmp_path).run_test(size=WIDE, notifications=True) as pilot:
        await holds(pilot, 5)
        await pilot.press("slash", *"refund", "enter")
        await holds(pilot, 2)
        await pilot.press("a")
        await form_opens(pilot)
        await rewrite(pilot, "insight", "The kiosk closes at nine.")
        await rewrite(pilot, "title", "The kiosk closes at nine")
        await pilot.press("ctrl+s")
        await form_closes(pilot)
        await says(pilot, "“The kiosk closes at nine” is outside the filter: esc clears it")
        await pilot.press("escape")
        await holds(pilot, 6)


async def test_a_long_title_is_wrapped_and_enter_leads_to_the_text(ferry: Vault, tmp_path: Path) -> None:
    words = "Sail times are kept in UTC because two quays lie in two zones and every timetable that was printed differs"
    async with app_on(ferry, tmp_path).run_test(size=NARROW) as pilot:
        await edit_second(pilot)
        await rewrite(pilot, "title", words)
        await until(pilot, lambda: field(pilot, "title").size.height == 2, "the field has two lines")
        text = " ".join(screen_text(pilot).replace("▎", " ").replace("▌", " ").split())
        assert "printed differs" in text
        await pilot.press("enter")
        await until(pilot, lambda: focused(pilot) == "edit-insight", "enter leads on")
        assert field(pilot, "title").typed == words
        await pilot.press("ctrl+s")
        await form_closes(pilot)
    assert stored(ferry, SAIL).title == words


async def test_tab_goes_from_the_title_to_the_texts_and_then_to_the_rest(ferry: Vault, tmp_path: Path) -> None:
    async with app_on(ferry, tmp_path).run_test(size=WIDE) as pilot:
        await edit_second(pilot)
        order = [focused(pilot)]
        for _ in range(5):
            await pilot.press("tab")
            order.append(focused(pilot))
    assert order == ["edit-title", "edit-insight", "edit-rationale", "edit-snippet", "edit-kind", "edit-tags"]


@pytest.mark.parametrize(("size", "least"), [(WIDE, 20), (NARROW, 8)])
async def test_the_insight_has_the_room_that_is_left_and_grows_in_sight(
    size: tuple[int, int], least: int, ferry: Vault, tmp_path: Path
) -> None:
    async with app_on(ferry, tmp_path).run_test(size=size) as pilot:
        await holds(pilot, 5)
        await pilot.press("a")
        await form_opens(pilot)
        insight = field(pilot, "insight")
        assert isinstance(insight, FormArea)
        await until(pilot, lambda: insight.size.height >= least, "an empty text has room")
        insight.post_message(events.Paste("\n".join(f"line {number}" for number in range(60))))
        await until(pilot, lambda: insight.size.height > least, "it grew")
        await pilot.press(*"the end")
        await shows(pilot, "the end")
        insight.move_cursor((0, 0))
        await shows(pilot, "line 0")


async def test_markdown_stands_out_and_the_length_is_told(ferry: Vault, tmp_path: Path) -> None:
    async with app_on(ferry, tmp_path).run_test(size=WIDE) as pilot:
        await holds(pilot, 5)
        await pilot.press("a")
        await form_opens(pilot)
        area = field(pilot, "insight")
        assert isinstance(area, FormArea)
        area.post_message(events.Paste("# Quays\n- see `tide()`\n```\nplain # text\n```\nend"))
        await until(pilot, lambda: area.text.endswith("end"), "it is pasted")
        styled = [[line.plain[span.start : span.end] for span in line.spans] for line in map(area.get_line, range(6))]
        assert styled == [["# Quays"], ["-", "`tide()`"], ["```"], ["plain # text"], ["```"], []]
        await shows(pilot, "47 characters · ")
        await shows(pilot, " tokens")
