"""Amounts, times of day and versions in a text, and how to write those of two texts in one notation.

`60 minutes` and `1 hour` are one value, and so are `50 %` and `0.5`, `14:00` and `2 pm`, version 2.1 and 2.1.0. Whoever
compares two texts first puts them in one notation, so that only what differs in value differs in words. The units are
in `amounts.toml`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache

from memtui.text.tables import read_table

_NOTHING: frozenset[Fraction] = frozenset()


@dataclass(frozen=True, slots=True)
class Amount:
    """A number of a text with its unit."""

    text: str  # as written
    start: int  # where it stands in the text
    dimension: str  # `time`, `size`, `share`, `clock`, empty for a bare number
    values: frozenset[Fraction]  # what it may come to in base units of `amounts.toml`; of a time of day, minutes
    parts: tuple[int, ...] = ()  # the numbers between the dots of a bare number
    is_version: bool = False  # whether the number itself, or the word before it, says that it is a version
    name: str = ""  # of what has this version, in lower case, empty where that is not known

    @property
    def end(self) -> int:
        return self.start + len(self.text)


@dataclass(frozen=True, slots=True)
class _Table:
    units: Mapping[str, tuple[str, tuple[Fraction, ...]]]  # name to dimension and values
    words: Mapping[str, Fraction]
    versioned: frozenset[str]  # words before a version
    of_any: frozenset[str]  # those of them that do not tell of what
    unversioned: frozenset[str]  # words with a capital that may stand before other numbers
    digits: re.Pattern[str]
    in_words: re.Pattern[str]


@cache
def _table() -> _Table:
    stored = read_table(__file__, "amounts.toml")
    units = {
        name: (unit["dimension"], tuple(Fraction(str(value)) for value in unit["values"]))
        for unit in stored["unit"]
        for name in unit["names"].split()
    }
    words = {word: Fraction(str(value)) for word, value in stored["words"].items()}
    any_, before, other = (frozenset(stored["versions"][name].split()) for name in ("of_any", "before", "not"))
    return _Table(units, words, any_ | before, any_, other, *_patterns(units, words))


def dimension_of(unit: str) -> str:
    """Return the dimension of a unit, `time` or `size`; any other unit, such as `%`, is its own."""
    dimension = _table().units.get(unit, ("",))[0]
    return dimension if dimension in {"time", "size"} else unit


def _patterns(units: Mapping[str, object], words: Mapping[str, object]) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return what finds amounts in digits, from their first character on, and amounts in words."""
    named, worded = (
        "|".join(sorted((re.escape(name).replace(r"\ ", r"\s") for name in names), key=len, reverse=True))
        for names in (units, words)
    )
    after = rf"(?P<unit>{named})(?P<more>\sand\sa\shalf)?(?![\w%/])"
    digits = (
        r"(?<![\w.:/,#])(?<!\d[-–])(?:"
        r"(?P<hour>\d{1,2})(?::(?P<minute>[0-5]\d))?\s?(?P<half>[ap])(?:m\b|\.m\.)"
        r"|(?P<hour24>[01]?\d|2[0-4]):(?P<minute24>[0-5]\d)(?::00)?(?![\w:])"
        r"|(?P<hours>\d{1,3})h(?P<minutes>[0-5]\d)m?(?!\w)"
        rf"|(?P<number>{_GROUPED}|\d+(?:\.\d+)?)[\s-]?{after}"
        rf"|(?P<mark>v)?(?P<bare>{_GROUPED}|\d+(?:\.\d+)*)(?![\w:])"
        r")"
    )
    words_of = rf"\b(?:(?P<noon>noon|midnight)\b|(?P<word>{worded})[\s-]{after})"
    return re.compile(digits, re.IGNORECASE), re.compile(words_of, re.IGNORECASE)


_GROUPED = r"\d{1,3}(?:[,_'\u2009\u202f]\d{3})+(?![\d,])"
_DIGITS = re.compile("[0-9]+")
_NAMES_OF_UNITS = ("hour", "minute", "second", "day", "week", "month", "year", "percent", "noon", "midnight")
"""One of these is in every amount in words, so that most texts are not searched for them."""

