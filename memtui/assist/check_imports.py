"""Which imports are new in a file, and whether they reach what a rule forbids."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

from memtui.assist.check_changes import Change, wide_text
from memtui.domain.rules import fits, names_module, same_place
from memtui.recall.imports.follow import language_of, parse
from memtui.recall.imports.sources import SAME_PACKAGE, USED, Language, SourceTree, Statement

_OTHER_IMPORT = re.compile(
    r"^\s*(?:#\s*(?:include|import)|import|from|using|use|require(?:_once|_relative)?|include(?:_once)?|load|open"
    r"|extern\s+crate|alias|source)\b(?P<rest>.*)"
)
"""A line that imports something, in the languages that are not parsed."""

ONLY_NAMES = "only-names"  # Kind of a statement whose module was imported before, but not these names

_NAME = re.compile(r"@?[\w.-]+(?:(?:::|[/\\.:])[\w@*.-]+)*")


def new_imports(
    changes: Sequence[Change], contents: Mapping[str, tuple[bytes, bytes]], target: str, root: Path | None
) -> Iterator[tuple[Change, int | None, str]]:
    """Yield (file, line, what is imported) for every import of a module, package or path that a change adds.

    `root`: the working tree in which imports are followed; None where there is none.
    """
    tree = SourceTree(root) if root is not None else None
    for change in changes:
        language = language_of(change.path)
        if language is None or change.path not in contents:
            yield from ((change, number, name) for number, name in _by_line(change, target))
            continue
        before, after = (
            content if (text := wide_text(content)) is None else text.encode() for content in contents[change.path]
        )
        for statement in _new_statements(before, after, language):
            line = _line_of(statement, change, language)
            if line is not None and _reaches(statement, target, change.path, language, tree):
                yield change, line, statement.path


def _new_statements(before: bytes, after: bytes, language: Language) -> Iterator[Statement]:
    """Yield imports that a file did not have; of a module that it imported already, only names that are new."""
    known: dict[str, set[str]] = {}
    for statement in parse(before, language) if before else ():
        known.setdefault(statement.path, set()).update(statement.names)
    for statement in parse(after, language):
        if statement.path not in known:
            yield statement
        elif names := tuple(name for name in statement.names if name not in known[statement.path]):
            yield Statement(ONLY_NAMES, statement.path, names)


def _reaches(statement: Statement, target: str, file: str, language: Language, tree: SourceTree | None) -> bool:
    """Return whether an import leads to what a rule names: as it is written, or by the file that it means."""
    written, whole = statement.path.removeprefix("node:"), statement.kind != ONLY_NAMES
    if not written.startswith("."):
        if not whole and _is_target(target, written):
            return False  # it was imported before
        if any(_is_target(target, name) for name in _as_named(written, statement.names, whole=whole)):
            return True
    elif whole and "/" in written and _is_target(target, posixpath.normpath(posixpath.join(file, "..", written))):
        return True  # also where no file is there yet
    return tree is not None and _leads(statement, target, file, language, tree, whole=whole)


def _as_named(written: str, names: Sequence[str], *, whole: bool) -> Iterator[str]:
    yield from (written,) if whole else ()
    yield from (f"{written}.{name}" for name in names)


def _leads(statement: Statement, target: str, file: str, language: Language, tree: SourceTree, *, whole: bool) -> bool:
    """Return whether an import means a file that a rule names and that the rest of its statement did not."""
    known = set() if whole else set(language.resolve(tree, file, [Statement("", statement.path)], False))
    return any(
        fits(target, path) or same_place(target, path)
        for path, tie in language.resolve(tree, file, [statement], False)
        if tie not in {SAME_PACKAGE, USED} and path != file and (path, tie) not in known
    )


def _line_of(statement: Statement, change: Change, language: Language) -> int | None:
    """Return the added line that an import most probably begins in, None where no added line names it."""
    only_names = statement.kind == ONLY_NAMES
    for number, line in sorted(change.added.items()):
        found = parse(line.encode("utf-8", "replace"), language)
        if not only_names and any(one.path == statement.path for one in found):
            return number
    words = statement.names if only_names else (statement.path, *statement.names)
    return next((n for n, line in sorted(change.added.items()) if any(word in line for word in words)), None)


def _by_line(change: Change, target: str) -> Iterator[tuple[int, str]]:
    for number, line in sorted(change.added.items()):
        found = _OTHER_IMPORT.match(line[:_LONGEST])
        name = next((one for one in _names(found["rest"]) if _is_target(target, one)), None) if found else None
        if name is not None:
            yield number, name


_LONGEST = 1_000  # Characters of a line that may import something


@cache
def _names(rest: str) -> tuple[str, ...]:
    return tuple(_NAME.findall(rest))


def _is_target(target: str, name: str) -> bool:
    plain = name.replace("\\", "/")
    return names_module(target, plain) or fits(target, plain)
