"""The parts of Browse that need no screen: marks, facet lines, what is remembered, titles, highlighting."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.style import Style
from wcwidth import wcwidth

from memtui.tui.browse.facets import (
    FEW_VALUES,
    NARROWEST,
    TITLES,
    WIDEST,
    BrowseState,
    chosen_words,
    facet_lines,
    read_state,
)
from memtui.tui.browse.memory_index import Titles
from memtui.tui.memory_view import highlighted
from memtui.tui.values import FacetCounts, Row, steady_order
from memtui.tui.widgets.detail import MOST_RENDERED, rendered
from memtui.tui.widgets.memory_list import PARTS, Columns, Marks, row_segments

STYLES = {name: Style(color="red") for name in ("heading", "code", "path", "label", "dim")}
IDS = tuple(f"m{number}" for number in range(10))
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
KEYS = tuple(BrowseState().section())


# -- marks ----------------------------------------------------------------------------------------


def test_a_range_marks_what_lies_between_and_can_be_given_up() -> None:
    marks = Marks()
    marks.toggle("m9")
    marks.start(4)
    marks.stretch(2)
    assert marks.listed(IDS) == ["m2", "m3", "m4", "m9"]
    assert [marks.holds(index, identifier) for index, identifier in enumerate(IDS[:5])] == [
        False,
        False,
        True,
        True,
        True,
    ]
    marks.drop_range()
    assert marks.listed(IDS) == ["m9"]
    marks.start(0)
    marks.stretch(1)
    marks.keep_range(IDS)
    assert not marks.drawing
    assert marks.listed(IDS) == ["m0", "m1", "m9"]


def test_all_marks_what_is_listed_and_then_nothing_of_it() -> None:
    marks = Marks()
    marks.toggle("elsewhere")
    marks.mark_all(IDS)
    assert marks.listed(IDS) == list(IDS)
    assert len(marks) == len(IDS) + 1
    marks.mark_all(IDS[:3])
    assert marks.listed(IDS) == list(IDS[3:])
    marks.clear()
    assert len(marks) == 0


# -- facets ---------------------------------------------------------------------------------------


def test_long_facets_show_their_commonest_values_and_what_is_chosen() -> None:
    values = [(f"tag{number:02}", 50 - number) for number in range(30)]
    counts = FacetCounts({"tag": values, "kind": [("note", 3)]})
    lines = facet_lines(counts, {"tag": ("tag20", "gone")}, folded={"kind"}, long=())
    tags = [line for line in lines if line.facet == "tag"]
    assert tags[0].count == 31
    assert tags[0].chosen
    assert [line.value for line in tags if line.chosen and line.value is not None] == ["tag20", "gone"]
    assert tags[-1].text == f"… {31 - FEW_VALUES - 2} more"
    assert [line.text for line in lines if line.facet == "kind"] == ["▸ Kind"]
    everything = facet_lines(counts, {}, folded=(), long={"tag"})
    assert len([line for line in everything if line.facet == "tag" and line.value]) == 30
    assert {line.facet for line in everything} == set(TITLES)


def test_a_choice_is_said_in_words_without_control_characters() -> None:
    assert chosen_words({"project": ("",), "due": ("now",), "tag": ("a\x1b[31m\nb",)}).startswith(
        "unassigned · due now · a"
    )
    assert "\x1b" not in chosen_words({"tag": ("a\x1b[31m\nb",)})


# -- what is remembered ---------------------------------------------------------------------------


def test_what_is_remembered_comes_back() -> None:
    state = BrowseState(
        place="here",
        cursor="m1",
        query="lock",
        chosen={"kind": ("note",)},
        folded=frozenset({"tag"}),
        sort="use",
        due_sort="title",
        best=False,
        share=45,
        rendered=True,
    )
    values = json.loads(json.dumps(state.section()))
    assert read_state(values, "here") == state
    elsewhere = read_state(values, "elsewhere")
    assert (elsewhere.cursor, elsewhere.query, elsewhere.chosen) == (None, "", {}), (
        "a filter of another place hides nothing"
    )
    assert (elsewhere.share, elsewhere.sort) == (45, "use")


@given(st.dictionaries(st.sampled_from(KEYS) | st.text(max_size=5), JSON, max_size=8))
def test_garbage_reads_as_a_first_start_or_as_something_that_can_be_shown(values: dict[str, Any]) -> None:
    state = read_state({**values, "place": "here"}, "here")
    assert NARROWEST <= state.share <= WIDEST
    assert set(state.chosen) <= set(TITLES)
    assert all(isinstance(value, str) for chosen in state.chosen.values() for value in chosen)
    assert read_state(json.loads(json.dumps(state.section())), "here") == state


# -- titles and order -----------------------------------------------------------------------------


@given(
    st.lists(st.text(alphabet="abA /日", max_size=6), max_size=12), st.text(alphabet="abA /日", min_size=1, max_size=4)
)
def test_titles_that_hold_a_part_are_found_as_looking_at_each_would(titles: list[str], part: str) -> None:
    assert Titles(titles).holding(part) == [place for place, title in enumerate(titles) if part in title]


@given(st.lists(st.integers(0, 12), unique=True), st.lists(st.integers(0, 12), unique=True))
def test_a_steady_order_keeps_what_is_shown_and_loses_nothing(shown: list[int], fresh: list[int]) -> None:
    found = steady_order([str(each) for each in shown], [str(each) for each in fresh])
    assert sorted(found) == sorted(str(each) for each in fresh)
    kept = [str(each) for each in shown if each in fresh]
    assert [each for each in found if each in kept] == kept


# -- highlighting and rendering -------------------------------------------------------------------


@given(st.text(max_size=300) | st.text(alphabet="`#*-/ a.\n[]@=1", max_size=300))
def test_highlighting_leaves_every_character_where_it_is(text: str) -> None:
    assert "".join(piece for piece, _ in highlighted(text)) == text


def test_headings_code_bullets_and_paths_are_told_apart() -> None:
    styles = dict(highlighted("# Head\n- use `lock()` in pay/lock.py:3\n```\nrm -rf a/b\n```\nplain"))
    assert styles["# Head\n"] == "heading"
    assert styles["-"] == "label"
    assert styles["`lock()`"] == "code"
    assert styles["pay/lock.py"] == "path"
    assert styles["rm -rf a/b\n"] == "code"
    assert styles["plain"] == "text"


@pytest.mark.parametrize(
    "text", ["x" * 20_000, "a/" * 10_000, "`" * 20_000, "[" * 20_000, "> " * 9_000, "#" * 20_000, "1. " * 6_000]
)
def test_long_lines_of_one_sign_are_highlighted_and_rendered(text: str) -> None:
    assert "".join(piece for piece, _ in highlighted(text)) == text
    assert all(cell_len(line.plain) <= 40 for line in rendered(text, 40, STYLES)[:-1])


def test_rendered_markdown_shows_html_and_markup_as_text_and_links_as_addresses() -> None:
    text = (
        "# [@click=app.quit]x[/]\n\n- a `code` [site](http://example.org/a)\n\n"
        "<b onclick=x>bold</b> <!-- hidden -->\n\n```sh\nrm x\n```"
    )
    lines = rendered(text, 60, STYLES)
    plain = "\n".join(line.plain for line in lines)
    for part in ("[@click=app.quit]x[/]", "http://example.org/a", "<b onclick=x>bold</b>", "<!-- hidden -->", "rm x"):
        assert part in plain
    assert not any(
        span.style
        for line in lines
        for span in line.spans
        if getattr(span.style, "link", None) or getattr(span.style, "meta", None)
    )


@given(st.text(max_size=200) | st.text(alphabet="`#*-_[]()<>!|\n >1.", max_size=200))
def test_any_markdown_is_rendered_within_its_width(text: str) -> None:
    assert all(cell_len(line.plain) <= 30 for line in rendered(text.replace("\t", " "), 30, STYLES))


def test_what_is_too_long_to_render_says_so() -> None:
    assert "M shows plain text" in rendered("word " * MOST_RENDERED, 40, STYLES)[-1].plain


# -- rows -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("title", ["love ❤️ it", "👩‍👩‍👧 🇨🇭 👍🏽 1️⃣", "日本語の題名 ❤️", "plain", "❤️" * 60])
def test_a_row_is_as_wide_in_terminals_that_add_up_code_points(title: str) -> None:
    """The border behind a row stands where it stands beside the others, whatever a terminal makes of an emoji."""
    row = Row("m1", title, "decision", "ferry", pinned=False, due=False, freshness=0.5, age_days=3)
    paint = {part: Style() for part in ("base", *PARTS)}
    for width in (40, 60, 120):
        columns = Columns.within(width, projects=True)
        segments = row_segments(row, columns, paint, current=True, marked=False)
        text = "".join(segment.text for segment in segments)
        assert cell_len(text) == sum(max(0, wcwidth(letter)) for letter in text)
