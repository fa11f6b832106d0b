"""The Browse screen, driven as a person drives it."""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from textual import events
from textual.pilot import Pilot

from memtui.domain.actor import Actor
from memtui.domain.memory import Anchor, Link, Memory, Source
from memtui.tui.actions import ACTIONS, MOST_HINTS, hints
from memtui.tui.app import MemtuiApp
from memtui.tui.opening import Opening
from memtui.tui.screens import browse
from memtui.tui.screens.browse import BrowseScreen
from memtui.tui.screens.help import HelpScreen, help_content
from memtui.vault.filters import EVERYTHING, MemoryFilter
from memtui.vault.lease import lease
from memtui.vault.vault import Vault

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
WIDE = (120, 40)
NARROW = (80, 24)
PATIENT_SECONDS = 20.0

HOSTILE = (
    "[/",
    "[red]",
    "[/x] closes nothing",
    "[@click=app.quit]x[/]",
    "[type=x, v={'a[0]'}]",
    "esc \x1b[31mred\x1b[0m and \x07 bell",
    "bidi \u202eevil\u202c end",
    "日本語の題名はとても長いので幅で切らなければならないことがある、そうでないと列がずれる",
    "family 👩‍👩‍👧 flag 🇨🇭 heart ❤️ eye 👁️ e\u0301",
    "العربية עברית mixed",
    "tab\there and\nnew line",
    "x" * 1_000_000,
)


def memory(number: int, title: str, *, days: float = 1, **values: Any) -> Memory:
    """Return an active memory that was observed some days ago."""
    at = NOW - timedelta(days=days)
    chosen: dict[str, Any] = {"insight": f"What {title[:60]} means.", "kind": "decision", "project": "ferry", **values}
    return Memory(id=f"m{number:07d}", title=title, created_at=at, updated_at=at, confirmed_at=at, **chosen)


def fill(vault: Vault, memories: Sequence[Memory], links: Sequence[Link] = ()) -> None:
    with vault.write(actor="person", action="import", summary="import some") as writer:
        writer.put_many(memories)
        writer.add_links(links)


FERRY = (
    memory(1, "Lock refunds by payment_id", days=1, rationale="Cards pay at once.", anchors=(Anchor("pay/lock.py"),)),
    memory(2, "Sail times are in UTC", days=20, kind="convention"),
    memory(3, "Retry a refund three times", days=40, kind="lesson"),
    memory(4, "Postgres 14 everywhere", days=300, kind="tooling"),
    memory(5, "Debugging the quay printer", days=60, kind="note"),
)


