"""The Browse screen: looking, moving, filtering."""

from __future__ import annotations

import gc
import threading
import weakref
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from flows.app_driver import (
    NARROW,
    PATIENT_SECONDS,
    WIDE,
    app_on,
    browser,
    empty_vault,
    fill,
    focused,
    holds,
    isolate,
    memory,
    says,
    screen_lines,
    screen_text,
    shows,
    stored,
    toasts,
    until,
)
from flows.editing_driver import form_closes, form_opens
from textual import events
from textual._styles_cache import StylesCache
from textual.pilot import Pilot
from textual.widgets._toast import Toast, ToastHolder

from memtui.curate.memories import edit_memory
from memtui.domain.identity import Actor
from memtui.recall.embedding_cache import semantic_state
from memtui.recall.resident import ResidentMeaning
from memtui.tui.browse import list_reader, queries
from memtui.tui.browse.queries import ListQueries
from memtui.tui.browse.view import shown_count
from memtui.tui.context.screen import ContextScreen
from memtui.tui.health.screen import HealthScreen
from memtui.tui.textual_patches.display import MOST_SHOWN
from memtui.tui.values import Base, Listing
from memtui.tui.widgets.form_fields import FormArea
from memtui.tui.widgets.memory_list import Columns
from memtui.vault.vault import Vault

pytestmark = pytest.mark.usefixtures("isolated")


def title_cells(pilot: Pilot[Any], size: tuple[int, int]) -> int:
    """Return the room of a title, beside a scrollbar where there is none yet."""
    pane = browser(pilot)._list
    assert pilot.app.size == size
    width = pane.scrollable_content_region.width - (not pane.show_vertical_scrollbar)
    return Columns.within(width, projects=pane.show_projects).title


async def test_opens_on_the_memories_of_the_project_with_counts_and_the_first_in_full(
    ferry: Vault, tmp_path: Path
) -> None:
    fill(ferry, [replace(memory(6, "Waits in the inbox"), status="candidate"), memory(7, "Elsewhere", project="other")])
    async with app_on(ferry, tmp_path, project="ferry").run_test(size=WIDE) as pilot:
        await shows(pilot, "Why")
        text = screen_text(pilot)
        assert "memtui  Browse   ferry" in text
        assert "5 memories" in text
        assert "2 due" in text
        assert "1 in inbox" in text
        assert "? help" in text
        assert "Elsewhere" not in text
        assert "Waits in the inbox" not in text
        for part in ("decision · semantic · active", "Cards pay at once.", "pay/lock.py", "1 → supersedes"):
            assert part in text
        assert "2 Memories · newest first" in text
        assert title_cells(pilot, WIDE) >= 55
        assert "!" in next(line for line in screen_lines(pilot) if "Postgres 14" in line)


async def test_keys_move_the_cursor_and_stop_at_the_ends(blank: Vault, tmp_path: Path) -> None:
    fill(blank, [memory(number, f"Memory {number}", days=number / 10) for number in range(1, 61)])
    async with app_on(blank, tmp_path).run_test(size=WIDE) as pilot:
        await holds(pilot, 60)
        pane = browser(pilot)._list
        assert pane.show_projects
        await until(pilot, lambda: title_cells(pilot, WIDE) >= 55, "titles have their room beside projects")
        await pilot.resize_terminal(*NARROW)
        await until(pilot, lambda: pane.region.width == NARROW[0], "it stands alone")
        assert title_cells(pilot, NARROW) >= 42
        await pilot.resize_terminal(*WIDE)
        await until(pilot, lambda: NARROW[0] < pane.region.width < WIDE[0], "it stands beside the details")
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
            await until(pilot, lambda at=index: pane.cursor == at, f"{keys} lead to row {index}")  # type: ignore[misc] # a default binds the loop's value
        await shows(pilot, f"What Memory {pane.page + 1} means.")


