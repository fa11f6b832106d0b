"""Imports of Python, Go and Java, whose names stand for modules and packages of the tree."""

from __future__ import annotations

import posixpath
import re
import sys
from collections.abc import Iterable, Iterator, Sequence

from memtui.recall.imports.sources import (
    COMMENT,
    DOUBLE_QUOTED,
    GAP,
    IMPORTED,
    OF_PACKAGE,
    SAME_PACKAGE,
    SINGLE_QUOTED,
    USED,
    Language,
    SourceTree,
    Statement,
    UnreadableFileError,
    ancestors,
    normal,
)

FEWEST_OF_PACKAGE = 4
"""From so many files on, an import of the package says little of any one of them."""

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
_MODULE = re.compile(r'^[ \t]*module[ \t]+"?([^\s"]+)"?', re.MULTILINE)
_REPLACE = re.compile(
    r'^[ \t]*(?:replace[ \t]+)?"?([^\s"()]+)"?(?:[ \t]+v\S+)?[ \t]+=>[ \t]+"?(\.{1,2}(?:/[^\s"]*)?)"?', re.MULTILINE
)
_USE = re.compile(r'^[ \t]*(?:use[ \t]+)?"?(\.{1,2}(?:/[^\s"()]*)?)"?[ \t\r]*$', re.MULTILINE)


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
            package = _package(tree, folder)
            tie = IMPORTED if len(package) < FEWEST_OF_PACKAGE else OF_PACKAGE
            yield from ((path, tie) for path in package)
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


_JAVA_TOKEN = re.compile(
    rf'{COMMENT}|"{{3}}(?:[^"\\]++|\\.|"(?!""))*+(?:"{{3}})?|{DOUBLE_QUOTED}|{SINGLE_QUOTED}'
    r"|(?<![\w$.])(?P<word>package|import)\s++(?:static\s++)?(?P<path>[\w$.\s]{1,500}+)(?P<all>\*\s*+)?;"
    r"|(?<![\w$.])(?P<name>[A-Z]\w*+)",
    re.DOTALL,
)

STANDARD_ROOTS = ("src/main/java", "src/java", "src/test/java", "app/src/main/java")
"""Source roots of the usual build tools, looked for in every module beside the file's own."""


def _java_read(text: str) -> Iterator[Statement]:
    used = set()
    for token in _JAVA_TOKEN.finditer(text):
        if token["name"] is not None:
            used.add(token["name"])
        elif token["word"] is not None:
            path = "".join(token["path"].split()).rstrip(".")
            kind = "package" if token["word"] == "package" else ("all" if token["all"] else "import")
            yield Statement(kind, path)
    if used:
        yield Statement("uses", "", tuple(sorted(used)))


def _java_resolve(
    tree: SourceTree, file: str, statements: Sequence[Statement], _in_hand: bool
) -> Iterable[tuple[str, str]]:
    package = next((one.path for one in statements if one.kind == "package"), "")
    used = next((one.names for one in statements if one.kind == "uses"), ())
    roots: list[str] | None = None
    for statement in statements:
        if statement.kind not in {"import", "all"}:
            continue
        roots = list(_roots(tree, file, package)) if roots is None else roots
        for root in roots:
            found = list(_found(tree, root, statement, used))
            yield from ((path, IMPORTED) for path in found)
            if found:
                break
    folder = posixpath.dirname(file)
    for name in used:
        path = posixpath.join(folder, f"{name}.java")
        if path != file and tree.is_file(path):
            yield path, USED


def _found(tree: SourceTree, root: str, statement: Statement, used: Sequence[str]) -> Iterator[str]:
    parts = statement.path.split(".")
    folder = posixpath.join(root, *parts)
    if statement.kind == "all" and tree.is_folder(folder):
        paths = (posixpath.join(folder, f"{name}.java") for name in used)
        yield from (path for path in paths if tree.is_file(path))
        return
    # The class may be an outer one of what is imported, or hold the imported static member.
    for end in range(len(parts), 0, -1):
        path = posixpath.join(root, *parts[:end]) + ".java"
        if tree.is_file(path):
            yield path
            return


