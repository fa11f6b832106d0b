"""What a text sets a name to, turns it into, and puts in which place: values that exclude those of another text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from memtui.analysis.claims import light_stems
from memtui.analysis.text_features import stems_of
from memtui.text.normal_form import plain_form

_ON, _OFF = "true on enabled yes", "false off disabled no"
_STATES = {word: state for state, words in (("on", _ON), ("off", _OFF)) for word in words.split()}
_SWITCHED = re.compile(
    r"(?P<name>[A-Za-z][\w.-]*[_.-][\w.-]*\w|[a-z]+[A-Z]\w*|[A-Z][A-Z0-9_]{2,}|--[\w-]+)`?"
    r"(?:\s*[:=]\s*`?|\s+(?:is|are|stays?|defaults? to|set to|must be|should be|turned|switched)\s+(?:\w+ ){0,2}?`?"
    r"|\s+)"
    rf"(?P<state>{'|'.join(_STATES)})\b",
    re.IGNORECASE,
)
"""A name of code and whether it is on."""

_BECOMES = re.compile(
    r"(?<![\w/])(?P<name>[\w./@-]*\w)`?\s*(?:becomes|turns into|is written|maps to|-> ?|=> ?|→ ?)"
    r"\s*`?(?P<value>[\w./@-]*\w)"
)
_ITEM = re.compile(r"^[ \t]*\d{1,2}[.)][ \t]+", re.MULTILINE)
_FIRST = re.compile(
    r"\b(?:first|before|beats|wins over|overrides|takes precedence over|trumps|goes ahead of|comes ahead of|prior to)\b"
)
_AFTER = re.compile(r"\b(?:after|once|only then)\b")
_PART_END = re.compile(r"[.;:\n]|,\s(?:and then|then)\b")
NEAR = 5  # Words of meaning on each side of what puts two acts in order


def sets_otherwise(own: str, filed: str) -> bool:
    """Return whether two sentences switch one name on and off, or turn it into different things."""
    mine, theirs = _states(own), _states(filed)
    if any(mine[name] != theirs[name] for name in mine.keys() & theirs.keys()):
        return True
    into, other = _turned_into(own), _turned_into(filed)
    return any(into[name] != other[name] for name in into.keys() & other.keys())


@lru_cache(maxsize=20_000)
def _states(text: str) -> dict[str, str]:
    """Return the names that a text switches; one that it switches both ways is left out."""
    found: dict[str, str] = {}
    for each in _SWITCHED.finditer(text):
        name, state = each["name"].lower(), _STATES[each["state"].lower()]
        found[name] = state if found.get(name, state) == state else ""
    return {name: state for name, state in found.items() if state}


@lru_cache(maxsize=20_000)
def _turned_into(text: str) -> dict[str, str]:
    return {each["name"]: each["value"] for each in _BECOMES.finditer(text) if each["name"] != each["value"]}


def turns_list_round(typed: str, filed: str) -> bool:
    """Return whether a text puts first what stands only in later items of a numbered list, and the earlier last."""
    items = _items(filed)
    if len(items) < 2:  # noqa: PLR2004 - an order has two
        return False
    return any(_is_turned(early, late, items) for early, late in _orders(typed))


def _is_turned(early: frozenset[str], late: frozenset[str], items: list[frozenset[str]]) -> bool:
    firsts = [place for place, item in enumerate(items) if early & item]
    lasts = [place for place, item in enumerate(items) if late & item]
    if not firsts or not lasts or min(firsts) <= max(lasts):
        return False
    # What both sides share with one item is not what is put in order.
    return not any(early & item and late & item for item in items)


@lru_cache(maxsize=2_000)
def _items(text: str) -> list[frozenset[str]]:
    return [_telling(part) for part in _ITEM.split(text)[1:]]


def _orders(text: str) -> Iterator[tuple[frozenset[str], frozenset[str]]]:
    """Yield what a text puts first and what it puts after that, in stems that only one of the two has."""
    for part in _PART_END.split(plain_form(text)):
        for cue, is_turned in ((_FIRST.search(part), False), (_AFTER.search(part), True)):
            if cue is None:
                continue
            left, right = _telling(part[: cue.start()], last=True), _telling(part[cue.end() :])
            early, late = (right, left) if is_turned else (left, right)
            if early - late and late - early:
                yield early - late, late - early


def _telling(text: str, *, last: bool = False) -> frozenset[str]:
    stems = [stem for stem in stems_of(plain_form(text)) if stem not in light_stems() and len(stem) > 1]
    return frozenset(stems[-NEAR:] if last else stems[:NEAR])
