"""Imports of TypeScript and JavaScript files."""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from memtui.recall.imports.sources import (
    COMMENT,
    DOUBLE_QUOTED,
    GAP,
    IMPORTED,
    SINGLE_QUOTED,
    Language,
    SourceTree,
    Statement,
    UnreadableFileError,
    ancestors,
    normal,
)
from memtui.text.json_comments import plain_json

MOST_EXTENDS = 5  # Configurations that extend one another, followed this far

_CONFIGS = ("tsconfig.json", "jsconfig.json", "tsconfig.base.json")
_HOME_MARKS = ("@/", "~/")  # Prefixes that by convention mean the sources of the nearest package


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
        """Yield the paths that a specifier may mean, the likeliest first; they need not exist."""
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
        """Read a configuration; its own settings take precedence over those it extends."""
        record = _json(self._tree, config)
        folder = posixpath.dirname(config)
        options = _mapping(record.get("compilerOptions"))
        base = options.get("baseUrl")
        here = normal(posixpath.join(folder, base)) if isinstance(base, str) else None
        if self._base is None:
            self._base = here
        if not self._paths:
            start = folder if here is None else here
            self._paths = [
                (pattern, [posixpath.join(start, target) for target in _texts(targets)])
                for pattern, targets in _mapping(options.get("paths")).items()
            ]
        extended = record.get("extends")
        for parent in _texts(extended if isinstance(extended, list) else [extended]):
            if parent.startswith(".") and left:
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


def _texts(value: object) -> list[str]:
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _json(tree: SourceTree, path: str) -> Mapping[str, Any]:
    """Return a JSON file with comments and trailing commas as a mapping; empty if it cannot be read as one."""
    try:
        text = tree.read(path).decode("utf-8", "replace")
        return _mapping(json.loads(plain_json(text)))
    except (UnreadableFileError, ValueError, RecursionError):
        return {}


_TOKEN = re.compile(
    rf"{COMMENT}|{DOUBLE_QUOTED}|{SINGLE_QUOTED}"
    rf"|(?<![\w$.])(?:import|require(?:\.resolve)?)\s*+\({GAP}"
    rf"(?P<tick>[\"'`])(?P<called>[^\"'`\n$\\]*+)(?P=tick){GAP}[,)]"
    rf"|(?<![\w$.])(?:import|export)\b"
    rf"(?P<clause>(?:(?!(?:import|export|require)\b)[\w$]++|[\s{{}},*]++|{COMMENT})*+)"
    rf"(?:(?P<quote>[\"'])(?P<source>[^\"'\n\\]*+)(?P=quote))?"
    r"|(?P<mark>[`{}/])",
    re.DOTALL,
)
"""A clause is what stands between the word and the specifier: names, braces, commas and no other mark."""

_FROM = re.compile(r"(?:^|\bfrom)\s*$")
_COMMENT = re.compile(COMMENT, re.DOTALL)
_TEMPLATE = re.compile(r"(?:[^`\\$]++|\\.|\$(?!\{))*+(?P<end>`|\$\{)?", re.DOTALL)
_REGEX = re.compile(r"/(?![*/>])(?:[^/\\\[\n]++|\\.|\[(?:[^\]\\\n]++|\\.)*+\])++/\w*+")
_BEFORE_REGEX = re.compile(
    r"(?:^|[=(,:\[!&|?{;+\-*%~^]|=>|\b(?:return|typeof|case|in|of|delete|void|throw|do|else|yield|await))\s*$"
)

LONGEST_REGEX = 400
"""Characters; without a bound, a line of nothing but their beginnings would take time with the square of its length."""

LOOK_BACK = 40  # Characters before a slash that decide whether it divides or begins a regular expression

SUFFIXES = (".ts", ".tsx", ".d.ts", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".json", ".vue", ".svelte")
"""What may be left out of a specifier, in the order in which compilers and bundlers try."""

_WRITTEN_AS = {".js": (".ts", ".tsx"), ".jsx": (".tsx",), ".mjs": (".mts",), ".cjs": (".cts",)}
"""TypeScript files are imported by the name of what is compiled from them."""

_LOADER = re.compile(r"[?#].*$")
"""What bundlers read after the path, as in `./icon.svg?raw`."""


def _read(text: str) -> Iterator[Statement]:
    braces: list[int] = []
    position = 0
    while (token := _TOKEN.search(text, position)) is not None:
        position = token.end()
        path = token["called"] or _source(token)
        if path:
            yield Statement("import", path)
        elif token["mark"]:
            position = _after(text, token, braces)


def _source(token: re.Match[str]) -> str | None:
    """Return the specifier of an import or a re-export, None if the string is another."""
    if token["source"] is None or not _FROM.search(_COMMENT.sub(" ", token["clause"])):
        return None
    return token["source"]


def _after_slash(text: str, token: re.Match[str]) -> int:
    """Return the end of the regular expression that a slash begins, or of the slash if it divides."""
    start = token.start()
    begins = _BEFORE_REGEX.search(text[max(0, start - LOOK_BACK) : start])
    found = _REGEX.match(text, start, start + LONGEST_REGEX) if begins else None
    return (found or token).end()


def _after(text: str, token: re.Match[str], braces: list[int]) -> int:
    """Return where code continues after a mark."""
    end = token.end()
    mark = token["mark"]
    if mark == "/":
        return _after_slash(text, token)
    if mark == "{" and braces:
        braces[-1] += 1
    elif mark == "}" and braces and braces[-1]:
        braces[-1] -= 1
    elif mark == "`" or (mark == "}" and braces):
        if mark == "}":
            braces.pop()
        part = _TEMPLATE.match(text, end)
        if part is not None and part["end"] == "${":
            braces.append(0)
        return part.end() if part is not None else end
    return end


def _resolve(tree: SourceTree, file: str, statements: Sequence[Statement], _in_hand: bool) -> Iterable[tuple[str, str]]:
    folder = posixpath.dirname(file)
    aliases: Aliases | None = None
    for statement in statements:
        if statement.path.startswith(("./", "../")) or statement.path in {".", ".."}:
            bases: Iterable[str] = (posixpath.join(folder, statement.path),)
        else:
            aliases = aliases or Aliases(tree, folder)
            bases = aliases.candidates(statement.path)
        found = next((path for base in bases if (path := find_module(tree, base))), None)
        if found is not None:
            yield found, IMPORTED


def find_module(tree: SourceTree, specifier: str) -> str | None:
    """Return the file that a specifier means as a path from the root."""
    for written in dict.fromkeys((specifier, _LOADER.sub("", specifier))):
        path = normal(written)
        if path is not None and (found := tree.first_file(_candidates(path))):
            return found
    return None


def _candidates(path: str) -> Iterator[str]:
    yield path
    stem, suffix = posixpath.splitext(path)
    yield from (stem + other for other in _WRITTEN_AS.get(suffix, ()))
    if path:
        yield from (path + other for other in SUFFIXES)
    yield from (posixpath.join(path, f"index{other}") for other in SUFFIXES)


JAVASCRIPT = Language("TypeScript or JavaScript", _read, _resolve)
