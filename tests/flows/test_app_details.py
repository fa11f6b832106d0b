"""Browse: one memory in full – its score, its links, rendered text, its file, its way to the clipboard."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from curating import everything
from flows.app_driver import (
    HOSTILE,
    NARROW,
    WIDE,
    RecordingApp,
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
    until,
)
from textual.pilot import Pilot

from memtui.domain.memory import Anchor, Link, LinkType, Source
from memtui.pack import clipboard
from memtui.pack.clipboard import CopyResult
from memtui.vault.vault import Vault

pytestmark = pytest.mark.usefixtures("isolated")


async def test_why_explains_the_score_of_a_hit_and_without_a_filter_the_standing_value(
    ferry: Vault, tmp_path: Path
) -> None:
    async with app_on(ferry, tmp_path).run_test(size=WIDE) as pilot:
        await shows(pilot, "Cards pay at once.")
        await pilot.press("i")
        await shows(pilot, "Score without a task")
        for part in ("freshness", "usefulness", "importance", "= "):
            assert part in screen_text(pilot)
        await pilot.press("slash", *"refund", "enter")
        await holds(pilot, 2)
        await pilot.press("j")
        await shows(pilot, "Score for “refund”")
        await shows(pilot, "relevance")
        await pilot.press("slash", "ctrl+u", *"kind:conv", "enter")
        await holds(pilot, 1)
        await shows(pilot, "matches the filter;")
        await pilot.press("i")
        await until(pilot, lambda: "relevance" not in screen_text(pilot), "the explanation is gone")


async def test_on_a_small_screen_why_opens_the_details(ferry: Vault, tmp_path: Path) -> None:
    async with app_on(ferry, tmp_path).run_test(size=NARROW) as pilot:
        await shows(pilot, "Sail times are in UTC")
        await pilot.press("i")
        await shows(pilot, "Score without a task")
        assert focused(pilot) == "detail"
        await pilot.press("escape", "j", "enter")
        await until(pilot, lambda: focused(pilot) == "detail", "another memory is read")
        await shows(pilot, "Dates")
        assert "Score without a task" not in screen_text(pilot), "it was asked for of that one"


async def test_links_are_followed_within_the_list_and_beyond_it_and_back(ferry: Vault, tmp_path: Path) -> None:
    old = replace(memory(9, "Lock by user_id", insight="The old way."), status="superseded")
    link = Link(from_id="m0000001", type="relates", to_id="m0000009", created_at=old.created_at)
    fill(ferry, [old], [link])
    async with app_on(ferry, tmp_path).run_test(size=WIDE) as pilot:
        await shows(pilot, "1 → supersedes")
        await shows(pilot, "2 ↔ relates  Lock")
        await pilot.press("3", "enter")
        await shows(pilot, "Follow which link?")
        await pilot.press("2")
        await shows(pilot, "The old way.")
        await shows(pilot, "3 Detail · by a link")
        assert browser(pilot)._list.current == "m0000001"
        await pilot.press("x")
        await says(pilot, "Retired: Lock by user_id")
        assert stored(ferry, "m0000001").status == "active", "an act is for what is read"
        await shows(pilot, "retired")
        await pilot.press("escape")
        await shows(pilot, "Cards pay at once.")
        await pilot.press("f")
        await shows(pilot, "Follow which link?")
        await pilot.press("enter")
        await until(pilot, lambda: browser(pilot)._list.current == "m0000003", "the cursor is on the linked one")
        await shows(pilot, "← supersedes")
        await pilot.press("f")
        await until(pilot, lambda: browser(pilot)._list.current == "m0000001", "a single link is followed at once")
        await shows(pilot, "Cards pay at once.")
        await pilot.press("escape")
        await until(pilot, lambda: browser(pilot)._list.current == "m0000003", "esc goes back")
        await shows(pilot, "← supersedes")
        await pilot.press("escape")
        await until(pilot, lambda: browser(pilot)._list.current == "m0000001", "and back again")


async def test_markdown_is_rendered_on_demand_and_what_is_hostile_stays_text(tmp_path: Path) -> None:
    text = "## Order\n\n- first `lock`\n- [here](http://example.org)\n\n<script>x</script> [@click=app.quit]press[/]"
    vault = empty_vault(tmp_path)
    fill(vault, [memory(1, "Rendered", insight=text, days=0), *hostile_memories()[1:]])
    async with app_on(vault, tmp_path).run_test(size=WIDE, notifications=True) as pilot:
        await shows(pilot, "## Order")
        await pilot.press("M")
        await shows(pilot, "• first lock")
        for part in ("(http://example.org)", "<script>x</script>", "[@click=app.quit]press[/]"):
            assert part in screen_text(pilot)
        assert "## Order" not in screen_text(pilot)
        for _ in HOSTILE:
            await pilot.press("j")
            await until(
                pilot, lambda: browser(pilot).details.shown_id == browser(pilot)._list.current, "the detail came"
            )
            strips = pilot.app.screen._compositor.render_strips()
            assert {strip.cell_length for strip in strips} == {WIDE[0]}
            assert not any(sign in strip.text for strip in strips for sign in "\x1b\x07\u202e\t\n")
        await pilot.press("g", "M")
        await shows(pilot, "## Order")


async def test_the_last_changes_stand_in_the_details(ferry: Vault, tmp_path: Path) -> None:
    async with app_on(ferry, tmp_path).run_test(size=WIDE) as pilot:
        await shows(pilot, "Cards pay at once.")
        await pilot.press("p")
        await shows(pilot, "pin Lock")
        await shows(pilot, "History")


async def test_copying_says_which_route_carried_how_much(
    ferry: Vault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copied: list[str] = []

    def copy(text: str) -> CopyResult:
        copied.append(text)
        return CopyResult("xsel", len(text.encode()), confirmed=True)

    monkeypatch.setattr(clipboard, "copy", copy)
    async with app_on(ferry, tmp_path).run_test(size=WIDE) as pilot:
        await shows(pilot, "Cards pay at once.")
        await pilot.press("y")
        await until(pilot, lambda: len(copied) == 1, "the text was copied")
        said_once = "What Lock refunds by payment_id means.\n\nWhy: Cards pay"
        assert copied[0].startswith(said_once), "the text says the title"
        await says(
            pilot, f"Copied {len(copied[0])} bytes with xsel, verified by reading back: Lock refunds by payment_id"
        )
        await pilot.press("space", "space", "y")
        await says(pilot, "reading back: 2 memories")
        assert "\n---\n\nWhat Sail times are in UTC means.\n" in copied[1]


async def test_the_source_is_opened_at_its_line_and_where_there_is_none_it_is_said(
    ferry: Vault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rules = tmp_path / "rules.md"
    rules.write_text("one\ntwo\n", encoding="utf-8")
    opened = tmp_path / "opened"
    editor = tmp_path / "vim"
    editor.write_text(f'#!/bin/sh\necho "$@" >> "{opened}"\n', encoding="utf-8")
    editor.chmod(0o755)
    monkeypatch.setenv("VISUAL", str(editor))
    monkeypatch.setenv("EDITOR", str(editor))
    monkeypatch.delenv("MEMTUI_EDITOR", raising=False)
    source = Source(format="claude-md", path=str(rules), span=(2, 2))
    fill(ferry, [replace(stored(ferry, "m0000002"), sources=(source,))])
    fill(ferry, [replace(stored(ferry, "m0000003"), anchors=(Anchor("pay/*.py"),))])
    async with app_on(ferry, tmp_path).run_test(size=WIDE) as pilot:
        await shows(pilot, "Sail times are in UTC")
        await pilot.press("o")
        await says(pilot, "pay/lock.py belongs to a project whose folder is not known here")
        await pilot.press("j", "o")
        await says(pilot, "This terminal cannot run an editor")
        monkeypatch.setattr(RecordingApp, "suspend", lambda _app: nullcontext())
        await pilot.press("o")
        await until(pilot, opened.exists, "the editor was started")
        assert opened.read_text(encoding="utf-8") == f"+2 {rules}\n"
        await pilot.press("G", "o")
        await says(pilot, "It was typed here and is not tied to a file")


RULE = memory(1, "Whoever holds a lock renews it in time, since a slow refund outlives it", kind="constraint", days=1)
NOTE = memory(2, "On Friday the lock of a slow refund ran out, and [/x] the card was paid twice", kind="note", days=5)
PORT = memory(3, "The staging replica of the ledger answers on port 8788", days=9)
USE = memory(4, "Reports read the ledger from its staging replica alone", days=12)


@pytest.fixture
def vault_neighbourhood(tmp_path: Path) -> Vault:
    vault_neighbourhood = empty_vault(tmp_path)
    fill(vault_neighbourhood, [replace(each, insight=each.title) for each in (RULE, NOTE, PORT, USE)])
    return vault_neighbourhood


def links(vault_neighbourhood: Vault) -> set[tuple[str, LinkType, str]]:
    with vault_neighbourhood.read() as reader:
        return {(link.from_id, link.type, link.to_id) for link in reader.links()}


async def proposes(pilot: Pilot[Any], number: int) -> None:
    await until(pilot, lambda: len(browser(pilot).details.suggested) == number, f"{number} links are proposed")


async def test_a_proposal_is_made_or_dismissed_by_a_key_and_undone(vault_neighbourhood: Vault, tmp_path: Path) -> None:
    before = everything(vault_neighbourhood)
    async with app_on(vault_neighbourhood, tmp_path).run_test(size=WIDE) as pilot:
        await shows(pilot, "Whoever holds a lock")
        await proposes(pilot, 1)
        for part in ("Maybe", "▸ → derived-from", "shared words", "+ link", "- never"):
            await shows(pilot, part)
        await pilot.press("plus")
        await says(pilot, "Linked: On Friday the lock of a slow refund")
        assert links(vault_neighbourhood) == {(RULE.id, "derived-from", NOTE.id)}
        await shows(pilot, "1 → derived-from")
        await until(pilot, lambda: "Maybe" not in screen_text(pilot), "nothing more is proposed")
        await pilot.press("plus")
        await says(pilot, "No link is suggested for this memory.")
        await pilot.press("u")
        await until(pilot, lambda: everything(vault_neighbourhood) == before, "undone to the byte")
        await proposes(pilot, 1)
        await pilot.press("minus")
        await says(pilot, "Not suggested again: On Friday")
        await until(pilot, lambda: not browser(pilot).acting, "it is dismissed")
        await pilot.press("j")
        await until(pilot, lambda: browser(pilot).details.shown_id == NOTE.id, "the note is shown")
        await pilot.press("j")
        await proposes(pilot, 1)
        assert browser(pilot).details.suggested[0].proposal.ids == (PORT.id, USE.id), (
            "the dismissed one is not among them"
        )
        assert links(vault_neighbourhood) == set()


async def test_a_proposed_neighbour_fits_a_small_screen(vault_neighbourhood: Vault, tmp_path: Path) -> None:
    async with app_on(vault_neighbourhood, tmp_path).run_test(size=NARROW) as pilot:
        await shows(pilot, "Whoever holds a lock")
        await pilot.press("enter")
        await proposes(pilot, 1)
        await shows(pilot, "▸ → derived-from")
        assert {strip.cell_length for strip in pilot.app.screen._compositor.render_strips()} == {NARROW[0]}
        await pilot.press("plus")
        await shows(pilot, "1 → derived-from")
        await pilot.press("enter")
        await until(pilot, lambda: browser(pilot)._list.current == NOTE.id, "enter follows the only link")
        await pilot.press("escape")
        await until(pilot, lambda: browser(pilot)._list.current == RULE.id, "esc comes back")


async def test_paragraphs_that_were_wrapped_by_hand_fill_the_pane_and_items_are_set_in(tmp_path: Path) -> None:
    vault = empty_vault(tmp_path)
    first = "The ferry waits for the train from the north whenever it is late"
    item = "- Never leave before the signal of the harbour master, given by"
    code = "```\nsail --now\nsail --later\n```"
    text = f"{first}\nby less than ten minutes.\n\n{item}\n  radio and only to the bridge.\n\n{code}"
    fill(vault, [memory(1, "Trains and ferries", insight=text)])
    async with app_on(vault, tmp_path).run_test(size=(80, 40)) as pilot:
        await holds(pilot, 1)
        await pilot.press("enter")
        await shows(pilot, f"{first} by less")
        lines = [line[2:].rstrip("│ ") for line in screen_text(pilot).splitlines()]
        assert lines[lines.index(f"{item} radio and") + 1] == "  only to the bridge."
        assert {"sail --now", "sail --later"} <= set(lines)
    assert stored(vault, "m0000001").insight == text
