"""Paths with alternatives in braces: `a.{h,c}` names `a.h` and `a.c`."""

from __future__ import annotations

import re
from collections.abc import Iterator

_BRACED = re.compile(r"([^\s`{}]{1,200}/[^\s`{}]{0,100})\{([\w./-]{1,60}(?:,[\w./-]{1,60}){1,5})\}([^\s`{}]{0,100})")

_OPENING = re.compile(r"\{[\w./-]{1,60},")
_BEGUN = re.compile(r"[^\s`{}]+")
_LONGEST = 300  # characters before a brace


def unbraced(path: str) -> list[str]:
    """Return the paths that one with alternatives in braces stands for, itself where it has none."""
    found = _BRACED.fullmatch(path)
    return _each(found) if found else [path]


def names_path(text: str, path: str) -> bool:
    """Return whether a text names a path, as it stands or with alternatives in braces."""
    return path in text or any(path in each for found in _braced_in(text) for each in _each(found))


def _braced_in(text: str) -> Iterator[re.Match[str]]:
    """Yield the paths with braces of a text, each found from its brace: a text may be one long run of signs."""
    for brace in _OPENING.finditer(text):
        begun = _BEGUN.match(text[max(0, brace.start() - _LONGEST) : brace.start()][::-1])
        found = begun and _BRACED.match(text, brace.start() - begun.end())
        if found:
            yield found


def _each(found: re.Match[str]) -> list[str]:
    return [found[1] + part + found[3] for part in found[2].split(",")]
