"""The Publish screen: what would change in each assistant's file, written, taken out and undone by one key."""

from __future__ import annotations

import subprocess
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest
from flows.app_driver import FERRY, NARROW, WIDE, app_on, fill, says, screen_lines, screen_text, shows, unsays, until
from textual.pilot import Pilot

from memtui.curate.lifecycle import pin
from memtui.domain.identity import Actor
from memtui.domain.memory import Anchor, Source
from memtui.tui.publish.screen import PublishScreen
from memtui.tui.publish.view import Publications, PublishRead, key_of
from memtui.vault.filters import MemoryFilter
from memtui.vault.vault import Vault

pytestmark = pytest.mark.usefixtures("isolated")


@pytest.fixture
def folder(tmp_path: Path, own_home: Path) -> Path:
    """A repository with an AGENTS.md, in a home without assistants."""
    assert own_home.exists()
    root = tmp_path / "ferry"
    root.mkdir()
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    (root / "AGENTS.md").write_bytes(b"# Desk\r\n\r\nmine")
    return root


async def _open(pilot: Pilot[int], *, at: str = "Codex") -> None:
    await pilot.press("W")
    await until(pilot, lambda: isinstance(pilot.app.screen, PublishScreen), "Publish is open")
    await shows(pilot, "Windsurf")
    await _to(pilot, at)


async def test_the_diff_is_shown_before_anything_is_written_and_one_key_writes_it(vault: Vault, folder: Path) -> None:
    before = (folder / "AGENTS.md").read_bytes()
    fill(vault, FERRY)
    async with app_on(vault, folder).run_test(size=WIDE) as pilot:
        await _open(pilot)
        await shows(pilot, "+<!-- memtui:begin v1 id=codex")
        assert (folder / "AGENTS.md").read_bytes() == before
        await pilot.press("p")
        await says(pilot, "Published to AGENTS.md")
        written = (folder / "AGENTS.md").read_bytes()
        assert written.startswith(before)
        await shows(pilot, "1 published")
        await pilot.press("u")
        await says(pilot, "publish AGENTS.md")
        assert (folder / "AGENTS.md").read_bytes() == before
        await pilot.press("ctrl+r")
        await shows(pilot, "enter writes it")
        assert (folder / "AGENTS.md").read_bytes() == before
        await pilot.press("enter")
        await until(pilot, lambda: (folder / "AGENTS.md").read_bytes() == written, "it is published again")
        await shows(pilot, "1 published")
        await pilot.press("x")
        await says(pilot, "5 memories in AGENTS.md: x again removes the block; u undoes it")
        assert (folder / "AGENTS.md").read_bytes() == written
        await pilot.press("down")
        await unsays(pilot, "x again removes the block")
        await pilot.press("up", "x", "x")
        await says(pilot, "Removed from AGENTS.md")
        assert (folder / "AGENTS.md").read_bytes() == before


async def test_what_goes_along_is_ticked_and_stays_chosen_until_memtui_is_to_choose_again(
    vault: Vault, folder: Path
) -> None:
    fill(vault, FERRY)
    file = folder / "AGENTS.md"
    before = file.read_bytes()
    async with app_on(vault, folder).run_test(size=WIDE) as pilot:
        await _open(pilot)
        await shows(pilot, "chosen automatically: pinned memories first, then constraints")
        await pilot.press("space")
        await shows(pilot, "5 of 5 ticked")
        await pilot.press("asterisk", "escape")
        await says(pilot, "Nothing is ticked, so the selection stays as it was")
        await shows(pilot, "5 memories,")
        await pilot.press("space")
        await shows(pilot, "5 of 5 ticked")
        await pilot.press("space", "asterisk", "space")
        await shows(pilot, "1 of 5 ticked")
        await pilot.press("W")
        await says(pilot, "esc goes back to Publish with this selection")
        assert file.read_bytes() == before
        await pilot.press("escape")
        await shows(pilot, "of the 1,200")
        await shows(pilot, "1 memory,")
        await shows(pilot, "selected by you; space changes it")
        assert "left out" not in screen_text(pilot), "what nobody chose is not left out"
        await pilot.press("p")
        await says(pilot, "Published to AGENTS.md")
        assert file.read_bytes().count(b"\n- ") == 1
        await pilot.press("u")
        await until(pilot, lambda: file.read_bytes() == before, "it is undone")
        await shows(pilot, "0 published")
        await shows(pilot, "selected by you; space changes it")
        await pilot.press("p")
        await shows(pilot, "1 published")
        assert file.read_bytes().count(b"\n- ") == 1
        with vault.write(actor="person", action="add", summary="add") as writer:
            writer.put(replace(FERRY[1], id="m0000077", title="Gulls nest on pier 9", insight="Gulls nest on pier 9."))
        await pilot.press("R")
        await shows(pilot, "up to date · 1 memory,")
        await pilot.press("space")
        await shows(pilot, "1 of 6 ticked")
        await pilot.press("backspace")
        await shows(pilot, "6 of 6 ticked")
        await pilot.press("escape")
        await shows(pilot, "Gulls nest on pier 9")
        await shows(pilot, "chosen automatically")
        await pilot.press("p")
        await until(pilot, lambda: b"Gulls nest on pier 9" in file.read_bytes(), "it is published")


