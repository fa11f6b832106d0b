"""Textual without our patches still does what each patch is for; a test that fails says that a patch can go."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterable
from typing import Any, ClassVar

import pytest
from textual import events
from textual._styles_cache import StylesCache
from textual._xterm_parser import XTermParser
from textual.app import App, ComposeResult
from textual.binding import BindingType
from textual.color import Color
from textual.css.parse import parse
from textual.css.stylesheet import Stylesheet
from textual.notifications import Notification, Notifications
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Input, TextArea
from textual.widgets._toast import Toast, ToastHolder

from memtui.tui.textual_patches.display import MOST_SHOWN
from memtui.tui.textual_patches.input import CleanTextArea, KeyOrder, OneLineInput


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
