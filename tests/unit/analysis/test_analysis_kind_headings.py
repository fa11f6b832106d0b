"""What headings and the form of a list say of a kind where the sentences read like another."""

from __future__ import annotations

import pytest

from memtui.analysis.classify import kind_guess
from memtui.analysis.kind_form import form_features

HEADING_OR_FORM = [
    # why something was chosen or left out
    (
        "The tide table of the quay has other columns, and squeezing both into one file would hide that.",
        ("quay/north", "Why a table of its own instead of a column"),
        "decision",
    ),
    (
        "**No second winch.** One boat, and everything hangs on the mast.",
        ("quay/north", "What's deliberately NOT here"),
        "decision",
    ),
    # what speaks for something, and what a file says of itself
    (
        "- **Whole picture**: readers see all of the lift\n- **Quicker lifts**: clear order helps them",
        ("Lift reports", "Benefits"),
        "note",
    ),
    ("AI agent instructions for the handbook of the quay.", ("AGENTS.md",), "note"),
    ("This file describes how the quay is run, and is written again whenever a crane is added.", ("Quay",), "note"),
    # the occasion of what is done
    (
        "You mended a bug **and** saw a loose rope: two lifts.",
        ("What belongs in one lift", "Part when"),
        "convention",
    ),
    # what code offers and what it is set up by
    (
        (
            "```ts\nimport {\n  ROPES,       // Record<name, Rope>\n  checkRope,   // (rope) -> Fault[]\n"
            "} from '@quay/ropes';\n```"
        ),
        ("@quay/ropes", "Public surface"),
        "architecture",
    ),
    (
        (
            "- `QUAY_HOST` / `QUAY_PORT` — where the crane listens.\n"
            "- `QUAY_DIR` — folder of the log and the socket\n  (see `quay/paths.ts`)."
        ),
        ("quay/cli", "Env / exit codes"),
        "tooling",
    ),
]


@pytest.mark.parametrize(("text", "headings", "kind"), HEADING_OR_FORM)
def test_a_heading_or_form_may_tell_the_kind_of_what_reads_like_another(
    text: str, headings: tuple[str, ...], kind: str
) -> None:
    assert kind_guess(text, text[:40], headings).kind == kind


def test_a_rule_below_a_reason_stays_a_rule() -> None:
    above = ("quay/north", "Why ropes are kept and not cut")

    assert kind_guess("Never cut a rope of the quay.", "Never cut", above).kind == "constraint"


@pytest.mark.parametrize(
    ("text", "lists"),
    [
        ("- `interface TidePort` — keeps the tides\n- `ropeOf(boat)` — finds the rope", True),
        ("- `npm run tide` — reads the tides\n- `npm run rope` — finds the rope", False),
        ("- `TIDE_URL` — where the tides are\n- `ROPE_DIR` — the folder of the ropes", False),
        ("- `interface TidePort` — keeps the tides\n- Ropes are found by their boat", False),
    ],
)
def test_a_list_of_what_code_offers_is_told_from_one_of_commands_and_variables(text: str, *, lists: bool) -> None:
    assert ("members" in dict(form_features(text, ()))) == lists
