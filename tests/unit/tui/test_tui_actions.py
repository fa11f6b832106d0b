"""Keys of one's own. Every key of the table is answered by the screen that it belongs to."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from typing import TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.screen import Screen

from memtui import tui
from memtui.tui.actions import registry
from memtui.tui.actions.registry import ACTIONS, EVERYWHERE, GO, WIDGETS, Keymap
from memtui.tui.app import _SCREENS
from memtui.tui.list_detail import MemtuiScreen

T = TypeVar("T")


def test_keys_are_taken_as_people_write_them() -> None:
    keymap = Keymap({"filter": ",", "help": "f1, ?", "retire": "f6"})
    assert keymap.problems == []
    assert keymap.keys(registry.by_id("filter")) == ("comma",)
    assert keymap.keys(registry.by_id("help")) == ("f1", "question_mark")
    assert keymap.shown(registry.by_id("help")) == "f1 ?"
    assert keymap.for_textual() == {"filter": "comma", "help": "f1,question_mark", "retire": "f6"}


def test_two_acts_may_change_their_keys_with_each_other() -> None:
    keymap = Keymap({"pin": "x", "retire": "p"})
    assert keymap.problems == []
    assert keymap.first(registry.by_id("pin")) == "x"
    assert keymap.first(registry.by_id("retire")) == "p"


def test_every_key_is_shown_as_the_sign_on_the_keyboard() -> None:
    assert [key for action in ACTIONS for key in action.keys if "_" in registry.key_text(key)] == []


def test_quitting_is_never_taken_away() -> None:
    keymap = Keymap({"quit": "9", "pin": "ctrl+q"})
    assert keymap.problems == ["keys.pin: ctrl+q always quits"]
    assert keymap.first(registry.by_id("pin")) == "p"


def test_what_clashes_or_names_nothing_is_told_and_left_out() -> None:
    keymap = Keymap({"pin": "q", "retire": ",,", "rediscover": "z", "retre": "z"})
    assert keymap.first(registry.by_id("pin")) == "p"
    assert [problem.split(":")[0] for problem in keymap.problems] == [
        "keys.retire",
        "keys.rediscover",
        "keys.retre",
        "keys.pin",
    ]
    assert "Did you mean retire?" in keymap.problems[2]
    assert keymap.for_textual() == {}


@given(st.dictionaries(st.sampled_from([action.id for action in ACTIONS]), st.text(max_size=6), max_size=6))
def test_no_configuration_leaves_two_acts_on_one_key(chosen: dict[str, str]) -> None:
    keymap = Keymap(chosen)
    for owner in {action.owner for action in ACTIONS} - WIDGETS:
        acts = registry.of_owners(owner, "everywhere")
        keys = [key for action in acts for key in keymap.keys(action)]
        assert len(keys) == len(set(keys)), owner


def made_from(kind: type[T]) -> list[type[T]]:
    """Return the classes that are made from one, however deep."""
    for module in pkgutil.walk_packages(tui.__path__, "memtui.tui."):
        importlib.import_module(module.name)
    found: list[type[T]] = []
    waiting = [kind]
    while waiting:
        kinds = waiting.pop().__subclasses__()
        found += kinds
        waiting += kinds
    return found


def screens() -> list[type[MemtuiScreen]]:
    """Return the classes that are shown: those with an owner of actions that no other is made from."""
    return [kind for kind in made_from(MemtuiScreen) if kind.AREA and not kind.__subclasses__()]


@pytest.mark.parametrize("screen", screens(), ids=lambda screen: screen.__name__)
def test_every_action_of_a_screen_has_a_method_that_takes_its_arguments(screen: type[MemtuiScreen]) -> None:
    for action in registry.of_owners(screen.AREA, EVERYWHERE):
        if action.id.startswith(GO):  # the app opens a screen
            continue
        method, *arguments = screen.ANSWERS.get(action.id) or (f"action_{action.method}",)
        if "." not in method:  # what a screen holds is asked for on a screen that is shown
            inspect.signature(getattr(screen, method)).bind(None, *arguments)
    assert set(screen.ANSWERS) <= {action.id for action in ACTIONS}, "an answer to no action"


DEEPEST = 3
"""Classes of ours that a screen may be made of, one below the other; what is more is held instead of inherited."""


def test_no_screen_is_made_of_more_classes_of_ours_than_can_be_looked_through() -> None:
    depths = {
        kind.__name__: sum(base.__module__.startswith("memtui.") for base in kind.__mro__)
        for kind in made_from(Screen)
        if kind.__module__.startswith("memtui.")
    }
    assert {name: depth for name, depth in depths.items() if depth > DEEPEST} == {}


@pytest.mark.parametrize("area", _SCREENS)
def test_every_screen_that_can_be_gone_to_is_there(area: str) -> None:
    module, kind = _SCREENS[area]
    assert area == getattr(importlib.import_module(f"memtui.tui.{module}.screen"), kind).AREA
