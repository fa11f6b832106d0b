"""A file comes back byte for byte in the style it was written in."""

from __future__ import annotations

import codecs

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memtui.text.sanitize import decode, encode

LINES = st.lists(st.text(st.characters(exclude_characters="\r\n", exclude_categories=["Cs"])), max_size=6)


@pytest.mark.parametrize(
    ("raw", "text", "newline", "bom", "final_newline"),
    [
        (b"a\nb\n", "a\nb\n", "lf", False, True),
        (b"a\r\nb", "a\nb", "crlf", False, False),
        (b"a\r\nb\n", "a\nb\n", "mixed", False, True),
        (b"a\rb\r", "a\nb\n", "mixed", False, True),
        (b"\xef\xbb\xbf---\r\n", "---\n", "crlf", True, True),
        (b"no line end", "no line end", "lf", False, False),
        (b"", "", "lf", False, True),
        (codecs.BOM_UTF8, "", "lf", True, True),
    ],
)
def test_the_style_of_a_file_is_known(raw: bytes, text: str, newline: str, bom: bool, final_newline: bool) -> None:
    decoded = decode(raw)
    assert (decoded.text, decoded.newline, decoded.bom, decoded.final_newline) == (text, newline, bom, final_newline)
    assert decoded.replaced == 0


def test_the_same_rule_reads_alike_in_every_style() -> None:
    body = "---\nglobs: *.py\n---\nUse tabs\n"
    variants = (
        body.encode(),
        body.replace("\n", "\r\n").encode(),
        codecs.BOM_UTF8 + body.replace("\n", "\r\n").encode(),
        body.replace("\n", "\r\n", 1).encode(),
        codecs.BOM_UTF16_LE + body.encode("utf-16-le"),
        codecs.BOM_UTF16_BE + body.encode("utf-16-be"),
    )
    assert {decode(raw).text for raw in variants} == {body}


def test_undecodable_bytes_are_counted_and_never_stop_the_reading() -> None:
    decoded = decode(b"caf\xe9 \xff\xfe ok \xef\xbf\xbd\n")
    assert decoded.text == "caf\ufffd \ufffd\ufffd ok \ufffd\n"
    assert decoded.replaced == 3


def test_half_a_character_of_utf_16_is_counted_too() -> None:
    decoded = decode(codecs.BOM_UTF16_LE + "a".encode("utf-16-le") + b"\x00\xd8" + b"\x0a")
    assert decoded.text == "a\ufffd\ufffd"
    assert decoded.replaced == 3


def test_a_changed_text_is_written_in_the_old_style() -> None:
    like = decode(b"\xef\xbb\xbfone\r\ntwo\r\n")
    assert encode("one\nthree", like) == b"\xef\xbb\xbfone\r\nthree\r\n"
    assert encode("x\n", decode(b"no end")) == b"x"
    assert encode("new\n", decode(b"")) == b"new\n"
    assert encode("", decode(b"gone\n")) == b""


def test_a_lone_surrogate_is_written_as_the_replacement_character() -> None:
    assert encode("a\ud800b", decode(b"x")) == "a\ufffdb".encode()


@given(LINES, st.sampled_from(["\n", "\r\n"]), st.booleans(), st.sampled_from(["utf-8", "utf-16-le", "utf-16-be"]))
@example(["", "", ""], "\n", True, "utf-8")
def test_what_is_unchanged_comes_back_byte_for_byte(lines: list[str], newline: str, bom: bool, encoding: str) -> None:
    marks = {"utf-8": codecs.BOM_UTF8, "utf-16-le": codecs.BOM_UTF16_LE, "utf-16-be": codecs.BOM_UTF16_BE}
    body = newline.join(lines).removeprefix("\ufeff").encode(encoding)
    raw = (marks[encoding] if bom or encoding != "utf-8" else b"") + body
    decoded = decode(raw)
    assert encode(decoded.text, decoded) == raw


@given(st.binary(max_size=200))
def test_any_bytes_decode_to_lines_without_carriage_returns(raw: bytes) -> None:
    decoded = decode(raw)
    assert "\r" not in decoded.text
    assert encode(decoded.text, decoded).decode(decoded.encoding, "strict") is not None
