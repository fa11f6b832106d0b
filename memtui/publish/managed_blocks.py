"""A managed block: the part of a file of other people that memtui wrote, between two marker lines.

Everything works on bytes: what lies outside of the block is never decoded, moved or rewritten. A file in which it is
not certain where the block begins and ends is refused, with the lines; nothing is repaired.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Literal

from memtui.errors import RefusedError, UsageError

State = Literal["missing", "current", "stale", "edited"]
"""What a block is: not there, as it should be, as memtui wrote it but out of date, or edited by hand since."""

_ID = re.compile(r"[a-z0-9][a-z0-9._-]{0,59}")
_OURS = re.compile(rb"<!--[ \t]*memtui:(?P<side>begin|end)\b(?P<fields>[^\r\n]*?)-->")
_MARKER_LINE = re.compile(rb" {0,3}<!--[ \t]*memtui:(?:begin|end)\b[^\r\n]*?-->[ \t]*\r?")
_FIELD = re.compile(rb"(?P<key>id|sha|pad)=(?P<value>[\w.-]+)|(?P<flag>\b(?:new|whole)\b)")
_FENCE = re.compile(rb" {0,3}(?P<fence>`{3,}(?=[^`]*$)|~{3,})(?P<info>.*)")

_NAME = rb"(?P<name>[\w.-]+)"
_FOREIGN_BEGIN = re.compile(
    rb"[ \t]*(?:<!--[ \t]*(?:BEGIN[ :]" + _NAME + rb"|(?P<other>[\w.-]+)[ :](?:START|BEGIN)\b).*?-->"
    rb"|<(?P<tag>[a-z]+-mem-context)>|#[ \t]*-{3,}[ \t]*BEGIN[ :](?P<shell>[\w.-]+).*)[ \t]*\r?",
    re.IGNORECASE,
)
_FOREIGN_END = re.compile(
    rb"[ \t]*(?:<!--[ \t]*(?:END[ :]" + _NAME + rb"|(?P<other>[\w.-]+)[ :](?:END|STOP)\b).*?-->"
    rb"|</(?P<tag>[a-z]+-mem-context)>|#[ \t]*-{3,}[ \t]*END[ :](?P<shell>[\w.-]+).*)[ \t]*\r?",
    re.IGNORECASE,
)
"""Markers of other tools: `<!-- BEGIN:name -->`, `<!-- NAME:START -->`, `<claude-mem-context>`, `# --- BEGIN name`."""


@dataclass(frozen=True, slots=True)
class Block:
    """A block as it stands in a file."""

    id: str
    sha: str  # hash of the text as memtui wrote it
    text: str  # what stands between the markers now, with LF line ends
    head: str  # what stands above it where the whole file is memtui's, with LF line ends; else empty
    pad: int  # line ends that were added before it
    is_new: bool  # whether memtui made the file
    is_whole: bool  # whether what stands above the block is memtui's too: the settings of a rule file
    start: int  # offset of the first byte that goes when the block is taken out, added line ends included
    begin: int  # offset of the begin marker
    end: int  # offset after the end marker's line
    lines: tuple[int, int]  # numbers of the two marker lines, from 1

    @property
    def is_edited(self) -> bool:
        """Whether somebody edited it since memtui wrote it."""
        return text_hash(self.head + self.text) != self.sha


def text_hash(text: str) -> str:
    """Return the hash by which a block's text is known again: of its text with LF line ends."""
    return sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:16]


def find(data: bytes, identifier: str) -> Block | None:
    """Return the block of an id, None if the file has none.

    Raises `RefusedError`: the markers are not one ordered pair on lines of their own outside of code and of other
    tools' blocks, or the file is not UTF-8.
    """
    return _read(data, identifier).block


def blocks_in(data: bytes) -> list[Block]:
    """Return every block of memtui in a file, in order; errors as in `find`."""
    found = {_fields(match["fields"])["id"] for match in _OURS.finditer(data)}
    blocks = (find(data, identifier) for identifier in sorted(found) if identifier)
    return sorted((block for block in blocks if block is not None), key=lambda block: block.start)


