"""Every key of the table is answered by the screen that it belongs to."""

from __future__ import annotations

import importlib
import inspect
import pkgutil

import pytest

from memtui import tui
from memtui.tui.actions import registry
from memtui.tui.actions.table import ACTIONS, EVERYWHERE, GO
from memtui.tui.list_detail import MemtuiScreen


def screens() -> list[type[MemtuiScreen]]:
    """Return the classes that are shown: those with an owner of actions that no other is made from."""
    for module in pkgutil.walk_packages(tui.__path__, "memtui.tui."):
        importlib.import_module(module.name)
    found: list[type[MemtuiScreen]] = []
    waiting = [MemtuiScreen]
    while waiting:
        kinds = waiting.pop().__subclasses__()
        found += [kind for kind in kinds if kind.AREA and not kind.__subclasses__()]
        waiting += kinds
    return found


@pytest.mark.parametrize("screen", screens(), ids=lambda screen: screen.__name__)
def test_every_action_of_a_screen_has_a_method_that_takes_its_arguments(screen: type[MemtuiScreen]) -> None:
    for action in registry.of_owners(screen.AREA, EVERYWHERE):
        if action.id.startswith(GO):  # the app opens a screen
            continue
        method, *arguments = screen.ANSWERS.get(action.id) or (f"action_{action.method}",)
        if "." not in method:  # what a screen holds is asked for on a screen that is shown
            inspect.signature(getattr(screen, method)).bind(None, *arguments)
    assert set(screen.ANSWERS) <= {action.id for action in ACTIONS}, "an answer to no action"
