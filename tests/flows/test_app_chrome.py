"""Keys, help, palette, themes, and how the app is opened."""

from __future__ import annotations

import argparse
import inspect
import os
import re
import subprocess
import sys
import threading
from itertools import pairwise
from operator import attrgetter
from pathlib import Path
from typing import Any

import pytest
from flows.app_driver import (
    NARROW,
    PATIENT_SECONDS,
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
    screen_lines,
    screen_text,
    shows,
    toasts,
    until,
)
from flows.cli_driver import Cli
from rich.cells import cell_len
from textual.content import Content
from textual.pilot import Pilot
from textual.widgets import OptionList
from textual.widgets._toast import Toast

from memtui.tui.actions import registry
from memtui.tui.actions.registry import ACTIONS, MOST_HINTS, Keymap, hints
from memtui.tui.app import MemtuiApp
from memtui.tui.health.screen import HealthScreen
from memtui.tui.lab.screen import LabScreen
from memtui.tui.loader import Loader
from memtui.tui.review.screen import ReviewScreen
from memtui.tui.screens.palette import HelpScreen, PaletteScreen
from memtui.tui.state import Opening
from memtui.tui.themes import plain_style
from memtui.tui.widgets.detail import DetailPane
from memtui.tui.widgets.lines import TitleLine
from memtui.vault.filters import EVERYTHING, MemoryFilter
from memtui.vault.vault import Vault

pytestmark = pytest.mark.usefixtures("isolated")


async def test_help_finds_and_runs_every_act(ferry: Vault, tmp_path: Path) -> None:
    async with app_on(ferry, tmp_path).run_test(size=WIDE) as pilot:
        await holds(pilot, 5)
        await pilot.press("question_mark")
        await shows(pilot, "type to find")
        choices = pilot.app.screen.query_one("#help-list", OptionList)
        text = " ".join(" ".join(str(option.prompt) for option in choices.options).split())
        for action in registry.of_owners("browse", "filter", "everywhere", "pane"):
            assert action.title in text
        assert "Retired memories stay in the vault" in text
        await pilot.press(*"retire")
        await shows(pilot, "out of use, kept in the vault")
        await pilot.press("enter")
        await holds(pilot, 4)
        await pilot.press("question_mark", "escape")
        assert not isinstance(pilot.app.screen, HelpScreen)


def test_footer_help_and_bindings_come_from_one_registry() -> None:
    assert len({action.id for action in ACTIONS}) == len(ACTIONS)
    assert Keymap().problems == []
    for owner in {action.owner for action in ACTIONS}:
        keys = [key for action in ACTIONS if action.owner == owner for key in action.keys]
        assert len(keys) == len(set(keys)), f"a key of {owner} is bound twice"
    for place in {place for action in ACTIONS for place in action.places}:
        assert 0 < len(hints(place)) <= MOST_HINTS
    for action in ACTIONS:
        assert action.label == "" or action.places


async def test_browse_answers_every_action_of_its_own_and_of_all_screens(ferry: Vault, tmp_path: Path) -> None:
    async with app_on(ferry, tmp_path).run_test(size=WIDE) as pilot:
        screen = browser(pilot)
        for action in registry.of_owners("browse", "browse-due", "everywhere", "resembling"):
            method, *arguments = screen.ANSWERS.get(action.id) or (f"action_{action.method}",)
            if not action.id.startswith("go-"):
                inspect.signature(attrgetter(method)(screen)).bind(*arguments)


