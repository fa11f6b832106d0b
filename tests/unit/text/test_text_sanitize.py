"""Hostile text can be shown: nothing drives the terminal, nothing hides unseen."""

from __future__ import annotations

import codecs
import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.text.sanitize import DecodedText, decode, in_lines, one_line, reveal, sanitise


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


ESC = "\x1b"
HOSTILE = st.text(
    st.sampled_from(
        [*"\x1b[]0;m1Pc\\ \n\r\t\x07\x00\x7f\x85\x9b\x9c\x9da", "\u200b", "\u202e", "\ufe0f", "👩", "\u200d", "\ud800"]
    ),
    max_size=80,
)


@pytest.mark.parametrize(
    ("text", "clean", "removed"),
    [
        (f"{ESC}[31mred{ESC}[0m", "red", 2),
        (f"{ESC}[201~:q!", ":q!", 1),
        (f"{ESC}]8;;https://x.example{ESC}\\link{ESC}]8;;\x07", "link", 2),
        (f"{ESC}]0;never closed\nnext line", "0;never closed\nnext line", 1),
        (f"{ESC}P1$r0m{ESC}\\text", "text", 1),
        (f"{ESC}(Btext{ESC}7", "text", 2),
        ("\x9b31mtext", "text", 1),
        ("a\x00b\x7fc\x80d", "abcd", 3),
        ("a\x0bb\x0cc\x85d\x1ce\x1ff", "a\nb\nc\nd\ne f", 0),
        ("tab\tstays\n", "tab\tstays\n", 0),
        ("a\r\nb\rc", "a\nb\nc", 0),
        ("\ud83dx", "\ufffdx", 1),
        (ESC, "", 1),
    ],
)
def test_control_characters_and_escape_sequences_go_and_are_counted(text: str, clean: str, removed: int) -> None:
    result = sanitise(text)
    assert (result.text, result.removed) == (clean, removed)


@pytest.mark.parametrize(
    ("text", "invisible", "bidi"),
    [
        ("pass\u200bword", 1, 0),
        ("soft\u00adhyphen\ufeff\u2060", 3, 0),
        ("a" + "".join(chr(0xE0000 + ord(letter)) for letter in "hidden"), 6, 0),
        ("x\ufe01\ufe02\U000e0150", 3, 0),
        ("a\u200db", 1, 0),
        ("\u202eevil\u202c \u2066x\u2069", 0, 4),
    ],
)
def test_hidden_characters_stay_and_are_counted(text: str, invisible: int, bidi: int) -> None:
    result = sanitise(text)
    assert result.text == text
    assert (result.invisible, result.bidi) == (invisible, bidi)


@pytest.mark.parametrize(
    "text",
    [
        "👩‍👩‍👧 👁️ ✔︎ 1️⃣ 🏳️‍🌈",
        "🏴" + "".join(chr(0xE0000 + ord(letter)) for letter in "gbeng") + "\U000e007f",
        "می‌خواهم",
        "क्‍ष",
        "葛\U000e0100城市",
        "plain text",
    ],
)
def test_what_languages_and_emoji_need_is_no_alarm(text: str) -> None:
    result = sanitise(text)
    assert (result.text, result.removed, result.invisible, result.bidi) == (text, 0, 0, 0)
    assert reveal(text) == text


def test_hidden_characters_are_written_out_for_the_screen() -> None:
    assert reveal("a\u202eb\u200bc") == "a‹U+202E›b‹U+200B›c"
    assert reveal("\x1b[0m\n") == "‹U+001B›[0m\n"


@given(HOSTILE, HOSTILE)
def test_what_parts_words_goes_on_parting_them(before: str, after: str) -> None:
    """A line end of any sort between two words never glues them together."""
    for sign in "\n\r\x0b\x0c\x1c\x1d\x1e\x1f\x85\u2028\u2029":
        assert re.search(r"one\s+two", sanitise(f"{before}\none{sign}two\n{after}").text)
        assert "one two" in one_line(f"{before}\none{sign}two\n{after}")


def test_a_text_in_lines_has_line_feeds_alone() -> None:
    assert in_lines("a\u2028b\u2029c\nd 日本") == "a\nb\nc\nd 日本"


def test_a_title_is_one_line() -> None:
    assert one_line("  Use\ttabs\r\n in \u2028 Make\x1b[1mfiles ") == "Use tabs in Makefiles"


@given(HOSTILE)
def test_sanitising_twice_changes_nothing_and_leaves_no_control_character(text: str) -> None:
    once = sanitise(text)
    twice = sanitise(once.text)
    assert twice.text == once.text
    assert twice.removed == 0
    assert not [sign for sign in once.text if unicodedata.category(sign) in {"Cc", "Cs"} and sign not in "\n\t"]


@given(HOSTILE)
def test_what_is_revealed_hides_nothing(text: str) -> None:
    shown = sanitise(reveal(text))
    assert (shown.removed, shown.bidi) == (0, 0)
    assert shown.invisible == 0
    assert "\n" not in one_line(text)


def test_a_joiner_after_a_stray_selector_is_revealed_and_one_inside_an_emoji_stays() -> None:
    assert reveal("\ufe0f\u200d👩") == "\u2039U+FE0F\u203a\u2039U+200D\u203a👩"
    assert reveal("❤\ufe0f\u200d🔥") == "❤\ufe0f\u200d🔥"


@pytest.mark.parametrize("text", ["\u180b\u180b", "\u180b\u200c", "\u061c\u200d", "\u17b4\u200d"])
def test_what_stands_after_a_hidden_character_is_revealed_with_it(text: str) -> None:
    assert sanitise(reveal(text)).invisible == 0
