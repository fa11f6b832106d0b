"""Imports of Rust files within their crate and across the tree's crates."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from memtui.recall.imports.sources import (
    COMMENT,
    IMPORTED,
    LINE_COMMENT,
    Language,
    SourceTree,
    Statement,
    UnreadableFileError,
    ancestors,
    normal,
)

_ROOT_NAMES = ("lib.rs", "main.rs")
_OWN_CRATES = ("tests", "examples", "benches", "src/bin")
"""Folders of a package in which every file is a crate of its own."""


@dataclass(slots=True)
class Crate:
    """A crate seen from one of its files."""

    tree: SourceTree
    folder: str  # the folder that its modules lie in
    root: str | None  # the file that `crate` means, if any
    package: str | None  # the folder of its Cargo.toml, None without one
    _others: dict[str, str] | None = field(default=None)

    def module_folder(self, file: str) -> str:
        folder, name = posixpath.split(file)
        if file == self.root or name in {"mod.rs", *_ROOT_NAMES}:
            return folder
        return posixpath.join(folder, name.removesuffix(".rs"))

    def file_of(self, folder: str) -> str | None:
        """Return the file of the module whose submodules lie in a folder."""
        if folder == self.folder:
            return self.root
        return self.tree.first_file(iter((f"{folder}.rs", f"{folder}/mod.rs")))

    def other(self, name: str) -> Crate | None:
        """Return the library that a name means here: the package's own, or a dependency given by its path."""
        if self._others is None:
            self._others = _dependencies(self.tree, self.package) if self.package is not None else {}
        package = self._others.get(name)
        if package is None:
            return None
        sources = posixpath.join(package, "src")
        root = posixpath.join(sources, "lib.rs")
        return Crate(self.tree, sources, root, package) if self.tree.is_file(root) else None


def crate_of(tree: SourceTree, file: str) -> Crate:
    folder = posixpath.dirname(file)
    package = next((one for one in ancestors(file) if tree.is_file(posixpath.join(one, "Cargo.toml"))), None)
    if package is not None and any(folder == posixpath.join(package, one) for one in _OWN_CRATES):
        return Crate(tree, folder, file, package)
    for above in ancestors(file):
        for name in _ROOT_NAMES:
            root = posixpath.join(above, name)
            if tree.is_file(root):
                return Crate(tree, above, root, package)
        if above == package:
            break
    sources = posixpath.join(package, "src") if package is not None else folder
    return Crate(tree, sources if file.startswith(sources + "/") else folder, None, package)


def _dependencies(tree: SourceTree, package: str) -> dict[str, str]:
    """Return the folders of the packages of this tree that a package may use, by their names in code."""
    manifest = _toml(tree, package)
    found = {}
    name = _mapping(manifest.get("package")).get("name")
    if isinstance(name, str):
        found[name.replace("-", "_")] = package
    library = _mapping(manifest.get("lib")).get("name")
    if isinstance(library, str):
        found[library] = package
    for table in ("dependencies", "dev-dependencies", "build-dependencies"):
        for key, entry in _mapping(manifest.get(table)).items():
            home = package
            value = _mapping(entry)
            if value.get("workspace") is True:
                home, value = _from_workspace(tree, package, key)
            path = value.get("path")
            folder = normal(posixpath.join(home, path)) if isinstance(path, str) else None
            if folder is not None:
                found[key.replace("-", "_")] = folder
    return found


def _from_workspace(tree: SourceTree, package: str, key: str) -> tuple[str, Mapping[str, Any]]:
    """Return the folder and the entry of a dependency that the workspace above names for its members."""
    for folder in ancestors(posixpath.join(package, "Cargo.toml")):
        workspace = _mapping(_toml(tree, folder).get("workspace"))
        if workspace:
            return folder, _mapping(_mapping(workspace.get("dependencies")).get(key))
    return package, {}


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _toml(tree: SourceTree, folder: str) -> Mapping[str, Any]:
    import tomllib

    path = posixpath.join(folder, "Cargo.toml")
    if not tree.is_file(path):
        return {}
    try:
        return tomllib.loads(tree.read(path).decode("utf-8", "replace"))
    except (UnreadableFileError, ValueError, RecursionError):
        return {}


_TOKEN = re.compile(
    rf"""
    {LINE_COMMENT}
    | (?P<comment>/\*)
    | \bb?c?r(?P<hashes>\#*+)".*?(?:"(?P=hashes)|\Z)
    | "(?:[^"\\]++|\\.)*+"?
    | '(?:\\.[^'\n]{{0,10}}|[^\\'\n])'
    | \#!?\[\s*+path\s*+=\s*+"(?P<file>[^"\n]*+)"\s*+\]
    | \bmod\s++(?P<module>\w++)\s*+(?P<body>[;{{])
    | \buse\b(?P<tree>(?:[\w\s:{{}},*\#]++|{COMMENT})*+)(?P<end>;)?
    | (?<![\w:])(?P<path>(?:crate|self|super)(?:\s*+::\s*+\w++)++)
    | (?P<mark>[{{}};])
    """,
    re.DOTALL | re.VERBOSE,
)
_BLOCK_ENDS = re.compile(r"/\*|\*/")
_COMMENT = re.compile(COMMENT, re.DOTALL)
_PART = re.compile(r"\w+|[{},*]")

