"""Frontmatter: the settings block at the top of a rule file, valid YAML or not."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import yaml

MAX_YAML_CHARS = 64_000
"""Longer blocks go to the line parser: no assistant writes them, and YAML is slow."""

MAX_YAML_DEPTH = 20

_DELIMITER = re.compile(r"---[ \t]*\r?(?:\n|\Z)")
_SPACE = re.compile(r"\s*")
_SETTINGS = frozenset({"description", "globs", "alwaysApply", "paths", "applyTo", "trigger", "name", "type"})
_KEY_LINE = re.compile(r"([A-Za-z_][\w.\-]*)[ \t]*:(?:[ \t]+(.*)|[ \t]*)$")
_LIST_ITEM = re.compile(r"[ \t]*-[ \t]+(.*)$")
_BLOCK_MARK = re.compile(r"[|>][+-]?\d?$")
_QUOTED = re.compile(r"""(["'])(.*)\1$""")
_CORE_RESOLVERS = (
    ("tag:yaml.org,2002:bool", re.compile(r"(?:true|True|TRUE|false|False|FALSE)\Z"), "tTfF"),
    ("tag:yaml.org,2002:null", re.compile(r"(?:~|null|Null|NULL|)\Z"), "~nN\0"),
    ("tag:yaml.org,2002:int", re.compile(r"[-+]?(?:0|[1-9]\d{0,17})\Z"), "-+0123456789"),
    ("tag:yaml.org,2002:float", re.compile(r"[-+]?\d{1,17}\.\d{1,17}\Z"), "-+0123456789"),
)


@dataclass(frozen=True, slots=True)
class Frontmatter:
    """A text split into its settings block and its body; `raw + body` is the text without its BOM.

    Attributes:
        values: the settings; dates stay text, empty values are None.
        raw: the block as written, including both `---` lines; empty without one.
        body: everything after the block.
        body_first_line: line number of the body's first line, counted from 1.
    """

    values: dict[str, object] = field(default_factory=dict)
    raw: str = ""
    body: str = ""
    body_first_line: int = 1

    def text(self, key: str) -> str:
        """Return a setting as one line of text; empty when it is missing or no text."""
        value = self.values.get(key)
        is_text = isinstance(value, str | int | float) and not isinstance(value, bool)
        return " ".join(str(value).split()) if is_text else ""


def split_frontmatter(text: str) -> Frontmatter:
    """Split a text into frontmatter and body; without frontmatter the body is the whole text.

    The block opens with `---` on the first line and closes with a line `---`, which may end the file. A block without
    settings and comments (prose between two thematic breaks) belongs to the body. Some tools put an empty block above
    the author's own: the two count as one, and the first takes precedence.
    """
    text = text.removeprefix("\ufeff")
    first = _block(text, 0)
    if first is None:
        return Frontmatter(body=text)
    values, end = first
    space = _SPACE.match(text, end)
    second = _block(text, space.end() if space else end)
    if second is not None and _SETTINGS.intersection(second[0]):
        values = {**second[0], **{key: value for key, value in values.items() if value is not None}}
        end = second[1]
    return Frontmatter(values, text[:end], text[end:], text.count("\n", 0, end) + 1)


def _block(text: str, start: int) -> tuple[dict[str, object], int] | None:
    """Return the settings of the block that opens here, and its end."""
    found = _closing(text, start)
    if found is None:
        return None
    inner_start, inner_end, end = found
    inner = text[inner_start:inner_end]
    values = _settings(inner)
    if values is None:
        values = _lenient_settings(inner)
    return None if values is None else (values, end)


def _closing(text: str, start: int) -> tuple[int, int, int] | None:
    """Return the start and end of the block's inside and the start of what follows it."""
    opening = _DELIMITER.match(text, start)
    if opening is None or not opening.group().endswith("\n"):
        return None
    position = opening.end()
    while True:
        if closing := _DELIMITER.match(text, position):
            return opening.end(), position, closing.end()
        line_end = text.find("\n", position)
        if line_end < 0:
            return None
        position = line_end + 1


def _settings(inner: str) -> dict[str, object] | None:
    """Return the block's YAML mapping; None if it is none, or hostile."""
    lines = [line.strip() for line in inner.splitlines()]
    if all(not line or line.startswith("#") for line in lines):
        return {}
    if len(inner) > MAX_YAML_CHARS:
        return None
    try:
        if not _is_tame(inner):
            return None
        loaded = yaml.load(inner, Loader=_loader())  # noqa: S506 - a subclass of the safe loader
    except (yaml.YAMLError, ValueError, RecursionError):
        return None
    return {str(key): value for key, value in loaded.items()} if isinstance(loaded, dict) else None


def _is_tame(inner: str) -> bool:
    """Return whether the YAML has no aliases (they can multiply without end) and little depth."""
    depth = 0
    for event in yaml.parse(inner, Loader=_loader()):
        if isinstance(event, yaml.AliasEvent):
            return False
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if depth > MAX_YAML_DEPTH:
                return False
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
    return True


@cache
def _loader() -> type[yaml.SafeLoader]:
    """Return a safe loader for true, false, null and plain numbers that leaves the rest as text."""
    base: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    loader: Any = type("_FrontmatterLoader", (base,), {"yaml_implicit_resolvers": {}})
    for tag, pattern, first in _CORE_RESOLVERS:
        for letter in first:
            resolvers = loader.yaml_implicit_resolvers
            resolvers.setdefault("" if letter == "\0" else letter, []).append((tag, pattern))
    found: type[yaml.SafeLoader] = loader
    return found


def _lenient_settings(inner: str) -> dict[str, object] | None:
    """Return settings read line by line, or None if the first words of the block are not a setting."""
    settings: list[tuple[str, object, list[object], list[str]]] = []
    for line in inner.splitlines():
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        if found := _KEY_LINE.match(line):
            settings.append((found[1], _scalar(found[2] or ""), [], []))
            continue
        if not settings:
            return None
        _, value, items, words = settings[-1]
        if (item := _LIST_ITEM.match(line)) and value is None and not words:
            items.append(_scalar(item[1]))
        else:
            words.append(line.strip())
    return {key: _continued(value, items, words) for key, value, items, words in settings} or None


def _continued(value: object, items: list[object], words: list[str]) -> object:
    """Return a setting with the lines below its key: list items, or more of its text."""
    if items:
        return items
    if not words:
        return value
    return " ".join([value, *words] if isinstance(value, str) else words)


def _scalar(written: str) -> object:
    written = written.strip()
    if not written or written in {"~", "null"} or _BLOCK_MARK.match(written):
        return None
    if written in {"true", "false"}:
        return written == "true"
    if quoted := _QUOTED.match(written):
        return quoted[2]
    if written.startswith("[") and written.endswith("]") and ("," in written or '"' in written or "'" in written):
        return list(globs_of(written))
    return written


def globs_of(value: object) -> tuple[str, ...]:
    """Return the patterns of a `globs`, `paths` or `applyTo` setting, in order, without repeats.

    A text is split at commas outside braces; a list is taken item by item; quotes and spaces are removed.
    """
    if isinstance(value, str):
        written = value.strip()
        if written.startswith("[") and written.endswith("]") and re.search("[\"',*/]", written):
            written = written[1:-1]
        parts = _outside_braces(written)
    elif isinstance(value, list | tuple):
        parts = [part for item in value if isinstance(item, str) for part in _outside_braces(item)]
    else:
        return ()
    cleaned = (part.strip().strip("\"'").strip() for part in parts)
    return tuple(dict.fromkeys(part for part in cleaned if part))


def _outside_braces(written: str) -> list[str]:
    parts: list[str] = []
    depth = start = 0
    for position, letter in enumerate(written):
        if letter == "{":
            depth += 1
        elif letter == "}":
            depth = max(0, depth - 1)
        elif letter == "," and not depth:
            parts.append(written[start:position])
            start = position + 1
    return [*parts, written[start:]]
