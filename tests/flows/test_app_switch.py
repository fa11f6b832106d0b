"""Switching the project: what every screen is about, wherever memtui was started."""

from __future__ import annotations

import subprocess
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from flows.app_driver import (
    NARROW,
    WIDE,
    RecordingApp,
    app_on,
    browser,
    fill,
    holds,
    memory,
    says,
    screen_lines,
    screen_text,
    shows,
    stored,
    toasts,
    until,
    work_ends,
)
from flows.test_app_facets import choose
from textual.pilot import Pilot
from textual.widgets import OptionList

from memtui.curate.projects import project_for_writing
from memtui.domain.memory import Anchor, Source
from memtui.tui.browse.queries import ListQueries
from memtui.tui.browse.screen import BrowseScreen
from memtui.tui.screens.dialogs import ChoiceScreen
from memtui.tui.state import NO_FOLDER, Opening
from memtui.tui.switching import opening_for
from memtui.tui.values import Listing
from memtui.vault.vault import Vault

pytestmark = pytest.mark.usefixtures("isolated")

HEADS = ("browse", "inbox", "tidy", "publish", "import", "context", "review", "health", "lab", "assistants")
"""Screens that name the project in their head."""


def repository(folder: Path, remote: str) -> Path:
    """Return a little repository with a rule file."""
    folder.mkdir()
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    subprocess.run(["git", "-C", str(folder), "remote", "add", "origin", remote], check=True)
    (folder / "CLAUDE.md").write_text(f"# Rules of {folder.name}\n\n- Ring the bell of {folder.name}.\n", "utf-8")
    return folder


@pytest.fixture
def here(tmp_path: Path) -> Path:
    return repository(tmp_path / "one", "git@example.org:harbour/ferry.git")


@pytest.fixture
def there(tmp_path: Path) -> Path:
    return repository(tmp_path / "two", "git@example.org:harbour/quay.git")


@pytest.fixture
def both(blank: Vault, here: Path, there: Path) -> Vault:
    """A vault with memories of two repositories, and of a project whose folder nobody knows."""
    fill(
        blank,
        [
            memory(1, "Sail at noon"),
            memory(2, "Moor to starboard", project="quay"),
            memory(3, "Paint the bollards", project="quay"),
            memory(4, "Weigh the crane", project="quay", status="candidate", sources=(Source(format="claude-md"),)),
            memory(5, "Dredge in May", project="canal"),
            memory(6, "Weigh the bell", status="candidate"),
        ],
    )
    with blank.write(actor="person", action="add") as writer:
        assert [project_for_writing(writer, folder, None) for folder in (here, there)] == ["ferry", "quay"]
    return blank


async def switch(pilot: Pilot[Any], name: str) -> None:
    """Choose a project with the key that every screen has."""
    await pilot.press("at")
    await until(pilot, lambda: isinstance(pilot.app.screen, ChoiceScreen), "the projects are listed")
    choices = pilot.app.screen._choices  # type: ignore[attr-defined] # the dialog's own
    number = next(place for place, (project, _) in enumerate(choices, 1) if project == name)
    before = browser(pilot)
    await pilot.press(str(number))
    await until(pilot, lambda: not isinstance(pilot.app.screen, ChoiceScreen), "it was chosen")
    await until(pilot, lambda: browser(pilot) is not before, "the first screen is another")
    await until(pilot, lambda: before.is_attached is False, "the old one is gone")


async def go(pilot: Pilot[Any], area: str) -> None:
    await pilot.app.run_action(f"go('{area}')")
    await until(pilot, lambda: getattr(pilot.app.screen, "AREA", "") == area, f"{area} is open")


def head(pilot: Pilot[Any]) -> str:
    return next(iter(screen_lines(pilot)), "")


