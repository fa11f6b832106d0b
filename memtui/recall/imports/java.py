"""What Java files import, and the classes of their own package that they use without an import."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Sequence

from memtui.recall.imports.sources import (
    COMMENT,
    DOUBLE_QUOTED,
    IMPORTED,
    SINGLE_QUOTED,
    USED,
    Language,
    SourceTree,
    Statement,
    ancestors,
)

_TOKEN = re.compile(
    rf'{COMMENT}|"{{3}}(?:[^"\\]++|\\.|"(?!""))*+(?:"{{3}})?|{DOUBLE_QUOTED}|{SINGLE_QUOTED}'
    r"|(?<![\w$.])(?P<word>package|import)\s++(?:static\s++)?(?P<path>[\w$.\s]{1,500}+)(?P<all>\*\s*+)?;"
    r"|(?<![\w$.])(?P<name>[A-Z]\w*+)",
    re.DOTALL,
)

STANDARD_ROOTS = ("src/main/java", "src/java", "src/test/java", "app/src/main/java")
"""Source roots of the usual build tools, looked for in every module beside the file's own."""


def _read(text: str) -> Iterator[Statement]:
    used = set()
    for token in _TOKEN.finditer(text):
        if token["name"] is not None:
            used.add(token["name"])
        elif token["word"] is not None:
            path = "".join(token["path"].split()).rstrip(".")
            kind = "package" if token["word"] == "package" else ("all" if token["all"] else "import")
            yield Statement(kind, path)
    if used:
        yield Statement("uses", "", tuple(sorted(used)))


def _resolve(tree: SourceTree, file: str, statements: Sequence[Statement], _in_hand: bool) -> Iterable[tuple[str, str]]:
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


JAVA = Language("Java", _read, _resolve)
