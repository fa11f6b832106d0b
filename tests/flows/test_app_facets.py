"""Browse: facets, sorts, and what is found again at the next start."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from flows.app_driver import (
    HOSTILE,
    NARROW,
    NOW,
    app_on,
    browser,
    empty_vault,
    fill,
    focused,
    holds,
    hostile_memories,
    memory,
    says,
    screen_lines,
    screen_text,
    shows,
    toasts,
    until,
)
from textual.pilot import Pilot

from memtui.domain.memory import Link
from memtui.tui.browse import screen
from memtui.vault.vault import Vault

VAST = (160, 40)  # The facets have room of their own

pytestmark = pytest.mark.usefixtures("isolated")


async def choose(pilot: Pilot[Any], facet: str, value: str) -> None:
    """Go to a value of the facets with keys, and choose it or let go of it."""
    pane = browser(pilot)._facets
    await pilot.press("1")
    await until(pilot, lambda: focused(pilot) == "facets", "the facets have the focus")

    def place() -> int:
        return next((n for n, line in enumerate(pane._lines) if (line.facet, line.value) == (facet, value)), -1)

    def is_there() -> bool:
        return pane.current is not None and (pane.current.facet, pane.current.value) == (facet, value)

    for _ in range(20):
        await until(pilot, lambda: place() >= 0, f"{facet} {value} is listed")
        # Counts that arrive meanwhile may add lines above or take some away: look again, as a person would.
        await pilot.press("home", *("j" * place()))
        await pilot.pause(0.05)
        if is_there():
            break
    assert is_there(), f"the cursor never came to {facet} {value}"
    await pilot.press("space")


def count_of(pilot: Pilot[Any], facet: str, value: str) -> int:
    lines = browser(pilot)._facets._lines
    return next((line.count for line in lines if (line.facet, line.value) == (facet, value)), -1)


async def counts(pilot: Pilot[Any], facet: str, value: str, number: int) -> None:
    await until(pilot, lambda: count_of(pilot, facet, value) == number, f"{facet} {value} counts {number}")


async def test_facets_narrow_and_combine_with_the_filter_and_the_sort(ferry: Vault, tmp_path: Path) -> None:
    others = [memory(7, "Elsewhere", project="other", kind="note"), replace(memory(8, "Gone by"), status="retired")]
    fill(ferry, others)
    async with app_on(ferry, tmp_path, project="ferry").run_test(size=VAST) as pilot:
        await holds(pilot, 5)
        await counts(pilot, "kind", "note", 1)
        await counts(pilot, "project", "other", 1)
        await choose(pilot, "kind", "note")
        await holds(pilot, 1)
        await shows(pilot, "2 Memories · newest first · note")
        await choose(pilot, "kind", "lesson")
        await holds(pilot, 2)
        await counts(pilot, "kind", "tooling", 1)
        await counts(pilot, "due", "now", 1)
        await choose(pilot, "due", "now")
        await holds(pilot, 1)
        await choose(pilot, "due", "now")
        await pilot.press("2", "slash", *"retry")
        await holds(pilot, 1)
        await shows(pilot, "1 of 2")
        await counts(pilot, "kind", "lesson", 1)
        await counts(pilot, "kind", "note", 0)
        await pilot.press("escape", "escape", "backspace")
        await holds(pilot, 5)
        titles = []
        for name in ("stalest first", "by title", "by kind", "most used first", "newest first"):
            await pilot.press("S")
            await shows(pilot, name)
            await until(pilot, lambda: not browser(pilot).lists.outdated, "the list is sorted")
            titles.append(browser(pilot)._list.ids)
        assert titles[0][0] == "m0000005"
        assert titles[1] == ("m0000005", "m0000001", "m0000004", "m0000003", "m0000002")
        assert titles[4] == ("m0000001", "m0000002", "m0000003", "m0000005", "m0000004")
        await choose(pilot, "project", "other")
        await holds(pilot, 1)
        await shows(pilot, "Elsewhere")
        await choose(pilot, "project", "other")
        await choose(pilot, "status", "retired")
        await holds(pilot, 1)
        await pilot.press("2")
        await shows(pilot, "R restore")


async def test_a_facet_that_nothing_has_any_more_says_how_to_let_go(ferry: Vault, tmp_path: Path) -> None:
    async with app_on(ferry, tmp_path).run_test(size=NARROW) as pilot:
        await holds(pilot, 5)
        await pilot.press("1")
        await shows(pilot, "▾ Kind")
        await choose(pilot, "kind", "note")
        await pilot.press("escape")
        await holds(pilot, 1)
        await pilot.press("x")
        await shows(pilot, "No memory is note.")
        await pilot.press("backspace")
        await holds(pilot, 4)


async def test_escape_in_the_list_lets_go_of_the_filter_and_then_of_the_facets(ferry: Vault, tmp_path: Path) -> None:
    async with app_on(ferry, tmp_path, project="ferry").run_test(size=VAST) as pilot:
        await holds(pilot, 5)
        await choose(pilot, "kind", "note")
        await choose(pilot, "kind", "lesson")
        await holds(pilot, 2)
        await pilot.press("2", "slash", *"retry", "enter")
        await holds(pilot, 1)
        await pilot.press("escape")
        await holds(pilot, 2)
        await pilot.press("escape")
        await holds(pilot, 5)


async def test_0_hides_the_facets_until_they_are_wanted_again(ferry: Vault, tmp_path: Path) -> None:
    state = tmp_path / "state.json"
    async with app_on(ferry, tmp_path, state_path=state).run_test(size=VAST) as pilot:
        await shows(pilot, "1 Facets")
        await pilot.press("1", "0")
        await until(pilot, lambda: "1 Facets" not in screen_text(pilot), "the facets are hidden")
        assert focused(pilot) == "list"
        await pilot.press("q")
    async with app_on(ferry, tmp_path, state_path=state).run_test(size=VAST) as pilot:
        await shows(pilot, "2 Memories")
        assert "1 Facets" not in screen_text(pilot)
        await pilot.press("1")
        await shows(pilot, "1 Facets")
        await pilot.press("escape")
        await until(pilot, lambda: "1 Facets" not in screen_text(pilot), "the facets are hidden again")
        await pilot.press("0")
        await shows(pilot, "1 Facets")


async def test_headings_fold_and_clicks_choose(ferry: Vault, tmp_path: Path) -> None:
    async with app_on(ferry, tmp_path).run_test(size=VAST) as pilot:
        await counts(pilot, "kind", "note", 1)
        await pilot.press("1", "left")
        await shows(pilot, "▸ Project")
        await pilot.press("right")
        await shows(pilot, "▾ Project")
        row = next(number for number, line in enumerate(screen_lines(pilot)) if "tooling" in line)
        await pilot.click("#facets", offset=(5, row - 1))
        await holds(pilot, 1)


async def test_files_that_are_gone_and_contradictions_are_counted(
    ferry: Vault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from memtui.curate.projects import link_folder

    tree = tmp_path / "tree"
    (tree / "pay").mkdir(parents=True)  # a file is gone where its folder is there
    link_folder(ferry, "ferry", tree)
    fill(
        ferry,
        [memory(9, "Contradicted")],
        [Link(from_id="m0000009", type="contradicts", to_id="m0000002", created_at=NOW)],
    )
    async with app_on(ferry, tmp_path).run_test(size=VAST) as pilot:
        await counts(pilot, "health", "dead anchors", 1)
        await counts(pilot, "health", "contradicted", 2)
        await choose(pilot, "health", "dead anchors")
        await holds(pilot, 1)
        assert browser(pilot)._list.current == "m0000001"
        await choose(pilot, "health", "dead anchors")
        (tree / "pay" / "lock.py").touch()
        await pilot.press("H")
        await until(pilot, lambda: len(pilot.app.screen_stack) == 2, "another screen is in front")
        await pilot.press("escape")
        await counts(pilot, "health", "dead anchors", 0)
        await pilot.press("H")
        await until(pilot, lambda: len(pilot.app.screen_stack) == 2, "another screen is in front")
        monkeypatch.setattr("memtui.tui.browse.screen.COUNTING_SECONDS", 3_600.0)
        fill(ferry, [memory(10, "Tides turn at noon")])
        await pilot.press("escape")
        await until(
            pilot,
            lambda: any("dead anchors" in line and "…" in line[:28] for line in screen_lines(pilot)),
            "no number of before the change stands",
        )


async def test_cursor_filter_facets_sort_and_sizes_are_found_again(ferry: Vault, tmp_path: Path) -> None:
    state = tmp_path / "state" / "app.json"
    async with app_on(ferry, tmp_path, state_path=state).run_test(size=VAST) as pilot:
        await holds(pilot, 5)
        before = browser(pilot)._list.size.width
        await pilot.press("less_than_sign", "less_than_sign", "S", "M")
        await until(pilot, lambda: browser(pilot)._list.size.width < before, "the list is narrower")
        await choose(pilot, "kind", "lesson")
        await choose(pilot, "kind", "decision")
        await holds(pilot, 2)
        await pilot.press("2", "slash", *"refund", "enter")
        await shows(pilot, "2 of 2")
        await pilot.press("j")
        await until(pilot, lambda: browser(pilot)._list.cursor == 1, "the cursor moved")
        width, current = browser(pilot)._list.size.width, browser(pilot)._list.current
        await pilot.press("q")
    async with app_on(ferry, tmp_path, state_path=state).run_test(size=VAST) as pilot:
        await shows(pilot, "2 of 2")
        await says(pilot, "Filtered as last time: esc clears the filter")
        await shows(pilot, "best match first")
        assert browser(pilot)._list.current == current
        assert browser(pilot)._list.size.width == width
        assert browser(pilot)._detail.rendered
        assert browser(pilot).lists.sorts[False] == "stalest"
        await pilot.press("escape", "backspace")
        await holds(pilot, 5)
        await pilot.press("q")
    async with app_on(ferry, tmp_path, state_path=state).run_test(size=VAST) as pilot:
        await holds(pilot, 5)
        assert not toasts(pilot), "nothing is hidden"
        await pilot.press("q")
    stored = json.loads(state.read_text(encoding="utf-8"))
    (vault,) = stored["vaults"].values()
    vault["browse"] = {
        "place": vault["browse"]["place"],
        "cursor": ["no"],
        "query": 7,
        "chosen": {"kind": "note"},
        "share": "x",
    }
    state.write_text(json.dumps(stored), encoding="utf-8")
    async with app_on(ferry, tmp_path, state_path=state).run_test(size=VAST) as pilot:
        await holds(pilot, 5)


async def test_coming_back_from_another_screen_reads_what_changed_there(
    ferry: Vault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(screen, "POLL_SECONDS", 3_600)
    async with app_on(ferry, tmp_path).run_test(size=VAST) as pilot:
        await holds(pilot, 5)
        await pilot.press("question_mark")
        await shows(pilot, "type to find")
        fill(ferry, [memory(9, "Added meanwhile", days=0)])
        await pilot.press("escape")
        await holds(pilot, 6)


@pytest.mark.parametrize("size", [NARROW, (40, 15)])
async def test_hostile_values_neither_crash_nor_shift_the_facets(tmp_path: Path, size: tuple[int, int]) -> None:
    vault = empty_vault(tmp_path)
    fill(vault, hostile_memories())
    async with app_on(vault, tmp_path).run_test(size=size, notifications=True) as pilot:
        await holds(pilot, len(HOSTILE))
        await pilot.press("1")
        await shows(pilot, "▾ Kind")
        pane = browser(pilot)._facets
        for fold in ("tag", "source"):
            pane.folded.discard(fold)
        pane._lay_out()
        last = len(pane._lines)
        for _ in range(0, last, 5):
            await pilot.press("space", *("j" * 5))
            strips = pilot.app.screen._compositor.render_strips()
            assert {strip.cell_length for strip in strips} == {size[0]}
            assert not any(sign in strip.text for strip in strips for sign in "\x1b\x07\u202e\t\n")
        await pilot.press("backspace", "2")
        await holds(pilot, len(HOSTILE))
        assert "2 Memories" in screen_text(pilot)
