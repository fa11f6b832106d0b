"""Bytes of a foreign file to text and back in the same style."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass
from typing import Literal

Newline = Literal["lf", "crlf", "mixed"]
Encoding = Literal["utf-8", "utf-16-le", "utf-16-be"]

_BOMS: tuple[tuple[bytes, Encoding], ...] = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_SURROGATE = re.compile("[\ud800-\udfff]")
_REPLACEMENT = "\ufffd"


@dataclass(frozen=True, slots=True)
class DecodedText:
    """A file's text and the style it was written in.

    Attributes:
        text: with LF line ends and without a byte order mark.
        newline: the line ends of the bytes; `lf` for a text without any, `mixed` as soon as two differ or
            a lone CR ends a line.
        bom: whether the bytes began with a byte order mark.
        final_newline: whether the last line is ended; true for an empty file, where no line is left open.
        replaced: undecodable bytes; each UTF-8 byte, or each UTF-16 unit, stands as one U+FFFD in the text.
        encoding: `utf-8` unless a byte order mark says UTF-16.
    """

    text: str
    newline: Newline
    bom: bool
    final_newline: bool
    replaced: int
    encoding: Encoding = "utf-8"


def decode(raw: bytes) -> DecodedText:
    """Return bytes as text: UTF-8 with or without a BOM, UTF-16 if its BOM says so; it never fails."""
    mark, encoding = next(((mark, name) for mark, name in _BOMS if raw.startswith(mark)), (b"", "utf-8"))
    text, replaced = _decode_body(raw[len(mark) :], encoding)
    newline = _newline_style(text)
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return DecodedText(
        text=text,
        newline=newline,
        bom=bool(mark),
        final_newline=not text or text.endswith("\n"),
        replaced=replaced,
        encoding=encoding,
    )


def encode(text: str, like: DecodedText) -> bytes:
    """Return text as bytes in the style of a decoded file: encoding, BOM, line ends, last line end.

    What `decode` returned unchanged gives the same bytes, unless bytes were replaced or the line ends were
    mixed: mixed ones are written as LF. Lone surrogates become U+FFFD.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if not like.final_newline:
        text = text.rstrip("\n")
    elif text and not text.endswith("\n"):
        text += "\n"
    if like.newline == "crlf":
        text = text.replace("\n", "\r\n")
    body = _SURROGATE.sub(_REPLACEMENT, text).encode(like.encoding)
    mark = next(mark for mark, name in _BOMS if name == like.encoding) if like.bom else b""
    return mark + body


def _decode_body(body: bytes, encoding: Encoding) -> tuple[str, int]:
    """Return the text and the number of undecodable bytes."""
    if encoding == "utf-8":
        try:
            return body.decode("utf-8"), 0
        except UnicodeDecodeError:
            # surrogateescape makes one surrogate of each bad byte, which counts bytes, not runs.
            return _SURROGATE.subn(_REPLACEMENT, body.decode("utf-8", "surrogateescape"))
    half = body[-1:] if len(body) % 2 else b""
    text, units = _SURROGATE.subn(_REPLACEMENT, body[: len(body) - len(half)].decode(encoding, "surrogatepass"))
    return text + _REPLACEMENT * len(half), units * 2 + len(half)


def _newline_style(text: str) -> Newline:
    crlf = text.count("\r\n")
    if text.count("\r") != crlf:
        return "mixed"
    if not crlf:
        return "lf"
    return "crlf" if text.count("\n") == crlf else "mixed"
