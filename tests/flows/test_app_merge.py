"""The Merge screen: memories side by side, field by field, previewed, made as one change and taken apart."""

from __future__ import annotations

from dataclasses import replace
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
from memtui.tui.browse.screen import BrowseScreen
from memtui.tui.merge.screen import MergeScreen
from memtui.tui.widgets.form_fields import TextEditScreen
from memtui.vault.vault import Vault

pytestmark = pytest.mark.usefixtures("isolated")

LOCKS = (
    memory(1, "Lock refunds", days=1, insight="Lock key is payment_id, TTL 30 s", tags=("lock",), pinned=True),
    memory(2, "Refund lock", days=2, insight="Lock key is payment_id, TTL 60 s", anchors=(Anchor("pay/lock.py"),)),
    memory(3, "Use a lock", days=3, insight="Use a lock for refunds", rationale="Double charge.", tags=("pay",)),
)


def merger(pilot: Pilot[Any]) -> MergeScreen:
    screen = pilot.app.screen
    assert isinstance(screen, MergeScreen)
    return screen


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
        await says(pilot, "Mark two to 8 memories with space first.")
        await merge_opens(pilot, marks=3)
        text = screen_text(pilot)
        for part in (
            "Merge 3 memories",
            "field 1 of 3: Title",
            "✓ A  typed · accepted",
            "! numbers differ: 30 s / 60 s",
        ):
            assert part in text
        await pilot.press("j")
        await shows(pilot, "TTL [30] s")
        await shows(pilot, "TTL [60] s")
        await pilot.press("2")
        await shows(pilot, "✓ B  typed")
        await pilot.press("left")
        await shows(pilot, "✓ A  typed")
        await pilot.press("right", "b")
        await until(pilot, lambda: merger(pilot)._word("insight") == "→ A + B + C", "all are kept")
        await pilot.press("e")
        await until(pilot, lambda: isinstance(pilot.app.screen, TextEditScreen), "the text can be written")
        pilot.app.screen.query_one(TextArea).load_text("Lock by payment_id for 30 s.")
        await pilot.press("ctrl+s")
        await shows(pilot, "→ written")
        await shows(pilot, "pay/lock.py")
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
    fill(blank, LOCKS[:2])
    async with app_on(blank, tmp_path).run_test(size=WIDE) as pilot:
        await holds(pilot, 2)
        await merge_opens(pilot, marks=2)
        edit_memory(blank, "m0000002", {"insight": "Lock key is payment_id, TTL 90 s"}, actor=Actor())
        await pilot.press("enter")
        await says(pilot, "This memory was changed since you read it")
        await pilot.press("j")
        await shows(pilot, "TTL [90] s")
        assert stored(blank, "m0000002").status == "active"
        await pilot.press("c", "u")
        await says(pilot, "The merge comes first")
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
        for width, height in ((40, 15), (250, 60), (80, 24)):
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