_ARTICLE = (1, 2)  # Letters of `a` and `an`, which count only where a duration is told
_DURING = re.compile(
    r"\b(?:after|for|within|in|every|than|to|is|of|lasts?|takes?|least|most|about|until|=|:)\s*$", re.IGNORECASE
)
"""What stands before `an hour` that is a duration, and not a rate such as `twice a day`."""

_JOINT = re.compile(r",?\s?(?:and\s)?")
_THOUSANDS = re.compile(r"[,_'\u2009\u202f]")
_BEFORE = re.compile(r"([\w.-]*\w)(?P<between>[\s=:`*\"']{0,3})$")
_NEAR = 30  # Characters before an amount that are read
_NOON, _DAY = 12, 24  # Hours
_OF_VERSION = 3  # Numbers between dots that are a version in any case; four are an address
MOST_AMOUNTS = 40  # Amounts of one text that are compared; with more it is a table


def amounts_in(text: str) -> tuple[Amount, ...]:
    """Return the first amounts of a text as it is written, in order; `1 hour 30 minutes` is one."""
    found: list[Amount] = []
    for match in sorted(_matches(text), key=lambda match: match.start()):
        amount = _amount(match, text)
        if amount is None or (found and match.start() < found[-1].end):
            continue
        joined = _joined(found[-1], amount, text) if found else None
        if joined is not None:
            found[-1] = joined
        else:
            found.append(amount)
        if len(found) >= MOST_AMOUNTS:
            break
    return tuple(found)


def _matches(text: str) -> Iterator[re.Match[str]]:
    # The patterns are slow, so that they only see where an amount may begin.
    end = 0
    for digits in _DIGITS.finditer(text):
        start = digits.start()
        if start >= end:
            found = _table().digits.match(text, start - (text[start - 1 : start] in {"v", "V"}))
            if found is not None:
                yield found
                end = found.end()
    if any(map(text.lower().__contains__, _NAMES_OF_UNITS)):
        yield from _table().in_words.finditer(text)


def _amount(found: re.Match[str], text: str) -> Amount | None:
    groups = found.groupdict()
    if groups.get("bare"):
        return _bare(found, text)
    if groups.get("hours"):
        minutes = int(found["hours"]) * 60 + int(found["minutes"])
        return Amount(found[0], found.start(), "time", frozenset({Fraction(minutes * 60_000)}))
    if not groups["unit"]:
        at = _minutes(groups)
        return None if at is None else Amount(found[0], found.start(), "clock", frozenset({Fraction(at)}))
    table = _table()
    word, written, more = (groups.get("word") or "").lower(), found["unit"], found["more"]
    if len(word) in _ARTICLE and not more and not _DURING.search(text[max(0, found.start() - _NEAR) : found.start()]):
        return None
    dimension, values = table.units[written if written == "M" else written.lower()]
    if word and not dimension:
        return None
    count = table.words[" ".join(word.split())] if word else Fraction(_THOUSANDS.sub("", found["number"]))
    count += Fraction(1, 2) if more else 0
    return Amount(found[0], found.start(), dimension, frozenset(count * value for value in values))


def _minutes(groups: Mapping[str, str | None]) -> int | None:
    """Return a time of day in minutes after midnight, None if it is none."""
    if named := groups.get("noon"):
        return _NOON * 60 if named.lower() == "noon" else 0
    if on_clock := groups.get("hour24"):
        return int(on_clock) % _DAY * 60 + int(groups["minute24"] or 0)
    hour, half = int(groups.get("hour") or 0), groups.get("half") or ""
    if not 1 <= hour <= _NOON:
        return None
    return (hour % _NOON + (_NOON if half.lower() == "p" else 0)) * 60 + int(groups["minute"] or 0)


def _bare(found: re.Match[str], text: str) -> Amount:
    number = _THOUSANDS.sub("", found["bare"])
    parts = tuple(map(int, number.split(".")))
    values = frozenset({Fraction(number)}) if len(parts) < _OF_VERSION else _NOTHING
    name = _versioned(text, found.start(), len(parts))
    is_version = len(parts) <= _OF_VERSION and (bool(found["mark"] or name) or len(parts) == _OF_VERSION)
    name = "" if name in _table().of_any else name
    return Amount(found[0], found.start(), "", values, parts, is_version, name)