async def test_every_screen_is_about_the_project_that_was_switched_to(both: Vault, here: Path, there: Path) -> None:
    async with app_on(both, here).run_test(size=WIDE) as pilot:
        await holds(pilot, 1)
        await switch(pilot, "quay")
        await holds(pilot, 2)
        await says(pilot, f"Every screen now shows quay, in {there}")
        for area in HEADS:
            await go(pilot, area)
            await until(pilot, lambda: "   quay " in head(pilot), f"the head of {area} names it")
            assert "ferry" not in head(pilot)
        await go(pilot, "inbox")
        await shows(pilot, "Weigh the crane")
        await pilot.press("j", "a")
        await until(pilot, lambda: stored(both, "m0000004").status == "active", "it is accepted")
        await switch(pilot, "ferry")
        await holds(pilot, 1)
        assert pilot.app.opening.folder == here  # type: ignore[attr-defined] # memtui's own app
        await until(pilot, lambda: getattr(pilot.app.screen, "AREA", "") == "inbox", "the screen is the one before")
        await pilot.press("u")
        await until(pilot, lambda: stored(both, "m0000004").status == "candidate", "the last change is undone")
        await says(pilot, "; it was in quay, not shown here")
        await go(pilot, "browse")
        await pilot.press("ctrl+r")
        await until(pilot, lambda: stored(both, "m0000004").status == "active", "it is made again")
        await says(pilot, "Redone")
        await work_ends(pilot)
        assert not any("@ switches" in text for text in toasts(pilot)), "nothing covers what was done"

        both.made.clear()  # As after a restart
        await pilot.press("u")
        await says(pilot, "u again undoes the change made in quay, not shown here, on ")
        assert stored(both, "m0000004").status == "active", "it is asked"
        await pilot.press("u")
        await until(pilot, lambda: stored(both, "m0000004").status == "candidate", "it is undone")
        assert not pilot.app.screen.again.words, "what was answered is asked no longer"  # type: ignore[attr-defined] # a screen of memtui

        both.made.clear()
        await pilot.press("ctrl+r")
        await says(pilot, "ctrl+r again redoes the change made in quay, not shown here, on ")
        assert stored(both, "m0000004").status == "candidate", "it is asked"
        await pilot.press("ctrl+r")
        await until(pilot, lambda: stored(both, "m0000004").status == "active", "it is made again")


async def test_the_list_of_a_project_is_as_it_was_left_when_the_project_comes_back(both: Vault, here: Path) -> None:
    async with app_on(both, here).run_test(size=WIDE) as pilot:
        await holds(pilot, 1)
        await switch(pilot, "quay")
        await holds(pilot, 2)
        await pilot.press("slash", *"bollards", "enter")
        await holds(pilot, 1)
        await switch(pilot, "ferry")
        await shows(pilot, "Sail at noon")
        assert "bollards" not in screen_text(pilot)
        await switch(pilot, "quay")
        await shows(pilot, "Paint the bollards")
        await holds(pilot, 1)
        assert browser(pilot).typed == "bollards"


async def test_what_is_published_and_imported_after_a_switch_is_of_the_other_folder(
    both: Vault, here: Path, there: Path
) -> None:
    async with app_on(both, here).run_test(size=WIDE) as pilot:
        await holds(pilot, 1)
        await switch(pilot, "quay")
        await go(pilot, "import")
        await shows(pilot, "Ring the bell of two")
        assert "Ring the bell of one" not in screen_text(pilot)
        await pilot.press("I")
        await shows(pilot, "Imported")
        await pilot.press("escape")
        await go(pilot, "publish")
        await shows(pilot, "Codex")
        await pilot.press("j", "p")
        await says(pilot, "Published to AGENTS.md")
        assert "Moor to starboard" in (there / "AGENTS.md").read_text("utf-8")
        assert not (here / "AGENTS.md").exists()
        await pilot.press("escape", "a")
        await until(pilot, lambda: getattr(pilot.app.screen, "AREA", "") == "edit", "the form is open")
        await pilot.press(*"Oil the winch", "ctrl+s")
        await says(pilot, "project quay")


async def test_the_facet_switches_by_the_key_in_its_footer_and_choosing_there_says_that_it_only_filters(
    both: Vault, here: Path
) -> None:
    async with app_on(both, here).run_test(size=(160, 40)) as pilot:
        await holds(pilot, 1)
        await choose(pilot, "project", "quay")
        await holds(pilot, 2)
        await shows(pilot, "the project is still ferry: @ switches")
        await shows(pilot, "@ switch to it")
        assert "   ferry " in head(pilot)
        before = browser(pilot)
        await pilot.press("at")
        await until(pilot, lambda: browser(pilot) is not before, "it was switched")
        await until(pilot, lambda: "   quay " in head(pilot), "the head names it")
        await holds(pilot, 2)
        assert "still" not in screen_text(pilot)


async def test_a_query_that_names_another_project_says_whose_memories_it_lists(both: Vault, here: Path) -> None:
    async with app_on(both, here).run_test(size=NARROW) as pilot:
        await holds(pilot, 1)
        await pilot.press("slash", *"project:quay", "enter")
        await holds(pilot, 2)
        await shows(pilot, "the project is still ferry: @ switches")
        await until(pilot, lambda: browser(pilot)._list.show_projects, "each row names its project")