async def test_a_long_list_keeps_only_rows_near_the_sight(
    blank: Vault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from memtui.tui.widgets import memory_list

    monkeypatch.setattr(memory_list, "MOST_ROWS", 150)
    fill(blank, [memory(number, f"Memory {number}", days=number / 100) for number in range(1, 1201)])
    async with app_on(blank, tmp_path).run_test(size=WIDE) as pilot:
        await shows(pilot, "Memory 1 ")
        pane = browser(pilot)._list
        for key, title in (("G", "Memory 1200"), ("g", "Memory 1 "), ("G", "Memory 1200")):
            await pilot.press(key)
            await shows(pilot, title)
        assert len(pane._rows) <= 300


async def test_the_filter_narrows_while_typing_and_escape_clears_and_leaves_it(ferry: Vault, tmp_path: Path) -> None:
    async with app_on(ferry, tmp_path).run_test(size=WIDE) as pilot:
        await holds(pilot, 5)
        await pilot.press("slash", *"refund")
        await holds(pilot, 2)
        await shows(pilot, "2 of 5")
        await pilot.press("down")
        await until(pilot, lambda: browser(pilot)._list.cursor == 1, "the key moved the cursor")
        await pilot.press("escape")
        await holds(pilot, 5)
        assert focused(pilot) == "list"
        await pilot.press("slash", *"sail", "enter", "enter")
        await until(pilot, lambda: focused(pilot) == "detail", "the only one that fits is read")
        await pilot.press("x")
        await until(pilot, lambda: focused(pilot) == "list", "nothing is left to read")
        await pilot.press("u")
        await shows(pilot, "1 of 5")


async def test_a_late_answer_to_the_last_key_does_not_take_the_cursor_back(
    ferry: Vault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The person types, sees the rows of the word so far, and moves on before the whole word is answered."""
    answer = ListQueries.filtered
    may_answer = threading.Event()

    def slow(access: ListQueries, base: Base, query: str, **how: bool) -> Listing:
        if query in {"refund", ""}:
            may_answer.wait(20)
        return answer(access, base, query, **how)

    monkeypatch.setattr(ListQueries, "filtered", slow)
    fill(ferry, [memory(6, "Log each refund", days=2)])
    async with app_on(ferry, tmp_path).run_test(size=WIDE) as pilot:
        may_answer.set()
        await holds(pilot, 6)
        may_answer.clear()
        await pilot.press("slash", *"refun")
        await holds(pilot, 3)
        await pilot.press("d", "down", "down")
        await until(pilot, lambda: browser(pilot)._list.cursor == 2, "the keys moved the cursor")
        chosen = browser(pilot)._list.current
        await shows(pilot, "filtering …")
        assert "3 of 6" not in screen_text(pilot), "that was the count of other words"
        may_answer.set()
        await until(pilot, lambda: _answered(pilot) == "refund", "the late answer came")
        assert browser(pilot)._list.ids[0] != chosen
        assert browser(pilot)._list.current == chosen
        await pilot.press("backspace")
        await until(pilot, lambda: _answered(pilot) == "refun", "the next word is answered")
        assert browser(pilot)._list.cursor == 0, "another word starts at the best match"

        await pilot.press("enter")
        may_answer.clear()
        await pilot.press("escape", "G", "p")
        await pilot.pause(0.1)
        assert browser(pilot)._list.cursor == 0, "the keys wait for the list that they are meant for"
        may_answer.set()
        await holds(pilot, 6)
        await until(pilot, lambda: stored(ferry, browser(pilot)._list.ids[-1]).pinned, "the last of all is pinned")


async def test_a_list_that_is_read_anew_takes_no_order_over_from_other_words(ferry: Vault, tmp_path: Path) -> None:
    fill(ferry, [memory(6, "Log each refund", days=2)])
    async with app_on(ferry, tmp_path).run_test(size=WIDE) as pilot:
        await holds(pilot, 6)
        lists, pane = browser(pilot).lists, browser(pilot)._list
        before = pane.ids
        lists.query = "refund"
        lists.reload(steady=True)  # As once the model is loaded, before what was typed is answered
        await until(pilot, lambda: _answered(pilot) == "refund", "the list is read anew")
        assert pane.ids == lists.queries.load("refund", lists.wanted).ids
        assert pane.ids != tuple(identifier for identifier in before if identifier in pane.ids)


async def test_words_answer_at_once_and_meaning_completes_them(
    ferry: Vault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    meaning = ResidentMeaning(ferry, "bundled")
    async with app_on(ferry, tmp_path, meaning=meaning).run_test(size=WIDE) as pilot:
        await holds(pilot, 5)
        await pilot.press("slash", *"database version")
        await until(pilot, lambda: meaning.words == "ready", "the model is there")
        await until(pilot, lambda: "m0000004" in browser(pilot)._list.ids[:2], "it is found by its meaning")
        await shows(pilot, "by meaning: ready")
        assert "+ of 5" not in screen_text(pilot)
        edit_memory(ferry, "m0000004", {"rationale": "A dump is not read by an older one."}, actor=Actor("person"))
        lists = browser(pilot).lists
        found = lists.queries.load("database version", lists.wanted)
        assert meaning.tend() == 0, "what was just saved is compared at once"
        assert "m0000004" in found.ids[:2]
        assert found.near > 0, "it holds neither word"
        assert shown_count(replace(found, only_closest=False), found.query).endswith(
            f" of 5, {found.near} by meaning only"
        )
        assert found.without_vector == 0
        assert shown_count(replace(found, without_vector=2), found.query).endswith(", 2 compared by words only")
        monkeypatch.setattr("memtui.tui.model_loading.ModelLoading._tend", lambda _: None)
        await pilot.press("enter", "c")
        await until(pilot, lambda: isinstance(pilot.app.screen, ContextScreen), "a task is typed")
        fill(ferry, [memory(31, "Dumps dry in the loft")])
        assert semantic_state(ferry, "bundled").missing == 1
        await pilot.press(*"database")
        await until(pilot, lambda: not semantic_state(ferry, "bundled").missing, "Context has its vector made at once")


async def test_in_a_long_list_titles_answer_first_and_the_search_completes_them(
    ferry: Vault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(queries, "LONG_LIST", 1)
    answer = ListQueries.filtered
    may_answer = threading.Event()

    def slow(access: ListQueries, base: Base, query: str, **how: bool) -> Listing:
        if query == "refund":
            may_answer.wait(20)
        return answer(access, base, query, **how)

    monkeypatch.setattr(ListQueries, "filtered", slow)
    fill(ferry, [memory(6, "Stornos", insight="A refund of a refund.", days=2)])
    async with app_on(ferry, tmp_path).run_test(size=WIDE) as pilot:
        await holds(pilot, 6)
        await pilot.press("slash")
        browser(pilot)._filter.value = "refund"
        await shows(pilot, "2+ of 6")
        may_answer.set()
        await shows(pilot, "3 of 6")
        pane = browser(pilot)._list
        assert pane.current == pane.ids[0]


def _answered(pilot: Pilot[Any]) -> str | None:
    listing = browser(pilot).lists.listing
    return listing.query if listing else None


async def test_half_a_word_of_a_title_finds_it_and_quotes_brackets_and_pastes_are_only_text(
    ferry: Vault, tmp_path: Path
) -> None:
    fill(ferry, [memory(8, "It's the captain's call; DROP TABLE memories")])
    async with app_on(ferry, tmp_path).run_test(size=WIDE) as pilot:
        await holds(pilot, 6)
        await pilot.press("slash", *"ostgr")
        await holds(pilot, 1)
        await pilot.press("enter")
        await until(pilot, lambda: focused(pilot) == "list", "the list has the focus")
        await pilot.press("escape")
        await holds(pilot, 6)
        await pilot.press("slash")
        browser(pilot)._filter.value = "'s call; DROP"
        await holds(pilot, 1)
        assert toasts(pilot) == []
        browser(pilot)._filter.value = ""
        await holds(pilot, 6)
        await pilot.press(*"[/zzz")
        await shows(pilot, "No match for “[/zzz”.")
        browser(pilot)._filter.value = ""
        browser(pilot)._filter.post_message(events.Paste("retry\r\na\nrefund \x1b[201~:q! " + "y" * 5_000))
        await until(pilot, lambda: bool(browser(pilot)._filter.value), "the paste arrived")
        value = browser(pilot)._filter.value
        assert value.startswith("retry a refund :q! yyy"), "several lines become one"
        assert len(value) <= 200
        assert browser(pilot)._list.is_attached


async def test_an_empty_vault_names_the_commands_that_fill_it_and_says_why_nothing_can_be_done(
    blank: Vault, tmp_path: Path
) -> None:
    app = app_on(blank, tmp_path)
    async with app.run_test(size=NARROW) as pilot:
        await shows(pilot, "The vault is empty.")
        for command in ("a            adds one", "J            brings", "memtui add", "memtui import .", "memtui demo"):
            assert command in screen_text(pilot)
        await pilot.press("x")
        await says(pilot, "No memory is under the cursor")
        await pilot.press("j", "p", "y", "enter", "slash", "a", "escape", "escape")
        await shows(pilot, "The vault is empty.")
        assert not blank.exists, "looking does not make a vault"
        await pilot.press("u")
        await says(pilot, "Nothing to undo yet.")
        assert {severity for severity, _ in app.said} == {"warning"}


async def test_an_empty_project_says_what_the_vault_holds_unless_it_was_filled_and_is_being_read(
    ferry: Vault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compared, moved = threading.Event(), ListQueries.moved

    def slow(queries: ListQueries, base: Base) -> bool:
        compared.wait(PATIENT_SECONDS)
        return moved(queries, base)

    async with app_on(ferry, tmp_path, project="barge").run_test(size=WIDE) as pilot:
        await shows(pilot, "No active memories in project barge.")
        await shows(pilot, "The vault holds 5 memories")
        await pilot.app.run_action("go('health')")
        await until(pilot, lambda: isinstance(pilot.app.screen, HealthScreen), "another screen lies over it")
        await until(pilot, lambda: not browser(pilot).loader.is_under_way("poll"), "the last look is over")
        monkeypatch.setattr(ListQueries, "moved", slow)
        fill(ferry, [memory(31, "Tar the hull in May", project="barge")])
        await pilot.press("escape")
        await shows(pilot, "reading …")
        for words in ("No active memories", "0 memories"):
            assert words not in screen_text(pilot)
        compared.set()
        await shows(pilot, "Tar the hull in May")
        await shows(pilot, "1 memory")


async def test_a_narrow_screen_shows_the_list_and_enter_opens_the_memory_over_it(ferry: Vault, tmp_path: Path) -> None:
    async with app_on(ferry, tmp_path).run_test(size=NARROW) as pilot:
        await shows(pilot, "Sail times are in UTC")
        assert "3 Detail" not in screen_text(pilot)
        await pilot.press("enter")
        await shows(pilot, "Cards pay at once.")
        await until(pilot, lambda: "2 Memories" not in screen_text(pilot), "the memory lies over the list")
        await pilot.press("escape")
        await shows(pilot, "2 Memories")
        assert "3 Detail" not in screen_text(pilot)
        await pilot.press("1")
        await shows(pilot, "▾ Kind")
        await until(pilot, lambda: "2 Memories" not in screen_text(pilot), "the facets lie over the list")
        await pilot.press("escape")
        await shows(pilot, "2 Memories")


async def test_tab_goes_to_the_details_which_scroll_and_back(blank: Vault, tmp_path: Path) -> None:
    fill(blank, [memory(1, "Long", insight="\n".join(f"line {number}" for number in range(200)))])
    async with app_on(blank, tmp_path).run_test(size=WIDE) as pilot:
        await shows(pilot, "line 3")
        await pilot.press("tab", "G")
        await shows(pilot, "line 199")
        await pilot.press("g", "j", "j", "ctrl+d", "ctrl+u")
        await until(pilot, lambda: browser(pilot)._detail.scroll_offset.y == 2, "the text scrolled")
        for key, pane in (("tab", "facets"), ("tab", "list"), ("3", "detail"), ("1", "facets"), ("2", "list")):
            await pilot.press(key)
            await until(pilot, lambda name=pane: focused(pilot) == name, f"{key} leads to the {pane}")  # type: ignore[misc] # a default binds the loop's value


async def test_what_is_due_takes_the_kinds_and_the_size_of_the_command_line(ferry: Vault, tmp_path: Path) -> None:
    for options, only in (({"kinds": ("tooling",)}, "m0000004"), ({"most": 1}, "m0000005")):
        async with app_on(ferry, tmp_path, **options).run_test(size=WIDE) as pilot:
            await holds(pilot, 5)
            await pilot.press("d")
            await holds(pilot, 1)
            assert browser(pilot)._list.current == only


async def test_clicks_choose_a_row_and_press_a_hint(ferry: Vault, tmp_path: Path) -> None:
    async with app_on(ferry, tmp_path).run_test(size=WIDE) as pilot:
        await shows(pilot, "Retry a refund")
        await pilot.click("#list", offset=(10, 4))
        await until(pilot, lambda: browser(pilot)._list.cursor == 2, "the click chose the row")
        await pilot.double_click("#list", offset=(10, 4))
        await until(pilot, lambda: focused(pilot) == "detail", "the double click reads it")
        await pilot.press("escape")
        await shows(pilot, "/ filter")
        await pilot.click("#hints", offset=(screen_lines(pilot)[-1].index("filter"), 0))
        await until(pilot, lambda: focused(pilot) == "filter", "the hint was pressed")


async def test_a_click_on_the_word_over_a_column_sorts_by_it(ferry: Vault, tmp_path: Path) -> None:
    async with app_on(ferry, tmp_path).run_test(size=WIDE) as pilot:
        await shows(pilot, "fresh added")
        orders = {"title": "by title", "kind": "by kind", "fresh": "stalest first", "seen": "newest first"}
        for word, order in orders.items():
            await pilot.click("#list", offset=(screen_lines(pilot)[2].index(word), 1))
            await shows(pilot, f"2 Memories · {order}")
        await shows(pilot, "fresh added")
        await pilot.press("slash", *"refund")
        await shows(pilot, "2 of ")
        assert "fresh added" in screen_text(pilot), "a filter with an order of its own changes no column"


async def test_neighbours_with_one_heading_name_it_once(blank: Vault, tmp_path: Path) -> None:
    titles = ("Releases: tag before the build", "Releases: sign every archive", "Ferries carry two lights")
    fill(blank, [memory(number, title, days=number) for number, title in enumerate(titles, 1)])
    async with app_on(blank, tmp_path).run_test(size=WIDE) as pilot:
        await holds(pilot, 3)
        await shows(pilot, "Releases: tag before the build")
        await shows(pilot, "· sign every archive")


def is_ready(pilot: Pilot[Any]) -> bool:
    shown = browser(pilot).lists.listing
    return shown is not None and browser(pilot).lists.queries.is_prepared(shown.base)


def query_list(pilot: Pilot[Any]) -> str:
    shown = browser(pilot).lists.listing
    return shown.query if shown else ""


async def test_a_filter_in_memory_narrows_scrolls_and_follows_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(queries, "LARGE_VAULT", 1)
    monkeypatch.setattr(list_reader, "LARGE_VAULT", 1)
    monkeypatch.setattr(list_reader, "PREPARING_SECONDS", 0.01)
    vault = empty_vault(tmp_path)
    titles = [f"{'Retry' if number % 4 else 'Refund'} number {number}" for number in range(1, 301)]
    fill(vault, [memory(number, title, days=number) for number, title in enumerate(titles, 1)])
    async with app_on(vault, tmp_path).run_test(size=NARROW) as pilot:
        await holds(pilot, 300)
        pane = browser(pilot)._list
        await until(pilot, lambda: is_ready(pilot), "the filter is ready")
        await pilot.press("slash", *"refund")
        await holds(pilot, 75)
        await shows(pilot, "75 of 300")
        assert all("Refund" in line for line in screen_text(pilot).splitlines() if " number " in line)
        await pilot.press("enter", "G")
        await until(pilot, lambda: pane.row(pane.current or "") is not None, "the last row is here")
        # Where the memories of rows come later, the rows stay as they were.
        await until(pilot, lambda: pane.current_row is not None and pane.current_row.memory is not None, "and whole")
        gone = pane.current
        await pilot.press("x")
        await holds(pilot, 74)
        await until(pilot, lambda: not browser(pilot).acting, "it is retired")
        await shows(pilot, "74 of 299")
        await until(pilot, lambda: is_ready(pilot), "the filter is ready again")
        await pilot.press("slash", *" number")
        await until(pilot, lambda: query_list(pilot) == " number", "there is another filter")
        assert len(pane.ids) == 299
        assert gone not in pane.ids
        await pilot.press("escape", "escape", "u")
        await holds(pilot, 300)


TIMES = 3
"""How often something is changed and undone: far more toasts than may be shown."""


def held(pilot: Pilot[Any]) -> int:
    return len(pilot.app.screen.query(ToastHolder))


async def test_toasts_that_made_room_for_others_leave_nothing_behind(
    ferry: Vault, tmp_path: Path, monkeypatch: Any
) -> None:
    isolate(monkeypatch, tmp_path)
    async with app_on(ferry, tmp_path).run_test(size=WIDE, notifications=True) as pilot:
        await shows(pilot, "Sail times are in UTC")
        for key in "xu" * TIMES:
            told = len(toasts(pilot))

            def tells(before: int = told) -> bool:
                return len(toasts(pilot)) > before and len(pilot.app.screen.query(Toast)) > 0

            await pilot.press(key)
            await until(pilot, tells, f"{key} is told")
        await says(pilot, "Undone")
        await pilot.press("j")
        await until(pilot, lambda: held(pilot) <= MOST_SHOWN, "nothing is kept but what is shown")


async def test_a_screen_that_was_closed_is_let_go_of(ferry: Vault, tmp_path: Path, monkeypatch: Any) -> None:
    isolate(monkeypatch, tmp_path)
    opened: list[weakref.ref[Any]] = []
    async with app_on(ferry, tmp_path).run_test(size=WIDE) as pilot:
        await shows(pilot, "Sail times are in UTC")
        for _ in range(2):
            await pilot.press("e")
            await form_opens(pilot)
            opened += [weakref.ref(area) for area in pilot.app.screen.query(FormArea)]
            opened += [weakref.ref(one._styles_cache) for one in pilot.app.screen.query()]
            await pilot.press("escape")
            await form_closes(pilot)
            for key in "Hl":
                await pilot.press(key)
                await until(pilot, lambda: len(pilot.app.screen_stack) == 2, f"{key} opens a screen")
                opened.append(weakref.ref(pilot.app.screen))
                await pilot.press("escape")
                await until(pilot, lambda: len(pilot.app.screen_stack) == 1, "it closes")
        assert len(opened) > 2 * 4

        def let_go() -> bool:
            gc.collect()
            kinds = [type(one) for ref in opened if (one := ref()) is not None]
            # The newest of a kind may still be in the hand of a thread that looks at the vault for it.
            return not {FormArea, StylesCache} & set(kinds) and len(kinds) == len(set(kinds))

        await until(pilot, let_go, "what was closed is let go of")


@pytest.mark.parametrize("size", [NARROW, WIDE])
async def test_a_query_with_an_unknown_value_says_all_that_is_known_beside_what_was_typed(
    ferry: Vault, tmp_path: Path, size: tuple[int, int]
) -> None:
    async with app_on(ferry, tmp_path).run_test(size=size) as pilot:
        await holds(pilot, 5)
        await pilot.press("slash", *"kind:foo")
        await shows(pilot, "Unknown kind: kind:foo")
        text = screen_text(pilot)
        assert text.count("Unknown kind") == 1
        for kind in ferry.kinds.names():
            assert kind in text
        assert any(line.strip().startswith("/ kind:foo") for line in screen_lines(pilot)), text
        await holds(pilot, 0)


async def test_a_word_that_stands_like_a_field_and_is_none_names_the_field(ferry: Vault, tmp_path: Path) -> None:
    async with app_on(ferry, tmp_path).run_test(size=NARROW) as pilot:
        await holds(pilot, 5)
        await pilot.press("slash", *"knd:tooling")
        await shows(pilot, "Unknown field “knd”, try “kind”")
        await pilot.press("escape", "slash", *"path:quay")
        await shows(pilot, "Unknown field “path”, try “file”")
        await pilot.press("escape", "slash", *"file:quay")
        await shows(pilot, "file: takes a path")


async def test_a_list_of_what_matches_badly_says_so_in_its_title(ferry: Vault, tmp_path: Path) -> None:
    async with app_on(ferry, tmp_path).run_test(size=NARROW) as pilot:
        await holds(pilot, 5)
        await pilot.press("slash", *"payment zzzz sail three kkkk dddd mmmm")
        await until(pilot, lambda: bool(browser(pilot)._list.ids), "something is close")
        await shows(pilot, "nothing matches well; the closest")
        browser(pilot)._filter.value = "retry a refund"
        await shows(pilot, "best match first")
        assert "matches well" not in screen_text(pilot)