async def test_escape_goes_back_through_every_screen_to_where_one_came_from(ferry: Vault, tmp_path: Path) -> None:
    areas = ("inbox", "history", "context", "tidy", "packs", "lab", "health", "import", "capture", "assistants")
    way = ["browse", *areas, "publish", "team", "review"]
    async with app_on(ferry, tmp_path, project="ferry").run_test(size=NARROW) as pilot:
        await holds(pilot, 5)
        for area in way[1:]:
            await pilot.app.run_action(f"go('{area}')")
            await until(pilot, lambda area=area: area == pilot.app.screen.AREA, f"{area} is open")  # type: ignore[misc, attr-defined] # bound now
        for before, here in reversed(list(pairwise(way))):
            for _ in range(3):  # a line that is typed in, or a pane, is left first
                if here == pilot.app.screen.AREA:  # type: ignore[attr-defined] # they are screens of memtui
                    await pilot.press("escape")
                    await pilot.pause()
            assert before == pilot.app.screen.AREA  # type: ignore[attr-defined] # likewise
        await pilot.press("b")
        await until(pilot, lambda: pilot.app.screen.AREA == "inbox", "the Inbox is open")  # type: ignore[attr-defined] # likewise
        await pilot.press("H")
        await until(pilot, lambda: pilot.app.screen.AREA == "history", "History is open")  # type: ignore[attr-defined] # likewise
        await pilot.press("b")
        await until(pilot, lambda: pilot.app.screen.AREA == "inbox", "it is gone back to")  # type: ignore[attr-defined] # likewise
        assert len(pilot.app.screen_stack) == 2, "no screen is open twice"
        title = pilot.app.screen.query_one(TitleLine)
        title.place, title.counts = "harbour-office-of-the-northern-islands", ()
        title.note = "5 files read · 51 new → inbox"
        await until(pilot, lambda: f"{title.note}   ? help" in screen_lines(pilot)[0], "a long name leaves room for it")
        assert "   harbour-" in screen_lines(pilot)[0]
        title.counts, title.note = [Content(f"{number} in all") for number in (120, 7, 3)], ""
        await until(
            pilot, lambda: "120 in all   7 in all   ? help" in screen_lines(pilot)[0], "it leaves some for others"
        )


async def test_the_palette_finds_an_act_by_other_names_and_may_be_left_twice(ferry: Vault, tmp_path: Path) -> None:
    async with app_on(ferry, tmp_path).run_test(size=WIDE) as pilot:
        await holds(pilot, 5)
        await pilot.press("colon")
        await until(pilot, lambda: isinstance(pilot.app.screen, PaletteScreen), "the palette opened")
        for typed, found in (
            ("forget", "retire: take it out of use"),
            ("theme", "choose a theme"),
            ("xyzzy", "No such action"),
        ):
            await pilot.press(*("backspace",) * 6, *typed)
            await shows(pilot, found)
            if typed == "forget":
                await shows(pilot, "memtui purge, on the command line")
            await until(pilot, lambda: "read the memory" not in screen_text(pilot), "only what has the word is listed")
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, HelpScreen), "all acts are listed")
        await pilot.press(*"delete")
        await shows(pilot, "retire: take it out of use")
        await pilot.press(*("backspace",) * 6, *"xyzzy")
        await shows(pilot, "No such action")
        await pilot.press("escape")
        await until(pilot, lambda: pilot.app.screen is browser(pilot), "help is left")
        await pilot.press("colon")
        await until(pilot, lambda: isinstance(pilot.app.screen, PaletteScreen), "the palette opened once more")
        # Enter and escape in one breath: what was chosen comes after the palette is gone.
        palette = pilot.app.screen
        palette.dismiss()
        palette.dismiss()
        await until(pilot, lambda: pilot.app.screen is browser(pilot), "the list is in front")
        await pilot.press("j")
        await until(pilot, lambda: browser(pilot)._list.cursor == 1, "it answers")
        await pilot.press("colon")
        await until(pilot, lambda: isinstance(pilot.app.screen, PaletteScreen), "the palette opened again")
        await pilot.press("escape", "q")
    assert pilot.app.return_code == 0


async def test_keys_are_remapped_by_id_and_clashes_are_told(ferry: Vault, tmp_path: Path) -> None:
    keys = {"retire": "f6", "edit": "f2", "pin": "u", "pinn": "z", "filter": "?"}
    async with app_on(ferry, tmp_path, keys=keys).run_test(size=WIDE, notifications=True) as pilot:
        await holds(pilot, 5)
        (told,) = toasts(pilot)
        assert "keys.pinn: unknown action. Did you mean pin?" in told
        assert "keys.pin: u is undo already; p stays" in told
        assert "keys.filter: ? is help already; / stays" in told
        await shows(pilot, "f2 edit")
        await pilot.press("x")
        await holds(pilot, 5)
        await pilot.press("f6")
        await holds(pilot, 4)
        await pilot.press("ctrl+q")
    assert pilot.app.return_code == 0


