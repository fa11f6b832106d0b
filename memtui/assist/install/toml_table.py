"""One table of a TOML file, added to its end or taken out as text; all else keeps its bytes."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

from memtui.errors import RefusedError, SourceError

_HEADER = re.compile(r"^[ \t]*\[(?P<name>[^\[\]\n]+)\][ \t]*(?:#[^\n]*)?$", re.MULTILINE)
_ANY_HEADER = re.compile(r"^[ \t]*\[", re.MULTILINE)
_QUOTED = re.compile(
    r'''(?P<long>"""(?:\\.|[^\\])*?"{3,5}|\'{3}.*?\'{3,5})|"(?:\\.|[^"\\\n])*"|'[^'\n]*'|#[^\n]*''', re.DOTALL
)
_BARE = re.compile(r"[A-Za-z0-9_-]+")

Path = tuple[str, ...]


def parse(text: str) -> dict[str, Any]:
    """Parse a whole text. Raises `SourceError`: it is not TOML."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SourceError("The file cannot be parsed", where=str(error)) from error
    except RecursionError as error:
        raise SourceError("The file cannot be parsed (nested too deeply)") from error


def get(values: Mapping[str, Any], path: Path) -> Any:
    """Return the value at a path, None if there is none."""
    value: Any = values
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def put(text: str, path: Path, table: Mapping[str, Any], newline: str = "\n") -> str:
    """Return a text with the keys of a table: in the one at the path, else in a new one at the end.

    Raises `RefusedError`: it cannot be added as text, as where its parent is an inline table.
    """
    values = parse(text)
    there = get(values, path)
    if there is None:
        gap = "" if not text else newline if text.endswith("\n") else newline * 2
        return _checked(text + gap + rendered(path, table, newline), values, path, table)
    if not isinstance(there, dict):
        raise _refused(path)
    start, end = _span(text, path)
    following = _ANY_HEADER.search(_unquoted(text), text.find("\n", start) + 1, end)
    end = following.start() if following else end
    own = text[start:end]
    for key, value in table.items():
        if there.get(key) != value:
            line = re.search(rf"^[ \t]*{re.escape(_key(key))}[ \t]*=[^\r\n]*", own, re.MULTILINE)
            if line is None and key in there:
                raise _refused(path)
            head = own.find("\n") + 1 or len(own)
            first, last = line.span() if line is not None else (head, head)
            new = f"{_key(key)} = {json.dumps(value, ensure_ascii=False)}" + (newline if line is None else "")
            own = f"{own[:first]}{new}{own[last:]}"
    return _checked(text[:start] + own + text[end:], values, path, {**there, **table})


def remove(text: str, path: Path) -> str:
    """Return a text without the table at a path, and without the blank line before it.

    Raises `RefusedError`: it does not stand there as a table of its own.
    """
    values = parse(text)
    if get(values, path) is None:
        return text
    start, end = _span(text, path)
    head = text[:start]
    if head.endswith("\r\n\r\n"):
        head = head[:-2]
    elif head.endswith("\n\n"):
        head = head[:-1]
    return _checked(head + text[end:], values, path, None)


def rendered(path: Path, table: Mapping[str, Any], newline: str = "\n") -> str:
    """Return a table of strings, numbers, booleans and lists as TOML."""
    # JSON's strings, numbers, booleans and lists are also TOML's.
    lines = [f"[{'.'.join(map(_key, path))}]"]
    lines += [f"{_key(key)} = {json.dumps(value, ensure_ascii=False)}" for key, value in table.items()]
    return newline.join([*lines, ""])


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else json.dumps(name, ensure_ascii=False)


def _span(text: str, path: Path) -> tuple[int, int]:
    """Return where a table begins and ends, those within it included; the blank lines after it stay."""
    spans, heads = [], _unquoted(text)
    for start, name in _headers(heads):
        if name[: len(path)] == path:
            following = _ANY_HEADER.search(heads, text.find("\n", start) + 1 or len(text))
            end = following.start() if following else len(text)
            spans.append((start, start + len(_without_blank_end(text[start:end]))))
    if not spans or any(_ANY_HEADER.search(heads, first[1], then[0]) for first, then in pairwise(spans)):
        raise _refused(path)
    return spans[0][0], spans[-1][1]


def _unquoted(text: str) -> str:
    """Return a text of the same length with nothing but blanks in its multi-line strings: no head stands in them."""
    return _QUOTED.sub(lambda found: re.sub(r"[^\r\n]", " ", found[0]) if found["long"] else found[0], text)


def _without_blank_end(text: str) -> str:
    """Return a text up to its last line that is neither blank nor a comment."""
    lines = text.splitlines(keepends=True)
    while lines and (not lines[-1].strip() or lines[-1].lstrip().startswith("#")):
        lines.pop()
    return "".join(lines)


def _headers(text: str) -> Iterator[tuple[int, Path]]:
    for match in _HEADER.finditer(text.replace("\r\n", " \n")):
        try:
            name = tomllib.loads(f"[{match['name']}]")
        except tomllib.TOMLDecodeError:
            continue
        keys: list[str] = []
        while name:
            key, name = next(iter(name.items()))
            keys.append(key)
        yield match.start(), tuple(keys)


def _checked(edited: str, values: dict[str, Any], path: Path, table: Mapping[str, Any] | None) -> str:
    """Return the text if it says what the old one said, but for the table."""
    try:
        found = tomllib.loads(edited)
    except tomllib.TOMLDecodeError:
        raise _refused(path) from None
    if get(found, path) != table or _without(found, path) != _without(values, path):
        raise _refused(path)
    return edited


def _without(values: dict[str, Any], path: Path) -> dict[str, Any]:
    """Return values without what is at a path, and without the tables that are empty then."""
    key, rest = path[0], path[1:]
    kept = {name: value for name, value in values.items() if name != key}
    inner = values.get(key)
    if rest and isinstance(inner, dict) and (inner := _without(inner, rest)):
        kept[key] = inner
    return kept


def _refused(path: Path) -> RefusedError:
    return RefusedError("The table cannot be edited as text", where=f"[{'.'.join(map(_key, path))}]")
