"""What a commit changes, as git prints it: files, their modes and contents, and the lines that are new."""

from __future__ import annotations

import codecs
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

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