async def test_a_listed_project_is_the_first_choice(both: Vault, here: Path) -> None:
    async with app_on(both, here).run_test(size=(160, 40)) as pilot:
        await holds(pilot, 1)
        await choose(pilot, "project", "quay")
        await holds(pilot, 2)
        await pilot.press("escape", "at")
        await until(pilot, lambda: isinstance(pilot.app.screen, ChoiceScreen), "the projects are listed")
        await shows(pilot, "Switch project")
        await pilot.press("enter")
        await until(pilot, lambda: "   quay " in head(pilot), "it was switched")


async def test_without_a_known_folder_no_screen_uses_that_of_the_project_before(both: Vault, here: Path) -> None:
    async with app_on(both, here).run_test(size=WIDE) as pilot:
        await holds(pilot, 1)
        await switch(pilot, "canal")
        await holds(pilot, 1)
        await says(pilot, "The folder of canal is unknown: start memtui in it once")
        await pilot.press("W")
        await says(pilot, "Publish writes into a project's folder. The folder of canal is unknown")
        assert isinstance(pilot.app.screen, BrowseScreen)
        for area in ("import", "context", "assistants", "inbox", "tidy", "health", "capture"):
            await go(pilot, area)
            await pilot.pause(0.2)
            assert "Ring the bell" not in screen_text(pilot)
            assert "ferry" not in head(pilot)
        await go(pilot, "import")
        await shows(pilot, "memtui project link canal FOLDER")
        assert not (here / "AGENTS.md").exists()


async def test_all_projects_can_be_chosen_and_left_again(both: Vault, here: Path) -> None:
    async with app_on(both, here).run_test(size=WIDE) as pilot:
        await holds(pilot, 1)
        await switch(pilot, "(all projects)")
        await holds(pilot, 4)
        await until(pilot, lambda: "all projects" in head(pilot), "the head says so")
        await pilot.press("W")
        await says(pilot, "All projects are shown: @ switches to one of them.")
        await go(pilot, "inbox")
        await shows(pilot, "Weigh the crane")
        await shows(pilot, "Weigh the bell")
        await switch(pilot, "ferry")
        await until(pilot, lambda: getattr(pilot.app.screen, "AREA", "") == "inbox", "it is the inbox of that project")
        await until(pilot, lambda: "   ferry " in head(pilot), "the head names it")
        await shows(pilot, "Weigh the bell")
        assert "Weigh the crane" not in screen_text(pilot)
        await pilot.press("escape")
        await holds(pilot, 1)


async def test_the_files_of_another_project_are_looked_at_where_it_lies(both: Vault, here: Path, there: Path) -> None:
    fill(both, [memory(9, "Splice the hawser", project="quay", anchors=(Anchor("CLAUDE.md"), Anchor("gone/rope.py")))])
    (there / "gone").mkdir()
    async with app_on(both, here).run_test(size=WIDE) as pilot:
        await holds(pilot, 1)
        await pilot.press("slash", *"project:quay hawser", "enter")
        await shows(pilot, "Splice the hawser")
        await shows(pilot, "rope.py  gone")
        found = browser(pilot).access.place("m0000009")
        assert found.path == there / "CLAUDE.md"


async def test_what_is_typed_is_not_lost_as_a_form_has_to_be_left_first(both: Vault, here: Path) -> None:
    async with app_on(both, here).run_test(size=WIDE) as pilot:
        await holds(pilot, 1)
        await pilot.press("a")
        await until(pilot, lambda: not getattr(pilot.app.screen, "is_opening", True), "the form is open")
        await pilot.press(*"Grease the ramp")
        await go(pilot, "inbox")
        await pilot.press("at")
        await says(pilot, "Save or leave what you are editing first.")
        await pilot.press("escape")
        await shows(pilot, "Grease the ramp")


async def test_a_task_that_was_typed_is_there_again_when_its_project_is(both: Vault, here: Path) -> None:
    async with app_on(both, here).run_test(size=WIDE) as pilot:
        await holds(pilot, 1)
        await go(pilot, "context")
        await pilot.press(*"sail at noon", "enter")
        await switch(pilot, "quay")
        await go(pilot, "context")
        await until(pilot, lambda: "   quay " in head(pilot), "it is about the other project")
        assert "sail at noon" not in screen_text(pilot)
        await pilot.press("enter", "at")
        await until(pilot, lambda: isinstance(pilot.app.screen, ChoiceScreen), "the projects are listed")
        chosen = pilot.app.screen.query_one(OptionList)
        names = [name for name, _ in pilot.app.screen._choices]  # type: ignore[attr-defined] # the dialog's own
        assert names[chosen.highlighted or 0] == "quay", "the one in view is the first choice"
        await pilot.press(*"fer")
        await until(pilot, lambda: names[chosen.highlighted or 0] == "ferry", "letters go to a name")
        before = browser(pilot)
        await pilot.press("enter")
        await until(pilot, lambda: browser(pilot) is not before, "the first screen is another")
        await go(pilot, "context")
        await shows(pilot, "sail at noon")