async def test_a_theme_is_previewed_reverted_and_remembered(ferry: Vault, tmp_path: Path) -> None:
    state = tmp_path / "state" / "app.json"
    async with app_on(ferry, tmp_path, state_path=state).run_test(size=WIDE) as pilot:
        await holds(pilot, 5)
        for last, kept in (("escape", "memtui-dark"), ("enter", "memtui-light")):
            await pilot.app.run_action("change_theme")
            await shows(pilot, "enter keeps")
            choices = pilot.app.screen.query_one(OptionList)
            choices.highlighted = choices.get_option_index("memtui-light")
            names = [option.id for option in choices.options]
            own = [str(name).startswith("memtui-") for name in names]
            assert own == sorted(own, reverse=True), "ours stand first"
            await until(pilot, lambda: pilot.app.theme == "memtui-light", "the theme is previewed")
            await pilot.press(last)
            await until(pilot, lambda theme=kept: pilot.app.theme == theme, "the choice holds")  # type: ignore[misc] # a default binds the loop's value
        await pilot.press("q")
    again = app_on(ferry, tmp_path, state_path=state)
    assert again.theme == "memtui-light"
    state.write_text('{"theme": ["no', encoding="utf-8")
    assert app_on(ferry, tmp_path, state_path=state).theme == "memtui-dark"


async def test_the_screen_works_in_every_theme(ferry: Vault, tmp_path: Path) -> None:
    async with app_on(ferry, tmp_path).run_test(size=NARROW) as pilot:
        await shows(pilot, "Sail times are in UTC")
        assert {"memtui-dark", "memtui-light"} <= set(pilot.app.available_themes)
        assert pilot.app.theme == "memtui-dark"
        for name in pilot.app.available_themes:
            pilot.app.theme = name
            await pilot.pause()
            assert "Sail times are in UTC" in screen_text(pilot)


async def test_what_is_read_takes_the_colours_of_each_theme_that_is_looked_at(ferry: Vault, tmp_path: Path) -> None:
    async with app_on(ferry, tmp_path).run_test(size=WIDE) as pilot:
        await holds(pilot, 5)
        details = pilot.app.screen.query_one("#detail", DetailPane)
        await until(pilot, lambda: bool(details.plain_lines), "it is read")

        def colours() -> set[str]:
            styles = [segment.style for segment in details.render_line(0) if segment.text.strip()]
            return {style.color.name for style in styles if style is not None and style.color is not None}

        for name in ("memtui-light", "memtui-dark", "memtui-paper", "memtui-dark"):
            pilot.app.theme = name
            wanted = {str(pilot.app.available_themes[name].foreground)}
            await until(pilot, lambda wanted=wanted: colours() == wanted, f"the title in {name}")  # type: ignore[misc] # bound at once


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
        assert "Did you mean primary?" in lines[2]


def test_the_first_picture_needs_no_duckdb() -> None:
    script = (
        "import sys, memtui.tui.app, memtui.tui.browse.screen;"
        "print([name for name in ('duckdb', 'memtui.recall', 'memtui.curate', 'yaml') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_command_line_hands_on_what_it_was_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from memtui.cli.app import open_app

    opened: list[Opening] = []
    monkeypatch.setattr(MemtuiApp, "run", lambda app, **_: opened.append(app.opening))
    monkeypatch.chdir(tmp_path)
    vault = str(tmp_path / "v.duckdb")
    arguments = argparse.Namespace(vault=vault, project="ferry", actor="codex", kind=["note"], size=None)
    assert open_app(arguments, start="due") == 0
    assert open_app(arguments, vault=Vault(tmp_path / "demo.duckdb")) == 0
    review, demo = opened
    assert review.vault.path == tmp_path / "v.duckdb"
    assert (review.project, review.actor.name, review.start, review.kinds) == ("ferry", "codex", "due", ("note",))
    assert (demo.vault.path, demo.start, demo.kinds) == (tmp_path / "demo.duckdb", "list", ())
    with demo.vault.read() as reader:
        assert reader.count(MemoryFilter(scope=EVERYTHING)) == 0


@pytest.mark.usefixtures("isolated")
async def test_what_asks_for_care_beside_what_the_vault_holds(ferry: Vault, tmp_path: Path) -> None:
    async with app_on(ferry, tmp_path).run_test(size=NARROW, notifications=True) as pilot:
        await shows(pilot, "Lock refunds")
        await pilot.app.run_action("go('health')")
        await shows(pilot, "5 active memories")
        await shows(pilot, "! due                2")
        text = screen_text(pilot)
        assert ".0 .1 .2 .3" in text, "the freshness is drawn as columns"
        assert "T tidy" in text, "where duplicates, contradictions and dead anchors are fixed"
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, ReviewScreen), "the row of what is due leads to it")
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(pilot.app.screen, HealthScreen), "and back")
        await pilot.press("tab")
        await until(pilot, lambda: focused(pilot) == "health-holds", "the other pane")
        await pilot.press("G")
        await shows(pilot, "tied to no file")
        fill(ferry, [memory(9, "A ninth rule")])
        await shows(pilot, "6 active memories")
        await pilot.press("l")
        await until(pilot, lambda: isinstance(pilot.app.screen, LabScreen), "the lab, where something can be done")


