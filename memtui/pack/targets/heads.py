"""What a memory is headed by in a payload: its title without the list that the text below it says."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

_COUNTED = re.compile(r",? and \d{1,4} more$")  # of a title that had no room for the rest of its list
_PARTS = re.compile(r", |; ")
_WORD = re.compile(r"\w+")
_LIST_MARK = re.compile(r"\s*(?:[-+*•|>]|\d{1,3}[.)])\s")
_CUT = "memtui show "  # Stands in a text of which something is left out
_FEWEST_LINES = 2  # Lines of which a list of several parts consists
_MOST_READ = 20_000  # Characters of a text in which its list is looked for


# While a person types a task the same memories are written again and again.
@lru_cache(maxsize=512)
def without_list(title: str, text: str, whole: str = "") -> str:
    """Return a title without the list at its end that a text says below its first line, one item a line.

    `Ropes: Knots: bowline, hitch and 2 more` gives `Ropes: Knots`. How many more there are is never said, and a title
    that is nothing but a list keeps what it names.

    `whole`: the text before some of it was left out, where that is not all of it.
    """
    named = _COUNTED.sub("", title)
    is_counted = named != title
    labels = named.split(": ")
    if not is_counted and len(labels) == 1:
        return title
    lines = _lines_below(text)
    for place in range(1, len(labels)):
        if _says_list(lines, ": ".join(labels[place:]), is_counted=is_counted):
            return ": ".join(labels[:place])
    if not is_counted or _CUT in text:
        return named
    known = _lines(whole or text)
    return named if any(_is_said(known, part) for part in _PARTS.split(labels[-1])) else title


def _lines_below(text: str) -> Sequence[frozenset[str]]:
    """Return the words of each line of a text, without a first one that is no item of a list."""
    return _lines(text)[0 if _LIST_MARK.match(text.strip("\n")) else 1 :]


def _lines(text: str) -> Sequence[frozenset[str]]:
    return [_words(line) for line in text[:_MOST_READ].strip().split("\n")]


def _says_list(lines: Sequence[frozenset[str]], listed: str, *, is_counted: bool) -> bool:
    """Return whether each part of a list is said by a line; one alone, by one that says nothing else."""
    parts = [_words(part) for part in _PARTS.split(listed)]
    found = [next((place for place, line in enumerate(lines) if part and part <= line), None) for part in parts]
    if len(parts) == 1 and not is_counted:
        return parts[0] in lines
    return None not in found and len(set(found)) >= min(len(parts), _FEWEST_LINES)


def _is_said(lines: Sequence[frozenset[str]], part: str) -> bool:
    words = _words(part)
    return bool(words) and any(words <= line for line in lines)


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.casefold()))
