"""Titles of memories below each other in a list: the heading that they share is said once, then a dot stands for it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from memtui.domain.memory import Source
from memtui.text.sanitize import tame

SAME_HEADING = "· "  # In place of a heading that a row above names

_LEAST_HEADING = 3  # Characters; a shorter heading is a word of the text, and takes hardly any room
_LONGEST_HEADING = 48  # Characters; a longer one would leave no room for the title
_NUMBER = re.compile(r"^(?:\d+[.)]\s+|#+\s+)+")
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Titled:
    """A title, and the section of a file that its memory was read from."""

    title: str
    file: str = ""  # empty where there is none
    headings: tuple[str, ...] = ()  # of the section, outermost first

    @classmethod
    def of(cls, title: str, sources: Sequence[Source] = ()) -> Titled:
        """Return a title below the headings that the first source names."""
        first = next(iter(sources), None)
        path, _, slot = (first.native_id or "").rpartition("#") if first is not None else ("", "", "")
        if first is None or not first.path or not slot.isdecimal():
            return cls(title)
        return cls.within(title, first.path, path)

    @classmethod
    def within(cls, title: str, file: str | None, path: str) -> Titled:
        """Return a title below a path of headings, joined with ` > `."""
        return cls(title, file or "", tuple(path.split(" > ")) if file and path else ())

    def shares_section(self, other: Titled | None) -> bool:
        return other is not None and bool(self.headings) and (self.file, self.headings) == (other.file, other.headings)


def said_once(rows: Sequence[Titled | None]) -> Iterator[str]:
    """Yield what each row of a list is called below those above it; nothing for None, which is no memory.

    Of one section the first row names the heading, and the others have a dot in its place; the heading of a whole
    document is not asked for. A section whose first title begins with the heading of the one above it has a dot there,
    too.
    """
    above: Titled | None = None
    led = ""  # The title of the first row of the section above
    for place, one in enumerate(rows):
        if one is None:
            above, led = None, ""
            yield ""
            continue
        if one.shares_section(above):
            own = _own(one.title, one.headings)
            is_named = own != one.title or not led or _own(led, one.headings) != led
            yield SAME_HEADING + own if is_named or len(one.headings) > 1 else one.title
        else:
            below = rows[place + 1] if place + 1 < len(rows) else None
            yield _below(one, above, led) or (_with_heading(one) if one.shares_section(below) else one.title)
            led = one.title
        above = one


def title_at(titled: Callable[[int], Titled | None], place: int, first: int, count: int) -> str:
    """Return what one row of a list is called, as `said_once` does for all of it.

    `titled`: returns the row at a place. `first`: the first row in sight. `count`: how many rows there are.
    """
    start = max(place - 1, min(place, first))
    rows = [titled(each) for each in range(start, min(place + 2, count))]
    # Only a row of the same section above says what stands for its heading.
    while start > first and (top := rows[0]) is not None and top.shares_section(above := titled(start - 1)):
        rows.insert(0, above)
        start -= 1
    return next(islice(said_once(rows), place - start, None))


def _below(one: Titled, above: Titled | None, led: str) -> str:
    """Return a title with a dot for the heading that the section above begins with too; nothing where there is none."""
    heading, colon, _ = led.partition(": ")
    if not colon or len(heading) < _LEAST_HEADING:
        return ""
    if one.title.startswith(heading + colon):
        return SAME_HEADING + one.title.removeprefix(heading + colon)
    shared = [] if above is None or above.file != one.file else _common(one.headings, above.headings)
    return SAME_HEADING + one.title if shared and _says(shared[-1], heading) else ""


def _common(headings: Sequence[str], others: Sequence[str]) -> list[str]:
    """Return the headings that two sections stand under, without those of a document."""
    found = []
    for heading, other in zip(headings[:-1], others, strict=False):
        if heading != other:
            break
        found.append(heading)
    return found[1:]


@lru_cache(maxsize=1_000)
def _own(title: str, headings: tuple[str, ...]) -> str:
    """Return a title without the headings that it begins with."""
    part, colon, rest = title.partition(": ")
    is_heading = bool(rest) and any(_says(heading, part) for heading in headings)
    return _own(rest, headings) if colon and is_heading else title


@lru_cache(maxsize=1_000)
def _with_heading(one: Titled) -> str:
    """Return a title below the heading of its section, unless it says that itself or that is the document's."""
    heading = tame(_NUMBER.sub("", one.headings[-1])).rstrip(" :")
    is_said = _own(one.title, one.headings) != one.title or _words(heading) <= _words(one.title)
    fits = _LEAST_HEADING <= len(heading) <= _LONGEST_HEADING and len(one.headings) > 1
    return one.title if is_said or not fits else f"{heading}: {one.title}"


def _says(heading: str, words: str) -> bool:
    """Return whether a heading has all of these words."""
    return bool(wanted := _words(words)) and wanted <= _words(heading)


def _words(text: str) -> frozenset[str]:
    return frozenset(word.rstrip("s") for word in _WORD.findall(text.casefold()))
