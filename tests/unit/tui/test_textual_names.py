"""Names of Textual that the app must not take: private attributes of its own, and one way out of a thread."""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
import textwrap
from collections.abc import Iterator
from functools import cache

import pytest
from textual.message_pump import MessagePump

import memtui.tui


def ours() -> Iterator[type[MessagePump]]:
    for module in pkgutil.walk_packages(memtui.tui.__path__, "memtui.tui."):
        for one in vars(importlib.import_module(module.name)).values():
            if isinstance(one, type) and issubclass(one, MessagePump) and one.__module__ == module.name:
                yield one


REPLACED = {"MemtuiApp": {"_notifications"}}
"""Attributes that are replaced on purpose, by `textual_patches`."""


@cache
def assigned(kind: type) -> set[str]:
    """Return the private attributes that the methods of a class assign to `self`."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(kind)))
    return {
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and isinstance(node.ctx, ast.Store)
        and isinstance(node.value, ast.Name)
        and node.value.id == "self"
        and node.attr.startswith("_")
    }


@pytest.mark.parametrize("kind", sorted(ours(), key=str), ids=str)
def test_no_private_name_of_textual_is_taken(kind: type[MessagePump]) -> None:
    bases = [base for base in kind.__mro__ if base.__module__.startswith("textual.")]
    theirs = {name for base in bases for name in assigned(base) | vars(base).keys()}
    assert not assigned(kind) & theirs - REPLACED.get(kind.__name__, set())


OVERRIDDEN = {
    ("CleanTextArea", "_on_paste"),
    ("FormArea", "_build_highlight_map"),
    ("FormTitle", "_on_key"),
    ("OneLineInput", "_on_paste"),
    ("TaskLine", "_on_key"),
}
"""Private methods of Textual that classes of ours override; one that Textual renames is no longer among the found."""


def test_a_private_method_that_is_overridden_is_still_one_of_textual() -> None:
    found = {
        (kind.__name__, name)
        for kind in ours()
        for name, value in vars(kind).items()
        if inspect.isfunction(value) and name.startswith("_") and not name.startswith("__")
        if any(name in vars(base) for base in kind.__mro__ if base.__module__.startswith("textual."))
    }
    assert found == OVERRIDDEN


def test_no_thread_waits_for_an_app_that_may_have_ended() -> None:
    # `call_from_thread` makes a coroutine, which nobody awaits where the loop ends first; `call_later` posts a message.
    callers = {
        module.name
        for module in pkgutil.walk_packages(memtui.tui.__path__, "memtui.tui.")
        if "call_from_thread" in inspect.getsource(importlib.import_module(module.name))
    }
    assert not callers