def write(data: bytes | None, identifier: str, text: str, *, head: str = "") -> bytes:
    """Return a file with the block of an id holding a text: replaced where it stands, else appended at the end.

    Args:
        data: the file as it is; None if there is none.
        identifier: lower-case letters, digits, `.`, `_` and `-`.
        text: what is to stand between the markers; see `checked`.
        head: what stands above the block in a file that is memtui's as a whole.

    Raises:
        RefusedError: as in `find`, or the file ends inside of code, or of another tool's block.
        UsageError: the text or the id cannot stand in a block.
    """
    if not _ID.fullmatch(identifier):
        raise UsageError(
            "A block's id needs letters, digits, `.`, `_` or `-`", where=identifier[:60], remedy="Choose another id."
        )
    text = checked(text)
    place = _read(data or b"", identifier)
    block = place.block
    if block is not None and data is not None:
        return _replaced(data, block, text, head)
    if head and data:
        raise RefusedError("The file is not memtui's", where="it has no block of memtui")
    place.refuse_open_end()
    before = data or b""
    newline = b"\r\n" if before.count(b"\r\n") * 2 > before.count(b"\n") else b"\n"
    pad = _pad(before)
    return before + newline * pad + _written(identifier, text, head, pad, is_new=data is None, newline=newline)


def _replaced(data: bytes, block: Block, text: str, head: str) -> bytes:
    if head and not block.is_whole:
        raise RefusedError(
            "The file has a block of memtui, but is not memtui's as a whole",
            where=f"line {block.lines[0]}",
            remedy="Take the block out first.",
        )
    own = data[block.begin : block.end]
    newline = _newline_of(own)
    written = _written(block.id, text, head, block.pad, is_new=block.is_new, newline=newline)
    if not own.endswith(b"\n"):
        written = written.removesuffix(newline)
    return data[: block.start if block.is_whole else block.begin] + written + data[block.end :]


def remove(data: bytes, identifier: str) -> bytes | None:
    """Return a file without the block of an id, as it was before; None where nothing is left of memtui's own file.

    Raises `RefusedError`: as in `find`.
    """
    block = find(data, identifier)
    if block is None:
        return data
    rest = data[: block.start] + data[block.end :]
    return None if block.is_new and not rest.removeprefix(codecs.BOM_UTF8).strip() else rest


def has_marker(data: bytes, identifier: str) -> bool:
    """Return whether a marker of an id stands anywhere in a file, also in one that `find` refuses."""
    return any(_fields(match["fields"])["id"] == identifier for match in _OURS.finditer(data))


def piece(data: bytes | None, identifier: str) -> str:
    """Return all that goes when the block of an id is taken out, as it stands; empty if there is none.

    Raises `RefusedError`: as in `find`.
    """
    block = None if data is None else find(data, identifier)
    return "" if block is None or data is None else data[block.start : block.end].decode()


def with_piece(data: bytes | None, identifier: str, put: str) -> bytes | None:
    """Return a file with a piece in place of its block, at the end where it has none; an empty one takes it out.

    Raises `RefusedError`: as in `find`, of the file as it is and as it would be.
    """
    if not put:
        return None if data is None else remove(data, identifier)
    data = data or b""
    block = find(data, identifier)
    start, end = (len(data), len(data)) if block is None else (block.start, block.end)
    after = data[:start] + put.encode() + data[end:]
    find(after, identifier)
    return after


def check(data: bytes | None, identifier: str, text: str | None = None, *, head: str = "") -> State:
    """Return what the block of an id is, compared with a text; without one it is held against its own hash alone.

    Raises `RefusedError`: as in `find`.
    """
    block = None if data is None else find(data, identifier)
    if block is None:
        return "missing"
    if text is not None and block.text == checked(text) and (block.head == head or not block.is_whole):
        return "current"
    if block.is_edited:
        return "edited"
    return "current" if text is None else "stale"