async def test_an_undo_of_what_another_session_did_asks_by_a_second_press(vault: Vault, folder: Path) -> None:
    fill(vault, FERRY)
    ids = [one.id for one in FERRY]

    def pinned() -> int:
        with vault.read() as reader:
            return reader.count(MemoryFilter(statuses=None, ids=tuple(ids), pinned=True))

    before = pinned()
    pin(vault, ids, actor=Actor(), pinned=True)
    vault.made.clear()  # As after a restart
    async with app_on(vault, folder).run_test(size=WIDE) as pilot:
        await _open(pilot)
        await pilot.press("u")
        await says(pilot, "u again undoes the change made in another session, on ")
        assert pinned() > before
        await pilot.press("u")
        await until(pilot, lambda: pinned() == before, "it is undone")
        await pilot.press("ctrl+r")
        await until(pilot, lambda: pinned() > before, "it is made again")


async def test_a_read_that_takes_longer_than_the_vault_rests_is_shown_all_the_same(
    vault: Vault, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = Publications.read

    def slow_read(self: Publications) -> PublishRead:
        time.sleep(0.4)
        return read(self)

    monkeypatch.setattr(Publications, "read", slow_read)
    monkeypatch.setattr("memtui.tui.list_detail.POLL_SECONDS", 0.1)
    fill(vault, FERRY)
    async with app_on(vault, folder).run_test(size=WIDE) as pilot:
        await _open(pilot)
        await pilot.press("p")
        await says(pilot, "Published to AGENTS.md")
        await shows(pilot, "1 published")
        await pilot.press("u")
        await shows(pilot, "0 published")


async def test_nothing_is_said_to_be_unpublished_before_the_files_were_read_again(
    vault: Vault, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read, gate = Publications.read, threading.Event()
    gate.set()

    def gated_read(self: Publications) -> PublishRead:
        assert gate.wait(20)
        return read(self)

    monkeypatch.setattr(Publications, "read", gated_read)
    fill(vault, FERRY)
    async with app_on(vault, folder).run_test(size=WIDE) as pilot:
        await _open(pilot)
        gate.clear()
        await pilot.press("p")
        await says(pilot, "Published to AGENTS.md")
        await pilot.press("x")
        await says(pilot, "are being read")
        await pilot.press("R")
        await says(pilot, "It is already being read.")
        gate.set()
        await shows(pilot, "1 published")


async def test_a_change_that_is_not_in_sight_is_shown_by_the_first_key_and_made_by_the_second(
    vault: Vault, folder: Path
) -> None:
    before = (folder / "AGENTS.md").read_bytes()
    fill(vault, FERRY)
    async with app_on(vault, folder).run_test(size=NARROW) as pilot:
        await _open(pilot)
        await pilot.press("x")
        await says(pilot, "Nothing is published to Codex")
        await pilot.press("p")
        await says(pilot, "Nothing was changed yet: p again publishes")
        await shows(pilot, "+<!-- memtui:begin v1 id=codex")
        await pilot.press("1")
        await unsays(pilot, "p again publishes")
        await pilot.press("p")
        await says(pilot, "Nothing was changed yet: p again publishes")
        assert (folder / "AGENTS.md").read_bytes() == before, "the change was not shown before"
        await pilot.press("p")
        await says(pilot, "Published to AGENTS.md")
        written = (folder / "AGENTS.md").read_bytes()
        await pilot.press("1")
        await shows(pilot, "1 published")
        await pilot.press("x")
        await says(pilot, "Nothing was changed yet: x again removes the block")
        await shows(pilot, "Lock refunds")
        assert (folder / "AGENTS.md").read_bytes() == written, "what is to go was not shown before"
        await pilot.press("x")
        await says(pilot, "Removed from AGENTS.md")
        assert (folder / "AGENTS.md").read_bytes() == before


async def test_an_edit_by_hand_is_shown_three_way_and_goes_into_the_inbox(vault: Vault, folder: Path) -> None:
    fill(vault, FERRY)
    async with app_on(vault, folder).run_test(size=WIDE) as pilot:
        await _open(pilot)
        await pilot.press("p")
        await says(pilot, "Published to AGENTS.md")
        await shows(pilot, "up to date")
        file = folder / "AGENTS.md"
        edited = file.read_bytes().replace(
            b"<!-- memtui:end", b"- Tickets are printed on blue paper, so that rain shows.\r\n<!-- memtui:end"
        )
        file.write_bytes(edited)
        await pilot.press("R")
        await shows(pilot, "edited by hand")
        await shows(pilot, "+- Tickets are printed on blue paper")
        await pilot.press("p")
        await says(pilot, "t sends the edit to the inbox")
        assert file.read_bytes() == edited
        await pilot.press("t")
        await says(pilot, "1 memory into the inbox")
        assert b"blue paper" not in file.read_bytes()
    with vault.read() as reader:
        waiting = reader.select(MemoryFilter(statuses=("candidate",)), sort="created", now=vault.now())
    assert any("blue paper" in memory.insight for memory in waiting)


async def test_the_ways_out_of_an_undo_that_an_edit_by_hand_stops_all_work(vault: Vault, folder: Path) -> None:
    before = (folder / "AGENTS.md").read_bytes()
    fill(vault, FERRY)
    file = folder / "AGENTS.md"
    async with app_on(vault, folder).run_test(size=WIDE) as pilot:
        await _open(pilot)
        await pilot.press("p")
        await says(pilot, "Published to AGENTS.md")
        await shows(pilot, "up to date")
        edited = file.read_bytes().replace(b"<!-- memtui:end", b"- Tickets are blue.\r\n<!-- memtui:end")
        file.write_bytes(edited)
        await pilot.press("u")
        await says(pilot, "W opens Publish, where t sends the edit to the inbox and x removes the block")
        assert file.read_bytes() == edited
        await pilot.press("W", "R")
        await shows(pilot, "edited by hand")
        await pilot.press("x")
        await says(pilot, "x again removes it with the edit")
        await pilot.press("question_mark")
        await unsays(pilot, "x again removes it")
        await pilot.press("escape", "x")
        assert file.read_bytes() == edited
        await pilot.press("x")
        await says(pilot, "Removed from AGENTS.md")
        assert file.read_bytes() == before
        await pilot.press("u")
        await until(pilot, lambda: file.read_bytes() == edited, "the edit is back")
        await until(pilot, lambda: not pilot.app.screen.acting, "it is over")  # type: ignore[attr-defined] # it is Publish
        await pilot.press("R")
        await shows(pilot, "edited by hand")
        await pilot.press("t")
        await says(pilot, "1 memory into the inbox")
        assert b"blue" not in file.read_bytes()


async def test_the_cursor_stays_where_it_is_when_its_place_is_published(vault: Vault, folder: Path) -> None:
    fill(vault, FERRY)
    async with app_on(vault, folder).run_test(size=WIDE) as pilot:
        await _open(pilot, at="Claude Code")
        screen = pilot.app.screen
        assert isinstance(screen, PublishScreen)
        place, rows = screen._rows.list.cursor, [key_of(row) for row in screen._rows.list.rows]
        await pilot.press("p")
        await says(pilot, "Published to CLAUDE.md")
        await shows(pilot, "1 published")
        assert screen._rows.list.cursor == place
        assert [key_of(row) for row in screen._rows.list.rows] == rows


async def test_an_assistant_whose_file_is_a_link_is_published_to_with_the_one_that_it_leads_to(
    vault: Vault, folder: Path
) -> None:
    (folder / "CLAUDE.md").symlink_to("AGENTS.md")
    fill(vault, [replace(one, anchors=(Anchor("pay/lock.py"),)) for one in FERRY])
    async with app_on(vault, folder).run_test(size=WIDE) as pilot:
        await _open(pilot, at="Claude Code")
        await pilot.press("p")
        await says(pilot, "Published to AGENTS.md")
        await shows(pilot, "2 published")
        for label in ("Claude Code", "Codex"):
            assert any(f"● {label}" in line for line in screen_lines(pilot)), "\n".join(screen_lines(pilot))
        await pilot.resize_terminal(*NARROW)
        await shows(pilot, "memtui-files.mdc")
        assert any("Claude Code" in line and "AGENTS.md" in line for line in screen_lines(pilot))


async def test_two_assistants_that_read_the_same_memories_are_told_of_the_double_cost(
    vault: Vault, folder: Path
) -> None:
    fill(vault, FERRY)
    async with app_on(vault, folder).run_test(size=WIDE) as pilot:
        await _open(pilot)
        await pilot.press("p")
        await says(pilot, "Published to AGENTS.md")
        await _to(pilot, "Claude Code")
        await pilot.press("p")
        await says(pilot, "Published to CLAUDE.md")
        await shows(pilot, "also reads the same memories")


async def test_what_was_retired_is_taken_out_of_the_file_that_still_says_it(vault: Vault, folder: Path) -> None:
    file = folder / "AGENTS.md"
    text = "# Desk\r\n\r\n- Tide tables are written by hand, because the pilots want it so.\r\n- Berth 4 is closed.\r\n"
    file.write_bytes(text.encode())
    with vault.write(actor="person", action="add", summary="add") as writer:
        source = Source(format="agents-md", path="AGENTS.md", span=(3, 3))
        writer.put(
            replace(
                FERRY[0],
                insight="Tide tables are written by hand, because the pilots want it so.",
                rationale="",
                sources=(source,),
            )
        )
    async with app_on(vault, folder).run_test(size=WIDE) as pilot:
        await shows(pilot, "Lock refunds")
        await pilot.press("x")
        await says(pilot, "AGENTS.md still says it: W can take it out")
        await _open(pilot, at="AGENTS.md")
        assert isinstance(pilot.app.screen, PublishScreen)
        assert key_of(pilot.app.screen._rows.list.rows[0]) == "claude-md", "the assistants come first"
        await shows(pilot, "-- Tide tables are written by hand")
        await pilot.press("p")
        await says(pilot, "memtui only read this file: space chooses these lines for removal")
        assert file.read_bytes() == text.encode()
        await pilot.press("space")
        await shows(pilot, "✓ AGENTS.md")
        await shows(pilot, "p remove the lines   space choose")
        await pilot.press("p")
        await says(pilot, "1 retired memory removed from AGENTS.md")
        assert file.read_bytes() == b"# Desk\r\n\r\n- Berth 4 is closed.\r\n"
        await pilot.press("u")
        await until(pilot, lambda: file.read_bytes() == text.encode(), "the lines are back")


async def _to(pilot: Pilot[int], label: str) -> None:
    screen = pilot.app.screen
    assert isinstance(screen, PublishScreen)
    await pilot.press("g")
    for _ in range(12):
        row = screen._rows.list.current
        if row is not None and label in {
            key_of(row).rsplit("/", 1)[-1],
            getattr(getattr(row, "place", None), "label", ""),
        }:
            return
        await pilot.press("down")
    raise AssertionError(label)