async def test_nothing_is_switched_while_a_change_is_made(
    both: Vault, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = threading.Event()
    retire = "memtui.curate.lifecycle.retire"
    from memtui.curate import lifecycle

    original = lifecycle.retire
    monkeypatch.setattr(retire, lambda *args, **values: (gate.wait(10), original(*args, **values))[1])
    async with app_on(both, here).run_test(size=WIDE) as pilot:
        await holds(pilot, 1)
        await pilot.press("x", "at")
        await says(pilot, "A change is being made: switch once it is stored.")
        gate.set()
        await until(pilot, lambda: stored(both, "m0000001").status == "retired", "it is retired")
        await until(pilot, lambda: not browser(pilot).acting, "the screen knows")
        await switch(pilot, "quay")


async def test_a_late_answer_of_the_project_before_lands_nowhere(
    both: Vault, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate, asked = threading.Event(), threading.Event()
    load = ListQueries.load

    def slow(self: ListQueries, *args: Any, **values: Any) -> Listing:
        found = load(self, *args, **values)
        if self._opening.folder == here and asked.is_set():
            gate.wait(10)
        return found

    monkeypatch.setattr(ListQueries, "load", slow)
    app = app_on(both, here)
    async with app.run_test(size=WIDE) as pilot:
        await holds(pilot, 1)
        asked.set()
        browser(pilot).lists.reload()
        await switch(pilot, "quay")
        await holds(pilot, 2)
        said = len(app.said)
        gate.set()
        await pilot.pause(0.3)
        await holds(pilot, 2)
        assert "   quay " in head(pilot)
        assert app.said[said:] == []
        assert app.return_code is None


async def test_the_next_start_opens_by_the_folder(both: Vault, here: Path, tmp_path: Path) -> None:
    state = tmp_path / "state" / "app.json"
    async with app_on(both, here, state_path=state).run_test(size=WIDE) as pilot:
        await holds(pilot, 1)
        await switch(pilot, "quay")
        await holds(pilot, 2)
        await pilot.press("q")
    async with app_on(both, here, state_path=state).run_test(size=WIDE) as pilot:
        await holds(pilot, 1)
        assert "   ferry " in head(pilot)


async def test_the_way_to_a_folder_is_noted_while_the_app_is_open(
    blank: Vault, here: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(blank, [memory(1, "Sail at noon")])
    with blank.write(actor="person", action="add") as writer:
        project_for_writing(writer, here, None)
        writer.delete_unjournaled("project_identities", "identity", [f"folder:{here}"])
    start = Opening(vault=blank, folder=tmp_path)
    assert opening_for(start, "ferry").folder == NO_FOLDER
    monkeypatch.setattr("memtui.tui.app.NOTE_SECONDS", 0.01)
    async with RecordingApp(replace(start, folder=here, state_path=tmp_path / "s.json")).run_test() as pilot:
        await until(pilot, lambda: opening_for(start, "ferry").folder == here, "it is noted")


def test_what_the_app_was_started_with_comes_back_as_it_was(both: Vault, here: Path, tmp_path: Path) -> None:
    (here / "deep").mkdir()
    start = Opening(vault=both, folder=here / "deep", most=5)
    quay = opening_for(start, "quay")
    assert (quay.folder.name, quay.project, quay.most) == ("two", None, 5)
    assert opening_for(start, "ferry") is start
    named = Opening(vault=both, folder=tmp_path, project="canal")
    assert opening_for(named, "canal") is named
    assert opening_for(start, "canal").project == "canal"
    outside = Opening(vault=both, folder=tmp_path)
    assert opening_for(outside, None) is outside
    assert opening_for(start, None).has_folder is False


async def test_a_project_has_one_name_on_the_first_screen_and_on_every_other(
    blank: Vault, here: Path, tmp_path: Path
) -> None:
    async with app_on(blank, here, state_path=tmp_path / "s.json").run_test(size=WIDE) as pilot:
        await until(pilot, lambda: head(pilot).startswith(" memtui  Welcome   ferry "), "Welcome names it")
        await pilot.press("escape")
        for area in HEADS:
            await go(pilot, area)
            await until(pilot, lambda: "   ferry " in head(pilot), f"{area} names it")
