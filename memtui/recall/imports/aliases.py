"""What specifiers without a leading dot stand for in a TypeScript or JavaScript project, as far as it says."""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Iterator, Mapping
from typing import Any

from memtui.recall.imports.sources import SourceTree, UnreadableFileError, ancestors, normal

MOST_EXTENDS = 5
"""Configurations that extend one another, followed this far."""

_CONFIGS = ("tsconfig.json", "jsconfig.json", "tsconfig.base.json")
_HOME_MARKS = ("@/", "~/")
"""Prefixes that by convention mean the sources of the nearest package."""

_JSONC = re.compile(r'("(?:\\.|[^"\\])*")|//[^\n]*|/\*.*?\*/|,(?=(?:\s|//[^\n]*|/\*.*?\*/)*[}\]])', re.DOTALL)


class Aliases:
    """The aliases in force for the files of one folder: `baseUrl` and `paths` of the nearest TypeScript
    configuration, `imports` of the nearest package.json, and `@/`, `~/` by convention.
    """  # noqa: D205 - one sentence

    def __init__(self, tree: SourceTree, folder: str) -> None:
        self._tree = tree
        above = [*ancestors(posixpath.join(folder, "any"))]
        self._package = next((one for one in above if tree.is_file(posixpath.join(one, "package.json"))), None)
        config = next(
            (path for one in above for name in _CONFIGS if tree.is_file(path := posixpath.join(one, name))), None
        )
        self._base: str | None = None
        self._paths: list[tuple[str, list[str]]] = []
        if config is not None:
            self._take(config, MOST_EXTENDS)

    def candidates(self, specifier: str) -> Iterator[str]:
        """Yield the paths that a specifier may stand for, the likeliest first; none of them need exist."""
        matched = [(len(before), targets, middle) for before, targets, middle in self._matches(specifier)]
        for _, targets, middle in sorted(matched, key=lambda match: -match[0]):
            yield from (target.replace("*", middle, 1) for target in targets)
        if self._base is not None:
            yield posixpath.join(self._base, specifier)
        if self._package is not None and specifier.startswith("#"):
            yield from self._subpath(specifier)
        if specifier.startswith(_HOME_MARKS):
            for home in dict.fromkeys((self._package or "", "")):
                yield posixpath.join(home, "src", specifier[2:])
                yield posixpath.join(home, specifier[2:])

    def _matches(self, specifier: str) -> Iterator[tuple[str, list[str], str]]:
        for pattern, targets in self._paths:
            before, star, after = pattern.partition("*")
            middle = _middle(specifier, before, after) if star else None
            if not star and pattern == specifier:
                yield pattern, targets, ""
            elif middle is not None:
                yield before, targets, middle

    def _take(self, config: str, left: int) -> None:
        """Read a configuration; what it says itself goes before what it extends."""
        record = _json(self._tree, config)
        folder = posixpath.dirname(config)
        options = _mapping(record.get("compilerOptions"))
        base = options.get("baseUrl")
        here = normal(posixpath.join(folder, base)) if isinstance(base, str) else None
        if self._base is None:
            self._base = here
        if not self._paths:
            start = folder if here is None else here
            for pattern, targets in _mapping(options.get("paths")).items():
                listed = [target for target in targets if isinstance(target, str)] if isinstance(targets, list) else []
                self._paths.append((pattern, [posixpath.join(start, target) for target in listed]))
        extended = record.get("extends")
        for parent in extended if isinstance(extended, list) else [extended]:
            if isinstance(parent, str) and parent.startswith(".") and left:
                path = normal(posixpath.join(folder, parent))
                found = next((one for one in (path, f"{path}.json") if one and self._tree.is_file(one)), None)
                if found is not None:
                    self._take(found, left - 1)

    def _subpath(self, specifier: str) -> Iterator[str]:
        package = self._package or ""
        record = _json(self._tree, posixpath.join(package, "package.json"))
        for pattern, target in _mapping(record.get("imports")).items():
            before, star, after = pattern.partition("*")
            middle = _middle(specifier, before, after) if star else ("" if specifier == pattern else None)
            if middle is not None:
                yield from (posixpath.join(package, one.replace("*", middle)) for one in _strings(target, 5))


def _middle(text: str, before: str, after: str) -> str | None:
    """Return what stands between a beginning and an end of a text, None if it has not both."""
    if len(text) < len(before) + len(after) or not (text.startswith(before) and text.endswith(after)):
        return None
    return text[len(before) : len(text) - len(after)]


def _strings(value: object, depth: int) -> Iterator[str]:
    """Yield the strings of a target, which may stand under conditions."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (list, dict)) and depth:
        for one in value.values() if isinstance(value, dict) else value:
            yield from _strings(one, depth - 1)


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _json(tree: SourceTree, path: str) -> Mapping[str, Any]:
    """Return a JSON file with comments and trailing commas as a mapping; empty if it cannot be read as one."""
    try:
        text = tree.read(path).decode("utf-8", "replace")
        return _mapping(json.loads(_JSONC.sub(lambda match: match[1] or "", text)))
    except (UnreadableFileError, ValueError, RecursionError):
        return {}
