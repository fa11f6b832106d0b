"""What says nothing is left out with its reason, and what needs its heading's question or subject gets it."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from memtui.capture.draft import SourceFile
from memtui.capture.markdown import split_markdown
from memtui.capture.prose import pattern
from memtui.capture.readers.registry import reader_named
from memtui.capture.skip_codes import SkipReason

CURSOR = reader_named("cursor-rules")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("AI agent instructions for the lighthouse keeper's log.", SkipReason.INTRO),
        ("Coding-agent guidance for the Quay repository.", SkipReason.INTRO),
        ("> This file was generated automatically. For full instructions, see [QUAY.md](./QUAY.md).", SkipReason.INTRO),
        (
            "## Benefits\n\n- **Calm crews**: Everybody knows the order of boats\n- **Clear piers**: No ropes about",
            SkipReason.INTRO,
        ),
        ("Instructions for AI agents that work on Quay. Read this before changing anything.", SkipReason.INTRO),
        (
            "This is the canonical guidance for all agents. Guides of single tools should import this file.",
            SkipReason.INTRO,
        ),
        (
            "Gemini should follow the common guidance above. Keep tool-specific notes here only if needed.",
            SkipReason.INTRO,
        ),
        ("The notes of the loft live at [`../loft/KNOTS.md`](../loft/KNOTS.md).", SkipReason.POINTER),
        ("## Knots\n\nLessons learned from past sessions.\n\n### Bowline", SkipReason.INTRO),
        ("## Knots\n\nRope problems found so far.\n\n### Bowline", SkipReason.INTRO),
        ("Agents should follow the knot rules below.", SkipReason.INTRO),
        ("This is the shared guide file for the crew.", SkipReason.INTRO),
        ("## Knots\n\nRope-specific knot problems found while rigging Quay.\n\n### Bowline", SkipReason.INTRO),
        (
            "## Imported Loft instructions\n\nCareful, practical, most helpful, seaworthy-tested, well-lubricated.",
            SkipReason.INTRO,
        ),
        ("### Rope loft (this work session)\n\n- `loft.yml` - ropes sorted\n- index of all knots", SkipReason.TASKS),
    ],
)
def test_what_says_nothing_is_left_out(text: str, reason: SkipReason) -> None:
    split = split_markdown(f"# Quay\n\n{text}\n")

    assert split.pieces == []
    assert reason in {gap.reason for gap in split.skipped}


@pytest.mark.parametrize(
    "text",
    [
        "This file was generated automatically. Never edit it by hand.",
        "## Benefits\n\n- **Ropes**: `loft --dry` takes 4 s instead of 90 s\n- **Piers**: must stay clear",
        "The state of the night crew lives at `quay/state/crew_state.md`.",
        "This is the canonical pier for night boats; day boats must use the other one.",
        "Knot problems found while rigging are written into `loft/knots.log`, one on each line.",
        "## Tone\n\nCareful, practical, helpful, factual.",
        "AI agent instructions for boats must name the pier and the crane that lifts them.",
        "Issues found during the night watch are mended before the tide turns.",
        "Rope problems found by the pilot close the pier.",
        "Knot issues found while rigging block the crane.",
        "This is the main source of wet ropes.",
        "This is the shared file rack that both crews open.",
        "Agent context for a watch is capped at 8 lines",
        "Agent instructions for horn calls are signed with the harbour seal",
        "Agent notes for boats carry the seal of the pier",
        "Codex must follow the knot rules below",
        "## Benefits\n\n- **Calm**: each crew gets a pier of its own\n- **Order**: pilots wait on the outer pier",
        "This is the canonical guidance for all agents. Every guide must import this file.",
    ],
)
def test_what_says_something_stays(text: str) -> None:
    assert split_markdown(f"# Quay\n\n{text}\n").pieces


def test_a_paragraph_that_means_the_place_of_the_code_above_stays_with_it() -> None:
    code = "```sh\nmv log /quay/old/\n```"
    text = f"# Quay\n\nMove the log with the night:\n\n{code}\n\nThe old one is kept in the same folder.\n"

    assert [code in piece.text for piece in split_markdown(text).pieces] == [True]


@pytest.mark.parametrize("name", ["upkeep", "intro_more"])
def test_a_long_hyphenated_word_is_read_in_short_time(name: str) -> None:
    start = time.perf_counter()

    assert not pattern(name).match(f"Keep {'-'.join('a' * 300)} in sync.")
    assert pattern(name).match("Keep tool-specific night-watch notes here only if needed.")

    assert time.perf_counter() - start < 1, "backtracking over hyphens grows with the fourth power"


def test_labelled_paragraphs_about_other_things_are_memories_of_their_own() -> None:
    fields = "**Symptom**: jammed hoist\n\n**Cause**: wet rope"
    others = "**Lamps**: `red` (port), `green` (starboard)\n\n**Horn**: `blow(2)`"
    text = f"# Quay\n\n## Night\n\n{others}\n\n## Jam\n\n{fields}\n"

    texts = [piece.text for piece in split_markdown(text).pieces]

    assert texts[:2] == ["**Lamps**: `red` (port), `green` (starboard)", "**Horn**: `blow(2)`"]
    assert texts[2:] == [fields]


@pytest.mark.parametrize(
    ("title", "rule", "lead"),
    [
        ("Ignored knots", "Tie every loop twice.", "Ignored knots: "),
        ("Bug Report Writing", "Name the pier first.", "Bug Report Writing > Body: "),
        ("Skill File Format", "Use plain words.", "Skill File Format > Body: "),
        ("Night Lifts", "Name the pier first.", ""),
    ],
)
def test_a_rule_names_the_texts_or_the_sense_that_its_file_is_about(
    tmp_path: Path, title: str, rule: str, lead: str
) -> None:
    path = tmp_path / ".cursor" / "rules" / "quay.mdc"
    path.parent.mkdir(parents=True)
    path.write_text(f"# {title}\n\n## Body\n\n- {rule}\n- Keep every part of it short enough for the night crew.\n")

    first = CURSOR.read(SourceFile(path, tmp_path, tmp_path / "home")).drafts[0]

    assert first.insight == f"{lead}{rule}"
    assert title in first.title or not lead
