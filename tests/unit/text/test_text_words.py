"""Columns line up: text is cut and padded by terminal cells and never inside a character."""

from __future__ import annotations

import contextlib
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from wcwidth import wcwidth

from memtui.errors import EXIT_NOTHING, NotFoundError, UsageError, missing_file
from memtui.text.words import (
    Budget,
    begun,
    cell_width,
    clip,
    clip_at_word,
    clip_path,
    clip_start,
    did_you_mean,
    nearest,
    pad,
    parse_budget,
    parse_day,
    parse_duration,
    shorten,
    some_of,
    steady,
    unknown,
)

KINDS = ("decision", "lesson", "Runbook")


def test_the_nearest_name_is_found_whatever_its_case() -> None:
    assert nearest("desicion", KINDS) == "decision"
    assert nearest("RUNBOK", KINDS) == "Runbook"
    assert nearest("zzz", KINDS) is None


def test_a_remedy_names_the_nearest_else_what_is_known() -> None:
    assert did_you_mean("leson", KINDS) == "Did you mean lesson?"
    assert did_you_mean("leson", KINDS, then="Or write a note.") == "Did you mean lesson? Or write a note."
    assert did_you_mean("zzz", KINDS) == ""


def test_a_part_of_a_few_names_means_each_of_them() -> None:
    options = ["--add-tide", "--remove-tide", "--title"]
    assert did_you_mean("--tide", options) == "Did you mean --add-tide or --remove-tide?"
    assert " or " not in did_you_mean("tide", [f"tide-{place}" for place in "abcd"]), "a part of many tells little"
    assert did_you_mean("zzz", KINDS, otherwise="Known: lesson.", then="Try again.") == "Known: lesson. Try again."


@pytest.mark.parametrize(
    ("word", "name"),
    [("dec", "decision"), ("LESSON", "lesson"), ("run", "Runbook"), ("", None), ("x", None), ("lessons", None)],
)
def test_the_beginning_that_only_one_name_has_stands_for_it(word: str, name: str | None) -> None:
    assert begun(word, KINDS) == name


def test_a_beginning_of_several_names_stands_for_none_unless_it_is_one() -> None:
    assert begun("les", ("lesson", "lessee")) is None
    assert begun("note", ("notes", "note")) == "note"


@pytest.mark.parametrize(
    ("text", "cells", "shown"),
    [
        ("Lock refunds by payment", 40, "Lock refunds by payment"),
        ("Lock refunds by payment", 20, "Lock refunds by…"),
        ("Lock refunds, by payment", 15, "Lock refunds…"),
        ("Lock refunds by payment", 16, "Lock refunds by…"),
        ("Unbreakable_identifier_of_a_lock", 12, "Unbreakable…"),
        ("A Donaudampfschifffahrtsgesellschaft", 30, "A Donaudampfschifffahrtsgesel…"),
        ("日本語の題名はとても長い", 9, "日本語の…"),
    ],
)
def test_a_line_is_cut_after_a_whole_word_where_that_loses_little(text: str, cells: int, shown: str) -> None:
    assert clip_at_word(text, cells) == shown
    assert cell_width(clip_at_word(text, cells)) <= cells


@pytest.mark.parametrize(
    ("path", "cells", "shown"),
    [
        ("a/b.md", 6, "a/b.md"),
        ("docs/harbour/b.md", 8, "…ur/b.md"),
        ("港/港港.md", 6, "…港.md"),
        ("a/b.md", 1, "…"),
        ("a/b.md", 0, ""),
        ("a\x1b/b\n.md", 20, "a\ufffd/b .md"),
    ],
)
def test_a_path_is_cut_at_its_beginning(path: str, cells: int, shown: str) -> None:
    assert clip_start(path, cells) == shown
    assert cell_width(clip_start(path, cells)) <= cells


@pytest.mark.parametrize(
    ("path", "cells", "shown"),
    [
        ("docs/adr/RFC-0042-hoist-the-crane.md:7", 16, "RFC-0042-hois…:7"),
        ("docs/0042-hoist-the-crane.md:7-19", 16, "0042-hoist…:7-19"),
        ("docs/adr/RFC-0042.md:7", 16, "…r/RFC-0042.md:7"),
        ("quay/hoist-the-crane.md:118", 16, "…he-crane.md:118"),
        ("quay/crane3/hoist.md", 10, "…/hoist.md"),
        ("2hoists/crane.md:3", 9, "…ane.md:3"),
        ("short.md:3", 16, "short.md:3"),
        ("RFC-0042-hoist.md:7", 3, "…:7"),
        ("", 5, ""),
    ],
)
def test_a_path_that_is_cut_keeps_its_line_and_the_number_that_its_file_is_known_by(
    path: str, cells: int, shown: str
) -> None:
    told = clip_path(path, cells)
    assert cell_width(told) <= cells
    assert told == shown


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