@pytest.fixture(autouse=True)
def _own_home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("MEMTUI_CONFIG", str(tmp_path / "config" / "config.toml"))
    for name in ("MEMTUI_VAULT", "MEMTUI_ACTOR", "TEXTUAL_THEME", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    return Vault(tmp_path / "vault.duckdb", now=lambda: NOW, patience_seconds=5.0)


@pytest.fixture
def ferry(vault: Vault) -> Vault:
    fill(vault, FERRY, [Link(from_id="m0000001", type="supersedes", to_id="m0000003", created_at=NOW)])
    return vault


class RecordingApp(MemtuiApp):
    """Remembers every toast, also after it is gone."""

    def __init__(self, opening: Opening, **values: Any) -> None:
        super().__init__(opening, **values)
        self.said: list[tuple[str, str]] = []

    def notify(self, message: str, *, severity: Any = "information", markup: bool = True, **values: Any) -> None:
        assert not markup, "texts of others must never be read as markup"
        self.said.append((severity, message))
        super().notify(message, severity=severity, markup=markup, **values)


def app_on(vault: Vault, tmp_path: Path, **values: Any) -> RecordingApp:
    return RecordingApp(Opening(vault=vault, folder=tmp_path, **values))


async def until(pilot: Pilot[Any], met: Callable[[], bool], what: str) -> None:
    """Wait until something is so; fail with its name and the screen if it never is."""
    waited = 0.0
    while not met():
        assert waited < PATIENT_SECONDS, f"never: {what}\n" + "\n".join(screen_lines(pilot))
        await pilot.pause(0.02)
        waited += 0.02


def browser(pilot: Pilot[Any]) -> BrowseScreen:
    screen = pilot.app.screen_stack[0]
    assert isinstance(screen, BrowseScreen)
    return screen


def focused(pilot: Pilot[Any]) -> str | None:
    return pilot.app.focused.id if pilot.app.focused else None


def screen_lines(pilot: Pilot[Any]) -> list[str]:
    return [strip.text for strip in pilot.app.screen._compositor.render_strips()]


def screen_text(pilot: Pilot[Any]) -> str:
    return "\n".join(screen_lines(pilot))


def toasts(pilot: Pilot[Any]) -> list[str]:
    assert isinstance(pilot.app, RecordingApp)
    return [message for _, message in pilot.app.said]


async def shows(pilot: Pilot[Any], text: str) -> None:
    await until(pilot, lambda: text in screen_text(pilot), f"the screen shows {text!r}")


async def says(pilot: Pilot[Any], text: str) -> None:
    await until(pilot, lambda: any(text in toast for toast in toasts(pilot)), f"a toast says {text!r}")


async def holds(pilot: Pilot[Any], number: int) -> None:
    await until(pilot, lambda: len(browser(pilot)._list.ids) == number, f"the list holds {number}")


def stored(vault: Vault, identifier: str) -> Memory:
    with vault.read() as reader:
        return reader.get(identifier)


async def test_opens_on_the_memories_of_the_project_with_counts_and_the_first_in_full(
    ferry: Vault, tmp_path: Path
) -> None:
    fill(ferry, [replace(memory(6, "Waits in the inbox"), status="candidate"), memory(7, "Elsewhere", project="other")])
    async with app_on(ferry, tmp_path, project="ferry").run_test(size=WIDE) as pilot:
        await shows(pilot, "Why")
        text = screen_text(pilot)
        assert "memtui  ferry" in text
        assert "5 memories" in text
        assert "2 due" in text
        assert "1 inbox" in text
        assert "? help" in text
        assert "Elsewhere" not in text
        assert "Waits in the inbox" not in text
        for part in ("decision · semantic · active", "Cards pay at once.", "pay/lock.py", "Retry a refund three times"):
            assert part in text
        assert "1 Memories · newest first" in text
        assert "!" in next(line for line in screen_lines(pilot) if "Postgres 14" in line)


async def test_keys_move_the_cursor_and_stop_at_the_ends(vault: Vault, tmp_path: Path) -> None:
    fill(vault, [memory(number, f"Memory {number}", days=number / 10) for number in range(1, 61)])
    async with app_on(vault, tmp_path).run_test(size=WIDE) as pilot:
        await holds(pilot, 60)
        pane = browser(pilot)._list
        for keys, index in (
            (("j", "down"), 2),
            (("k",), 1),
            (("up", "up"), 0),
            (("G",), 59),
            (("j",), 59),
            (("home",), 0),
            (("ctrl+d",), pane.page // 2),
            (("ctrl+u",), 0),
            (("end", "g"), 0),
            (("pagedown",), pane.page),
        ):
            await pilot.press(*keys)
            assert pane.cursor == index, keys
        await shows(pilot, f"What Memory {pane.page + 1} means.")


async def test_a_long_list_keeps_only_rows_near_the_sight(
    vault: Vault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from memtui.tui.widgets import memory_list

    monkeypatch.setattr(memory_list, "MOST_ROWS", 150)
    fill(vault, [memory(number, f"Memory {number}", days=number / 100) for number in range(1, 1201)])
    async with app_on(vault, tmp_path).run_test(size=WIDE) as pilot:
        await shows(pilot, "Memory 1 ")
        pane = browser(pilot)._list
        for key, title in (("G", "Memory 1200"), ("g", "Memory 1 "), ("G", "Memory 1200")):
            await pilot.press(key)
            await shows(pilot, title)
        assert len(pane._rows) <= 300


async def test_the_filter_narrows_while_typing_and_escape_clears_then_leaves(ferry: Vault, tmp_path: Path) -> None:
    async with app_on(ferry, tmp_path).run_test(size=WIDE) as pilot:
        await holds(pilot, 5)
        await pilot.press("slash", *"refund")
        await holds(pilot, 2)
        await shows(pilot, "2 of 5")
        await pilot.press("down")
        assert browser(pilot)._list.cursor == 1
        await pilot.press("escape")
        await holds(pilot, 5)
        assert focused(pilot) == "filter"
        await pilot.press("escape")
        assert focused(pilot) == "list"


async def test_half_a_word_of_a_title_finds_it_and_quotes_are_only_text(ferry: Vault, tmp_path: Path) -> None:
    fill(ferry, [memory(8, "It's the captain's call; DROP TABLE memories")])
    async with app_on(ferry, tmp_path).run_test(size=WIDE) as pilot:
        await holds(pilot, 6)
        await pilot.press("slash", *"ostgr")
        await holds(pilot, 1)
        await pilot.press("enter")
        assert focused(pilot) == "list"
        await pilot.press("escape")
        await holds(pilot, 6)
        await pilot.press("slash")
        browser(pilot)._filter.value = "'s call; DROP"
        await holds(pilot, 1)
        assert toasts(pilot) == []


async def test_a_filter_that_fits_nothing_says_so(ferry: Vault, tmp_path: Path) -> None:
    async with app_on(ferry, tmp_path).run_test(size=WIDE) as pilot:
        await holds(pilot, 5)
        await pilot.press("slash", *"[/zzz")
        await shows(pilot, "Nothing fits “[/zzz”.")


async def test_a_paste_of_several_lines_becomes_one_line_of_filter(ferry: Vault, tmp_path: Path) -> None:
    async with app_on(ferry, tmp_path).run_test(size=WIDE) as pilot:
        await holds(pilot, 5)
        await pilot.press("slash")
        browser(pilot)._filter.post_message(events.Paste("retry\r\na\nrefund \x1b[201~:q! " + "y" * 5_000))
        await until(pilot, lambda: bool(browser(pilot)._filter.value), "the paste arrived")
        value = browser(pilot)._filter.value
        assert value.startswith("retry a refund :q! yyy")
        assert len(value) <= 200
        assert browser(pilot)._list.is_attached


async def test_pinning_shows_at_once_and_is_said_and_stored(ferry: Vault, tmp_path: Path) -> None:
    async with app_on(ferry, tmp_path).run_test(size=WIDE, notifications=True) as pilot:
        await shows(pilot, "Sail times are in UTC")
        await pilot.press("j", "p")
        await says(pilot, "Pinned: Sail times are in UTC")
        await shows(pilot, "● pinned")
        assert stored(ferry, "m0000002").pinned
        assert browser(pilot)._list.cursor == 1, "a pinned memory stays under the cursor"
        await pilot.press("p")
        await says(pilot, "Unpinned: Sail times are in UTC")
        assert not stored(ferry, "m0000002").pinned


async def test_retire_undo_and_redo_are_named_and_the_cursor_follows(ferry: Vault, tmp_path: Path) -> None:
    async with app_on(ferry, tmp_path).run_test(size=WIDE) as pilot:
        await shows(pilot, "Sail times are in UTC")
        await pilot.press("j", "x")
        await holds(pilot, 4)
        assert browser(pilot)._list.current == "m0000003"
        await says(pilot, "Retired: Sail times are in UTC")
        assert stored(ferry, "m0000002").status == "retired"
        await pilot.press("u")
        await says(pilot, "Undid: retire Sail times are in UTC")
        await until(pilot, lambda: browser(pilot)._list.current == "m0000002", "the cursor is on what came back")
        assert browser(pilot)._list.cursor == 1
        await pilot.press("ctrl+r")
        await says(pilot, "Did again: retire Sail times are in UTC")
        await holds(pilot, 4)
        assert stored(ferry, "m0000002").status == "retired"


async def test_keys_in_quick_succession_each_act_on_their_own_memory(ferry: Vault, tmp_path: Path) -> None:
    async with app_on(ferry, tmp_path).run_test(size=WIDE) as pilot:
        await holds(pilot, 5)
        await pilot.press("x", "x", "x", "u")
        await says(pilot, "Undid: retire Retry a refund three times")
        await holds(pilot, 3)
        statuses = [stored(ferry, f"m000000{number}").status for number in range(1, 6)]
        assert statuses == ["retired", "retired", "active", "active", "active"]


async def test_nothing_to_undo_is_said_calmly(vault: Vault, tmp_path: Path) -> None:
    app = app_on(vault, tmp_path)
    async with app.run_test(size=WIDE) as pilot:
        await shows(pilot, "The vault is empty.")
        await pilot.press("u")
        await says(pilot, "There is nothing to undo")
        assert [severity for severity, _ in app.said] == ["warning"]


async def test_an_agent_may_not_pin_and_the_row_goes_back(ferry: Vault, tmp_path: Path) -> None:
    async with app_on(ferry, tmp_path, actor=Actor("codex", is_person=False)).run_test(size=WIDE) as pilot:
        await shows(pilot, "Sail times are in UTC")
        await pilot.press("p")
        await says(pilot, "Only a person can pin")
        row = browser(pilot)._list
        await until(pilot, lambda: row.current_row is not None and not row.current_row.pinned, "unpinned again")


async def test_what_another_process_adds_appears_and_the_cursor_stays(
    ferry: Vault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(browse, "POLL_SECONDS", 0.1)
    async with app_on(ferry, tmp_path).run_test(size=WIDE) as pilot:
        await holds(pilot, 5)
        await pilot.press("j", "j")
        fill(ferry, [memory(9, "Added elsewhere just now", days=0)])
        await holds(pilot, 6)
        await shows(pilot, "Added elsewhere just now")
        assert browser(pilot)._list.current == "m0000003"


async def test_the_vault_is_never_held_while_the_app_is_open(ferry: Vault, tmp_path: Path) -> None:
    async with app_on(ferry, tmp_path).run_test(size=WIDE) as pilot:
        await shows(pilot, "Cards pay at once.")
        await pilot.app.workers.wait_for_complete()
        with lease(ferry.path, exclusive=True, wait_seconds=0.0):
            assert browser(pilot).is_current


async def test_a_busy_vault_is_told_and_the_list_comes_once_it_is_free(
    ferry: Vault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(browse, "POLL_SECONDS", 0.2)
    ferry.patience_seconds = 0.1
    with lease(ferry.path, exclusive=True, wait_seconds=1.0):
        app = app_on(ferry, tmp_path)
        pilot_context = app.run_test(size=WIDE)
        pilot = await pilot_context.__aenter__()
        await says(pilot, "The vault is in use by")
        await shows(pilot, "The vault is in use by")
        await pilot.pause(0.5)
        assert len(toasts(pilot)) == 1, "the same failure is told once"
    await holds(pilot, 5)
    await pilot_context.__aexit__(None, None, None)


async def test_a_damaged_vault_is_told_and_the_app_lives_on(vault: Vault, tmp_path: Path) -> None:
    vault.path.write_bytes(b"no database at all, " * 500)
    async with app_on(vault, tmp_path).run_test(size=WIDE) as pilot:
        await says(pilot, "cannot be read as a database")
        await shows(pilot, "memtui doctor")
        await pilot.press("x", "p", "j", "G", "enter", "question_mark")
        await shows(pilot, "Marks")


async def test_an_unforeseen_error_is_a_toast_too(
    ferry: Vault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from memtui.tui.access import VaultAccess

    def break_down(_access: VaultAccess, identifier: str) -> None:
        raise RuntimeError(f"[/{identifier}] broke")

    monkeypatch.setattr(VaultAccess, "retire", break_down)
    async with app_on(ferry, tmp_path).run_test(size=WIDE, notifications=True) as pilot:
        await holds(pilot, 5)
        await pilot.press("x")
        await says(pilot, "RuntimeError: [/m0000001] broke")
        await holds(pilot, 5)


async def test_an_empty_vault_names_the_commands_that_fill_it(vault: Vault, tmp_path: Path) -> None:
    async with app_on(vault, tmp_path).run_test(size=NARROW) as pilot:
        await shows(pilot, "The vault is empty.")
        for command in ("memtui add", "memtui import .", "memtui demo"):
            assert command in screen_text(pilot)
        await pilot.press("j", "x", "p", "y", "enter", "slash", "a", "escape", "escape")
        await shows(pilot, "The vault is empty.")
        assert not vault.exists, "looking does not make a vault"


async def test_an_empty_project_says_what_the_vault_holds(ferry: Vault, tmp_path: Path) -> None:
    async with app_on(ferry, tmp_path, project="barge").run_test(size=WIDE) as pilot:
        await shows(pilot, "No active memories in project barge.")
        await shows(pilot, "The vault holds 5 memories")


async def test_a_narrow_screen_shows_the_list_and_enter_opens_the_memory_over_it(ferry: Vault, tmp_path: Path) -> None:
    async with app_on(ferry, tmp_path).run_test(size=NARROW) as pilot:
        await shows(pilot, "Sail times are in UTC")
        assert "2 Detail" not in screen_text(pilot)
        await pilot.press("enter")
        await shows(pilot, "Cards pay at once.")
        assert "1 Memories" not in screen_text(pilot)
        await pilot.press("escape")
        await shows(pilot, "1 Memories")
        assert "2 Detail" not in screen_text(pilot)


async def test_tab_goes_to_the_details_which_scroll_and_back(vault: Vault, tmp_path: Path) -> None:
    fill(vault, [memory(1, "Long", insight="\n".join(f"line {number}" for number in range(200)))])
    async with app_on(vault, tmp_path).run_test(size=WIDE) as pilot:
        await shows(pilot, "line 3")
        await pilot.press("tab", "G")
        await shows(pilot, "line 199")
        await pilot.press("g", "j", "j", "ctrl+d", "ctrl+u")
        assert browser(pilot)._detail.scroll_offset.y == 2
        await pilot.press("tab")
        assert focused(pilot) == "list"
        await pilot.press("2", "1")
        assert focused(pilot) == "list"


def hostile_memories() -> list[Memory]:
    return [
        memory(
            number,
            title,
            days=number / 10,
            insight=title,
            rationale=title,
            snippet=title,
            status_reason=title[:300],
            kind=title[:20],
            project=None,
            tags=(title[:30],),
            anchors=(Anchor(title[:200]),),
            sources=(Source(format=title[:20], path=title[:200], agent=title[:20]),),
        )
        for number, title in enumerate(HOSTILE, 1)
    ]


@pytest.mark.parametrize("size", [WIDE, NARROW, (40, 10)])
async def test_hostile_texts_neither_crash_nor_shift_the_columns(
    vault: Vault, tmp_path: Path, size: tuple[int, int]
) -> None:
    relation = Link(from_id="m0000001", type="relates", to_id="m0000002", created_at=NOW)
    fill(vault, hostile_memories(), [relation])
    async with app_on(vault, tmp_path).run_test(size=size, notifications=True) as pilot:
        await holds(pilot, len(HOSTILE))
        for position in range(len(HOSTILE)):
            await until(pilot, lambda: browser(pilot)._shown_id == browser(pilot)._list.current, "the detail came")
            await pilot.press("enter", "G", "escape", "j")
            strips = pilot.app.screen._compositor.render_strips()
            assert {strip.cell_length for strip in strips} == {size[0]}, position
            assert not any(sign in strip.text for strip in strips for sign in "\x1b\x07\u202e\t\n")


async def test_hostile_titles_in_toasts_and_filter_are_only_text(vault: Vault, tmp_path: Path) -> None:
    fill(vault, [replace(each, insight="short", rationale="", snippet="") for each in hostile_memories()])
    async with app_on(vault, tmp_path).run_test(size=WIDE, notifications=True) as pilot:
        await holds(pilot, len(HOSTILE))
        await pilot.press(*("x" * len(HOSTILE)))
        await until(pilot, lambda: len(toasts(pilot)) == len(HOSTILE), "each was retired")
        assert "Retired: [@click=app.quit]x[/]" in toasts(pilot)
        await pilot.press("slash", *"[@click=app.quit]x[/]")
        await pilot.click("#filter")
        assert pilot.app.is_running


async def test_due_start_lists_what_is_due_stalest_first_and_y_says_still_true(ferry: Vault, tmp_path: Path) -> None:
    async with app_on(ferry, tmp_path, start="due").run_test(size=WIDE) as pilot:
        await shows(pilot, "1 Due for review · stalest first")
        await holds(pilot, 2)
        assert list(browser(pilot)._list.ids) == ["m0000005", "m0000004"]
        await pilot.press("y")
        await says(pilot, "Verified: Debugging the quay printer")
        assert stored(ferry, "m0000005").verified_at == NOW
        await holds(pilot, 1)
        await pilot.press("r")
        await holds(pilot, 5)
        await pilot.press("y")
        await pilot.app.workers.wait_for_complete()
        assert stored(ferry, "m0000001").verified_at is None, "y acts only where what is due is listed"


async def test_due_start_takes_kinds_and_a_size(ferry: Vault, tmp_path: Path) -> None:
    async with app_on(ferry, tmp_path, start="due", kinds=("tooling",)).run_test(size=WIDE) as pilot:
        await holds(pilot, 1)
        assert browser(pilot)._list.current == "m0000004"
    async with app_on(ferry, tmp_path, start="due", most=1).run_test(size=WIDE) as pilot:
        await holds(pilot, 1)
        assert browser(pilot)._list.current == "m0000005"


async def test_a_backup_is_offered_before_every_change(ferry: Vault, tmp_path: Path) -> None:
    calls: list[str] = []
    app = app_on(ferry, tmp_path, before_change=lambda: calls.append(stored(ferry, "m0000001").status))
    async with app.run_test(size=WIDE) as pilot:
        await holds(pilot, 5)
        await pilot.press("x")
        await says(pilot, "Retired")
        assert calls == ["active"]


async def test_clicks_choose_a_row_and_press_a_hint(ferry: Vault, tmp_path: Path) -> None:
    async with app_on(ferry, tmp_path).run_test(size=WIDE) as pilot:
        await shows(pilot, "Retry a refund")
        await pilot.click("#list", offset=(10, 3))
        assert browser(pilot)._list.cursor == 2
        await pilot.click("#list", offset=(10, 3))
        assert focused(pilot) == "detail"
        await pilot.press("escape")
        await pilot.click("#hints", offset=(screen_lines(pilot)[-1].index("filter"), 0))
        assert focused(pilot) == "filter"


async def test_help_lists_every_key_and_closes(ferry: Vault, tmp_path: Path) -> None:
    text = help_content().plain
    for action in ACTIONS:
        assert f"{action.shown_keys} " in text
        assert action.help in text
    async with app_on(ferry, tmp_path).run_test(size=NARROW) as pilot:
        await holds(pilot, 5)
        await pilot.press("question_mark")
        await shows(pilot, "one row or line down")
        await pilot.press("G")
        await shows(pilot, "Retired memories stay in the vault")
        await pilot.press("escape")
        assert not isinstance(pilot.app.screen, HelpScreen)


def test_footer_help_and_bindings_come_from_one_registry() -> None:
    assert len({action.id for action in ACTIONS}) == len(ACTIONS)
    for owner in ("screen", "pane", "filter"):
        keys = [key for action in ACTIONS if action.owner == owner for key in action.keys]
        assert len(keys) == len(set(keys)), f"a key of the {owner} is bound twice"
    for place in ("list", "due", "detail", "filter"):
        assert 0 < len(hints(place)) <= MOST_HINTS
    for action in ACTIONS:
        if action.owner == "screen":
            assert callable(getattr(BrowseScreen, f"action_{action.method}"))


async def test_the_palette_offers_the_same_actions(ferry: Vault, tmp_path: Path) -> None:
    async with app_on(ferry, tmp_path).run_test(size=WIDE) as pilot:
        await holds(pilot, 5)
        offered = [command.title for command in pilot.app.get_system_commands(pilot.app.screen)]
        assert "Retire (x)" in offered
        assert "Theme" in offered
        await pilot.press("colon")
        await until(pilot, lambda: type(pilot.app.screen).__name__ == "CommandPalette", "the palette opened")
        await pilot.press("escape", "q")
    assert pilot.app.return_code == 0


async def test_the_screen_works_in_every_theme(ferry: Vault, tmp_path: Path) -> None:
    async with app_on(ferry, tmp_path).run_test(size=NARROW) as pilot:
        await shows(pilot, "Sail times are in UTC")
        assert {"memtui-dark", "memtui-light"} <= set(pilot.app.available_themes)
        assert pilot.app.theme == "memtui-dark"
        for name in pilot.app.available_themes:
            pilot.app.theme = name
            await pilot.pause()
            assert "Sail times are in UTC" in screen_text(pilot)


async def test_bad_themes_are_skipped_and_told_once(ferry: Vault, tmp_path: Path) -> None:
    folder = tmp_path / "themes"
    folder.mkdir()
    good = 'name = "quay"\n[colors]\nprimary = "#123456"\n[memtui]\ndim = "#777777"\n'
    (folder / "a.toml").write_text(good, encoding="utf-8")
    (folder / "b.toml").write_text('name = "[/b]"\n[colors]\nprimary = "red"\n', encoding="utf-8")
    (folder / "c.toml").write_text('name = "c"\n[colors]\nprimary = "no colour [/]"\n', encoding="utf-8")
    (folder / "d.toml").write_text('name = "d"\n[colors]\nprimery = "red"\n', encoding="utf-8")
    (folder / "e.toml").write_bytes(b"\xff\xfe not TOML")
    app = RecordingApp(Opening(vault=ferry, folder=tmp_path), theme_folders=[folder])
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        await holds(pilot, 5)
        assert "quay" in app.available_themes
        (told,) = toasts(pilot)
        lines = told.splitlines()
        assert [line[:6] for line in lines] == ["b.toml", "c.toml", "d.toml", "e.toml"]
        assert "did you mean primary?" in lines[2]


def test_the_first_picture_needs_no_duckdb() -> None:
    script = (
        "import sys, memtui.tui.app, memtui.tui.screens.browse;"
        "print([name for name in ('duckdb', 'memtui.recall', 'memtui.curate', 'yaml') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_command_line_hands_on_what_it_was_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from memtui.cli.app import open_app

    opened: list[Opening] = []
    monkeypatch.setattr(MemtuiApp, "run", lambda app: opened.append(app._opening))
    monkeypatch.chdir(tmp_path)
    arguments = argparse.Namespace(vault=str(tmp_path / "v.duckdb"), project="ferry", actor="codex", kind=["note"])
    assert open_app(arguments, start="due") == 0
    assert open_app(arguments, vault=Vault(tmp_path / "demo.duckdb")) == 0
    review, demo = opened
    assert review.vault.path == tmp_path / "v.duckdb"
    assert (review.project, review.actor.name, review.start, review.kinds) == ("ferry", "codex", "due", ("note",))
    assert (demo.vault.path, demo.start, demo.kinds) == (tmp_path / "demo.duckdb", "list", ())
    with demo.vault.read() as reader:
        assert reader.count(MemoryFilter(scope=EVERYTHING)) == 0
