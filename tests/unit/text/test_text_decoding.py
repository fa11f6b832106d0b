from __future__ import annotations

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.text.sanitize import DecodedText, decode


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (b"a\r\nb\n", "a\nb\n"),
        (b"a\rb\r", "a\nb\n"),
        (b"\xef\xbb\xbf---\r\n", "---\n"),
        (b"no line end", "no line end"),
        (codecs.BOM_UTF8, ""),
    ],
)
def test_line_ends_and_byte_order_marks_are_normalised(raw: bytes, text: str) -> None:
    assert decode(raw) == DecodedText(text, 0)


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


@given(st.binary(max_size=200))
def test_any_bytes_decode_to_lines_without_carriage_returns(raw: bytes) -> None:
    decoded = decode(raw)
    assert "\r" not in decoded.text
    assert decoded.text.count("\ufffd") >= bool(decoded.replaced)
