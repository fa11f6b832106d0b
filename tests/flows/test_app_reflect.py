"""The Reflect screen: sources beside what is written, kept as its sources, one change, and no typed word lost."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from curating import everything
from flows.app_driver import (
    HOSTILE,
    NARROW,
    WIDE,
    app_on,
    browser,
    empty_vault,
    fill,
    focused,
    holds,
    hostile_memories,
    memory,
    says,
    screen_text,
    shows,
    stored,
    toasts,
    until,
    work_ends,
)
from flows.editing_driver import SECRET, candidate, form_closes, form_opens, inbox_opens, rewrite, waits
from textual import events
from textual.pilot import Pilot

from memtui.curate.memories import edit_memory
from memtui.domain.identity import Actor
from memtui.domain.memory import Anchor
from memtui.tui.browse.screen import BrowseScreen
from memtui.tui.edit.resembling import ResemblingAccess, SimilarOnSave
from memtui.tui.list_detail import MemtuiScreen
from memtui.tui.merge.screen import MergeScreen
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


OLD = memory(1, "The refund lock lives for 30 seconds", days=9, insight="The refund lock lives for 30 seconds")
OTHER = memory(2, "Deploys wait for the smoke test", days=5, insight="Deploys wait for the smoke test")


@pytest.fixture
def vault_resemblance(tmp_path: Path) -> Vault:
    vault_resemblance = empty_vault(tmp_path)
    fill(vault_resemblance, [OLD, OTHER])
    return vault_resemblance


async def add(pilot: Pilot[Any], text: str) -> None:
    await pilot.press("a")
    await form_opens(pilot)
    await rewrite(pilot, "insight", text)
    await rewrite(pilot, "project", "ferry")
    await pilot.press("ctrl+s")
    await form_closes(pilot)


def beside(pilot: Pilot[Any]) -> list[str]:
    screen = pilot.app.screen
    assert isinstance(screen, MemtuiScreen)
    (line,) = [part for part in screen.parts if isinstance(part, SimilarOnSave)]
    return [each.found.id for each in line.waiting]


def title_under_cursor(pilot: Pilot[Any]) -> str:
    row = browser(pilot)._list.current_row
    return row.title if row is not None else ""


async def tells(pilot: Pilot[Any], *ids: str) -> None:
    await until(pilot, lambda: beside(pilot) == list(ids), f"the line tells of {ids}")


async def test_a_save_tells_what_it_resembles_and_the_keys_settle_it(vault_resemblance: Vault, tmp_path: Path) -> None:
    async with app_on(vault_resemblance, tmp_path).run_test(size=WIDE) as pilot:
        await holds(pilot, 2)
        await pilot.press("X", "L", "O")
        assert not isinstance(pilot.app.screen, MergeScreen), "without the line its keys do nothing"
        await add(pilot, "The refund lock lives for 60 seconds")
        await tells(pilot, OLD.id)
        for part in (
            "the new one clashes with one in use",
            "new      The refund lock lives for [60] seconds",
            "in use   The refund lock lives for [30] seconds",
            "L link   X new replaces old   A keep both   O compare, merge   esc later",
        ):
            await shows(pilot, part)
        saved = everything(vault_resemblance)
        await pilot.press("j", "k")
        await tells(pilot, OLD.id)
        await pilot.press("X")
        await says(pilot, "Superseded: The refund lock lives for 30 seconds")
        assert stored(vault_resemblance, OLD.id).status == "superseded"
        await until(pilot, lambda: "clashes with" not in screen_text(pilot), "the question is gone")
        await pilot.press("u")
        await until(
            pilot, lambda: everything(vault_resemblance) == saved, "undo takes the supersession back and keeps the save"
        )


async def test_a_save_names_what_it_only_resembles(vault_resemblance: Vault, tmp_path: Path) -> None:
    async with app_on(vault_resemblance, tmp_path).run_test(size=WIDE) as pilot:
        await holds(pilot, 2)
        await add(pilot, "Deploys wait for the smoke test and for the tide")
        await says(pilot, "It resembles “Deploys wait for the smoke test”, which is in use")
        assert beside(pilot) == []


async def test_what_is_kept_both_is_not_suggested_by_tidy_until_that_is_undone_and_esc_leaves_it_open(
    vault_resemblance: Vault, tmp_path: Path
) -> None:
    async with app_on(vault_resemblance, tmp_path).run_test(size=NARROW) as pilot:
        await holds(pilot, 2)
        await add(pilot, "The refund lock lives for 60 seconds")
        await tells(pilot, OLD.id)
        await says(pilot, "Added")
        await shows(pilot, "in use   The refund lock lives for [30] seconds")
        await shows(pilot, "esc later")
        assert "esc back" not in screen_text(pilot), "esc means one thing"
        await pilot.press("A")
        await says(pilot, "This pair will not be suggested as a contradiction again")
        await tells(pilot)
        await pilot.press("T")
        await shows(pilot, "0 findings in 3 memories")
        assert "Contradictions" not in screen_text(pilot)
        await pilot.press("u")
        await shows(pilot, "Contradictions  1")
        await pilot.press("escape")
        await add(pilot, "The refund lock lives for 90 seconds")
        await until(pilot, lambda: bool(beside(pilot)), "another question")
        await pilot.press("escape")
        await tells(pilot)
        await pilot.press("T")
        await shows(pilot, "Contradictions  3")


async def test_the_question_stays_beside_a_look_and_other_acts_until_it_is_answered_or_moot(
    vault_resemblance: Vault, tmp_path: Path
) -> None:
    async with app_on(vault_resemblance, tmp_path).run_test(size=NARROW) as pilot:
        await holds(pilot, 2)
        await add(pilot, "The refund lock lives for 60 seconds")
        await tells(pilot, OLD.id)
        await pilot.press("O")
        await until(pilot, lambda: isinstance(pilot.app.screen, MergeScreen), "both stand side by side")
        await shows(pilot, "Result ─ ")
        await pilot.press("escape")
        await until(pilot, lambda: not isinstance(pilot.app.screen, MergeScreen), "esc goes back")
        await tells(pilot, OLD.id)
        await pilot.press("L")
        await says(pilot, "Linked with: The refund lock lives for 30 seconds")
        await tells(pilot)
        await add(pilot, "The refund lock lives for 90 seconds")
        await until(pilot, lambda: bool(beside(pilot)), "the line tells of another")
        await pilot.press("escape")
        await tells(pilot)
        assert "esc later" not in screen_text(pilot)
        await add(pilot, "The refund lock lives for 45 seconds")
        await until(pilot, lambda: bool(beside(pilot)), "the line tells again")
        await until(pilot, lambda: "45" in title_under_cursor(pilot), "the cursor is on what was added")
        await pilot.press("p")
        await says(pilot, "Pinned: The refund lock lives for 45 seconds")
        await shows(pilot, "esc later")
        await pilot.press("x")
        await says(pilot, "Retired: The refund lock lives for 45 seconds")
        await tells(pilot)


async def test_what_resembles_nothing_and_small_edits_are_silent(
    vault_resemblance: Vault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks: list[object] = []
    look = ResemblingAccess.beside

    def noted(*given: Any) -> Any:
        looks.append(given)
        return look(*given)

    monkeypatch.setattr(ResemblingAccess, "beside", noted)
    async with app_on(vault_resemblance, tmp_path).run_test(size=WIDE) as pilot:
        await holds(pilot, 2)
        asked = 0
        for name, text, found in (
            ("tags", "ci", []),
            ("insight", "Deploys wait for the smoke tests.", []),
            ("insight", "The refund lock lives for 75 seconds", [OLD.id]),
        ):
            await until(pilot, lambda: browser(pilot)._list.current == OTHER.id, "the cursor is on it")
            await pilot.press("e")
            await form_opens(pilot)
            await rewrite(pilot, name, text)
            if found:
                await rewrite(pilot, "title", text)
            asked = len(looks)
            await pilot.press("ctrl+s")
            await form_closes(pilot)
            await until(pilot, lambda past=asked: len(looks) > past, "it was looked at")  # type: ignore[misc] # bound now
            await work_ends(pilot)
            await tells(pilot, *found)


async def test_accepting_tells_it_too_one_after_the_other(tmp_path: Path) -> None:
    vault_resemblance = empty_vault(tmp_path)
    fill(
        vault_resemblance,
        [
            OLD,
            memory(2, "Sail times are in UTC", insight="Sail times are in UTC", days=8),
            candidate(
                3, "The refund lock lives for 60 seconds", insight="The refund lock lives for 60 seconds", days=2
            ),
            candidate(4, "Sail times are in local time", insight="Sail times are in local time", days=1),
        ],
    )
    async with app_on(vault_resemblance, tmp_path).run_test(size=WIDE) as pilot:
        await holds(pilot, 2)
        await pilot.press("b")
        await inbox_opens(pilot, 2)
        await pilot.press("a")
        await waits(pilot, 1)
        await until(pilot, lambda: len(beside(pilot)) == 1, "the first is told of")
        await pilot.press("a")
        await waits(pilot, 0)
        await until(pilot, lambda: len(beside(pilot)) == 2, "both are told of")
        await shows(pilot, "1 more after this")
        first, second = beside(pilot)
        await pilot.press("L")
        await tells(pilot, second)
        await pilot.press("X")
        await tells(pilot)
        await until(pilot, lambda: stored(vault_resemblance, second).status == "superseded", "the second is superseded")
        assert stored(vault_resemblance, first).status == "active"


async def test_accepting_many_asks_nothing_and_says_how_many_may_repeat(tmp_path: Path) -> None:
    vault_resemblance = empty_vault(tmp_path)
    lock = "The refund lock lives for 60 seconds"
    fill(vault_resemblance, [OLD, candidate(3, lock, insight=lock, days=2), candidate(4, "Sail at noon", days=1)])
    async with app_on(vault_resemblance, tmp_path).run_test(size=WIDE) as pilot:
        await holds(pilot, 1)
        await pilot.press("b")
        await inbox_opens(pilot, 2)
        await pilot.press("asterisk", "a")
        await says(pilot, "Accepted 2 memories. 1 may repeat a memory in use: T goes to Tidy")
        await tells(pilot)


async def test_hostile_titles_stay_text_in_the_line(tmp_path: Path) -> None:
    vault_resemblance = empty_vault(tmp_path)
    hostile = [text for text in HOSTILE[:-1] if len(text) > 5]
    fill(
        vault_resemblance,
        [
            memory(n, f"{text} lock", insight=f"{text}: the refund lock lives for 30 seconds")
            for n, text in enumerate(hostile)
        ],
    )
    async with app_on(vault_resemblance, tmp_path).run_test(size=NARROW) as pilot:
        await until(pilot, lambda: len(browser(pilot)._list.ids) == len(hostile), "the list is read")
        for text in hostile[:4]:
            await add(pilot, f"{text}: the refund lock lives for 60 seconds")
            await until(pilot, lambda: bool(beside(pilot)), f"the line tells of {text!r}")
            await shows(pilot, "esc later")
            strips = pilot.app.screen._compositor.render_strips()
            assert {strip.cell_length for strip in strips} == {NARROW[0]}
            assert not any(sign in screen_text(pilot) for sign in "\x1b\x07\u202e")
            await pilot.press("escape")
            await tells(pilot)