def _versioned(text: str, start: int, parts: int) -> str:
    """Return the word before a number if that has versions: a known name, or before dots one with a capital."""
    before = _BEFORE.search(text[max(0, start - _NEAR) : start])
    if before is None:
        return ""
    low = before[1].lower()
    is_named = before[1][0].isupper() and before["between"] == " " and low not in _table().unversioned
    return low if low in _table().versioned or (is_named and parts > 1) else ""


def _joined(first: Amount, second: Amount, text: str) -> Amount | None:
    """Return `1 hour` and `30 minutes` after it as one amount, None if they are two."""
    if first.dimension != "time" or second.dimension != "time" or not _JOINT.fullmatch(text[first.end : second.start]):
        return None
    if min(second.values) >= min(first.values):
        return None
    values = frozenset(one + other for one in first.values for other in second.values)
    return replace(first, text=text[first.start : second.end], values=values)


def are_equal(one: Amount, other: Amount) -> bool:
    """Return whether two amounts come to the same, in whatever notation."""
    if one.parts and other.parts and (one.is_version or other.is_version):
        return _without_zeros(one.parts) == _without_zeros(other.parts)
    if one.dimension != other.dimension:
        return _are_share_and_part(one, other) or _are_share_and_part(other, one)
    if len(one.parts) == len(other.parts) > 1 and one.parts[0] != 0:
        return one.parts == other.parts  # `2.1` and `2.10` may be versions
    return not one.values.isdisjoint(other.values)


def _are_share_and_part(share: Amount, part: Amount) -> bool:
    """Return whether two are such as `50 %` and `0.5`."""
    is_part = part.dimension == "" and len(part.parts) > 1 and part.parts[0] <= 1
    return share.dimension == "share" and is_part and not share.values.isdisjoint(part.values)


def begins(one: Amount, other: Amount) -> bool:
    """Return whether one of two versions names the other less exactly: 20 and 20.11."""
    if not (one.parts and other.parts and (one.is_version or other.is_version)):
        return False
    least = min(len(one.parts), len(other.parts))
    return one.parts[:least] == other.parts[:least]


def _without_zeros(parts: tuple[int, ...]) -> tuple[int, ...]:
    last = max((place for place, part in enumerate(parts) if part), default=0)
    return parts[: last + 1]


def changes_between(
    mine: Sequence[Amount], theirs: Sequence[Amount], *, loosely: bool = False
) -> list[tuple[Amount, str]]:
    """Return the amounts that another text has in another notation, each with that.

    `loosely`: also versions that the other names less or more exactly, so that they exclude nothing.
    """
    return list(_changes(mine, theirs, loosely=loosely)) if mine and theirs else []


def rewritten(text: str, changes: Sequence[tuple[Amount, str]]) -> str:
    """Return a text with the other notation of its amounts."""
    for amount, notation in reversed(changes):
        text = f"{text[: amount.start]}{notation}{text[amount.end :]}"
    return text


def _changes(mine: Sequence[Amount], theirs: Sequence[Amount], *, loosely: bool) -> Iterator[tuple[Amount, str]]:
    known = {_spelt(amount.text) for amount in theirs}
    # A text of several versions tells of a change.
    loosely = loosely and all(sum(amount.is_version for amount in amounts) <= 1 for amounts in (mine, theirs))
    for amount in mine:
        if _spelt(amount.text) in known:
            continue
        same = next((each for each in theirs if are_equal(amount, each)), None)
        if same is None and loosely:
            same = _less_exact(amount, theirs)
        if same is not None:
            yield amount, same.text


def _less_exact(amount: Amount, others: Sequence[Amount]) -> Amount | None:
    """Return the version that names the same one less or more exactly, None if there is none, or another beside it."""
    near = [each for each in others if each.parts and amount.parts and each.parts[0] == amount.parts[0]]
    return near[0] if near and all(begins(amount, each) for each in near) else None


def _spelt(text: str) -> str:
    return " ".join(text.lower().split())
