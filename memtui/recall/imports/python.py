"""What Python files import."""

from __future__ import annotations

import posixpath
import re
import sys
from collections.abc import Iterable, Iterator, Sequence

from memtui.recall.imports.sources import IMPORTED, Language, SourceTree, Statement, ancestors

_TOKEN = re.compile(
    r"""
    \#[^\n]*+
    | \"{3}(?:[^"\\]++|\\.|"(?!""))*+(?:\"{3})?
    | '{3}(?:[^'\\]++|\\.|'(?!''))*+(?:'{3})?
    | "(?:[^"\\\n]++|\\.)*+"?
    | '(?:[^'\\\n]++|\\.)*+'?
    | (?<![\w.])from\b(?P<module>(?:(?!import\b)\w++|[.]++|[\ \t\f]++|\\\n){1,60}+)import\b
      (?P<names>[\ \t]*+\((?:[^()\#]++|\#[^\n]*+)*+ | (?:[^\n;\#\\]++|\\\n)*+)
    | (?<![\w.])import\b(?P<modules>(?:[^\n;\#\\]++|\\\n)*+)
    | \bimport_module\(\s*+(?P<quote>["'])(?P<called>[\w.]++)(?P=quote)\s*+[,)]
    """,
    re.DOTALL | re.VERBOSE,
)
"""`import` is a word of no other statement, and `from` before it of none but this."""

_NOISE = re.compile(r"\#[^\n]*+|[()\\]")
_NAME = re.compile(r"[\w.]+|\*")
_ALIAS = re.compile(r"\bas\b")

SOURCE_FOLDERS = ("src", "lib", "python")
"""Folders that hold packages beside the tests and scripts that import them."""

_SPACE = re.compile(r"[\s\\]+")


def _read(text: str) -> Iterator[Statement]:
    for token in _TOKEN.finditer(text):
        if token["module"] is not None:
            names = tuple(name for name in _listed(token["names"]) if name != "*")
            yield Statement("from", "".join(_NOISE.sub("", token["module"]).split()), names)
        elif token["modules"] is not None:
            yield from (Statement("import", name) for name in _listed(token["modules"]))
        elif token["called"] is not None:
            yield Statement("import", token["called"])


def _listed(text: str) -> Iterator[str]:
    """Yield the names of a list of imports, without what they are imported as."""
    for one in _NOISE.sub("", text).split(","):
        name = "".join(_ALIAS.split(one, maxsplit=1)[0].split())
        if _NAME.fullmatch(name):
            yield name


def _resolve(tree: SourceTree, file: str, statements: Sequence[Statement], _in_hand: bool) -> Iterable[tuple[str, str]]:
    roots: list[str] | None = None
    for statement in statements:
        level = len(statement.path) - len(statement.path.lstrip("."))
        parts = [part for part in statement.path.split(".") if part]
        if level:
            base = list(ancestors(file))[level - 1 : level]
        elif parts and parts[0] not in sys.stdlib_module_names:
            roots = list(_roots(tree, file)) if roots is None else roots
            base = [root for root in roots if _holds(tree, root, parts[0])][:1]
        else:
            continue
        for root in base:
            for found in _modules(tree, posixpath.join(root, *parts), statement.names):
                yield found, IMPORTED


def _roots(tree: SourceTree, file: str) -> Iterator[str]:
    """Yield the folders in which absolute imports may start: never inside a package, the nearest first."""
    for folder in ancestors(file):
        if not folder or "__init__.py" not in tree.entries(folder):
            yield folder
            yield from (path for name in SOURCE_FOLDERS if tree.is_folder(path := posixpath.join(folder, name)))


def _holds(tree: SourceTree, root: str, name: str) -> bool:
    """Return whether a module or package starts in a folder; a folder without Python in reach is none."""
    path = posixpath.join(root, name)
    if _module(tree, path) is not None:
        return True
    return tree.is_folder(path) and any(
        is_folder or entry.endswith(".py") for entry, is_folder in tree.entries(path).items()
    )


def _modules(tree: SourceTree, path: str, names: Sequence[str]) -> Iterator[str]:
    """Yield the files of a module and of the submodules among the names taken from it."""
    below = [found for name in names if (found := _module(tree, posixpath.join(path, name)))]
    yield from below
    if len(below) < len(names) or not names:
        own = _module(tree, path)
        if own is None and not names and "/" in path:
            own = _module(tree, posixpath.dirname(path))
        if own is not None:
            yield own


def _module(tree: SourceTree, path: str) -> str | None:
    return tree.first_file(iter((f"{path}/__init__.py".lstrip("/"), f"{path}.py", f"{path}.pyi")))


PYTHON = Language("Python", _read, _resolve)
