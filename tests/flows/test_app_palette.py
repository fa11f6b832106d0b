"""The palette, the help, the head and the footer of the screens."""

from __future__ import annotations

import re
import shutil
import threading
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from flows.app_driver import (
    NARROW,
    PATIENT_SECONDS,
    WIDE,
    app_on,
    browser,
    fill,
    focused,
    holds,
    memory,
    says,
    screen_lines,
    shows,
    stored,
    until,
)
from textual.pilot import Pilot
from textual.widgets import OptionList

from memtui.curate.tidy import proposals
from memtui.curate.tidy_report import TidyReport
from memtui.tui.actions import registry
from memtui.tui.actions.registry import ACTIONS, SCREENS, about
from memtui.tui.context.screen import ContextScreen
from memtui.tui.health.screen import HealthScreen
from memtui.tui.inbox.screen import InboxScreen
from memtui.tui.list_detail import MemtuiScreen
from memtui.tui.screens.palette import PaletteScreen
from memtui.tui.switching import SWITCH
from memtui.tui.tidy.screen import TidyScreen
from memtui.tui.widgets.lines import KeyHints, TitleLine
from memtui.vault.vault import Vault
from memtui.wording.health import NOT_KNOWN

pytestmark = pytest.mark.usefixtures("isolated")

GOING = [one.id.removeprefix("go-") for one in ACTIONS if one.id.startswith("go-") and one.id != SWITCH]


def listed(pilot: Pilot[Any]) -> list[str]:
    """Return the lines of palette or help, blanks run together."""
    return [" ".join(str(option.prompt).split()) for option in pilot.app.screen.query_one(OptionList).options]


async def reaches_every_line(pilot: Pilot[Any]) -> None:
    """Check that the keys show every line of the help, and skip none."""
    await pilot.resize_terminal(*NARROW)
    choices = pilot.app.screen.query_one(OptionList)
    await until(pilot, lambda: choices.size.width < NARROW[0] and choices.max_scroll_y > 0, "it is laid out again")
    page, end = choices.scrollable_content_region.height, choices.max_scroll_y
    tops = [0]
    while tops[-1] < end and len(tops) < end:
        await pilot.press("pagedown")
        tops.append(choices.scroll_offset.y)
    assert tops[-1] == end, "pagedown comes to the end"
    assert all(0 < after - before <= page for before, after in pairwise(tops)), "no line is skipped"
    await pilot.press("home", "end")
    assert choices.scroll_offset.y == end
    await pilot.press("down")
    assert choices.scroll_offset.y == 0, "from the end to the beginning"
    for move, last in ((choices.action_cursor_down, end), (choices.action_cursor_up, 0)):
        for _ in range(2 * end):
            before = choices.scroll_offset.y
            move()
            assert abs(choices.scroll_offset.y - before) <= page, "no line is skipped"
            if choices.scroll_offset.y == last:
                break
        assert choices.scroll_offset.y == last
    await pilot.press("up")
    assert choices.scroll_offset.y == end, "from the beginning to the end"
    await pilot.resize_terminal(*WIDE)


async def names_a_section(pilot: Pilot[Any], explained: Sequence[tuple[str, str]]) -> None:
    """Check that the beginning of its heading lists a section of the help as a whole."""
    number = len(listed(pilot))
    await pilot.press(*"words")
    await until(pilot, lambda: len(listed(pilot)) < number, "it is filtered")
    section = listed(pilot)[listed(pilot).index("Words and marks on this screen") + 1 :]
    assert section[: len(explained)] == [f"{word} {meaning}" for word, meaning in explained]


async def open_palette(pilot: Pilot[Any], key: str = "colon") -> None:
    await pilot.press(key)
    await until(pilot, lambda: isinstance(pilot.app.screen, PaletteScreen), "the palette opened")
    await until(pilot, lambda: len(listed(pilot)) > 0, "it is filled")


