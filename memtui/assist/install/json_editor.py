"""Splices in JSON: entries come and go, all else keeps its bytes."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from memtui.assist.install.jsonc import STRICT, Dialect, Item, Node, Path, end_of, find, parse
from memtui.errors import RefusedError

_REST_OF_LINE = re.compile(r"[ \t]*(?://[^\n\r]*|/\*[^\n\r]*?\*/)?[ \t]*(?=\r?\n)")


class Editor:
    """A text that is edited by splices; after each it is parsed again."""

    def __init__(self, text: str, dialect: Dialect = STRICT, newline: str = "\n") -> None:
        self.text = text
        self._dialect = dialect
        self._newline = newline
        self.root = parse(text, dialect)

    @property
    def value(self) -> Any:
        return self.root.value

    @property
    def has_comment(self) -> bool:
        """Whether a comment stands around the value of the file or between its members."""
        around = self.text[: self.root.start] + self.text[self.root.end :]
        return bool(around.strip()) or self._has_comment(self.root)

    def get(self, path: Path) -> Any:
        """Return the value at a path, None if there is none."""
        node = find(self.root, path)
        return node.value if node is not None else None

    def put(self, path: Path, value: Any) -> None:
        """Set a value, in place where there is one; missing containers are made.

        Raises `RefusedError`: something on the way is not an object.
        """
        for depth in range(len(path)):
            node = find(self.root, path[:depth])
            if node is not None and node.item(path[depth]) is not None:
                continue
            if node is None or not isinstance(node.value, dict):
                raise RefusedError("An object is expected here", where="/".join(map(str, path[:depth])) or "the file")
            for key in reversed(path[depth + 1 :]):
                value = {key: value}
            self._add(node, value, key=str(path[depth]))
            return
        node = find(self.root, path)
        if node is not None and node.value != value:
            self._splice((node.start, node.end, self._rendered(value, node.start)))

    def append(self, path: Path, value: Any) -> None:
        """Add an element to the end of a list; a missing list is made."""
        node = find(self.root, path)
        if node is None:
            self.put(path, [value])
        elif not isinstance(node.value, list):
            raise RefusedError("A list is expected here", where="/".join(map(str, path)))
        else:
            self._add(node, value)

    def remove(self, path: Path, *, keep_empty: Sequence[Path] = ()) -> None:
        """Remove a value, and the containers that are empty without it, but for those in `keep_empty`."""
        parent, item = find(self.root, path[:-1]), None
        if parent is not None:
            item = parent.item(path[-1])
        if parent is None or item is None:
            return
        items = parent.items or []
        if len(items) == 1 and len(path) > 1 and path[:-1] not in keep_empty and not self._has_comment(parent):
            self.remove(path[:-1], keep_empty=keep_empty)
            return
        at = items.index(item)
        start, end = self._span(parent, item)
        before = items[at - 1].comma if at and item.comma is None else None
        cuts = [(start, end, "")] if before is None else [(before, before + 1, ""), (max(start, before + 1), end, "")]
        self._splice(*cuts)

    def _span(self, parent: Node, item: Item) -> tuple[int, int]:
        """Return what goes with an item: the blanks before it, and the comma after it."""
        start = len(self.text[: item.start].rstrip(" \t\r\n"))
        end = item.node.end if item.comma is None else item.comma + 1
        is_alone = start == parent.start + 1 and not self.text[end : parent.end - 1].strip()
        if is_alone:
            return start, parent.end - 1
        if "\n" in self.text[start : item.start] and _REST_OF_LINE.match(self.text, end) is None:
            return item.start, end  # else what follows would come to stand behind a comment
        return start, end

    def _has_comment(self, node: Node) -> bool:
        """Return whether a comment stands between the items of a container."""
        at = node.start + 1
        for item in node.items or ():
            if self.text[at : item.start].strip(" \t\r\n,"):
                return True
            at = item.node.end
        return bool(self.text[at : node.end - 1].strip(" \t\r\n,"))

    def _add(self, node: Node, value: Any, *, key: str | None = None) -> None:
        """Add the last member of an object, or the last element of a list."""
        head = f"{json.dumps(key, ensure_ascii=False)}: " if key is not None else ""
        if node.end == node.start:  # an empty file
            self._splice((node.start, node.end, self._rendered({key: value}, node.start) + self._newline))
            return
        if not node.items:
            self._fill(node, head, value)
            return
        last = node.items[-1]
        indent = self._indent_of(last.start)
        if indent is None:
            piece = f"{head}{json.dumps(value, ensure_ascii=False)}"
            end = last.node.end if last.comma is None else last.comma + 1
            self._splice((end, end, f", {piece}" if last.comma is None else f" {piece},"))
            return
        piece = f"{self._newline}{indent}{head}{self._rendered(value, last.start)}"
        if last.comma is not None:
            end = end_of(_REST_OF_LINE, self.text, last.comma + 1)
            self._splice((end, end, f"{piece},"))
        else:
            end = end_of(_REST_OF_LINE, self.text, last.node.end)
            self._splice((last.node.end, last.node.end, ","), (end, end, piece))

    def _fill(self, node: Node, head: str, value: Any) -> None:
        """Add the first item to an empty container, after the comments that are in it."""
        inside = self.text[node.start + 1 : node.end - 1]
        end = node.start + 1 + len(inside.rstrip(" \t\r\n"))
        outer = self._line_indent(node.start)
        unit = self._unit()
        lines = dumped(value, unit).split("\n")
        body = f"{self._newline}{outer}{unit}".join(lines)
        piece = f"{self._newline}{outer}{unit}{head}{body}{self._newline}{outer}"
        self._splice((end, node.end - 1, piece))

    def _rendered(self, value: Any, beside: int) -> str:
        """Return a value as text that stands on a line indented like the one at a position."""
        indent = self._indent_of(beside)
        if indent is None and "\n" not in self.text.strip() and self.text.strip():
            return json.dumps(value, ensure_ascii=False)
        lines = dumped(value, self._unit()).split("\n")
        return f"{self._newline}{self._line_indent(beside)}".join(lines)

    def _indent_of(self, position: int) -> str | None:
        """Return what stands before something on its line; None where that is more than blanks."""
        before = self.text[self.text.rfind("\n", 0, position) + 1 : position]
        return before if "\n" in self.text[:position] and not before.strip() else None

    def _line_indent(self, position: int) -> str:
        """Return the blanks at the start of the line of a position."""
        line = self.text[self.text.rfind("\n", 0, position) + 1 : position]
        return line[: len(line) - len(line.lstrip(" \t"))]

    def _unit(self) -> str:
        """Return one step of indentation: that of the first member, else two blanks."""
        first = self.root.items[0] if self.root.items else None
        indent = self._indent_of(first.start) if first is not None else None
        return indent if indent and len(indent) <= 8 else "  "  # noqa: PLR2004 - deeper is no step

    def _splice(self, *pieces: tuple[int, int, str]) -> None:
        """Replace spans, given in their order, by texts."""
        kept, at = [], 0
        for start, end, new in pieces:
            kept += [self.text[at:start], new]
            at = end
        self.text = "".join([*kept, self.text[at:]])
        self.root = parse(self.text, self._dialect)


def dumped(value: Any, unit: str, outer: str = "") -> str:
    """Return a value as text of several lines, lists of plain values on one."""
    if not value or not isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, list) and not any(isinstance(item, dict | list) for item in value):
        return json.dumps(value, ensure_ascii=False)
    inner = outer + unit
    heads = (
        [f"{json.dumps(key, ensure_ascii=False)}: " for key in value] if isinstance(value, dict) else [""] * len(value)
    )
    items = value.values() if isinstance(value, dict) else value
    lines = [f"{inner}{head}{dumped(item, unit, inner)}" for head, item in zip(heads, items, strict=True)]
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    return ",\n".join([f"{opening}\n{lines[0]}", *lines[1:]]) + f"\n{outer}{closing}"
