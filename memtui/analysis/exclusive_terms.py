"""Terms of which a project uses only one: tools of one class, and words with an opposite."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_NONE: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class _Table:
    """The classes of `exclusive_terms.txt`, numbered by line.

    Attributes:
        classes: numbers of the classes that a name belongs to.
        tools: the classes of tools, as against values.
        names_of_two: names of two words, as they are written.
    """

    classes: dict[str, frozenset[int]]
    tools: frozenset[int]
    names_of_two: tuple[str, ...]


@cache
def _table() -> _Table:
    found: dict[str, set[int]] = {}
    tools: set[int] = set()
    section = ""
    for number, line in enumerate(Path(__file__).with_name("exclusive_terms.txt").read_text("utf-8").split("\n")):
        if line.startswith("["):
            section = line
        elif not line.startswith("#"):
            if section == "[tools]":
                tools.add(number)
            for name in line.split():
                found.setdefault(name, set()).add(number)
    pairs = sorted(name.replace("_", " ") for name in found if "_" in name and name != "snake_case")
    return _Table({name: frozenset(numbers) for name, numbers in found.items()}, frozenset(tools), tuple(pairs))


def classes_of(name: str) -> frozenset[int]:
    """Return the numbers of the classes that a name belongs to."""
    return _table().classes.get(name, _NONE)


def is_tool(name: str) -> bool:
    """Return whether a name is that of a tool rather than a value."""
    return bool(classes_of(name) & _table().tools)


def names_of_two() -> tuple[str, ...]:
    """Return the names of two words, as they are written."""
    return _table().names_of_two


def rivals(ones: Iterable[str], others: Iterable[str]) -> tuple[str, str] | None:
    """Return the first pair of names of which a project has one or the other."""
    rest = sorted(others)
    for one in sorted(ones):
        known = classes_of(one)
        for other in rest if known else ():
            if one != other and known & classes_of(other):
                return one, other
    return None
