"""Patterns that others wrote, matched so that none can hang: some are refused, the rest have a time limit.

How much work a pattern can make at most is counted from its parts. Little is done here; what may be much is done in a
child process, which is ended when it takes too long.
"""

from __future__ import annotations

import importlib
import json
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from time import monotonic
from typing import Any

LONGEST_LINE = 2_000  # Characters of a line that are looked at; longer lines are data or minified
MATCH_SECONDS = 1.0  # Time that one pattern gets for all its lines
ORDINARY_SECONDS = 0.2  # Few patterns take longer
PATIENCE_SECONDS = 10.0  # Time that all patterns together get that take longer than ordinary ones
LARGE = 16  # A repeat within another one that may go on longer than this is refused

MOST_STEPS = 32_000_000
"""Steps in one line that are made here, about a quarter of a second: nothing can end them."""

_ENDLESS = 10**12
_REPEATS = frozenset({"MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"})
_ONE_WAY = frozenset({"POSSESSIVE_REPEAT", "ATOMIC_GROUP", "ASSERT", "ASSERT_NOT"})
"""What is not tried in another way when something after it fails."""

_CHILD = """
import json, re, sys
for row in map(json.loads, sys.stdin):
    found = getattr(re.compile(row["pattern"]), row["how"])
    print(json.dumps([n for n, line in enumerate(row["lines"]) if found(line)]), flush=True)
"""


@lru_cache(maxsize=512)
def hanging_reason(pattern: str) -> str:
    """Return why a valid pattern is refused: it takes too long on many a line. Empty if it is not."""
    try:
        return _refusal(_parsed(pattern), outer=1)
    except RecursionError:
        return "its groups lie too deep within each other"


def _refusal(parts: Any, *, outer: int) -> str:
    """Return why a part of a pattern is refused. `outer`: how often it is repeated itself at most."""
    for operation, arguments in parts:
        name = str(operation)
        within = outer
        if name.startswith("GROUPREF"):
            return "it refers back to a group"
        if name in _REPEATS:
            least, most = int(arguments[0]), int(arguments[1])
            if outer > 1 and least != most and (most > LARGE or (outer > LARGE and most > 1)):
                return "a repeat holds another repeat"
            within = max(outer, most)
        reasons = (_refusal(inner, outer=within) for inner in _inside(name, arguments))
        if reason := next(filter(None, reasons), ""):
            return reason
    return ""


def _parsed(pattern: str) -> Any:
    parser: Any = importlib.import_module("re._parser")
    return parser.parse(pattern)


def _inside(name: str, arguments: Any) -> Sequence[Any]:
    """Return the patterns that a part holds."""
    if name in _REPEATS:
        return (arguments[2],)
    if name == "BRANCH":
        return tuple(arguments[1])
    if name == "SUBPATTERN":
        return (arguments[3],)
    if name in {"ASSERT", "ASSERT_NOT"}:
        return (arguments[1],)
    if name == "GROUPREF_EXISTS":
        return (arguments[1], arguments[2] or ())
    return (arguments,) if name == "ATOMIC_GROUP" else ()


@lru_cache(maxsize=512)
def _steps(pattern: str, longest: int) -> int:
    """Return how many steps a valid pattern takes at most in a line of some length."""
    try:
        return _cost(_parsed(pattern), longest)[1] * longest
    except RecursionError:  # groups within groups, more than this stack has room for: a child begins a stack of its own
        return _ENDLESS


def _cost(parts: Any, longest: int) -> tuple[int, int]:
    """Return in how many ways a pattern can match from one place at most, and the steps for trying all of them."""
    ways, steps = 1, 1
    for operation, arguments in parts:
        more_ways, more_steps = _cost_of_part(str(operation), arguments, longest)
        steps = min(_ENDLESS, steps + ways * more_steps)
        ways = min(_ENDLESS, ways * more_ways)
    return ways, steps


