from __future__ import annotations

import pytest
from title_rules import title_by_rules

from memtui.capture.readers.adr_outcome import decision_title


@pytest.mark.parametrize(
    ("text", "headings", "title"),
    [
        # a slogan, and what it comes to
        (
            '**Prove "better" with a number.** No claim about speed ships without a weighing.',
            (),
            'Prove "better" with a number: No claim about speed ships without a weighing',
        ),
        ("**Never lift over people.** It was tried once.", (), "Never lift over people"),
        # bold words that state the point of a sentence for which there is no room
        (
            "**The old berth numbers and the lift-card rule are intentionally kept** to drain cards, though it is gone",
            ("Landmines — do NOT fix these without understanding",),
            "The old berth numbers and the lift-card rule are intentionally kept",
        ),
        # what only names something needs the heading that says of what
        (
            "Reusable, weatherproof sheets for covering open holds",
            ("Covers",),
            "Covers: Reusable, weatherproof sheets for covering open holds",
        ),
        # a long background before what has to be done
        (
            f"The gauge {'at the far end of the outer pier ' * 3}gives feet. Levels must be metric.",
            (),
            "Levels must be metric",
        ),
        # a section that every nested file has
        (
            "The cranes must be powered before the first lift",
            ("winch", "How it connects to the rest of the repo"),
            "winch: The cranes must be powered before the first lift",
        ),
        (
            "所有起重机必须先通电",
            ("码头", "入口与启动"),
            "码头: 所有起重机必须先通电",
        ),
        # what belongs to the words behind it
        ("In addition to bells, a horn is blown in fog.", (), "In addition to bells, a horn is blown in fog"),
    ],
)
def test_a_title_says_the_point(text: str, headings: tuple[str, ...], title: str) -> None:
    assert title_by_rules(text, headings) == title


def test_what_we_do_by_its_title_is_the_decision() -> None:
    title = "We will use harbour codes for ropes"

    assert (
        decision_title(title, "We will utilize `codes` for new ropes, and rename old ones when possible.", "") == title
    )


@pytest.mark.parametrize(
    ("text", "title"),
    [
        (
            "| # | Mistake | Rule |\n|---|---|---|\n| 1 | Wet ropes | Dry them |\n| 6 | No log | Write it |",
            "Wet ropes, No log",
        ),
        (
            '```powershell\n$env:TIDE_URL = "a"\n$env:TIDE_KEY = "abc"  # of the gauge\n```',
            "TIDE_URL, TIDE_KEY",
        ),
        (
            (
                "Requirement: Do not moor at a closed pier. By the time it opens, others lie there. — Do instead:"
                " ask the pilot, who keeps the list of piers and of all boats that are expected until the evening."
            ),
            "Do not moor at a closed pier",
        ),
        (
            "**Trigger:** Above twelve tons.\n\n**Message:**\n```\nCR-1: heavy\n```\n\n**Why:** The rope tears.",
            "Boats at the crane",
        ),
    ],
)
def test_a_title_names_what_rows_settings_and_parts_are_about(text: str, title: str) -> None:
    assert title in title_by_rules(text, ("Harbour", "Boats at the crane"))
