"""Patterns that others wrote, matched so that none can hang: some are refused, the rest have a time limit.

A pattern with one open repeat takes at most quadratic time in a line of bounded length and is matched here. Others are
matched in a child process, which is ended when it takes too long.
"""

from __future__ import annotations

import importlib
import json
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from time import monotonic
from typing import Any

LONGEST_LINE = 2_000  # Characters of a line that are looked at; longer lines are data or minified
MATCH_SECONDS = 1.0  # Time that one pattern gets for all its lines
LARGE = 16  # A repeat that may go on longer than this counts as open

_REPEATS = frozenset({"MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"})
_PARTS = {"SUBPATTERN": 3, "ASSERT": 1, "ASSERT_NOT": 1, "ATOMIC_GROUP": None}
"""Where the pattern inside of a group stands among its arguments; None if it is the argument."""

_CHILD = """
import json, re, sys
for row in map(json.loads, sys.stdin):
    found = re.compile(row["pattern"])
    print(json.dumps([n for n, line in enumerate(row["lines"]) if found.search(line)]), flush=True)
"""


@lru_cache(maxsize=512)
def hanging_reason(pattern: str) -> str:
    """Return why a valid pattern might never end on some line, empty if it cannot."""
    shape = _shape(pattern)
    if shape.refers_back:
        return "it refers back to a group"
    return "a repeat holds another repeat" if shape.nested else ""


@dataclass(slots=True)
class _Shape:
    """What decides the time that a pattern takes."""

    risks: int = 0  # open repeats, and choices inside of repeats; with one at most the time is quadratic
    nested: bool = False  # whether a repeat holds another one
    refers_back: bool = False


@lru_cache(maxsize=512)
def _shape(pattern: str) -> _Shape:
    parser: Any = importlib.import_module("re._parser")
    shape = _Shape()
    _look(parser.parse(pattern), shape, outer=1)
    return shape


def _look(parts: Any, shape: _Shape, *, outer: int) -> None:
    """Note the repeats of a parsed pattern. `outer`: how often it is repeated itself at most."""
    for operation, arguments in parts:
        name = str(operation)
        if name in _REPEATS:
            least, most, repeated = int(arguments[0]), int(arguments[1]), arguments[2]
            shape.risks += most > LARGE
            if outer > 1 and least != most:
                shape.risks += 2
                shape.nested = shape.nested or most > LARGE or (outer > LARGE and most > 1)
            _look(repeated, shape, outer=max(outer, most))
        elif name == "BRANCH":
            shape.risks += outer > 1
            for branch in arguments[1]:
                _look(branch, shape, outer=outer)
        elif name in _PARTS:
            _look(_part(name, arguments), shape, outer=outer)
        elif name.startswith("GROUPREF"):
            shape.refers_back = True


def _part(name: str, arguments: Any) -> Any:
    place = _PARTS[name]
    return arguments if place is None else arguments[place]


@dataclass(frozen=True, slots=True)
class Looked:
    """What a pattern found."""

    lines: tuple[int, ...] = ()  # positions of the lines that match
    in_time: bool = True  # False: it took too long, and nothing is known


@dataclass(slots=True)
class Matcher:
    """Matches patterns line by line."""

    seconds: float = MATCH_SECONDS
    _slow: set[str] = field(default_factory=set)  # patterns that took too long once

    def search(self, pattern: str, lines: Sequence[str]) -> Looked:
        """Return which lines a valid pattern is found in; of a line only its first characters are looked at."""
        if pattern in self._slow:
            return Looked(in_time=False)
        if not lines:
            return Looked()
        cut = [line[:LONGEST_LINE] for line in lines]
        looked = _here(pattern, cut, self.seconds) if _shape(pattern).risks <= 1 else self._apart(pattern, cut)
        if not looked.in_time:
            self._slow.add(pattern)
        return looked

    def _apart(self, pattern: str, lines: Sequence[str]) -> Looked:
        """Match in a child process, which is ended when it takes too long."""
        import subprocess

        row = json.dumps({"pattern": pattern, "lines": lines})
        try:
            done = subprocess.run(
                [sys.executable, "-I", "-S", "-c", _CHILD],
                input=f"{row}\n".encode("ascii"),
                capture_output=True,
                check=False,
                timeout=self.seconds,
            )
            return Looked(tuple(json.loads(done.stdout))) if done.returncode == 0 else Looked(in_time=False)
        except (OSError, ValueError, subprocess.TimeoutExpired):
            return Looked(in_time=False)


def _here(pattern: str, lines: Sequence[str], seconds: float) -> Looked:
    end = monotonic() + seconds
    found = []
    for position, is_match in enumerate(_each(re.compile(pattern), lines)):
        if is_match:
            found.append(position)
        if monotonic() > end:
            return Looked(in_time=False)
    return Looked(tuple(found))


def _each(pattern: re.Pattern[str], lines: Sequence[str]) -> Iterator[bool]:
    return (pattern.search(line) is not None for line in lines)
