"""The Packs screen driven by keys: what was copied is found again, and a word on it moves the ranking."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

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
    hostile_memories,
    memory,
    says,
    screen_lines,
    screen_text,
    shows,
    toasts,
    until,
)
from flows.context_driver import TASK, answered, context_screen, fake_tmux
from flows.packs_driver import open_packs, reads, says_of, use
from rich.cells import cell_len
from textual.pilot import Pilot
from textual.screen import Screen

from memtui.curate import lifecycle
from memtui.curate.packs import feedback_on, verdicts_on
from memtui.domain.identity import Actor
from memtui.pack.recipes import get_pack, list_packs, payload_hash
from memtui.tui.app import MemtuiApp
from memtui.tui.history.screen import HistoryScreen
from memtui.tui.packs.screen import PacksScreen
from memtui.tui.packs.view import pack_cells
from memtui.vault.packs import StoredPack
from memtui.vault.purge import purge_memories
from memtui.vault.vault import Vault

pytestmark = pytest.mark.usefixtures("isolated")

LOCK = "m0000001"
posix_only = pytest.mark.skipif(os.name != "posix", reason="fake programs are shell scripts")


def _told(pilot: Pilot[Any], pattern: str) -> bool:
    return any(re.search(pattern, toast) for toast in toasts(pilot))


def _is_at(pilot: Pilot[Any], kind: type[Screen[Any]]) -> bool:
    return isinstance(pilot.app.screen, kind)


async def test_a_word_on_a_pack_moves_its_memories_and_undo_takes_it_back(ferry: Vault, tmp_path: Path) -> None:
    old = use(ferry, "lock refunds by payment_id, sail times are in UTC", at=NOW - timedelta(days=9))
    new = use(ferry, "sail times")
    members = len(get_pack(ferry, old).members)
    assert members > 1
    async with app_on(ferry, tmp_path, project="ferry").run_test(size=WIDE) as pilot:
        screen = await open_packs(pilot, 2)
        assert [row.id for row in screen._list.rows] == [old, new], "what awaits an answer stands first"
        await shows(pilot, "1 pack waits for feedback")
        assert f"{members} mem" in [cell.text for cell in pack_cells(screen._list.rows[0], 80)], "no minutes"
        await reads(pilot, old)
        await pilot.press("x")
        await until(
            pilot, lambda: _told(pilot, r"Hurt: usefulness of “.+” 1\.0\d → 0\.\d\d, “"), "before → after is told"
        )
        await says_of(pilot, old, "hurt")
        assert set(feedback_on(ferry, [get_pack(ferry, old)])[old]) == {"hurt"}
        assert screen._list.current is not None
        assert screen._list.current.id == old, "the cursor stays on its pack"
        await pilot.press("u")
        await says(pilot, "Undone: feedback hurt")
        await says_of(pilot, old, "waits")
        await reads(pilot, old)

        # One memory alone, with the reason typed before.
        await pilot.press("2", "w", *"it named the race")
        assert isinstance(pilot.app, MemtuiApp)
        assert list(pilot.app.draft_keeper.unsaved.values()) == [{"text": "it named the race"}]
        await pilot.press("enter")
        assert focused(pilot) == "packs-members"
        await shows(pilot, "because: it named the race")
        await pilot.press("h")
        await until(pilot, lambda: _told(pilot, r"Helped: usefulness of “[^”]+” 1\.0\d → 1\.[^“]+$"), "of one alone")
        await says_of(pilot, old, f"helped 1 of {members}")
        (said,) = verdicts_on(ferry, get_pack(ferry, old))
        assert (said.verdict, said.reason, said.memories) == ("helped", "it named the race", 1)
        assert "because:" not in screen_text(pilot), "a reason is given once"
        await pilot.press("1", "g")
        await until(pilot, lambda: screen._list.cursor == 0, "at the top")
        for key, word in (("C", "Corrected"), ("n", "Not used")):
            await pilot.press(key)
            await says(pilot, f"{word}: usefulness of")


async def test_the_text_is_built_where_it_is_in_sight_and_once(
    ferry: Vault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = use(ferry, TASK)
    built: list[str] = []

    def build(_: object, pack: StoredPack) -> str:
        built.append(pack.id)
        return "As it was sent."

    monkeypatch.setattr("memtui.tui.packs.screen.sent_text", build)
    async with app_on(ferry, tmp_path, project="ferry").run_test(size=NARROW) as pilot:
        await open_packs(pilot, 1)
        await reads(pilot, old)
        await pilot.pause()
        assert built == []
        for _ in range(2):
            await pilot.resize_terminal(120, 40)
            await shows(pilot, "As it was sent.")
            await pilot.resize_terminal(*NARROW)
            await pilot.pause()
        assert built == [old]


async def test_what_hurt_twice_is_due_and_what_became_of_the_memories_is_told(ferry: Vault, tmp_path: Path) -> None:
    old = use(ferry, TASK, at=NOW - timedelta(days=9), files=("pay/lock.py",))
    members = [member.memory_id for member in get_pack(ferry, old).members]
    assert LOCK in members
    with ferry.write(actor="person", action="edit") as writer:
        writer.put(replace(writer.get(LOCK), title="Lock by card"))
    async with app_on(ferry, tmp_path, project="ferry").run_test(size=NARROW) as pilot:
        screen = await open_packs(pilot, 1)
        await reads(pilot, old)
        await shows(pilot, "v1 → v2")
        await shows(pilot, "1 changed since")
        await shows(pilot, " of 1,200 (o200k_base) for chat")
        await pilot.press("enter", "g")
        assert focused(pilot) == "packs-members"
        assert screen._members.current is not None
        assert screen._members.current.id == LOCK
        await pilot.press("x")
        await says_of(pilot, old, "hurt" if len(members) == 1 else f"hurt 1 of {len(members)}")
        await pilot.press("x")
        await says(pilot, "“Lock by card” hurt more than once and is due for review")
        await until(pilot, lambda: not screen.acting, "it is said")
        await pilot.press("enter")
        await shows(pilot, "esc closes")
        await pilot.press("escape", "i")
        await shows(pilot, f"pack {old} · payload ")
        await shows(pilot, "pay/lock.py")
        await pilot.press("escape")
        lifecycle.retire(ferry, [LOCK], actor=Actor())
        await shows(pilot, "retired")
        await pilot.press("escape")
        assert focused(pilot) == "packs-list"
        await pilot.press("escape")
        await until(pilot, lambda: len(pilot.app.screen_stack) == 1, "back at the list")


@posix_only
async def test_a_pack_is_copied_again_with_its_very_bytes_and_compared_with_what_its_task_gives_today(
    ferry: Vault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    buffer = fake_tmux(tmp_path, monkeypatch)
    pack_id = use(ferry, TASK, target="claude-code")
    waiting = use(ferry, "sail times", at=NOW - timedelta(days=8))
    async with app_on(ferry, tmp_path, project="ferry").run_test(size=WIDE) as pilot:
        screen = await open_packs(pilot, 2)
        await reads(pilot, waiting)
        await pilot.press("z")
        await says(pilot, "This pack no longer waits for feedback")
        await says_of(pilot, waiting, "")
        await pilot.press("g")
        await reads(pilot, pack_id)
        await pilot.press("z")
        await says(pilot, "This pack is not waiting for feedback.")
        await pilot.press("y")
        await says(pilot, "bytes to tmux")
        await until(pilot, lambda: len(screen._list.rows) == 3, "a copy is a use, and a use is a pack")
        first = next(one for one in list_packs(ferry, 9) if one.id == pack_id)
        assert payload_hash(buffer.read_text("utf-8")) == first.payload_hash

        fill(ferry, [memory(8, "A refund fails twice on retry when the card is gone")])
        member = first.members[0].memory_id
        with ferry.write(actor="ana", action="edit") as writer:
            writer.put(replace(writer.get(member), title="Refunds are told otherwise [/x] now"))
        buffer.unlink()
        await until(pilot, lambda: not screen.acting and len(screen._list.rows) == 3, "at rest")
        await pilot.press("g")
        await until(pilot, lambda: screen._list.current is not None, "a pack is under the cursor")
        while screen._list.current is not None and screen._list.current.id != pack_id:
            await pilot.press("j")
        await reads(pilot, pack_id)
        await pilot.press("d")
        for words in ("+ in now", "when the card is gone", "~ changed", "told otherwise [/x]"):
            await shows(pilot, words)
        await shows(pilot, "tokens then, ")
        await pilot.press("escape", "y")
        await until(pilot, buffer.exists, "it is copied once more")
        assert payload_hash(buffer.read_text("utf-8")) == first.payload_hash
        await until(pilot, lambda: not screen.acting, "at rest")

        purge_memories(ferry, [member])
        buffer.unlink()
        await pilot.press("y")
        await says(pilot, "The exact text is no longer available")
        assert not buffer.exists()
        await pilot.press("o")
        await answered(pilot)
        asked = context_screen(pilot)._ask()
        assert (asked.text, asked.target, asked.budget) == (TASK, "claude-code", "1,200 tokens")
        await shows(pilot, "since your copy at ")
        assert focused(pilot) == "context-task", "what is typed here is another task"
        for word, kind in (("Packs", PacksScreen), ("History", HistoryScreen)):
            await pilot.press("f1", *word, "enter")
            await until(pilot, partial(_is_at, pilot, kind), "help goes from screen to screen")


async def test_hostile_text_does_no_harm_and_no_pack_says_what_to_do(tmp_path: Path) -> None:
    vault = empty_vault(tmp_path)
    async with app_on(vault, tmp_path, project="ferry").run_test(size=WIDE) as pilot:
        screen = await open_packs(pilot, 0)
        await shows(pilot, "No payload has been copied yet in ferry.")
        for key in ("h", "y", "o", "i", "z", "enter"):
            await pilot.press(key)
        await until(pilot, lambda: len(toasts(pilot)) >= 6, "every key says why not")
        wanted = ("rate", "copy", "open in Context", "show details of", "leave unrated", "read")
        for word, toast in zip(wanted, toasts(pilot), strict=True):
            assert f"No pack to {word}." in toast
        hostile = hostile_memories()[:-1]
        fill(vault, [replace(one, project="ferry", status="active", pinned=True) for one in hostile])
        used = [use(vault, f"{text[:300]} tab esc", files=(text[:100],)) for text in HOSTILE]
        await until(pilot, lambda: len(screen._list.rows) == len(used), "all are listed")
        await reads(pilot, screen._list.rows[0].id)
        for size in (WIDE, NARROW, (200, 60), (40, 15)):
            await pilot.resize_terminal(*size)
            await pilot.press("G", "g", "enter", "G", "1")
            await reads(pilot, screen._list.rows[0].id)
            await pilot.press("i", "escape", "w", "escape")
            await until(pilot, lambda: focused(pilot) == "packs-list", "back in the list")
            await reads(pilot, screen._list.rows[0].id)
            assert {cell_len(line) for line in screen_lines(pilot)} == {size[0]}
        await pilot.press("w")
        screen._line._input.value = HOSTILE[2] + "\x1b[31m" + HOSTILE[6]
        await pilot.press("enter", "n")
        await says(pilot, "Not used: usefulness of")
        assert not [toast for toast in toasts(pilot) if "Error" in toast]
