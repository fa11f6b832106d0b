"""Titles chosen by what readers of other memories would rather have had."""

from __future__ import annotations

import pytest
from title_rules import title_by_rules

from memtui.analysis.grammar import language_of
from memtui.analysis.title_blocks import blocks
from memtui.analysis.title_choice import LEAST_GAIN, Worth, better_of, worth
from memtui.analysis.title_options import options
from memtui.analysis.title_signs import TextSigns, signs_of
from memtui.analysis.titles import title_for
from memtui.text.words import cell_width


def _told(text: str, *headings: str) -> TextSigns:
    return TextSigns.of(blocks(text), headings, language_of(text))


@pytest.mark.parametrize(
    ("headings", "text", "title"),
    [
        (
            ("GUIDE.md", "Packing rules"),
            (
                "The tide and the hour are set at build time - from `tide.json` and `quay/hours.json` - and\n"
                "each appears in exactly one place. Never write either into the source: a check fails if it does."
            ),
            "The tide and the hour are set at build time - from tide.json and quay/hours.json",
        ),
    ],
)
def test_a_title_gives_way_to_one_that_tells_more(headings: tuple[str, ...], text: str, title: str) -> None:
    assert title not in title_by_rules(text, headings)
    assert title_for(text, headings).endswith(title)


@pytest.mark.parametrize(
    ("headings", "text"),
    [
        (("Ropes",), "Never tie a boat to the crane. The crane may turn at night."),
        (("Guide", "Testing"), "Run `quay check` before every push.\n\n```sh\nquay check\n```"),
        ((), "There is one rope. Some boats have two. Nobody may ever lift a boat by both of them."),
    ],
)
def test_a_good_title_and_one_without_headings_stay(headings: tuple[str, ...], text: str) -> None:
    assert title_for(text, headings) == title_by_rules(text, headings)


def test_a_bold_rule_is_not_given_up_for_its_reason() -> None:
    text = "**Look at the rope before you lift.** A log from the night tells you what the crane did and where it stood."
    assert title_for(text, ("Harbour", "How work runs")).endswith("Look at the rope before you lift")


def test_another_title_must_be_likelier_by_enough() -> None:
    told = _told("The gauge is old. Only the pilot may set the gauge.", "Gauges")
    poor, rich = "Gauges", "Only the pilot may set the gauge"
    gain = worth().odds(signs_of(rich, told)) - worth().odds(signs_of(poor, told))
    assert gain > LEAST_GAIN
    assert better_of(poor, [rich], told) == rich
    assert better_of(poor, [poor], told) == poor
    assert better_of(rich, [poor], told) == rich


def test_trees_are_followed_down_to_a_leaf() -> None:
    model = Worth(0.5, (("cells", 40.0, ("words", 3.0, -1.0, 2.0), 0.25), -0.125))
    assert model.odds({"cells": 40.0, "words": 3.0}) == pytest.approx(-0.625)
    assert model.odds({"cells": 40.0, "words": 4.0}) == pytest.approx(2.375)
    assert model.odds({"cells": 41.0, "words": 4.0}) == pytest.approx(0.625)


def test_the_stored_trees_ask_for_signs_that_there_are() -> None:
    signs = signs_of("Lift boats at noon", _told("Lift boats at noon, never by night.", "Boats"))
    asked = {tree[0] for tree in worth().trees if not isinstance(tree, float)}
    assert asked <= signs.keys()
    assert worth().odds(signs) == worth().odds(dict(reversed(signs.items())))


def test_options_fit_differ_and_name_what_the_text_says() -> None:
    text = (
        "Boats wait for the tide:\n\n- **Small ones** at the inner quay, two in a row\n- **Large ones** outside\n\n"
        "The pilot says when. Nobody lifts before that."
    )
    headings = ("Harbour", "Boats", "Waiting")
    title = title_by_rules(text, headings)
    found = list(options(title, blocks(text), headings, "en"))
    folded = [one.casefold() for one in found]
    assert title.casefold() not in folded
    assert len(set(folded)) == len(folded)
    assert all(0 < cell_width(one) <= 100 for one in found)
    assert "Waiting: The pilot says when" in found
    assert "Boats: Waiting" in found
    assert any(one.endswith("Small ones at the inner quay, two in a row; Large ones outside") for one in found)


def test_two_short_statements_may_make_one_title() -> None:
    text = "Fares live in `fares.toml`. Types of boats live in `boats.toml`."
    found = list(options("Fares", blocks(text), ("Tables",), "en"))
    assert "Fares live in fares.toml; types of boats live in boats.toml" in found


@pytest.mark.parametrize(
    "text", ["[/x] \x1b[31m red", "提交前必须运行检查。不要跳过。", "```\n```", "\u202e rope", "#" * 3000]
)
def test_any_text_has_a_title_of_one_line(text: str) -> None:
    title = title_for(text, ("Heading [/x]", "\x1b[1m`code`"))
    assert title
    assert "\n" not in title
    assert "\x1b" not in title
    assert cell_width(title) <= 100
