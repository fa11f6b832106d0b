"""Find the rows of a JSON text: one object a line, or an array, an object with a list, objects one after another."""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from pathlib import Path

from memtui.domain.record import Record
from memtui.text.json_comments import plain_json, tokens, without_comments
from memtui.text.sanitize import decode

_NOTHING = re.compile(r"[\s,;\[\]{}]*\Z")
_NEXT_ROW = re.compile(r"^[ \t]*\{", re.MULTILINE)
_MOST_BROKEN = 50  # Rows without an end that are looked past; what follows so many is reported as one

_DEEPEST = 4

_LOOKED_AT_LINES = 20
_LOOKED_AT_BYTES = 64_000
_LONGEST_FIRST_LINE = 4_000_000


def first_lines(path: Path) -> list[str]:
    """Return the first lines without reading the whole file, which may be a transcript of many megabytes."""
    with path.open("rb") as handle:
        start = handle.read(_LOOKED_AT_BYTES)
        if len(start) == _LOOKED_AT_BYTES and b"\n" not in start:
            # A first line that is long, or broken, says nothing of those after it.
            start += handle.readline(_LONGEST_FIRST_LINE) + handle.read(_LOOKED_AT_BYTES)
    return [line for line in decode(start).text.split("\n") if line.strip()][:_LOOKED_AT_LINES]


@dataclass(frozen=True, slots=True)
class JsonRow:
    """An object of a JSON text, or a part that is none."""

    span: tuple[int, int]  # its lines, counted from 1, both inclusive
    value: Record | None = None  # the object; None if it cannot be read
    problem: str = ""  # why not
    text: str = ""  # the object as written


def rows_of(text: str, names: AbstractSet[str]) -> Iterator[JsonRow]:
    """Yield the rows of a text in their order; commas too many, comments and line ends in texts are forgiven.

    `names`: keys by which an object is a row; one without any of them that holds a list of objects holds rows.
    """
    lines = text.split("\n")
    if any(line.startswith("{") and not names.isdisjoint(_parsed(line.rstrip(", \r"))[0] or ()) for line in lines):
        for number, line in enumerate(lines, 1):
            yield from _rows_of_line(line, number) if line.strip() else ()
    else:
        yield from _Document(text, names).rows()


def _rows_of_line(line: str, number: int) -> Iterator[JsonRow]:
    span = (number, number)
    value, problem = _parsed(line)
    if value is not None:
        yield JsonRow(span, value, text=line)
        return
    found = list(_objects(line, 0, len(line)))
    values = [(_leniently(line[start:end]), line[start:end]) for start, end, _, ended in found if ended]
    rest = _without(line, found)
    if found and len(values) == len(found) and _NOTHING.match(rest) and all(one[0][0] is not None for one in values):
        yield from (JsonRow(span, one, text=written) for (one, _), written in values)
    elif line.strip() not in {"[", "]", "],", ","} and without_comments(line, hashes=True).strip():
        yield JsonRow(span, problem=problem)


def _parsed(text: str, *, strict: bool = True) -> tuple[Record | None, str]:
    """Return the object of a JSON text, or why there is none."""
    try:
        value = json.loads(text, strict=strict)
    except json.JSONDecodeError as error:
        place = f"line {error.lineno} of it, " if error.lineno > 1 else ""
        return None, f"invalid JSON: {error.msg}, {place}column {error.colno}"
    except (RecursionError, ValueError):  # nested without end; an integer of thousands of digits
        return None, "invalid JSON: nested too deeply, or a number too long"
    return (value, "") if isinstance(value, dict) else (None, "not a JSON object")


def _leniently(text: str) -> tuple[Record | None, str]:
    value, problem = _parsed(text)
    if value is not None or problem.startswith("not"):
        return value, problem
    value, _ = _parsed(plain_json(text, hashes=True), strict=False)
    return value, problem


_Place = tuple[int, int, bool, bool]
"""Start and end of an object, whether it stands in a list, and whether it is closed."""


def _objects(text: str, start: int, end: int) -> Iterator[_Place]:
    """Yield the outermost objects between two places; one that is never closed lasts to the next line with a `{`."""
    for attempt in range(_MOST_BROKEN):
        stack: list[str] = []
        depth, opened = 0, -1
        for token in tokens(text, start, end, hashes=True):
            sign = token[0]
            if sign in "{[":
                opened = token.start() if sign == "{" and not depth else opened
                depth += sign == "{"
                stack.append(sign)
            elif sign in "}]" and stack and stack[-1] == "{["[sign == "]"]:
                stack.pop()
                depth -= sign == "}"
                if sign == "}" and not depth:
                    yield opened, token.end(), stack[-1:] == ["["], True
                    opened, start = -1, token.end()
        if opened < 0:
            return
        following = _NEXT_ROW.search(text, opened + 1, end) if attempt < _MOST_BROKEN - 1 else None
        start = following.start() if following else end
        yield opened, start, "[" in stack, False


def _without(text: str, places: list[_Place]) -> str:
    """Return what stands outside of objects, without comments."""
    rest, position = [], 0
    for start, end, _, _ in places:
        rest.append(text[position:start])
        position = end
    return without_comments("".join([*rest, text[position:]]), hashes=True)


class _Document:
    """A JSON text that is not one object a line."""

    def __init__(self, text: str, names: AbstractSet[str]) -> None:
        self._text = text
        self._names = names
        self._line_ends = [found.start() for found in re.finditer("\n", text)]

    def rows(self) -> Iterator[JsonRow]:
        position = 0
        for place in _objects(self._text, 0, len(self._text)):
            yield from self._between(position, place[0])
            yield from self._rows_at(place, 0)
            position = place[1]
        yield from self._between(position, len(self._text))

    def _rows_at(self, place: _Place, depth: int) -> Iterator[JsonRow]:
        start, end, in_list, closed = place
        written = self._text[start:end].rstrip(", \t\r\n")
        span = (self._line(start), self._line(start + len(written) - 1))
        value, problem = _leniently(written) if closed else (None, "invalid JSON: the object is never closed")
        row = JsonRow(span, value, problem if value is None else "", written)
        if value is None or depth == _DEEPEST or not self._names.isdisjoint(value):
            yield row
            return
        within = [one for inner in _objects(self._text, start + 1, end - 1) for one in self._rows_at(inner, depth + 1)]
        yield from within or ([row] if in_list or not depth else [])

    def _between(self, start: int, end: int) -> Iterator[JsonRow]:
        """Yield the lines between two objects that hold more than punctuation and comments."""
        rest = without_comments(self._text[start:end], hashes=True)
        for number, line in enumerate(rest.split("\n"), self._line(start)):
            if not _NOTHING.match(line):
                yield JsonRow((number, number), problem=_parsed(line.strip())[1] or "not a JSON object")

    def _line(self, position: int) -> int:
        return bisect_right(self._line_ends, position - 1) + 1