@pytest.mark.usefixtures("isolated")
async def test_hostile_memories_do_no_harm_at_any_size(tmp_path: Path) -> None:
    vault = empty_vault(tmp_path)
    heart = "love \N{HEAVY BLACK HEART}\N{VARIATION SELECTOR-16} it"
    fill(vault, [*hostile_memories(), memory(99, heart, insight=heart)])
    async with app_on(vault, tmp_path).run_test(size=WIDE, notifications=True) as pilot:
        await until(pilot, lambda: "m0000099" in browser(pilot)._list.ids, "it is listed")
        browser(pilot)._list.go_to("m0000099")
        browser(pilot).say(heart)
        wanted, places = "love \N{HEAVY BLACK HEART} it", ("the row", "the title", "the text", "the toast")
        await until(pilot, lambda: screen_text(pilot).count(wanted) == len(places), f"{places} say it")
        assert "\N{VARIATION SELECTOR-16}" not in screen_text(pilot), "terminals disagree on its width"
        await pilot.app.run_action("go('health')")
        await shows(pilot, "active memories")
        for size in (WIDE, NARROW, (40, 15), (20, 8)):
            await pilot.resize_terminal(*size)
            await until(pilot, lambda size=size: pilot.app.screen.size == size, "it is resized")  # type: ignore[misc] # a default binds the size
            await pilot.press("pagedown", "R")
        assert isinstance(pilot.app.screen, HealthScreen)
        assert "\x1b" not in screen_text(pilot)
        assert not [toast for toast in toasts(pilot) if "Error" in toast]


def test_stats_tell_the_same_on_eighty_columns(demo: Cli) -> None:
    run = demo("stats")
    record = demo("stats", "--json").json
    assert all(cell_len(line) <= 80 for line in run.lines)
    assert f"active: {record['active']}" in run.out
    assert f"mean{record['freshness']['mean']:>23.2f}" in run.out
    assert sum(record["freshness"]["bins"]) == record["active"]
    assert record["most_useful"][0]["title"] in run.out
    assert {"by_path", "anchors", "duplicates", "contradictions", "review", "signals", "packs", "standing"} <= set(
        record
    )


def shown(pilot: Pilot[Any]) -> list[str]:
    return [str(toast.render()) for toast in pilot.app.screen.query(Toast)]


def stands_on_a_border(pilot: Pilot[Any], toast: Toast) -> None:
    """A toast takes four lines at most, one of them on a border; head, footer and corners stay in sight."""
    size, region = pilot.app.size, toast.region
    assert region.height <= 4
    assert region.y == 1 or region.bottom == size.height - 1
    assert region.right < size.width - 1
    assert screen_lines(pilot)[-2].rstrip().endswith("╯")


