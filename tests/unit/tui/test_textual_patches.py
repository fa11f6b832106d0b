"""Textual without our patches still does what each patch is for; a test that fails says that a patch can go."""

from __future__ import annotations

import ast
import gc
import os
import pty
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Iterable
from pathlib import Path
from typing import Any, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from support import child_environment
from textual import constants, events
from textual._styles_cache import StylesCache
from textual._xterm_parser import XTermParser
from textual.app import App, ComposeResult
from textual.binding import BindingType
from textual.color import Color
from textual.content import Content
from textual.css.parse import parse
from textual.css.stylesheet import Stylesheet
from textual.notifications import Notification, Notifications, SeverityLevel
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Input, Static, TextArea
from textual.widgets._toast import Toast, ToastHolder

from memtui.text.sanitize import sanitise
from memtui.tui.textual_patches.display import MOST_SHOWN, SECONDS, FewNotifications, KeptStylesheet, over_labels
from memtui.tui.textual_patches.input import CleanTextArea, KeyOrder, LiteralPastes, OneLineInput, Stripped


class Typing(Screen[None]):
    def compose(self) -> ComposeResult:
        yield Input(id="line")


class Pad(Widget, can_focus=True):
    BINDINGS: ClassVar[list[BindingType]] = [("o", "open")]

    def action_open(self) -> None:
        self.app.push_screen(Typing())


class Plain(App[None]):
    def compose(self) -> ComposeResult:
        yield Pad()


class Ordered(Plain):
    def __init__(self) -> None:
        super().__init__()
        self._key_order = KeyOrder(self)

    async def on_event(self, event: events.Event) -> None:
        if not self._key_order.keeps(event):
            await super().on_event(event)


@pytest.mark.parametrize(("kind", "typed"), [(Plain, ""), (Ordered, "x")])
async def test_a_key_that_is_typed_for_a_screen_that_comes_up_is_lost(kind: type[App[None]], typed: str) -> None:
    async with kind().run_test() as pilot:
        pilot.app.post_message(events.Key("o", "o"))
        pilot.app.post_message(events.Key("x", "x"))
        for _ in range(40):
            await pilot.pause(0.02)
        assert pilot.app.screen.query_one(Input).value == typed


def test_an_escape_sequence_within_a_paste_is_read_as_keys_that_come_before_its_text() -> None:
    found = list(XTermParser().feed("\x1b[200~before \x1b[31mred\x1b[201~"))
    assert isinstance(found[0], events.Key)
    assert [event.text for event in found if isinstance(event, events.Paste)] == ["before "]


class Fields(App[None]):
    def compose(self) -> ComposeResult:
        yield Input(id="input")
        yield OneLineInput(id="line", max_length=9)
        yield TextArea(id="area")
        yield CleanTextArea(id="clean")


async def test_a_line_keeps_the_first_line_of_a_paste_alone_and_a_text_its_control_characters() -> None:
    async with Fields().run_test() as pilot:
        for field in pilot.app.screen.query("Input, TextArea"):
            field.post_message(events.Paste("one\ntwo\x07three"))
        await pilot.pause()
        query = pilot.app.screen.query_one
        assert query("#input", Input).value == "one"
        assert query("#line", OneLineInput).value == "one twoth"
        assert "\x07" in query("#area", TextArea).text
        assert query("#clean", CleanTextArea).text == "one\ntwothree"


