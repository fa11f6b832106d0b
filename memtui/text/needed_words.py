"""Which words a pattern cannot do without, so that a text is only searched if it holds one of them."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Sequence
from itertools import product
from typing import Any

_MOST = 64  # Words that are told of a pattern: to look for more of them takes as long as to look for the pattern
_MOST_SIGNS = 4  # Signs of a class that are told apart
_LONG_ENOUGH = 4  # Signs of a word, from which a longer one is hardly rarer
_SHORTEST = 2
_MOST_REPEATED = 3
_NOTHING = frozenset(["AT", "ASSERT", "ASSERT_NOT"])  # Takes no sign of a text
_REPEATS = frozenset(["MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"])
_PARTS = {"SUBPATTERN": 3, "ATOMIC_GROUP": None}
"""Where the pattern inside of a group stands among its arguments; None if it is the argument."""

Words = frozenset[str]


def needed_in(pattern: str) -> tuple[str, ...]:
    """Return words of which a text holds at least one wherever a pattern matches; none if that cannot be told.

    `pattern`: a valid one, with regard to letter case.
    """
    parser: Any = importlib.import_module("re._parser")
    parsed = parser.parse(pattern)
    ignores_case = parsed.state.flags & parser.SRE_FLAG_IGNORECASE
    return () if ignores_case else tuple(sorted(_needed(parsed)))


def _needed(parts: Any) -> Words:
    """Return the best choice of words; empty if there is none."""
    found: list[Words] = []
    run: Words = frozenset([""])  # all that the parts before may be, as far as they can be listed
    for part in parts:
        listed = _listed(part)
        together = _joined(run, listed) if listed is not None else None
        if together is None:
            found.append(run)
            run = listed or frozenset([""])
        else:
            run = together
        if listed is None:
            found.append(_inside(part))
    return max(map(_shortest_only, [*found, run]), key=_worth)


def _worth(words: Words) -> tuple[int, int]:
    """Return how much is told by words: the more, the longer the shortest of them is and the fewer they are."""
    shortest = min(map(len, words), default=0)
    return (min(shortest, _LONG_ENOUGH), -len(words)) if shortest >= _SHORTEST else (0, 0)


def _shortest_only(words: Words) -> Words:
    """Return words without those that hold another; none if there are too many, or some say too little."""
    kept = frozenset(word for word in words if not any(other in word for other in words if other != word))
    return kept if len(kept) <= _MOST and _worth(kept) > (0, 0) else frozenset()


def _inside(part: tuple[Any, Any]) -> Words:
    """Return the words that a part cannot do without which may be more than can be listed."""
    name, arguments = str(part[0]), part[1]
    if name == "BRANCH":
        of_each = [_needed(branch) for branch in arguments[1]]
        return frozenset().union(*of_each) if all(of_each) else frozenset()
    if name in _REPEATS:
        return _needed(arguments[2]) if arguments[0] else frozenset()
    return _needed(_group(name, arguments)) if name in _PARTS and not _has_flags(part) else frozenset()


def _has_flags(part: tuple[Any, Any]) -> bool:
    """Return whether a part is a group with flags of its own, such as one without regard to letter case."""
    return str(part[0]) == "SUBPATTERN" and bool(part[1][1])


def _group(name: str, arguments: Any) -> Any:
    place = _PARTS[name]
    return arguments if place is None else arguments[place]


def _listed(part: tuple[Any, Any]) -> Words | None:
    """Return all that a part may be; None if that is too much to be listed."""
    name, arguments = str(part[0]), part[1]
    if name in _NOTHING:
        return frozenset([""])
    if name == "LITERAL":
        return frozenset([chr(arguments)])
    if name == "IN":
        is_few = len(arguments) <= _MOST_SIGNS and all(str(kind) == "LITERAL" for kind, _ in arguments)
        return frozenset(chr(sign) for _, sign in arguments) if is_few else None
    if name == "BRANCH":
        return _union(map(_listed_in_a_row, arguments[1]))
    if name in _REPEATS:
        return _repeated(*arguments)
    return _listed_in_a_row(_group(name, arguments)) if name in _PARTS and not _has_flags(part) else None


def _repeated(least: int, most: int, parts: Any) -> Words | None:
    once = _listed_in_a_row(parts) if most <= _MOST_REPEATED else None
    if once is None:
        return None
    times = [_joined(*[once] * number) for number in range(int(least), int(most) + 1)]
    return _union(times)


def _listed_in_a_row(parts: Iterable[tuple[Any, Any]]) -> Words | None:
    found: Words = frozenset([""])
    for part in parts:
        listed = _listed(part)
        together = _joined(found, listed) if listed is not None else None
        if together is None:
            return None
        found = together
    return found


def _joined(*rows: Words) -> Words | None:
    """Return everything that several choices make in a row; None if that is too much."""
    found: Words = frozenset([""])
    for words in rows:
        if len(found) * len(words) > _MOST:
            return None
        found = frozenset(map("".join, product(found, words)))
    return found


def _union(choices: Iterable[Words | None]) -> Words | None:
    known: Sequence[Words | None] = list(choices)
    told = [words for words in known if words is not None]
    together = frozenset[str]().union(*told)
    return together if len(told) == len(known) and len(together) <= _MOST else None
