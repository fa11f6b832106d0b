"""Where a title that is made of sentences ends, and which of them it tells."""

from __future__ import annotations

import pytest
from title_rules import title_by_rules


@pytest.mark.parametrize(
    ("text", "title"),
    [
        (
            (
                "Keep the lamps of every outer pier shaded and dim by default so late ferries and the barges "
                "behind them are seen in time."
            ),
            "Keep the lamps of every outer pier shaded and dim by default",
        ),
        (
            (
                "The ferry and the barge should stay apart: the ferry carries people with their crates and lamps; "
                "the barge carries stone."
            ),
            "The ferry and the barge should stay apart",
        ),
        (
            (
                "Divers: isolated `DiverBerth`s, inherit quay-wide `LAMPS.book`, cannot lift/send crates/ring "
                "bells/open `locks`/leave the basin at night."
            ),
            "Divers: isolated DiverBerths, inherit quay-wide LAMPS.book, cannot lift/send crates/ring bells/open…",
        ),
    ],
)
def test_a_title_ends_where_what_it_says_is_complete(text: str, title: str) -> None:
    assert title_by_rules(text, ()) == title


def test_a_list_below_half_a_condition_completes_it() -> None:
    text = (
        "Always ask `harbour/PILOTS.book` when the boat:\n"
        "- Draws more than the basin has (by words such as deep, laden, keel, ballast)\n"
        "- Brings new crates, wide loads, strange ropes, or heavy stone and iron work"
    )

    assert "when the boat: Draws more than" in title_by_rules(text, ("Harbour",))


def test_words_that_only_lead_to_a_list_are_no_part_of_its_title() -> None:
    text = "The quay moves crates (of all sizes) with this lifecycle:\n\n1. **Lifted**\n2. **Stacked**\n3. **Shipped**"

    assert "lifecycle" not in title_by_rules(text, ("Harbour", "Crates"))


def test_a_value_keeps_the_label_that_says_what_it_is_of() -> None:
    text = (
        "Ropes: `HempRope.yarn`; knots: `bowline`; iron cleats: `quay/outer/wall/cleats/<name>.iron` and "
        "enter in `quay/outer/wall/ledger.book`."
    )

    assert "Ropes: HempRope.yarn; knots: bowline" in title_by_rules(text, ("Harbour", "Names"))


@pytest.mark.parametrize(
    ("text", "title"),
    [
        (
            (
                "Ropes: `Winch` holds the `hemp::Rope<Wet>` of each berth inside of itself. Never hand a `hemp::Rope` "
                "to another crane directly."
            ),
            "Ropes: Never hand a hemp::Rope to another crane directly",
        ),
        (
            (
                "The harbour is built on tides — cranes wait for them, ferries follow, and pilots read them. "
                "Avoid fixed hours entirely; the crews, the pilots and the moon over the basin have moved on."
            ),
            "The harbour is built on tides; avoid fixed hours entirely",
        ),
        (
            (
                "The bell of the outer pier rings whenever the tide turns at night and a boat lies there. "
                "Always working: `bell.iron`."
            ),
            "The bell of the outer pier rings whenever the tide turns at night and a boat lies there",
        ),
        (
            (
                "The bell of the outer pier cannot tell a ferry that is late from a barge that is lost at sea. "
                "Never ring it by hand at night."
            ),
            "The bell of the outer pier cannot tell a ferry that is late from a barge that is lost at sea",
        ),
    ],
)
def test_a_fact_gives_way_to_the_rule_that_it_leads_to(text: str, title: str) -> None:
    assert title_by_rules(text, ()) == title


def test_what_is_expected_of_a_tool_stands_below_the_tool() -> None:
    text = "Detailed lists of worn ropes with their berths"

    assert title_by_rules(text, ("Harbour", "Checking with ropewalk", "Expected behavior")) == (
        f"Checking with ropewalk: {text}"
    )


@pytest.mark.parametrize("text", ["**错误**：手动转动吊车", "错误：由码头主管处理"])
def test_a_word_for_what_is_wrong_that_names_errors_too_stands_as_it_is(text: str) -> None:
    assert title_by_rules(text, ()).startswith("错误")