def _roots(tree: SourceTree, file: str, package: str) -> Iterator[str]:
    """Yield source roots, the file's own first: its folder less its package."""
    own = posixpath.dirname(file)
    tail = package.replace(".", "/")
    seen = set()
    if tail and (own == tail or own.endswith("/" + tail)):
        own = own[: len(own) - len(tail)].rstrip("/")
        seen.add(own)
        yield own
    for folder in ancestors(file):
        for module in (folder, *tree.folders(folder)):
            for root in (posixpath.join(module, name) for name in STANDARD_ROOTS):
                if root not in seen and tree.is_folder(root):
                    seen.add(root)
                    yield root


JAVA = Language("Java", _java_read, _java_resolve)


_PYTHON_TOKEN = re.compile(
    r"""
    \#[^\n]*+
    | \"{3}(?:[^"\\]++|\\.|"(?!""))*+(?:\"{3})?
    | '{3}(?:[^'\\]++|\\.|'(?!''))*+(?:'{3})?
    | "(?:[^"\\\n]++|\\.)*+"?
    | '(?:[^'\\\n]++|\\.)*+'?
    | (?<![\w.])from\b(?P<module>(?:(?!import\b)\w++|[.]++|[\ \t\f]++|\\\n){1,60}+)import\b
      (?P<names>[\ \t]*+\((?:[^()\#]++|\#[^\n]*+)*+ | (?:[^\n;\#\\]++|\\\n)*+)
    | (?<![\w.])import\b(?P<modules>(?:[^\n;\#\\]++|\\\n)*+)
    | \b(?:import_module|__import__)\(\s*+(?P<quote>["'])(?P<called>[\w.]++)(?P=quote)\s*+[,)]
    """,
    re.DOTALL | re.VERBOSE,
)
"""`import` is a word of no other statement, and `from` before it of none but this."""

_NOISE = re.compile(r"\#[^\n]*+|[()\\]")
_NAME = re.compile(r"[\w.]+|\*")
_ALIAS = re.compile(r"\bas\b")

SOURCE_FOLDERS = ("src", "lib", "python")  # Folders that hold packages beside the tests and scripts that import them

_SPACE = re.compile(r"[\s\\]+")


def _python_read(text: str) -> Iterator[Statement]:
    for token in _PYTHON_TOKEN.finditer(text):
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


def _python_resolve(
    tree: SourceTree, file: str, statements: Sequence[Statement], _in_hand: bool
) -> Iterable[tuple[str, str]]:
    roots: list[str] | None = None
    for statement in statements:
        level = len(statement.path) - len(statement.path.lstrip("."))
        parts = [part for part in statement.path.split(".") if part]
        if level:
            base = list(ancestors(file))[level - 1 : level]
        elif parts and parts[0] not in sys.stdlib_module_names:
            roots = list(_python_roots(tree, file)) if roots is None else roots
            base = [root for root in roots if _holds(tree, root, parts[0])][:1]
        else:
            continue
        for root in base:
            for found in _python_modules(tree, posixpath.join(root, *parts), statement.names):
                yield found, IMPORTED


def _python_roots(tree: SourceTree, file: str) -> Iterator[str]:
    """Yield the folders in which absolute imports may start: never inside a package, the nearest first."""
    for folder in ancestors(file):
        if not folder or "__init__.py" not in tree.entries(folder):
            yield folder
            yield from (path for name in SOURCE_FOLDERS if tree.is_folder(path := posixpath.join(folder, name)))


def _holds(tree: SourceTree, root: str, name: str) -> bool:
    """Return whether a module or package starts in a folder that holds Python within reach."""
    path = posixpath.join(root, name)
    if _module(tree, path) is not None:
        return True
    return tree.is_folder(path) and any(
        is_folder or entry.endswith(".py") for entry, is_folder in tree.entries(path).items()
    )


def _python_modules(tree: SourceTree, path: str, names: Sequence[str]) -> Iterator[str]:
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


PYTHON = Language("Python", _python_read, _python_resolve)
