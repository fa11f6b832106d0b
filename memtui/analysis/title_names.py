"""The names in a list short enough for a title: ends of paths, commands without what all of them begin with."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile

from memtui.text.inline import HeldCode

_FEW_CELLS = 60  # What names may take that are told whole
_LONG_NAME, _LONG_PREFIX = 40, 24
_NO_PATH = re.compile(r"[\s<>{}*]")  # a command, or a pattern of which each part matters
_FEWEST_WORDS, _FEWEST_FOLDERS = 3, 2


def shorter_names(heads: Sequence[str], held: HeldCode) -> list[str]:
    """Return the items of a list, code shortened if any is long or all of it is, and items still differ."""
    names = [held.put_back(head) if len(head) == 1 else "" for head in heads]
    is_long = sum(len(name) + 2 for name in names) > _FEW_CELLS and len(names) > 1
    if not (is_long or any(len(name) > _LONG_NAME for name in names)):
        return list(heads)
    short = _without_common(names) if all(names) else names
    short = [_end_of_path(name) for name in short]
    if len(set(short)) < len(set(names)):
        return list(heads)
    return [
        held.take_out(f"`{new}`") if new and new != old else head
        for head, old, new in zip(heads, names, short, strict=True)
    ]


def _without_common(names: Sequence[str]) -> list[str]:
    """Return commands without the words that all of them begin with, if these are many and all go on behind them."""
    words = [name.split() for name in names]
    shared = list(takewhile(lambda same: len(set(same)) == 1, zip(*words, strict=False)))
    prefix = " ".join(same[0] for same in shared)
    is_long = len(shared) >= _FEWEST_WORDS and len(prefix) >= _LONG_PREFIX
    goes_on = all(len(own) > len(shared) and not own[len(shared)].startswith("-") for own in words)
    return [" ".join(own[len(shared) :]) for own in words] if is_long and goes_on else list(names)


def _end_of_path(name: str) -> str:
    """Return the end of a long path; other names as they are."""
    bare = name.rstrip("/")
    folders = bare.count("/") + (len(name) > _LONG_NAME)
    is_path = "/" in bare and folders >= _FEWEST_FOLDERS and not _NO_PATH.search(name)
    return f"…/{bare.rpartition('/')[2]}" if is_path else name
