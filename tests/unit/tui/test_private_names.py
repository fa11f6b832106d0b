"""No screen, widget or app of ours sets a private attribute that Textual keeps for itself: both would break."""

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