def _cost_of_part(name: str, arguments: Any, longest: int) -> tuple[int, int]:
    inside = _inside(name, arguments)
    if not inside:
        return 1, longest if name == "GROUPREF" else 1
    costs = [_cost(inner, longest) for inner in inside]
    ways, steps = sum(cost[0] for cost in costs), sum(cost[1] for cost in costs)
    if name in _REPEATS:
        least, most = int(arguments[0]), int(arguments[1])
        width = int(inside[0].getwidth()[0])
        # Beyond the least number, a repeat of nothing ends.
        most = min(most, longest // width + 1 if width else least + longest)
        ways, begun = _repeated(ways, min(least, most), most)
        steps *= begun
    return 1 if name in _ONE_WAY else ways, steps + 1


def _repeated(ways: int, least: int, most: int) -> tuple[int, int]:
    """Return in how many ways something with some ways can be repeated, and how often it is begun for that."""
    if ways == 1:
        return most - least + 1, most
    total, begun, power = 0, 0, 1
    for times in range(most + 1):
        if power >= _ENDLESS:
            return _ENDLESS, _ENDLESS
        total += power if times >= least else 0
        begun += power if times < most else 0
        power *= ways
    return total, begun


@dataclass(frozen=True, slots=True)
class Looked:
    """What a pattern found."""

    lines: tuple[int, ...] = ()  # positions of the lines that match
    in_time: bool = True  # False: it took too long, and nothing is known


@dataclass(slots=True)
class Matcher:
    """Matches patterns line by line."""

    seconds: float = MATCH_SECONDS
    patience: float = PATIENCE_SECONDS  # what is left of it
    _slow: set[str] = field(default_factory=set)  # patterns that took too long once

    def search(self, pattern: str, lines: Sequence[str], *, whole: bool = False) -> Looked:
        """Return which lines a valid pattern is found in; of a line only its first characters are looked at.

        `whole`: whether it has to match all of a line.
        """
        if pattern in self._slow:
            return Looked(in_time=False)
        if not lines:
            return Looked()
        cut = [line[:LONGEST_LINE] for line in lines]
        how = "fullmatch" if whole else "search"
        began = monotonic()
        if _steps(pattern, _rounded(max(map(len, cut)))) <= MOST_STEPS:
            looked = _here(pattern, cut, how, min(self.seconds, max(self.patience, ORDINARY_SECONDS)))
        else:
            looked = _apart(pattern, cut, how, min(self.seconds, self.patience))
        if not looked.in_time:
            self._slow.add(pattern)
        taken = monotonic() - began
        if taken > ORDINARY_SECONDS or not looked.in_time:
            self.patience = max(0.0, self.patience - taken)
        return looked


def _rounded(length: int) -> int:
    """Return a length that is no shorter, one of few."""
    return min(LONGEST_LINE, 1 << length.bit_length())


def _apart(pattern: str, lines: Sequence[str], how: str, seconds: float) -> Looked:
    """Match in a child process, which is ended when it takes too long."""
    import subprocess

    if not seconds:
        return Looked(in_time=False)
    row = json.dumps({"pattern": pattern, "lines": lines, "how": how})
    try:
        done = subprocess.run(
            [sys.executable, "-I", "-S", "-c", _CHILD],
            input=f"{row}\n".encode("ascii"),
            capture_output=True,
            check=False,
            timeout=seconds,
        )
        return Looked(tuple(json.loads(done.stdout))) if done.returncode == 0 else Looked(in_time=False)
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return Looked(in_time=False)


def _here(pattern: str, lines: Sequence[str], how: str, seconds: float) -> Looked:
    matches = getattr(re.compile(pattern), how)
    end = monotonic() + seconds
    found = []
    for position, line in enumerate(lines):
        if matches(line) is not None:
            found.append(position)
        if monotonic() > end:
            return Looked(in_time=False)
    return Looked(tuple(found))
