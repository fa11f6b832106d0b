"""What Go files import: packages, which are folders."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Sequence

from memtui.recall.imports.sources import (
    COMMENT,
    DOUBLE_QUOTED,
    GAP,
    IMPORTED,
    SAME_PACKAGE,
    SINGLE_QUOTED,
    Language,
    SourceTree,
    Statement,
    UnreadableFileError,
    ancestors,
    normal,
)

MOST_PACKAGE_FILES = 12
"""Files of one package share all their names, which ties them; in a larger package that says nothing of any two."""

_STRING = rf"{DOUBLE_QUOTED}|`[^`]*+`?"
_TOKEN = re.compile(
    rf"{COMMENT}|{_STRING}|{SINGLE_QUOTED}"
    rf"|(?<![\w.])import\b{GAP}(?P<imports>\((?:[^)\"`/]++|{_STRING}|{COMMENT}|/)*+|[\w.]*+{GAP}(?:{_STRING}))",
    re.DOTALL,
)
_PATH = re.compile(rf'{COMMENT}|"([^"\n]*+)"|`([^`]*+)`', re.DOTALL)
_COMMENT = re.compile(COMMENT, re.DOTALL)
_MODULE = re.compile(r'^\s*module\s+"?([^\s"]+)"?', re.MULTILINE)
_REPLACE = re.compile(r'^\s*(?:replace\s+)?"?([^\s"()]+)"?(?:\s+v\S+)?\s+=>\s+"?(\.{1,2}(?:/[^\s"]*)?)"?', re.MULTILINE)
_USE = re.compile(r'^\s*(?:use\s+)?"?(\.{1,2}(?:/[^\s"()]*)?)"?\s*$', re.MULTILINE)


def _read(text: str) -> Iterator[Statement]:
    for token in _TOKEN.finditer(text):
        said = token["imports"]
        if said is not None:
            yield from (Statement("import", one[1] or one[2]) for one in _PATH.finditer(said) if one[1] or one[2])


def _resolve(tree: SourceTree, file: str, statements: Sequence[Statement], in_hand: bool) -> Iterable[tuple[str, str]]:
    modules = dict(_modules(tree, file)) if statements else {}
    for statement in statements:
        folder = _folder(statement.path, modules)
        if folder is not None:
            yield from ((path, IMPORTED) for path in _package(tree, folder))
    if in_hand:
        siblings = [path for path in _package(tree, posixpath.dirname(file)) if path != file]
        if len(siblings) < MOST_PACKAGE_FILES:
            yield from ((path, SAME_PACKAGE) for path in siblings)


def _package(tree: SourceTree, folder: str) -> list[str]:
    return [path for path in tree.files(folder, ".go") if not path.endswith("_test.go")]


def _folder(path: str, modules: dict[str, str]) -> str | None:
    """Return the folder of a package: that of the longest module path that it starts with."""
    for module in sorted(modules, key=len, reverse=True):
        if path == module or path.startswith(module + "/"):
            return normal(posixpath.join(modules[module], path[len(module) :].lstrip("/")))
    return None


def _modules(tree: SourceTree, file: str) -> Iterator[tuple[str, str]]:
    """Yield module paths with their folders: of the nearest go.mod, what it replaces, and the go.work above it."""
    home = next((folder for folder in ancestors(file) if tree.is_file(posixpath.join(folder, "go.mod"))), None)
    work = next((folder for folder in ancestors(file) if tree.is_file(posixpath.join(folder, "go.work"))), None)
    if work is not None:
        for used in _USE.findall(_text(tree, posixpath.join(work, "go.work"))):
            folder = normal(posixpath.join(work, used))
            if folder is not None:
                yield from ((name, folder) for name in _MODULE.findall(_text(tree, posixpath.join(folder, "go.mod"))))
    if home is not None:
        text = _text(tree, posixpath.join(home, "go.mod"))
        for name, target in _REPLACE.findall(text):
            folder = normal(posixpath.join(home, target))
            if folder is not None:
                yield name, folder
        yield from ((name, home) for name in _MODULE.findall(text))


def _text(tree: SourceTree, path: str) -> str:
    if not tree.is_file(path):
        return ""
    try:
        return _COMMENT.sub("", tree.read(path).decode("utf-8", "replace"))
    except UnreadableFileError:
        return ""


GO = Language("Go", _read, _resolve)