def test_a_sheet_of_many_texts_is_parsed_again_with_every_kind_of_widget(monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: list[str] = []

    def counting(scope: str, text: str, *arguments: Any, **values: Any) -> Iterable[Any]:
        parsed.append(text)
        return parse(scope, text, *arguments, **values)

    monkeypatch.setattr("textual.css.stylesheet.parse", counting)
    sheet = Stylesheet()
    for number in range(70):
        sheet.add_source(f"#one-{number} {{ width: {number}; }}", read_from=(f"at {number}", ""))
    sheet.parse()
    sheet.parse()
    assert len(parsed) > 70


def test_toasts_are_not_limited_in_number() -> None:
    toasts = Notifications()
    for number in range(MOST_SHOWN + 2):
        toasts.add(Notification(f"toast {number}", timeout=99, raised_at=4e9))
    assert len(toasts) > MOST_SHOWN


async def test_a_toast_that_was_taken_away_leaves_its_holder_behind() -> None:
    async with Plain().run_test(notifications=True) as pilot:
        pilot.app.notify("one", timeout=99)
        await pilot.pause(0.1)
        for notification in list(pilot.app._notifications):
            del pilot.app._notifications[notification]
        pilot.app._refresh_notifications()
        for _ in range(20):
            await pilot.pause(0.02)
        assert not pilot.app.screen.query(Toast)
        assert pilot.app.screen.query(ToastHolder)


def test_the_lines_that_a_closed_screen_drew_are_kept() -> None:
    cache = StylesCache()
    cache.get_inner_outer(Color(0, 0, 0), Color(1, 1, 1))
    kept = weakref.ref(cache)
    del cache
    gc.collect()
    assert kept() is not None
    StylesCache.get_inner_outer.cache_clear()
    gc.collect()
    assert kept() is None


async def test_an_app_keeps_a_text_area_that_is_gone_among_those_who_watch_it() -> None:
    async with Fields().run_test() as pilot:
        area = pilot.app.screen.query_one("#area", TextArea)
        await area.remove()
        await pilot.pause()
        watching = [node for watchers in getattr(pilot.app, "__watchers", {}).values() for node, _ in watchers]
        assert area in watching


def told_toasts(*severities: SeverityLevel) -> list[str]:
    """Return what stands on the screen after toasts of these sorts came one after the other."""
    toasts = FewNotifications()
    for number, severity in enumerate(severities):
        toasts.add(Notification(f"{severity} {number}", severity=severity, timeout=99, raised_at=4e9 + number))
    return [toast.message for toast in toasts]


def test_a_newer_toast_of_the_same_sort_takes_the_place_of_the_older() -> None:
    assert told_toasts("information", "information") == ["information 1"]
    assert told_toasts("error", "error", "error") == ["error 2"]


def test_two_sorts_stand_side_by_side_and_the_least_grave_makes_room() -> None:
    assert told_toasts("error", "information") == ["error 0", "information 1"]
    assert told_toasts("information", "error", "warning") == ["error 1", "warning 2"]
    assert told_toasts("warning", "error", "information") == ["error 1", "information 2"]
    assert len(told_toasts("information", "warning", "error", "information", "warning")) == MOST_SHOWN


def test_errors_stay_longer_than_facts() -> None:
    assert SECONDS["error"] > SECONDS["warning"] > SECONDS["information"]


TEXT = "#kept-once { color: $ferry; }"


def test_a_text_is_parsed_once_for_each_theme_whoever_has_the_sheet(monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: list[str] = []

    def counting(scope: str, text: str, *arguments: Any, **values: Any) -> Iterable[Any]:
        parsed.append(text)
        return parse(scope, text, *arguments, **values)

    monkeypatch.setattr("textual.css.stylesheet.parse", counting)
    colours = []
    for colour in ("#ff0000", "#0000ff", "#ff0000"):
        sheet = KeptStylesheet(variables={"ferry": colour})
        sheet.add_source(TEXT, read_from=("here", ""))
        colours.append(sheet.rules[0].styles.color.hex.lower())
    assert colours == ["#ff0000", "#0000ff", "#ff0000"]
    assert parsed == [TEXT, TEXT]

    sheet.set_variables({"ferry": "#0000ff"})
    sheet.reparse()
    assert sheet.rules[0].styles.color.hex.lower() == "#0000ff"
    assert parsed == [TEXT, TEXT]


START, END = "\x1b[200~", "\x1b[201~"
COLOURED = "before [/x] \x1b[31mred\x1b[0m after 漢字"


def read(parts: Iterable[str], burst: int = 0) -> list[tuple[str, object]]:
    """What a parser makes of what is read piece by piece."""
    parser = LiteralPastes(burst=burst)
    found: list[tuple[str, object]] = []
    for part in parts:
        for event in parser.feed(part):
            if isinstance(event, events.Paste):
                found.append(("paste", event.text))
            elif isinstance(event, Stripped):
                found.append(("stripped", event.number))
            elif isinstance(event, events.Key):
                found.append(("key", event.key))
    return found


def test_a_paste_with_escapes_is_one_text_between_the_keys_around_it_however_it_is_cut() -> None:
    data = f"a{START}{COLOURED}{END}b"
    expected = [("key", "a"), ("paste", "before [/x] red after 漢字"), ("stripped", 2), ("key", "b")]
    assert read([data]) == expected
    assert read(data) == expected, "a sign at a time"
    for place in range(1, len(data)):
        assert read([data[:place], data[place:]]) == expected, place


@pytest.mark.parametrize(
    ("pasted", "text", "number"),
    [
        ("", "", 0),
        (f"x{START}y{START}z", "xyz", 2),
        ("one\r\ntwo\tthree\rfour", "one\ntwo\tthree\nfour", 0),
        ("\x1b", "", 1),
        ("\x1b[20", "", 1),
        ("\x00\x07\x1b\x1b[2J" + "\x1b[201", "", 5),
        ("\x1b[<0;1;1M\x1b[A\x03q", "q", 3),
    ],
)
def test_whatever_stands_in_a_paste_is_no_key(pasted: str, text: str, number: int) -> None:
    stripped = [("stripped", number)] if number else []
    assert read([START + pasted + END]) == [("paste", text), *stripped]
    assert read(START + pasted + END) == [("paste", text), *stripped]


@pytest.mark.parametrize(
    ("sent", "keys"),
    [
        ("\x1bj", ["escape", "j"]),
        ("\x1bT", ["escape", "T"]),
        ("\x1b/", ["escape", "slash"]),
        ("\x1b\r", ["escape", "enter"]),
        ("\x1b2", ["escape", "2"]),
        ("\x1bjk", ["escape", "j", "k"]),
        ("\x1b\x1bj", ["escape", "escape", "j"]),
        ("\x1b[A", ["up"]),
        ("\x1bb", ["ctrl+left"]),
        ("\x1bm", ["alt+m"]),
    ],
)
def test_escape_and_a_key_that_a_slow_line_sends_at_once_are_two_keys(sent: str, keys: list[str]) -> None:
    parser = LiteralPastes(bound=frozenset({"alt+m"}))
    found = [*parser.feed(sent)]
    time.sleep(constants.ESCAPE_DELAY * 1.5)
    found += parser.tick()
    assert [event.key for event in found if isinstance(event, events.Key)] == keys


@pytest.mark.parametrize(
    "keys", ["jjjjjjjjjjjj", "/a filter", ":tidy up", "jjkkjjkk", "abcdefg", "\x1b[A\x1b[B\x1b[C", "a\x01bcdefghi"]
)
def test_keys_held_down_and_lines_typed_after_their_key_stay_keys(keys: str) -> None:
    assert all(name == "key" for name, _ in read([keys], burst=8))


def test_many_different_characters_at_once_are_a_paste_and_none_where_the_configuration_says_so() -> None:
    assert read(["git snapshot\r"], burst=8) == [("paste", "git snapshot\n")]
    assert len(read(["git snapshot\r"])) == len("git snapshot\r")
    assert read(["git snapshot", "x"], burst=8) == [("paste", "git snapshot"), ("key", "x")]


@given(st.text(st.sampled_from("a漢\x1b[]20~1;m\x07\r\n\t\x00"), max_size=60), st.integers(1, 9))
def test_any_text_comes_out_as_it_is_sanitised(pasted: str, size: int) -> None:
    if END in pasted + END[:-1]:
        return
    data = START + pasted + END + "b"
    found = read(data[place : place + size] for place in range(0, len(data), size))
    clean = sanitise(pasted)
    stripped = [("stripped", clean.removed)] if clean.removed else []
    assert found == [("paste", clean.text), *stripped, ("key", "b")]


def test_a_megabyte_is_one_paste() -> None:
    pasted = "x\x1b[31m" * 200_000
    data = START + pasted + END
    assert read(data[place : place + 4_096] for place in range(0, len(data), 4_096)) == [
        ("paste", "x" * 200_000),
        ("stripped", 200_000),
    ]


def test_keys_and_sequences_outside_of_pastes_are_read_as_ever() -> None:
    assert read(["\x1b[A", "\x1b[", "B", "q"]) == [("key", "up"), ("key", "down"), ("key", "q")]


APP = """
import sys
from pathlib import Path
from textual import constants, events
from textual.app import App
from memtui.tui.textual_patches.input import Stripped, driver_taking_pastes

class Taking(App):
    def get_driver_class(self):
        return driver_taking_pastes(super().get_driver_class())
    def on_ready(self):
        Path(sys.argv[1]).write_text("ready", "utf-8")
    taken = {}
    def on_paste(self, event):
        self.take("paste", event.text)
    def on_stripped(self, event):
        self.take("stripped", event.number)
    def on_key(self, event):
        self.exit(return_code=3)
    def take(self, name, value):
        self.taken[name] = value
        if len(self.taken) == 2:
            Path(sys.argv[1]).write_text(repr(self.taken), "utf-8")
            self.exit()

app = Taking()
app.run()
sys.exit(app.return_code)
"""


def test_a_paste_reaches_the_app_in_a_real_terminal(tmp_path: Path) -> None:
    told = tmp_path / "told"
    ours, its = pty.openpty()
    try:
        process = subprocess.Popen(
            [sys.executable, "-c", APP, str(told)],
            stdin=its,
            stdout=its,
            stderr=its,
            env={**child_environment(), "TERM": "xterm-256color"},
            start_new_session=True,
        )
        os.close(its)
        drawing = threading.Thread(target=_drain, args=(ours,), daemon=True)
        drawing.start()
        deadline = time.monotonic() + 60
        while not told.exists() and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.02)
        assert told.exists(), "the app never came up"
        os.write(ours, f"{START}{COLOURED}{END}".encode())
        assert process.wait(60) == 0
    finally:
        process.kill()
        os.close(ours)
    assert ast.literal_eval(told.read_text("utf-8")) == {"paste": "before [/x] red after 漢字", "stripped": 2}


def _drain(terminal: int) -> None:
    """Read what is drawn, so that drawing never waits."""
    try:
        while os.read(terminal, 65_536):
            pass
    except OSError:
        return  # the terminal is closed


async def test_a_toast_hides_the_whole_of_a_label_that_it_reaches_or_nothing_of_it() -> None:
    pane = Static(id="list")
    pane.styles.border = ("round", "red")
    pane.styles.height = 6

    class Labelled(App[None]):
        def compose(self) -> ComposeResult:
            yield pane

    async with Labelled().run_test(size=(40, 6)) as pilot:
        pane.border_subtitle = Content("[12] known")
        await pilot.pause()
        label = 40 - 2 - len(" [12] known ")
        for cells in range(5, 34):
            right = cell_len(over_labels(pilot.app.screen, "x" * cells)) + 5
            assert right <= label or right >= 40 - 2
        assert over_labels(pilot.app.screen, "short") == "short"
        pane.border_subtitle = Content("1 of 1")
        for cells in range(5, 34):
            right = cell_len(over_labels(pilot.app.screen, "x" * cells)) + 5
            assert right <= label or right >= 40 - 2, "a label that grows shows none of itself beside the toast"
