"""Columns line up: text is cut and padded by terminal cells and never inside a character."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from wcwidth import wcwidth

from memtui.text.words import cell_width, clip, pad, shorten, some_of, steady

TITLES = ["日本語", "😀😀", "e\u0301te\u0301", "👩‍👩‍👧 family", "مرحبا", "🇩🇪🇫🇷", "plain", "नमस्ते", ""]


@pytest.mark.parametrize(
    ("text", "cells"),
    [("plain", 5), ("日本語", 6), ("😀😀", 4), ("e\u0301", 1), ("👩‍👩‍👧", 2), ("👁\ufe0f", 2), ("", 0)],
)
def test_the_cells_of_a_text(text: str, cells: int) -> None:
    assert cell_width(text) == cells


@pytest.mark.parametrize("title", TITLES)
@pytest.mark.parametrize("cells", [0, 1, 2, 3, 5, 20])
def test_a_padded_title_fills_its_column_exactly(title: str, cells: int) -> None:
    assert cell_width(pad(title, cells)) == cells


def test_what_is_cut_ends_in_an_ellipsis_and_splits_no_character() -> None:
    assert clip("日本語", 4) == "日…"
    assert clip("👩‍👩‍👧👩‍👩‍👧x", 4) == "👩‍👩‍👧…"
    assert clip("e\u0301e\u0301e\u0301", 2) == "e\u0301…"
    assert clip("abcdef", 4) == "abc…"
    assert clip("abc", 0) == ""


def test_what_fits_is_left_alone() -> None:
    assert clip("日本語", 6) == "日本語"
    assert clip("", 3) == ""


def test_control_characters_never_reach_the_terminal() -> None:
    assert clip("a\x1b[31m\x00\ud800", 20) == "a\ufffd[31m\ufffd\ufffd"
    assert clip("two\nlines\there", 20) == "two lines here"


@given(st.text(max_size=40), st.integers(0, 30))
def test_any_text_fits_any_column(text: str, cells: int) -> None:
    assert cell_width(clip(text, cells)) <= cells
    assert cell_width(pad(text, cells)) == cells
    assert pad(text, cells).isprintable() or not text.isascii()


def test_plain_titles_load_no_width_tables() -> None:
    code = "import sys; from memtui.text.words import pad; pad('plain', 3); sys.exit('wcwidth' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize(
    ("seen", "shown"),
    [
        ("love ❤️ it", "love ❤ it"),
        ("eye 👁️, ©️ and ☎️", "eye 👁, © and ☎"),
        ("press 1️⃣", "press 1\u20e3"),
        ("family 👩‍👩‍👧", "family 👩👩👧"),
        ("👍🏽 👩🏽‍🚀", "👍 👩🚀"),
        ("flags 🇨🇭🇯🇵", "flags CHJP"),
        ("rainbow 🏳️‍🌈", "rainbow 🏳🌈"),
        ("न्‍य stays, so does 日本語 and é", "न्‍य stays, so does 日本語 and é"),
        ("plain", "plain"),
    ],
)
def test_emoji_are_shown_in_forms_of_undisputed_width(seen: str, shown: str) -> None:
    """What terminals add up code point by code point is what those that know graphemes measure."""
    assert steady(seen) == shown
    if "न" not in seen:  # the width of a conjunct is disputed, and no emoji
        assert cell_len(steady(seen)) == cell_width(steady(seen))
        assert cell_width(steady(seen)) == sum(max(0, wcwidth(letter)) for letter in steady(seen))


def test_a_long_text_ends_in_an_ellipsis_and_keeps_its_limit() -> None:
    assert shorten("as it is", 8) == "as it is"
    assert shorten("one two three", 9) == "one two…"


def test_a_long_list_of_names_ends_in_an_ellipsis() -> None:
    assert some_of(["a", "b"], 2) == "a, b"
    assert some_of(["a", "b", "c"], 2, " ") == "a b …"
