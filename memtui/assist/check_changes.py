"""What a commit changes, as git prints it, with the lines and the imports that are new."""

from __future__ import annotations

import codecs
import posixpath
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import NamedTuple

from memtui.domain.rules import fits, names_module, same_place
from memtui.recall.imports.follow import language_of, parse
from memtui.recall.imports.sources import SAME_PACKAGE, USED, Language, SourceTree, Statement

SUBMODULE, SYMLINK, PLAIN = "160000", "120000", "100644"  # Git's modes

_HUNK = re.compile(rb"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_BINARY = re.compile(rb"Binary files .* differ$")


@dataclass(frozen=True, slots=True)
class Change:
    """One file that changes."""

    path: str  # POSIX, relative to the project
    status: str  # git's letter: A added, M modified, D deleted, R renamed, T another type
    old_path: str = ""  # its name before, where it was renamed
    mode: str = ""  # git's mode of the new file
    old_blob: str = ""  # id of its content before, empty for none
    new_blob: str = ""  # id of its content now; empty where only the working tree has it
    added: Mapping[int, str] = field(default_factory=dict)  # lines that are new, by number from 1
    around: Mapping[int, str] = field(default_factory=dict)  # unchanged lines beside them

    @property
    def is_text(self) -> bool:
        return self.mode not in {SUBMODULE, SYMLINK} and self.status != "D"

    @property
    def paths(self) -> tuple[str, ...]:
        """The names under which it changes: of a renamed file both."""
        return (self.old_path, self.path) if self.status == "R" else (self.path,)

    def line(self, number: int) -> str:
        return self.added.get(number) or self.around.get(number, "")


@dataclass(slots=True)
class Changes:
    """Everything that changes."""

    files: list[Change]
    messages: str = ""  # the messages of the commits it comes from, as far as they are written
    notes: list[str] = field(default_factory=list)  # what was not looked into, in words


class Lines(NamedTuple):
    """What of a file a patch shows, each line by its number from 1."""

    added: Mapping[int, str]
    around: Mapping[int, str]  # unchanged lines beside them


def entries_of(output: bytes) -> tuple[list[Change], bytes]:
    """Return the entries of `git diff --raw -z`, and the patch after them."""
    found: list[Change] = []
    position = 0
    while output.startswith(b":", position):
        end = output.index(b"\0", position)
        _, mode, old, new, status = output[position + 1 : end].decode("ascii").split(" ")
        position = end + 1
        paths = []
        for _ in range(2 if status[0] in "RC" else 1):
            end = output.index(b"\0", position)
            paths.append(output[position:end].decode("utf-8", "surrogateescape"))
            position = end + 1
        change = Change(paths[-1], status[0], mode=mode, old_blob=_id(old), new_blob=_id(new))
        if status[0] == "R":
            change = replace(change, old_path=paths[0])
        elif status[0] == "C":
            change = replace(change, status="A")
        found.append(change)
    return found, output[position:].removeprefix(b"\0")


def _id(blob: str) -> str:
    return "" if set(blob) == {"0"} else blob


@dataclass(slots=True)
class FilePatch:
    """The patch of one file."""

    added: dict[int, str] = field(default_factory=dict)
    around: dict[int, str] = field(default_factory=dict)
    is_binary: bool = False

    @property
    def lines(self) -> Lines | None:
        """Its lines, None for a binary file."""
        return None if self.is_binary else Lines(self.added, self.around)


def patches_of(patch: bytes) -> Iterator[FilePatch]:
    """Yield the patch of each file. Lines of hunks are counted, so that no line of a file is taken for a header."""
    part: FilePatch | None = None
    lines = iter(patch.split(b"\n"))
    for line in lines:
        if line.startswith(b"diff --git "):
            if part is not None:
                yield part
            part = FilePatch()
        elif part is not None and (hunk := _HUNK.match(line)):
            _take_hunk(part, lines, hunk)
        elif part is not None and _BINARY.match(line):
            part.is_binary = True
    if part is not None:
        yield part


def _take_hunk(part: FilePatch, lines: Iterator[bytes], hunk: re.Match[bytes]) -> None:
    old_left, new_left = (1 if size is None else int(size) for size in (hunk[2], hunk[4]))
    number = int(hunk[3])
    while old_left or new_left:
        line = next(lines, None)
        if line is None:
            return
        mark, text = line[:1], line[1:]
        if mark == b"\\":
            continue
        old_left -= mark != b"+"
        new_left -= mark != b"-"
        if mark != b"-":
            (part.added if mark == b"+" else part.around)[number] = decoded_line(text)
            number += 1


_WIDE_SAMPLE = 2_000  # Bytes by which UTF-16 without its mark is known
_LEAST_WIDE = 0.4  # Share of zeros in them, all on one side: Latin letters have one each


def wide_text(content: bytes) -> str | None:
    """Return the text of a file in UTF-16, which git takes for binary; None for any other."""
    sample = content[:_WIDE_SAMPLE]
    zeros = [sample[side::2].count(0) for side in (0, 1)]
    if sample.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        encoding = "utf-16"
    elif min(zeros) == 0 and max(zeros) >= _LEAST_WIDE * max(1, len(sample)):
        encoding = "utf-16-be" if zeros[0] else "utf-16-le"
    else:
        return None
    return content.decode(encoding, "replace").replace("\r\n", "\n")


def wide_lines(before: bytes, after: bytes) -> Lines | None:
    """Return the lines of a file in UTF-16 that it did not have before, wherever they stood; None for another file."""
    text = wide_text(after)
    if text is None:
        return None
    known = Counter((wide_text(before) or before.decode("utf-8", "replace").replace("\r\n", "\n")).split("\n"))
    added: dict[int, str] = {}
    around: dict[int, str] = {}
    for number, line in enumerate(text.split("\n"), 1):
        known[line] -= 1
        (around if known[line] >= 0 else added)[number] = line
    return Lines(added, around)


def decoded_line(line: bytes) -> str:
    """Return a line as text: UTF-8, else every byte as the character of Latin-1."""
    plain = line.removesuffix(b"\r")
    try:
        return plain.decode("utf-8")
    except UnicodeDecodeError:
        return plain.decode("latin-1")


def common_to(one: Changes, other: Changes) -> Changes:
    """Return what changes beside both parents of a merge."""
    theirs = {change.path: change for change in other.files}
    both = [
        replace(
            change,
            added={
                number: line for number, line in change.added.items() if theirs[change.path].added.get(number) == line
            },
        )
        for change in one.files
        if change.path in theirs
    ]
    return Changes(both, notes=list(dict.fromkeys((*one.notes, *other.notes))))


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