async def test_the_palette_lists_recent_then_places_then_the_screen_and_last_what_is_not_possible(
    ferry: Vault, tmp_path: Path
) -> None:
    state = tmp_path / "state" / "app.json"
    async with app_on(ferry, tmp_path, state_path=state).run_test(size=WIDE) as pilot:
        await holds(pilot, 5)
        await open_palette(pilot)
        lines = listed(pilot)
        assert lines[0] == "Go to"
        assert lines[1] == "Context: the payload for a task c"
        at = [lines.index(heading) for heading in ("Go to", "On this screen", "Not now")]
        assert at == sorted(at)
        assert lines.index("view clear every chosen facet – No facet is chosen. backspace") > at[-1]
        assert "memory retire: take it out of use, keep it in the vault x" in lines[at[1] : at[2]]
        await pilot.press(*"pin or", "enter")
        await until(pilot, lambda: browser(pilot)._list.current_row.pinned, "it was run")  # type: ignore[union-attr] # the row is there
        await open_palette(pilot, "ctrl+p")
        assert listed(pilot)[:2] == [
            "Recently used",
            "memory pin or unpin: a pinned memory never goes stale p",
        ]
        await pilot.press("escape", "q")
    async with app_on(ferry, tmp_path, state_path=state).run_test(size=WIDE) as pilot:
        await holds(pilot, 5)
        await open_palette(pilot)
        assert listed(pilot)[0] == "Recently used", "a later start knows it too"


async def test_the_likeliest_match_stands_first_and_what_cannot_be_run_says_why(ferry: Vault, tmp_path: Path) -> None:
    async with app_on(ferry, tmp_path).run_test(size=NARROW, notifications=True) as pilot:
        await holds(pilot, 5)
        await open_palette(pilot)
        await pilot.press(*"delete")
        await until(pilot, lambda: listed(pilot)[2:3] == ["On other screens"], "what means deleting is found")
        assert listed(pilot)[0].startswith("memory retire: take it out of use")
        assert "memtui purge" in listed(pilot)[1]
        await pilot.press(*("backspace",) * 6, *"facet")
        await until(pilot, lambda: "clear every chosen facet" in listed(pilot)[-1], "it stands last")
        assert all(len(line.rstrip()) <= NARROW[0] for line in screen_lines(pilot))
        last = len(listed(pilot)) - 1
        await pilot.press(*("down",) * last, "enter")
        await says(pilot, "No facet is chosen.")
        await open_palette(pilot)
        await pilot.press(*"xyzzy")
        await until(pilot, lambda: listed(pilot) == ["No such action enter lists all there are"], "nothing is found")
        await pilot.press("ctrl+u", *"pubish")
        await shows(pilot, "No such action. Did you mean publish?")


async def test_who_looks_for_settings_is_told_where_they_are(ferry: Vault, tmp_path: Path) -> None:
    async with app_on(ferry, tmp_path).run_test(size=WIDE) as pilot:
        await holds(pilot, 5)
        await open_palette(pilot)
        await pilot.press(*"settings")
        await shows(pilot, "settings: where they are changed")
        await pilot.press("enter")
        await says(pilot, "memtui config show")


async def test_an_action_of_another_screen_is_found_last_and_leads_there(ferry: Vault, tmp_path: Path) -> None:
    fill(ferry, [memory(11, "Quay nine floods at spring tide", status="candidate")])
    async with app_on(ferry, tmp_path).run_test(size=WIDE, notifications=True) as pilot:
        await holds(pilot, 5)
        await pilot.press("c")
        await until(pilot, lambda: isinstance(pilot.app.screen, ContextScreen), "Context is open")
        await open_palette(pilot, "ctrl+p")
        await pilot.press(*"reject")
        await until(pilot, lambda: listed(pilot)[:1] == ["On other screens"], "nothing here rejects")
        assert "on Inbox" in listed(pilot)[1]
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, InboxScreen), "the Inbox is open")
        await says(pilot, f"Inbox, x: {registry.by_id('inbox-reject').title}")
        assert stored(ferry, "m0000011").status == "candidate", "nothing is done to it by that"


async def test_help_finds_what_other_screens_do_and_says_of_what_cannot_be_gone_to_what_it_is_for(
    ferry: Vault, tmp_path: Path
) -> None:
    async with app_on(ferry, tmp_path).run_test(size=WIDE, notifications=True) as pilot:
        await holds(pilot, 5)
        await pilot.press("b")
        await until(pilot, lambda: isinstance(pilot.app.screen, InboxScreen), "the Inbox is open")
        await pilot.press("question_mark")
        await shows(pilot, "type to find")
        assert "On other screens" not in listed(pilot)
        await pilot.press(*"merge")
        await until(pilot, lambda: "On other screens" in listed(pilot), "others merge")
        lines = listed(pilot)[listed(pilot).index("On other screens") :]
        assert any(line.endswith("– on Browse") for line in lines)
        await pilot.press(*("down",) * (len(lines) - 2), "enter")
        await says(pilot, about("merge").purpose)
        assert isinstance(pilot.app.screen, InboxScreen)