def checked(text: str) -> str:
    """Return a text as it stands in a block: LF line ends, one at its end, no empty lines around it.

    Raises `UsageError`: it would end a comment, open a fence, or hold a marker.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n").strip("\n") + "\n"
    data = text.encode("utf-8", "surrogateescape")
    for number, line in enumerate(data.split(b"\n"), 1):
        wrong = (
            "ends a comment"
            if b"-->" in line
            else "opens a code fence"
            if _FENCE.match(line)
            else "is a marker"
            if _FOREIGN_BEGIN.fullmatch(line) or _FOREIGN_END.fullmatch(line)
            else "holds NUL"
            if b"\0" in line
            else ""
        )
        if wrong:
            raise UsageError(
                f"This cannot stand in a managed block: a line {wrong}",
                where=f"line {number}",
                remedy="Change this line.",
            )
    return text


# -- reading ------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Place:
    """Where a block stands in a file, or what a block at its end would stand in."""

    block: Block | None = None
    open_fence: int = 0  # number of the line that opens a code fence which nothing closes; 0 for none
    open_foreign: int = 0  # number of the line that begins another tool's block which nothing ends; 0 for none

    def refuse_open_end(self) -> None:
        """Refuse to append to a file that ends inside of something."""
        if self.open_fence:
            raise RefusedError(
                "The file ends inside a code fence that is never closed",
                where=f"line {self.open_fence}",
                remedy="Close it; nothing was changed.",
            )
        if self.open_foreign:
            raise RefusedError(
                "The file ends inside the block of another tool, which has no end",
                where=f"line {self.open_foreign}",
                remedy="Mend its markers; nothing was changed.",
            )


@dataclass(frozen=True, slots=True)
class _Line:
    """A line that holds a marker of memtui with the wanted id."""

    number: int  # from 1
    start: int
    end: int  # after its line end
    side: str
    fields: dict[str, str]
    alone: bool  # whether it stands on a line of its own
    inside: str  # what it stands in: a code fence, the block of another tool, or nothing


def _read(data: bytes, identifier: str) -> _Place:
    refuse_encoding(data)
    place = _Place()
    found = list(_marker_lines(data, identifier, place))
    if not found:
        return place
    _refuse_unpaired(found, identifier)
    begin, end = found
    fields = begin.fields
    is_whole = "whole" in fields
    pad = 0 if "new" in fields else {"0": 0, "2": 2}.get(fields.get("pad", ""), 1)
    place.block = Block(
        id=identifier,
        sha=fields.get("sha", ""),
        text=_decoded(data[begin.end : end.start]),
        head=_decoded(data[_head_start(data) : begin.start]) if is_whole else "",
        pad=pad,
        is_new="new" in fields,
        is_whole=is_whole,
        start=_head_start(data) if is_whole else _without_pad(data, begin.start, pad, _newline_of(data[begin.start :])),
        begin=begin.start,
        end=end.end,
        lines=(begin.number, end.number),
    )
    return place


def refuse_encoding(data: bytes) -> None:
    """Raise `RefusedError` where a file is no text in UTF-8."""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise RefusedError(
            "The file is not UTF-8", where=f"byte {error.start}", remedy="Convert it; nothing was changed."
        ) from error
    if b"\0" in data:
        raise RefusedError("The file is not text", where="it holds NUL", remedy="Nothing was changed.")


def _refuse_unpaired(found: Sequence[_Line], identifier: str) -> None:
    """Refuse anything but one begin and one end after it, both on lines of their own and outside of others."""
    numbers = ", ".join(str(line.number) for line in found)
    inside = next((line for line in found if line.inside), None)
    glued = next((line for line in found if not line.alone), None)
    if glued is not None:
        what = "A marker does not stand on a line of its own"
    elif inside is not None:
        what = f"A marker is inside {inside.inside}"
    elif [line.side for line in found] == ["begin", "end"]:
        return
    elif len(found) == 1:
        what = f"The {found[0].side} marker has no other half"
    elif sorted(line.side for line in found) == ["begin", "end"]:
        what = "The end marker stands above the begin marker"
    else:
        what = f"There are {len(found)} markers where there should be two"
    raise RefusedError(
        f"{what} of block {identifier}",
        where=f"line {numbers}" if len(found) == 1 else f"lines {numbers}",
        remedy="Mend the markers by hand; nothing was changed.",
    )


def _marker_lines(data: bytes, identifier: str, place: _Place) -> Iterator[_Line]:
    """Yield the lines with markers of an id, and note what the end of the file stands in."""
    walk = _Walk()
    own = _block_name(identifier)
    for number, start, line in _lines(data):
        bare = line.rstrip(b"\n")
        markers = [(match["side"].decode(), _fields(match["fields"])) for match in _OURS.finditer(bare)]
        is_marker = len(markers) == 1 and _MARKER_LINE.fullmatch(bare) is not None
        for side, fields in markers:
            if fields["id"] == identifier:
                inside = "a code fence" if walk.fence else "another block" if walk.tool not in {b"", own} else ""
                yield _Line(number, start, start + len(line), side, fields, alone=is_marker, inside=inside)
        walk.take(number, bare, markers[0] if is_marker else None)
    place.open_fence = walk.fence_line if walk.fence else 0
    place.open_foreign = walk.tool_line if walk.tool else 0


@dataclass(slots=True)
class _Walk:
    """What the next line of a file stands in."""

    fence: bytes = b""  # the fence that is open
    fence_line: int = 0
    tool: bytes = b""  # name of the block that is open: of another tool, or of memtui
    tool_line: int = 0

    def take(self, number: int, bare: bytes, marker: tuple[str, dict[str, str]] | None) -> None:
        """Go on by a line; `marker`: side and fields of memtui's own on it."""
        if self.tool:
            # A block is opaque: nothing but its own end is looked for.
            if self._name(marker, "end", _FOREIGN_END.fullmatch(bare)) == self.tool:
                self.tool = b""
        elif mark := _FENCE.match(bare.rstrip(b"\r")):
            if not self.fence:
                self.fence, self.fence_line = mark["fence"], number
            elif mark["fence"].startswith(self.fence) and not mark["info"].strip():
                self.fence = b""
        elif not self.fence:
            self.tool, self.tool_line = self._name(marker, "begin", _FOREIGN_BEGIN.fullmatch(bare)), number

    @staticmethod
    def _name(marker: tuple[str, dict[str, str]] | None, side: str, foreign: re.Match[bytes] | None) -> bytes:
        """Return the name of the block that a line begins or ends; empty for none."""
        if marker is not None:
            return _block_name(marker[1]["id"]) if marker[0] == side else b""
        return _name(foreign)


