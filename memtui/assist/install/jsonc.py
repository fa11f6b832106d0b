"""JSON, with or without comments, parsed with positions."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from memtui.errors import SourceError

DEEPEST = 100  # Levels of nesting; no configuration has more

Key = str | int
Path = tuple[Key, ...]

_BLANK = re.compile(r"[ \t\r\n]*")
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_SCALAR = re.compile(r"-?\d[\d.eE+-]*|true|false|null")


@dataclass(frozen=True, slots=True)
class Dialect:
    """What a program accepts beyond JSON."""

    comments: bool = False
    trailing_commas: bool = False


STRICT = Dialect()


@dataclass(slots=True)
class Node:
    """A value and where it stands."""

    start: int
    end: int = 0
    value: Any = None
    items: list[Item] | None = None  # of an object or a list

    def item(self, key: Key) -> Item | None:
        """Return the member of an object, or the element of a list."""
        return next((item for item in self.items or () if item.key == key), None)


@dataclass(slots=True)
class Item:
    """A member of an object, or an element of a list."""

    key: Key
    start: int  # of the key, or of the element
    node: Node
    comma: int | None = field(default=None)  # where the comma after it stands


def parse(text: str, dialect: Dialect = STRICT) -> Node:
    """Parse a whole text; an empty one is an empty object.

    Raises `SourceError`: it is not valid, with line and column.
    """
    if not text.strip():
        return Node(len(text), len(text), {}, [])
    return _Parser(text, dialect).whole()


class _Parser:
    def __init__(self, text: str, dialect: Dialect) -> None:
        self._text = text
        self._dialect = dialect
        self._at = 0

    def whole(self) -> Node:
        node = self._value(0)
        self._skip()
        if self._at < len(self._text):
            raise self._error("something follows the end")
        return node

    def _error(self, what: str) -> SourceError:
        line = self._text.count("\n", 0, self._at) + 1
        column = self._at - (self._text.rfind("\n", 0, self._at) + 1) + 1
        return SourceError(f"The file cannot be parsed ({what})", where=f"line {line}, column {column}")

    def _skip(self) -> None:
        while True:
            self._at = end_of(_BLANK, self._text, self._at)
            if not self._text.startswith("/", self._at):
                return
            comment = _COMMENT.match(self._text, self._at)
            if comment is None:
                raise self._error("a stray /")
            if not self._dialect.comments:
                raise self._error("this program accepts no comments")
            self._at = comment.end()

    def _peek(self) -> str:
        self._skip()
        return self._text[self._at : self._at + 1]

    def _value(self, depth: int) -> Node:
        if depth > DEEPEST:
            raise self._error("nested too deeply")
        sign = self._peek()
        node = Node(self._at)
        if sign == "{":
            self._container(node, depth, "}")
        elif sign == "[":
            self._container(node, depth, "]")
        else:
            node.value = self._scalar(_STRING if sign == '"' else _SCALAR)
        node.end = self._at
        return node

    def _scalar(self, pattern: re.Pattern[str]) -> Any:
        match = pattern.match(self._text, self._at)
        try:
            value = json.loads(match[0]) if match else None
        except ValueError:
            match = None
        if match is None:
            raise self._error("a value is expected")
        self._at = match.end()
        return value

    def _container(self, node: Node, depth: int, closing: str) -> None:
        is_object = closing == "}"
        node.items = []
        self._at += 1
        while self._peek() != closing:
            if node.items and node.items[-1].comma is None:
                raise self._error(f"a comma or {closing} is expected")
            start = self._at
            key: Key = self._key(node.items) if is_object else len(node.items)
            node.items.append(Item(key, start, self._value(depth + 1)))
            if self._peek() == ",":
                node.items[-1].comma = self._at
                self._at += 1
        comma = node.items[-1].comma if node.items else None
        if comma is not None and not self._dialect.trailing_commas:
            self._at = comma
            raise self._error("this program accepts no trailing comma")
        self._at += 1
        values = [item.node.value for item in node.items]
        node.value = dict(zip((item.key for item in node.items), values, strict=True)) if is_object else values

    def _key(self, items: Sequence[Item]) -> str:
        key = self._scalar(_STRING)
        if any(item.key == key for item in items):
            raise self._error(f"the key {json.dumps(key)} stands twice")
        if self._peek() != ":":
            raise self._error("a colon is expected")
        self._at += 1
        return str(key)


def end_of(pattern: re.Pattern[str], text: str, at: int) -> int:
    match = pattern.match(text, at)
    return match.end() if match else at


def find(root: Node, path: Path) -> Node | None:
    """Return what stands at a path."""
    node: Node | None = root
    for key in path:
        item = node.item(key) if node is not None else None
        node = item.node if item is not None else None
    return node