async def test_help_begins_with_the_purpose_of_the_screen_and_its_keys_and_ends_with_its_words(
    ferry: Vault, tmp_path: Path
) -> None:
    async with app_on(ferry, tmp_path).run_test(size=WIDE) as pilot:
        await holds(pilot, 5)
        for area in ("browse", "inbox", "health", "lab"):
            await pilot.app.run_action(f"go('{area}')")
            await until(pilot, lambda area=area: area == pilot.app.screen.AREA, "it is open")  # type: ignore[misc,attr-defined] # a default binds the loop's value
            await pilot.press("question_mark")
            await shows(pilot, "type to find")
            await until(pilot, lambda: len(listed(pilot)) > 0, "it is filled")
            lines, told = listed(pilot), about(area)
            assert lines[:2] == [told.purpose, "Most useful here"]
            for place, key in enumerate(told.keys, 2):
                assert registry.by_id(key).title in lines[place]
            assert "Words and marks on this screen" in lines
            for word, meaning in told.words:
                assert f"{word} {meaning}" in lines
            if area == "inbox":
                await reaches_every_line(pilot)
                await names_a_section(pilot, told.words)
            await pilot.press("escape")


async def test_every_screen_has_the_same_head(ferry: Vault, tmp_path: Path) -> None:
    fill(ferry, [memory(11, "A quay of no project", status="candidate", project=None)])
    async with app_on(ferry, tmp_path).run_test(size=WIDE) as pilot:
        await holds(pilot, 5)
        for area in GOING:
            await pilot.app.run_action(f"go('{area}')")
            await until(pilot, lambda area=area: area == pilot.app.screen.AREA, "it is open")  # type: ignore[misc,attr-defined] # a default binds the loop's value
            title = pilot.app.screen._title  # type: ignore[attr-defined] # every screen has one
            head = f" memtui  {title.screen_name}"
            await until(pilot, lambda head=head: screen_lines(pilot)[0].startswith(head), "its name stands first")  # type: ignore[misc] # a default binds the loop's value
            assert re.search(r"   (\?|f1) help$", screen_lines(pilot)[0].rstrip())
        at = screen_lines(pilot)[0].index("? help")
        await pilot.click(TitleLine, offset=(at, 0))
        await shows(pilot, "type to find")
    assert set(GOING) <= set(SCREENS)


async def test_browse_and_inbox_count_the_same_and_say_what_has_no_project(ferry: Vault, tmp_path: Path) -> None:
    fill(
        ferry,
        [
            memory(11, "A quay of no project", status="candidate", project=None),
            memory(12, "A quay of the ferry", status="candidate"),
        ],
    )
    folder = tmp_path / "ferry"
    folder.mkdir()
    (folder / ".memtui-project").write_text("ferry\n", encoding="utf-8")
    async with app_on(ferry, tmp_path).run_test(size=WIDE) as pilot:
        await shows(pilot, "2 in inbox")
        await pilot.press("b")
        await until(pilot, lambda: isinstance(pilot.app.screen, InboxScreen), "it is open")
        await shows(pilot, "2 waiting")


async def test_the_footer_shows_the_keys_that_fit_and_the_one_for_all_others(ferry: Vault, tmp_path: Path) -> None:
    async with app_on(ferry, tmp_path).run_test(size=(60, 20)) as pilot:
        await holds(pilot, 5)
        await shows(pilot, "? more")
        footer = screen_lines(pilot)[-1].rstrip()
        assert footer.startswith(" / filter")
        assert footer.endswith("? more")
        assert len(footer) <= 60
        await pilot.resize_terminal(160, 40)
        await shows(pilot, "q quit")
        assert "more" not in screen_lines(pilot)[-1]
        await pilot.press("slash")
        await until(pilot, lambda: focused(pilot) == "filter", "it takes letters")
        await until(pilot, lambda: screen_lines(pilot)[0].rstrip().endswith("f1 help"), "? would be a letter here")
        await pilot.press("f1")
        await shows(pilot, "type to find")


async def test_a_hint_that_is_clicked_is_run_where_others_are_left_out(ferry: Vault, tmp_path: Path) -> None:
    async with app_on(ferry, tmp_path).run_test(size=(60, 20)) as pilot:
        await holds(pilot, 5)
        await shows(pilot, "? more")
        at = screen_lines(pilot)[-1].index("? more")
        await pilot.click(KeyHints, offset=(at, 0))
        await shows(pilot, "type to find")