@pytest.mark.parametrize(
    ("text", "amount", "unit"),
    [
        ("1200", 1200, "tokens"),
        ("2k", 2000, "tokens"),
        (" 1.5K tokens ", 1500, "tokens"),
        ("10000 chars", 10_000, "chars"),
        ("10,000 characters", 10_000, "chars"),
        ("32 KiB", 32_768, "bytes"),
        ("32KiB", 32_768, "bytes"),
        ("4kb", 4000, "bytes"),
        ("1 MiB", 1_048_576, "bytes"),
        ("500 bytes", 500, "bytes"),
        ("1_000", 1000, "tokens"),
        ("0", 0, "tokens"),
    ],
)
def test_a_budget_as_people_write_it(text: str, amount: int, unit: str) -> None:
    budget = parse_budget(text)
    assert (budget.amount, budget.unit) == (amount, unit)


@pytest.mark.parametrize(
    "text", ["", "-1", "-2k", "many", "1e9", "12.5.1", "32 Ki", "1,20", "٣", "10 apples", "9" * 500, "99999999999"]
)
def test_a_wrong_budget_is_told_how_to_be_written(text: str) -> None:
    with pytest.raises(UsageError, match="Write it like 1200, 2k"):
        parse_budget(text)


@given(st.integers(0, 10**9), st.sampled_from(["tokens", "chars", "bytes"]))
def test_a_printed_budget_reads_back(amount: int, unit: str) -> None:
    budget = parse_budget(f"{amount} {unit}")
    assert parse_budget(str(budget)) == budget == Budget(amount, budget.unit)


@pytest.mark.parametrize("parse", [parse_budget, parse_duration, parse_day])
@given(text=st.text(max_size=20))
def test_no_text_breaks_the_readers(parse: Callable[[str], object], text: str) -> None:
    with contextlib.suppress(UsageError):
        assert parse(text) is not None


@pytest.mark.parametrize(
    ("text", "days"),
    [("90d", 90), ("2w", 14), ("6 months", 180), ("6mo", 180), ("36h", 1.5), ("1y", 365), ("45", 45), ("0d", 0)],
)
def test_a_span_of_time_in_days(text: str, days: float) -> None:
    assert parse_duration(text) == days


@pytest.mark.parametrize("text", ["", "-3d", "6m", "soon", "1d 2h", "99999999999y"])
def test_a_wrong_span_is_told_how_to_be_written(text: str) -> None:
    with pytest.raises(UsageError, match="Write it like 36h, 90d"):
        parse_duration(text)


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2026-01-31", datetime(2026, 1, 31, tzinfo=UTC)),
        ("2026-01-31T09:30:00Z", datetime(2026, 1, 31, 9, 30, tzinfo=UTC)),
        ("2026-01-31T09:30:00+09:00", datetime(2026, 1, 31, 0, 30, tzinfo=UTC)),
        ("2026-01-31 09:30", datetime(2026, 1, 31, 9, 30, tzinfo=UTC)),
    ],
)
def test_a_day_is_utc(text: str, moment: datetime) -> None:
    assert parse_day(text) == moment
    assert parse_day(text).tzinfo is UTC


@pytest.mark.parametrize("text", ["", "yesterday", "2026-02-30", "31.01.2026", "0001-01-01T00:00:00+09:00"])
def test_a_wrong_day_is_told_how_to_be_written(text: str) -> None:
    with pytest.raises(UsageError, match="Write it like 2026-01-31"):
        parse_day(text)


def test_an_unknown_name_is_told_with_the_nearest_and_all_there_are() -> None:
    error = unknown("kind", "lesso", ("note", "lesson"))
    assert str(error) == "Unknown kind: lesso. Did you mean lesson? Choose from note, lesson."
    assert str(unknown("format", "zzz", ("adr",), where="--format zzz")) == (
        "Unknown format: --format zzz. Choose from adr."
    )


def test_a_missing_file_is_told_in_one_way_with_the_exit_code_of_its_command() -> None:
    assert str(missing_file("a/b.py")) == "No such file or folder: a/b.py. Check the path; `.` is the current folder."
    assert missing_file("a/b.py", NotFoundError).exit_code == EXIT_NOTHING
