"""Many at once in the app: chosen by a query or by marks, changed by one key, undone by one."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from flows.app_driver import (
    NOW,
    WIDE,
    app_on,
    browser,
    fill,
    holds,
    hostile_memories,
    memory,
    says,
    screen_text,
    shows,
    stored,
    until,
)
from textual.pilot import Pilot
from textual.widgets import TextArea

from memtui.curate.memories import edit_memory
from memtui.domain.identity import Actor
from memtui.domain.memory import Anchor, Memory
from memtui.errors import UsageError
from memtui.tui.browse.bulk import BulkAccess, BulkScreen
from memtui.tui.browse.screen import BrowseScreen
from memtui.tui.list_detail import MemtuiScreen
from memtui.tui.merge.screen import MergeScreen
from memtui.tui.state import Opening
from memtui.tui.vault_access import VaultAccess
from memtui.tui.widgets.form_fields import TextEditScreen
from memtui.vault.vault import Vault

pytestmark = pytest.mark.usefixtures("isolated")

MEMORIES = (
    memory(1, "Node 18 is the image", kind="tooling", days=300, tags=("node",)),
    memory(2, "The linter runs in a hook", kind="tooling", days=250),
    memory(3, "The registry mirror is slow", kind="tooling", days=2),
    memory(4, "Ships are tied up at the pier", kind="tooling", days=400, pinned=True),
    memory(5, "Refunds are locked", kind="lesson", days=300),
)
OLD = ("m0000001", "m0000002")


async def filters(pilot: Pilot[Any], query: str, *, rows: int) -> None:
    await pilot.press("slash", *("space" if sign == " " else sign for sign in query), "enter")
    await until(pilot, lambda: len(_browse(pilot)._list.ids) == rows, f"the filter lists {rows}")


def _browse(pilot: Pilot[Any]) -> BrowseScreen:
    found = pilot.app.screen_stack[0]
    assert isinstance(found, BrowseScreen)
    return found


async def opens(pilot: Pilot[Any], chosen: int) -> BulkScreen:
    await pilot.press("B")
    await until(pilot, lambda: isinstance(pilot.app.screen, BulkScreen), "many at once is open")
    screen = pilot.app.screen
    assert isinstance(screen, BulkScreen)
    await until(pilot, lambda: screen._chosen is not None and len(screen._ids) == chosen, f"{chosen} are chosen")
    return screen


def every(vault: Vault, field: str) -> list[Any]:
    return [getattr(stored(vault, identifier), field) for identifier in OLD]


def knows_the_newest(screen: BulkScreen, vault: Vault) -> bool:
    return screen._chosen is not None and dict(screen._chosen.versions) == dict(
        zip(OLD, every(vault, "version"), strict=True)
    )


def stands(vault: Vault, field: str, value: object) -> bool:
    return bool(every(vault, field)[1] == value)


async def test_files_of_all_that_is_chosen_are_changed_as_one_change(blank: Vault, tmp_path: Path) -> None:
    def paths() -> list[list[str]]:
        return [[anchor.path for anchor in anchors] for anchors in every(blank, "anchors")]

    fill(blank, MEMORIES)
    before = paths()
    async with app_on(blank, tmp_path, project="ferry").run_test(size=WIDE) as pilot:
        await holds(pilot, 5)
        await filters(pilot, "kind:tooling age>180d -pinned", rows=2)
        screen = await opens(pilot, 2)
        await pilot.press("F", *"quay/**, tides/*.py", "enter")
        await until(pilot, lambda: paths() == [[*one, "quay/**", "tides/*.py"] for one in before], "both are tied")
        await until(pilot, lambda: knows_the_newest(screen, blank), "they are read anew")
        await pilot.press("F", *"-quay/**", "enter")
        await until(pilot, lambda: paths() == [[*one, "tides/*.py"] for one in before], "one path is taken away")
        await until(pilot, lambda: not screen.acting, "no change is on its way")
        await pilot.press("u")
        await until(pilot, lambda: paths() == [[*one, "quay/**", "tides/*.py"] for one in before], "it is back")


def _tying(vault: Vault, folder: Path) -> BulkAccess:
    return BulkAccess(VaultAccess(Opening(vault=vault, folder=folder)))


@pytest.mark.parametrize("path", ["/etc/passwd", "../quay.py", "~/quay.py"])
def test_a_file_outside_the_project_is_tied_to_none_of_many(blank: Vault, tmp_path: Path, path: str) -> None:
    fill(blank, MEMORIES)
    with pytest.raises(UsageError, match="leads outside the project"):
        _tying(blank, tmp_path).retie(dict.fromkeys(OLD, 1), f"quay/**, {path}")
    assert every(blank, "anchors") == [(), ()]


def test_a_file_is_tied_to_no_memories_of_several_projects(blank: Vault, tmp_path: Path) -> None:
    (tmp_path / "quay.py").touch()
    fill(blank, (MEMORIES[0], replace(MEMORIES[1], project="harbour")))
    bulk = _tying(blank, tmp_path)
    with pytest.raises(UsageError, match="of several projects"):
        bulk.retie(dict.fromkeys(OLD, 1), "quay.py")
    assert bulk.retag(dict.fromkeys(OLD, 1), "old").changed


def test_a_glob_for_many_that_fits_no_file_is_told(blank: Vault, tmp_path: Path) -> None:
    fill(blank, (replace(MEMORIES[0], project=None), replace(MEMORIES[1], project=None)))
    (tmp_path / ".git").mkdir()
    told = _tying(blank, tmp_path).retie(dict.fromkeys(OLD, 1), "quay/**").message
    assert told.endswith("No file matches quay/**")


async def test_a_query_of_the_filter_chooses_and_one_key_changes_all_of_it_as_one_change(
    blank: Vault, tmp_path: Path
) -> None:
    fill(blank, MEMORIES)
    async with app_on(blank, tmp_path, project="ferry").run_test(size=WIDE) as pilot:
        await holds(pilot, 5)
        await pilot.press("B")
        await says(pilot, "Mark memories with space, or filter the list")
        await filters(pilot, "kind:tooling age>180d -pinned", rows=2)
        screen = await opens(pilot, 2)
        for part in ("2 memories by kind:tooling age>180d -pinned", "2 tooling", "Node 18 is the image"):
            await shows(pilot, part)
        await pilot.press("number_sign", *"old", "space", *"-node", "enter")
        await until(pilot, lambda: every(blank, "tags") == [("old",), ("old",)], "both are retagged")
        await pilot.press("h", *"30d", "enter")
        await until(pilot, lambda: every(blank, "half_life_days") == [30.0, 30.0], "both have a half-life")
        await pilot.press("t")
        await shows(pilot, "Kind of all of them")
        await pilot.press("3")
        await until(pilot, lambda: len(set(every(blank, "kind"))) == 1 and every(blank, "kind")[0] != "tooling", "kind")
        assert len(screen._ids) == 2, "they stay chosen though the query would not choose them any more"
        await pilot.press("Y")
        await until(pilot, lambda: all(every(blank, "verified_at")), "both are verified")
        await until(pilot, lambda: knows_the_newest(screen, blank), "they are read anew")
        await pilot.press("x")
        await until(pilot, lambda: every(blank, "status") == ["retired", "retired"], "both are retired")
        for field, value in (("status", "active"), ("verified_at", None), ("kind", "tooling")):
            await until(pilot, lambda: not screen.acting, "no change is on its way")
            await pilot.press("u")
            await until(pilot, partial(stands, blank, field, value), f"{field} is back")
        await pilot.press("u")
        await until(pilot, lambda: every(blank, "half_life_days") == [None, None], "the half-life is back")
        await pilot.press("u")
        await until(pilot, lambda: every(blank, "tags") == [("node",), ()], "the tags are back")
        await pilot.press("slash", "ctrl+u", *"kind:lesson", "enter")
        await until(pilot, lambda: screen._ids == ("m0000005",), "another query chooses another")
        await pilot.press("escape")
        await until(pilot, lambda: pilot.app.screen is _browse(pilot), "back in the list")


async def test_what_moved_meanwhile_is_left_alone_and_named(
    blank: Vault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from curating import PERSON

    from memtui.curate.memories import edit_memory

    fill(blank, MEMORIES)
    # As if the act came before the next look at the vault.
    monkeypatch.setattr(MemtuiScreen, "_poll_files", lambda _: None)
    async with app_on(blank, tmp_path, project="ferry").run_test(size=(80, 24)) as pilot:
        await holds(pilot, 5)
        await pilot.press("asterisk")
        screen = await opens(pilot, 5)
        edit_memory(blank, "m0000003", {"importance": 5}, actor=PERSON)
        await pilot.press("number_sign", *"seen", "enter")
        await until(pilot, lambda: "seen" in stored(blank, "m0000001").tags, "the others are changed")
        assert stored(blank, "m0000003").tags == ()
        await until(pilot, lambda: screen._bulk.left.number == 1 and not screen.acting, "one was left alone")
        await shows(pilot, "The last action skipped 1 memory")
        await shows(pilot, "The registry mirror is slow")
        await pilot.press("u")
        await until(pilot, lambda: stored(blank, "m0000001").tags == ("node",), "one undo takes all back")
        await pilot.press("escape")
        await until(pilot, lambda: pilot.app.screen is _browse(pilot), "back in the list")


async def test_a_query_that_cannot_be_read_says_why_and_the_help_says_how(blank: Vault, tmp_path: Path) -> None:
    fill(blank, [*(replace(known, id=f"x{known.id[1:]}") for known in MEMORIES), *hostile_memories()])
    async with app_on(blank, tmp_path).run_test(size=WIDE) as pilot:
        await pilot.press("slash", *"kind:toling")
        await shows(pilot, "Unknown kind")
        await shows(pilot, "Did you mean tooling?")
        assert browser(pilot)._list.ids == (), "nothing is listed that was not asked for"
        await pilot.press("escape", "escape")
        await filters(pilot, "status:any kind:tooling age>180d", rows=3)
        await pilot.press("question_mark", *"freshness")
        await shows(pilot, "fresh<0.5, freshness from 0 to 1")
        await pilot.press("escape", "escape")
        await pilot.press("asterisk")
        screen = await opens(pilot, len(_browse(pilot)._list.ids))
        for size in ((40, 15), (200, 60)):
            await pilot.resize_terminal(*size)
            await pilot.press("G", "tab", "g")
            await until(pilot, lambda: screen.focused is not None, "a pane is focused")
            assert "\x1b" not in screen_text(pilot)
        await pilot.press("slash", "ctrl+u", *"kind:", "enter")
        await says(pilot, "A value is missing")


LOCKS = (
    memory(1, "Lock refunds", days=1, insight="Lock key is payment_id, TTL 30 s", tags=("lock",), pinned=True),
    memory(2, "Refund lock", days=2, insight="Lock key is payment_id, TTL 60 s", anchors=(Anchor("pay/lock.py"),)),
    memory(3, "Use a lock", days=3, insight="Use a lock for refunds", rationale="Double charge.", tags=("pay",)),
)


async def merge_opens(pilot: Pilot[Any], *, marks: int) -> None:
    for _ in range(marks):
        await pilot.press("space")
    await until(pilot, lambda: len(browser(pilot)._list.marked) == marks, f"{marks} are marked")
    await pilot.press("m")
    await until(pilot, lambda: isinstance(pilot.app.screen, MergeScreen), "Merge is open")
    await shows(pilot, "Result ─ ")
    await until(pilot, lambda: "tokens (was" in screen_text(pilot), "the result is worked out")


async def merge_closes(pilot: Pilot[Any]) -> None:
    await until(pilot, lambda: isinstance(pilot.app.screen, BrowseScreen), "Merge is closed")


async def test_three_locks_become_one_and_three_again(blank: Vault, tmp_path: Path) -> None:
    fill(blank, LOCKS)
    before = [stored(blank, each.id) for each in LOCKS]
    async with app_on(blank, tmp_path, project="ferry").run_test(size=WIDE) as pilot:
        await holds(pilot, 3)
        await pilot.press("m")
        await says(pilot, "Mark 2 to 8 memories with space first.")
        await merge_opens(pilot, marks=3)
        text = screen_text(pilot)
        for part in (
            "Merge   3 memories",
            "field 1 of 3: Title",
            "✓ A  typed",
            "accepted 1 d ago",
            "! numbers differ: 30 s / 60 s",
        ):
            assert part in text
        assert re.search(r"3 texts +→ A  ", text)
        await pilot.press("j")
        await shows(pilot, "TTL [30] s")
        await shows(pilot, "TTL [60] s")
        await pilot.press("2")
        await shows(pilot, "✓ B  typed")
        await pilot.press("left", "left", "left")
        await shows(pilot, "→ A  ")
        await pilot.press("right", "right", "right", "right")
        await shows(pilot, "→ C  ")
        await pilot.press("b")
        await shows(pilot, "→ A + B + C")
        await pilot.press("e")
        await until(pilot, lambda: isinstance(pilot.app.screen, TextEditScreen), "the text can be written")
        pilot.app.screen.query_one(TextArea).load_text("Lock by payment_id for 30 s.")
        await pilot.press("ctrl+s")
        await shows(pilot, "→ written")
        await shows(pilot, "it applies to all files, as one of the originals did")
        await pilot.press("k", "b")
        await says(pilot, "A memory has one title")
        await pilot.press("3", "enter")
        await merge_closes(pilot)
        await holds(pilot, 1)
        merged = stored(blank, "m0000001")
        assert (merged.title, merged.insight) == ("Use a lock", "Lock by payment_id for 30 s.")
        assert (merged.rationale, merged.tags, merged.pinned) == ("Double charge.", ("lock", "pay"), True)
        assert [stored(blank, each.id).status for each in LOCKS[1:]] == ["merged", "merged"]
        await pilot.press("u")
        await holds(pilot, 3)
        after = [stored(blank, each.id) for each in LOCKS]
        assert [_plain(each) for each in after] == [_plain(each) for each in before]


def _plain(each: Memory) -> Memory:
    """Return a memory without what an undo counts on."""
    return replace(each, version=0, updated_at=NOW)


async def test_a_memory_that_moved_meanwhile_is_shown_again_and_nothing_is_merged(blank: Vault, tmp_path: Path) -> None:
    assert LOCKS[0].kind != "note"
    fill(blank, (LOCKS[0], replace(LOCKS[1], kind="note")))
    async with app_on(blank, tmp_path).run_test(size=WIDE) as pilot:
        await holds(pilot, 2)
        await merge_opens(pilot, marks=2)
        await shows(pilot, f"→ A  {LOCKS[0].kind}")
        edit_memory(blank, "m0000002", {"insight": "Lock key is payment_id, TTL 90 s"}, actor=Actor())
        await pilot.press("enter")
        await says(pilot, "This memory was changed since you read it")
        await pilot.press("j")
        await shows(pilot, "TTL [90] s")
        assert stored(blank, "m0000002").status == "active"
        await pilot.press("c", "u")
        await says(pilot, "Finish the merge first")
        await pilot.press("escape")
        await merge_closes(pilot)


async def test_of_two_projects_the_person_says_which_and_equal_texts_are_no_question(
    blank: Vault, tmp_path: Path
) -> None:
    twin = replace(LOCKS[0], id="m0000009", project="quay", pinned=True)
    fill(blank, [LOCKS[0], twin])
    async with app_on(blank, tmp_path).run_test(size=WIDE) as pilot:
        await holds(pilot, 2)
        await merge_opens(pilot, marks=2)
        await pilot.press("b")
        await pilot.press("enter")
        await shows(pilot, "It belongs to")
        await pilot.press("2")
        await merge_closes(pilot)
        await holds(pilot, 1)
        pair = [stored(blank, each) for each in ("m0000001", "m0000009")]
        assert [each.project for each in pair if each.status == "active"] == ["quay"]


async def test_hostile_texts_and_eight_memories_fit_at_every_size(blank: Vault, tmp_path: Path) -> None:
    fill(blank, [replace(each, kind="note") for each in hostile_memories()[-8:]])
    async with app_on(blank, tmp_path).run_test(size=(80, 24)) as pilot:
        await holds(pilot, 8)
        await merge_opens(pilot, marks=8)
        for width, height in ((40, 15), (250, 60)):
            await pilot.resize_terminal(width, height)
            for key in ("j", "right", "b", "8", "k"):
                await pilot.press(key)
                await pilot.pause()
                text = screen_text(pilot)
                assert "\x1b" not in text
                assert text.split("\n")[1].strip()[-1:] == "╮"
        await pilot.press("enter")
        await merge_closes(pilot)
        await holds(pilot, 1)


async def test_an_arrow_takes_the_text_on_its_side_whichever_was_to_come_first(blank: Vault, tmp_path: Path) -> None:
    shorter, longer = "Ropes are stored dry.", "Ropes are stored dry, and hung up. Wet ones rot within a month."
    fill(blank, [memory(1, "Ropes", insight=shorter), memory(2, "Ropes", days=2, insight=longer)])
    async with app_on(blank, tmp_path, project="ferry").run_test(size=(80, 24)) as pilot:
        await holds(pilot, 2)
        await merge_opens(pilot, marks=2)
        screen = pilot.app.screen
        assert isinstance(screen, MergeScreen)
        for proposed in ((0, 1), (1, 0)):
            screen._taken["insight"] = proposed
            await pilot.press("right")
            await shows(pilot, "✓ B  typed")
            await pilot.press("right")
            assert screen._taken["insight"] == (1,), "nothing is further to the right"
            screen._taken["insight"] = proposed
            await pilot.press("left", "left")
            assert screen._taken["insight"] == (0,)
        await pilot.press("right", "enter")
        await merge_closes(pilot)
        assert stored(blank, "m0000001").insight == longer
