"""Titles that say of what they speak, and what has to be done: not its verb, its reason or its first item alone."""

from __future__ import annotations

import pytest
from title_rules import title_by_rules

from memtui.analysis.distinct_titles import Titled, distinct_titles
from memtui.analysis.title_subject import is_headless
from memtui.analysis.titles import title_for

PIER = ("Harbour guide", "Tools at the quay", "hoist (night crane)")


@pytest.mark.parametrize(
    ("text", "path", "title"),
    [
        (
            "**Critical**: Prevents lifting unmarked boats, skipping the weight check, and losing ropes left at sea.",
            PIER,
            "hoist: Prevents lifting unmarked boats, skipping the weight check, and losing ropes left at sea",
        ),
        (
            "must not move the boats of another pier while the ferry of the town lies at it",
            ("Harbour guide", "Roles", "[Lower Pier Master]"),
            "[Lower Pier Master] must not move the boats of another pier while the ferry of the town lies at it",
        ),
        (
            "This script is needed for rounds in which only the boats of the last tide are counted, not the rest.",
            ("Harbour guide", "Tools", "count-boats.sh"),
            "count-boats.sh is needed for rounds in which only boats of last tide are counted, not rest",
        ),
        (
            "Fetches the tide tables of all piers with an optional hour after which only newer ones are wanted.",
            ("Harbour guide", "Tools", "count-masts-of-the-lower-and-upper-pier.sh"),
            "count-masts-of-the-lower-and-upper-pier.sh: Fetches tide tables of all piers with optional hour…",
        ),
        (
            "**Purpose:** Backs up the freight lists to `~/.quay/lists/` when the harbour master signs off.",
            PIER,
            "hoist (night crane): Backs up the freight lists to ~/.quay/lists/ when the harbour master signs off",
        ),
        (
            "**Exit codes**: `0` lifted, `2` jammed, `3` too heavy",
            PIER,
            "hoist (night crane): Exit codes: 0 lifted, 2 jammed, 3 too heavy",
        ),
        # a topic of a thing is told with the thing
        (
            "- Knots: `4.2`\n- Metres: `2.1 m/s`\n- Words: half ahead",
            ("Harbour guide", "Tools", "read-log.sh", "Speed formats known"),
            "read-log.sh: Speed formats known: Knots (4.2), Metres (2.1 m/s), Words (half ahead)",
        ),
        (
            "Left out ropes: `manila`, `sisal`, `hemp`, `jute`, `coir`, `cotton`, `nylon`, `wire`, etc.",
            ("GUIDE.md", "/tie Order", "Safety (of one pier, refused unless allowed)"),
            "/tie Order: Safety: Left out ropes: manila, sisal, hemp, jute, coir, cotton, nylon, wire, etc",
        ),
    ],
)
def test_a_title_without_subject_stands_below_the_heading_that_names_it(
    text: str, path: tuple[str, ...], title: str
) -> None:
    assert title_by_rules(text, path) == title
    assert title_for(text, path) == title


def test_the_name_of_its_file_in_the_heading_of_a_document_is_no_part_of_a_title() -> None:
    text = "- **Hemp ropes** needed\n- **No knots of wire**\n- Oil the crane each tide."
    (title,) = {title_for(text, (one, "Key Conventions")) for one in ("Quay — AGENTS.md", "Quay – CLAUDE.md")}
    assert title == "Quay: Hemp ropes needed, No knots of wire, Oil the crane each tide"


@pytest.mark.parametrize(
    ("words", "headless"),
    [
        ("Blocks heavy lifts when called by a guest", True),
        ("Prevents lifting unmarked boats", True),
        ("These hooks hold two tonnes", True),
        ("This project has two piers", False),
        ("Tests belong in the folder of the crane", False),
        ("Locks and hooks must be greased", False),
        ("Changes to the tide table read by the pumps should be signed", False),
    ],
)
def test_what_names_no_subject(words: str, headless: bool) -> None:
    assert is_headless(words) is headless