async def test_an_undo_takes_the_place_of_what_it_undid_and_the_row_in_hand_stays_in_sight(tmp_path: Path) -> None:
    vault = empty_vault(tmp_path)
    fill(vault, [memory(number, f"Memory {number}", days=number) for number in range(1, 61)])
    async with app_on(vault, tmp_path).run_test(size=NARROW, notifications=True) as pilot:
        await holds(pilot, 60)
        await pilot.press("G", "x")
        await until(pilot, lambda: any("Retired" in toast for toast in shown(pilot)), "it is told")
        toast = pilot.app.screen.query(Toast).first()
        pane = browser(pilot)._list
        await until(pilot, lambda: toast.region.bottom > 0, "it is drawn")
        stands_on_a_border(pilot, toast)
        row = pane.content_region.y + pane.head_lines + pane.cursor - pane.scroll_offset.y
        assert not toast.region.y <= row < toast.region.bottom
        await pilot.press("u")
        await until(pilot, lambda: any("Undone" in toast for toast in shown(pilot)), "the undo is told")
        await until(pilot, lambda: len(shown(pilot)) == 1, "it alone is told")
        await until(pilot, lambda: pane.current == "m0000060", "the cursor is back")
        line = pane.content_region.y + pane.head_lines + pane.cursor - pane.scroll_offset.y
        await until(pilot, lambda: "Memory 60" in screen_lines(pilot)[line], "its row is read")
        assert screen_lines(pilot)[line].rstrip("│ ").endswith("1 mo")
        await pilot.press("g")
        await until(
            pilot,
            lambda: all(toast.region.y >= pilot.app.size.height // 2 for toast in pilot.app.screen.query(Toast)),
            "the toast goes where the cursor is not",
        )
        for toast in pilot.app.screen.query(Toast):
            stands_on_a_border(pilot, toast)
        for cells in range(68, 80):
            browser(pilot).say(f"{('sails ' * 20)[: cells - 6]} end-{cells}")
            await shows(pilot, f"end-{cells}")
        await pilot.resize_terminal(40, 15)
        browser(pilot).say("Long words " * 30)
        await until(pilot, lambda: any("Long words" in toast for toast in shown(pilot)), "it is told")
        toast = pilot.app.screen.query(Toast).first()
        await until(pilot, lambda: 0 < toast.region.right <= 40, "it is laid out")
        stands_on_a_border(pilot, toast)


_SGR = re.compile(rb"\x1b\[([0-9;:]*)m")
_COLOURS = frozenset({*range(30, 50), *range(90, 108), 58, 59})


def colours_in(data: bytes) -> set[bytes]:
    """Return the codes that choose a colour, the terminal's own included."""
    found = set()
    for codes in _SGR.findall(data):
        for code in re.split(rb"[;:]", codes):
            if code and int(code) in _COLOURS:
                found.add(codes)
    return found


async def test_no_theme_draws_a_colour_and_the_cursor_is_seen(
    ferry: Vault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    app = app_on(ferry, tmp_path)
    async with app.run_test(size=WIDE) as pilot:
        await shows(pilot, "Lock refunds by payment_id")
        for theme in sorted(name for name in app.available_themes if name.startswith("memtui")):
            app.theme = theme
            await until(pilot, lambda name=theme: app.current_theme.name == name, theme)  # type: ignore[misc] # bound at once
            await pilot.press("down")
            await pilot.pause()
            strips = app.screen._compositor.render_strips()
            styles = [segment.style for strip in strips for segment in strip if segment.style is not None]
            assert not any(style.color or style.bgcolor for style in styles), theme
            marked = [strip.text for strip in strips if any(each.style and each.style.reverse for each in strip)]
            assert any("│" in text for text in marked), f"{theme}: a row of the list stands out"
        plain_style.cache_clear()


@pytest.mark.skipif(os.name != "posix", reason="a pseudo terminal")
@pytest.mark.parametrize("theme", ["memtui-dark", "memtui-ansi"])
def test_no_colour_code_reaches_the_terminal(ferry: Vault, tmp_path: Path, theme: str) -> None:
    from bench.terminal import Terminal

    vault = ferry.path
    environment = {"NO_COLOR": "1", "COLORTERM": "truecolor", "TEXTUAL_THEME": theme}
    command = [sys.executable, "-m", "memtui", "--vault", str(vault)]
    with Terminal(command, folder=tmp_path, environment=environment) as terminal:
        terminal.seconds_until("Lock refunds by payment_id")
        terminal.press(b"j")
        terminal.press(b"?")
        terminal.seconds_until("Help")
        written = b"".join(part for _, part in terminal._written)
    assert b"\x1b[7m" in written or b";7m" in written, "what stands out is reversed"
    assert colours_in(written) == set()


@pytest.mark.usefixtures("isolated")
async def test_every_screen_that_reads_says_so_until_it_has_something_to_show(
    ferry: Vault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate, run = threading.Event(), Loader.run
    gate.set()

    def waiting(loader: Loader, function: Any, then: Any = None, **how: Any) -> Any:
        def read(task: Any) -> Any:
            gate.wait(PATIENT_SECONDS)
            return function(task)

        return run(loader, read, then, **how)

    monkeypatch.setattr(Loader, "run", waiting)
    async with app_on(ferry, tmp_path).run_test(size=NARROW) as pilot:
        await holds(pilot, 5)
        for name in ("inbox", "review", "tidy", "packs", "history", "lab", "health", "capture", "assistants", "team"):
            gate.clear()
            await pilot.app.run_action(f"go('{name}')")
            await until(pilot, lambda: "…" in screen_lines(pilot)[-1], f"{name} says that it reads")
            assert "reading …" in screen_lines(pilot)[-1]
            gate.set()
            await until(pilot, lambda: "reading …" not in screen_lines(pilot)[-1], f"{name} has read")
        await pilot.app.run_action("go('inbox')")
        await shows(pilot, "The inbox is empty.")
        gate.clear()
        fill(ferry, [memory(9, "A ninth rule", status="candidate")])
        await until(pilot, lambda: "The inbox is empty." not in screen_text(pilot), "that is true no longer")
        assert any("reading …" in line for line in screen_lines(pilot)[:-1])
        gate.set()
        await shows(pilot, "A ninth rule")