def _block_name(identifier: str) -> bytes:
    return f"memtui:begin {identifier}".encode()


def _lines(data: bytes) -> Iterator[tuple[int, int, bytes]]:
    """Yield number, offset and bytes of each line, the byte order mark left out."""
    start = _head_start(data)
    for number, line in enumerate(_split(data[start:]), 1):
        yield number, start, line
        start += len(line)


def _split(data: bytes) -> list[bytes]:
    """Return the lines with their ends; only LF ends a line."""
    lines = data.split(b"\n")
    return [line + b"\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])


def _name(match: re.Match[bytes] | None) -> bytes:
    """Return the name of another tool's block, in lower case; empty without a match."""
    return next(filter(None, match.groupdict().values()), b"").lower() if match else b""


def _fields(raw: bytes) -> dict[str, str]:
    fields = {"id": ""}
    for match in _FIELD.finditer(raw):
        key = match["flag"] or match["key"]
        fields[key.decode()] = (match["value"] or b"").decode()
    return fields


def _head_start(data: bytes) -> int:
    return len(codecs.BOM_UTF8) if data.startswith(codecs.BOM_UTF8) else 0


def _newline_of(block: bytes) -> bytes:
    """Return the line end of a block, which is that of its first line."""
    return b"\r\n" if block.split(b"\n", 1)[0].endswith(b"\r") else b"\n"


def _without_pad(data: bytes, start: int, pad: int, newline: bytes) -> int:
    """Return where a block begins with the line ends that were added before it, as far as they are still there."""
    for _ in range(pad):
        if data[:start].endswith(newline):
            start -= len(newline)
    return start


def _decoded(data: bytes) -> str:
    return data.decode("utf-8").replace("\r\n", "\n")


# -- writing ------------------------------------------------------------------------------------------


def _pad(before: bytes) -> int:
    """Return how many line ends are to be added so that one empty line stands before the block."""
    text = before.removeprefix(codecs.BOM_UTF8).replace(b"\r\n", b"\n")
    if not text or text.endswith(b"\n\n") or text == b"\n":
        return 0
    return 1 if text.endswith(b"\n") else 2


def _written(identifier: str, text: str, head: str, pad: int, *, is_new: bool, newline: bytes) -> bytes:
    flags = "".join(
        (
            "" if pad == 1 or is_new else f" pad={pad}",
            " new" if is_new else "",
            " whole" if head else "",
        )
    )
    begin = f"<!-- memtui:begin v1 id={identifier} sha={text_hash(head + text)}{flags} -->\n"
    end = f"<!-- memtui:end id={identifier} -->\n"
    return _encoded(f"{head}{begin}{text}{end}", newline)


def _encoded(text: str, newline: bytes) -> bytes:
    return text.encode("utf-8", "surrogateescape").replace(b"\n", newline)
