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
    (
        "- Ropes are found at once\n- Knots kept beside it prevent drift\n- Clear owner of each knot",
        ("quay/north", "Why One Rope Per Boat?"),
        "decision",
    ),
    # what code does, told as if somebody were to do it
    ("Generate tide tables and lift reports", ("quay/lifts", "Core Responsibilities"), "architecture"),
    ("Convert tide tables to lift reports", ("quay/lifts", "Key Methods"), "architecture"),
    ("Detect the tide from the gauges", ("quay/tides", "_read_tide(gauge: Path) -> Tide"), "architecture"),
    (
        (
            "Masts want every rope tied twice. How it is built:\n1. For each rope, fetch its knot from the store\n"
            "2. Try to tie it again\n3. If the knot holds: add it with its mast"
        ),
        ("quay/ropes", "Mast Building (`build_mast`)"),
        "architecture",
    ),
    ("`POST /quay/lifts` — Generate a lift plan for a new boat", ("quay/api", "Lifts"), "architecture"),
    # what is forbidden by the heading already
    (
        (
            "The quay is shared. Exporting a tide variable leaks state and breaks other cranes.\n\n"
            "- NEVER `set` or `export` a variable like `TIDE_URL`, `TIDE_TOKEN`\n"
            "- Pass the tide explicitly to the CLI commands\n- Run `npm run tide` with flags"
        ),
        ("Never Set Tide Variables",),
        "constraint",
    ),
    # what is entered before anything runs, however strictly
    (
        (
            "- ALWAYS activate the virtual environment before running any tide or pip commands\n"
            "- Virtual environment location: `tide/`\n- Activation command: `tide/bin/activate`"
        ),
        ("Quay Rules", "Migrated from .quay/tide.md"),
        "tooling",
    ),
    # what goes wrong and where to look
    (
        "When lifts hang or never finish (mostly in fog), check the rope first. A wet rope is a known cause.",
        ("Quay guide", "Lifts"),
        "bug-pattern",
    ),
    (
        (
            "Reusable playbooks live in `quay-kit/` — see `quay-kit/README.md` for the list.\n\nAvailable skills:\n\n"
            "- `/moor` — first-time tour of the quay\n- `/add-lift` — scaffold a lift end to end\n"
            "- `/add-rope` — scaffold a rope, knot, and test"
        ),
        ("CLAUDE.md", "Claude Code"),
        "tooling",
    ),
    (
        "| Lift | Measured | Target |\n|---|---|---|\n| One rope | 359us | <50ms |\n| Four ropes | 1.2s | <200ms |",
        ("quay/lifts", "Lift Budget"),
        "note",
    ),
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


def test_a_rule_about_a_file_of_code_stays_a_rule() -> None:
    rule = "`quay/ropes.ts` — generated knots, never edit it by hand"

    assert kind_guess(rule, rule, ("quay", "Generated Files")).kind == "constraint"
    assert "of_file" in dict(form_features("lift.py: Lift class keeps boats. Provides readers of ropes.", ()))
    assert "of_file" not in dict(form_features("Next.js: the harbour pages are drawn by it", ()))


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