@pytest.mark.parametrize(
    ("text", "title"),
    [
        (
            "Ropes wear at the ring. Always turn them at the new moon.",
            "Ropes wear at the ring; always turn them at the new moon",
        ),
        (
            (
                "Lifting is a matter of grams — a wrong weight is easy to enter by hand in the dark. Always weigh the "
                "boat a second time with the scale of the pier."
            ),
            "Lifting is a matter of grams; always weigh the boat a second time with the scale of the pier",
        ),
        (
            (
                "The scale of the lower pier is sensitive to wind and to every wave of the ferry that comes in at "
                "noon. Never read the scale while the ferry of the upper pier is turning in the basin of the town."
            ),
            "Never read the scale while the ferry of the upper pier is turning in the basin of the town",
        ),
        ("Night lifts. Use `hoist --lamp` for every boat.", "Night lifts: Use hoist --lamp for every boat"),
        ("This is a start. Add your own knots.", "Add your own knots"),
        ("The upper quay holds all cranes. It must stay dry.", "The upper quay holds all cranes; it must stay dry"),
        ("Bell-driven rounds. The bell starts each round.", "Bell-driven rounds: The bell starts each round"),
        ("Pier-centric. Each boat lies at one pier.", "Pier-centric: Each boat lies at one pier"),
        ("Bells wake people up. If one rings, say so.", "Bells wake people up"),
        ("Night watch ended. The crane is locked.", "Night watch ended"),
        ("Skill `knots`: Ties boats. Use when a boat comes in.", "Skill knots: Ties boats"),
    ],
)
def test_the_order_behind_a_fact_or_name_is_in_the_title(text: str, title: str) -> None:
    assert title_by_rules(text, ("Guide", "Piers")).endswith(title)


def test_a_condition_brings_what_is_done_then() -> None:
    text = (
        "When a new crane is set up on one of the piers of the lower harbour:\n\n"
        "1. Weigh its hook with the scale of the pier\n2. Paint its number on both sides of the arm\n3. Sign for it\n"
    )

    assert "lower harbour: Weigh its hook" in title_for(text, ("Guide", "Cranes of the town"))


def test_a_list_of_questions_that_shares_its_heading_keeps_it() -> None:
    told = Titled("Round at dusk", "This round finds faults before the night does.", ("Guide", "Round at dusk"))
    asked = Titled("Round at dusk", "- Is the lamp lit at the end?\n- Is the rope dry?", ("Guide", "Round at dusk"))

    assert distinct_titles([told, asked])[1] == "Round at dusk"


def test_what_is_left_of_a_list_is_counted_up_to_its_end() -> None:
    text = (
        "Every boat has a state that is painted on its side:\n\n"
        "- `moored`\n- `lifted`\n- `away`\n- `lost`\n- `sunk`\n- `sold`\n\n"
        "Use these flags:\n\n- `red` Stop\n- `blue` Ask\n"
    )

    assert (
        title_by_rules(text, ())
        == "Every boat has a state that is painted on its side: moored, lifted, away, lost, sunk, sold"
    )


@pytest.mark.parametrize(
    ("text", "path", "title"),
    [
        (
            (
                "Sealed tables of tides in [`quay/TIDE_TABLES_OF_LOWER.md`](q.md) (§1 by day, §3 by night) and "
                "[`quay/TIDE_TABLES_OF_UPPER.md`](u.md) (§17) are not printed anew without a word of the master."
            ),
            (),
            "Sealed tables of tides are not printed anew without a word of the master",
        ),
        (
            (
                "Make sure that every rope which is used for the lifting of boats is tied directly to one of the iron "
                "rings of the lower pier rather than to a post, a rail or another boat."
            ),
            (),
            "Every rope used for lifting of boats is tied directly to one of iron rings of lower pier…",
        ),
        # what another label above a list forbids is no part of what stands above
        (
            "Lamps must be set safely:\n\n```ts\nset({ a: 1 });\n```\n\n**Never set:**\n\n- `glare`\n- `blink`",
            ("Night",),
            "Night: Lamps must be set safely",
        ),
        # a lack forbids nothing, so the word that does so stays
        (
            (
                "**Bad:** Plain twine of hemp without a colour\n\n```ts\ntie(1);\n```\n\n"
                "**Good:** Twine with its colour\n\n```ts\ntie(2);\n```"
            ),
            ("Guide", "Marks for All Ropes"),
            "Marks for All Ropes: Avoid: Plain twine of hemp without a colour",
        ),
        (
            "It is by eye, not by tool. Faults were seen by guests more than once.",
            ("Guide", "Names of the guests: never write them on a boat of the town"),
            "Names of the guests: It is by eye, not by tool",
        ),
    ],
)
def test_a_long_title_keeps_what_is_said_and_what_is_forbidden(text: str, path: tuple[str, ...], title: str) -> None:
    assert title_by_rules(text, path) == title


def test_a_place_that_leads_to_a_command_stands_below_its_heading() -> None:
    text = "From the end of the pier:\n\n```sh\nhoist --done\n```\n\nThen tell the master:\n\n```sh\nhoist --tell\n```"

    assert title_by_rules(text, ("Guide", "Ending a lift")) == "Ending a lift: From the end of the pier: hoist --done"