async def test_a_row_that_was_edited_stays_in_the_filtered_list(ferry: Vault, tmp_path: Path) -> None:
    async with app_on(ferry, tmp_path).run_test(size=WIDE) as pilot:
        await holds(pilot, 5)
        await pilot.press("slash", *"quay", "enter")
        await holds(pilot, 1)
        await pilot.press("e")
        await until(pilot, lambda: focused(pilot) == "edit-title", "the form is open")
        await pilot.press(*("backspace",) * 30, *"Berth", "ctrl+s")
        await until(pilot, lambda: pilot.app.screen is browser(pilot), "it is saved")
        await shows(pilot, "Berth")
        await pilot.pause(0.3)
        assert browser(pilot)._list.current == "m0000005"
        await pilot.press("slash", "x")
        await until(pilot, lambda: not browser(pilot)._list.ids, "another filter is exact")


async def test_filter_words_of_other_programs_filter(ferry: Vault, tmp_path: Path) -> None:
    async with app_on(ferry, tmp_path).run_test(size=WIDE) as pilot:
        await holds(pilot, 5)
        await pilot.press("p")
        await until(pilot, lambda: any(row.pinned for row in browser(pilot)._list._rows.values()), "one is pinned")
        await pilot.press("slash", *"is:pinned")
        await holds(pilot, 1)
        await pilot.press(*("backspace",) * 9, *"is:due")
        await until(pilot, lambda: "m0000004" in browser(pilot)._list.ids, "what is due")
        assert isinstance(pilot.app.screen, MemtuiScreen)
        await pilot.press(*("backspace",) * 6, *"is:pined")
        await shows(pilot, "Did you mean pinned?")


async def test_health_counts_the_quick_figures_first_and_in_the_end_the_same_as_tidy(
    demo_master: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    may_compare = threading.Event()

    def slow(*given: Any, **how: Any) -> TidyReport:
        assert may_compare.wait(PATIENT_SECONDS)
        return proposals(*given, **how)

    monkeypatch.setattr("memtui.curate.health.proposals", slow)
    folder = tmp_path / "demo"
    shutil.copytree(demo_master, folder)
    vault = Vault(folder / "vault.duckdb", patience_seconds=5.0)
    async with app_on(vault, folder / "payments-api").run_test(size=WIDE) as pilot:
        await pilot.app.run_action("go('health')")
        await shows(pilot, "counting duplicates …")
        health = pilot.app.screen
        assert isinstance(health, HealthScreen)
        for known in ("active memories · reading …", "By kind", "dead anchors", "standing"):
            await shows(pilot, known)
        assert health._read is None
        may_compare.set()
        await until(pilot, lambda: health._read is not None, "all of it is counted")
        assert health._read is not None
        assert not {row.label for section in health._read.sections for row in section.rows if row.value == NOT_KNOWN}
        counted = {row.label: row.value for section in health._read.sections for row in section.rows}
        await pilot.press("T")
        await until(pilot, lambda: isinstance(pilot.app.screen, TidyScreen), "Tidy opened")
        tidy = pilot.app.screen
        assert isinstance(tidy, TidyScreen)
        await until(pilot, lambda: tidy._report is not None, "the pass is over")
        report = tidy._report
        assert report is not None
        found = (report.stale, report.duplicates, report.contradictions, report.anchors)
        names = ("due", "duplicates", "contradictions", "dead anchors")
        assert [counted[name] for name in names] == [f"{len(one):,}" for one in found]
        assert len(report.stale) > 0
        await pilot.app.run_action("go('browse')")
        await shows(pilot, f"{len(report.stale)} due")


async def test_newest_first_shows_ages_that_only_grow(ferry: Vault, tmp_path: Path) -> None:
    async with app_on(ferry, tmp_path).run_test(size=WIDE) as pilot:
        await holds(pilot, 5)
        await pilot.press("G", "Y")
        await until(pilot, lambda: any("verified" in line for line in screen_lines(pilot)), "it is verified")
        rows = [browser(pilot)._list.row(identifier) for identifier in browser(pilot)._list.ids]
        ages = [row.added_days for row in rows if row is not None]
        assert ages == sorted(ages)
        assert len(ages) == 5
        lines = [line for line in screen_lines(pilot) if " tool " in line and "Postgres 14 everywhere" in line]
        assert "9 mo" in lines[0], "the column says when it was added, not when it was verified"
