"""The Reflect screen: sources beside what is written, kept as its sources, one change, and no typed word lost."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from curating import everything
from flows.app_driver import (
    NARROW,
    WIDE,
    app_on,
    browser,
    empty_vault,
    fill,
    focused,
    hostile_memories,
    memory,
    says,
    screen_text,
    shows,
    stored,
    toasts,
    until,
)
from flows.editing_driver import SECRET
from textual import events
from textual.pilot import Pilot

from memtui.curate.memories import edit_memory
from memtui.domain.identity import Actor
from memtui.domain.memory import Anchor
from memtui.tui.browse.screen import BrowseScreen
from memtui.tui.reflect.screen import ReflectScreen
from memtui.vault.vault import Vault

pytestmark = pytest.mark.usefixtures("isolated")

NOTES = (
    memory(1, "The lock was lost at noon", kind="note", days=1, tags=("lock",), anchors=(Anchor("pay/lock.py"),)),
    memory(2, "A slow refund outlives it", kind="lesson", days=2, tags=("refunds",), rationale="Seen twice."),
    memory(3, "Two workers paid one refund", kind="note", days=3, tags=("lock",)),
)
NAMES = [note.id for note in NOTES]


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    vault = empty_vault(tmp_path)
    fill(vault, NOTES)
    return vault


def reflecting(pilot: Pilot[Any]) -> ReflectScreen:
    screen = pilot.app.screen
    assert isinstance(screen, ReflectScreen)
    return screen


async def reflect_opens(pilot: Pilot[Any], *, marks: int) -> ReflectScreen:
    """Mark memories from the top and conclude from them."""
    await until(pilot, lambda: len(browser(pilot)._list.ids) >= marks, "the list is read")
    for _ in range(marks):
        await pilot.press("space")
    await until(pilot, lambda: len(browser(pilot)._list.marked) == marks, f"{marks} are marked")
    await pilot.press("C")
    return await stands(pilot)


async def test_letters_that_follow_at_once_are_text_and_run_no_act(vault: Vault, tmp_path: Path) -> None:
    async with app_on(vault, tmp_path).run_test(size=WIDE) as pilot:
        await until(pilot, lambda: len(browser(pilot)._list.ids) == 3, "the list is read")
        await pilot.press("space", "space")
        await until(pilot, lambda: len(browser(pilot)._list.marked) == 2, "two are marked")
        pilot.app.push_screen(ReflectScreen(browser(pilot).opening, NAMES[:2]))
        for key in "quit":
            pilot.app.post_message(events.Key(key, key))
        await stands(pilot)
        await until(pilot, lambda: typed(pilot, "insight") == "quit", "all of it is in the text")


async def stands(pilot: Pilot[Any]) -> ReflectScreen:
    await until(
        pilot,
        lambda: (
            isinstance(pilot.app.screen, ReflectScreen)
            and pilot.app.screen._sources is not None
            and focused(pilot) is not None
        ),
        "Reflect stands",
    )
    return reflecting(pilot)


def typed(pilot: Pilot[Any], name: str) -> str:
    return reflecting(pilot)._rows[name].field.typed


async def closes(pilot: Pilot[Any]) -> None:
    await until(pilot, lambda: isinstance(pilot.app.screen, BrowseScreen), "Reflect closes")


async def test_a_conclusion_is_written_beside_its_sources_and_undone_as_one(vault: Vault, tmp_path: Path) -> None:
    before = everything(vault)
    async with app_on(vault, tmp_path).run_test(size=WIDE) as pilot:
        await shows(pilot, "The lock was lost at noon")
        await pilot.press("C")
        await says(pilot, "Mark 2 to 20 notes or lessons with space first.")
        await reflect_opens(pilot, marks=3)
        for part in ("3 sources → one conclusion", "1 The lock was lost", "Seen twice.", "3 Two workers paid"):
            await shows(pilot, part)
        assert [typed(pilot, name) for name in ("insight", "kind", "tags", "anchors", "project", "retire")] == [
            "",
            "lesson",
            "lock, refunds",
            "pay/lock.py",
            "ferry",
            "no",
        ]
        await pilot.press(*"A lock outlives the slowest refund.", "ctrl+t")
        await shows(pilot, "unsaved")
        await pilot.press("ctrl+s")
        await says(pilot, "Concluded: A lock outlives the slowest refund (lesson; 3 sources retired)")
        await closes(pilot)
        await until(pilot, lambda: browser(pilot)._list.marked == [], "the marks are gone")
        await until(pilot, lambda: len(browser(pilot)._list.ids) == 1, "the sources left the list")
        (made,) = browser(pilot)._list.ids
        conclusion = stored(vault, made)
        assert (conclusion.kind, conclusion.tags, conclusion.project) == ("lesson", ("lock", "refunds"), "ferry")
        assert conclusion.anchors == (Anchor("pay/lock.py"),)
        assert {stored(vault, name).status_reason for name in NAMES} == {f"reflected in {made}"}
        await shows(pilot, "→ derived-from")
        after = everything(vault)
        await pilot.press("u")
        await says(pilot, "Undone: reflect 3 memories into A lock outlives")
        assert everything(vault) == before
        await pilot.press("ctrl+r")
        await says(pilot, "Redone")
        assert everything(vault) == after


async def test_what_is_typed_is_checked_kept_and_never_only_the_outline(vault: Vault, tmp_path: Path) -> None:
    async with app_on(vault, tmp_path).run_test(size=WIDE) as pilot:
        await reflect_opens(pilot, marks=2)
        await pilot.press("ctrl+s")
        await says(pilot, "Not saved: A memory needs a text.")
        await pilot.press("ctrl+l")
        await until(pilot, lambda: "- A slow refund outlives it" in typed(pilot, "insight"), "the outline is in")
        await pilot.press("ctrl+s")
        await says(pilot, "The text is still the outline of the sources")
        await pilot.press(*"So: renew.", "tab", "tab", "tab", *"x")
        await shows(pilot, "Unknown kind")
        await pilot.press("ctrl+s")
        await says(pilot, "Not saved: Unknown kind")
        await pilot.press("backspace", "escape")
        await says(pilot, "Not saved yet: ctrl+s saves.")
        await pilot.press("escape")
        await closes(pilot)
        assert len(browser(pilot)._list.marked) == 2, "left without a save, the marks stay"
        await pilot.press("q")
        await says(pilot, "Unsaved: 1 form.")
        await pilot.press("C")
        await stands(pilot)
        await says(pilot, "Draft restored")
        assert typed(pilot, "insight").endswith("outlives it\nSo: renew.")
        edit_memory(vault, NAMES[1], {"rationale": "Seen thrice."}, actor=Actor())
        await pilot.press("ctrl+s")
        await says(pilot, "This memory was changed since you read it")
        await shows(pilot, "Seen thrice.")
        await pilot.press("ctrl+s")
        await says(pilot, "Concluded: ")
        await closes(pilot)
        assert {stored(vault, name).status for name in NAMES} == {"active"}
        assert not getattr(pilot.app, "drafts", {})


async def test_a_secret_and_several_projects_are_decided_by_the_person(tmp_path: Path) -> None:
    vault = empty_vault(tmp_path)
    fill(vault, [NOTES[0], replace(NOTES[1], project="docks")])
    async with app_on(vault, tmp_path).run_test(size=NARROW) as pilot:
        await reflect_opens(pilot, marks=2)
        assert typed(pilot, "project") == ""
        await until(
            pilot,
            lambda: any("docks, ferry" in each.text for each in reflecting(pilot)._rows["project"].said),
            "it is said that a project is to be chosen",
        )
        await pilot.press(*f"The key is {SECRET}", "ctrl+s")
        await says(pilot, "Not saved: choose a project of docks, ferry, or global")
        await until(pilot, lambda: focused(pilot) == "edit-project", "the field that lacks a value is gone to")
        await pilot.press(*"docks", "ctrl+s")
        await says(pilot, "what looks like a secret")
        assert SECRET not in "\n".join(toasts(pilot))
        await pilot.press("ctrl+n")
        await says(pilot, "Concluded: ")
        await closes(pilot)
        assert [row for row in everything(vault).splitlines() if SECRET in row]


async def test_hostile_sources_stay_text_on_any_screen(tmp_path: Path) -> None:
    vault = empty_vault(tmp_path)
    fill(vault, hostile_memories()[:-1])
    for size in ((120, 40), (40, 15)):
        async with app_on(vault, tmp_path).run_test(size=size) as pilot:
            screen = await reflect_opens(pilot, marks=11)
            await until(pilot, lambda pane=screen._pane: bool(pane.plain_lines), "the sources are shown")  # type: ignore[misc] # bound now
            await pilot.press("ctrl+l", "ctrl+down", "ctrl+down", "ctrl+up")
            await until(pilot, lambda: "[/x] closes nothing" in typed(pilot, "insight"), "the outline is in")
            strips = pilot.app.screen._compositor.render_strips()
            assert {strip.cell_length for strip in strips} == {size[0]}
            assert not any(sign in screen_text(pilot) for sign in "\x1b\x07")
            assert "\u202e" not in "\n".join(screen._pane.plain_lines) + typed(pilot, "insight")


async def test_a_ripe_group_of_tidy_is_concluded_or_dismissed(tmp_path: Path) -> None:
    vault = empty_vault(tmp_path)
    anchors = (Anchor("pay/lock.py"),)
    fill(vault, [replace(note, tags=("lock",), anchors=anchors, verified_at=note.confirmed_at) for note in NOTES])
    before = everything(vault)
    async with app_on(vault, tmp_path).run_test(size=WIDE) as pilot:
        await shows(pilot, "The lock was lost at noon")
        await pilot.press("T")
        await shows(pilot, "Ripe for a conclusion  1")
        await shows(pilot, "pay/lock.py, #lock")
        await pilot.press("n")
        await says(pilot, "These will not be suggested for a conclusion again")
        await shows(pilot, "Nothing to tidy.")
        await pilot.press("u")
        await until(pilot, lambda: everything(vault) == before, "undone")
        await shows(pilot, "Ripe for a conclusion  1")
        await pilot.press("enter")
        await stands(pilot)
        await pilot.press(*"Renew it.", "ctrl+s")
        await says(pilot, "Concluded: Renew it")
        await shows(pilot, "Nothing to tidy.")