MOST_NESTING = 40  # Groups of a use within one another; deeper ones are not written by people

_WORD = re.compile(r"\w+")
_FREE = frozenset({"crate", "self", "super"})
_BUILT_IN = frozenset({"std", "core", "alloc"})


def _read(text: str) -> Iterator[Statement]:
    inside: list[tuple[str, int]] = []
    depth = 0
    attribute = ""
    position = 0
    while (token := _TOKEN.search(text, position)) is not None:
        position = token.end()
        if token["comment"]:
            position = _after_comment(text, position)
        elif token["file"] is not None:
            attribute = token["file"]
        elif token["module"] is not None:
            if token["body"] == "{":
                inside.append((token["module"], depth))
                depth += 1
            else:
                names = "/".join([*(name for name, _ in inside), token["module"]])
                yield Statement("path" if attribute else "mod", attribute or names)
            attribute = ""
        elif token["mark"]:
            depth += {"{": 1, "}": -1, ";": 0}[token["mark"]]
            while inside and inside[-1][1] >= depth:
                inside.pop()
            attribute = ""
        else:
            around = tuple(name for name, _ in inside)
            yield from (Statement("use", "::".join(_from_file(parts, around))) for parts in _paths(token))


def _after_comment(text: str, position: int) -> int:
    """Return where a block comment ends; they nest."""
    depth = 1
    for mark in _BLOCK_ENDS.finditer(text, position):
        depth += 1 if mark[0] == "/*" else -1
        if not depth:
            return mark.end()
    return len(text)


def _paths(token: re.Match[str]) -> Iterator[tuple[str, ...]]:
    if token["path"] is not None:
        yield tuple(_WORD.findall(token["path"]))
    elif token["end"]:
        yield from _expand(_COMMENT.sub(" ", token["tree"]))


def _expand(tree: str) -> Iterator[tuple[str, ...]]:
    """Yield every path that a `use` tree imports."""
    before: list[tuple[str, ...]] = [()]
    path: list[str] = []
    renamed = False
    for part in [*_PART.findall(tree.replace("r#", "")), ","]:
        if part == "{":
            if len(before) > MOST_NESTING:
                return
            before.append(before[-1] + tuple(path))
            path = []
        elif part in {",", "}", "*"}:
            own = tuple(path[:-1] if path[-1:] == ["self"] and before[-1] + tuple(path[:-1]) else path)
            if own or path or part == "*":
                yield before[-1] + own
            path, renamed = [], False
            if part == "}" and len(before) > 1:
                before.pop()
        elif part == "as" or renamed:
            renamed = True
        else:
            path.append(part)


def _from_file(parts: Sequence[str], inside: tuple[str, ...]) -> tuple[str, ...]:
    """Return a path seen from an inline module as one seen from its file."""
    rest = list(parts)
    around = list(inside)
    if not around or not rest or rest[0] not in {"self", "super"}:
        return tuple(rest)
    if rest[0] == "self":
        rest.pop(0)
    while rest and rest[0] == "super" and around:
        around.pop()
        rest.pop(0)
    if rest and rest[0] == "super":
        return tuple(rest)
    return ("self", *around, *rest)


def _resolve(tree: SourceTree, file: str, statements: Sequence[Statement], in_hand: bool) -> Iterable[tuple[str, str]]:
    crate = crate_of(tree, file) if statements else None
    if crate is None:
        return
    folder = posixpath.dirname(file)
    own = crate.module_folder(file)
    for statement in statements:
        found: str | None = None
        if statement.kind == "use":
            found = _used(tree, crate, file, statement.path.split("::"))
        elif in_hand and statement.kind == "path":
            path = normal(posixpath.join(folder, statement.path))
            found = path if path is not None and tree.is_file(path) else None
        elif in_hand:
            # A root file declares every module of its crate, so declarations tie only a given file.
            found = _module(tree, posixpath.join(own, statement.path))
        if found is not None:
            yield found, IMPORTED


def _used(tree: SourceTree, crate: Crate, file: str, parts: list[str]) -> str | None:
    first = parts[0]
    if first == "crate":
        return _walk(tree, crate.folder, crate.root, parts[1:])
    if first in {"self", "super"}:
        start = crate.module_folder(file)
        rest = parts[1:] if first == "self" else parts
        while rest and rest[0] == "super":
            if len(start) <= len(crate.folder):
                return None
            start, rest = posixpath.dirname(start), rest[1:]
        return _walk(tree, start, crate.file_of(start), rest)
    if first in _BUILT_IN or first in _FREE:
        return None
    other = crate.other(first)
    if other is not None:
        return _walk(tree, other.folder, other.root, parts[1:])
    return _walk(tree, crate.module_folder(file), None, parts)


def _walk(tree: SourceTree, folder: str, start: str | None, parts: Sequence[str]) -> str | None:
    """Return the file of the deepest module on a path; what follows are names within it."""
    found = start
    for part in parts:
        inner = _module(tree, posixpath.join(folder, part))
        if inner is None:
            break
        found, folder = inner, posixpath.join(folder, part)
    return found


def _module(tree: SourceTree, path: str) -> str | None:
    return tree.first_file(iter((f"{path}.rs", f"{path}/mod.rs")))


RUST = Language("Rust", _read, _resolve)
